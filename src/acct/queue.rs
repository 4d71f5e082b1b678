// SPDX-License-Identifier: GPL-2.0

//! A queue's Riemann sum, kept without sharing.
//!
//! kstat(9F) keeps, under a lock, the product of queue length and elapsed time:
//!
//! ```text
//!  length
//!    2 |      +-----+
//!    1 |  +---+     +--------+
//!    0 +--+---+-----+--------+-----> time      lentime = the area under the line
//!         a   b     c        d
//! ```
//!
//! The area is linear in its corners: (c - b) + (d - a) = (c + d) - (a + b), the sum of all times
//! of leaving less the sum of all times of entering. So no CPU needs to know the length: each
//! adds up the entries and exits it saw, and for a reader at time `now`
//!
//! ```text
//!  lentime = sum(exit times) - sum(entry times) + (entries - exits) * now
//! ```
//!
//! over all CPUs is the area up to `now`, open intervals included, exact to the clock. The two
//! sums of times wrap many times a day; their difference does not care.

use super::{
    busy::Edge,
    counter::{
        Counter,
        Load, //
    }, //
};

/// Entries to and exits from one queue, or rises and falls of one busy line, as seen by one CPU
/// (`W` = [`Counter`]) or added up (`W` = `u64`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Queue<W = Counter> {
    /// Entries.
    pub n_in: W,
    /// Sum of the entry times, wrapping, ns.
    pub t_in: W,
    /// Exits.
    pub n_out: W,
    /// Sum of the exit times, wrapping, ns.
    pub t_out: W,
    /// Time of the latest change, ns; 0 if there was none.
    pub last: W,
}

impl Queue<Counter> {
    /// Something joins the queue at `now`.
    #[inline(always)]
    pub fn enter(&self, now: u64) {
        self.n_in.add(1);
        self.t_in.add(now);
        self.last.set(now);
    }

    /// Something leaves the queue at `now`.
    #[inline(always)]
    pub fn exit(&self, now: u64) {
        self.n_out.add(1);
        self.t_out.add(now);
        self.last.set(now);
    }

    /// Moves the entry of something that is in the queue back by this time, ns.
    #[inline(always)]
    pub fn entered_before(&self, ns: u64) {
        self.t_in.add(ns.wrapping_neg());
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add(&self, other: &Queue<u64>) {
        self.n_in.add(other.n_in);
        self.t_in.add(other.t_in);
        self.n_out.add(other.n_out);
        self.t_out.add(other.t_out);
        self.last.set(self.last.get().max(other.last));
    }

    /// A line that is 0 or 1 has an edge at `now`.
    #[inline(always)]
    pub fn note(&self, edge: Edge, now: u64) {
        match edge {
            Edge::Rise => self.rise(now),
            Edge::Fall => self.fall(now),
        }
    }

    /// Undoes a call of `note`.
    #[inline(always)]
    pub fn take_back(&self, edge: Edge, now: u64) {
        let (count, times) = match edge {
            Edge::Rise => (&self.n_in, &self.t_in),
            Edge::Fall => (&self.n_out, &self.t_out),
        };
        count.add(1u64.wrapping_neg());
        times.add(now.wrapping_neg());
    }

    /// A line that is 0 or 1 rises at `now`. The time of its last change is not kept, as no reader needs it.
    #[inline(always)]
    pub fn rise(&self, now: u64) {
        self.n_in.add(1);
        self.t_in.add(now);
    }

    /// A line that is 0 or 1 falls at `now`.
    #[inline(always)]
    pub fn fall(&self, now: u64) {
        self.n_out.add(1);
        self.t_out.add(now);
    }
}

impl Load for Queue<Counter> {
    type Plain = Queue<u64>;

    fn load(&self) -> Queue<u64> {
        Queue {
            n_in: self.n_in.get(),
            t_in: self.t_in.get(),
            n_out: self.n_out.get(),
            t_out: self.t_out.get(),
            last: self.last.get(),
        }
    }
}

impl Queue<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        self.n_in = self.n_in.wrapping_add(other.n_in);
        self.t_in = self.t_in.wrapping_add(other.t_in);
        self.n_out = self.n_out.wrapping_add(other.n_out);
        self.t_out = self.t_out.wrapping_add(other.t_out);
        self.last = self.last.max(other.last);
    }

    /// How many are in the queue.
    pub fn len(&self) -> u64 {
        self.n_in.wrapping_sub(self.n_out)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Queue length integrated over time up to `now`, ns.
    pub fn lentime_ns(&self, now: u64) -> u64 {
        self.t_out
            .wrapping_sub(self.t_in)
            .wrapping_add(self.len().wrapping_mul(now))
    }

    /// The exits of `self` with the entries of `later`, a fold of the same queue read after
    /// `self` was: no exit without its entry.
    pub fn with_entries_of(&self, later: &Self) -> Self {
        Queue {
            n_in: later.n_in,
            t_in: later.t_in,
            last: later.last,
            ..*self
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_queue))]
mod tests {
    use super::*;

    #[test]
    fn area_of_the_picture() {
        let (one, two) = (Queue::<Counter>::default(), Queue::<Counter>::default());
        // Entered on one CPU, left on the other: neither knows the length.
        one.enter(10);
        one.enter(20);
        two.exit(35);
        two.exit(50);
        let mut sum = one.load();
        sum.fold(&two.load());
        assert_eq!(sum.len(), 0);
        assert_eq!(sum.lentime_ns(1000), (50 - 10) + (35 - 20));
        assert_eq!(sum.last, 50);
    }

    #[test]
    fn the_latest_change_is_that_of_the_later_entries() {
        let queue = Queue::<Counter>::default();
        queue.enter(10);
        queue.exit(20);
        let exits = queue.load();
        queue.enter(30);
        queue.exit(50);
        let sum = exits.with_entries_of(&queue.load());
        assert_eq!((sum.n_in, sum.t_in), (2, 40));
        assert_eq!((sum.n_out, sum.t_out), (1, 20));
        assert_eq!(sum.last, 50);
    }

    #[test]
    fn open_interval_counts_up_to_now() {
        let queue = Queue::<Counter>::default();
        queue.enter(100);
        assert_eq!(queue.load().lentime_ns(100), 0);
        assert_eq!(queue.load().lentime_ns(175), 75);
        assert_eq!(queue.load().len(), 1);
    }

    #[test]
    fn sums_survive_wrapping() {
        let queue = Queue::<Counter>::default();
        let base = u64::MAX - 5;
        queue.enter(base);
        queue.exit(base.wrapping_add(3));
        queue.enter(base.wrapping_add(4));
        queue.exit(base.wrapping_add(10));
        assert_eq!(queue.load().lentime_ns(base.wrapping_add(99)), 9);
    }

    #[test]
    fn what_is_said_to_have_entered_earlier_did() {
        let queue = Queue::<Counter>::default();
        assert!(queue.load().is_empty());
        queue.enter(100);
        queue.entered_before(30);
        assert!(!queue.load().is_empty());
        assert_eq!(queue.load().lentime_ns(100), 30);
        queue.exit(110);
        assert!(queue.load().is_empty());
        assert_eq!(queue.load().lentime_ns(999), 40);
    }
}
