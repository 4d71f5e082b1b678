// SPDX-License-Identifier: GPL-2.0

//! A sequence count: one writer, which never waits, and readers, which retry.
//!
//! The count is odd while its owner writes. A reader copies the words and takes the copy only if the
//! count was even before and is the same after: it waits for as long as a handful of additions with
//! interrupts off take.

use crate::sync::{
    fence,
    spin_loop,
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// The count of words beside it, each of them atomic. As zeroed memory, nothing was written.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct SeqCount(AtomicU64);

impl SeqCount {
    /// A sequence count with this value.
    #[cfg(all(test, not(loom)))]
    pub(super) fn at(count: u64) -> Self {
        SeqCount(AtomicU64::new(count))
    }

    /// The owner begins to write. The caller is the CPU the words belong to and keeps interrupts off
    /// until [`SeqCount::end`], so writes never nest.
    #[inline(always)]
    pub fn begin(&self) {
        let seq = self.0.load(Relaxed);
        self.0.store(seq.wrapping_add(1), Relaxed);
        // Orders the odd count before the words: pairs with the acquire fence in `try_read`.
        fence(Release);
    }

    /// The owner has written.
    #[inline(always)]
    pub fn end(&self) {
        // Loaded again: two instructions on memory cost less than to keep the count meanwhile.
        let seq = self.0.load(Relaxed);
        // Orders the words before the even count: pairs with the acquire load in `try_read`.
        self.0.store(seq.wrapping_add(1), Release);
    }

    /// The result of `read`, all of it of one instant, with the count at that instant; [`None`] if the owner
    /// was writing.
    #[inline]
    pub fn try_read<T>(&self, read: impl FnOnce() -> T) -> Option<(u64, T)> {
        let before = self.0.load(Acquire);
        if before & 1 != 0 {
            return None;
        }
        let copy = read();
        fence(Acquire);
        (self.0.load(Relaxed) == before).then_some((before, copy))
    }

    /// Calls `read` until the owner did not write during the call. Spins.
    #[inline]
    pub fn read<T>(&self, mut read: impl FnMut() -> T) -> (u64, T) {
        loop {
            if let Some(found) = self.try_read(&mut read) {
                return found;
            }
            spin_loop();
        }
    }

    /// The count alone: equal to an earlier one if nothing was written since.
    #[inline]
    pub fn get(&self) -> u64 {
        fence(Acquire);
        self.0.load(Relaxed)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_seqcount))]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_while_the_owner_writes_is_not_used() {
        let count = SeqCount::default();
        let before = count.get();
        assert_eq!(count.try_read(|| 1), Some((before, 1)));
        count.begin();
        assert!(count.get() != before);
        assert_eq!(count.try_read(|| 2), None);
        count.end();
        let after = count.get();
        assert!(after != before);
        assert_eq!(count.read(|| 3), (after, 3));
        let while_reading = count.try_read(|| {
            count.begin();
            count.end();
        });
        assert_eq!(while_reading, None);
    }
}
