// SPDX-License-Identifier: GPL-2.0

//! Whether anything was ever recorded in an account. Some parts of an account are created only at its first use, as
//! most disks and partitions of a large machine are never used. Probes note the use, and [`upkeep`] creates these
//! parts.

use super::Account;
use crate::glue::upkeep;
use core::sync::atomic::{
    AtomicU8,
    Ordering::Relaxed, //
};

/// The state of the use of an account. Recording does not depend on it: the first I/O is recorded
/// like any other.
#[derive(Default)]
pub(super) struct Usage(AtomicU8);

/// Nothing was recorded: 0, as by default.
const UNUSED: u8 = 0;
const USED: u8 = 1;
/// The listener was notified.
const NOTIFIED: u8 = 2;
/// All parts that depend on the use were created.
const FOLLOWED: u8 = 3;

impl Usage {
    /// Something is recorded. Any context but NMI.
    pub(super) fn note(&self) {
        if self.0.load(Relaxed) == UNUSED {
            self.note_first();
        }
    }

    #[cold]
    fn note_first(&self) {
        // Must not overwrite the state that another CPU has stored meanwhile, which may be a later
        // one.
        if self
            .0
            .compare_exchange(UNUSED, USED, Relaxed, Relaxed)
            .is_ok()
        {
            upkeep::wake();
        }
    }
}

impl Account {
    /// Whether something was recorded, and parts that depend on the use are still missing.
    pub(in crate::recorder) fn is_new_in_use(&self) -> bool {
        matches!(self.usage.0.load(Relaxed), USED | NOTIFIED)
    }

    /// Returns whether the listener must be notified, which happens once.
    pub(in crate::recorder) fn must_notify_use(&self) -> bool {
        self.usage.0.load(Relaxed) == USED
    }

    /// Records that the listener was notified.
    pub(in crate::recorder) fn set_use_notified(&self) {
        self.usage.0.store(NOTIFIED, Relaxed);
    }

    /// Records that all parts that depend on the use were created.
    pub(in crate::recorder) fn set_use_followed(&self) {
        self.usage.0.store(FOLLOWED, Relaxed);
    }
}
