// SPDX-License-Identifier: GPL-2.0

//! The state of an I/O between its start and its end.
//!
//! No pair of the block layer's tracepoints balances: flush sequences complete twice, a busy
//! device requeues what it never started, passthrough has no end event. So every I/O that enters
//! an account gets an [`Entry`], and only what the entry says it did is recorded; an event
//! that does not fit changes nothing.
//!
//! An entry is only used by the current owner of the I/O: submitter, dispatcher, device, completer. The block layer
//! passes the I/O from one to the next with the memory ordering that its own fields need, which orders ours as well. So
//! all accesses are relaxed.

mod memory;
pub mod parts;
mod regions;

pub use super::event::{
    Completion,
    Start,
    Times, //
};
use super::{
    class::Kind,
    counter::{
        Counter,
        Half, //
    },
    fast::Remembered,
    inflight::Key,
    region::pending::RegionState,
    transition::{
        End,
        Transition, //
    },
};
use crate::sync::{
    fence,
    Ordering::Release, //
};
use parts::Parts;

/// The state of one I/O. The first cache line is that of the fast path, the second that of the general
/// path and of regions.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Entry {
    /// The address of its I/O, and on the fast path the state of the I/O.
    pub(super) key: Key,
    pub(super) start_ns: Counter,
    /// The times at which the I/O left the run queue less the times at which it entered it,
    /// wrapping: its service time, once it has left. On the fast path, when it entered the run
    /// queue.
    pub(super) service_ns: Counter,
    pub(super) bytes: Counter,
    /// What the next I/O of this entry may use: see [`super::fast`].
    pub(crate) memory: Remembered,
    pub(super) state: Half,
    /// The thread that submitted the I/O: [`Start::pid`].
    pub(super) pid: Half,
    account: Counter,
    pub(super) sector: Counter,
    /// The state that regions need; not valid on the general path without `IN_REGIONS`.
    pub pending: RegionState,
    /// The parts of a bio; not valid for a request.
    pub parts: Parts,
}

/// Bits of `state`. The low byte is the [`Kind`], the upper half the hardware queue.
pub(super) const RUNNING: u32 = 1 << 8;
pub(super) const COUNTED: u32 = 1 << 9;
/// Regions count the I/O: see [`super::region::pending`].
pub(super) const IN_REGIONS: u32 = 1 << 10;
pub(super) const HCTX_SHIFT: u32 = 16;

impl Entry {
    #[inline(always)]
    fn begin(&self, start: &Start, flags: u32, bytes: u64, service_ns: u64, now: u64) {
        // An entry without flags is not listed: see `super::inflight::observe`.
        self.state.set(0);
        fence(Release);
        self.memory.forget();
        self.account.set(start.account);
        self.bytes.set(bytes);
        self.sector.set(start.sector);
        self.pid.set(start.pid);
        self.service_ns.set(service_ns);
        self.start_ns.set(now);
        let kind = Kind::new(start.class, start.tag).number();
        fence(Release);
        self.state
            .set(u32::from(kind) | flags | u32::from(start.hctx) << HCTX_SHIFT);
    }

    /// The I/O has ended, and its entry is released next. Only the hardware queue stays, which the next I/O may use.
    #[inline(always)]
    pub(super) fn end_observation(&self) {
        self.state.set(self.state.get() & !(RUNNING | COUNTED));
        // A reader that finds this service time finds that state.
        fence(Release);
        self.service_ns.set(self.start_ns.get());
    }

    /// A request on the fast path was accepted whose submitter has waited for a tag since `since`: the I/O began then.
    #[inline(always)]
    pub(super) fn start_since(&self, since: u64) {
        // Less than any start: see `super::inflight::observe`. The time of the issue that is stored here may be later.
        self.service_ns.set(0);
        self.start_ns.set(since);
    }

    /// A request is accepted: it waits. (`block_io_start`)
    #[inline(always)]
    pub fn start_waiting(&self, start: &Start, now: u64) -> Transition {
        self.begin(start, COUNTED, 0, 0, now);
        Transition::StartWaitqEnter
    }

