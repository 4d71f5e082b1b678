// SPDX-License-Identifier: GPL-2.0

//! Random lives of random I/Os on random CPUs at random times.

use super::{
    machine::{
        Machine,
        ROOM, //
    },
    model::{
        Event,
        Model, //
    },
};
use iostat::acct::{
    class::{
        Class,
        Tag, //
    },
    record::CpuRecord,
    snapshot::Snapshot, //
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};
use std::{
    collections::VecDeque,
    ops::Range,
    rc::Rc, //
};

/// The next event of one key.
#[derive(Clone, Copy, Debug)]
struct Step {
    key: usize,
    cpu: usize,
    /// Time since the last step.
    gap: u64,
}

/// The events of one disk.
#[derive(Clone, Debug)]
pub struct Play {
    cpus: usize,
    /// Hardware queues.
    queues: usize,
    /// Whether the disk is a partition of another.
    is_partition: bool,
    /// The events of each key, one life after the other, repeated.
    keys: Vec<VecDeque<Event>>,
    steps: VecDeque<Step>,
    /// The recorder's clock when the model's clock is 0.
    epoch: u64,
}

/// Lives of an I/O as in the block layer, and lives that should not happen.
fn life() -> impl Strategy<Value = Vec<Event>> {
    use Event::*;
    let named = (0..20, kind(), 0..1u64 << 20, 0..1u64 << 20).prop_map(|(which, kind, a, b)| {
        let accept = Accept(kind.0, kind.1);
        let submit = Submit(kind.0, kind.1, b as u32);
        match which {
            0 => vec![accept, Issue, Done(a)],
            1 => vec![submit, Done(0)],
            // Issued twice.
            2 => vec![accept, Issue, Issue, Done(a)],
            // Requeued before it was issued, after, and twice.
            3 => vec![accept, Requeue, Issue, Done(a)],
            4 => vec![accept, Issue, Requeue, Issue, Done(a)],
            5 => vec![accept, Issue, Requeue, Requeue, Issue, Done(a)],
            6 => vec![accept, Issue, Requeue, Done(a)],
            // A flush sequence completes twice; an empty flush is never issued.
            7 => vec![accept, Issue, FlushData(a), Done(0)],
            8 => vec![accept, Done(0)],
            9 => vec![accept, Issue, Part(a), Part(b), Done(a)],
            10 => vec![submit, Fail],
            11 => vec![accept, Issue, Part(a), Fail],
            12 => vec![accept, Merge],
            // Never accepted.
            13 => vec![Issue, Done(a)],
            14 => vec![Issue, Requeue, Issue, Done(a)],
            // Its end is not reported: the next event at this key finds it.
            15 => vec![accept],
            16 => vec![accept, Part(a), Issue, Part(b)],
            // A busy path, before the driver had the clone and after.
            17 => vec![accept, Refuse, accept, Issue, Done(a)],
            18 => vec![accept, Issue, Requeue, Refuse],
            // The end of an I/O from before recording began.
            _ => vec![Done(a)],
        }
    });
    prop_oneof![4 => named, 1 => vec(event(), 1..6)]
}

fn kind() -> impl Strategy<Value = (Class, Tag)> {
    (
        select(&Class::ALL[..]),
        select(&[Tag::Simple, Tag::Ordered][..]),
    )
}

