// SPDX-License-Identifier: GPL-2.0

//! When a queue turns busy and when it turns idle.
//!
//! Busy time is the only statistic that needs the queue lengths of the whole disk, at the moments when they become
//! zero or not zero. A [`Gauge`] has these lengths, and reports for a step only which lines rose from zero or fell to
//! zero by it: an [`Edge`]. The CPU that causes an edge records it in its own record, as an entry to or an exit from a
//! [`super::queue::Queue`]. The sum over all CPUs is the busy time, because the area under a line that is 0 or 1 is the
//! time for which it is 1.
//!
//! The third line is 1 while both queues are busy. The time in which either queue is busy is the sum of both busy times
//! less the time of that line. An I/O that is alone in the disk, the common case, never changes it.
//!
//! # The tree
//!
//! One word for a disk with many hardware queues would travel between all CPUs with every I/O. So
//! each hardware queue has a gauge of its own, a leaf, and a [`Tree`] changes the disk's gauge, the
//! root, only at edges of a leaf. (A scalable non-zero indicator: Ellen, Lev, Luchangco, Moir, PODC
//! 2007.) With one hardware queue, its leaf is the root.
//!
//! An I/O may enter at the root too, if it also leaves there: the fast path does, for one hardware queue at
//! a time (see [`Root`]).
//!
//! A partition is a leaf of its disk in the same way: the root of the partition is a leaf of the disk's root, beside
//! those of the hardware queues, which the I/Os of the whole disk enter by.
//!
//! An I/O leaves by the leaf that it entered by, and not before its entry has changed both words. So a leaf that rose
//! falls again only after the root was changed for the rise, and no word is ever negative. A leaf may however rise
//! again before the root was changed for its fall: the root then has no edge although the leaf was idle for a moment.
//!
//! # Error bound
//!
//! The clock is read before the words are changed, with interrupts off. CPUs that change them at
//! the same time may record their edges in another order than that of their clocks, or not record that the
//! line was zero for a moment between them. Each edge is off by at most the time from reading the clock to
//! the last word, some tens of instructions, on the CPUs involved.

mod lengths;
mod root;

pub use lengths::{
    Extra,
    Lengths, //
};
pub use root::Root;

use lengths::{
    EXTRAS,
    RUN,
    RUN_SHIFT,
    WAIT,
    WAIT_MASK, //
};

use crate::sync::{
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// A change of a line by a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Was zero, is not.
    Rise,
    /// Was not zero, is.
    Fall,
}

/// A line of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Anything in the wait queue: kstat's `wtime`.
    Waitq,
    /// Anything in the run queue: kstat's `rtime`.
    Runq,
    /// Something in each of them.
    Both,
}

/// The edges of one step, by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    waitq: Option<Edge>,
    runq: Option<Edge>,
    both: Option<Edge>,
}

impl Edges {
    #[inline(always)]
    fn add(&mut self, line: Line, edge: Edge) {
        let of_line = match line {
            Line::Waitq => &mut self.waitq,
            Line::Runq => &mut self.runq,
            Line::Both => &mut self.both,
        };
        *of_line = Some(edge);
    }

    /// Calls `note` for each edge.
    #[inline(always)]
    pub fn each(self, mut note: impl FnMut(Line, Edge)) {
        let lines = [
            (Line::Waitq, self.waitq),
            (Line::Runq, self.runq),
            (Line::Both, self.both),
        ];
        for (line, edge) in lines {
            if let Some(edge) = edge {
                note(line, edge);
            }
        }
    }

    /// The step of the root that these edges of a leaf cause.
    #[inline(always)]
    pub fn step_above(self) -> Option<QueueMove> {
        Some(match (self.waitq, self.runq) {
            (None, None) => return None,
            (Some(Edge::Rise), None) => QueueMove::WaitqEnter,
            (Some(Edge::Fall), None) => QueueMove::WaitqExit,
            (None, Some(Edge::Rise)) => QueueMove::RunqEnter,
            (None, Some(Edge::Fall)) => QueueMove::RunqExit,
            // No step makes both lines rise or both fall.
            (Some(Edge::Fall), Some(_)) => QueueMove::WaitqToRunq,
            (Some(Edge::Rise), Some(_)) => QueueMove::RunqBackToWaitq,
        })
    }
}

/// How one step of an I/O changes the queue lengths: kstat(9F)'s queue functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueMove {
    /// One more in the wait queue.
    WaitqEnter,
    /// One less in the wait queue.
    WaitqExit,
    /// One more in the run queue.
    RunqEnter,
    /// One less in the run queue.
    RunqExit,
    /// One moves from the wait queue to the run queue.
    WaitqToRunq,
    /// One moves from the run queue back to the wait queue.
    RunqBackToWaitq,
}

