// SPDX-License-Identifier: GPL-2.0

//! A disk with partitions, whose records are added up: it has what a model has that knows of no partitions.

use super::{
    config,
    machine::{
        Disk,
        Machine, //
    },
    model::{
        Counts,
        Event,
        Line,
        Model, //
    },
};
use iostat::acct::{
    absorb::PartitionSum,
    busy::{
        Extra,
        Root, //
    },
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
        collect_sizes,
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
    /// Whether the task that submits the I/O waits for a tag first.
    waits: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let class = prop_oneof![
        4 => Just(Class::Read),
        4 => Just(Class::Write),
        1 => Just(Class::Free),
        1 => Just(Class::NoData)
    ];
    let gap = prop_oneof![Just(0), 1..1000u64];
    let (requeue, waits) = (prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    (0..IOS, 0..CPUS, gap, class, requeue, waits).prop_map(
        |(io, cpu, gap, class, requeue, waits)| Step {
            io,
            cpu,
            gap,
            class,
            requeue,
            waits,
        },
    )
}

/// The address of the request of an I/O.
fn key(io: usize) -> u64 {
    0x1000 + 384 * io as u64
}

/// I/Os of each partition and of the whole disk.
const OF_EACH: usize = 2;
const IOS: usize = OF_EACH * (PARTITIONS + 1);

#[derive(Clone, Copy, Debug)]
enum Action {
    Step(Step),
    /// A partition leaves, and another one takes its place.
    Replace(usize),
    /// A partition, or the disk, gets regions, or has none any more.
    Regions(usize, bool),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        20 => step().prop_map(Action::Step),
        1 => (0..PARTITIONS).prop_map(Action::Replace),
        8 => (0..=PARTITIONS, any::<bool>()).prop_map(|(place, has)| Action::Regions(place, has))
    ]
}

/// A disk, and what the model knows of it.
struct Stage {
    machine: Machine,
    model: Model,
    now: u64,
    /// What each I/O does: its class, and when it has started and been issued.
    ios: [Option<(Class, u64, Option<u64>)>; IOS],
    /// The I/Os whose submitters wait for a tag: their classes, and since when.
    tag_waits: [Option<(Class, u64)>; IOS],
}

impl Stage {
    fn new(queues: usize) -> Self {
        Stage {
            machine: Machine::with_partitions(PARTITIONS, CPUS, queues, 2),
            model: Model::default(),
            now: 0,
            ios: [None; IOS],
            tag_waits: [None; IOS],
        }
    }

    /// The disk of the partitions.
    fn whole(&self) -> &Disk {
        self.machine.whole.as_ref().expect("there is a disk")
    }

    /// Whether an I/O of the partition at this place, or of the disk, is recorded in regions.
    fn has_regions(&self, place: usize) -> bool {
        let partition = self.machine.disks.get(place);
        let disks = partition.into_iter().chain([self.whole()]);
        disks
            .into_iter()
            .any(|disk| disk.root.gauge.has(Extra::Regions))
    }

    /// Regions are made, or removed. The entries forget the disk, as in the recorder.
    fn set_regions(&mut self, place: usize, has: bool) {
        let disk = self.machine.disks.get(place).unwrap_or(self.whole());
        match has {
            true => disk.root.gauge.add(Extra::Regions),
            false => disk.root.gauge.remove(Extra::Regions),
        }
    }

    /// A task enters the wait queue of the disk, in place of its I/O.
    fn wait_for_tag(&mut self, step: Step) {
        let key = key(step.io);
        self.model
            .hear(key, Event::Accept(step.class, Tag::Simple), self.now);
        let whole = self.whole();
        whole.record(step.cpu, DIRECT, Transition::WaitqEnter, None, self.now);
        whole.root.gauge.add(Extra::TagWaits);
        self.tag_waits[step.io] = Some((step.class, self.now));
    }

