// SPDX-License-Identifier: GPL-2.0

//! What makes the low 32 bits of a count the whole count again.

use super::counter::Low;
use crate::sync::{
    AtomicU32,
    Ordering::Relaxed, //
};

/// A number near which the count of a bucket is, as a multiple of 2^[`Base::SHIFT`].
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Base(AtomicU32);

impl Base {
    /// Less than 2^31 by enough, so that a count stays near for a long time.
    pub const SHIFT: u32 = 30;

    /// So much may be added to a count before its base is brought to it.
    pub const STEP: u32 = 1 << Self::SHIFT;

    /// The number.
    pub(super) fn get(&self) -> u64 {
        u64::from(self.0.load(Relaxed)) << Self::SHIFT
    }

    /// Brings it to the count. To be called before that has grown by [`Base::STEP`] since the last time, and by one caller
    /// at a time.
    pub(super) fn follow(&self, count: &Low) {
        let count = count.above(self.get());
        // CAST: No counter comes to 2^62.
        self.0.store((count >> Self::SHIFT) as u32, Relaxed);
    }
}
