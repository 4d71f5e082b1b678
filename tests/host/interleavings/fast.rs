// SPDX-License-Identifier: GPL-2.0

//! An account that leaves while the entry of an I/O remembers it.

use super::{
    fast_regions::{
        self,
        OneRegion, //
    },
    outcomes,
    spawn, //
};
use iostat::acct::{
    busy::{
        Extra,
        Root,
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
    fast::{
        self,
        barrier,
        Memory,
        Source, //
    },
    inflight::{
        Claim,
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
        Record, //
    },
    transition::{
        End,
        Transition, //
    },
    turns::Turns,
};
use loom::sync::{
    atomic::{
        fence,
        AtomicBool,
        AtomicU64,
        Ordering::{
            Relaxed,
            SeqCst, //
        }, //
    },
    Arc, //
};
use std::cell::Cell;

const KEY: u64 = 64;
const NOW: u64 = 9;
const PID: u32 = 31;
const QUEUE: u64 = 128;
const ACCOUNT: Memory = Memory {
    records: 1,
    root: 1,
};
const SINK: Memory = Memory {
    records: 2,
    root: 2,
};

/// No part of a reserve.
struct Never;

impl ReservePart for Never {
    fn part(&self) -> Option<Part<'_>> {
        None
    }
}

/// One entry with an account and a sink, and the account's life.
#[derive(Default)]
pub struct Storage {
    entries: [Entry; BUCKET],
    passed: [Passed; 1],
    pub records: [CpuRecord; 2],
    pub roots: [Root; 2],
    /// For CPUs without a record: what they share, and the root of the account.
    shared: CpuRecord,
    account: Root,
    /// Since when a task waits for a tag; 0 if none does.
    waits_since: AtomicU64,
    turns: Turns,
    leaves_now: AtomicBool,
    /// A probe runs.
    pub in_probe: AtomicBool,
    is_freed: AtomicBool,
    pub region: OneRegion,
}

impl Storage {
    /// A table in which the last I/O at the key has ended.
    pub fn new() -> Arc<Self> {
        Self::of_cpu(true)
    }

    /// The same for a CPU that has a record, or has none.
    fn of_cpu(has_record: bool) -> Arc<Self> {
        let storage = Storage::default();
        // Of what has left no CPU has a record.
        storage.roots[1].set_absent();
        if !has_record {
            storage.roots[0].set_absent();
        }
        let (held, reserve, share) = (ReserveCount::default(), [Never; 0], Share::default());
        let table = InFlightTable::new(storage.main(), &reserve, &held);
        match table.claim(KEY, &share) {
            Some(Claim::New(slot)) => slot.release(),
            _ => panic!("the table is empty"),
        }
        Arc::new(storage)
    }

    fn main(&self) -> Part<'_> {
        Part::main(&self.entries, &self.passed)
    }

    fn home(&self) -> &Entry {
        self.main().home_entry(KEY).expect("there is an entry")
    }

    pub fn probe<T>(&self, work: impl FnOnce() -> T) -> T {
        self.in_probe.store(true, SeqCst);
        fence(SeqCst);
        let result = work();
        fence(SeqCst);
        self.in_probe.store(false, SeqCst);
        result
    }

    /// An I/O that takes the general path from its start to its end; its account may be remembered.
    pub fn general(&self) {
        let may = || !self.leaves_now.load(Relaxed);
        let Some(slot) = self.main().claim_home(KEY) else {
            panic!("the last I/O has ended");
        };
        let start = Start {
            account: 1,
            hctx: 0,
            class: Class::Read,
            tag: Tag::Simple,
            sector: 0,
            pid: 0,
        };
        slot.entry.start_waiting(&start, 0);
        if may() {
            slot.entry.remember(Source::queue(QUEUE), ACCOUNT, may);
        }
        slot.release();
    }

    /// Whether an event takes the fast path.
    pub fn is_fast(&self, event: impl FnOnce(Probe<'_>, &Entry)) -> bool {
        let is_general = Cell::new(false);
        let probe = Probe {
            storage: self,
            is_general: &is_general,
        };
        event(probe, self.home());
        !is_general.get()
    }

    /// The account leaves, and is freed if no probe runs.
    fn leave(&self) -> bool {
        self.leaves_now.store(true, Relaxed);
        barrier();
        self.home().replace(ACCOUNT, SINK);
        fence(SeqCst);
        let frees = !self.in_probe.load(SeqCst);
        if frees {
            self.is_freed.store(true, SeqCst);
        }
        frees
    }

    fn check(&self, memory: u64) -> usize {
        assert!(memory == SINK.records || !self.is_freed.load(SeqCst));
        (memory - 1) as usize
    }
}

