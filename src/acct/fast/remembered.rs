// SPDX-License-Identifier: GPL-2.0

//! What an entry remembers of its last I/O.

use crate::{
    acct::entry::Entry,
    sync::{
        fence,
        AtomicU64,
        Ordering::{
            Relaxed,
            Release,
            SeqCst, //
        }, //
    },
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

/// By what the start of an I/O finds that it belongs to the account that its entry remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source(u64);

impl Source {
    /// All I/Os of a queue, whose address is not 0: of a disk none of whose partitions has an account.
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

    /// Whether it is all I/Os of a queue.
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
    /// The next I/O takes the general path.
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

    /// Where its account's records are in it, bytes.
    pub const RECORDS_OFFSET: usize = core::mem::offset_of!(Remembered, records);
}

impl Entry {
    /// The entry's memory.
    #[inline(always)]
    pub fn memory(&self) -> &Remembered {
        &self.memory
    }

    /// The next I/O here from this source may take the fast path if `may` still says so. Owner only.
    pub fn remember(&self, source: Source, memory: Memory, may: impl FnOnce() -> bool) {
        // What an I/O before this one left there may be of another disk.
        self.pending.start_under_none();
        self.memory.records.store(memory.records, Relaxed);
        self.memory.root.store(memory.root, Relaxed);
        self.memory.source.store(source.0, Relaxed);
        // Pairs with that in `forgotten`.
        fence(SeqCst);
        if !may() {
            self.memory.forget();
        }
    }

    /// Whether the next I/O may take the fast path.
    pub fn is_remembered(&self) -> bool {
        self.memory.source.load(Relaxed) != 0
    }

    /// The next I/O of this entry takes the general path, if the entry refers to `memory`. An I/O that is in
    /// flight stays on the fast path. May be called by a thread that does not own the entry, after
    /// [`barrier`].
    pub fn forget(&self, memory: Memory) {
        if self.memory.records() == memory.records && self.is_remembered() {
            self.memory.forget();
        }
    }

    /// An entry that refers to `old` refers to `new` from here on: an I/O that is in flight is recorded there, and
    /// the next one takes the general path. May be called by a thread that does not own the entry, after [`barrier`].
    pub fn replace(&self, old: Memory, new: Memory) {
        if self.memory.records() != old.records {
            return;
        }
        self.memory.forget();
        // If the owner has written another account meanwhile, that is not changed.
        let exchange = |word: &AtomicU64, old, new| {
            let _ = word.compare_exchange(old, new, Release, Relaxed);
        };
        // The root first, which the release orders before the records. A step that loads the new records finds no record
        // of its CPU there and then loads the root: it must not find the root of the account that has left. The two
        // loads stay in order, as only x86 has a fast path.
        exchange(&self.memory.root, old.root, new.root);
        exchange(&self.memory.records, old.records, new.records);
    }
}

/// To be called by those who call [`Entry::forget`] or [`Entry::replace`]: after they have made
/// sure that the account is not remembered again.
pub fn barrier() {
    // Pairs with that in `remember`.
    fence(SeqCst);
}
