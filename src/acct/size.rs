// SPDX-License-Identifier: GPL-2.0

//! How the sizes of transactions are distributed.
//!
//! Each bucket is for the sizes from a power of two up to the next one, as in `quantize()` of DTrace, and so in its
//! `bitesize.d`. The first is for all below 1 KiB, the last for all from 2 GiB on.
//!
//! A transaction has the size of what it transferred without error. Transactions of class `none` have no
//! size.

use super::{
    base::Base,
    class::CLASSES,
    counter::{
        near,
        Low, //
    },
};
use crate::below::{
    Bit,
    HighestBit, //
};

/// The highest bit of the largest size in the first bucket.
const FIRST_BIT: u32 = 9;

type SizeBucket = HighestBit<FIRST_BIT>;

/// Buckets. One is enough for loom, which has to track each bucket as a word.
pub const SIZES: usize = if cfg!(loom) { 1 } else { SizeBucket::COUNT };

/// The smallest size in a bucket, bytes.
pub const fn least_bytes(bucket: usize) -> u64 {
    match bucket {
        0 => 0,
        // CAST: No bucket is above 22.
        _ => 1 << FIRST_BIT << bucket as u32,
    }
}

/// Transactions of one class by their sizes.
pub type SizeCounts = [u64; SIZES];

/// Transactions of all classes by their sizes.
pub type ClassSizes = [SizeCounts; CLASSES];

/// The low 32 bits of the counts of `N` classes, by bucket: see [`Base`].
#[derive(Debug)]
#[repr(transparent)]
pub struct Sizes<const N: usize>([[Low; N]; SIZES]);

/// The bases of these counts.
pub type SizeBases<const N: usize> = [[Base; N]; SIZES];

impl<const N: usize> Default for Sizes<N> {
    fn default() -> Self {
        Sizes(core::array::from_fn(|_| {
            core::array::from_fn(|_| Low::default())
        }))
    }
}

impl<const N: usize> Sizes<N> {
    /// Counts a transaction in a column. Owner only.
    #[inline(always)]
    pub(super) fn record(&self, column: usize, bytes: u64) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let bucket = SizeBucket::of(bytes).number().min(SIZES - 1);
        let count = self.0.get(bucket).and_then(|row| row.get(column));
        if let Some(count) = count {
            count.add_one();
        }
    }

    /// A copy of all, to be taken under the sequence count of the record.
    #[inline(always)]
    pub(super) fn copy(&self) -> SizeLows<N> {
        SizeLows(self.0.each_ref().map(|row| row.each_ref().map(Low::get)))
    }

    /// Moves counts from `from` to a column, as [`Histogram::absorb`] does. Owner only.
    ///
    /// [`Histogram::absorb`]: super::histogram::Histogram
    pub(super) fn absorb(&self, column: usize, from: &mut SizeCounts) -> bool {
        let mut remains = false;
        let counts = self.0.iter().filter_map(|row| row.get(column));
        for (count, more) in counts.zip(from) {
            let step = (*more).min(u64::from(Base::STEP));
            // CAST: Not above it.
            count.add(step as u32);
            *more = more.wrapping_sub(step);
            remains |= *more != 0;
        }
        remains
    }

    /// Updates the bases of these counts, in the columns from `first` on: see [`Base::follow`].
    pub(super) fn update_bases<const BASES: usize>(&self, bases: &SizeBases<BASES>, first: usize) {
        for (row, bases) in self.0.iter().zip(bases) {
            for (count, base) in row.iter().zip(bases.iter().skip(first)) {
                base.follow(count);
            }
        }
    }
}

/// A copy of [`Sizes`].
pub(super) struct SizeLows<const N: usize>([[u32; N]; SIZES]);

impl<const N: usize> SizeLows<N> {
    /// Adds the counts of a column to `sum`, with the bases in a column of `bases`.
    #[inline(always)]
    pub(super) fn add_to<const BASES: usize>(
        &self,
        column: usize,
        bases: Option<(&SizeBases<BASES>, usize)>,
        sum: &mut SizeCounts,
    ) {
        let counts = self.0.iter().filter_map(|row| row.get(column));
        match bases {
            None => {
                for (sum, count) in sum.iter_mut().zip(counts) {
                    *sum = sum.wrapping_add(u64::from(*count));
                }
            }
            Some((bases, column)) => {
                let bases = bases.iter().filter_map(|row| row.get(column));
                for ((sum, count), base) in sum.iter_mut().zip(counts).zip(bases) {
                    *sum = sum.wrapping_add(near(base.get(), *count));
                }
            }
        }
    }
}

impl Sizes<2> {
    /// Counts a read or write. Owner only.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(super) fn record_data(&self, is_write: Bit, bytes: u32) {
        SizeBucket::of(bytes)
            .one_of_two(is_write, &self.0)
            .add_one();
    }

    /// Counts a read or write, without its size: loom's histograms have one bucket.
    #[cfg(loom)]
    pub(super) fn record_data(&self, is_write: Bit, _bytes: u32) {
        let [row] = &self.0;
        is_write.half(row).add_one();
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_size))]
mod tests {
    use super::*;

    fn counts(sizes: &Sizes<2>, column: usize) -> SizeCounts {
        let mut counts = [0; SIZES];
        sizes.copy().add_to::<2>(column, None, &mut counts);
        counts
    }

    #[test]
    fn a_size_is_in_the_bucket_that_begins_at_or_below_it() {
        assert_eq!(SIZES, 23);
        for bucket in 0..SIZES {
            let least = least_bytes(bucket);
            let most = match bucket {
                22 => u64::MAX,
                _ => least_bytes(bucket.wrapping_add(1)).wrapping_sub(1),
            };
            for bytes in [least, least.wrapping_add(1), most] {
                let sizes = Sizes::default();
                sizes.record(1, bytes);
                let expected = core::array::from_fn(|index| u64::from(index == bucket));
                assert_eq!(counts(&sizes, 1), expected);
                assert_eq!(counts(&sizes, 0), [0; SIZES]);
            }
        }
        assert_eq!(least_bytes(0), 0);
        assert_eq!((least_bytes(1), least_bytes(22)), (1024, 1 << 31));
    }

    #[test]
    fn reads_and_writes_are_recorded_as_other_classes_are() {
        for bytes in [0, 511, 512, 1023, 1024, 4096, 131_072, 1 << 31, u32::MAX] {
            for is_write in [false, true] {
                let (one, other) = (Sizes::default(), Sizes::default());
                one.record_data(Bit::of(is_write), bytes);
                other.record(usize::from(is_write), bytes.into());
                for column in 0..2 {
                    assert_eq!(counts(&one, column), counts(&other, column));
                }
            }
        }
    }

    #[test]
    fn counts_are_whole_numbers_above_their_bases() {
        let (sizes, bases) = (Sizes::<1>::default(), SizeBases::<2>::default());
        let mut more = [0; SIZES];
        more[3] = 9 << 30;
        while sizes.absorb(0, &mut more) {
            sizes.update_bases(&bases, 1);
        }
        let mut found = [0; SIZES];
        sizes.copy().add_to(0, Some((&bases, 1)), &mut found);
        assert_eq!((found[3], found[2]), (9 << 30, 0));
        assert_eq!(bases[3][0].get(), 0);
    }
}