/// Any event at any time.
fn event() -> impl Strategy<Value = Event> {
    let bytes = 0..1u64 << 20;
    prop_oneof![
        kind().prop_map(|(class, tag)| Event::Accept(class, tag)),
        kind().prop_map(|(class, tag)| Event::Submit(class, tag, 512)),
        Just(Event::Issue),
        Just(Event::Requeue),
        bytes.clone().prop_map(Event::Part),
        bytes.clone().prop_map(Event::FlushData),
        bytes.prop_map(Event::Done),
        Just(Event::Fail),
        Just(Event::Merge),
        Just(Event::Refuse),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![1 => Just(0), 3 => 1..1000u64, 1 => 0..1u64 << 40];
    (0..ROOM, 0..4usize, gap).prop_map(|(key, cpu, gap)| Step { key, cpu, gap })
}

/// A play whose clock starts at one of `epoch`.
pub fn play(epoch: impl Strategy<Value = u64>) -> impl Strategy<Value = Play> {
    play_of(1..80, epoch)
}

/// A play that goes on for longer than a reader tries.
pub fn long_play(epoch: impl Strategy<Value = u64>) -> impl Strategy<Value = Play> {
    play_of(150..250, epoch)
}

fn play_of(length: Range<usize>, epoch: impl Strategy<Value = u64>) -> impl Strategy<Value = Play> {
    let key = vec(life(), 1..8).prop_map(|lives| lives.concat().into());
    let keys = vec(key, 1..=ROOM);
    let steps = vec(step(), length).prop_map(VecDeque::from);
    let sizes = (1..=4usize, 1..=3usize, any::<bool>());
    (sizes, keys, steps, epoch).prop_map(|((cpus, queues, is_partition), keys, steps, epoch)| {
        Play {
            cpus,
            queues,
            is_partition,
            keys,
            steps,
            epoch,
        }
    })
}

/// Clocks since boot, and clocks with which all sums of times wrap at once.
pub fn running_clock() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        0..1u64 << 50,
        Just(1 << 63),
        Just(u64::MAX - (1 << 50))
    ]
}

/// Clocks that wrap.
pub fn wrapping_clock() -> impl Strategy<Value = u64> {
    prop_oneof![running_clock(), u64::MAX - 2000..=u64::MAX]
}

/// The part of a play that has been played, on the disk and in the model.
pub struct Stage {
    play: Play,
    pub machine: Machine,
    pub model: Model,
    /// The model's clock.
    pub now: u64,
}

impl Stage {
    pub fn new(play: Play) -> Self {
        Stage {
            machine: match play.is_partition {
                false => Machine::new(1, play.cpus, play.queues, 1),
                true => Machine::with_partitions(1, play.cpus, play.queues, 1),
            },
            model: Model::default(),
            now: 0,
            play,
        }
    }

    /// Plays one more event; returns [`false`] if there are no more.
    pub fn step(&mut self) -> bool {
        let Some(step) = self.play.steps.pop_front() else {
            return false;
        };
        self.now += step.gap;
        let index = step.key % self.play.keys.len();
        let events = &mut self.play.keys[index];
        let event = events[0];
        events.rotate_left(1);
        // Two requests of one tag set are a few hundred bytes apart.
        let key = 0xffff_8880_0123_4500 + index as u64 * 384;
        let clock = self.clock();
        let heard = self.machine.hear(0, step.cpu, key, event, clock);
        let heard = heard.map(|times| [times.wait_ns, times.service_ns]);
        assert_eq!(heard, self.model.hear(key, event, self.now), "{event:?}");
        true
    }

    /// Plays up to `count` more events.
    pub fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    /// Returns the recorder's clock.
    pub fn clock(&self) -> u64 {
        self.play.epoch.wrapping_add(self.now)
    }

    /// Lets time pass without an event.
    pub fn idle(&mut self, time: u64) {
        self.now += time;
    }

    /// Returns a snapshot of the current time.
    pub fn snapshot(&self) -> Snapshot {
        self.machine.disks[0].snapshot(self.clock())
    }

    /// Returns the records, for a reader of its own.
    pub fn cpus(&self) -> Rc<[CpuRecord]> {
        self.machine.disks[0].cpus.clone()
    }
}

/// Plays to the end, and calls `look` after each event and some time later.
pub fn watch(play: Play, mut look: impl FnMut(&Stage)) {
    let mut stage = Stage::new(play);
    look(&stage);
    while stage.step() {
        look(&stage);
        stage.idle(7);
        look(&stage);
    }
}
