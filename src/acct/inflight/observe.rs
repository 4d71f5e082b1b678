// SPDX-License-Identifier: GPL-2.0

//! The I/Os in flight, for a reader that owns none of them.
//!
//! An entry is written by the owner of its I/O alone, who does not wait for readers, and it is used again as soon as
//! the I/O has ended. A reader copies it, does what else it has to do, and copies it again: if both copies are equal,
//! all of it was of one I/O. If not, the copies differ, for these reasons:
//!
//! - In an entry whose I/O has ended, the service time is not less than the start. The fast path leaves the time of
//!   the issue there, and [`Entry::end_observation`] the start. An I/O that has just taken the entry on the fast path finds
//!   the two like this, until it has set its own start. So an I/O that waits is seen from then on.
//! - On the general path, `state` has no flags until all of the entry is of the I/O, and from its end on.
//! - Two I/Os of one entry do not start at the same time.
//!
//! If the two copies of an entry differ at each attempt, its I/O does not hang; it is left out.

use super::key::{
    Key,
    KeyState, //
};
use crate::{
    acct::{
        class::Class,
        entry::{
            Entry,
            Times,
            COUNTED,
            RUNNING, //
        },
        fast::Memory,
    },
    sync::{
        fence,
        spin_loop,
        Ordering::Acquire, //
    },
};

/// Where an I/O is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedIn {
    /// `account` of its [`Start`](super::super::event::Start).
    Account(u64),
    /// On the fast path: the account that its entry remembers.
    Memory(Memory),
}

/// An I/O in flight at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedIo {
    /// Where it is recorded.
    pub account: ObservedIn,
    /// Whether it is in the run queue.
    pub is_running: bool,
    /// When it was accepted, ns.
    pub start_ns: u64,
    /// Its service time; while it runs, less the time now, wrapping.
    service_ns: u64,
    /// `pid` of its [`Start`](super::super::event::Start).
    pub pid: u32,
    /// Its class, first sector, and bytes; [`None`] on the fast path, where the entry does not have
    /// them.
    pub what: Option<(Class, u64, u64)>,
}

impl ObservedIo {
    /// Wait and service time up to `now`. (Clocks of CPUs may differ by some ns.)
    pub fn times(&self, now: u64) -> Times {
        let service_ns = match self.is_running {
            true => self.service_ns.wrapping_add(now),
            false => self.service_ns,
        };
        Times::of(now.wrapping_sub(self.start_ns), service_ns)
    }
}

/// How often an entry is copied before its I/O is left out.
const ATTEMPTS: usize = if cfg!(loom) { 1 } else { 16 };

impl Entry {
    /// The I/O in flight here, if there is one, and what `look` returned for its address, which was called while it was in
    /// flight. (If the entry was changed meanwhile, `look` is called again.)
    pub fn observe<T>(&self, mut look: impl FnMut(u64) -> T) -> Option<(ObservedIo, T)> {
        for _ in 0..ATTEMPTS {
            let key = self.key.observe();
            let (address, state) = Key::split(key)?;
            if let Some(first) = self.copy(state) {
                let found = look(address);
                // The key before the copy: that of the next I/O has the same address and state, and is stored after the start
                // of that, which the copy then has.
                if self.key.observe() == key && self.copy(state) == Some(first) {
                    return Some((first, found));
                }
            }
            spin_loop();
        }
        None
    }

    /// A copy of the entry, whose key has this state; [`None`] if it is not all of one I/O yet.
    fn copy(&self, state: KeyState) -> Option<ObservedIo> {
        match state {
            KeyState::General => self.copy_general(),
            KeyState::Waits | KeyState::Runs => self.copy_fast(state == KeyState::Runs),
        }
    }

    fn copy_fast(&self, is_running: bool) -> Option<ObservedIo> {
        let start_ns = self.start_ns.get();
        fence(Acquire);
        let stored_ns = self.service_ns.get();
        let service_ns = match (is_running, stored_ns >= start_ns) {
            (true, true) => stored_ns.wrapping_neg(),
            (false, false) => 0,
            // The start or the issue is not stored yet.
            _ => return None,
        };
        let memory = Memory {
            records: self.memory.records(),
            root: self.memory.root(),
        };
        fence(Acquire);
        Some(ObservedIo {
            account: ObservedIn::Memory(memory),
            is_running,
            start_ns,
            service_ns,
            pid: self.pid(),
            what: None,
        })
    }

