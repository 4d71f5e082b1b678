// SPDX-License-Identifier: GPL-2.0

//! The word of a gauge, as a step finds it.

use super::{
    Edge,
    Edges,
    Line,
    QueueMove, //
};
use crate::hint::opaque;

/// The lengths of both queues before a step, and the [`Extra`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Lengths(u64);

/// Work that the I/Os of an account need besides being recorded in it. The fast path compares the word that a step
/// found with its most common value. An extra changes the word, so accounts without extras need no further
/// comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Extra {
    /// The account has regions.
    Regions = 1,
    /// The account is that of a partition: each edge is a step of its disk.
    Disk = 2,
    /// The gauge is of no account: see [`Root::set_absent`](super::Root::set_absent).
    Absent = 4,
    /// Tasks may wait for a tag of the disk: see [`tag_wait`](crate::acct::tag_wait).
    TagWaits = 8,
}

/// The lengths are above the extras, so that one instruction extracts a length or tests an extra.
const WAIT_SHIFT: u32 = 4;
/// Below 31, so that the constant for one I/O in the run queue fits in an instruction.
pub(super) const RUN_SHIFT: u32 = 30;
pub(super) const WAIT: u64 = 1 << WAIT_SHIFT;
pub(super) const RUN: u64 = 1 << RUN_SHIFT;
pub(super) const EXTRAS: u64 = WAIT - 1;
pub(super) const WAIT_MASK: u64 = RUN - WAIT;

impl Lengths {
    /// The word of a gauge.
    #[inline(always)]
    pub(super) const fn new(word: u64) -> Self {
        Lengths(word)
    }

    /// Nothing in either queue.
    pub const IDLE: Lengths = Lengths(0);
    /// One in the wait queue, and nothing in the run queue.
    pub const ONE_WAITS: Lengths = Lengths(WAIT);
    /// One in the run queue, and nothing in the wait queue.
    pub const ONE_RUNS: Lengths = Lengths(RUN);

    /// Returns these lengths. The compiler does not know that they are equal, and so keeps comparisons before
    /// and after in this order.
    #[inline(always)]
    pub fn again(self) -> Self {
        Lengths(opaque(self.0))
    }

    /// These lengths in an account with one extra.
    #[inline(always)]
    pub const fn with(self, extra: Extra) -> Self {
        Lengths(self.0 | extra as u64)
    }

    /// These lengths in an account without this extra.
    #[inline(always)]
    pub const fn without(self, extra: Extra) -> Self {
        Lengths(self.0 & !(extra as u64))
    }

    /// Whether the account has this extra.
    #[inline(always)]
    pub const fn has(self, extra: Extra) -> bool {
        self.0 & extra as u64 != 0
    }

    /// Whether the account has an extra that the start of an I/O has to look at.
    #[inline(always)]
    pub const fn has_extras_at_start(self) -> bool {
        self.0 & (Extra::Disk as u64 | Extra::TagWaits as u64) != 0
    }

    /// Whether the account has any extra.
    #[inline(always)]
    pub const fn has_extras(self) -> bool {
        self.0 & EXTRAS != 0
    }

    /// Whether the account has an extra other than this one.
    #[inline(always)]
    pub const fn has_but(self, extra: Extra) -> bool {
        self.0 & (EXTRAS & !(extra as u64)) != 0
    }

    /// Length of the wait queue.
    #[inline(always)]
    pub const fn wait(self) -> u64 {
        (self.0 & WAIT_MASK) >> WAIT_SHIFT
    }

    /// Length of the run queue.
    #[inline(always)]
    pub const fn run(self) -> u64 {
        self.0 >> RUN_SHIFT
    }

    /// The edges of a step that found these lengths.
    #[inline(always)]
    pub fn edges_of(self, step: QueueMove) -> Edges {
        let mut edges = Edges::default();
        self.edges(step, |line, edge| edges.add(line, edge));
        edges
    }

    /// Calls `note` for each edge of a step that found these lengths.
    #[inline(always)]
    pub fn edges(self, step: QueueMove, mut note: impl FnMut(Line, Edge)) {
        use Edge::{
            Fall,
            Rise, //
        };
        use Line::{
            Both,
            Runq,
            Waitq, //
        };
        let (wait, run) = (self.wait(), self.run());
        match step {
            QueueMove::WaitqEnter if wait == 0 => {
                note(Waitq, Rise);
                if run != 0 {
                    note(Both, Rise);
                }
            }
            QueueMove::WaitqExit if wait == 1 => {
                note(Waitq, Fall);
                if run != 0 {
                    note(Both, Fall);
                }
            }
            QueueMove::RunqEnter if run == 0 => {
                note(Runq, Rise);
                if wait != 0 {
                    note(Both, Rise);
                }
            }
            QueueMove::RunqExit if run == 1 => {
                note(Runq, Fall);
                if wait != 0 {
                    note(Both, Fall);
                }
            }
            QueueMove::WaitqToRunq => {
                if wait == 1 {
                    note(Waitq, Fall);
                    if run != 0 {
                        note(Both, Fall);
                    }
                }
                if run == 0 {
                    note(Runq, Rise);
                    if wait != 1 {
                        note(Both, Rise);
                    }
                }
            }
            QueueMove::RunqBackToWaitq => {
                if run == 1 {
                    note(Runq, Fall);
                    if wait != 0 {
                        note(Both, Fall);
                    }
                }
                if wait == 0 {
                    note(Waitq, Rise);
                    if run != 1 {
                        note(Both, Rise);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_lengths))]
mod tests {
    use super::*;

    const EXTRA: [Extra; 4] = [Extra::Regions, Extra::Disk, Extra::Absent, Extra::TagWaits];

    #[test]
    fn each_extra_is_found_beside_the_lengths_and_the_others() {
        // Each set of extras, with nothing or something in the queues.
        for word in [0, WAIT, RUN, 5 * RUN + 3 * WAIT] {
            for set in 0..16 {
                let is_in = |extra: Extra| set & extra as u64 != 0;
                let mut lengths = Lengths::new(word);
                for extra in EXTRA {
                    if is_in(extra) {
                        lengths = lengths.with(extra).with(extra);
                    }
                }
                assert_eq!(
                    (lengths.wait(), lengths.run()),
                    ((word & WAIT_MASK) / WAIT, word / RUN)
                );
                assert_eq!(lengths.has_extras(), set != 0);
                let at_start = is_in(Extra::Disk) || is_in(Extra::TagWaits);
                assert_eq!(lengths.has_extras_at_start(), at_start);
                for extra in EXTRA {
                    assert_eq!(lengths.has(extra), is_in(extra));
                    assert_eq!(lengths.has_but(extra), set & !(extra as u64) != 0);
                    let without = Lengths::new(word | set & !(extra as u64));
                    assert_eq!(lengths.without(extra), without);
                    assert_eq!(without.without(extra), without);
                }
                assert_eq!(lengths.again(), lengths);
            }
        }
    }
}