/// How many I/Os are in the wait queue (26 bits) and the run queue (the bits above), and, in the four lowest
/// bits, the [`Extra`]s of the account.
///
/// Both in one word, so that a move from one to the other is a single atomic addition and never
/// shows the disk idle in between.
#[derive(Debug, Default)]
pub struct Gauge(AtomicU64);

impl QueueMove {
    #[inline(always)]
    const fn delta(self) -> u64 {
        match self {
            QueueMove::WaitqEnter => WAIT,
            QueueMove::WaitqExit => WAIT.wrapping_neg(),
            QueueMove::RunqEnter => RUN,
            QueueMove::RunqExit => RUN.wrapping_neg(),
            QueueMove::WaitqToRunq => RUN.wrapping_sub(WAIT),
            QueueMove::RunqBackToWaitq => WAIT.wrapping_sub(RUN),
        }
    }
}

impl Gauge {
    /// Takes one step. Returns the lengths before it.
    #[inline(always)]
    pub fn take(&self, step: QueueMove) -> Lengths {
        // Acquire: pairs with the release fence in `CpuRecord::write` of the CPU that changed the word
        // before: a reader that sees this edge also sees that CPU's sequence count.
        Lengths::new(self.0.fetch_add(step.delta(), Acquire))
    }

    /// Takes one step, and calls `note` for each edge. (A callback instead of a return value, so that an edge
    /// is only a branch in the caller's code.)
    #[inline(always)]
    pub fn step(&self, step: QueueMove, note: impl FnMut(Line, Edge)) {
        self.take(step).edges(step, note);
    }

    /// The lengths now.
    pub fn lengths(&self) -> Lengths {
        Lengths::new(self.0.load(Relaxed) & !EXTRAS)
    }

    /// Whether the account has this extra now.
    pub fn has(&self, extra: Extra) -> bool {
        // Acquire: pairs with the release in `add`.
        Lengths::new(self.0.load(Acquire)).has(extra)
    }

    /// Marks the gauge as one of no account. [`Extra::Disk`] is the extra that the fast path checks
    /// for.
    fn set_absent(&self) {
        self.0
            .store(Extra::Absent as u64 | Extra::Disk as u64, Relaxed);
    }

    /// Adds this extra to the account.
    pub fn add(&self, extra: Extra) {
        // Release: a step that finds the extra sees all that was written before it was added.
        self.0.fetch_or(extra as u64, Release);
    }

    /// Removes this extra from the account.
    pub fn remove(&self, extra: Extra) {
        self.0.fetch_and(!(extra as u64), Release);
    }

    /// Removes this extra from the account, unless something waits besides the I/O of the caller, which is in the wait
    /// queue.
    pub fn remove_if_alone(&self, extra: Extra) {
        let is_alone = |word: u64| word & WAIT_MASK <= WAIT;
        let remove = |word: u64| is_alone(word).then_some(word & !(extra as u64));
        // If it fails, the extra stays.
        let _ = self.0.fetch_update(Release, Relaxed, remove);
    }

    /// Takes one I/O out of the run queue and returns true, unless the queue is empty. Calls `note` as `step`
    /// does. For ends that other modules report, which may be wrong.
    #[inline(always)]
    pub fn try_runq_exit(&self, mut note: impl FnMut(Line, Edge)) -> bool {
        let exit = |old: u64| (old >> RUN_SHIFT != 0).then_some(old.wrapping_sub(RUN));
        // As in `step`.
        let Ok(old) = self.0.fetch_update(Acquire, Relaxed, exit) else {
            return false;
        };
        if old >> RUN_SHIFT == 1 {
            note(Line::Runq, Edge::Fall);
            if old & WAIT_MASK != 0 {
                note(Line::Both, Edge::Fall);
            }
        }
        true
    }
}

/// The gauges of a disk that an I/O changes.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    /// The gauge of its hardware queue.
    pub leaf: &'a Gauge,
    /// The gauge of the disk; [`None`] if that is the leaf.
    pub root: Option<&'a Gauge>,
}

