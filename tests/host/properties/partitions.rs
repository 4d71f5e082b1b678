// SPDX-License-Identifier: GPL-2.0

//! A disk with partitions, whose records are added up: it has what a model has that knows of no partitions.

use super::{
    config,
    machine::Machine,
    model::{
        Counts,
        Event,
        Line,
        Model, //
    },
};
use iostat::acct::{
    absorb::PartitionSum,
    busy::Root,
    class::{
        Class,
        Kind,
        Tag, //
    },
    fast::DIRECT,
    histogram::{
        Bases,
        Histogram,
        Phase, //
    },
    record::{
        CpuRecord,
        Rare,
        RecordPart, //
    },
    snapshot::{
        collect_histogram,
        Snapshot, //
    },
    transition::{
        End,
        Transition, //
    },
    turns::Turns,
};
use proptest::{
    collection::vec,
    prelude::*, //
};

const PARTITIONS: usize = 3;
const CPUS: usize = 3;

/// A step of one of a few I/Os: to a partition, or to the whole disk.
#[derive(Clone, Copy, Debug)]
struct Step {
    io: usize,
    cpu: usize,
    gap: u64,
    class: Class,
    requeue: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let class = prop_oneof![
        4 => Just(Class::Read),
        4 => Just(Class::Write),
        1 => Just(Class::Free),
        1 => Just(Class::NoData)
    ];
    let gap = prop_oneof![Just(0), 1..1000u64];
    (0..IOS, 0..CPUS, gap, class, prop::bool::weighted(0.1)).prop_map(
        |(io, cpu, gap, class, requeue)| Step {
            io,
            cpu,
            gap,
            class,
            requeue,
        },
    )
}

/// I/Os of each partition and of the whole disk.
const OF_EACH: usize = 2;
const IOS: usize = OF_EACH * (PARTITIONS + 1);

#[derive(Clone, Copy, Debug)]
enum Action {
    Step(Step),
    /// A partition leaves, and another one takes its place.
    Replace(usize),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        20 => step().prop_map(Action::Step),
        1 => (0..PARTITIONS).prop_map(Action::Replace)
    ]
}

/// A disk, and what the model knows of it.
struct Stage {
    machine: Machine,
    model: Model,
    now: u64,
    /// What each I/O does: its class, and when it has started and been issued.
    ios: [Option<(Class, u64, Option<u64>)>; IOS],
}

impl Stage {
    fn new(queues: usize) -> Self {
        Stage {
            machine: Machine::with_partitions(PARTITIONS, CPUS, queues, 2),
            model: Model::default(),
            now: 0,
            ios: [None; IOS],
        }
    }

    fn play(&mut self, step: Step) {
        self.now += step.gap;
        let Step { io, cpu, .. } = step;
        let key = 0x1000 + 384 * io as u64;
        let place = io / OF_EACH;
        let event = match self.ios[io] {
            None => Event::Accept(step.class, Tag::Simple),
            Some((_, _, None)) => Event::Issue,
            Some(_) if step.requeue && place < PARTITIONS => Event::Requeue,
            Some(_) => Event::Done(512),
        };
        let before = self.ios[io];
        self.ios[io] = match event {
            Event::Accept(..) => Some((step.class, self.now, None)),
            Event::Issue => before.map(|(class, start, _)| (class, start, Some(self.now))),
            Event::Requeue => before.map(|(class, start, _)| (class, start, None)),
            _ => None,
        };
        self.model.hear(key, event, self.now);
        if place < PARTITIONS {
            self.machine.hear(place, cpu, key, event, self.now);
            return;
        }
        let transition = match (event, before) {
            (Event::Issue, _) => Transition::WaitqToRunq,
            (Event::Done(bytes), Some((class, start, Some(issue)))) => {
                Transition::RunqExitEnd(End {
                    kind: Kind::new(class, Tag::Simple),
                    bytes,
                    duration_ns: self.now - start,
                    service_ns: self.now - issue,
                })
            }
            _ => Transition::StartWaitqEnter,
        };
        let whole = self.machine.whole.as_ref().expect("there is a disk");
        whole.record(cpu, DIRECT, transition, None, self.now);
    }

    /// Replaces a partition when the last of its I/Os has ended.
    fn replace(&mut self, place: usize) {
        for io in place * OF_EACH..(place + 1) * OF_EACH {
            while let Some((class, ..)) = self.ios[io] {
                self.play(Step {
                    io,
                    cpu: io % CPUS,
                    gap: 1,
                    class,
                    requeue: false,
                });
            }
        }
        self.machine.replace(place);
    }

    fn snapshot(&self) -> Snapshot {
        let snapshot = self.machine.snapshot_of_whole(self.now);
        snapshot.expect("there is a disk")
    }

    fn times(&self, class: Class, phase: Phase) -> Histogram<u64> {
        let mut times = Histogram::default();
        collect_histogram(self.machine.parts_of_whole(), class, phase, &mut times);
        times
    }

