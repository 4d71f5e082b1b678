// SPDX-License-Identifier: GPL-2.0

//! Disks on floor 0, with the glue between event and record that the recorder is.

use super::model::Event;
use iostat::acct::{
    busy::Gauge,
    class::{
        Class,
        Tag, //
    },
    entry::{
        Completion,
        Entry,
        Start,
        Times, //
    },
    inflight::{
        Claim,
        Entries,
        Keys,
        Table,
        BUCKET, //
    },
    record::CpuRecord,
    snapshot::{
        collect,
        Snapshot, //
    },
    verb::Verb,
};
use std::rc::Rc;

/// How many keys always have room in a table of one bucket.
pub const ROOM: usize = BUCKET;

/// One disk and its records.
pub struct Disk {
    /// Shared with readers that are not done while the disk goes on.
    pub cpus: Rc<[CpuRecord]>,
    gauge: Gauge,
    number: u32,
}

impl Disk {
    fn new(cpus: usize, number: u32) -> Self {
        Disk {
            cpus: (0..cpus).map(|_| CpuRecord::default()).collect(),
            gauge: Gauge::default(),
            number,
        }
    }

    fn record(&self, cpu: usize, verb: Verb, now: u64) {
        verb.apply(&self.cpus[cpu % self.cpus.len()].write(), &self.gauge, now);
    }

    /// What a reader sees at `now`.
    pub fn snapshot(&self, now: u64) -> Snapshot {
        collect(|| self.cpus.iter(), || now)
    }
}

/// Disks, known by their places as the kernel's are by their addresses, and the I/Os in flight on
/// any of them.
pub struct Machine {
    pub disks: Vec<Disk>,
    keys: Vec<Keys>,
    entries: Vec<Entries>,
    /// I/Os that found no room.
    pub untracked: u64,
    numbers: u32,
}

impl Machine {
    pub fn new(disks: usize, cpus: usize, buckets: usize) -> Self {
        Machine {
            disks: (0..).take(disks).map(|n| Disk::new(cpus, n)).collect(),
            keys: (0..buckets).map(|_| Keys::default()).collect(),
            entries: (0..buckets).map(|_| Entries::default()).collect(),
            untracked: 0,
            numbers: disks as u32,
        }
    }

    /// The disk at `place` leaves, and another comes to where it was. I/Os of the one that left may
    /// still be in flight.
    pub fn replace(&mut self, place: usize) {
        let cpus = self.disks[place].cpus.len();
        self.disks[place] = Disk::new(cpus, self.numbers);
        self.numbers += 1;
    }

    /// How many I/Os are followed.
    pub fn tracked(&self) -> usize {
        self.table().in_use()
    }

    fn table(&self) -> Table<'_> {
        Table::new(&self.keys, &self.entries)
    }

    /// Records `event`, heard on `cpu`; an I/O that begins, begins on the disk at `place`. If one
    /// ends, its times.
    pub fn hear(
        &mut self,
        place: usize,
        cpu: usize,
        key: u64,
        event: Event,
        now: u64,
    ) -> Option<Times> {
        let slot = match (event, self.table().find(key)) {
            (Event::Accept(class, tag), _) => {
                let start = self.start(place, class, tag);
                return self.begin(cpu, key, now, |entry| entry.start_waiting(&start, now));
            }
            (Event::Submit(class, tag, bytes), _) => {
                let start = self.start(place, class, tag);
                return self.begin(cpu, key, now, |entry| {
                    entry.start_running(&start, bytes, now)
                });
            }
            (Event::Issue, None) => {
                let start = self.start(place, Class::Write, Tag::Ordered);
                return self.begin(cpu, key, now, |entry| entry.run_uncounted(&start, now));
            }
            (_, None) => return None,
            (_, Some(slot)) => slot,
        };
        let entry = slot.entry;
        let (verb, ends) = match event {
            Event::Issue => (entry.issue(now), false),
            Event::Requeue => (entry.requeue(now), false),
            Event::Part(bytes) => (entry.complete(&completion(bytes, false, false), now), false),
            Event::FlushData(bytes) => (entry.complete(&completion(bytes, true, true), now), false),
            Event::Merge => (Some(entry.merge(now)), true),
            Event::Fail => {
                entry.fail();
                (entry.complete(&completion(0, true, false), now), true)
            }
            Event::Done(bytes) => (entry.complete(&completion(bytes, true, false), now), true),
            Event::Accept(..) | Event::Submit(..) => unreachable!("begun above"),
        };
        assert!(verb.is_some() || !ends, "nothing remains");
        self.record(cpu, entry, verb, now);
        ends.then(|| {
            let times = entry.times(now);
            slot.release();
            times
        })
    }

    /// Takes a slot. If an I/O was there that ended unseen, its times.
    fn begin(
        &mut self,
        cpu: usize,
        key: u64,
        now: u64,
        begin: impl FnOnce(&Entry) -> Verb,
    ) -> Option<Times> {
        let mut ended = None;
        let slot = match self.table().claim(key) {
            Some(Claim::New(slot)) => slot,
            Some(Claim::Stale(slot)) => {
                ended = Some(slot.entry.times(now));
                let verb = slot.entry.abandon(now);
                self.record(cpu, slot.entry, Some(verb), now);
                slot
            }
            None => {
                self.untracked += 1;
                return None;
            }
        };
        let verb = begin(slot.entry);
        self.record(cpu, slot.entry, Some(verb), now);
        ended
    }

    /// Records a step of an I/O, unless its disk has left.
    fn record(&self, cpu: usize, entry: &Entry, verb: Option<Verb>, now: u64) {
        let disk = &self.disks[entry.disk() as usize];
        if disk.number == entry.number() {
            verb.into_iter()
                .for_each(|verb| disk.record(cpu, verb, now));
        }
    }

    fn start(&self, place: usize, class: Class, tag: Tag) -> Start {
        Start {
            disk: place as u64,
            number: self.disks[place].number,
            class,
            tag,
            sector: u64::MAX,
        }
    }
}

fn completion(bytes: u64, whole: bool, flush_sequence: bool) -> Completion {
    Completion {
        bytes,
        whole,
        flush_sequence,
    }
}
