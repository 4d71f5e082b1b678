// SPDX-License-Identifier: GPL-2.0

//! Floor 0 against slow models that share no arithmetic with it.
//!
//! [`model`] is the truth, [`machine`] is floor 0 driven as the recorder drives it, [`play`] makes
//! up random lives of random I/Os and feeds them to both. The fuzz targets share the first two and
//! what [`invariants`] asserts.

#![cfg(not(loom))]

#[path = "properties/areas.rs"]
mod areas;
#[path = "properties/asked.rs"]
mod asked;
#[path = "properties/cgroups.rs"]
mod cgroups;
#[path = "properties/dm.rs"]
mod dm;
#[path = "properties/fast.rs"]
mod fast;
#[path = "properties/fast_regions.rs"]
mod fast_regions;
#[path = "properties/invariants.rs"]
mod invariants;
// More than one disk and more I/Os than have room are for the fuzz targets.
#[allow(dead_code)]
#[path = "properties/machine.rs"]
mod machine;
#[path = "properties/model.rs"]
mod model;
#[path = "properties/play.rs"]
mod play;
#[path = "properties/written.rs"]
mod written;

#[path = "properties/events.rs"]
mod events;
#[path = "properties/kstats.rs"]
mod kstats;

#[path = "properties/grammar.rs"]
mod grammar;
#[path = "properties/lives.rs"]
mod lives;
#[path = "properties/mapped.rs"]
mod mapped;
#[path = "properties/meetings.rs"]
mod meetings;
#[path = "properties/messages.rs"]
mod messages;
#[path = "properties/names.rs"]
mod names;
#[path = "properties/pager.rs"]
mod pager;
#[path = "properties/partitions.rs"]
mod partitions;
#[path = "properties/promises.rs"]
mod promises;
#[path = "properties/readers.rs"]
mod readers;
#[path = "properties/records.rs"]
mod records;
#[path = "properties/regions.rs"]
mod regions;
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
