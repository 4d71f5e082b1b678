// SPDX-License-Identifier: GPL-2.0

//! Indices into an array, no two of which are in use at a time.

use kernel::{
    alloc::KVVec,
    prelude::*, //
};

/// A pool of indices. Taking one and releasing it take constant time.
pub(crate) struct IndexPool {
    /// The free indices below `len`. There is room for all indices.
    free: KVVec<u32>,
    /// The largest number of indices that were in use at a time.
    len: u32,
}

impl IndexPool {
    pub(crate) const fn new() -> Self {
        IndexPool {
            free: KVVec::new(),
            len: 0,
        }
    }

    /// Returns a free index without taking it: the caller then calls [`IndexPool::take`]. Allocates the memory that
    /// [`IndexPool::release`] needs. May sleep; `ENOMEM`.
    pub(crate) fn find(&mut self) -> Result<u32> {
        let next = self.free.last().copied();
        if next.is_none() {
            // CAST: 32 bits.
            self.free
                .reserve(self.len.saturating_add(1) as usize, GFP_KERNEL)?;
        }
        Ok(next.unwrap_or(self.len))
    }

    /// Takes the index that [`IndexPool::find`] returned last.
    pub(crate) fn take(&mut self) {
        if self.free.pop().is_none() {
            self.len = self.len.saturating_add(1);
        }
    }

    /// Releases an index that was taken. Never sleeps, and cannot fail.
    pub(crate) fn release(&mut self, place: u32) {
        let _ = self.free.push_within_capacity(place);
    }

    /// The highest index that was ever taken, plus 1.
    pub(crate) fn len(&self) -> usize {
        // CAST: 32 bits.
        self.len as usize
    }
}
