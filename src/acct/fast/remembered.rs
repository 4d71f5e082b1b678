// SPDX-License-Identifier: GPL-2.0

//! What an entry remembers of its last I/O.

use crate::sync::{
    fence,
    AtomicU64,
    Ordering::{
        Relaxed,
        Release,
        SeqCst, //
    }, //
};

/// Where the last I/O of an entry was recorded. The numbers are the caller's: the module stores addresses, tests
/// store indices.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Remembered {
    /// Its [`Source`]; 0 if the next I/O takes the general path.
    source: AtomicU64,
    records: AtomicU64,
    root: AtomicU64,
}

/// Identifies the I/Os that belong to the account that an entry remembers. The start of an I/O
/// compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(u64);

impl Source {
    /// All I/Os of the queue at this address, which is not 0. For a disk none of whose partitions has an
    /// account.
    #[inline(always)]
    pub const fn queue(address: u64) -> Self {
        Source(address)
    }

    /// I/Os that were submitted to a block device: a partition, or the whole of a disk with partitions. An odd number,
    /// unlike the address of a queue.
    #[inline(always)]
    pub const fn block_device(address: u64) -> Self {
        Source(address | 1)
    }

    /// The address of the block device of a [`Source::block_device`]. For a queue, not the address of any block
    /// device.
    #[inline(always)]
    pub(super) const fn as_block_device(self) -> u64 {
        self.0.wrapping_sub(1)
    }

    /// Whether the source is all I/Os of a queue.
    pub const fn is_queue(self) -> bool {
        self.0 & 1 == 0
    }
}

/// Where the I/Os of an account are recorded: the numbers of [`Remembered`] but for the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Where each CPU finds its record of the account.
    pub records: u64,
    /// The account's root; 0 if it has left.
    pub root: u64,
}

impl Remembered {
    /// Makes the next I/O take the general path.
    #[inline(always)]
    pub(in crate::acct) fn forget(&self) {
        self.source.store(0, Relaxed);
    }

    /// Its source.
    #[inline(always)]
    pub(super) fn source(&self) -> Source {
        Source(self.source.load(Relaxed))
    }

    /// Its account's records.
    #[inline(always)]
    pub fn records(&self) -> u64 {
        self.records.load(Relaxed)
    }

    /// Its account's root.
    #[inline(always)]
    pub fn root(&self) -> u64 {
        self.root.load(Relaxed)
    }

    /// Lets the next I/O from this source take the fast path, if `may` still returns true.
    #[inline(always)]
    pub(in crate::acct) fn set(&self, source: Source, memory: Memory, may: impl FnOnce() -> bool) {
        self.records.store(memory.records, Relaxed);
        self.root.store(memory.root, Relaxed);
        self.source.store(source.0, Relaxed);
        // Pairs with that in `barrier`.
        fence(SeqCst);
        if !may() {
            self.forget();
        }
    }

    /// Whether the next I/O may take the fast path.
    pub(in crate::acct) fn is_set(&self) -> bool {
        self.source.load(Relaxed) != 0
    }

    /// See [`Entry::replace`](crate::acct::entry::Entry::replace).
    pub(in crate::acct) fn replace(&self, old: Memory, new: Memory) {
        if self.records() != old.records {
            return;
        }
        self.forget();
        // If the owner has written another account meanwhile, that is not changed.
        let exchange = |word: &AtomicU64, old, new| {
            let _ = word.compare_exchange(old, new, Release, Relaxed);
        };
        // The root first, which the release orders before the records. A step that loads the new records finds no record
        // of its CPU there and then loads the root: it must not find the root of the account that has left. The two
        // loads stay in order, as only x86 has a fast path.
        exchange(&self.root, old.root, new.root);
        exchange(&self.records, old.records, new.records);
    }

    /// Offset of the word with the account's records, bytes.
    pub const RECORDS_OFFSET: usize = core::mem::offset_of!(Remembered, records);
}

/// To be called before `Entry::forget` or `Entry::replace`, and after the caller has ensured that the account is not remembered
/// again.
pub fn barrier() {
    // Pairs with that in `Remembered::set`.
    fence(SeqCst);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_queue_or_a_block_device() {
        assert!(Source::queue(0x1000).is_queue());
        assert!(!Source::block_device(0x1000).is_queue());
        assert_eq!(Source::block_device(0x1000).as_block_device(), 0x1000);
    }
}