    /// A bio of `bytes` bytes is given to a bio-based device: it runs. Its size is recorded now, as
    /// it is no longer known when the bio completes. (`block_bio_queue`)
    #[inline(always)]
    pub fn start_running(&self, start: &Start, bytes: u32, now: u64) -> Transition {
        let flags = COUNTED | RUNNING;
        self.parts.reset();
        self.begin(start, flags, u64::from(bytes), now.wrapping_neg(), now);
        Transition::StartRunqEnter
    }

    /// A request that was never accepted is issued: the flush machinery's own request, or one from
    /// before recording began. It passes through the run queue and is not a transaction.
    /// (`block_rq_issue`)
    #[inline(always)]
    pub fn run_uncounted(&self, start: &Start, now: u64) -> Transition {
        self.begin(start, RUNNING, 0, now.wrapping_neg(), now);
        Transition::RunqEnter
    }

    /// The driver starts it. [`None`] if it had already. (`block_rq_issue`)
    #[inline(always)]
    pub fn issue(&self, now: u64) -> Option<Transition> {
        let state = self.state.get();
        if state & RUNNING != 0 {
            return None;
        }
        self.service_ns.add(now.wrapping_neg());
        self.state.set(state | RUNNING);
        Some(Transition::WaitqToRunq)
    }

    /// The request goes back to the wait queue. [`None`] if it was there: this event also comes
    /// from a device that was busy before it started the request, and twice from SCSI.
    /// (`block_rq_requeue`)
    #[inline(always)]
    pub fn requeue(&self, now: u64) -> Option<Transition> {
        let state = self.state.get();
        if state & RUNNING == 0 {
            return None;
        }
        self.service_ns.add(now);
        self.state.set(state & !RUNNING);
        Some(Transition::RunqBackToWaitq)
    }

    /// Whether it is a transaction that was issued, of another class than `NoData`, which is 0.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.state.get() & (RUNNING | COUNTED | Kind::CLASS) > RUNNING | COUNTED
    }

    /// The end of an I/O that [is plain](Entry::is_plain), as its last `bytes` bytes are done.
    #[inline(always)]
    pub fn end_plainly(&self, bytes: u64, now: u64) -> End {
        let total_ns = now.wrapping_sub(self.start_ns.get());
        let times = Times::of(total_ns, self.service_ns.get().wrapping_add(now));
        End {
            // CAST: The low byte.
            kind: Kind::from_number(self.state.get() as u8),
            bytes: self.bytes.get().wrapping_add(bytes),
            duration_ns: times.total_ns(),
            service_ns: times.service_ns,
        }
    }

    /// The I/O or a part of it is complete. [`None`] while a part remains; otherwise a
    /// [`Transition::RunqBackToWaitq`] if its flush sequence goes on, or the transition that ends it.
    /// (`block_rq_complete`, `block_bio_complete`)
    #[inline(always)]
    pub fn complete(&self, completion: &Completion, now: u64) -> Option<Transition> {
        self.bytes.add(completion.bytes);
        if !completion.whole {
            return None;
        }
        if completion.flush_sequence {
            // The time at the device is over. The I/O waits for the flush after it, and then
            // completes once more. device-mapper reports this completion twice.
            return self.requeue(now);
        }
        Some(self.end(self.state.get(), now))
    }

    /// The I/O has failed: none of its bytes count as transferred.
    pub fn fail(&self) {
        self.bytes.set(0);
    }

    /// The transition that ends the I/O, whatever its state.
    #[inline(always)]
    fn end(&self, state: u32, now: u64) -> Transition {
        let times = self.times(now);
        let end = End {
            // CAST: The low byte.
            kind: Kind::from_number(state as u8),
            bytes: self.bytes.get(),
            duration_ns: times.total_ns(),
            service_ns: times.service_ns,
        };
        match (state & RUNNING != 0, state & COUNTED != 0) {
            (true, true) => Transition::RunqExitEnd(end),
            (false, true) => Transition::WaitqExitEnd(end),
            (true, false) => Transition::RunqExit,
            (false, false) => Transition::WaitqExit,
        }
    }

    /// It was merged into another request. (`block_rq_merge`)
    #[inline(always)]
    pub fn merge(&self, now: u64) -> Transition {
        self.end_waiting(Transition::WaitqExitMerge, now)
    }

    /// The submitter cancels the request because the device was busy, and submits it again as another.
    /// (`block_io_done` of a request that is not complete)
    pub fn refuse(&self, now: u64) -> Transition {
        self.end_waiting(Transition::WaitqExitRefuse, now)
    }

    /// Returns `waiting` if this is a transaction that waits, as expected. Otherwise returns the transition
    /// that keeps the queues balanced.
    #[inline(always)]
    fn end_waiting(&self, waiting: Transition, now: u64) -> Transition {
        let state = self.state.get();
        if state & (RUNNING | COUNTED) == COUNTED {
            waiting
        } else {
            self.end(state, now)
        }
    }

    /// Returns the transition for an I/O whose end was not reported, as its address was used again.
    #[inline(never)]
    pub fn abandon(&self) -> Transition {
        let state = self.state.get();
        match (state & RUNNING != 0, state & COUNTED != 0) {
            (true, true) => Transition::RunqExitAbandon,
            (false, true) => Transition::WaitqExitAbandon,
            (true, false) => Transition::RunqExit,
            (false, false) => Transition::WaitqExit,
        }
    }

    /// Wait and service time up to `now`, the time of its end.
    #[inline]
    pub fn times(&self, now: u64) -> Times {
        let mut service_ns = self.service_ns.get();
        if self.state.get() & RUNNING != 0 {
            service_ns = service_ns.wrapping_add(now);
        }
        Times::of(now.wrapping_sub(self.start_ns.get()), service_ns)
    }

    /// Whether the I/O is a transaction, and not a request that only passes through the run queue.
    pub fn is_counted(&self) -> bool {
        self.state.get() & COUNTED != 0
    }

    /// The account: [`Start::account`].
    #[inline(always)]
    pub fn account(&self) -> u64 {
        self.account.get()
    }

    /// The hardware queue: [`Start::hctx`].
    #[inline(always)]
    pub fn hctx(&self) -> u16 {
        // CAST: The upper 16 bits.
        (self.state.get() >> HCTX_SHIFT) as u16
    }

    /// The thread that submitted the I/O: [`Start::pid`].
    pub fn pid(&self) -> u32 {
        self.pid.get()
    }

    /// First sector.
    pub fn sector(&self) -> u64 {
        self.sector.get()
    }

    /// Bytes transferred without error so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// [`Start::class`] and [`Start::tag`].
    #[inline(always)]
    pub fn kind(&self) -> Kind {
        // CAST: The low byte.
        Kind::from_number(self.state.get() as u8)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_entry))]
