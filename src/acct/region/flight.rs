// SPDX-License-Identifier: GPL-2.0

//! The I/Os in flight in one area, and for how long there were any: words that all CPUs share.
//!
//! One word has the numbers of reads and writes. It is changed once at the start of an I/O and once
//! at its end. Only a change from or to zero changes another word: one of three busy lines, as in
//! [`crate::acct::busy`]. The time with anything in flight is that of reads plus that of writes
//! less that of both at once, so an area that is only read or only written uses one line.
//!
//! # A line in one word
//!
//! The word has the sum of all times at which the line fell less that of all times at which it
//! rose, as in [`crate::acct::queue`], and in its upper bits how often it fell less how often it
//! rose: each edge adds or subtracts a time plus 2^61. So the word alone shows whether the line is
//! up and for how long it was. A reader needs no lock. Between edges that two CPUs record in the
//! wrong order, it finds a word out of range, which it detects.

use crate::{
    acct::class::Class,
    hint::{
        keep_apart,
        rarely,
        with_bit, //
    },
    sync::{
        AtomicU64,
        Ordering::{
            Acquire,
            Relaxed, //
        }, //
    },
};

/// Which way data goes. As in device-mapper, an I/O that frees sectors is a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// From the device.
    Read = 0,
    /// To the device.
    Write = 1,
}

impl Direction {
    /// The direction of the class with this number, which has data.
    #[inline(always)]
    pub fn of(class: usize) -> Direction {
        // One bit of the number is the direction.
        match class & Class::Write as usize {
            0 => Direction::Read,
            _ => Direction::Write,
        }
    }
}

/// The count of one edge, above all times, which are below 2^60 ns, 36 years. So setting a bit adds
/// it to a time.
const ONCE: u64 = 1 << ONCE_BIT;
const ONCE_BIT: u32 = 61;
const LONGEST: u64 = 1 << 60;

/// Limit of negative busy times. CPUs that make edges at the same instant may record them in
/// another order than that of their clocks; this is far more than such an error.
const SLACK: u64 = 1 << 59;

/// A line that is up or down.
#[derive(Debug, Default)]
struct LineState(AtomicU64);

impl LineState {
    #[inline(always)]
    fn rise(&self, now: u64) {
        self.0.fetch_sub(with_bit::<ONCE_BIT>(now), Relaxed);
    }

    #[inline(always)]
    fn fall(&self, now: u64) {
        self.0.fetch_add(with_bit::<ONCE_BIT>(now), Relaxed);
    }

    /// How long the line was up until `now`, ns; [`None`] between edges that are recorded in the
    /// wrong order.
    fn busy_ns(&self, now: u64) -> Option<u64> {
        let word = self.0.load(Relaxed);
        if word.wrapping_add(SLACK) < LONGEST.wrapping_add(SLACK) {
            return Some(if word < LONGEST { word } else { 0 });
        }
        // Up: it rose once more than it fell.
        let closed_less_rise = word.wrapping_add(ONCE);
        if closed_less_rise.wrapping_add(LONGEST) >= LONGEST.wrapping_mul(2) {
            return None;
        }
        let busy = closed_less_rise.wrapping_add(now);
        // A rise after `now` was read.
        Some(if busy < LONGEST { busy } else { 0 })
    }
}

/// The I/Os in flight in one area. Zeroed memory has none.
#[derive(Debug, Default)]
#[repr(C, align(32))]
pub struct InFlight {
    /// Reads in the lower half, writes in the upper.
    counts: AtomicU64,
    read: LineState,
    write: LineState,
    both: LineState,
}

/// Times up to one instant, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Busy {
    /// With a read in flight.
    pub read_ns: u64,
    /// With a write in flight.
    pub write_ns: u64,
    /// With anything in flight.
    pub any_ns: u64,
}

const WRITE_SHIFT: u32 = 32;
const READS: u64 = (1 << WRITE_SHIFT) - 1;

impl InFlight {
    /// An I/O is in flight from `now` on. An I/O that is alone in the area, the common case, takes one
    /// comparison.
    #[inline(always)]
    pub(super) fn enter(&self, direction: Direction, now: u64) {
        // Acquire: as `Gauge` of acct/busy.rs.
        match direction {
            Direction::Read => {
                let old = self.counts.fetch_add(1, Acquire);
                if old == 0 {
                    self.read.rise(now);
                    keep_apart();
                } else if old & READS == 0 {
                    rarely();
                    self.read.rise(now);
                    self.both.rise(now);
                }
            }
            Direction::Write => {
                let old = self.counts.fetch_add(1 << WRITE_SHIFT, Acquire);
                if old == 0 {
                    self.write.rise(now);
                    keep_apart();
                } else if old >> WRITE_SHIFT == 0 {
                    rarely();
                    self.write.rise(now);
                    self.both.rise(now);
                }
            }
        }
    }

