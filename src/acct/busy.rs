// SPDX-License-Identifier: GPL-2.0

//! When a queue turns busy and when it turns idle.
//!
//! Busy time is the one statistic that needs to know the whole disk's queue length, at the moments it
//! leaves and reaches zero. A [`Gauge`] is where that is known, and all it tells is
//! [`Edges`]: which lines rose from or fell to zero by this step. The CPU that caused an edge notes it
//! in its own record like any entry to or exit from a [`super::queue::Queue`]; the readers'
//! sum over all CPUs is the busy time, because the area under a line that is 0 or 1 is its busy time.
//!
//! Error bound: the clock is read just before the gauge changes, so two CPUs that change it at
//! the same instant may note their edges in the other order. Each edge is off by at
//! most the time between those two instructions, interrupts being off.

use super::queue::Queue;
use crate::sync::{
    AtomicU64,
    Ordering::Acquire, //
};

/// What one step did to one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Neither left nor reached zero.
    None,
    /// Was zero, is not.
    Rise,
    /// Was not zero, is.
    Fall,
}

impl Edge {
    #[inline(always)]
    fn between(old: u64, new: u64) -> Edge {
        match (old == 0, new == 0) {
            (true, false) => Edge::Rise,
            (false, true) => Edge::Fall,
            _ => Edge::None,
        }
    }

    /// Notes the edge in a busy line of a record.
    #[inline(always)]
    pub fn note(self, line: &Queue, now: u64) {
        match self {
            Edge::None => {}
            Edge::Rise => line.enter(now),
            Edge::Fall => line.exit(now),
        }
    }
}

/// What one step did to the three lines of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// Anything in the wait queue: kstat's `wtime`.
    pub waitq: Edge,
    /// Anything in the run queue: kstat's `rtime`.
    pub runq: Edge,
    /// Anything in either: devstat's `busy_time`.
    pub any: Edge,
}

/// How many I/Os of one disk are in its wait queue (low half) and run queue (high half).
///
/// Both in one word, so that a move from one to the other is a single atomic addition and never
/// shows the disk idle in between.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

const WAIT: u64 = 1;
const RUN: u64 = 1 << 32;
const WAIT_MASK: u64 = RUN - 1;

impl Gauge {
    /// One more in the wait queue.
    #[inline(always)]
    pub fn waitq_enter(&self) -> Edges {
        self.change(WAIT)
    }

    /// One less in the wait queue.
    #[inline(always)]
    pub fn waitq_exit(&self) -> Edges {
        self.change(WAIT.wrapping_neg())
    }

    /// One more in the run queue.
    #[inline(always)]
    pub fn runq_enter(&self) -> Edges {
        self.change(RUN)
    }

    /// One less in the run queue.
    #[inline(always)]
    pub fn runq_exit(&self) -> Edges {
        self.change(RUN.wrapping_neg())
    }

    /// One moves from the wait queue to the run queue.
    #[inline(always)]
    pub fn waitq_to_runq(&self) -> Edges {
        self.change(RUN.wrapping_sub(WAIT))
    }

    /// One moves from the run queue back to the wait queue.
    #[inline(always)]
    pub fn runq_back_to_waitq(&self) -> Edges {
        self.change(WAIT.wrapping_sub(RUN))
    }

    #[inline(always)]
    fn change(&self, delta: u64) -> Edges {
        // Acquire: pairs with the release fence in `CpuRecord::write` of whoever changed the word
        // before, so that a reader who sees this edge sees that CPU writing its own.
        let old = self.0.fetch_add(delta, Acquire);
        let new = old.wrapping_add(delta);
        Edges {
            waitq: Edge::between(old & WAIT_MASK, new & WAIT_MASK),
            runq: Edge::between(old & !WAIT_MASK, new & !WAIT_MASK),
            any: Edge::between(old, new),
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_busy))]
mod tests {
    use super::*;

    #[test]
    fn one_io_raises_and_drops_each_line_once() {
        let gauge = Gauge::default();
        let edges = |waitq, runq, any| Edges { waitq, runq, any };
        assert_eq!(
            gauge.waitq_enter(),
            edges(Edge::Rise, Edge::None, Edge::Rise)
        );
        assert_eq!(
            gauge.waitq_to_runq(),
            edges(Edge::Fall, Edge::Rise, Edge::None)
        );
        assert_eq!(
            gauge.runq_back_to_waitq(),
            edges(Edge::Rise, Edge::Fall, Edge::None)
        );
        assert_eq!(
            gauge.waitq_exit(),
            edges(Edge::Fall, Edge::None, Edge::Fall)
        );
    }

    #[test]
    fn only_the_first_and_the_last_make_an_edge() {
        let gauge = Gauge::default();
        assert_eq!(gauge.runq_enter().runq, Edge::Rise);
        assert_eq!(gauge.runq_enter().runq, Edge::None);
        assert_eq!(gauge.waitq_enter().any, Edge::None);
        assert_eq!(gauge.runq_exit().runq, Edge::None);
        assert_eq!(gauge.runq_exit().runq, Edge::Fall);
        assert_eq!(gauge.waitq_exit().any, Edge::Fall);
    }
}
