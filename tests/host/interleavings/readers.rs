// SPDX-License-Identifier: GPL-2.0

//! Readers of records while these are written, and what is left when all writers are done.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::{
    busy::{
        Gauge,
        Tree, //
    },
    class::{
        Class,
        Kind,
        Tag, //
    },
    record::{
        CpuRecord,
        Rare,
        WritingShared, //
    },
    snapshot::{
        collect,
        Snapshot, //
    },
    transition::{
        End,
        Transition, //
    },
    turns::Turns,
};
use loom::sync::{
    atomic::{
        AtomicU64,
        Ordering::Relaxed, //
    },
    Arc, //
};
use std::cell::Cell;

#[test]
fn a_successful_read_is_of_one_instant() {
    let seen = outcomes(2, || {
        let cpu = Arc::new(CpuRecord::default());
        let writer = spawn(&cpu, |cpu| {
            for now in [10, 20] {
                {
                    let record = cpu.write();
                    record.devstat.start_transaction();
                    record.waitq.enter(now);
                }
            }
        });
        let reader = spawn(&cpu, |cpu| {
            let (seq, record) = cpu.try_read()?;
            let starts = record.devstat.start_count;
            assert_eq!(seq, 2 * starts);
            assert_eq!(record.waitq.n_in, starts);
            assert_eq!(record.waitq.last, 10 * starts);
            assert_eq!(record.waitq.t_in, [0, 10, 30][starts as usize]);
            Some(starts)
        });
        writer.join().unwrap();
        reader.join().unwrap()
    });
    assert_eq!(seen, [None, Some(0), Some(1), Some(2)].into());
}

#[derive(Default)]
struct SharedRecord {
    turns: Turns,
    record: CpuRecord,
    rare: Rare,
}

#[test]
fn callers_write_the_shared_record_one_after_the_other() {
    let seen = outcomes(3, || {
        let shared = Arc::new(SharedRecord::default());
        let writers = [(); 2].map(|()| {
            spawn(&shared, |shared| {
                // As the module calls it: in an expression whose temporaries live until its end.
                let start = |record: &WritingShared<'_>| record.devstat.start_transaction();
                start(&shared.record.write_shared(&shared.turns, &shared.rare))
            })
        });
        writers.map(|writer| writer.join().unwrap());
        let (seq, record) = shared.record.try_read().expect("no thread writes");
        assert_eq!((seq, record.devstat.start_count), (4, 2));
    });
    assert_eq!(seen.len(), 1);
}

/// A clock that orders nothing but its own readings.
#[derive(Default)]
struct Clock(AtomicU64);

impl Clock {
    fn now(&self) -> u64 {
        self.0.fetch_add(1, Relaxed) + 1
    }
}

/// A disk of two CPUs.
#[derive(Default)]
struct Disk {
    cpus: [CpuRecord; 2],
    gauge: Gauge,
    clock: Clock,
}

impl Disk {
    fn record(&self, cpu: usize, transition: Transition) {
        let now = self.clock.now();
        let gauges = Tree {
            leaf: &self.gauge,
            root: None,
        };
        transition.apply(&self.cpus[cpu].write(), &gauges, now);
    }

    /// A snapshot, and whether it is exact: the number of times it read the clock says so.
    fn snapshot(&self) -> (Snapshot, bool) {
        let clock_reads = Cell::new(0);
        let snapshot = collect(
            || self.cpus.iter(),
            || {
                clock_reads.set(clock_reads.get() + 1);
                self.clock.now()
            },
        );
        (snapshot, clock_reads.get() % 2 == 0)
    }
}

/// A snapshot's starts and ends.
fn counts(snapshot: &Snapshot) -> [u64; 2] {
    let devstat = &snapshot.record.devstat;
    [devstat.start_count, devstat.end_count()]
}

#[test]
fn a_reader_sees_no_exit_without_its_entry_on_another_cpu() {
    let seen = outcomes(2, || {
        let disk = Arc::new(Disk::default());
        let io = spawn(&disk, |disk| {
            let now = disk.clock.now();
            {
                let record = disk.cpus[0].write();
                record.devstat.start_transaction();
                record.waitq.enter(now);
            }
            let now = disk.clock.now();
            {
                let record = disk.cpus[1].write();
                record.devstat.merge_transaction();
                record.waitq.exit(now);
            }
        });
        let reader = spawn(&disk, |disk| {
            let (snapshot, exact) = disk.snapshot();
            let record = &snapshot.record;
            assert_eq!(record.devstat.counts.merged, record.devstat.end_count());
            assert_eq!(record.waitq.len(), snapshot.in_flight());
            assert!(snapshot.in_flight() <= 1);
            // Less than nothing if the I/O has entered after the time of the snapshot; not more than it can be by now.
            assert!((snapshot.wlentime as i64) < disk.clock.now() as i64);
            (counts(&snapshot), exact)
        });
        io.join().unwrap();
        reader.join().unwrap()
    });
    for counts in [[0, 0], [1, 0], [1, 1]] {
        assert!(seen.contains(&(counts, true)));
    }
}

#[test]
fn a_reader_of_two_busy_cpus_sees_what_each_of_them_did_together() {
    let seen = outcomes(1, || {
        let disk = Arc::new(Disk::default());
        let io = |cpu: usize| {
            spawn(&disk, move |disk| {
                let record = disk.cpus[cpu].write();
                record.devstat.start_transaction();
                record.devstat.merge_transaction();
            })
        };
        let ios = [io(0), io(1)];
        let reader = spawn(&disk, |disk| {
            let (snapshot, exact) = disk.snapshot();
            let [started, ended] = counts(&snapshot);
            assert!(if exact {
                started == ended
            } else {
                started >= ended
            });
            assert_eq!(snapshot.record.devstat.counts.merged, ended);
            (ended, exact)
        });
        for io in ios {
            io.join().unwrap();
        }
        reader.join().unwrap()
    });
    for ended in 0..=2 {
        assert!(seen.contains(&(ended, true)));
    }
}

#[test]
fn two_cpus_with_one_gauge_leave_every_line_closed() {
    const END: End = End {
        kind: Kind::new(Class::Read, Tag::Simple),
        bytes: 512,
        duration_ns: 1,
        service_ns: 1,
    };
    let seen = outcomes(3, || {
        let disk = Arc::new(Disk::default());
        let io = |cpu: usize| {
            spawn(&disk, move |disk| {
                disk.record(cpu, Transition::StartWaitqEnter);
                disk.record(cpu, Transition::WaitqToRunq);
                disk.record(cpu, Transition::RunqExitEnd(END));
            })
        };
        for io in [io(0), io(1)] {
            io.join().unwrap();
        }
        let (snapshot, exact) = disk.snapshot();
        let record = &snapshot.record;
        assert!(exact);
        assert_eq!((record.waitq.n_in, record.runq.n_in), (2, 2));
        assert!(record.waitq.is_empty() && record.runq.is_empty());
        let lines = [&record.waitq_busy, &record.runq_busy, &record.both_busy];
        assert!(lines.iter().all(|line| line.is_empty()), "{lines:?}");
        lines.map(|line| line.n_in)
    });
    let expected = [[1, 1, 1], [1, 2, 1], [2, 1, 1], [2, 2, 0], [2, 2, 1]];
    assert_eq!(seen, expected.into());
}
