// SPDX-License-Identifier: GPL-2.0

//! All counts equal the model's after every event of every life.

use super::{
    config,
    machine::Machine,
    model::{
        Counts,
        Event,
        Line, //
    },
    play::{
        play,
        running_clock,
        watch,
        wrapping_clock,
        Stage, //
    },
};
use iostat::{
    abi::{
        binary::histograms::DeviceLatency,
        identity::Identity,
        latency,
        name::Name, //
    },
    acct::{
        class::{
            Class,
            Tag, //
        },
        histogram::{
            Histogram,
            Phase,
            BOUNDS_NS,
            BUCKETS, //
        },
        size::{
            least_bytes,
            SIZES, //
        },
        snapshot::{
            collect_histogram,
            collect_sizes, //
        },
    }, //
};
use proptest::prelude::*;

/// Compares both texts of a histogram with the times that it is made of, in their order.
fn has_the_text(histogram: &Histogram<u64>, class: Class, phase: Phase, times: &[u64]) {
    let (mut numbers, mut line) = (String::new(), String::new());
    latency::histogram(&mut numbers, histogram).unwrap();
    let shortest = times.first().copied().unwrap_or(0);
    let longest = times.last().copied().unwrap_or(0);
    let (mut counts, mut buckets) = (String::new(), String::new());
    for bucket in 0..BUCKETS {
        let (below, bound) = (bucket.checked_sub(1), BOUNDS_NS.get(bucket));
        let is_here = |time: &&u64| {
            below.is_none_or(|below| **time > BOUNDS_NS[below])
                && bound.is_none_or(|bound| *time <= bound)
        };
        let count = times.iter().filter(is_here).count();
        counts += &format!(" {count}");
        let bound = bound.map_or("+Inf".to_string(), u64::to_string);
        if count != 0 {
            buckets += &format!(" {bound}:{count}");
        }
    }
    let count = times.len();
    assert_eq!(numbers, format!("{count} {shortest} {longest}{counts}"));
    let disk = Identity {
        name: Name::new(b"disk"),
        number: 7,
        ..Identity::default()
    };
    latency::line(&mut line, &disk, class, phase, histogram).unwrap();
    let (class, phase) = (class.name(), phase.name());
    let expected = format!("disk 7 {class} {phase} {count} {shortest} {longest}{buckets}\n");
    assert_eq!(line, if count == 0 { "" } else { &expected });
}

#[test]
fn the_heads_of_histograms_have_all_bounds_and_columns() {
    let (mut bounds, mut head) = (String::new(), String::new());
    latency::bounds(&mut bounds).unwrap();
    let expected: Vec<_> = BOUNDS_NS.iter().map(u64::to_string).collect();
    assert_eq!(bounds, expected.join(" "));
    latency::header(&mut head).unwrap();
    let columns = "device number class phase count min_ns max_ns le_ns:count";
    assert_eq!(head, format!("\nlatency\n{columns}\n"));
}

#[test]
fn reads_and_writes_take_the_fast_path_from_their_second_time_on() {
    let mut machine = Machine::new(1, 2, 2, 1);
    for (turn, class) in (1..).zip([Class::Read, Class::Write].repeat(3)) {
        for event in [
            Event::Accept(class, Tag::Simple),
            Event::Issue,
            Event::Done(512),
        ] {
            machine.hear(0, 1, 0x1000, event, turn);
        }
        assert_eq!(machine.fast, 3 * u64::saturating_sub(turn, 1));
    }
    machine.forget(0);
    machine.hear(0, 1, 0x1000, Event::Accept(Class::Read, Tag::Simple), 9);
    assert_eq!(machine.fast, 15);
}

