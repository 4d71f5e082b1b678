// SPDX-License-Identifier: GPL-2.0

//! The number of partitions of a disk.

use core::sync::atomic::{
    AtomicU32,
    Ordering::Relaxed, //
};

/// How many partitions of a disk have accounts that probes find.
#[derive(Default)]
pub(in crate::recorder) struct PartitionCount(AtomicU32);

impl PartitionCount {
    #[inline(always)]
    pub(in crate::recorder) fn is_any(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    /// Adds a partition that probes find already. Returns whether it is the first.
    pub(in crate::recorder) fn arrived(&self) -> bool {
        self.0.fetch_add(1, Relaxed) == 0
    }

    /// Removes a partition.
    pub(in crate::recorder) fn left(&self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