pub struct Probe<'a> {
    storage: &'a Storage,
    is_general: &'a Cell<bool>,
}

impl<'a> fast::FastEvent<'a> for Probe<'a> {
    type Section = Self;

    fn enter(self) -> Self {
        self
    }

    fn general(self) {
        self.is_general.set(true);
    }
}

impl<'a> fast::Section<'a> for Probe<'a> {
    type RegionPart = fast_regions::Part<'a>;
    type Place = usize;
    type Request = Read;

    fn now(&self) -> u64 {
        NOW
    }

    fn pid(&self) -> u32 {
        PID
    }

    fn is_slow(&self, _: u64) -> bool {
        false
    }

    fn keep_slow(&self, _: &'a Root, _: &'a Entry, _: Self::Request, _: &End) {
        unreachable!("no I/O is slow");
    }

    fn place(&self, entry: &'a Entry) -> usize {
        self.storage.check(entry.memory().records())
    }

    fn record(&self, number: usize) -> &'a CpuRecord {
        &self.storage.records[number]
    }

    fn root(&self, number: usize) -> &'a Root {
        &self.storage.roots[number]
    }

    fn account(&self, entry: &'a Entry) -> Option<&'a Root> {
        let number = self.storage.check(entry.memory().root());
        (number == 0).then_some(&self.storage.account)
    }

    fn disk(&self, _: &'a Root) -> &'a Root {
        unreachable!("there is no partition");
    }

    fn record_own(&self, root: &'a Root, transition: Transition) {
        assert!(!self.storage.is_freed.load(SeqCst));
        let gauges = Tree {
            leaf: &root.gauge,
            root: None,
        };
        let _turn = self.storage.turns.take();
        transition.apply(&self.storage.shared.write(), &gauges, NOW);
    }

    fn request(&self, _: u64) -> Read {
        Read
    }

    fn region(&self, _: usize) -> fast_regions::Part<'a> {
        self.storage.region.part()
    }

    // The region is gone meanwhile.
    fn start_in_regions(self, _: &'a Root, _: &'a Entry, _: u64, _: u32) {}

    fn end_tag_wait(&self, _: &'a Root) -> Option<u64> {
        let since = self.storage.waits_since.swap(0, SeqCst);
        (since != 0).then_some(since)
    }

    fn end_in_regions(&self, _: &'a Root, _: &'a Entry) {}

    fn ended(&self, _: &'a Entry) {}

    fn leave(self) {}
}

#[derive(Clone, Copy)]
pub struct Read;

impl fast::FastRequest for Read {
    fn key(&self) -> u64 {
        KEY
    }

    fn queue(&self) -> u64 {
        QUEUE
    }

    fn is_submitted_to(&self, device: u64) -> bool {
        device == QUEUE + 8
    }

    fn class(&self) -> Class {
        Class::Read
    }

    fn sector(&self) -> u64 {
        0
    }

    fn bytes(&self) -> u32 {
        512
    }

    fn is_special(&self) -> bool {
        false
    }

    fn is_write(&self) -> bool {
        false
    }
}

#[test]
fn an_account_that_was_freed_is_not_remembered() {
    let seen = outcomes(2, || {
        let storage = Storage::new();
        let submitter = spawn(&storage, |storage| {
            storage.probe(|| storage.general());
            let start = |probe: Probe<'_>, entry: &Entry| fast::start(probe, entry, &Read);
            let starts = storage.probe(|| storage.is_fast(start));
            let issue = |probe: Probe<'_>, entry: &Entry| fast::issue(probe, entry, &Read);
            let issues = storage.probe(|| storage.is_fast(issue));
            assert_eq!(starts, issues);
            starts
        });
        let leaver = spawn(&storage, Storage::leave);
        let outcome = (submitter.join().unwrap(), leaver.join().unwrap());
        assert!(!storage.home().is_remembered());
        outcome
    });
    // Freed before, between and after; and not freed, as a probe was running.
    let expected = [(false, false), (false, true), (true, false), (true, true)];
    assert_eq!(seen, expected.into());
}

#[test]
fn a_cpu_without_a_record_records_in_an_account_that_is_there_or_nowhere() {
    let seen = outcomes(2, || {
        let storage = Storage::of_cpu(false);
        storage.probe(|| storage.general());
        let cpu = spawn(&storage, |storage| {
            let start = |probe: Probe<'_>, entry: &Entry| fast::start(probe, entry, &Read);
            let issue = |probe: Probe<'_>, entry: &Entry| fast::issue(probe, entry, &Read);
            let starts = storage.probe(|| storage.is_fast(start));
            let issues = storage.probe(|| storage.is_fast(issue));
            assert_eq!(starts, issues);
            starts
        });
        let leaver = spawn(&storage, Storage::leave);
        let outcome = (cpu.join().unwrap(), leaver.join().unwrap());
        let (_, record) = storage.shared.read();
        assert!(record.waitq.n_in >= record.waitq.n_out);
        (outcome.0, record.waitq.n_in, record.waitq.n_out)
    });
    // General; left before the start, between the steps, and after.
    let expected = [(false, 0, 0), (true, 0, 0), (true, 1, 0), (true, 1, 1)];
    assert!(
        expected[2..].iter().all(|one| seen.contains(one)),
        "{seen:?}"
    );
    assert!(seen.iter().all(|one| expected.contains(one)), "{seen:?}");
}

#[test]
fn an_io_on_the_fast_path_leaves_what_it_entered() {
    let seen = outcomes(2, || {
        let storage = Storage::new();
        storage.general();
        let io = spawn(&storage, |storage| {
            let start = |probe: Probe<'_>, entry: &Entry| fast::start(probe, entry, &Read);
            let issue = |probe: Probe<'_>, entry: &Entry| fast::issue(probe, entry, &Read);
            let complete = |probe: Probe<'_>, entry: &Entry| {
                fast::complete(probe, entry, &Read, 512);
            };
            let events = [
                storage.is_fast(start),
                storage.is_fast(issue),
                storage.is_fast(complete),
            ];
            assert_eq!(events, [events[0]; 3]);
            events[0]
        });
        let other = spawn(&storage, |storage| storage.home().forget(ACCOUNT));
        let is_fast = io.join().unwrap();
        other.join().unwrap();
        // Whether or not the account was forgotten meanwhile.
        let (_, record) = storage.records[0].read();
        let queues = [
            record.waitq,
            record.runq,
            record.waitq_busy,
            record.runq_busy,
        ];
        let ios = u64::from(is_fast);
        assert!(queues
            .iter()
            .all(|queue| queue.n_in == ios && queue.n_out == ios));
        assert!(!storage.home().is_remembered());
        is_fast
    });
    assert_eq!(seen, [false, true].into());
}

