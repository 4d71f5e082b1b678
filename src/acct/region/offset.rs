// SPDX-License-Identifier: GPL-2.0

//! Where the areas of a region are: their words on each CPU, and the words that all CPUs share.

use crate::hint::opaque;

/// Where an area is. Valid for the region that it was returned for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AreaOffset(u64);

/// The distance from one area to the next is a power of two: the size of the words of an area that all CPUs
/// share.
pub(super) const STRIDE_SHIFT: u32 = 5;

impl AreaOffset {
    /// The distance from one area to the next.
    pub const STRIDE: usize = 1 << STRIDE_SHIFT;

    /// The offset of an area of a region.
    #[inline(always)]
    pub(super) fn of(area: usize) -> Self {
        // CAST: Below `geometry::MAX_AREAS`. Opaque, as the compiler would otherwise compute each
        // use of it with another shift.
        AreaOffset(opaque((area as u64) << STRIDE_SHIFT))
    }

    /// An offset that was compared with the end of all areas.
    #[inline(always)]
    pub(super) const fn from_offset(offset: u64) -> Self {
        AreaOffset(offset)
    }

    /// In steps of [`AreaOffset::STRIDE`].
    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of the area.
    pub fn area(self) -> usize {
        // CAST: It was a `usize`.
        (self.0 >> STRIDE_SHIFT) as usize
    }
}