impl Tree<'_> {
    /// Takes one step. Returns the edges of the disk.
    #[inline(always)]
    pub fn edges_of(&self, step: QueueMove) -> Edges {
        let mut edges = Edges::default();
        self.step(step, |line, edge| edges.add(line, edge));
        edges
    }

    /// Takes one step, and calls `note` for each edge of the disk.
    #[inline(always)]
    pub fn step(&self, step: QueueMove, note: impl FnMut(Line, Edge)) {
        let Some(root) = self.root else {
            return self.leaf.step(step, note);
        };
        if let Some(step) = self.leaf.take(step).edges_of(step).step_above() {
            root.step(step, note);
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_busy))]
mod tests {
    use super::{
        Edge::{
            Fall,
            Rise, //
        },
        *,
    };

    /// The edges one step shows, by line.
    type ByLine = [Option<Edge>; 3];

    const NONE: ByLine = [None; 3];

    fn seen(step: impl FnOnce(&mut dyn FnMut(Line, Edge))) -> ByLine {
        let mut edges = NONE;
        step(&mut |line, edge| edges[line as usize] = Some(edge));
        edges
    }

    fn step(gauge: &Gauge, step: QueueMove) -> ByLine {
        seen(|note| gauge.step(step, note))
    }

    #[test]
    fn one_io_raises_and_drops_each_line_once() {
        let gauge = Gauge::default();
        let steps = [
            (QueueMove::WaitqEnter, [Some(Rise), None, None]),
            (QueueMove::WaitqToRunq, [Some(Fall), Some(Rise), None]),
            (QueueMove::RunqBackToWaitq, [Some(Rise), Some(Fall), None]),
            (QueueMove::WaitqExit, [Some(Fall), None, None]),
        ];
        for (one, expected) in steps {
            assert_eq!(step(&gauge, one), expected);
        }
    }

    #[test]
    fn only_the_first_and_the_last_make_an_edge() {
        let gauge = Gauge::default();
        let steps = [
            (QueueMove::RunqEnter, [None, Some(Rise), None]),
            (QueueMove::RunqEnter, NONE),
            (QueueMove::WaitqEnter, [Some(Rise), None, Some(Rise)]),
            (QueueMove::RunqExit, NONE),
            (QueueMove::RunqExit, [None, Some(Fall), Some(Fall)]),
            (QueueMove::WaitqExit, [Some(Fall), None, None]),
        ];
        for (one, expected) in steps {
            assert_eq!(step(&gauge, one), expected);
        }
    }

    #[test]
    fn an_exit_without_an_entry_is_none() {
        let gauge = Gauge::default();
        assert!(!gauge.try_runq_exit(|_, _| panic!("an edge")));
        assert_eq!(step(&gauge, QueueMove::RunqEnter), [None, Some(Rise), None]);
        assert_eq!(step(&gauge, QueueMove::RunqEnter), NONE);
        assert_eq!(step(&gauge, QueueMove::WaitqEnter)[2], Some(Rise));
        let exits = [
            (true, NONE),
            (true, [None, Some(Fall), Some(Fall)]),
            (false, NONE),
        ];
        for (expected, edges) in exits {
            let mut was = None;
            assert_eq!(seen(|note| was = Some(gauge.try_runq_exit(note))), edges);
            assert_eq!(was, Some(expected));
        }
        // The wait queue is as it was.
        assert_eq!(step(&gauge, QueueMove::WaitqExit), [Some(Fall), None, None]);
    }

    #[test]
    fn a_root_hears_of_its_leaves_first_and_last() {
        let leaves: [Gauge; 2] = Default::default();
        let root = Gauge::default();
        let steps = [
            (0, QueueMove::RunqEnter, [None, Some(Rise), None]),
            (0, QueueMove::RunqEnter, NONE),
            (1, QueueMove::RunqEnter, NONE),
            (1, QueueMove::WaitqEnter, [Some(Rise), None, Some(Rise)]),
            (0, QueueMove::RunqExit, NONE),
            (1, QueueMove::RunqExit, NONE),
            (0, QueueMove::RunqExit, [None, Some(Fall), Some(Fall)]),
            (1, QueueMove::WaitqToRunq, [Some(Fall), Some(Rise), None]),
        ];
        for (leaf, one, expected) in steps {
            let tree = Tree {
                leaf: &leaves[leaf],
                root: Some(&root),
            };
            assert_eq!(seen(|note| tree.step(one, note)), expected);
        }
    }

    #[test]
    fn an_extra_is_there_until_it_is_removed() {
        let gauge = Gauge::default();
        gauge.take(QueueMove::WaitqEnter);
        gauge.add(Extra::Regions);
        gauge.add(Extra::TagWaits);
        gauge.remove(Extra::Regions);
        assert!(!gauge.has(Extra::Regions) && gauge.has(Extra::TagWaits));
        assert_eq!(gauge.lengths(), Lengths::ONE_WAITS);
    }
}
