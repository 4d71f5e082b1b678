// SPDX-License-Identifier: GPL-2.0

//! Where the areas of a region are: on each CPU, and in what all CPUs have of them.

use crate::hint::opaque;

/// Where an area is. Of the region that it was returned for, which has that area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AreaOffset(u64);

/// The distance from one area to the next is a power of two: what all CPUs share of an area has as many bytes.
pub(super) const STRIDE_SHIFT: u32 = 5;

impl AreaOffset {
    /// The distance from one area to the next.
    pub const STRIDE: usize = 1 << STRIDE_SHIFT;

    /// That of an area of a region.
    #[inline(always)]
    pub(super) fn of(area: usize) -> Self {
        // CAST: Below `geometry::MAX_AREAS`.
        // Opaque, or what is computed of it would begin with another shift.
        AreaOffset(opaque((area as u64) << STRIDE_SHIFT))
    }

    /// That of an area whose offset was compared with the end of all areas.
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
        // CAST: As it was.
        (self.0 >> STRIDE_SHIFT) as usize
    }
}
