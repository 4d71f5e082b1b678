// SPDX-License-Identifier: GPL-2.0

//! The memory of an entry: see [`crate::acct::fast`].

use super::Entry;
use crate::acct::fast::{
    Memory,
    Remembered,
    Source, //
};

impl Entry {
    /// The entry's memory.
    #[inline(always)]
    pub fn memory(&self) -> &Remembered {
        &self.memory
    }

    /// Lets the next I/O of this entry from this source take the fast path, if `may` still returns true.
    /// Owner only.
    pub fn remember(&self, source: Source, memory: Memory, may: impl FnOnce() -> bool) {
        // The tags that an earlier I/O left there may be of another disk.
        self.pending.start_under_none();
        self.memory.set(source, memory, may);
    }

    /// Whether the next I/O may take the fast path.
    pub fn is_remembered(&self) -> bool {
        self.memory.is_set()
    }

    /// The next I/O of this entry takes the general path, if the entry refers to `memory`. An I/O that is in
    /// flight stays on the fast path. May be called by a thread that does not own the entry, after
    /// [`barrier`](crate::acct::fast::barrier).
    pub fn forget(&self, memory: Memory) {
        if self.memory.records() == memory.records && self.is_remembered() {
            self.memory.forget();
        }
    }

    /// If the entry refers to `old`, makes it refer to `new`: an I/O that is in flight is recorded there, and
    /// the next one takes the general path. May be called by a thread that does not own the entry, after
    /// [`barrier`](crate::acct::fast::barrier).
    pub fn replace(&self, old: Memory, new: Memory) {
        self.memory.replace(old, new);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const fn memory(records: u64) -> Memory {
        Memory { records, root: 1 }
    }

    #[test]
    fn an_entry_forgets_the_memory_that_is_named() {
        let entry = Entry::default();
        entry.remember(Source::queue(16), memory(64), || true);
        entry.forget(memory(128));
        assert!(entry.is_remembered());
        entry.forget(memory(64));
        assert!(!entry.is_remembered());
        entry.remember(Source::queue(16), memory(128), || true);
        assert!(entry.is_remembered());
    }
}
