// SPDX-License-Identifier: GPL-2.0

//! What regions have to know of an I/O from its start to its end.

use super::Io;
use crate::acct::{
    class::Class,
    counter::Counter, //
};

/// Accounts one I/O can be in: that of a partition and that of its disk.
pub const LEVELS: usize = 2;

/// The part of an I/O's state that only regions need. Like its entry it is used by whoever owns the
/// I/O at the moment.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Pending {
    /// First sector on the whole disk.
    sector: Counter,
    /// Sectors in the lower half, then the class.
    extent: Counter,
    start_ns: Counter,
    under: [Counter; LEVELS],
}

/// Under which list of regions an I/O started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Under {
    /// The list's number.
    pub list: u32,
    /// Whether device-mapper would call it merged.
    pub merged: bool,
    /// What [`super::Region::area_of`] said for the list's first region.
    pub area: Option<usize>,
}

const CLASS_SHIFT: u32 = 32;
const LIST_SHIFT: u32 = 32;
const MERGED: u64 = 1 << 31;
/// One more than the area, which is below 2^23, or 0.
const AREA: u64 = MERGED - 1;

impl Pending {
    /// The I/O starts at `now`, with `sector` on the whole disk. What it starts under is then to be
    /// remembered for each account it is in.
    #[inline(always)]
    pub fn start(&self, io: &Io, now: u64) {
        self.sector.set(io.sector);
        self.extent
            .set(u64::from(io.sectors) | (io.class as u64) << CLASS_SHIFT);
        self.start_ns.set(now);
    }

    /// It starts under no list, in any account.
    pub fn start_under_none(&self) {
        for under in &self.under {
            under.set(0);
        }
    }

    /// As it was at the start.
    #[inline(always)]
    pub fn io(&self) -> Io {
        let extent = self.extent.get();
        let class = match extent >> CLASS_SHIFT {
            1 => Class::Read,
            2 => Class::Write,
            3 => Class::Free,
            _ => Class::NoData,
        };
        Io {
            sector: self.sector.get(),
            // CAST: The lower half.
            sectors: extent as u32,
            class,
        }
    }

    /// When it started, ns.
    #[inline(always)]
    pub fn start_ns(&self) -> u64 {
        self.start_ns.get()
    }

    /// Remembers the list it started under, in the account at this level.
    #[inline(always)]
    pub fn set_under(&self, level: usize, under: Under) {
        // CAST: Wider.
        let area = under.area.map_or(0, |area| (area as u64).wrapping_add(1)) & AREA;
        let merged = if under.merged { MERGED } else { 0 };
        if let Some(word) = self.under.get(level) {
            word.set(u64::from(under.list) << LIST_SHIFT | merged | area);
        }
    }

    /// The list it started under. Lists are numbered from 1: number 0 is none.
    #[inline(always)]
    pub fn under(&self, level: usize) -> Under {
        let word = self.under.get(level).map_or(0, Counter::get);
        Under {
            // CAST: The upper half.
            list: (word >> LIST_SHIFT) as u32,
            merged: word & MERGED != 0,
            // CAST: Below 2^31.
            area: (word & AREA).checked_sub(1).map(|area| area as usize),
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_pending))]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_at_the_start_is_known_at_the_end() {
        let pending = Pending::default();
        for class in Class::ALL {
            let io = Io {
                sector: u64::MAX - 7,
                sectors: u32::MAX,
                class,
            };
            pending.start(&io, 77);
            pending.start_under_none();
            assert_eq!((pending.io(), pending.start_ns()), (io, 77));
            assert_eq!(pending.under(1).list, 0);
        }
        let unders = [
            (u32::MAX, true, None),
            (1, false, Some(0)),
            (2, true, Some(8_388_607)),
        ];
        for (list, merged, area) in unders {
            let under = Under { list, merged, area };
            pending.set_under(1, under);
            assert_eq!(pending.under(1), under);
            assert_eq!(pending.under(0).list, 0);
        }
    }
}
