// SPDX-License-Identifier: GPL-2.0

//! Any events of any I/Os on disks that are added and removed, compared with the properties' model.
//!
//! The clock never goes back here, so every number is exact; `snapshots` has clocks that do.

#![no_main]

use iostat::acct::{
    inflight::BUCKET,
    snapshot::{
        collect,
        Snapshot, //
    },
};
use iostat_fuzz::{
    fuzz_target,
    input::Input,
    invariants::{
        assert_balanced,
        assert_goes_on,
        times, //
    },
    machine::{
        Machine,
        SHARE, //
    },
    model::{
        Counts,
        Event,
        Line,
        Model, //
    },
};
use std::{
    cell::{
        Cell,
        RefCell, //
    },
    collections::HashMap, //
};

const DISKS: usize = 3;
/// Hardware queues of each disk.
const QUEUES: usize = 2;
/// More than one bucket has room for, and at most what the reserve has room for.
const KEYS: u64 = 16;
/// Bytes below stand for an event and the time before it; those above for other actions.
const GAPS: u8 = 0xf0;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let mut play = Play::new(&mut input);
    while !input.is_empty() {
        match input.byte() {
            gap @ 0..GAPS => play.hear(gap, &mut input),
            0xf0..=0xf7 => play.replace(input.choice(DISKS)),
            0xf8..=0xfb => play.look(),
            load => {
                let place = input.choice(DISKS);
                play.look_under_load(place, usize::from(load & 3) * 16 + 1, &mut input);
            }
        }
    }
    play.look();
});

/// The model of one disk, and what its last reader saw.
#[derive(Default)]
struct Truth {
    model: Model,
    last: Snapshot,
    /// Whether a reader may have seen times that were too large.
    inexact: bool,
}

/// Disks on floor 0, and their models.
struct Play {
    machine: Machine,
    truths: Vec<Truth>,
    /// The disk on which the I/O at each key is counted; [`None`] if that disk was removed.
    owners: HashMap<u64, Option<usize>>,
    buckets: usize,
    /// The recorder's clock when the models' clock is 0.
    epoch: u64,
    now: u64,
}

impl Play {
    fn new(input: &mut Input<'_>) -> Self {
        let cpus = 1 + input.choice(4);
        let buckets = [0, 1, 2, 4][input.choice(4)];
        Play {
            machine: Machine::new(DISKS, cpus, QUEUES, buckets),
            truths: (0..DISKS).map(|_| Truth::default()).collect(),
            owners: HashMap::new(),
            buckets,
            // Sums of times may wrap; the clock itself does not.
            epoch: input.number().min(u64::MAX - (1 << 60)),
            now: 0,
        }
    }

    fn clock(&self) -> u64 {
        self.epoch + self.now
    }

    /// Records an event, some time after the previous one.
    fn hear(&mut self, gap: u8, input: &mut Input<'_>) {
        self.now += match gap % GAPS {
            short @ 0..0x80 => short.into(),
            long => 1 << (u32::from(long - 0x80) * 3 / 8),
        };
        let (who, cpu) = (input.byte(), input.choice(4));
        let (place, key) = (usize::from(who >> 4) % DISKS, u64::from(who) % KEYS);
        // Requests of one tag set are a few hundred bytes apart.
        let key = 0xffff_8880_0123_4500 + key * 384;
        let event = input.event();

        let untracked = self.machine.untracked;
        let heard = self.machine.hear(place, cpu, key, event, self.clock());
        let heard = heard.map(|times| [times.wait_ns, times.service_ns]);
        if self.machine.untracked == untracked {
            self.expect(place, key, event, heard);
        } else {
            // Untracked only if the table is full, and the disk's share too; or, before the disk has a share, the
            // room that all disks have together.
            assert_eq!(self.machine.untracked, untracked + 1);
            assert!(self.owners.len() >= self.buckets * BUCKET);
            let own = self.owners.values().filter(|owner| **owner == Some(place));
            if self.machine.disks[place].has_share() {
                assert!(own.count() >= SHARE);
            } else {
                assert!(self.owners.len() >= SHARE);
            }
            assert!(!self.owners.contains_key(&key) && heard.is_none());
        }
        assert_eq!(self.machine.tracked(), self.owners.len());
        assert_balanced(&self.machine.disks[place].snapshot(self.clock()));
    }