    fn copy_general(&self) -> Option<ObservedIo> {
        let state = self.state.get();
        if state & (RUNNING | COUNTED) == 0 {
            return None;
        }
        fence(Acquire);
        let start_ns = self.start_ns.get();
        fence(Acquire);
        let seen = ObservedIo {
            account: ObservedIn::Account(self.account()),
            is_running: state & RUNNING != 0,
            start_ns,
            service_ns: self.service_ns.get(),
            pid: self.pid(),
            what: Some((self.kind().class_of(), self.sector(), self.bytes())),
        };
        fence(Acquire);
        (self.state.get() == state).then_some(seen)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::acct::{
        class::Tag,
        entry::Start,
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
    };
    use crate::sync::Ordering::Release;
    use std::{
        sync::atomic::{
            AtomicBool, AtomicU64,
            Ordering::{
                Relaxed,
                SeqCst, //
            },
        },
        thread,
    };

    const ADDRESS: u64 = 8;
    const KIND: Start = Start {
        account: 0,
        hctx: 7,
        class: Class::Read,
        tag: Tag::Simple,
        sector: 0,
        pid: 0,
    };

    struct NoReserve;

    impl ReservePart for NoReserve {
        fn part(&self) -> Option<Part<'_>> {
            None
        }
    }

    fn seen(entry: &Entry) -> Option<ObservedIo> {
        Some(entry.observe(|address| assert_eq!(address, ADDRESS))?.0)
    }

    #[test]
    fn an_io_is_seen_from_its_start_to_its_end() {
        let entries: [Entry; BUCKET] = Default::default();
        let passed: [Passed; 1] = Default::default();
        let (held, share) = (ReserveCount::default(), Share::default());
        let reserve: [NoReserve; 0] = [];
        let table = InFlightTable::new(Part::main(&entries, &passed), &reserve, &held);
        let Some(Claim::New(slot)) = table.claim(ADDRESS, &share) else {
            panic!("no room");
        };
        let entry = slot.entry;
        assert_eq!(seen(entry), None);
        let start = Start {
            account: 77,
            sector: 2048,
            pid: 31,
            ..KIND
        };
        entry.start_waiting(&start, 1000);
        let waiting = seen(entry).unwrap();
        assert_eq!(waiting.account, ObservedIn::Account(77));
        assert_eq!(
            (waiting.pid, waiting.what),
            (31, Some((Class::Read, 2048, 0)))
        );
        let times = waiting.times(1300);
        assert!(!waiting.is_running && (times.wait_ns, times.service_ns) == (300, 0));
        entry.issue(1100);
        let running = seen(entry).unwrap();
        let times = running.times(1300);
        assert!(running.is_running && (times.wait_ns, times.service_ns) == (100, 200));
        assert_eq!(running.times(1050).service_ns, 0);
        slot.release();
        assert_eq!(seen(entry), None);
        assert_eq!(entry.hctx(), 7);
        // The next request at this address, taken on the fast path.
        assert!(entry.key.take_again(ADDRESS, KeyState::Waits));
        assert_eq!(seen(entry), None);
        entry.start_ns.set(2000);
        assert!(seen(entry).is_some_and(|io| !io.is_running && io.start_ns == 2000));
        entry.key.set(ADDRESS, KeyState::Runs);
        assert_eq!(seen(entry), None);
        entry.service_ns.set(2200);
        let times = seen(entry).unwrap().times(2500);
        assert_eq!((times.wait_ns, times.service_ns), (200, 300));
        entry.release();
        assert!(entry.key.take_again(ADDRESS, KeyState::Waits));
        assert_eq!(seen(entry), None);
        // Its submitter has waited for a tag since before the last issue.
        entry.start_ns.set(3000);
        entry.start_since(2100);
        assert!(seen(entry).is_some_and(|io| !io.is_running && io.start_ns == 2100));
    }