    fn check(&self) {
        let (snapshot, model, now) = (self.snapshot(), &self.model, self.now);
        assert_eq!(Counts::from(&snapshot), model.counts());
        assert_eq!(snapshot.in_flight(), model.in_flight());
        assert_eq!(snapshot.record.waitq.len(), model.len(Line::Wait));
        assert_eq!(snapshot.record.runq.len(), model.len(Line::Run));
        assert_eq!(snapshot.wlentime, model.lentime(Line::Wait, now));
        assert_eq!(snapshot.rlentime, model.lentime(Line::Run, now));
        assert_eq!(snapshot.wtime, model.busy(&[Line::Wait], now));
        assert_eq!(snapshot.rtime, model.busy(&[Line::Run], now));
        assert_eq!(
            snapshot.busy_time,
            model.busy(&[Line::Wait, Line::Run], now)
        );
        for class in Class::ALL {
            for phase in Phase::ALL {
                let (times, expected) = (self.times(class, phase), model.times(class, phase));
                assert_eq!(times.count(), expected.len() as u64);
                assert_eq!(times.max(), expected.iter().copied().max().unwrap_or(0));
                assert_eq!(times.min(), expected.iter().copied().min().unwrap_or(0));
            }
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_disk_is_its_own_records_and_those_of_its_partitions(
        queues in 1..=3usize,
        actions in vec(action(), 1..120),
    ) {
        let mut stage = Stage::new(queues);
        for action in actions {
            match action {
                Action::Step(step) => stage.play(step),
                Action::Replace(place) => {
                    stage.replace(place);
                }
            }
            stage.check();
        }
    }

    /// The disk is idle and not idle, and the edges of partition and disk differ in all ways.
    #[test]
    fn what_a_partition_adds_up_to_is_not_changed_by_others(
        actions in vec(step(), 1..80),
    ) {
        let mut stage = Stage::new(2);
        let mut alone = Stage::new(2);
        for mut step in actions {
            // The I/Os of the first partition, at the same times in both.
            let is_first = step.io / OF_EACH == 0;
            stage.play(step);
            if is_first {
                alone.play(step);
            } else {
                step.cpu = 0;
                alone.now += step.gap;
            }
            let of = |stage: &Stage| stage.machine.disks[0].snapshot(stage.now);
            let (one, other) = (of(&stage), of(&alone));
            prop_assert_eq!(one, other);
        }
    }
}

/// The sum of a partition with as many reads as one asks for.
fn reads(count: u64) -> (CpuRecord, Rare, u64) {
    let record = CpuRecord::default();
    let rare = Rare::default();
    let root = Root::default();
    for _ in 0..count {
        let gauges = iostat::acct::busy::Tree {
            leaf: &root.gauge,
            root: None,
        };
        Transition::StartRunqEnter.apply(&record.write(), &gauges, 10);
        let end = End {
            kind: Kind::new(Class::Read, Tag::Simple),
            bytes: 512,
            duration_ns: 7,
            service_ns: 7,
        };
        Transition::RunqExitEnd(end).apply(&record.write(), &gauges, 17);
    }
    (record, rare, count)
}

#[test]
fn more_than_a_bucket_takes_at_a_time_is_absorbed_in_steps() {
    let (record, rare, count) = reads(3);
    let (shared, turns, shared_rare) = (CpuRecord::default(), Turns::default(), Rare::default());
    let (bases, rare_bases) = (Bases::default(), Bases::default());
    let part = || RecordPart {
        record: &shared,
        bases: Some(&bases),
        rare: Some((&shared_rare, Some(&rare_bases))),
    };
    // Doubled until it is more than 32 bits: each time the disk absorbs what it has, as a partition's.
    let mut expected = 0;
    let mut sum = PartitionSum::default();
    let of_partition = || {
        std::iter::once(RecordPart {
            record: &record,
            bases: None,
            rare: Some((&rare, None)),
        })
    };
    sum.take(of_partition);
    assert_eq!(sum.most_times(), count);
    let mut steps = 0;
    for _ in 0..34 {
        expected += sum.most_times();
        loop {
            steps += 1;
            let remains = sum.add_to(&shared.write_shared(&turns, &shared_rare));
            part().follow();
            if !remains {
                break;
            }
        }
        let mut times = Histogram::default();
        collect_histogram([part()].into_iter(), Class::Read, Phase::Total, &mut times);
        assert_eq!((times.count(), times.min(), times.max()), (expected, 7, 7));
        assert_eq!(shared.read().1.devstat.operations(Class::Read), expected);
        assert_eq!(part().needs_bases_with(1), expected + 1 >= 1 << 30);
        sum.take(|| [part()].into_iter());
    }
    assert!(expected > 1 << 34 && steps > 34);
}
