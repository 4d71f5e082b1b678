// SPDX-License-Identifier: GPL-2.0

//! What the regions of one disk have in common: ids, lifetimes, and where the latest I/O ended.

use crate::{
    acct::{
        class::{
            Class,
            Kind, //
        },
        counter::Counter, //
    },
    hint::opaque, //
};

/// Where the latest I/O of one disk ended, on one CPU. The first call must be [`Last::forget`].
///
/// The value is four times the sector after that I/O, plus 2 if it was a write.
#[derive(Debug, Default)]
pub struct Last(Counter);

impl Last {
    /// Forgets the latest I/O.
    pub fn forget(&self) {
        self.0.set(u64::MAX);
    }

    /// Whether an I/O with data starts where the latest one ended, in the same direction: device-mapper
    /// counts it as merged. Called by the CPU that owns the value, with interrupts off.
    #[inline(always)]
    pub fn merged(&self, sector: u64, sectors: u32, kind: Kind) -> bool {
        // The upper bit of the class is the direction.
        let direction = kind.class() as u64 & Class::Write as u64;
        self.merged_from(
            StartSector(sector.wrapping_mul(4).wrapping_add(direction)),
            sectors,
        )
    }

    /// Whether a read or write that begins at this point was merged.
    #[inline(always)]
    pub fn merged_from(&self, begin: StartSector, sectors: u32) -> bool {
        let merged = self.is(begin);
        self.set(begin.after(u64::from(sectors)));
        merged
    }

    /// Whether the latest read or write ended at this point, in the same direction.
    #[inline(always)]
    pub fn is(&self, begin: StartSector) -> bool {
        begin.0 == self.0.own()
    }

    /// A read or write has begun that ends at this point.
    #[inline(always)]
    pub fn set(&self, end: StartSector) {
        self.0.set(end.0);
    }
}

/// Where a read or write begins, and which of them it is, in one word: four times its first sector, and 2 if it is a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartSector(u64);

impl StartSector {
    /// A read or write that begins at this sector.
    #[inline(always)]
    pub fn new(sector: u64, is_write: bool) -> Self {
        StartSector(
            sector
                .wrapping_mul(4)
                .wrapping_add(u64::from(is_write).wrapping_mul(2)),
        )
    }

    /// This point, opaque to the compiler, which then keeps it instead of computing it from the sector again.
    #[inline(always)]
    pub fn again(self) -> Self {
        StartSector(opaque(self.0))
    }

    /// The point that is so many sectors later.
    #[inline(always)]
    pub fn after(self, sectors: u64) -> Self {
        StartSector(self.0.wrapping_add(sectors.wrapping_mul(4)))
    }

    /// The word.
    #[inline(always)]
    pub(super) fn word(self) -> u64 {
        self.0
    }

    /// The inverse of [`StartSector::word`].
    #[inline(always)]
    pub(super) fn from_word(word: u64) -> Self {
        StartSector(word)
    }

    /// Its first sector.
    pub fn sector(self) -> u64 {
        self.0 / 4
    }

    /// Whether it is a write.
    #[inline(always)]
    pub fn is_write(self) -> bool {
        self.0 & 2 != 0
    }
}

/// Which I/Os a region counts: those that start under a list of its disk's regions with a number
/// from `since` on and before `until`. Numbers wrap; those in use differ by less than half of their
/// range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The first list it is in.
    pub since: u32,
    /// The first list that it is no longer in. It is kept for I/Os that started under earlier
    /// lists.
    pub until: Option<u32>,
}

impl Lifetime {
    /// Whether an I/O that started under list `number` is counted.
    #[inline(always)]
    pub fn covers(&self, number: u32) -> bool {
        let from = |first: u32| number.wrapping_sub(first) <= u32::MAX / 2;
        from(self.since) && !self.until.is_some_and(from)
    }
}

/// Ids there are: 0 to 2^31 - 1.
const MAX_ID: u32 = i32::MAX as u32;

/// The smallest id that none of the regions has, whose ids are given in rising order. [`None`]:
/// `ENFILE`.
pub fn smallest_free_id(ids: impl IntoIterator<Item = u32>) -> Option<u32> {
    smallest_free(ids, MAX_ID)
}

fn smallest_free(ids: impl IntoIterator<Item = u32>, most: u32) -> Option<u32> {
    let mut free = 0u32;
    for id in ids {
        if id > free {
            break;
        }
        free = free.wrapping_add(1);
    }
    (free <= most).then_some(free)
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_region_list))]
mod tests {
    use super::*;
    use crate::acct::class::Tag;

    #[test]
    fn a_merge_goes_on_where_the_last_io_of_its_direction_ended() {
        let last = Last::default();
        last.forget();
        let table = [
            (0, Class::Read, false),
            (8, Class::Read, true),
            (16, Class::Write, false),
            (24, Class::Free, true),
            (24, Class::Write, false),
            (32, Class::Write, true),
            (40, Class::Read, false),
        ];
        for (sector, class, merged) in table {
            let kind = Kind::new(class, Tag::Simple);
            assert_eq!(last.merged(sector, 8, kind), merged);
            let none = Last::default();
            none.forget();
            assert!(!none.merged(0, 8, kind));
        }
    }

    #[test]
    fn a_region_counts_what_started_in_its_lifetime() {
        let ages = [(9, false), (10, true), (11, true), (12, false), (13, false)];
        for (number, counted) in ages {
            let lifetime = Lifetime {
                since: 10,
                until: Some(12),
            };
            assert_eq!(lifetime.covers(number), counted);
        }
        let lifetime = Lifetime {
            since: u32::MAX,
            until: None,
        };
        assert!(!lifetime.covers(u32::MAX - 1) && lifetime.covers(u32::MAX) && lifetime.covers(3));
    }

    #[test]
    fn ids_are_used_again_from_the_smallest() {
        assert_eq!(smallest_free_id([]), Some(0));
        assert_eq!(smallest_free_id([0, 1, 3]), Some(2));
        assert_eq!(smallest_free_id([1]), Some(0));
        assert_eq!(smallest_free([0, 1], 2), Some(2));
        assert_eq!(smallest_free([0, 1, 2], 2), None);
    }
}
