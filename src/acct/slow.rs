// SPDX-License-Identifier: GPL-2.0

//! The latest slow I/Os of a disk.
//!
//! A [`SlowRing`] keeps I/Os whose time from start to end has reached a threshold, and replaces the oldest with the
//! newest. Writers take turns. Readers take none: each place has a sequence count, and the number of the I/O in it, so
//! that a reader notices if an I/O was replaced while it reads the ring.

use super::{
    counter::Counter,
    seqcount::SeqCount,
    turns::Turns, //
};
use crate::sync::{
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// How many I/Os of a disk are kept.
pub const SLOW_IOS: usize = if cfg!(loom) { 2 } else { 64 };

/// Thresholds are not above this, ns. A time is negative from this limit on: the I/O ended on a CPU whose clock is behind.
pub const LONGEST_NS: u64 = 1 << 63;

/// The default threshold, ns.
pub const USUAL_NS: u64 = 500_000_000;

/// Whether a time has reached a threshold, both in ns.
#[inline(always)]
pub fn is_slow(total_ns: u64, threshold_ns: u64) -> bool {
    total_ns >= threshold_ns
}

/// An I/O that was slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlowIo {
    /// When it ended, ns.
    pub end_ns: u64,
    /// Its time in the wait queue, ns.
    pub wait_ns: u64,
    /// Its time in the run queue, ns.
    pub service_ns: u64,
    /// Its first sector on the whole disk.
    pub sector: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The id of the cgroup that it was submitted for; 0 if it is not known.
    pub cgroup: u64,
    /// The name of the thread that submitted it, padded with NULs.
    pub comm: [u8; 16],
    /// That thread; 0 if it is not known.
    pub pid: u32,
    /// The number of its device: of the disk or of a partition.
    pub device: u32,
    /// I/Os in the wait queue of that device when it ended.
    pub wcnt: u32,
    /// I/Os in the run queue of that device when it ended.
    pub rcnt: u32,
    /// `REQ_OP_*`.
    pub op: u8,
    /// The errno that it ended with; 0 if it succeeded.
    pub error: u8,
}

/// Words of a [`SlowIo`].
const WORDS: usize = 11;

const fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

/// The halves of a word, the low one first.
const fn halves(word: u64) -> (u32, u32) {
    // CAST: The low half, and the high one.
    (word as u32, (word >> 32) as u32)
}

impl SlowIo {
    fn to_words(self) -> [u64; WORDS] {
        let comm = u128::from_le_bytes(self.comm);
        [
            self.end_ns,
            self.wait_ns,
            self.service_ns,
            self.sector,
            self.bytes,
            self.cgroup,
            // CAST: One half, and the other.
            comm as u64,
            (comm >> 64) as u64,
            pair(self.pid, self.device),
            pair(self.wcnt, self.rcnt),
            u64::from(u16::from_le_bytes([self.op, self.error])),
        ]
    }

    fn from_words(words: [u64; WORDS]) -> Self {
        let [end_ns, wait_ns, service_ns, sector, bytes, cgroup, first, second, ids, counts, codes] =
            words;
        let comm = (u128::from(first) | u128::from(second) << 64).to_le_bytes();
        let (pid, device) = halves(ids);
        let (wcnt, rcnt) = halves(counts);
        let [op, error, ..] = codes.to_le_bytes();
        SlowIo {
            end_ns,
            wait_ns,
            service_ns,
            sector,
            bytes,
            cgroup,
            comm,
            pid,
            device,
            wcnt,
            rcnt,
            op,
            error,
        }
    }

    /// Its time from start to end, ns.
    pub fn total_ns(&self) -> u64 {
        self.wait_ns.wrapping_add(self.service_ns)
    }
}

/// A place for an I/O. As zeroed memory, it is empty.
#[derive(Debug, Default)]
#[repr(C)]
pub struct SlowPlace {
    seq: SeqCount,
    /// The number of the I/O in this place, counted from 1; 0 if the place is empty.
    number: Counter,
    words: [Counter; WORDS],
}

/// How many I/Os a ring has kept so far, and the turns of its writers. Zeroed memory is an empty
/// ring.
#[derive(Debug, Default)]
pub struct SlowCount {
    turns: Turns,
    count: AtomicU64,
}

impl SlowCount {
    /// How many I/Os were kept, including those that were replaced.
    pub fn get(&self) -> u64 {
        self.count.load(Acquire)
    }
}

