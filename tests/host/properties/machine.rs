// SPDX-License-Identifier: GPL-2.0

//! Disks on floor 0, with the code between event and record that the recorder has.

use super::model::Event;
use iostat::acct::{
    absorb::PartitionSum,
    busy::{
        Gauge,
        Root,
        Tree, //
    },
    class::{
        Class,
        Tag, //
    },
    counter::Counter,
    entry::{
        Completion,
        Entry,
        Start,
        Times, //
    },
    fast::{
        self,
        barrier,
        Fresh, //
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
    record::{
        CpuRecord,
        DiskSummand,
        Rare, //
        RecordPart as Records,
        RecordWrite,
    },
    snapshot::{
        collect,
        Snapshot, //
    },
    transition::Transition,
    turns::Turns,
};
use std::{
    cell::Cell,
    collections::HashMap,
    rc::Rc, //
};

/// The number of keys that always have room in a table of one bucket.
pub const ROOM: usize = BUCKET;

/// The number of I/Os of one disk that have room in the reserve, from its [`PROMISED`]th I/O on; and of all disks together
/// before.
pub const SHARE: usize = 3;

/// The number of I/Os that begin on a disk before its share is promised.
const PROMISED: u32 = 5;

/// The holder of room in the reserve that the disks without a share have together.
const COMMON: u64 = u64::MAX;

/// The memory of a part of the table.
pub struct Memory {
    pub entries: Vec<Entry>,
    passed: Vec<Passed>,
    holders: Vec<Counter>,
}

impl Memory {
    pub fn new(entries: usize) -> Self {
        Memory {
            entries: (0..entries).map(|_| Entry::default()).collect(),
            passed: (0..entries / BUCKET).map(|_| Passed::default()).collect(),
            holders: (0..entries).map(|_| Counter::default()).collect(),
        }
    }

    pub fn main(&self) -> Part<'_> {
        Part::main(&self.entries, &self.passed)
    }
}

impl ReservePart for Memory {
    fn part(&self) -> Option<Part<'_>> {
        Some(Part::of_reserve(&self.entries, &self.passed, &self.holders))
    }
}

/// One disk and its records.
pub struct Disk {
    /// The record that CPUs share, and one for each CPU. Shared with readers that are still in progress while the disk
    /// goes on.
    pub cpus: Rc<[CpuRecord]>,
    turns: Turns,
    rare: Rare,
    /// How many steps of each CPU until it is given its record.
    until: Vec<Cell<u32>>,
    /// A gauge for each hardware queue; empty if the disk has only one.
    pub leaves: Vec<Gauge>,
    pub root: Root,
    pub number: u32,
    share: Share,
    begun: Cell<u32>,
}

impl Disk {
    pub fn new(cpus: usize, queues: usize, number: u32) -> Self {
        let leaves = if queues > 1 { queues } else { 0 };
        Disk {
            cpus: (0..=cpus).map(|_| CpuRecord::default()).collect(),
            turns: Turns::default(),
            rare: Rare::default(),
            // The first has it from the start.
            until: (0..cpus as u32).map(|cpu| Cell::new(7 * cpu)).collect(),
            leaves: (0..leaves).map(|_| Gauge::default()).collect(),
            root: Root::default(),
            number,
            share: Share::default(),
            begun: Cell::new(0),
        }
    }

    /// What an I/O that begins takes room from.
    fn share<'a>(&'a self, common: &'a Share) -> &'a Share {
        self.begun.set(self.begun.get() + 1);
        if self.begun.get() == PROMISED {
            self.share.set_most(SHARE as u64);
        }
        self.share.or(common)
    }

    /// Whether enough I/Os began on the disk that it has its own share of the reserve.
    pub fn has_share(&self) -> bool {
        self.begun.get() >= PROMISED
    }

    /// Records a step; `above` is the disk, if this is a partition.
    pub fn record(
        &self,
        cpu: usize,
        hctx: u16,
        transition: Transition,
        above: Option<&Disk>,
        now: u64,
    ) {
        let gauges = match self.leaves.get(usize::from(hctx)) {
            None => Tree {
                leaf: &self.root.gauge,
                root: None,
            },
            Some(leaf) => Tree {
                leaf,
                root: Some(&self.root.gauge),
            },
        };
        match self.own(cpu) {
            Some(record) if !transition.is_rare() => {
                apply(transition, &record.write(), &gauges, above, now);
            }
            _ => {
                let until = &self.until[cpu % self.until.len()];
                until.set(until.get().saturating_sub(1));
                let shared = self.cpus[0].write_shared(&self.turns, &self.rare);
                apply(transition, &shared, &gauges, above, now);
            }
        }
    }

