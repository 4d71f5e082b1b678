// SPDX-License-Identifier: GPL-2.0

//! The reserve, and how much of it each disk may use.

use crate::sync::{
    AtomicU64,
    Ordering::Relaxed, //
};

/// I/Os in the reserve.
#[derive(Debug, Default)]
pub struct ReserveCount(AtomicU64);

impl ReserveCount {
    /// Number of I/Os in the reserve.
    pub fn ios(&self) -> u64 {
        // Relaxed: the I/O was handed over by the thread that put it there, with the ordering of the block layer.
        self.0.load(Relaxed)
    }

    pub(super) fn enter(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    pub(super) fn leave(&self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// How many I/Os of one disk may be in the reserve, and how many are. All disks that have no share of their own yet
/// have one together.
#[derive(Debug, Default)]
pub struct Share {
    used: AtomicU64,
    most: AtomicU64,
}

impl Share {
    /// A share of up to `most` I/Os.
    pub fn new(most: u64) -> Self {
        Share {
            used: AtomicU64::new(0),
            most: AtomicU64::new(most),
        }
    }

    /// Sets the limit.
    pub fn set_most(&self, most: u64) {
        // Relaxed: a caller that sees it too late takes room that disks have together.
        self.most.store(most, Relaxed);
    }

    /// The share that a new I/O uses: this one, or `common` as long as the limit of this one is 0.
    pub fn or<'a>(&'a self, common: &'a Share) -> &'a Share {
        if self.most.load(Relaxed) == 0 {
            common
        } else {
            self
        }
    }

    /// Counts one more I/O, unless the limit is reached. Returns whether it was counted.
    pub(super) fn take(&self) -> bool {
        let most = self.most.load(Relaxed);
        // Not added first and subtracted if too large: another caller could see the sum in between,
        // and be refused.
        let one_more = |used: u64| (used < most).then_some(used.wrapping_add(1));
        self.used.fetch_update(Relaxed, Relaxed, one_more).is_ok()
    }

    /// Counts one more I/O, even above the limit: it uses the entry of an earlier I/O again.
    pub fn take_over(&self) {
        self.used.fetch_add(1, Relaxed);
    }

    /// Counts one I/O less.
    pub fn release(&self) {
        self.used.fetch_sub(1, Relaxed);
    }
}
