// SPDX-License-Identifier: GPL-2.0

//! I/Os of several hardware queues, and CPUs whose steps in partition and disk come in different orders.

use super::{
    machine::{
        Disk,
        Machine, //
    },
    model::Event, //
};
use iostat::acct::{
    busy::{
        Extra,
        Lengths,
        QueueMove, //
    },
    class::{
        Class,
        Tag, //
    },
    record::RecordWrite,
    snapshot::Snapshot,
};

const CPUS: usize = 3;
const QUEUES: usize = 3;
const ACCEPT: Event = Event::Accept(Class::Read, Tag::Simple);
const DONE: Event = Event::Done(512);

/// A request that is submitted on one CPU, in the hardware queue of this number.
#[derive(Clone, Copy)]
struct Rq {
    key: u64,
    cpu: usize,
}

const fn rq(number: u64, cpu: usize) -> Rq {
    let key = 0x1000 + 384 * number;
    Rq { key, cpu }
}

struct Stage {
    machine: Machine,
    now: u64,
    may_wait_for_tags: bool,
}

impl Stage {
    /// A whole disk, or a disk with one partition.
    fn new(has_partition: bool, queues: usize) -> Self {
        let new = match has_partition {
            true => Machine::with_partitions,
            false => Machine::new,
        };
        Stage {
            machine: new(1, CPUS, queues, 2),
            now: 0,
            may_wait_for_tags: false,
        }
    }

    fn disk(&self) -> &Disk {
        self.machine
            .whole
            .as_ref()
            .unwrap_or(&self.machine.disks[0])
    }

    /// Returns whether the event took the fast path.
    fn hear(&mut self, rq: Rq, event: Event) -> bool {
        if self.may_wait_for_tags {
            self.disk().root.gauge.add(Extra::TagWaits);
        }
        let fast = self.machine.fast;
        self.machine.hear(0, rq.cpu, rq.key, event, self.now);
        self.machine.fast != fast
    }

    /// From accepted to done, several times: the CPU gets its record, and the entry is remembered.
    fn warm_up(&mut self, rq: Rq) {
        for _ in 0..8 {
            for event in [ACCEPT, Event::Issue, DONE] {
                self.hear(rq, event);
            }
        }
        assert!(self.is_remembered(rq));
    }

    fn is_remembered(&self, rq: Rq) -> bool {
        let entry = self.machine.main.main().home_entry(rq.key);
        entry.is_some_and(|entry| entry.is_remembered())
    }

    fn snapshot(&self) -> Snapshot {
        let of_whole = self.machine.snapshot_of_whole(self.now);
        of_whole.unwrap_or_else(|| self.machine.disks[0].snapshot(self.now))
    }
}

/// All ways through the start of an I/O on the fast path.
fn stages() -> impl Iterator<Item = Stage> {
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    ways.into_iter().map(|(has_partition, may_wait_for_tags)| {
        let mut stage = Stage::new(has_partition, QUEUES);
        stage.may_wait_for_tags = may_wait_for_tags;
        stage
    })
}

#[test]
fn an_io_that_meets_the_owner_at_the_root_enters_its_leaf_the_next_time() {
    let (other, owner) = (rq(0, 1), rq(1, 2));
    for mut stage in stages() {
        stage.warm_up(other);
        stage.warm_up(owner);
        assert!(stage.hear(owner, ACCEPT) && stage.hear(owner, Event::Issue));
        assert!(stage.hear(other, ACCEPT));
        assert!(!stage.is_remembered(other) && stage.is_remembered(owner));
        stage.hear(other, Event::Issue);
        stage.hear(owner, DONE);
        // The owner stays, whom it meets.
        assert!(stage.hear(owner, ACCEPT) && stage.is_remembered(owner));
        stage.hear(other, DONE);
        assert!(!stage.hear(other, ACCEPT));
    }
}