    /// The record of a CPU, if it has been given it.
    pub fn own(&self, cpu: usize) -> Option<&CpuRecord> {
        let cpu = cpu % self.until.len();
        (self.until[cpu].get() == 0).then(|| &self.cpus[1 + cpu])
    }

    /// All records as readers of histograms look at them.
    pub fn parts(&self) -> impl Iterator<Item = Records<'_>> {
        let rare = |index| (index == 0).then_some((&self.rare, None));
        let cpus = self.cpus.iter().enumerate();
        cpus.map(move |(index, record)| Records {
            record,
            bases: None,
            rare: rare(index),
        })
    }

    /// Returns what entries remember of the disk.
    pub fn memory(&self) -> fast::Memory {
        let number = u64::from(self.number);
        fast::Memory {
            records: number,
            root: number,
        }
    }

    /// Returns a snapshot at `now`.
    pub fn snapshot(&self, now: u64) -> Snapshot {
        collect(|| self.cpus.iter(), || now)
    }
}

fn apply(
    transition: Transition,
    record: &impl RecordWrite,
    gauges: &Tree<'_>,
    above: Option<&Disk>,
    now: u64,
) {
    match above {
        None => transition.apply(record, gauges, now),
        Some(disk) => transition.apply_in_partition(record, gauges, &disk.root.gauge, now),
    }
}

/// Disks, known by their places as the kernel's are by their addresses, and the I/Os in flight on all of
/// them.
pub struct Machine {
    pub disks: Vec<Disk>,
    pub main: Memory,
    reserve: [Memory; 1],
    held: ReserveCount,
    common: Share,
    /// I/Os without room in the table.
    pub untracked: u64,
    numbers: u32,
    /// Counts I/Os on the fast path whose disk was removed.
    pub sink: Disk,
    /// What CPUs have in place of records that they were not given.
    pub absent: (CpuRecord, Root),
    /// The disk that all of `disks` are partitions of.
    pub whole: Option<Disk>,
    /// Data in each request: its class and tag, and when it entered the wait and the run queue.
    pub requests: HashMap<u64, (Class, Tag, [u64; 2])>,
    /// Events that took the fast path.
    pub fast: u64,
    /// I/Os on the fast path whose issue was left to the regions.
    pub in_regions: Cell<u64>,
    /// Since when the task that submits the next I/O waits for a tag. It is in the wait queue of the disk.
    pub tag_wait: Cell<Option<u64>>,
}

/// The number of the sink.
const SINK: u32 = u32::MAX;

impl Machine {
    pub fn new(disks: usize, cpus: usize, queues: usize, buckets: usize) -> Self {
        let disk = |number| Disk::new(cpus, queues, number);
        Machine {
            disks: (0..).take(disks).map(disk).collect(),
            main: Memory::new(buckets * BUCKET),
            reserve: [Memory::new(2 * BUCKET)],
            held: ReserveCount::default(),
            common: Share::new(SHARE as u64),
            untracked: 0,
            numbers: disks as u32,
            sink: Disk::new(cpus, 1, SINK),
            absent: {
                let root = Root::default();
                root.set_absent();
                (CpuRecord::default(), root)
            },
            whole: None,
            requests: HashMap::new(),
            fast: 0,
            in_regions: Cell::new(0),
            tag_wait: Cell::new(None),
        }
    }

    /// Removes the disk at `place` and adds another one there. I/Os of the removed disk may still be in
    /// flight. If it is a partition, its disk has its counts from then on.
    pub fn replace(&mut self, place: usize) {
        let Disk { until, leaves, .. } = &self.disks[place];
        let (old, sink) = (self.disks[place].memory(), self.sink.memory());
        barrier();
        self.main
            .entries
            .iter()
            .for_each(|entry| entry.replace(old, sink));
        let mut new = Disk::new(until.len(), leaves.len(), self.numbers);
        if let Some(whole) = &self.whole {
            new.root = Root::of_partition(whole.memory().root);
        }
        let old = std::mem::replace(&mut self.disks[place], new);
        self.numbers += 1;
        if let Some(whole) = &self.whole {
            let mut sum = PartitionSum::default();
            sum.take(|| old.parts());
            while sum.add_to(&whole.cpus[0].write_shared(&whole.turns, &whole.rare)) {}
        }
    }

