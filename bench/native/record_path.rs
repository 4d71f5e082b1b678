// SPDX-License-Identifier: GPL-2.0

//! What it costs to record an I/O, and to read what was recorded.
//!
//! Floor 0 beside the ways it might have been done, natively, with 1 and 2 CPUs at work on one
//! disk. An I/O is a start, an issue and a completion, each with a look at the clock, and nothing
//! between them: contention is as bad as it gets, and on one CPU what takes less time than the
//! clocks is hidden behind them. What user space lacks is turning interrupts off and on around
//! each step, which is the CPU's own business and the same for all.

#[path = "record_path/atomics.rs"]
mod atomics;
#[path = "record_path/clock.rs"]
mod clock;
#[path = "record_path/floor0.rs"]
mod floor0;
#[path = "record_path/kstat.rs"]
mod kstat;
#[path = "record_path/load.rs"]
mod load;
#[path = "record_path/mapped.rs"]
mod mapped;

use criterion::{
    criterion_group,
    criterion_main,
    measurement::WallTime,
    BenchmarkGroup,
    BenchmarkId,
    Criterion, //
};
use iostat::acct::{
    busy::{
        Gauge,
        Tree, //
    },
    record::CpuRecord,
    snapshot::collect,
    transition::Transition, //
};
use load::Account;
use std::{
    hint::black_box,
    thread::available_parallelism,
    time::{
        Duration,
        Instant, //
    },
};

fn record(criterion: &mut Criterion) {
    let cpus = available_parallelism().map_or(1, usize::from);
    for in_flight in [1, 32] {
        let mut group = criterion.benchmark_group(format!("record {in_flight}"));
        for threads in [1, 2].into_iter().filter(|threads| *threads <= cpus) {
            contender(&mut group, "clock alone", &clock::Alone, threads, in_flight);
            contender(
                &mut group,
                "iostat",
                &floor0::Disk::new(),
                threads,
                in_flight,
            );
            contender(
                &mut group,
                "iostat, no table",
                &floor0::Bare::new(),
                threads,
                in_flight,
            );
            contender(
                &mut group,
                "shared atomics",
                &atomics::Disk::default(),
                threads,
                in_flight,
            );
            contender(
                &mut group,
                "one spinlock",
                &kstat::Disk::default(),
                threads,
                in_flight,
            );
        }
    }
}

/// Times one I/O on one of `threads`, each of which has so many `in_flight`.
fn contender(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    account: &impl Account,
    threads: usize,
    in_flight: usize,
) {
    group.bench_function(BenchmarkId::new(name, threads), |bencher| {
        bencher.iter_custom(|ios| load::time(account, threads, in_flight, ios))
    });
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    for cpus in [2, 8, 64] {
        let records: Vec<CpuRecord> = (0..cpus).map(|_| CpuRecord::default()).collect();
        let gauge = Gauge::default();
        let tree = Tree {
            leaf: &gauge,
            root: None,
        };
        // A record that was never written is passed over.
        for record in &records {
            Transition::StartRunqEnter.apply(&record.write(), &tree, 1000);
        }
        group.bench_function(BenchmarkId::new("iostat", cpus), |bencher| {
            bencher.iter(|| collect(|| records.iter(), clock::now))
        });
        let twin = mapped::Twin::new(cpus);
        let mut block = twin.block();
        group.bench_function(BenchmarkId::new("mapped", cpus), |bencher| {
            bencher.iter(|| block.snapshot_by(clock::now))
        });
        // Each CPU has recorded something since the last read.
        group.bench_function(BenchmarkId::new("mapped, changed", cpus), |bencher| {
            bencher.iter_custom(|reads| {
                let time = |_| {
                    twin.record();
                    let start = Instant::now();
                    black_box(block.snapshot_by(clock::now));
                    start.elapsed()
                };
                (0..reads).map(time).sum()
            })
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .without_plots();
    targets = record, read
}
criterion_main!(benches);
