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
    busy::{
        Gauge,
        Tree, //
    },
    class::{
        Class,
        Tag, //
    },
    entry::{
        Entry,
        Start, //
    },
    inflight::{
        Claim,
        Claimed,
        InFlightTable,
        Part,
        Passed,
        ReserveCount,
        ReservePart,
        Share,
        BUCKET, //
    },
    record::CpuRecord,
    transition::Transition, //
};

const START: Start = Start {
    account: 0xd15c,
    hctx: 0,
    class: Class::Read,
    tag: Tag::Simple,
    sector: 2048,
    pid: 0,
};

/// As many as the module has.
const ENTRIES: usize = 65536;

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
    fn record(&self, cpu: usize, transition: Option<Transition>, now: u64) {
        if let Some(transition) = transition {
            let gauges = Tree {
                leaf: &self.gauge.0,
                root: None,
            };
            transition.apply(&self.cpus[cpu].write(), &gauges, now);
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
        let end = request
            .entry
            .is_plain()
            .then(|| request.entry.end_plainly(u64::from(BYTES), now));
        self.record(cpu, end.map(Transition::RunqExitEnd), now);
    }
}

/// All of it.
pub struct Disk {
    records: Bare,
    entries: Vec<Entry>,
    passed: Vec<Passed>,
    reserve: [Never; 0],
    held: ReserveCount,
    share: Share,
}

/// A part that is not there.
struct Never;

impl ReservePart for Never {
    fn part(&self) -> Option<Part<'_>> {
        None
    }
}

impl Disk {
    pub fn new() -> Self {
        Disk {
            records: Bare::new(),
            entries: (0..ENTRIES).map(|_| Entry::default()).collect(),
            passed: (0..ENTRIES / BUCKET).map(|_| Passed::default()).collect(),
            reserve: [],
            held: ReserveCount::default(),
            share: Share::default(),
        }
    }

    #[inline(always)]
    fn main(&self) -> Part<'_> {
        Part::main(&self.entries, &self.passed)
    }

    /// In the first round, wherever there is room; from then on where that was.
    #[inline(always)]
    fn claim(&self, key: u64) -> Option<Claimed<'_>> {
        match self.main().claim_home(key) {
            Some(slot) => Some(slot),
            None => self.first_claim(key),
        }
    }

    #[cold]
    fn first_claim(&self, key: u64) -> Option<Claimed<'_>> {
        let table = InFlightTable::new(self.main(), &self.reserve, &self.held);
        match table.claim(key, &self.share)? {
            Claim::New(slot) => Some(slot),
            Claim::Stale(_) => None,
        }
    }
}

impl Account for Disk {
    #[inline(always)]
    fn start(&self, cpu: usize, request: &mut Request) {
        if let Some(slot) = self.claim(request.key) {
            let now = now();
            let transition = slot.entry.start_waiting(&START, now);
            self.records.record(cpu, Some(transition), now);
        }
    }

    #[inline(always)]
    fn issue(&self, cpu: usize, request: &mut Request) {
        if let Some(slot) = self.main().find_home(request.key) {
            let now = now();
            self.records.record(cpu, slot.entry.issue(now), now);
        }
    }

    #[inline(always)]
    fn complete(&self, cpu: usize, request: &mut Request) {
        if let Some(slot) = self.main().find_home(request.key) {
            let now = now();
            let entry = slot.entry;
            let end = entry
                .is_plain()
                .then(|| entry.end_plainly(u64::from(BYTES), now));
            self.records
                .record(cpu, end.map(Transition::RunqExitEnd), now);
            slot.release();
        }
    }
}
