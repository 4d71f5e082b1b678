// SPDX-License-Identifier: GPL-2.0

//! The steps of a transaction, and what each adds to a record.

use super::{
    busy::{
        Gauge,
        QueueMove,
        Tree, //
    },
    class::Kind,
    histogram::is_rare,
    record::RecordWrite,
};

/// The values of a transaction at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Its class and tag type, fixed at the start.
    pub kind: Kind,
    /// Bytes transferred without error.
    pub bytes: u64,
    /// Time from start to end, ns.
    pub duration_ns: u64,
    /// The part of that time at the device, ns.
    pub service_ns: u64,
}

impl End {
    #[inline(always)]
    fn count(&self, record: &impl RecordWrite) {
        record
            .devstat
            .end_transaction(self.kind, self.bytes, self.duration_ns, self.service_ns);
        record.record_size(self.kind.class(), self.bytes);
        record.record_times(self.kind.class(), self.duration_ns, self.service_ns);
    }
}

/// One step of one I/O, named as kstat(9F) names its queue functions.
///
/// Six of them are kstat's; `start` and `end` say which of them are also a transaction's first and
/// last step in devstat's sense. A request that is not a transaction (the flush machinery's own, or
/// one that was in flight when recording began) passes through a queue uncounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A transaction starts and waits.
    StartWaitqEnter,
    /// The submitter of a later transaction waits for a tag. (`block_rq_tag_wait`)
    WaitqEnter,
    /// A transaction starts that is in the wait queue already.
    StartInWaitq,
    /// Before its start, the submitter of a transaction of a partition, which is in the wait queue, was in the wait
    /// queue of the disk for this time, ns.
    WaitedBefore(u64),
    /// A transaction starts at the device at once: bio-based devices have no wait queue.
    StartRunqEnter,
    /// A request that is not a transaction is issued.
    RunqEnter,
    /// The I/O is issued to the device.
    WaitqToRunq,
    /// The device gives the I/O back.
    RunqBackToWaitq,
    /// The transaction ends without having been issued.
    WaitqExitEnd(End),
    /// The transaction ends at the device.
    RunqExitEnd(End),
    /// The transaction was merged into another request.
    WaitqExitMerge,
    /// The device was busy, and the transaction is submitted again as another.
    WaitqExitRefuse,
    /// The transaction was in the wait queue, and its end was not reported.
    WaitqExitAbandon,
    /// The transaction was in the run queue, and its end was not reported.
    RunqExitAbandon,
    /// A request or submitter that is not a transaction leaves the wait queue.
    WaitqExit,
    /// A request that is not a transaction leaves the run queue.
    RunqExit,
}

impl Transition {
    /// Whether it is the end of a transaction of a rare class, whose times are in the record that
    /// CPUs share.
    #[inline(always)]
    pub fn is_rare(&self) -> bool {
        match self {
            Transition::WaitqExitEnd(end) | Transition::RunqExitEnd(end) => {
                is_rare(end.kind.class())
            }
            _ => false,
        }
    }

    /// Records the step. `record` is the calling CPU's own; `gauges` are the gauges of the disk
    /// that the I/O changes.
    #[inline(always)]
    pub fn apply(self, record: &impl RecordWrite, gauges: &Tree<'_>, now: u64) {
        if let Some(step) = self.count(record, now) {
            gauges.step(
                step,
                #[inline(always)]
                |line, edge| record.note(line, edge, now),
            );
        }
    }

    /// Records the step in a partition, whose gauges these are; `disk` is the root of its disk.
    #[inline(always)]
    pub fn apply_in_partition(
        self,
        record: &impl RecordWrite,
        gauges: &Tree<'_>,
        disk: &Gauge,
        now: u64,
    ) {
        if let Some(step) = self.count(record, now) {
            record.note_in_partition(gauges.edges_of(step), disk, now);
        }
    }

    /// Records all of the step but the edges. Returns the step that the gauges are to take, if
    /// there is one.
    #[inline(always)]
    fn count(self, record: &impl RecordWrite, now: u64) -> Option<QueueMove> {
        Some(match self {
            Transition::StartWaitqEnter => {
                record.devstat.start_transaction();
                record.waitq.enter(now);
                QueueMove::WaitqEnter
            }
            Transition::WaitqEnter => {
                record.waitq.enter(now);
                QueueMove::WaitqEnter
            }
            Transition::StartInWaitq => {
                record.devstat.start_transaction();
                return None;
            }
            Transition::WaitedBefore(ns) => {
                record.waited_before(ns);
                return None;
            }
            Transition::StartRunqEnter => {
                record.devstat.start_transaction();
                record.runq.enter(now);
                QueueMove::RunqEnter
            }
            Transition::RunqEnter => {
                record.runq.enter(now);
                QueueMove::RunqEnter
            }
            Transition::WaitqToRunq => {
                record.waitq.exit(now);
                record.runq.enter(now);
                QueueMove::WaitqToRunq
            }
            Transition::RunqBackToWaitq => {
                record.runq.exit(now);
                record.waitq.enter(now);
                QueueMove::RunqBackToWaitq
            }
            Transition::WaitqExitEnd(end) => {
                record.waitq.exit(now);
                end.count(record);
                QueueMove::WaitqExit
            }
            Transition::RunqExitEnd(end) => {
                record.runq.exit(now);
                end.count(record);
                QueueMove::RunqExit
            }
            Transition::WaitqExitMerge => {
                record.waitq.exit(now);
                record.devstat.merge_transaction();
                QueueMove::WaitqExit
            }
            Transition::WaitqExitRefuse => {
                record.waitq.exit(now);
                record.devstat.refuse_transaction();
                QueueMove::WaitqExit
            }
            Transition::WaitqExitAbandon => {
                record.waitq.exit(now);
                record.devstat.abandon_transaction();
                QueueMove::WaitqExit
            }
            Transition::RunqExitAbandon => {
                record.runq.exit(now);
                record.devstat.abandon_transaction();
                QueueMove::RunqExit
            }
            Transition::WaitqExit => {
                record.waitq.exit(now);
                QueueMove::WaitqExit
            }
            Transition::RunqExit => {
                record.runq.exit(now);
                QueueMove::RunqExit
            }
        })
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_transition))]
mod tests {
    use super::{
        super::class::{
            Class,
            Tag, //
        },
        *, //
    };

    #[test]
    fn only_ends_of_rare_classes_are_rare() {
        assert!(!Transition::StartRunqEnter.is_rare() && !Transition::RunqExit.is_rare());
        for class in Class::ALL {
            let end = End {
                kind: Kind::new(class, Tag::Simple),
                bytes: 0,
                duration_ns: 0,
                service_ns: 0,
            };
            let expected = matches!(class, Class::NoData | Class::Free);
            assert_eq!(Transition::RunqExitEnd(end).is_rare(), expected);
            assert_eq!(Transition::WaitqExitEnd(end).is_rare(), expected);
        }
    }
}
