// SPDX-License-Identifier: GPL-2.0

//! The gauge of a disk, and who enters it.

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
/// To enter the root and not a leaf takes one step and not two. If many queues did, all of them would
/// write the same word with each I/O; so one does, the owner. Which one is a matter of speed alone, and the
/// words that say so are changed without care for others.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Root {
    /// The gauge.
    pub gauge: Gauge,
    owner: AtomicU32,
    rival: AtomicU32,
    /// Where the root of the disk is, of a partition: the caller's number, as in [`Memory`](crate::acct::fast::Memory).
    disk: u64,
}

/// As the rival: the owner met another queue at the root.
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

    /// Of a partition: where its disk's root is.
    #[inline(always)]
    pub fn disk(&self) -> u64 {
        self.disk
    }

    /// Makes it the root of no account, beside a record that is not read: a step there finds
    /// [`Extra::Absent`], and [`Extra::Disk`], which the fast path looks for. To be called again after each step.
    pub fn set_absent(&self) {
        self.gauge.set_absent();
    }

    /// Whether later I/Os of this hardware queue may enter the root. Called after one of them has entered, by
    /// its leaf.
    pub fn may_enter(&self, queue: u16) -> bool {
        if self.gauge.lengths() == Lengths::ONE_WAITS {
            // No other I/O than this.
            self.owner.store(u32::from(queue), Relaxed);
            return true;
        }
        self.stays(queue)
    }

    /// An I/O of this hardware queue has met others at the root: whether its queue may go on to enter there. If the
    /// owner has not met others since the last time, it is quiet, and this queue becomes the owner.
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