    fn play(&mut self, step: Step) {
        self.now += step.gap;
        let Step { io, cpu, .. } = step;
        let key = key(io);
        let place = io / OF_EACH;
        let has_waited = self.tag_waits[io];
        let may_wait = place < PARTITIONS && self.ios[io].is_none() && has_waited.is_none();
        if step.waits && may_wait {
            return self.wait_for_tag(step);
        }
        let event = match self.ios[io] {
            None => Event::Accept(
                has_waited.map_or(step.class, |(class, _)| class),
                Tag::Simple,
            ),
            Some((_, _, None)) => Event::Issue,
            Some(_) if step.requeue && place < PARTITIONS => Event::Requeue,
            Some(_) => Event::Done(512),
        };
        let before = self.ios[io];
        self.ios[io] = match event {
            Event::Accept(class, _) => Some((class, self.now, None)),
            Event::Issue => before.map(|(class, start, _)| (class, start, Some(self.now))),
            Event::Requeue => before.map(|(class, start, _)| (class, start, None)),
            _ => None,
        };
        match has_waited {
            // It is in the wait queue of the model already.
            Some((_, since)) if before.is_none() => {
                self.machine.tag_wait.set(Some(since));
                self.tag_waits[io] = None;
            }
            _ => {
                self.model.hear(key, event, self.now);
            }
        }
        if place < PARTITIONS {
            let (fast, in_regions) = (self.machine.fast, self.machine.in_regions.get());
            self.machine.hear(place, cpu, key, event, self.now);
            assert_eq!(self.machine.tag_wait.take(), None, "the I/O took its place");
            let is_fast_issue = self.machine.fast != fast && matches!(event, Event::Issue);
            let is_left = is_fast_issue && self.has_regions(place);
            assert_eq!(
                self.machine.in_regions.get() - in_regions,
                u64::from(is_left)
            );
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
        self.whole().record(cpu, DIRECT, transition, None, self.now);
    }

    /// Replaces a partition when the last of its I/Os has ended.
    fn replace(&mut self, place: usize) {
        for io in place * OF_EACH..(place + 1) * OF_EACH {
            while let Some(class) = self.ios[io]
                .map(|(class, ..)| class)
                .or(self.tag_waits[io].map(|(class, _)| class))
            {
                self.play(Step {
                    io,
                    cpu: io % CPUS,
                    gap: 1,
                    class,
                    requeue: false,
                    waits: false,
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
        // An I/O starts when its submitter has a tag. The model has it from the wait on.
        let tag_waits = self.tag_waits.iter().flatten().count() as u64;
        let mut counts = Counts::from(&snapshot);
        for class in [Class::Read, Class::Write, Class::Free] {
            let sizes = collect_sizes(self.machine.parts_of_whole())[class as usize];
            assert_eq!(
                sizes.iter().sum::<u64>(),
                snapshot.record.devstat.operations(class)
            );
        }
        counts.start_count += tag_waits;
        assert_eq!(counts, model.counts());
        assert_eq!(snapshot.in_flight() + tag_waits, model.in_flight());
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
        for partition in &self.machine.disks {
            let record = partition.snapshot(now).record;
            let (waits, runs) = (record.waitq.len() != 0, record.runq.len() != 0);
            let busy = [&record.waitq_busy, &record.runq_busy, &record.both_busy];
            assert_eq!(
                busy.map(|line| line.len()),
                [waits, runs, waits && runs].map(u64::from)
            );
        }
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
                Action::Replace(place) => stage.replace(place),
                Action::Regions(place, has) => stage.set_regions(place, has),
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

/// What random steps rarely have: a partition has one I/O, on the fast path, and regions are made or its submitter has waited
/// for a tag.
#[test]
fn the_only_io_of_a_partition_meets_extras() {
    let step = Step {
        io: 0,
        cpu: 0,
        gap: 1,
        class: Class::Read,
        requeue: false,
        waits: false,
    };
    // The partition or the disk gets regions before the start, the issue or the end, or none does.
    for place in [0, PARTITIONS] {
        for at in 0..4 {
            for waits in [false, true] {
                let mut stage = Stage::new(1);
                for _ in 0..4 * 3 {
                    stage.play(step);
                }
                let fast = stage.machine.fast;
                let before = stage.machine.disks[0].snapshot(stage.now).wlentime;
                if waits {
                    stage.play(Step { waits, ..step });
                    stage.check();
                }
                for number in 0..3 {
                    if number == at {
                        stage.set_regions(place, true);
                    }
                    stage.play(step);
                    stage.check();
                }
                assert!(stage.machine.fast > fast);
                // One from the start to the issue, and one before the start.
                let after = stage.machine.disks[0].snapshot(stage.now).wlentime;
                assert_eq!(after - before, 1 + u64::from(waits));
            }
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
        let sizes = collect_sizes([part()].into_iter())[Class::Read as usize];
        assert_eq!(sizes.iter().sum::<u64>(), expected);
        assert_eq!(shared.read().1.devstat.operations(Class::Read), expected);
        assert_eq!(part().needs_bases_with(1), expected + 1 >= 1 << 30);
        sum.take(|| [part()].into_iter());
    }
    assert!(expected > 1 << 34 && steps > 34);
}
