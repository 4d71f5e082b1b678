// SPDX-License-Identifier: GPL-2.0

//! Floor 0 against slow models that share no arithmetic with it.
//!
//! [`model`] is the truth, [`disk`] is floor 0 driven as the recorder drives it, [`play`] makes
//! up random lives of random I/Os and tells both of them.

#![cfg(not(loom))]

#[path = "properties/disk.rs"]
mod disk;
#[path = "properties/model.rs"]
mod model;
#[path = "properties/play.rs"]
mod play;

#[path = "properties/lives.rs"]
mod lives;
#[path = "properties/readers.rs"]
mod readers;
#[path = "properties/table.rs"]
mod table;
#[path = "properties/text.rs"]
mod text;

use proptest::test_runner::Config;

/// proptest's own settings, `PROPTEST_CASES` included, but a failure leaves no file behind: the
/// smallest input that fails is in its message.
fn config() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}