    /// Returns the number of tracked I/Os.
    pub fn tracked(&self) -> usize {
        self.table().in_use()
    }

    fn table(&self) -> InFlightTable<'_, Memory> {
        InFlightTable::new(self.main.main(), &self.reserve, &self.held)
    }

    /// Releases the slot of an I/O that has ended.
    fn release(&self, slot: Claimed<'_>) {
        let holder = slot.holder().map(Counter::get);
        slot.release();
        self.release_share(holder);
    }

    /// Returns a disk's place in the reserve.
    fn release_share(&self, holder: Option<u64>) {
        let Some(holder) = holder else { return };
        if holder == COMMON {
            return self.common.release();
        }
        let disk = &self.disks[(holder >> 32) as usize];
        if disk.number == holder as u32 {
            disk.share.release();
        }
    }

    /// Records `event` on `cpu`; a new I/O begins on the disk at `place`. Returns the times of an I/O that
    /// ends.
    pub fn hear(
        &mut self,
        place: usize,
        cpu: usize,
        key: u64,
        event: Event,
        now: u64,
    ) -> Option<Times> {
        let is_fast = self.hear_fast(place, cpu, key, event, now);
        match (event, self.requests.get_mut(&key)) {
            (Event::Accept(class, tag), _) => {
                self.requests.insert(key, (class, tag, [now, 0]));
            }
            (Event::Submit(class, tag, _), _) => {
                self.requests.insert(key, (class, tag, [now; 2]));
            }
            (Event::Issue, Some((.., [_, issued]))) => *issued = now,
            _ => {}
        }
        if is_fast {
            self.fast += 1;
            let (.., [started, issued]) = self.requests[&key];
            return matches!(event, Event::Done(_)).then(|| Times {
                wait_ns: issued.wrapping_sub(started),
                service_ns: now.wrapping_sub(issued),
            });
        }
        let table = self.table();
        let found = self.main.main().find_home(key).or_else(|| table.find(key));
        if let Some(slot) = found {
            slot.entry
                .generalize(key, || match (event, self.requests.get(&key)) {
                    (Event::Accept(..) | Event::Submit(..), _) | (_, None) => Fresh::UNKNOWN,
                    (_, Some((class, ..))) => Fresh {
                        class: *class,
                        sector: u64::MAX,
                    },
                });
        }
        let slot = match (event, found) {
            (Event::Accept(class, tag), _) => {
                let since = self.tag_wait.take();
                let mut start = self.start(place, cpu, class, tag);
                if since.is_some() {
                    start.hctx = fast::DIRECT;
                }
                let has_place = since.is_some() && self.whole.is_none();
                let ended = self.begin(place, cpu, key, now, |entry| {
                    let waits = entry.start_waiting(&start, since.unwrap_or(now));
                    match has_place {
                        true => Transition::StartInWaitq,
                        false => waits,
                    }
                });
                if let (Some(since), Some(whole)) = (since, &self.whole) {
                    let waited = Transition::WaitedBefore(now - since);
                    self.disks[place].record(cpu, fast::DIRECT, waited, Some(whole), now);
                    whole.record(cpu, fast::DIRECT, Transition::WaitqExit, None, now);
                }
                // With several hardware queues: its hardware queue is not the root's.
                if since.is_none() || self.disks[place].leaves.is_empty() {
                    self.remember(place, key, &start);
                }
                return ended;
            }
            (Event::Submit(class, tag, bytes), _) => {
                let start = self.start(place, cpu, class, tag);
                return self.begin(place, cpu, key, now, |entry| {
                    entry.start_running(&start, bytes, now)
                });
            }
            (Event::Issue, None) => {
                let start = self.start(place, cpu, Class::Write, Tag::Ordered);
                return self.begin(place, cpu, key, now, |entry| {
                    entry.run_uncounted(&start, now)
                });
            }
            (_, None) => return None,
            (_, Some(slot)) => slot,
        };
        let entry = slot.entry;
        let (transition, ends) = match event {
            Event::Issue => (entry.issue(now), false),
            Event::Requeue => (entry.requeue(now), false),
            Event::Part(bytes) => (entry.complete(&completion(bytes, false, false), now), false),
            Event::FlushData(bytes) => (entry.complete(&completion(bytes, true, true), now), false),
            Event::Merge => (Some(entry.merge(now)), true),
            Event::Refuse => (Some(entry.refuse(now)), true),
            Event::Fail => {
                entry.fail();
                (entry.complete(&completion(0, true, false), now), true)
            }
            Event::Done(bytes) => {
                // The fast path first, as in the recorder.
                let plain = entry
                    .is_plain()
                    .then(|| Transition::RunqExitEnd(entry.end_plainly(bytes, now)));
                let done = completion(bytes, true, false);
                (plain.or_else(|| entry.complete(&done, now)), true)
            }
            Event::Accept(..) | Event::Submit(..) => unreachable!("begun above"),
        };
        assert!(transition.is_some() || !ends, "nothing remains");
        self.record(cpu, entry, transition, now);
        ends.then(|| {
            let times = entry.times(now);
            self.release(slot);
            times
        })
    }

    /// Takes a slot. Returns the times of an I/O in it whose end was not recorded.
    fn begin(
        &mut self,
        place: usize,
        cpu: usize,
        key: u64,
        now: u64,
        begin: impl FnOnce(&Entry) -> Transition,
    ) -> Option<Times> {
        let mut ended = None;
        let disk = &self.disks[place];
        let share = disk.share(&self.common);
        let claim = match self.main.main().claim_home(key) {
            Some(slot) => Some(Claim::New(slot)),
            None => self.table().claim(key, share),
        };
        let slot = match claim {
            Some(Claim::New(slot)) => slot,
            Some(Claim::Stale(slot)) => {
                ended = Some(slot.entry.times(now));
                let transition = slot.entry.abandon();
                self.record(cpu, slot.entry, Some(transition), now);
                if let Some(holder) = slot.holder() {
                    self.release_share(Some(holder.get()));
                    share.take_over();
                }
                slot
            }
            None => {
                self.untracked += 1;
                return None;
            }
        };
        if let Some(holder) = slot.holder() {
            let own = (place as u64) << 32 | u64::from(disk.number);
            let is_own = std::ptr::eq(share, &disk.share);
            holder.set(if is_own { own } else { COMMON });
        }
        let transition = begin(slot.entry);
        self.record(cpu, slot.entry, Some(transition), now);
        ended
    }

    /// Records a step of an I/O, unless its disk was removed.
    fn record(&self, cpu: usize, entry: &Entry, transition: Option<Transition>, now: u64) {
        let place = entry.account() >> 32;
        let disk = &self.disks[place as usize];
        if disk.number == entry.account() as u32 {
            transition.into_iter().for_each(|transition| {
                disk.record(cpu, entry.hctx(), transition, self.disk_of(disk), now);
            });
        }
    }

    /// The disk of a partition.
    pub fn disk_of(&self, partition: &Disk) -> Option<&Disk> {
        let whole = self.whole.as_ref();
        whole.filter(|whole| !std::ptr::eq(*whole, partition))
    }

    /// Returns a snapshot at `now` of the disk that has partitions: of its records and theirs.
    pub fn snapshot_of_whole(&self, now: u64) -> Option<Snapshot> {
        let whole = self.whole.as_ref()?;
        let partitions = || self.disks.iter().flat_map(|disk| disk.cpus.iter());
        let own = || whole.cpus.iter().map(DiskSummand::own);
        let all = || own().chain(partitions().map(DiskSummand::of_partition));
        Some(collect(all, || now))
    }

    /// All records that readers of the histograms of that disk look at.
    pub fn parts_of_whole(&self) -> impl Iterator<Item = Records<'_>> {
        let disks = self.whole.iter().chain(&self.disks);
        disks.flat_map(Disk::parts)
    }

    /// An I/O starts in the hardware queue of the CPU it starts on, wherever it goes on.
    fn start(&self, place: usize, cpu: usize, class: Class, tag: Tag) -> Start {
        let disk = &self.disks[place];
        Start {
            account: (place as u64) << 32 | u64::from(disk.number),
            hctx: (cpu % disk.leaves.len().max(1)) as u16,
            class,
            tag,
            sector: u64::MAX,
            pid: 0,
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