    /// An I/O is no longer in flight from `now` on.
    #[inline(always)]
    pub(super) fn leave(&self, direction: Direction, now: u64) {
        match direction {
            Direction::Read => {
                let old = self.counts.fetch_sub(1, Acquire);
                if old == 1 {
                    self.read.fall(now);
                    keep_apart();
                } else if old & READS == 1 {
                    rarely();
                    self.read.fall(now);
                    self.both.fall(now);
                }
            }
            Direction::Write => {
                let old = self.counts.fetch_sub(1 << WRITE_SHIFT, Acquire);
                if old == 1 << WRITE_SHIFT {
                    self.write.fall(now);
                    keep_apart();
                } else if old >> WRITE_SHIFT == 1 {
                    rarely();
                    self.write.fall(now);
                    self.both.fall(now);
                }
            }
        }
    }

    /// The busy times until `now`; [`None`] between edges that are recorded in the wrong order.
    pub(super) fn busy(&self, now: u64) -> Option<Busy> {
        let read_ns = self.read.busy_ns(now)?;
        let write_ns = self.write.busy_ns(now)?;
        let both_ns = self.both.busy_ns(now)?;
        Some(Busy {
            read_ns,
            write_ns,
            any_ns: read_ns.wrapping_add(write_ns).saturating_sub(both_ns),
        })
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_flight))]
mod tests {
    use super::{
        Direction::{
            Read,
            Write, //
        },
        *,
    };

    fn busy(read_ns: u64, write_ns: u64, any_ns: u64) -> Option<Busy> {
        Some(Busy {
            read_ns,
            write_ns,
            any_ns,
        })
    }

    #[test]
    fn times_are_those_with_one_or_more_in_flight() {
        let area = InFlight::default();
        assert_eq!(area.busy(1000), busy(0, 0, 0));
        area.enter(Read, 1000);
        area.enter(Read, 1010);
        assert_eq!(area.busy(1020), busy(20, 0, 20));
        area.enter(Write, 1030);
        area.leave(Read, 1040);
        area.leave(Read, 1050);
        assert_eq!(area.busy(1060), busy(50, 30, 60));
        area.leave(Write, 1070);
        assert_eq!(area.busy(5000), busy(50, 40, 70));
        area.enter(Write, 6000);
        assert_eq!(area.busy(6001), busy(50, 41, 71));
    }

    #[test]
    fn a_line_makes_no_sense_rather_than_being_wrong() {
        let line = LineState::default();
        let now = 1 << 50;
        line.fall(now);
        assert_eq!(line.busy_ns(now + 5), None);
        line.rise(now - 3);
        assert_eq!(line.busy_ns(now + 5), Some(3));
        line.rise(now + 6);
        line.rise(now + 7);
        assert_eq!(line.busy_ns(now + 9), None);
        line.fall(now + 8);
        // Down at 8, up at 7 or at 6.
        assert_eq!(line.busy_ns(now + 9), Some(3 + 8 + 9 - 7 - 6));
        line.fall(now + 9);
        assert_eq!(line.busy_ns(now + 100), Some(3 + 8 + 9 - 7 - 6));
    }

    #[test]
    fn a_line_that_fell_before_it_rose_was_up_for_no_time() {
        let line = LineState::default();
        line.fall(1000);
        line.rise(1003);
        assert_eq!(line.busy_ns(1005), Some(0));
        line.rise(2000);
        assert_eq!(line.busy_ns(2010), Some(7));
    }

    #[test]
    fn a_clock_that_was_read_before_the_edge_makes_no_time() {
        let line = LineState::default();
        line.rise(1000);
        assert_eq!(line.busy_ns(998), Some(0));
    }

    #[test]
    fn a_line_is_up_for_less_than_the_longest_time() {
        let line = LineState::default();
        line.rise(0);
        assert_eq!(line.busy_ns(LONGEST - 1), Some(LONGEST - 1));
        assert_eq!(line.busy_ns(LONGEST), Some(0));
        line.fall(LONGEST - 1);
        assert_eq!(line.busy_ns(0), Some(LONGEST - 1));
        let too_long = LineState(AtomicU64::new(LONGEST));
        assert_eq!(too_long.busy_ns(0), None);
    }
}
