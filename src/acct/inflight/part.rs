// SPDX-License-Identifier: GPL-2.0

//! One array of entries, in buckets.

use super::{
    key::BUSY,
    share::ReserveCount,
    Claimed, //
};
use crate::{
    acct::{
        counter::Counter,
        entry::Entry, //
    },
    sync::{
        AtomicU64,
        Ordering::Relaxed, //
    },
};

/// Entries of a bucket: I/Os with the same hash share them.
pub const BUCKET: usize = 8;

/// Buckets in which an I/O can be.
///
/// With three quarters of all entries busy a fifth of the buckets are full if addresses have no pattern: one
/// I/O in 10^11 finds sixteen such buckets. Addresses at a distance that suits the first hash badly
/// leave twice as many full: hence twice as many buckets.
const REACH: usize = 32;

/// 2^32 / golden ratio, as a negative number that fits in an instruction: as a factor it spreads addresses
/// that differ by the size of a request.
const MULTIPLIER: u64 = 0xffff_ffff_9e37_79b1;

/// The first bit of the hash that is used. Those below depend on few bits of an address; those far above
/// leave little of the difference between two requests of a queue.
pub const HASH_SHIFT: u32 = 24;

/// The first hash of an address: the number of its home is made of the bits from [`HASH_SHIFT`] on, as
/// many as the number of entries needs.
#[inline(always)]
pub fn hash(key: u64) -> u64 {
    key.wrapping_mul(MULTIPLIER)
}

/// One round of the second hash. The first hash alone is not enough: for any factor, there is a distance
/// whose multiples hash to the same few buckets, and no fixed step between buckets is sure to leave such a
/// pattern.
fn mix(hash: u64) -> u64 {
    const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let product = hash.wrapping_mul(FACTOR);
    product ^ product >> 32
}

/// A number below `len`, by the upper bits of `hash`.
#[inline(always)]
fn scale(hash: u64, len: usize) -> usize {
    // CAST: Less than the length.
    (u128::from(hash).wrapping_mul(len as u128) >> 64) as usize
}

/// How many I/Os in flight found all entries of a bucket busy, and went on.
#[derive(Debug, Default)]
pub struct Passed(AtomicU64);

impl Passed {
    fn is_zero(&self) -> bool {
        // Relaxed: the I/O was handed over by the thread that counted it here, with the ordering of the block layer.
        self.0.load(Relaxed) == 0
    }
}

/// A part of the reserve, which may not exist yet.
pub trait ReservePart {
    /// The part.
    fn part(&self) -> Option<Part<'_>>;
}

/// An array of entries, and a number for each bucket of them.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    entries: &'a [Entry],
    passed: &'a [Passed],
    /// In the reserve, for each entry a word that identifies the share that it is part of.
    holders: &'a [Counter],
}

/// How an I/O came to an entry that is not in its first bucket, or in the reserve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detour<'a> {
    part: Part<'a>,
    /// Buckets it passed.
    passed: usize,
    /// The count of the reserve, if the entry is there.
    held: Option<&'a ReserveCount>,
}

impl<'a> Detour<'a> {
    /// The word of its entry in `holders`, if the entry is in the reserve.
    pub(super) fn holder(&self, entry: &Entry) -> Option<&'a Counter> {
        self.part.holders.get(self.part.number(entry)?)
    }

    /// Takes the I/O with this key, which has released its entry, out of the counts.
    #[cold]
    #[inline(never)]
    pub(super) fn undo(self, key: u64) {
        self.part.unpass(key, self.passed);
        if let Some(held) = self.held {
            held.leave();
        }
    }
}

/// The result of a search.
pub(super) enum Look<'a> {
    /// The entry of the I/O.
    Found(Claimed<'a>),
    /// The I/O is not there, and there is room for it.
    Room,
    /// The I/O is not there, and all entries where it could be were busy.
    Full,
}

/// A bucket, and the entry in it to look at first.
#[derive(Clone, Copy)]
struct BucketRef<'a> {
    part: Part<'a>,
    first: usize,
}