#[test]
fn ios_of_a_partition_take_the_fast_path_in_its_disk_as_well() {
    let mut machine = Machine::with_partitions(2, 1, 1, 1);
    for (turn, place) in (1..).zip([0, 0, 0, 1, 1]) {
        for (event, now) in [
            (Event::Accept(Class::Write, Tag::Simple), turn * 10),
            (Event::Issue, turn * 10 + 1),
            (Event::Done(512), turn * 10 + 3),
        ] {
            machine.hear(place, 0, 0x1000, event, now);
        }
    }
    // The first of each partition is not known by its block device.
    assert_eq!(machine.fast, 9);
    let whole = machine.snapshot_of_whole(100).expect("there is a disk");
    assert_eq!(whole.record.devstat.bytes, [0, 0, 5 * 512, 0]);
    assert_eq!((whole.wtime, whole.rtime, whole.in_flight()), (5, 10, 0));
    assert_eq!(machine.disks[0].snapshot(100).rtime, 6);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_disk_of_one_partition_has_what_that_has(play in play(wrapping_clock())) {
        watch(play, |stage| {
            if let Some(whole) = stage.machine.snapshot_of_whole(stage.clock()) {
                assert_eq!(whole, stage.snapshot());
            }
        });
    }

    #[test]
    fn every_transaction_is_counted_once_with_its_bytes_and_its_time(
        play in play(wrapping_clock())
    ) {
        watch(play, |stage| {
            assert_eq!(Counts::from(&stage.snapshot()), stage.model.counts());
        });
    }

    #[test]
    fn every_area_equals_the_brute_force_integral(play in play(wrapping_clock())) {
        watch(play, |stage| {
            let (snapshot, model) = (stage.snapshot(), &stage.model);
            assert_eq!(snapshot.wlentime, model.lentime(Line::Wait, stage.now));
            assert_eq!(snapshot.rlentime, model.lentime(Line::Run, stage.now));
        });
    }

    #[test]
    fn busy_times_are_the_unions_of_all_stays(play in play(wrapping_clock())) {
        watch(play, |stage| {
            let (snapshot, model) = (stage.snapshot(), &stage.model);
            assert_eq!(snapshot.wtime, model.busy(&[Line::Wait], stage.now));
            assert_eq!(snapshot.rtime, model.busy(&[Line::Run], stage.now));
            assert_eq!(snapshot.busy_time, model.busy(&[Line::Wait, Line::Run], stage.now));
        });
    }

    #[test]
    fn queue_lengths_are_those_of_the_instant(play in play(wrapping_clock())) {
        watch(play, |stage| {
            let (snapshot, model) = (stage.snapshot(), &stage.model);
            let record = &snapshot.record;
            assert_eq!(record.waitq.len(), model.len(Line::Wait));
            assert_eq!(record.runq.len(), model.len(Line::Run));
            assert_eq!(record.waitq_busy.len(), model.len(Line::Wait).min(1));
            assert_eq!(record.runq_busy.len(), model.len(Line::Run).min(1));
            let both = model.len(Line::Wait).min(model.len(Line::Run)).min(1);
            assert_eq!(record.both_busy.len(), both);
            assert_eq!(snapshot.in_flight(), model.in_flight());
        });
    }

    #[test]
    fn what_ended_was_completed_or_merged_or_refused_or_abandoned(play in play(wrapping_clock())) {
        watch(play, |stage| {
            let snapshot = stage.snapshot();
            let devstat = &snapshot.record.devstat;
            let counts = Counts::from(&snapshot);
            let operations: u64 = counts.operations.iter().sum();
            let others = devstat.counts.merged + devstat.counts.refused + devstat.counts.abandoned;
            assert_eq!(counts.end_count, operations + others);
            assert_eq!(counts.tag_types.iter().sum::<u64>(), operations);
            assert_eq!(snapshot.in_flight(), counts.start_count - counts.end_count);
        });
    }

    #[test]
    fn last_update_is_now_while_a_queue_is_open_and_its_last_change_after(
        play in play(running_clock())
    ) {
        watch(play, |stage| {
            let snapshot = stage.snapshot();
            let expected = |line| match (stage.model.len(line), stage.model.changed(line)) {
                (0, None) => 0,
                (0, Some(time)) => stage.clock() - stage.now + time,
                _ => stage.clock(),
            };
            assert_eq!(snapshot.now, stage.clock());
            assert_eq!(snapshot.wlastupdate(), expected(Line::Wait));
            assert_eq!(snapshot.rlastupdate(), expected(Line::Run));
        });
    }

    #[test]
    fn every_time_is_in_its_bucket(play in play(wrapping_clock())) {
        watch(play, |stage| {
            for (class, phase) in Class::ALL.into_iter().flat_map(|c| Phase::ALL.map(|p| (c, p))) {
                let mut times = stage.model.times(class, phase);
                times.sort_unstable();
                let mut counts = [0; BUCKETS];
                for time in &times {
                    let above = BOUNDS_NS.iter().filter(|bound| time > bound).count();
                    counts[above] += 1;
                }
                let disk = &stage.machine.disks[0];
                let mut seen = Histogram::default();
                collect_histogram(disk.parts(), class, phase, &mut seen);
                assert_eq!(seen.counts, counts);
                assert_eq!(seen.count(), times.len() as u64);
                assert_eq!(seen.min(), times.first().copied().unwrap_or(0));
                assert_eq!(seen.max(), times.last().copied().unwrap_or(0));
            }
        });
    }

    #[test]
    fn every_size_is_in_its_bucket(play in play(wrapping_clock())) {
        watch(play, |stage| {
            for class in [Class::Read, Class::Write, Class::Free] {
                let mut counts = [0; SIZES];
                for bytes in stage.model.sizes(class) {
                    let bucket = (0..SIZES).rev().find(|bucket| least_bytes(*bucket) <= bytes);
                    counts[bucket.unwrap()] += 1;
                }
                assert_eq!(collect_sizes(stage.machine.disks[0].parts())[class as usize], counts);
            }
        });
    }

    #[test]
    fn histograms_are_written_as_they_are(play in play(wrapping_clock())) {
        let mut stage = Stage::new(play);
        while stage.step() {}
        for (class, phase) in Class::ALL.into_iter().flat_map(|c| Phase::ALL.map(|p| (c, p))) {
            let mut times = stage.model.times(class, phase);
            times.sort_unstable();
            let mut histogram = Histogram::default();
            collect_histogram(stage.machine.disks[0].parts(), class, phase, &mut histogram);
            has_the_text(&histogram, class, phase, &times);
            let first = histogram.counts.iter().position(|count| *count != 0);
            let last = histogram.counts.iter().rposition(|count| *count != 0);
            let expected = DeviceLatency {
                number: 7,
                class: class as u32,
                phase: phase as u32,
                first_bucket: first.unwrap_or(0) as u32,
                buckets: last.map_or(0, |last| last + 1 - first.unwrap()) as u32,
                first_count: 44,
                min: histogram.min(),
                max: histogram.max(),
            };
            assert_eq!(DeviceLatency::new(7, (class, phase), &histogram, 44), expected);
        }
    }
}
