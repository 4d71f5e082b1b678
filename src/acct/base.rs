// SPDX-License-Identifier: GPL-2.0

//! The base of a bucket: with it, a reader computes the whole count from its low 32 bits.

use super::counter::Low;
use crate::sync::{
    AtomicU32,
    Ordering::Relaxed, //
};

/// A number near the count of a bucket, stored as a multiple of 2^[`Base::SHIFT`].
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Base(AtomicU32);

impl Base {
    /// 2^30: half of 2^31, the distance from its base that a count must not reach.
    pub const SHIFT: u32 = 30;

    /// How much may be added to a count before its base must be updated.
    pub const STEP: u32 = 1 << Self::SHIFT;

    /// The number.
    pub(super) fn get(&self) -> u64 {
        u64::from(self.0.load(Relaxed)) << Self::SHIFT
    }

    /// Sets the base to the count, rounded down. To be called before the count has grown by [`Base::STEP`] since the
    /// last call, and by one caller at a time.
    pub(super) fn follow(&self, count: &Low) {
        let count = count.above(self.get());
        // CAST: No counter comes to 2^62.
        self.0.store((count >> Self::SHIFT) as u32, Relaxed);
    }
}
