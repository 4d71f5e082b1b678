// SPDX-License-Identifier: GPL-2.0

//! The record that CPUs share, and a CPU that is given a record of its own while it is read.

use super::{
    outcomes,
    spawn, //
};
use iostat::{
    abi::map::Present,
    acct::{
        record::CpuRecord,
        snapshot::{
            collect,
            Snapshot, //
        },
        turns::Turns, //
    },
};
use loom::sync::{
    atomic::{
        AtomicU64,
        Ordering::Relaxed, //
    },
    Arc, //
};
use std::cell::Cell;

/// A disk with the record that CPUs share, and one of a CPU.
#[derive(Default)]
struct Disk {
    records: [CpuRecord; 2],
    present: Present,
    turns: Turns,
    clock: AtomicU64,
}

impl Disk {
    fn new() -> Arc<Self> {
        let disk = Disk::default();
        disk.present.set(0);
        Arc::new(disk)
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Relaxed) + 1
    }

    /// A snapshot of the records that are there, and whether it is exact.
    fn snapshot(&self) -> (Snapshot, bool) {
        let clock_reads = Cell::new(0);
        let records = || {
            self.present
                .iter(self.records.len())
                .map(|index| &self.records[index])
        };
        let snapshot = collect(records, || {
            clock_reads.set(clock_reads.get() + 1);
            self.now()
        });
        (snapshot, clock_reads.get() % 2 == 0)
    }
}

fn counts(snapshot: &Snapshot) -> [u64; 2] {
    let devstat = &snapshot.record.devstat;
    [devstat.start_count, devstat.end_count()]
}

#[test]
fn what_is_recorded_in_a_new_record_is_never_read_without_what_was_before() {
    let seen = outcomes(2, || {
        let disk = Disk::new();
        let cpu = spawn(&disk, |disk| {
            {
                let _turn = disk.turns.take();
                let record = disk.records[0].write();
                record.devstat.start_transaction();
                record.waitq.enter(disk.now());
            }
            // Interrupts are off on this CPU: it records nothing meanwhile.
            disk.present.set(1);
            let record = disk.records[1].write();
            record.devstat.merge_transaction();
            record.waitq.exit(disk.now());
        });
        let reader = spawn(&disk, |disk| {
            let (snapshot, exact) = disk.snapshot();
            assert!(snapshot.in_flight() <= 1);
            assert_eq!(snapshot.record.waitq.len(), snapshot.in_flight());
            (counts(&snapshot), exact)
        });
        cpu.join().unwrap();
        assert_eq!(counts(&disk.snapshot().0), [1, 1]);
        reader.join().unwrap()
    });
    for counts in [[0, 0], [1, 0], [1, 1]] {
        assert!(seen.contains(&(counts, true)));
    }
}
