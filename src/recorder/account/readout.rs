// SPDX-License-Identifier: GPL-2.0

//! How readers read an account.

use super::Account;
use crate::{
    acct::{
        class::{
            Class,
            CLASSES, //
        },
        histogram::{
            Histogram,
            Phase, //
        },
        record::DiskSummand,
        size::ClassSizes,
        snapshot::{
            collect_histogram,
            collect_sizes,
            Seen,
            Snapshot, //
        }, //
    },
    glue::{
        clock,
        records::Records, //
    }, //
};
use core::sync::atomic::Ordering::Acquire;
use kernel::{
    alloc::KVec,
    sync::Arc, //
};

/// The state that the readers of an account share.
#[derive(Default)]
pub(super) struct Readout {
    /// Values of the latest snapshot: those of the next must not be less.
    pub(super) seen: Seen,
    /// In the account of a disk, the records of partitions, which are read with its own.
    pub(super) partitions: KVec<Arc<Records>>,
}

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
        let mut readout = self.readout.lock();
        let own = || self.records.cpu_records();
        if readout.partitions.is_empty() {
            snapshot.take(own, clock::now_ns);
        } else {
            let partitions = || {
                let partitions = readout.partitions.iter();
                partitions.flat_map(|partition| partition.cpu_records())
            };
            let all = || {
                own()
                    .map(DiskSummand::own)
                    .chain(partitions().map(DiskSummand::of_partition))
            };
            snapshot.take(all, clock::now_ns);
        }
        snapshot.settle(&readout.seen);
        readout.seen = snapshot.seen();
    }

    /// For each class, whether any transaction of it has a time. May sleep.
    pub(crate) fn classes_with_times(&self) -> [bool; CLASSES] {
        let mut found = [false; CLASSES];
        let mut look = |records: &Records| {
            // One walk for all classes: with many CPUs, walking is most of the work.
            for part in records.iter() {
                for (found, class) in found.iter_mut().zip(Class::ALL) {
                    *found = *found || !part.is_empty_histogram(class, Phase::Total);
                }
            }
        };
        look(&self.records);
        if self.may_have_partitions() {
            let readout = self.readout.lock();
            readout.partitions.iter().for_each(|records| look(records));
        }
        found
    }

    /// The histogram of one class and phase. May sleep.
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
        if !self.may_have_partitions() {
            return collect_histogram(self.records.iter(), class, phase, histogram);
        }
        let readout = self.readout.lock();
        let partitions = readout.partitions.iter();
        let of_partitions = partitions.flat_map(|partition| partition.iter());
        let all = self.records.iter().chain(of_partitions);
        collect_histogram(all, class, phase, histogram);
    }

    /// The sizes of the transactions of each class. May sleep.
    pub(crate) fn sizes(&self) -> ClassSizes {
        if !self.may_have_partitions() {
            return collect_sizes(self.records.iter());
        }
        let readout = self.readout.lock();
        let partitions = readout.partitions.iter();
        let of_partitions = partitions.flat_map(|partition| partition.iter());
        collect_sizes(self.records.iter().chain(of_partitions))
    }

    /// Whether `records`, which an entry remembers, are the account's own or those of one of its partitions.
    /// May sleep.
    pub(in crate::recorder) fn has_records(&self, records: u64) -> bool {
        if self.records.places() == records {
            return true;
        }
        if !self.may_have_partitions() {
            return false;
        }
        let readout = self.readout.lock();
        let mut partitions = readout.partitions.iter();
        partitions.any(|partition| partition.places() == records)
    }

    /// Whether its partitions have to be read. Most accounts have none, and need no lock to find that out.
    fn may_have_partitions(&self) -> bool {
        // Acquire: pairs with the release in `join_disk`.
        self.has_had_partitions.load(Acquire)
    }
}
