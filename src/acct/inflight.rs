// SPDX-License-Identifier: GPL-2.0

//! Where the state of an I/O is found: a table keyed by the address of its request or bio.
//!
//! Nothing is written into the kernel's own structures, and an entry cannot outlive the module.

use super::entry::Entry;
use crate::sync::{
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// Entries among which the I/Os of one hash have to find room.
pub const BUCKET: usize = 8;

/// Set in the key of an entry whose I/O is in flight. Addresses of requests and bios are multiples
/// of 8, so the bit is free.
const BUSY: u64 = 1;

/// Who an entry belongs to: the address of an I/O, and whether that is in flight.
///
/// The address stays when the I/O has ended. Requests are allocated once and for all with their
/// queue, and bios come from pools: the next I/O at an address most often finds its entry
/// where the last one left it, in its first look.
#[derive(Debug, Default)]
pub struct Key(AtomicU64);

impl Key {
    #[inline(always)]
    fn load(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Takes an entry that has the key `old`, not a busy one.
    #[inline(always)]
    fn take(&self, old: u64, key: u64) -> bool {
        // Acquire: pairs with the release of the entry's last owner.
        let taken = self.0.compare_exchange(old, key | BUSY, Acquire, Relaxed);
        taken.is_ok()
    }
}

/// The I/Os in flight, found by address without a lock.
///
/// The hash of an address names a bucket and the entry in it to look at first. An entry is
/// taken by a compare-and-exchange on its key and given back by a store. If all entries of the bucket
/// are busy the I/O is not tracked, which the caller counts: an incomplete account is never a
/// wrong one.
///
/// An address is in its bucket at most once: only the I/O that owns it puts it there, after it has
/// looked at all entries.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    entries: &'a [Entry],
}

/// An entry of the table that an I/O owns.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    key: u64,
    /// Its state.
    pub entry: &'a Entry,
}

impl Slot<'_> {
    /// Gives the entry back.
    #[inline(always)]
    pub fn release(self) {
        // Release: whoever takes the entry next sees none of our writes after its own.
        self.entry.key.0.store(self.key, Release);
    }
}

/// An entry for an I/O that begins.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// An idle entry was taken.
    New(Slot<'a>),
    /// The address is in flight already: an earlier I/O there ended unseen. Its entry is intact.
    Stale(Slot<'a>),
}

impl<'a> Table<'a> {
    /// A table over zeroed memory. The length should be a power of two from [`BUCKET`] to 2^32:
    /// of any other, a part is not used.
    #[inline(always)]
    pub fn new(entries: &'a [Entry]) -> Self {
        Table { entries }
    }

    /// Where to look for `key` first. Multiplication by 2^64 / golden ratio spreads addresses that
    /// differ by the size of a request; the upper bits of the product are the good ones.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        let hash = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & self.entries.len().wrapping_sub(1)
    }

    /// The entries in which `key` may be, first things first: `home ^ 0` to `home ^ 7` are the
    /// aligned group of eight around it.
    fn bucket(self, key: u64) -> impl Iterator<Item = &'a Entry> {
        let (entries, home) = (self.entries, self.home(key));
        (0..BUCKET).filter_map(move |index| entries.get(home ^ index))
    }

    /// The entry of `key`, an address the caller owns, if it is in flight and where it is looked
    /// for first.
    #[inline(always)]
    pub fn find_home(&self, key: u64) -> Option<Slot<'a>> {
        let entry = self.entries.get(self.home(key))?;
        (entry.key.load() == key | BUSY).then_some(Slot { key, entry })
    }

    /// The entry of `key`, an address the caller owns, if it is in flight.
    pub fn find(&self, key: u64) -> Option<Slot<'a>> {
        let entry = self.bucket(key).find(|e| e.key.load() == key | BUSY)?;
        Some(Slot { key, entry })
    }

    /// The entry that `key`, an address the caller owns, had the last time, if that is where it is
    /// looked for first.
    #[inline(always)]
    pub fn claim_home(&self, key: u64) -> Option<Slot<'a>> {
        let entry = self.entries.get(self.home(key))?;
        (entry.key.load() == key && entry.key.take(key, key)).then_some(Slot { key, entry })
    }

    /// An entry for `key`, a multiple of 8 that the caller owns and that is not 0; [`None`] if
    /// there is no room.
    ///
    /// Looks for the address itself, then for an entry that nobody ever used, then for one that
    /// is idle.
    pub fn claim(&self, key: u64) -> Option<Claim<'a>> {
        for entry in self.bucket(key) {
            let word = entry.key.load();
            if word == key | BUSY {
                return Some(Claim::Stale(Slot { key, entry }));
            }
            if word == key && entry.key.take(key, key) {
                return Some(Claim::New(Slot { key, entry }));
            }
        }
        loop {
            let mut idle = None;
            for entry in self.bucket(key) {
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
            // Failure means that somebody else took it, so some thread always gets on.
            if entry.key.take(word, key) {
                return Some(Claim::New(Slot { key, entry }));
            }
        }
    }

    /// I/Os in flight: a number of its own time, for people.
    pub fn in_use(&self) -> usize {
        let busy = |entry: &&Entry| entry.key.load() & BUSY != 0;
        self.entries.iter().filter(busy).count()
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_inflight))]
mod tests {
    use super::*;

