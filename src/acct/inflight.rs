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

/// Slots that share a cache line of keys.
pub const BUCKET: usize = 8;

/// Keys of one bucket; 0 is free.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Keys([AtomicU64; BUCKET]);

/// Entries of one bucket.
pub type Entries = [Entry; BUCKET];

/// The I/Os in flight, found by address without a lock.
///
/// A key lives in the bucket its hash names. A slot is taken by a compare-and-exchange on its key
/// and given back by storing 0. If the bucket is full the I/O is not tracked, which the caller
/// counts: an incomplete account is never a wrong one.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    keys: &'a [Keys],
    entries: &'a [Entries],
}

/// A slot of the table that holds an I/O.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    key: &'a AtomicU64,
    /// Its state.
    pub entry: &'a Entry,
}

impl<'a> Slot<'a> {
    #[inline(always)]
    fn at(keys: &'a [AtomicU64], entries: &'a [Entry], index: usize) -> Option<Self> {
        Some(Slot {
            key: keys.get(index)?,
            entry: entries.get(index)?,
        })
    }

    /// Gives the slot back.
    #[inline(always)]
    pub fn release(self) {
        // Release: whoever claims the slot next sees none of our writes after its own.
        self.key.store(0, Release);
    }
}

/// A slot for an I/O that begins.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// A free slot was taken.
    New(Slot<'a>),
    /// The address is in the table: an earlier I/O there ended unseen. Its entry is intact.
    Stale(Slot<'a>),
}

impl<'a> Table<'a> {
    /// A table over zeroed memory. Both slices should have the same length, a power of two up to
    /// 2^32: of any other, a part is not used.
    #[inline(always)]
    pub fn new(keys: &'a [Keys], entries: &'a [Entries]) -> Self {
        Table { keys, entries }
    }

    /// The bucket of `key`. Multiplication by 2^64 / golden ratio spreads addresses that differ
    /// by the size of a request; the upper bits of the product are the good ones.
    #[inline(always)]
    fn bucket(&self, key: u64) -> Option<(&'a [AtomicU64; BUCKET], &'a Entries)> {
        let hash = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        let index = hash & self.keys.len().wrapping_sub(1);
        Some((&self.keys.get(index)?.0, self.entries.get(index)?))
    }

    /// The slot of `key`, a non-zero address the caller owns.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<Slot<'a>> {
        let (keys, entries) = self.bucket(key)?;
        let index = keys.iter().position(|word| word.load(Relaxed) == key)?;
        Slot::at(keys, entries, index)
    }

    /// A slot for `key`, a non-zero address the caller owns; [`None`] if there is no room.
    ///
    /// The whole bucket is looked through before a free slot is taken: an I/O that ended unseen
    /// may be behind it.
    #[inline(always)]
    pub fn claim(&self, key: u64) -> Option<Claim<'a>> {
        if let Some(slot) = self.find(key) {
            return Some(Claim::Stale(slot));
        }
        let (keys, entries) = self.bucket(key)?;
        loop {
            let index = keys.iter().position(|word| word.load(Relaxed) == 0)?;
            let slot = Slot::at(keys, entries, index)?;
            // Acquire: pairs with the release of the slot's last owner. Failure means that
            // somebody else took it, so some thread always gets on.
            if slot.key.compare_exchange(0, key, Acquire, Relaxed).is_ok() {
                return Some(Claim::New(slot));
            }
        }
    }

    /// Slots in use: a number of its own time, for people.
    pub fn in_use(&self) -> usize {
        self.keys
            .iter()
            .flat_map(|keys| &keys.0)
            .filter(|key| key.load(Relaxed) != 0)
            .count()
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_inflight))]
mod tests {
    use super::*;

    #[test]
    fn table_finds_what_it_claimed_and_says_when_it_is_full() {
        let keys: [Keys; 1] = Default::default();
        let entries: [Entries; 1] = Default::default();
        let table = Table::new(&keys, &entries);
        let room = BUCKET as u64;
        for key in 1..=room {
            assert!(matches!(table.claim(key), Some(Claim::New(_))));
        }
        assert!(table.claim(room + 1).is_none());
        assert!(matches!(table.claim(3), Some(Claim::Stale(_))));
        assert_eq!(table.in_use(), BUCKET);
        for key in 1..=room {
            let slot = table.find(key);
            assert!(slot.is_some());
            if let Some(slot) = slot {
                slot.release();
            }
            assert!(table.find(key).is_none());
        }
        assert_eq!(table.in_use(), 0);
    }

    #[test]
    fn an_io_that_ended_unseen_is_found_behind_a_free_slot() {
        let keys: [Keys; 1] = Default::default();
        let entries: [Entries; 1] = Default::default();
        let table = Table::new(&keys, &entries);
        for key in 1..=3 {
            assert!(matches!(table.claim(key), Some(Claim::New(_))));
        }
        if let Some(slot) = table.find(1) {
            slot.release();
        }
        assert!(matches!(table.claim(3), Some(Claim::Stale(_))));
    }

    #[test]
    fn tables_of_odd_sizes_use_a_part_or_nothing() {
        let keys: [Keys; 3] = Default::default();
        let entries: [Entries; 3] = Default::default();
        assert!(Table::new(&keys[..0], &entries[..0]).claim(1).is_none());
        assert!(Table::new(&keys[..0], &entries).claim(1).is_none());
        assert!(Table::new(&keys, &entries[..0]).claim(1).is_none());
        let table = Table::new(&keys, &entries);
        for key in 1..=3 {
            let claimed = table.claim(key).is_some();
            assert!(claimed == table.find(key).is_some());
        }
    }
}