    /// Stops the writer.
    struct Stop<'a>(&'a AtomicBool);

    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }

    /// A request whose members are set by its owner before it starts: number `n` starts at `1000 * n`.
    #[test]
    fn no_io_is_seen_with_what_is_of_another() {
        let entries: [Entry; BUCKET] = Default::default();
        let passed: [Passed; 1] = Default::default();
        let (held, share) = (ReserveCount::default(), Share::default());
        let reserve: [NoReserve; 0] = [];
        let table = InFlightTable::new(Part::main(&entries, &passed), &reserve, &held);
        let Some(Claim::New(slot)) = table.claim(ADDRESS, &share) else {
            panic!("no room");
        };
        let entry = slot.entry;
        slot.release();
        let (member, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 4u64.. {
                    if stop.load(Relaxed) {
                        return;
                    }
                    let now = 1000 * number;
                    member.store(number, SeqCst);
                    match number % 4 {
                        0 => general(&table, &share, number),
                        // It waited for a tag since before the end of the one before it.
                        1 => fast(entry, now, Some(now - 1200)),
                        _ => fast(entry, now, None),
                    }
                }
            });
            // The writer stops also if an assertion fails.
            let stopping = Stop(&stop);
            let mut count = 0;
            while member.load(Relaxed) < 100_000 {
                let Some((io, number)) = entry.observe(|_| member.load(SeqCst)) else {
                    continue;
                };
                let is_tag_wait = number % 4 == 1;
                let start = 1000 * number - if is_tag_wait { 1200 } else { 0 };
                let is_before = is_tag_wait && io.start_ns == 1000 * number;
                assert!(io.start_ns == start || is_before, "{io:?}, {number}");
                assert_eq!(u64::from(io.pid), number);
                if let Some((class, sector, bytes)) = io.what {
                    assert_eq!((class, sector, bytes), (Class::Read, number, number));
                    assert_eq!(io.account, ObservedIn::Account(number));
                }
                let issued_ns = 1000 * number + if io.what.is_none() { 300 } else { 0 };
                assert!(
                    !io.is_running || io.service_ns == issued_ns.wrapping_neg(),
                    "{io:?}, {number}"
                );
                count += 1;
            }
            drop(stopping);
            assert!(count > 0);
        });
    }

    fn general(table: &InFlightTable<'_, NoReserve>, share: &Share, number: u64) {
        let Some(Claim::New(slot)) = table.claim(ADDRESS, share) else {
            panic!("no room");
        };
        let start = Start {
            account: number,
            sector: number,
            // CAST: Small.
            pid: number as u32,
            ..KIND
        };
        // CAST: Small.
        slot.entry
            .start_running(&start, number as u32, 1000 * number);
        slot.release();
    }

    /// For a reader that has to be as fast.
    fn pause() {
        (0..50).for_each(|_| std::hint::spin_loop());
    }

    fn fast(entry: &Entry, now: u64, since: Option<u64>) {
        assert!(entry.key.take_again(ADDRESS, KeyState::Waits));
        // CAST: Small.
        entry.pid.set((now / 1000) as u32);
        fence(Release);
        entry.start_ns.set(now);
        if let Some(since) = since {
            entry.start_since(since);
        }
        pause();
        entry.key.set(ADDRESS, KeyState::Runs);
        entry.service_ns.set(now + 300);
        pause();
        entry.release();
    }

    #[test]
    fn a_service_time_is_from_0_to_the_total() {
        let half = u64::MAX / 2;
        let io = |is_running, service_ns| ObservedIo {
            account: ObservedIn::Account(0),
            is_running,
            start_ns: 100,
            service_ns,
            pid: 0,
            what: None,
        };
        let times = |io: ObservedIo, now| {
            let times = io.times(now);
            (times.wait_ns, times.service_ns)
        };
        assert_eq!(times(io(false, 30), 150), (20, 30));
        assert_eq!(times(io(true, 120u64.wrapping_neg()), 150), (20, 30));
        // Issued, or started, later than now; and longer than the total.
        assert_eq!(times(io(true, 160u64.wrapping_neg()), 150), (50, 0));
        assert_eq!(times(io(false, 30), 90), (0, 0));
        assert_eq!(times(io(false, 70), 150), (0, 50));
        // The longest that is not negative.
        assert_eq!(times(io(false, half), 100 + half), (0, half));
        assert_eq!(times(io(false, half + 1), 100 + half), (half, 0));
        assert_eq!(times(io(false, half + 1), 100 + half + 1), (0, 0));
    }
}
