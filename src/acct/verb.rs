// SPDX-License-Identifier: GPL-2.0

//! The steps of a transaction, and what each adds to a record.

use super::{
    busy::{
        Edges,
        Gauge, //
    },
    class::{
        Class,
        Tag, //
    },
    record::Record,
};

/// What a transaction amounts to when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Its class, fixed at the start.
    pub class: Class,
    /// Its tag type, fixed at the start.
    pub tag: Tag,
    /// Bytes transferred without error.
    pub bytes: u64,
    /// Time from start to end, ns.
    pub duration_ns: u64,
}

/// One step of one I/O, named as kstat(9F) names its queue functions.
///
/// Six of them are kstat's; `start` and `end` say which of them are also a transaction's first
/// and last step in devstat's sense. What is not (a flush machinery's own request, an I/O
/// that was already on its way when recording began) passes through a queue uncounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A transaction starts and waits.
    StartWaitqEnter,
    /// A transaction starts at the device at once: bio-based devices have no wait queue.
    StartRunqEnter,
    /// Something that is no transaction is issued.
    RunqEnter,
    /// The device got it.
    WaitqToRunq,
    /// The device gave it back.
    RunqBackToWaitq,
    /// It ends without having been issued.
    WaitqExitEnd(End),
    /// It ends at the device.
    RunqExitEnd(End),
    /// It was merged into another request.
    WaitqExitMerge,
    /// Something that is no transaction is done, from the wait queue.
    WaitqExit,
    /// Something that is no transaction is done, from the run queue.
    RunqExit,
}

impl Verb {
    /// Records the step: `record` is the calling CPU's own, `gauge` the disk's.
    #[inline(always)]
    pub fn apply(self, record: &Record, gauge: &Gauge, now: u64) {
        let edges: Edges = match self {
            Verb::StartWaitqEnter => {
                record.devstat.start_transaction();
                record.waitq.enter(now);
                gauge.waitq_enter()
            }
            Verb::StartRunqEnter => {
                record.devstat.start_transaction();
                record.runq.enter(now);
                gauge.runq_enter()
            }
            Verb::RunqEnter => {
                record.runq.enter(now);
                gauge.runq_enter()
            }
            Verb::WaitqToRunq => {
                record.waitq.exit(now);
                record.runq.enter(now);
                gauge.waitq_to_runq()
            }
            Verb::RunqBackToWaitq => {
                record.runq.exit(now);
                record.waitq.enter(now);
                gauge.runq_back_to_waitq()
            }
            Verb::WaitqExitEnd(end) => {
                record.waitq.exit(now);
                record
                    .devstat
                    .end_transaction(end.class, end.tag, end.bytes, end.duration_ns);
                gauge.waitq_exit()
            }
            Verb::RunqExitEnd(end) => {
                record.runq.exit(now);
                record
                    .devstat
                    .end_transaction(end.class, end.tag, end.bytes, end.duration_ns);
                gauge.runq_exit()
            }
            Verb::WaitqExitMerge => {
                record.waitq.exit(now);
                record.devstat.merge_transaction();
                gauge.waitq_exit()
            }
            Verb::WaitqExit => {
                record.waitq.exit(now);
                gauge.waitq_exit()
            }
            Verb::RunqExit => {
                record.runq.exit(now);
                gauge.runq_exit()
            }
        };
        edges.waitq.note(&record.waitq_busy, now);
        edges.runq.note(&record.runq_busy, now);
        edges.any.note(&record.busy, now);
    }
}
