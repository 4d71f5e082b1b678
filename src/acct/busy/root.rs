// SPDX-License-Identifier: GPL-2.0

//! The gauge of a disk, and which hardware queue enters it directly.

use super::{
    Extra,
    Gauge,
    Lengths, //
};
use crate::sync::{
    AtomicU32,
    Ordering::Relaxed, //
};

/// The gauge of a disk, on a cache line of its own, and which of the disk's hardware queues enters it directly.
///
/// An I/O that enters the root directly takes one step instead of two. If many queues did this, all of them
/// would write the same word with each I/O. So only one queue does: the owner. Which queue is the owner
/// matters for speed only, so `owner` and `rival` are changed without synchronization.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Root {
    /// The gauge.
    pub gauge: Gauge,
    owner: AtomicU32,
    rival: AtomicU32,
    /// In a partition, where the root of its disk is: a number of the caller, as in
    /// [`Memory`](crate::acct::fast::Memory).
    disk: u64,
}

/// The value of `rival` after the owner has met another queue at the root.
const OWNER: u32 = u32::MAX;

impl Root {
    /// The root of a partition, whose disk's root is at `disk`.
    pub fn of_partition(disk: u64) -> Self {
        let root = Root {
            disk,
            ..Root::default()
        };
        root.gauge.add(Extra::Disk);
        root
    }

    /// Where the disk's root is, if this is the root of a partition.
    #[inline(always)]
    pub fn disk(&self) -> u64 {
        self.disk
    }

    /// Makes this the root of no account, beside a record that is not read. A step there finds [`Extra::Absent`],
    /// and [`Extra::Disk`], which the fast path checks for. To be called again after each step.
    pub fn set_absent(&self) {
        self.gauge.set_absent();
    }

    /// Whether later I/Os of this hardware queue may enter the root directly. Called after one of its I/Os
    /// has entered through its leaf.
    pub fn may_enter(&self, queue: u16) -> bool {
        if self.gauge.lengths() == Lengths::ONE_WAITS {
            // No other I/O than this.
            self.owner.store(u32::from(queue), Relaxed);
            return true;
        }
        self.stays(queue)
    }

    /// Whether this hardware queue may continue to enter the root directly, after one of its I/Os has met others
    /// there. If the owner has not met others since the last call, it is quiet, and this queue becomes the owner.
    #[inline(always)]
    pub fn stays(&self, queue: u16) -> bool {
        let queue = u32::from(queue);
        if self.owner.load(Relaxed) == queue {
            self.rival.store(OWNER, Relaxed);
            return true;
        }
        let rival = self.rival.load(Relaxed);
        self.rival.store(queue, Relaxed);
        if rival == queue {
            self.owner.store(queue, Relaxed);
        }
        rival == queue
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{
        super::QueueMove,
        *, //
    };

    #[test]
    fn a_queue_enters_the_root_that_is_alone_or_is_the_owner() {
        let root = Root::default();
        root.gauge.take(QueueMove::WaitqEnter);
        assert!(root.may_enter(1));
        // Another I/O is there: the owner may, and others may not.
        root.gauge.take(QueueMove::WaitqEnter);
        assert!(root.may_enter(1));
        assert!(!root.may_enter(2));
        assert!(root.may_enter(1));
        // It alone waits, but another runs.
        root.gauge.take(QueueMove::WaitqToRunq);
        assert!(!root.may_enter(2));
    }

    #[test]
    fn a_rival_becomes_the_owner_of_a_root_whose_owner_is_quiet() {
        let root = Root::default();
        root.gauge.take(QueueMove::WaitqEnter);
        assert!(root.may_enter(1));
        assert!(!root.stays(2));
        // The owner was there meanwhile.
        assert!(root.stays(1));
        assert!(!root.stays(2));
        assert!(!root.stays(3));
        assert!(!root.stays(2));
        assert!(root.stays(2));
        assert!(!root.stays(1));
    }
}
