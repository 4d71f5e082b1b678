// SPDX-License-Identifier: GPL-2.0

//! What readers take from an account.

use super::Account;
use crate::{
    acct::{
        class::Class,
        histogram::{
            Histogram,
            Phase, //
        },
        record::RecordPart,
        snapshot::{
            collect_histogram,
            Snapshot, //
        },
    },
    kernel_ext::clock,
};

impl Account {
    /// All counters at one instant. May sleep, until other readers of the same disk are done.
    pub(crate) fn snapshot(&self) -> Snapshot {
        clock::check();
        let mut snapshot = Snapshot::default();
        self.next_snapshot(&mut snapshot);
        snapshot
    }

    /// Replaces `snapshot` with the next one. For callers that read many, and have called [`clock::check`].
    pub(crate) fn next_snapshot(&self, snapshot: &mut Snapshot) {
        let mut last = self.last.lock();
        let records = || self.records.iter().map(|part| part.record);
        snapshot.take(records, clock::now_ns);
        snapshot.settle(&last);
        *last = snapshot.seen();
    }

    /// Whether any transaction of a class has completed.
    pub(crate) fn has_times(&self, class: Class) -> bool {
        let is_empty = |part: RecordPart<'_>| part.is_empty_histogram(class, Phase::Total);
        !self.records.iter().all(is_empty)
    }

    /// How the times of one class and phase are distributed. Never sleeps.
    pub(crate) fn histogram(&self, class: Class, phase: Phase) -> Histogram<u64> {
        let mut histogram = Histogram::default();
        self.next_histogram(class, phase, &mut histogram);
        histogram
    }

    /// Replaces `histogram` with the current one. For callers that read many.
    pub(crate) fn next_histogram(
        &self,
        class: Class,
        phase: Phase,
        histogram: &mut Histogram<u64>,
    ) {
        collect_histogram(self.records.iter(), class, phase, histogram);
    }
}