#[test]
fn an_io_that_meets_none_or_one_that_waits_goes_on_to_enter_the_root() {
    let (other, owner, second) = (rq(0, 1), rq(1, 2), rq(2, 2));
    for mut stage in stages() {
        for rq in [other, second, owner] {
            stage.warm_up(rq);
        }
        for event in [ACCEPT, Event::Issue, DONE] {
            assert!(stage.hear(other, event) && stage.is_remembered(other));
        }
        // One runs and one waits.
        assert!(stage.hear(owner, ACCEPT) && stage.hear(owner, Event::Issue));
        assert!(stage.hear(second, ACCEPT));
        assert!(stage.hear(other, ACCEPT) && stage.is_remembered(other));
    }
    // An idle partition that has regions.
    let mut stage = Stage::new(true, QUEUES);
    stage.warm_up(other);
    stage.warm_up(owner);
    stage.machine.disks[0].root.gauge.add(Extra::Regions);
    assert!(stage.hear(other, ACCEPT) && stage.is_remembered(other));
}

#[test]
fn an_io_removes_the_mark_of_tag_waits_when_it_alone_waits() {
    let (first, second) = (rq(0, 0), rq(1, 0));
    let mut stage = Stage::new(true, 1);
    stage.warm_up(first);
    stage.warm_up(second);
    let has_mark = |stage: &Stage| stage.disk().root.gauge.has(Extra::TagWaits);
    // One runs, and the other is the first to wait.
    assert!(stage.hear(first, ACCEPT) && stage.hear(first, Event::Issue));
    stage.disk().root.gauge.add(Extra::TagWaits);
    assert!(stage.hear(second, ACCEPT));
    assert!(!has_mark(&stage));
    stage.hear(first, DONE);
    // Another I/O waits, whose step in the disk may be late: what waits there may be a task.
    stage.disk().root.gauge.add(Extra::TagWaits);
    assert!(stage.hear(first, ACCEPT));
    assert!(has_mark(&stage));
}

/// The steps of two CPUs in a partition are one after the other, and then those in its disk, in the other order.
#[test]
fn steps_in_the_disk_may_be_later_than_those_in_the_partition() {
    let (first, second) = (rq(0, 0), rq(1, 0));
    let stage = || {
        let mut stage = Stage::new(true, 1);
        stage.warm_up(first);
        stage.warm_up(second);
        stage.now = 100;
        stage
    };
    // Takes the last step in the disk back, which is the first I/O that waits. It comes later: see `late`.
    let take_back = |stage: &Stage| {
        stage.disk().root.gauge.take(QueueMove::WaitqExit);
    };
    let late = |stage: &Stage, in_partition: Lengths, now: u64| {
        let step = QueueMove::WaitqEnter;
        let before = stage.disk().root.gauge.take(step);
        let record = stage.machine.disks[0].own(0).unwrap().write();
        record.note_difference(in_partition.edges_of(step), before.edges_of(step), now);
    };
    let times = |stage: &Stage, before: &Snapshot| {
        let now = stage.snapshot();
        (
            now.wtime - before.wtime,
            now.rtime - before.rtime,
            now.busy_time - before.busy_time,
        )
    };

    // Two wait, and one of them is issued before the disk has the first of these steps.
    let mut one = stage();
    let before = one.snapshot();
    assert!(one.hear(first, ACCEPT));
    take_back(&one);
    assert!(one.hear(second, ACCEPT));
    one.now = 110;
    assert!(one.hear(first, Event::Issue));
    late(&one, Lengths::IDLE, 110);
    one.now = 130;
    assert!(one.hear(second, Event::Issue) && one.hear(first, DONE));
    one.now = 150;
    assert!(one.hear(second, DONE));
    assert_eq!(times(&one, &before), (30, 40, 50));

    // One runs; another starts to wait, and the first ends before the disk has that step.
    let mut other = stage();
    let before = other.snapshot();
    assert!(other.hear(first, ACCEPT) && other.hear(first, Event::Issue));
    other.now = 120;
    assert!(other.hear(second, ACCEPT));
    take_back(&other);
    let record = other.machine.disks[0].own(0).unwrap();
    let (both, wait) = (Lengths::ONE_RUNS, Lengths::IDLE);
    let step = QueueMove::WaitqEnter;
    // What was noted of that step.
    record
        .write()
        .note_difference(both.edges_of(step), wait.edges_of(step), 120);
    assert!(other.hear(first, DONE));
    other.disk().root.gauge.take(step);
    other.now = 150;
    assert_eq!(times(&other, &before), (30, 20, 50));
}
