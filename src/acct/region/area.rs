// SPDX-License-Identifier: GPL-2.0

//! One CPU's share of one area.

use super::Ended;
use crate::acct::{
    class::Class,
    counter::{
        Counter,
        Load, //
    },
    seqcount::SeqCount, //
};
use core::ops::Deref;

/// I/Os of one class that ended, as counted by one CPU (`W` = [`Counter`]) or added up (`W` =
/// `u64`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Completed<W = Counter> {
    /// I/Os.
    pub ios: W,
    /// Their sectors in this area.
    pub sectors: W,
    /// Their times, ns.
    pub ticks_ns: W,
    /// How many of them began where the I/O before had ended.
    pub merges: W,
}

impl Completed<Counter> {
    #[inline(always)]
    pub(super) fn count(&self, sectors: u64, ended: &Ended) {
        self.ios.add(1);
        self.sectors.add(sectors);
        self.ticks_ns.add(ended.duration_ns);
        if ended.merged {
            self.merges.add(1);
        }
    }
}

impl Load for Completed<Counter> {
    type Plain = Completed<u64>;

    fn load(&self) -> Completed<u64> {
        Completed {
            ios: self.ios.get(),
            sectors: self.sectors.get(),
            ticks_ns: self.ticks_ns.get(),
            merges: self.merges.get(),
        }
    }
}

impl Completed<u64> {
    /// Adds another's share.
    pub fn fold(&mut self, other: &Self) {
        self.ios = self.ios.wrapping_add(other.ios);
        self.sectors = self.sectors.wrapping_add(other.sectors);
        self.ticks_ns = self.ticks_ns.wrapping_add(other.ticks_ns);
        self.merges = self.merges.wrapping_add(other.merges);
    }

    /// The growth since `then`.
    pub fn since(&self, then: &Self) -> Self {
        Completed {
            ios: self.ios.wrapping_sub(then.ios),
            sectors: self.sectors.wrapping_sub(then.sectors),
            ticks_ns: self.ticks_ns.wrapping_sub(then.ticks_ns),
            merges: self.merges.wrapping_sub(then.merges),
        }
    }
}

/// Classes that have sectors: reads, writes that write, writes that free.
pub const CLASSES: usize = 3;

/// The words of an area, without its sequence count. The words that a read changes are in one cache
/// line with that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AreaWords<W = Counter> {
    /// I/Os that began, less those that went back without having ended.
    pub entered: W,
    /// Sum of the times at which they began, less of those at which they went back, wrapping, ns.
    pub entered_ns: W,
    /// Sum of the times at which I/Os ended, wrapping, ns.
    pub left_ns: W,
    /// I/Os that ended, by class.
    pub done: [Completed<W>; CLASSES],
}

impl AreaWords<Counter> {
    /// Where an I/O of the class with this number is counted; [`None`] if it has no data.
    #[inline(always)]
    pub(super) fn done(&self, class: usize) -> Option<&Completed> {
        self.done.get(class.wrapping_sub(1))
    }
}

const _: () = assert!(Class::NoData as usize == 0 && Class::Read as usize == 1);
const _: () = assert!(Class::Write as usize == 2 && Class::Free as usize == 3);

impl Load for AreaWords<Counter> {
    type Plain = AreaWords<u64>;

    fn load(&self) -> AreaWords<u64> {
        AreaWords {
            entered: self.entered.get(),
            entered_ns: self.entered_ns.get(),
            left_ns: self.left_ns.get(),
            done: self.done.each_ref().map(Completed::load),
        }
    }
}