    /// Passes an event that floor 0 recorded with result `heard` to the models.
    fn expect(&mut self, place: usize, key: u64, event: Event, heard: Option<[u64; 2]>) {
        let (owner, now) = (self.owners.get(&key).copied(), self.now);
        let starts = matches!(event, Event::Accept(..) | Event::Submit(..));
        let ends = matches!(
            event,
            Event::Merge | Event::Refuse | Event::Fail | Event::Done(_)
        );
        // The I/O that was at this key ends,
        match owner.map(|place| place.map(|place| &mut self.truths[place].model)) {
            None => assert_eq!(heard, None),
            Some(None) => assert_eq!(heard.is_some(), starts || ends),
            Some(Some(model)) if starts => assert_eq!(heard, model.abandon(key, now)),
            Some(Some(model)) => assert_eq!(heard, model.hear(key, event, now), "{event:?}"),
        }
        if heard.is_some() {
            self.owners.remove(&key);
        }
        // and another one begins there.
        if starts || (owner.is_none() && matches!(event, Event::Issue)) {
            self.owners.insert(key, Some(place));
            self.truths[place].model.hear(key, event, now);
        }
    }

    /// Removes a disk and adds another one in its place.
    fn replace(&mut self, place: usize) {
        self.machine.replace(place);
        self.truths[place] = Truth::default();
        let here = self
            .owners
            .values_mut()
            .filter(|owner| **owner == Some(place));
        here.for_each(|owner| *owner = None);
    }

    /// Reads every disk.
    fn look(&mut self) {
        let (now, clock) = (self.now, self.clock());
        for (disk, truth) in self.machine.disks.iter().zip(&mut self.truths) {
            let (snapshot, model) = (disk.snapshot(clock), &truth.model);
            assert_balanced(&snapshot);
            assert_eq!(Counts::from(&snapshot), model.counts());
            assert_eq!(snapshot.in_flight(), model.in_flight());
            assert_eq!(snapshot.record.waitq.len(), model.len(Line::Wait));
            assert_eq!(snapshot.record.runq.len(), model.len(Line::Run));
            let expected = [
                model.busy(&[Line::Wait], now),
                model.busy(&[Line::Run], now),
                model.busy(&[Line::Wait, Line::Run], now),
                model.lentime(Line::Wait, now),
                model.lentime(Line::Run, now),
            ];
            assert_eq!(times(&snapshot), expected);
            let next = snapshot.after(&truth.last);
            assert_goes_on(&next, &truth.last);
            assert!(
                truth.inexact || next == snapshot,
                "{next:?} for {snapshot:?}"
            );
            truth.last = next;
        }
    }

    /// Reads the disk at `place` while `events` events are recorded, one at each point where the reader
    /// can be interrupted.
    fn look_under_load(&mut self, place: usize, events: usize, input: &mut Input<'_>) {
        let cpus = self.machine.disks[place].cpus.clone();
        let floor = self.truths[place].model.counts().words();
        let left = Cell::new(events);
        let happening = RefCell::new((&mut *self, input));
        let interrupt = || {
            if left.get() > 0 {
                left.set(left.get() - 1);
                let (play, input) = &mut *happening.borrow_mut();
                play.hear(input.byte(), input);
            }
        };
        let clock = || {
            interrupt();
            happening.borrow().0.clock()
        };
        let snapshot = collect(|| cpus.iter().inspect(|_| interrupt()), clock);
        assert_balanced(&snapshot);
        let truth = &mut self.truths[place];
        let words = Counts::from(&snapshot).words();
        let ceiling = truth.model.counts().words();
        for ((word, floor), ceiling) in words.iter().zip(&floor).zip(&ceiling) {
            assert!(floor <= word && word <= ceiling);
        }
        let next = snapshot.after(&truth.last);
        assert_goes_on(&next, &truth.last);
        truth.last = next;
        truth.inexact = true;
    }
}