/// The start, issue and completion of an I/O on the fast path.
fn fast_io(storage: &Storage) {
    let start = |probe: Probe<'_>, entry: &Entry| fast::start(probe, entry, &Read);
    let issue = |probe: Probe<'_>, entry: &Entry| fast::issue(probe, entry, &Read);
    let complete = |probe: Probe<'_>, entry: &Entry| fast::complete(probe, entry, &Read, 512);
    assert!(storage.is_fast(start) && storage.is_fast(issue) && storage.is_fast(complete));
}

#[test]
fn an_io_takes_the_place_of_its_submitter_in_the_wait_queue() {
    for has_record in [true, false] {
        let seen = outcomes(1, move || {
            let storage = Storage::of_cpu(has_record);
            let io = spawn(&storage, move |storage| {
                storage.general();
                let (record, root) = match has_record {
                    true => (&storage.records[0], &storage.roots[0]),
                    false => (&storage.shared, &storage.account),
                };
                let before = record.read().1;
                let gauges = Tree {
                    leaf: &root.gauge,
                    root: None,
                };
                // Its submitter waits since 3.
                Transition::WaitqEnter.apply(&record.write(), &gauges, 3);
                root.gauge.add(Extra::TagWaits);
                storage.waits_since.store(3, SeqCst);
                fast_io(storage);
                let after = record.read().1;
                assert_eq!(after.devstat.start_count, before.devstat.start_count + 1);
                let queues = |record: Record<u64>| {
                    [record.waitq, record.waitq_busy]
                        .map(|queue| (queue.len(), queue.lentime_ns(NOW)))
                };
                let waited = NOW - 3;
                let [waitq, busy] = queues(before);
                let expected = [waitq, busy].map(|(len, ns)| (len, ns + waited));
                assert_eq!(queues(after), expected);
                assert_eq!(
                    after.devstat.duration.iter().sum::<u64>(),
                    before.devstat.duration.iter().sum::<u64>() + waited
                );
                // The next one is alone, and finds that no task waits.
                assert!(root.gauge.has(Extra::TagWaits));
                fast_io(storage);
                root.gauge.has(Extra::TagWaits)
            });
            io.join().unwrap()
        });
        // Without a record the extra stays: it costs no more than the record that is missing.
        assert_eq!(seen, [!has_record].into());
    }
}