impl AreaWords<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        self.entered = self.entered.wrapping_add(other.entered);
        self.entered_ns = self.entered_ns.wrapping_add(other.entered_ns);
        self.left_ns = self.left_ns.wrapping_add(other.left_ns);
        for (done, other) in self.done.iter_mut().zip(&other.done) {
            done.fold(other);
        }
    }

    /// I/Os in flight, or 0 if the difference is negative: the words of the CPU that counted a start may have
    /// been read before the start, and those of the CPU that undid the start after that.
    pub fn in_flight(&self) -> u64 {
        let in_flight = self.not_ended();
        if in_flight > u64::MAX / 2 {
            0
        } else {
            in_flight
        }
    }

    fn not_ended(&self) -> u64 {
        let ended = self.done.iter().map(|done| done.ios);
        ended.fold(self.entered, u64::wrapping_sub)
    }

    /// I/Os in flight integrated over time up to `now`, ns: see [`crate::acct::queue`].
    pub fn time_in_queue_ns(&self, now: u64) -> u64 {
        self.left_ns
            .wrapping_sub(self.entered_ns)
            .wrapping_add(self.not_ended().wrapping_mul(now))
    }

    /// The exits of `self` with the entries of `later`: no exit without its entry.
    pub(super) fn with_entries_of(&self, later: &Self) -> Self {
        AreaWords {
            entered: later.entered,
            entered_ns: later.entered_ns,
            ..*self
        }
    }
}

/// An area while it is changed.
pub(super) struct WritingArea<'a>(&'a Area);

impl Deref for WritingArea<'_> {
    type Target = AreaWords;

    #[inline(always)]
    fn deref(&self) -> &AreaWords {
        &self.0.words
    }
}

impl Drop for WritingArea<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.seq.end();
    }
}

/// One CPU's share of one area, under its sequence count: two cache lines. As zeroed memory,
/// nothing has happened.
///
/// Each area has a count of its own, so that a reader of many areas waits only for I/Os in the area that it
/// reads.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Area {
    seq: SeqCount,
    words: AreaWords,
}

const _: () = assert!(cfg!(loom) || core::mem::size_of::<Area>() == 128);

impl Area {
    /// Begins to change the words, until the value is dropped. The caller is the CPU they belong to, with interrupts off.
    #[inline(always)]
    pub(super) fn write(&self) -> WritingArea<'_> {
        self.seq.begin();
        WritingArea(self)
    }

    /// The words at one instant with the sequence count they had; [`None`] while they are written.
    pub(super) fn try_read(&self) -> Option<(u64, AreaWords<u64>)> {
        self.seq.try_read(|| self.words.load())
    }

    pub(super) fn seq(&self) -> u64 {
        self.seq.get()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// So many I/Os that began, and reads that ended.
    fn words(entered: u64, ended: u64) -> AreaWords<u64> {
        let mut words = AreaWords {
            entered,
            entered_ns: 1000 * entered,
            left_ns: 1010 * ended,
            ..AreaWords::default()
        };
        words.done[0].ios = ended;
        words
    }

    #[test]
    fn more_ends_than_starts_are_no_io_in_flight() {
        let most = u64::MAX / 2;
        let table = [
            (words(3, 1), 2),
            (words(0, 0), 0),
            (words(0, 1), 0),
            (words(1, 3), 0),
        ];
        for (words, in_flight) in table {
            assert_eq!(words.in_flight(), in_flight);
        }
        for (entered, in_flight) in [(most, most), (most + 1, 0)] {
            let words = AreaWords {
                entered,
                ..AreaWords::default()
            };
            assert_eq!(words.in_flight(), in_flight);
        }
    }

    #[test]
    fn entries_of_a_later_read_are_beside_the_exits_of_the_first() {
        let (first, later) = (words(3, 1), words(8, 6));
        let expected = AreaWords {
            left_ns: first.left_ns,
            done: first.done,
            ..later
        };
        assert_eq!(first.with_entries_of(&later), expected);
    }

    #[test]
    fn a_change_of_the_words_is_seen_by_their_sequence_count() {
        let area = Area::default();
        let before = area.seq();
        area.write().entered.add(1);
        assert_ne!(area.seq(), before);
        assert_eq!(area.try_read().map(|(seq, _)| seq), Some(area.seq()));
    }
}