mod tests {
    use super::{
        super::class::{
            Class,
            Tag, //
        },
        *, //
    };

    const START: Start = Start {
        account: 0xd15c,
        hctx: 7,
        class: Class::Write,
        tag: Tag::Ordered,
        sector: 2048,
        pid: 31,
    };
    const DONE: Completion = Completion {
        bytes: 4096,
        whole: true,
        flush_sequence: false,
    };

    fn ended(duration_ns: u64, service_ns: u64, bytes: u64) -> End {
        End {
            kind: Kind::new(Class::Write, Tag::Ordered),
            bytes,
            duration_ns,
            service_ns,
        }
    }

    #[test]
    fn plain_life_of_a_request() {
        let entry = Entry::default();
        assert_eq!(
            entry.start_waiting(&START, 100),
            Transition::StartWaitqEnter
        );
        assert_eq!(entry.issue(130), Some(Transition::WaitqToRunq));
        assert_eq!(entry.issue(131), None);
        assert_eq!(entry.times(200).service_ns, 70);
        let transition = entry.complete(&DONE, 200);
        assert_eq!(
            transition,
            Some(Transition::RunqExitEnd(ended(100, 70, 4096)))
        );
        assert_eq!(entry.hctx(), 7);
        assert_eq!((entry.account(), entry.pid()), (0xd15c, 31));
    }

    #[test]
    fn a_time_that_would_be_negative_is_0() {
        // The clock of the CPU of the end, of the issue or of the start is behind.
        for (start, issue, end, expected) in [
            (100, 130, 90, ended(0, 0, 4096)),
            (100, 250, 200, ended(100, 0, 4096)),
            (100, 90, 200, ended(100, 100, 4096)),
        ] {
            let entry = Entry::default();
            entry.start_waiting(&START, start);
            entry.issue(issue);
            assert_eq!(entry.end_plainly(4096, end), expected);
            let transition = entry.complete(&DONE, end);
            assert_eq!(transition, Some(Transition::RunqExitEnd(expected)));
            assert_eq!(entry.times(end).total_ns(), expected.duration_ns);
        }
    }