impl<'a> BucketRef<'a> {
    /// The entries, starting with `first`: `first ^ 0` to `first ^ 7` are the aligned group of
    /// eight around it.
    fn entries(self) -> impl Iterator<Item = &'a Entry> {
        (0..BUCKET).filter_map(move |index| self.part.entries.get(self.first ^ index))
    }

    fn passed(self) -> Option<&'a Passed> {
        self.part.passed.get(self.first / BUCKET)
    }

    /// Takes an entry: the one that has this address already, else one that was never used, else any
    /// idle one.
    fn take(self, key: u64) -> Option<&'a Entry> {
        let own = self.entries().find(|entry| entry.key.load() == key);
        if let Some(entry) = own.filter(|entry| entry.key.take(key, key)) {
            return Some(entry);
        }
        loop {
            let mut idle = None;
            for entry in self.entries() {
                let word = entry.key.load();
                if word == 0 {
                    idle = Some((entry, word));
                    break;
                }
                if word & BUSY == 0 && idle.is_none() {
                    idle = Some((entry, word));
                }
            }
            let (entry, word) = idle?;
            // If this fails, another thread has taken the entry: one of the two has made progress.
            if entry.key.take(word, key) {
                return Some(entry);
            }
        }
    }
}

/// A sequence of buckets, in which no bucket is repeated.
struct Path<'a> {
    part: Part<'a>,
    /// The entry to look at first in the next bucket.
    first: usize,
    hash: u64,
    /// The buckets so far, `len` of them.
    buckets: [usize; REACH],
    len: usize,
}

impl<'a> Iterator for Path<'a> {
    type Item = BucketRef<'a>;

    fn next(&mut self) -> Option<BucketRef<'a>> {
        let all = self.part.passed.len();
        if self.len >= all {
            return None;
        }
        let mut bucket = self.first / BUCKET;
        // The loop ends, as there are more buckets than these.
        while self.buckets.get(..self.len)?.contains(&bucket) {
            bucket = bucket.wrapping_add(1);
            if bucket == all {
                bucket = 0;
            }
        }
        *self.buckets.get_mut(self.len)? = bucket;
        self.len = self.len.wrapping_add(1);
        let offset = self.first % BUCKET;
        self.hash = mix(self.hash);
        self.first = scale(self.hash, self.part.entries.len());
        Some(BucketRef {
            part: self.part,
            first: bucket.wrapping_mul(BUCKET).wrapping_add(offset),
        })
    }
}

impl<'a> Part<'a> {
    /// Entries that a part needs for so many I/Os at a time: with all of them in flight, a quarter
    /// of the entries is idle.
    pub fn entries_for(ios: usize) -> usize {
        let entries = ios.saturating_add(ios.div_ceil(3));
        entries.checked_next_power_of_two().unwrap_or(entries)
    }

    /// I/Os that are sure to find room in so many entries: the reverse of [`Part::entries_for`].
    pub fn ios_in(entries: usize) -> usize {
        entries.saturating_sub(entries / 4)
    }

    /// The main part, over zeroed memory. The number of `entries` should be a power of two from
    /// [`BUCKET`] on, and that of `passed` an eighth of it: else some are not used.
    #[inline(always)]
    pub fn main(entries: &'a [Entry], passed: &'a [Passed]) -> Self {
        Part {
            entries,
            passed,
            holders: &[],
        }
    }

    /// A part of the reserve, with as many `holders` as entries.
    pub fn of_reserve(entries: &'a [Entry], passed: &'a [Passed], holders: &'a [Counter]) -> Self {
        Part {
            entries,
            passed,
            holders,
        }
    }

    /// Where to look for `key` first.
    #[inline(always)]
    fn home(self, key: u64) -> usize {
        // CAST: The upper bits are not used.
        (hash(key) >> HASH_SHIFT) as usize & self.entries.len().wrapping_sub(1)
    }

