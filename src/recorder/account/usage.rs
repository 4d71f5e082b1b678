// SPDX-License-Identifier: GPL-2.0

//! Whether anything was ever recorded in an account: some of what an account has is made only then, since most disks and
//! partitions of a large machine are never used. Probes note the use, and [`upkeep`] does what follows.

use super::Account;
use crate::glue::upkeep;
use core::sync::atomic::{
    AtomicU8,
    Ordering::Relaxed, //
};

/// What is recorded first is recorded as always, so nothing of it depends on this.
#[derive(Default)]
pub(super) struct Usage(AtomicU8);

/// Nothing was recorded: 0, as by default.
const UNUSED: u8 = 0;
const USED: u8 = 1;
/// The listener was notified.
const NOTIFIED: u8 = 2;
/// All that follows from the use is done.
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
        // Not over what another CPU has stored meanwhile, which may be followed already.
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
    /// Whether something was recorded, and some of what follows from that is not done.
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

    /// What follows from the use is done.
    pub(in crate::recorder) fn set_use_followed(&self) {
        self.usage.0.store(FOLLOWED, Relaxed);
    }
}
