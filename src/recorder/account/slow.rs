// SPDX-License-Identifier: GPL-2.0

//! The slow I/Os of a disk and its partitions.

use super::Account;
use crate::{
    abi::comm::Comm,
    acct::{
        disk_event::DiskEvent,
        entry::Entry,
        slow::{
            is_slow,
            SlowIo, //
        },
        transition::End, //
    },
    glue::{
        submitter::comm_of,
        upkeep, //
    },
    kernel_ext::once::OnceBox,
    recorder::slow::{
        threshold_ns,
        KeptIos,
        SpareRings, //
    },
};
use core::sync::atomic::{
    AtomicBool,
    Ordering::Relaxed, //
};
use kernel::sync::Arc;

/// The slow I/Os of a disk; empty in the account of a partition.
pub(super) struct SlowIos {
    ring: OnceBox<KeptIos>,
    /// Only for disks.
    spares: Option<Arc<SpareRings>>,
    /// Whether there is a slow I/O that the listener was not notified of.
    is_new: AtomicBool,
}

impl SlowIos {
    /// Creates an empty ring. Without `spares`, which only disks have, no I/O is kept.
    pub(super) fn new(spares: Option<Arc<SpareRings>>) -> Self {
        SlowIos {
            ring: OnceBox::new(),
            spares,
            is_new: AtomicBool::new(false),
        }
    }
}

/// The target and the result of an I/O.
pub(in crate::recorder) struct SlowTarget {
    /// Its first sector on the whole disk.
    pub(in crate::recorder) sector: u64,
    /// Its bytes.
    pub(in crate::recorder) bytes: u64,
    /// The id of its cgroup; 0 if it has none.
    pub(in crate::recorder) cgroup: u64,
    /// `REQ_OP_*`.
    pub(in crate::recorder) op: u8,
    /// A positive errno, or 0.
    pub(in crate::recorder) error: i32,
}

impl Account {
    /// Keeps an I/O that ended at `now`, and was recorded. With interrupts off, in any context but NMI.
    pub(in crate::recorder) fn keep_slow(
        &self,
        entry: &Entry,
        now: u64,
        end: &End,
        target: &SlowTarget,
    ) {
        let slow = &self.disk().unwrap_or(self).slow;
        let Some(spares) = &slow.spares else {
            return;
        };
        // On the fast path a negative time reaches every threshold; by now it is 0.
        if !is_slow(end.duration_ns, threshold_ns()) {
            return;
        }
        self.count_event(DiskEvent::SlowIos);
        let Some(kept) = spares.fill(&slow.ring) else {
            return self.count_event(DiskEvent::SlowIosDropped);
        };
        let pid = entry.pid();
        let comm = match pid {
            0 => Comm::default(),
            _ => comm_of(pid, end.duration_ns),
        };
        let (wcnt, rcnt) = self.lengths();
        let io = SlowIo {
            end_ns: now,
            wait_ns: end.duration_ns.wrapping_sub(end.service_ns),
            service_ns: end.service_ns,
            sector: target.sector,
            bytes: target.bytes,
            cgroup: target.cgroup,
            comm: *comm.as_array(),
            pid,
            device: self.identity.number,
            wcnt,
            rcnt,
            op: target.op,
            error: u8::try_from(target.error).unwrap_or(u8::MAX),
        };
        if kept.ring().keep(&io) {
            self.count_event(DiskEvent::SlowIosReplaced);
        }
        if !slow.is_new.swap(true, Relaxed) {
            upkeep::wake_soon();
        }
    }

    /// I/Os in its wait queue and in its run queue. I/Os that move meanwhile may be missing or be counted
    /// twice.
    fn lengths(&self) -> (u32, u32) {
        let root = self.root.gauge.lengths();
        // Each leaf that is not empty counts as one in the root.
        let add = |(wait, run): (u64, u64), leaf: &super::GaugeLine| {
            let leaf = leaf.0.lengths();
            let above = |sum: u64, length: u64| sum.saturating_add(length.saturating_sub(1));
            (above(wait, leaf.wait()), above(run, leaf.run()))
        };
        let (wait, run) = self.leaves.iter().fold((root.wait(), root.run()), add);
        let short = |length| u32::try_from(length).unwrap_or(u32::MAX);
        (short(wait), short(run))
    }

    /// The number of slow I/Os of a disk, including those that were replaced.
    pub(crate) fn slow_count(&self) -> u64 {
        self.slow.ring.get().map_or(0, KeptIos::count)
    }

    /// The newest slow I/O of a disk whose number is not above `most`, and its number, which counts from 1.
    pub(crate) fn newest_slow(&self, most: u64) -> Option<(u64, SlowIo)> {
        self.slow.ring.get()?.ring().newest(most)
    }

    /// Whether there was a slow I/O since the last call.
    pub(in crate::recorder) fn take_new_slow(&self) -> bool {
        self.slow.is_new.load(Relaxed) && self.slow.is_new.swap(false, Relaxed)
    }
}
