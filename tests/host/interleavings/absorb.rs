// SPDX-License-Identifier: GPL-2.0

//! A disk absorbs a partition that has left, while its memory is read as programs read it that have mapped it.

use super::{
    outcomes,
    spawn, //
};
use iostat::{
    abi::map::PartitionChanges,
    acct::{
        absorb::PartitionSum,
        record::{
            CpuRecord,
            DiskSummand, //
            Rare,
            RecordPart,
        },
        snapshot::collect,
        turns::Turns, //
    },
};
use loom::sync::{
    atomic::{
        fence,
        AtomicBool,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
    Arc, //
};

/// A disk and its only partition, in which one transaction has started.
#[derive(Default)]
struct Disk {
    record: CpuRecord,
    turns: Turns,
    rare: Rare,
    partition: CpuRecord,
    partition_rare: Rare,
    changes: PartitionChanges,
    is_listed: AtomicBool,
}

impl Disk {
    fn new() -> Arc<Self> {
        let disk = Disk::default();
        disk.changes.arrives();
        disk.is_listed.store(true, Relaxed);
        disk.partition.write().devstat.start_transaction();
        Arc::new(disk)
    }

    /// The partition leaves. As in `registry.rs` and `records.rs`, but that no probe has to be waited for.
    fn remove(&self) {
        self.changes.leaves();
        // The list is under a mutex.
        self.is_listed.store(false, Release);
        let mut sum = PartitionSum::default();
        sum.take(|| {
            std::iter::once(RecordPart {
                record: &self.partition,
                bases: None,
                rare: Some((&self.partition_rare, None)),
            })
        });
        self.changes.begins_to_absorb();
        let remains = sum.add_to(&self.record.write_shared(&self.turns, &self.rare));
        assert!(!remains);
        self.changes.has_absorbed();
    }

    /// Whether the partition counts, and since which change; [`None`] if its memory is missing.
    fn partitions(&self) -> Option<(bool, u64)> {
        let before = self.changes.get();
        if before as u32 != 0 {
            return None;
        }
        let is_listed = self.is_listed.load(Acquire);
        (self.changes.get() == before).then_some((is_listed, before >> 32))
    }

    /// Transactions that have started, as read by one who knows of the partition since then; [`None`] if that has changed.
    fn starts(&self, with_partition: bool, since: u64) -> Option<u64> {
        if self.changes.get() >> 32 != since {
            return None;
        }
        let partition = with_partition.then_some(DiskSummand::of_partition(&self.partition));
        let own = || std::iter::once(DiskSummand::own(&self.record));
        let snapshot = collect(|| own().chain(partition), || 0);
        fence(Acquire);
        (self.changes.get() >> 32 == since).then_some(snapshot.record.devstat.start_count)
    }
}

#[test]
fn a_reader_that_has_the_partition_mapped_finds_its_counts_once() {
    let seen = outcomes(1, || {
        let disk = Disk::new();
        let remover = spawn(&disk, Disk::remove);
        let reader = spawn(&disk, |disk| disk.starts(true, 1));
        remover.join().unwrap();
        assert_eq!(disk.starts(false, 2), Some(1));
        reader.join().unwrap()
    });
    assert_eq!(seen, [None, Some(1)].into());
}

#[test]
fn a_reader_that_maps_what_is_listed_finds_its_counts_once_or_knows_that_they_are_missing() {
    let seen = outcomes(1, || {
        let disk = Disk::new();
        let remover = spawn(&disk, Disk::remove);
        let reader = spawn(&disk, |disk| {
            let (is_listed, since) = disk.partitions()?;
            Some((is_listed, disk.starts(is_listed, since)?))
        });
        remover.join().unwrap();
        reader.join().unwrap()
    });
    assert_eq!(seen, [None, Some((false, 1)), Some((true, 1))].into());
}
