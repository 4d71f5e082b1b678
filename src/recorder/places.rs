// SPDX-License-Identifier: GPL-2.0

//! Places for accounts: small numbers, of which no two accounts have the same at a time.

use kernel::prelude::*;

/// Which places are free.
pub(super) struct Places {
    /// Of those below `len`. There is room for all of them.
    free: KVec<u32>,
    /// How many there are.
    len: u32,
}

impl Places {
    pub(super) const fn new() -> Self {
        Places {
            free: KVec::new(),
            len: 0,
        }
    }

    /// A free place, which stays free until [`Places::take`]. May sleep; `ENOMEM`.
    pub(super) fn find(&mut self) -> Result<u32> {
        let next = self.free.last().copied();
        if next.is_none() {
            // No memory is needed to give any of them back. CAST: 32 bits.
            self.free
                .reserve(self.len.saturating_add(1) as usize, GFP_KERNEL)?;
        }
        Ok(next.unwrap_or(self.len))
    }

    /// Takes what was found last.
    pub(super) fn take(&mut self) {
        if self.free.pop().is_none() {
            self.len = self.len.saturating_add(1);
        }
    }

    /// Gives one back that was taken.
    pub(super) fn give_back(&mut self, place: usize) {
        // CAST: As it was found.
        let _ = self.free.push_within_capacity(place as u32);
    }
}