    #[test]
    fn what_began_is_read_back_and_whether_it_is_plain() {
        let entry = Entry::default();
        entry.start_waiting(&START, 0);
        assert!(entry.is_counted() && !entry.is_plain());
        entry.issue(1);
        assert!(entry.is_counted() && entry.is_plain());
        assert_eq!(entry.sector(), 2048);
        assert_eq!((entry.bytes(), entry.kind()), (0, ended(0, 0, 0).kind));
        entry.start_running(&START, 512, 2);
        assert!(entry.is_counted() && entry.is_plain());
        assert_eq!(entry.bytes(), 512);
        entry.run_uncounted(&START, 3);
        assert!(!entry.is_counted() && !entry.is_plain());
        let flush = Start {
            class: Class::NoData,
            ..START
        };
        entry.start_running(&flush, 0, 4);
        assert!(entry.is_counted() && !entry.is_plain());
        entry.fail();
        assert_eq!(entry.bytes(), 0);
    }

    #[test]
    fn flush_sequence_completes_twice_and_ends_once() {
        let entry = Entry::default();
        entry.start_waiting(&START, 0);
        entry.issue(10);
        let first = Completion {
            flush_sequence: true,
            ..DONE
        };
        let second = Completion { bytes: 0, ..DONE };
        assert_eq!(
            entry.complete(&first, 50),
            Some(Transition::RunqBackToWaitq)
        );
        assert_eq!(
            entry.complete(&second, 90),
            Some(Transition::WaitqExitEnd(ended(90, 40, 4096)))
        );
        let times = entry.times(90);
        assert_eq!((times.wait_ns, times.service_ns), (50, 40));
    }

    #[test]
    fn requeues_of_what_never_started_do_nothing() {
        let entry = Entry::default();
        entry.start_waiting(&START, 0);
        assert_eq!(entry.requeue(5), None);
        entry.issue(10);
        assert_eq!(entry.requeue(20), Some(Transition::RunqBackToWaitq));
        assert_eq!(entry.requeue(21), None);
        assert_eq!(entry.issue(30), Some(Transition::WaitqToRunq));
        let times = entry.times(40);
        assert_eq!((times.wait_ns, times.service_ns), (20, 20));
    }

    #[test]
    fn partial_completions_add_up() {
        let entry = Entry::default();
        entry.start_waiting(&START, 0);
        entry.issue(1);
        let part = Completion {
            bytes: 512,
            whole: false,
            ..DONE
        };
        assert_eq!(entry.complete(&part, 2), None);
        assert_eq!(entry.complete(&part, 3), None);
        assert_eq!(
            entry.complete(&DONE, 4),
            Some(Transition::RunqExitEnd(ended(4, 3, 5120)))
        );
    }

    #[test]
    fn refused_while_it_waits_or_failed_while_it_runs() {
        let entry = Entry::default();
        entry.start_waiting(&START, 0);
        assert_eq!(entry.refuse(5), Transition::WaitqExitRefuse);
        entry.start_waiting(&START, 20);
        entry.issue(21);
        assert_eq!(entry.refuse(24), Transition::RunqExitEnd(ended(4, 3, 0)));
    }

    #[test]
    fn merged_abandoned_and_uncounted_entries_leave_in_balance() {
        let entry = Entry::default();
        assert_eq!(entry.run_uncounted(&START, 0), Transition::RunqEnter);
        assert_eq!(entry.complete(&DONE, 9), Some(Transition::RunqExit));
        entry.start_waiting(&START, 0);
        assert_eq!(entry.merge(5), Transition::WaitqExitMerge);
        entry.start_waiting(&START, 10);
        entry.issue(11);
        assert_eq!(entry.abandon(), Transition::RunqExitAbandon);
        entry.start_running(&START, 512, 30);
        assert_eq!(entry.merge(31), Transition::RunqExitEnd(ended(1, 1, 512)));
    }
}
