// SPDX-License-Identifier: GPL-2.0

//! A snapshot of an account with its histograms.

use super::Account;
use crate::{
    acct::{
        class::Class,
        histogram::{
            Histogram,
            Phase, //
        },
        size::SizeCounts,
        snapshot::{
            DiskPart,
            HistogramSet,
            HistogramSums,
            Snapshot, //
        },
    },
    glue::clock,
    kernel_ext::zeroed::zeroed_vec_charged, //
};
use kernel::{
    alloc::KVVec,
    error::Result, //
};

/// Room for a snapshot with histograms: they are too large for a stack.
pub(crate) struct HistogramRoom {
    snapshot: Snapshot,
    wanted: HistogramSet,
    /// Two elements: the sums, and the histograms of one CPU.
    sums: KVVec<HistogramSums>,
}

impl HistogramRoom {
    /// Allocates room for these histograms. May sleep; `ENOMEM`.
    pub(crate) fn new(wanted: HistogramSet) -> Result<Self> {
        Ok(HistogramRoom {
            snapshot: Snapshot::default(),
            wanted,
            sums: zeroed_vec_charged(2)?,
        })
    }

    /// The sizes of transactions by bucket: of the wanted classes, unless there were none.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (Class, &SizeCounts)> {
        let sums = self.sums.first().into_iter();
        sums.flat_map(|sums| sums.sizes_of(self.wanted))
            .filter(|(_, counts)| counts.iter().any(|count| *count != 0))
    }

    /// The wanted histograms of times that are not empty.
    pub(crate) fn histograms(&self) -> impl Iterator<Item = (Class, Phase, &Histogram<u64>)> {
        let sums = self.sums.first().into_iter();
        sums.flat_map(|sums| sums.of(self.wanted))
            .filter(|(.., histogram)| !histogram.used().is_empty())
    }
}

impl Account {
    /// Replaces the content of `room` by all counters and the wanted histograms at one instant; for a disk, those of
    /// its partitions are included. For callers that have called [`clock::check`]. May sleep, until other readers of
    /// the same disk are done.
    pub(crate) fn next_snapshot_with_histograms<'a>(
        &self,
        room: &'a mut HistogramRoom,
    ) -> &'a Snapshot {
        let (snapshot, wanted) = (&mut room.snapshot, room.wanted);
        if let [sums, copies] = &mut *room.sums {
            let mut readout = self.readout.lock();
            let parts = || {
                let partitions = readout.partitions.iter();
                let of_partitions = partitions.flat_map(|partition| partition.iter());
                let own = self.records.iter().map(DiskPart::own);
                own.chain(of_partitions.map(DiskPart::of_partition))
            };
            snapshot.take_with_histograms(parts, clock::now_ns, wanted, sums, copies);
            snapshot.settle(&readout.seen);
            readout.seen = snapshot.seen();
        }
        snapshot
    }
}
