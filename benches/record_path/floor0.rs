// SPDX-License-Identifier: GPL-2.0

//! Floor 0 as the recorder uses it: a table of I/Os in flight, a record for each CPU, a gauge.

use super::{
    clock::now,
    load::{
        Account,
        Request,
        BYTES, //
    },
};
use iostat::acct::{
    busy::Gauge,
    class::{
        Class,
        Tag, //
    },
    entry::{
        Completion,
        Start, //
    },
    inflight::{
        Claim,
        Entries,
        Keys,
        Table, //
    },
    record::CpuRecord,
    verb::Verb, //
};

const START: Start = Start {
    disk: 0xd15c,
    number: 0,
    class: Class::Read,
    tag: Tag::Simple,
    sector: 2048,
};

const DONE: Completion = Completion {
    bytes: BYTES as u64,
    whole: true,
    flush_sequence: false,
};

/// As many as the module has.
const BUCKETS: usize = 4096;

/// The gauge on a line of its own, as in the module.
#[derive(Default)]
#[repr(align(64))]
struct Line(Gauge);

/// Floor 0 without its table: the state of an I/O is at hand.
#[derive(Default)]
pub struct Bare {
    cpus: [CpuRecord; 2],
    gauge: Line,
}

impl Bare {
    pub fn new() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn record(&self, cpu: usize, verb: Option<Verb>, now: u64) {
        if let Some(verb) = verb {
            verb.apply(&self.cpus[cpu].write(), &self.gauge.0, now);
        }
    }
}

impl Account for Bare {
    #[inline(always)]
    fn start(&self, cpu: usize, request: &mut Request) {
        let now = now();
        self.record(cpu, Some(request.entry.start_waiting(&START, now)), now);
    }

    #[inline(always)]
    fn issue(&self, cpu: usize, request: &mut Request) {
        let now = now();
        self.record(cpu, request.entry.issue(now), now);
    }

    #[inline(always)]
    fn complete(&self, cpu: usize, request: &mut Request) {
        let now = now();
        self.record(cpu, request.entry.complete(&DONE, now), now);
    }
}

/// All of it.
pub struct Disk {
    records: Bare,
    keys: Vec<Keys>,
    entries: Vec<Entries>,
}

impl Disk {
    pub fn new() -> Self {
        Disk {
            records: Bare::new(),
            keys: (0..BUCKETS).map(|_| Keys::default()).collect(),
            entries: (0..BUCKETS).map(|_| Entries::default()).collect(),
        }
    }

    #[inline(always)]
    fn table(&self) -> Table<'_> {
        Table::new(&self.keys, &self.entries)
    }
}

impl Account for Disk {
    #[inline(always)]
    fn start(&self, cpu: usize, request: &mut Request) {
        if let Some(Claim::New(slot)) = self.table().claim(request.key) {
            let now = now();
            let verb = slot.entry.start_waiting(&START, now);
            self.records.record(cpu, Some(verb), now);
        }
    }

    #[inline(always)]
    fn issue(&self, cpu: usize, request: &mut Request) {
        if let Some(slot) = self.table().find(request.key) {
            let now = now();
            self.records.record(cpu, slot.entry.issue(now), now);
        }
    }

    #[inline(always)]
    fn complete(&self, cpu: usize, request: &mut Request) {
        if let Some(slot) = self.table().find(request.key) {
            let now = now();
            let verb = slot.entry.complete(&DONE, now);
            self.records.record(cpu, verb, now);
            slot.release();
        }
    }
}