    /// The entry in which the I/O with this key is looked for first.
    #[inline(always)]
    pub fn home_entry(self, key: u64) -> Option<&'a Entry> {
        self.entries.get(self.home(key))
    }

    /// The buckets in which `key` may be, in the order of the search.
    fn path(self, key: u64) -> Path<'a> {
        Path {
            part: self,
            first: self.home(key),
            hash: mix(key ^ key >> 32),
            buckets: [0; REACH],
            len: 0,
        }
    }

    /// The entry of `key`, an address the caller owns, if it is in flight and where it is looked
    /// for first.
    #[inline(always)]
    pub fn find_home(self, key: u64) -> Option<Claimed<'a>> {
        let entry = self.entries.get(self.home(key))?;
        entry.key.is_of(key).then_some(Claimed::near(key, entry))
    }

    /// The entry that `key`, an address the caller owns, had the last time, if that is where it is
    /// looked for first.
    ///
    /// The I/O cannot be in flight in another entry then, as a claim looks here first.
    #[inline(always)]
    pub fn claim_home(self, key: u64) -> Option<Claimed<'a>> {
        let entry = self.entries.get(self.home(key))?;
        let taken = entry.key.load() == key && entry.key.take(key, key);
        taken.then_some(Claimed::near(key, entry))
    }

    fn slot(self, key: u64, entry: &'a Entry, passed: usize) -> Claimed<'a> {
        let detour = (passed != 0).then_some(Detour {
            part: self,
            passed,
            held: None,
        });
        Claimed { key, entry, detour }
    }

    /// The entry of `key`, an address the caller owns, if it is in flight here.
    pub(super) fn find(self, key: u64) -> Option<Claimed<'a>> {
        match self.look_for(key) {
            Look::Found(slot) => Some(slot),
            Look::Room | Look::Full => None,
        }
    }

    /// Looks for the entry of `key`, and whether there is room for it.
    pub(super) fn look_for(self, key: u64) -> Look<'a> {
        let mut room = false;
        // Not `enumerate()`, whose count is checked, with a panic. A path has `REACH` buckets at most.
        for (passed, bucket) in (0..REACH).zip(self.path(key)) {
            for entry in bucket.entries() {
                if entry.key.is_of(key) {
                    return Look::Found(self.slot(key, entry, passed));
                }
                room |= !entry.key.is_busy();
            }
            if bucket.passed().is_none_or(Passed::is_zero) {
                // The next bucket is not full either, most likely.
                return Look::Room;
            }
        }
        if room {
            Look::Room
        } else {
            Look::Full
        }
    }

    /// An entry for `key`, an address the caller owns and that is not in flight.
    pub(super) fn take(self, key: u64) -> Option<Claimed<'a>> {
        let mut full = 0usize;
        for bucket in self.path(key) {
            if let Some(entry) = bucket.take(key) {
                return Some(self.slot(key, entry, full));
            }
            if let Some(passed) = bucket.passed() {
                passed.0.fetch_add(1, Relaxed);
            }
            full = full.wrapping_add(1);
        }
        self.unpass(key, full);
        None
    }

    /// Takes an I/O that has passed so many buckets, and has released its entry, out of their
    /// counts.
    fn unpass(self, key: u64, passed: usize) {
        for bucket in self.path(key).take(passed) {
            if let Some(passed) = bucket.passed() {
                passed.0.fetch_sub(1, Relaxed);
            }
        }
    }

    /// The claimed entry as one of this part, which is in the reserve.
    pub(super) fn held(self, slot: Claimed<'a>, held: &'a ReserveCount) -> Claimed<'a> {
        let detour = Some(Detour {
            part: self,
            passed: slot.detour.map_or(0, |detour| detour.passed),
            held: Some(held),
        });
        Claimed { detour, ..slot }
    }

    /// All entries.
    pub fn entries(self) -> &'a [Entry] {
        self.entries
    }

    /// The number of an entry, if it is of this part.
    pub fn number(self, entry: &Entry) -> Option<usize> {
        let offset = core::ptr::from_ref(entry)
            .addr()
            .checked_sub(self.entries.as_ptr().addr())?;
        let number = offset.checked_div(core::mem::size_of::<Entry>())?;
        (number < self.entries.len()).then_some(number)
    }

    /// Full buckets that I/Os in flight here have passed, all together: how far they are from where they
    /// are looked for first.
    pub fn detours(self) -> u64 {
        let passed = self.passed.iter().map(|passed| passed.0.load(Relaxed));
        passed.fold(0, u64::wrapping_add)
    }

    /// I/Os in flight in this part. The number is approximate, for display.
    pub fn in_use(self) -> usize {
        let busy = |entry: &&Entry| entry.key.is_busy();
        self.entries.iter().filter(busy).count()
    }
}
