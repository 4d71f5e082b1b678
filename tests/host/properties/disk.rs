// SPDX-License-Identifier: GPL-2.0

//! One disk on floor 0, with the glue between event and record that the recorder is.

use super::model::Event;
use iostat::acct::{
    busy::Gauge,
    class::{
        Class,
        Tag, //
    },
    entry::{
        Completion,
        Start,
        Times, //
    },
    inflight::{
        Claim,
        Entries,
        Keys,
        Slot,
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

/// How many keys always have room.
pub const ROOM: usize = BUCKET;

/// A disk, its records and its I/Os in flight.
pub struct Disk {
    /// Shared with readers that are not done while the disk goes on.
    pub cpus: Rc<[CpuRecord]>,
    gauge: Gauge,
    keys: [Keys; 1],
    entries: [Entries; 1],
}

impl Disk {
    pub fn new(cpus: usize) -> Self {
        Disk {
            cpus: (0..cpus).map(|_| CpuRecord::default()).collect(),
            gauge: Gauge::default(),
            keys: Default::default(),
            entries: Default::default(),
        }
    }

    /// Records `event` on `cpu`. If it ends an I/O, the times of that one.
    pub fn hear(&self, cpu: usize, key: u64, event: Event, now: u64) -> Option<Times> {
        let apply =
            |verb: Verb| verb.apply(&self.cpus[cpu % self.cpus.len()].write(), &self.gauge, now);
        let table = Table::new(&self.keys, &self.entries);
        let mut ended = None;
        let mut claim = || match table.claim(key).expect("the bucket has room") {
            Claim::New(slot) => slot,
            Claim::Stale(slot) => {
                ended = Some(slot.entry.times(now));
                apply(slot.entry.abandon(now));
                slot
            }
        };
        let known = table.find(key);
        match (event, known) {
            (Event::Accept(class, tag), _) => {
                apply(claim().entry.start_waiting(&start(class, tag), now))
            }
            (Event::Submit(class, tag, bytes), _) => {
                let start = start(class, tag);
                apply(claim().entry.start_running(&start, bytes, now))
            }
            (Event::Issue, None) => {
                let start = start(Class::Write, Tag::Ordered);
                apply(claim().entry.run_uncounted(&start, now))
            }
            (_, None) => {}
            (Event::Issue, Some(slot)) => slot.entry.issue(now).into_iter().for_each(apply),
            (Event::Requeue, Some(slot)) => slot.entry.requeue(now).into_iter().for_each(apply),
            (Event::Merge, Some(slot)) => {
                apply(slot.entry.merge(now));
                ended = Some(release(slot, now));
            }
            (Event::Part(bytes), Some(slot)) => {
                assert_eq!(
                    slot.entry.complete(&completion(bytes, false, false), now),
                    None
                );
            }
            (Event::FlushData(bytes) | Event::Done(bytes), Some(slot)) => {
                let flush_sequence = matches!(event, Event::FlushData(_));
                let done = completion(bytes, true, flush_sequence);
                let verb = slot.entry.complete(&done, now);
                assert!(verb.is_some() || flush_sequence, "nothing remains");
                verb.into_iter().for_each(apply);
                if !flush_sequence {
                    ended = Some(release(slot, now));
                }
            }
            (Event::Fail, Some(slot)) => {
                slot.entry.fail();
                let done = completion(0, true, false);
                slot.entry.complete(&done, now).into_iter().for_each(apply);
                ended = Some(release(slot, now));
            }
        }
        ended
    }

    /// What a reader sees at `now`.
    pub fn snapshot(&self, now: u64) -> Snapshot {
        collect(|| self.cpus.iter(), || now)
    }
}

fn start(class: Class, tag: Tag) -> Start {
    Start {
        disk: 0xd15c,
        number: u32::MAX,
        class,
        tag,
        sector: u64::MAX,
    }
}

fn completion(bytes: u64, whole: bool, flush_sequence: bool) -> Completion {
    Completion {
        bytes,
        whole,
        flush_sequence,
    }
}

fn release(slot: Slot<'_>, now: u64) -> Times {
    let times = slot.entry.times(now);
    slot.release();
    times
}