    fn key(number: u64) -> u64 {
        number * 8
    }

    #[test]
    fn table_finds_what_it_claimed_and_says_when_it_is_full() {
        let entries: [Entry; BUCKET] = Default::default();
        let table = Table::new(&entries);
        let room = BUCKET as u64;
        for number in 1..=room {
            assert!(matches!(table.claim(key(number)), Some(Claim::New(_))));
        }
        assert!(table.claim(key(room + 1)).is_none());
        assert!(matches!(table.claim(key(3)), Some(Claim::Stale(_))));
        assert_eq!(table.in_use(), BUCKET);
        for number in 1..=room {
            let slot = table.find(key(number));
            assert!(slot.is_some());
            if let Some(slot) = slot {
                slot.release();
            }
            assert!(table.find(key(number)).is_none());
        }
        assert_eq!(table.in_use(), 0);
    }

    #[test]
    fn an_address_comes_back_to_the_entry_it_had() {
        let entries: [Entry; BUCKET] = Default::default();
        let table = Table::new(&entries);
        let entry_of = |number| match table.claim(key(number)) {
            Some(Claim::New(slot)) => {
                slot.release();
                core::ptr::from_ref(slot.entry)
            }
            _ => core::ptr::null(),
        };
        let first: [_; BUCKET] = core::array::from_fn(|index| entry_of(index as u64 + 1));
        for (number, first) in (1..).zip(first) {
            assert!(entry_of(number) == first);
        }
        // Nine addresses for eight entries: one gives way.
        assert!(first.contains(&entry_of(9)));
    }

    #[test]
    fn an_io_that_ended_unseen_is_found_behind_an_idle_entry() {
        let entries: [Entry; BUCKET] = Default::default();
        let table = Table::new(&entries);
        for number in 1..=3 {
            assert!(matches!(table.claim(key(number)), Some(Claim::New(_))));
        }
        if let Some(slot) = table.find(key(1)) {
            slot.release();
        }
        assert!(matches!(table.claim(key(3)), Some(Claim::Stale(_))));
    }

    #[test]
    fn tables_of_odd_sizes_use_a_part_or_nothing() {
        let entries: [Entry; 3] = Default::default();
        assert!(Table::new(&entries[..0]).claim(key(1)).is_none());
        let table = Table::new(&entries);
        for number in 1..=3 {
            let claimed = table.claim(key(number)).is_some();
            assert!(claimed == table.find(key(number)).is_some());
        }
    }
}