/// See the module's documentation.
#[derive(Clone, Copy, Debug)]
pub struct SlowRing<'a> {
    count: &'a SlowCount,
    /// [`SLOW_IOS`].
    places: &'a [SlowPlace],
}

impl<'a> SlowRing<'a> {
    /// The ring in these places.
    pub fn new(count: &'a SlowCount, places: &'a [SlowPlace]) -> Self {
        SlowRing { count, places }
    }

    /// The place of the I/O of this number.
    fn place(self, number: u64) -> Option<&'a SlowPlace> {
        // CAST: The remainder is less than the length.
        let index = number.checked_rem(self.places.len() as u64)? as usize;
        self.places.get(index)
    }

    /// Keeps an I/O. Returns whether it has replaced another. With interrupts off, in any context but NMI.
    pub fn keep(self, io: &SlowIo) -> bool {
        let _turn = self.count.turns.take();
        let number = self.count.count.load(Relaxed).wrapping_add(1);
        let Some(place) = self.place(number) else {
            return false;
        };
        let replaces = place.number.get() != 0;
        place.seq.begin();
        place.number.set(number);
        for (into, word) in place.words.iter().zip(io.to_words()) {
            into.set(word);
        }
        place.seq.end();
        // Release: a reader that finds this number finds the I/O, or a later one.
        self.count.count.store(number, Release);
        replaces
    }

    /// The I/O of this number, unless it was replaced. Spins while another is written to its place.
    pub fn get(self, number: u64) -> Option<SlowIo> {
        let place = self.place(number)?;
        let (_, (found, words)) = place.seq.read(|| {
            let words = core::array::from_fn(|index| {
                let word = place.words.get(index);
                word.map_or(0, Counter::get)
            });
            (place.number.get(), words)
        });
        (found == number && number != 0).then(|| SlowIo::from_words(words))
    }

    /// The newest I/O whose number is not above `most`, and its number.
    pub fn newest(self, most: u64) -> Option<(u64, SlowIo)> {
        let newest = self.count.get().min(most);
        let oldest = self.count.get().saturating_sub(self.places.len() as u64);
        let mut number = newest;
        while number > oldest {
            if let Some(io) = self.get(number) {
                return Some((number, io));
            }
            number = number.wrapping_sub(1);
        }
        None
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn io(number: u64) -> SlowIo {
        SlowIo {
            end_ns: number,
            wait_ns: number + 1,
            service_ns: number + 2,
            sector: number + 3,
            bytes: number + 4,
            cgroup: number + 5,
            comm: (u128::from(number) << 64 | 7).to_le_bytes(),
            pid: number as u32 + 8,
            device: number as u32 + 9,
            wcnt: number as u32 + 10,
            rcnt: number as u32 + 11,
            op: 12,
            error: 13,
        }
    }

    fn places() -> Vec<SlowPlace> {
        (0..SLOW_IOS).map(|_| SlowPlace::default()).collect()
    }

    #[test]
    fn the_latest_are_kept() {
        let (count, places) = (SlowCount::default(), places());
        let ring = SlowRing::new(&count, &places);
        assert!(ring.newest(u64::MAX).is_none() && ring.get(0).is_none());
        for number in 1..=64 {
            assert!(!ring.keep(&io(number)));
        }
        assert_eq!(ring.get(1), Some(io(1)));
        assert!(ring.keep(&io(65)));
        assert_eq!(
            (ring.get(1), ring.get(65), ring.get(66)),
            (None, Some(io(65)), None)
        );
        assert_eq!(count.get(), 65);
        let mut next = u64::MAX;
        for number in (2..=65).rev() {
            assert_eq!(ring.newest(next), Some((number, io(number))));
            next = number - 1;
        }
        assert_eq!(ring.newest(next), None);
    }

    #[test]
    fn a_ring_without_places_keeps_nothing() {
        let count = SlowCount::default();
        let ring = SlowRing::new(&count, &[]);
        assert!(!ring.keep(&io(1)));
        assert!(ring.newest(u64::MAX).is_none() && ring.get(1).is_none());
    }

    #[test]
    fn times_reach_a_threshold() {
        assert!(is_slow(5, 5) && is_slow(6, 5) && !is_slow(4, 5));
        assert_eq!(io(1).total_ns(), 5);
    }
}
