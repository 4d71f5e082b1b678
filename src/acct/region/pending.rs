// SPDX-License-Identifier: GPL-2.0

//! What regions have to know of an I/O from its start to its end.

use super::{
    list::Begin,
    Io, //
};
use crate::acct::{
    class::Class,
    counter::Counter,
    entry::{
        Entry,
        IN_REGIONS, //
    },
};

/// Accounts one I/O can be in: that of a partition and that of its disk.
pub const LEVELS: usize = 2;

/// The part of an I/O's state that only regions need. Like the rest it is used by the current owner of
/// the I/O.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Pending {
    /// First sector on the whole disk.
    sector: Counter,
    sectors: Counter,
    start_ns: Counter,
    under: [Counter; LEVELS],
}

/// Under which list of regions an I/O started, whether device-mapper would call it merged, and where
/// it is counted.
///
/// The list's number in the upper half, the area above the lowest bit, and in that whether it is
/// merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Under(u64);

const LIST_SHIFT: u32 = 32;
const AREA_SHIFT: u32 = 1;
const MERGED: u64 = 1;
/// No area: more than there can be.
const NOWHERE: u64 = 1 << 31;

impl Under {
    /// Under no list.
    pub const NONE: Under = Under(0);

    /// Under list `number`. Lists are numbered from 1; 0 is no list.
    pub const fn list(number: u32) -> Self {
        Under((number as u64) << LIST_SHIFT)
    }

    /// The number of the list.
    pub const fn number(self) -> u32 {
        // CAST: The upper half.
        (self.0 >> LIST_SHIFT) as u32
    }

    /// The same, merged or not, of one list's number alone.
    #[inline(always)]
    pub fn merged_or_not(self, merged: bool) -> Self {
        Under(self.0 | u64::from(merged))
    }

    /// The same in this area alone, of one that has none yet.
    #[inline(always)]
    pub fn in_area(self, area: usize) -> Self {
        // CAST: Below `geometry::MAX_AREAS`.
        Under(self.0.wrapping_add((area as u64) << AREA_SHIFT))
    }

    /// The same in no area or several.
    pub fn in_no_one_area(self) -> Self {
        Under(self.0 | NOWHERE)
    }

    /// Whether it is merged.
    #[inline(always)]
    pub fn merged(self) -> bool {
        self.0 & MERGED != 0
    }

    /// The area it is in, if it started under this very list and is in one alone; otherwise more than any
    /// list has.
    #[inline(always)]
    pub fn area(self, list: Under) -> usize {
        // CAST: 64 bits here and there.
        ((self.0 ^ list.0) >> AREA_SHIFT) as usize
    }
}

impl Pending {
    /// The I/O starts at `now`, with `sector` on the whole disk. What it starts under is then to be
    /// remembered for each account it is in.
    #[inline(always)]
    pub fn start(&self, sector: u64, sectors: u32, now: u64) {
        self.sector.set(sector);
        self.sectors.set(u64::from(sectors));
        self.start_ns.set(now);
    }

    /// The same of an I/O on the fast path, which begins at `begin` on a whole disk and is in one area. When it started is in its
    /// entry.
    #[inline(always)]
    pub(in crate::acct) fn start_on_fast_path(&self, begin: Begin, sectors: u32, under: Under) {
        let [under_0, ..] = &self.under;
        self.sector.set(begin.word());
        self.sectors.set(u64::from(sectors));
        under_0.set(under.0);
    }

    /// Of an I/O on the fast path: where it begins. Of one that no region of its disk has recorded, some other I/O's.
    #[inline(always)]
    pub(in crate::acct) fn begin_on_fast_path(&self) -> Begin {
        Begin::from_word(self.sector.get())
    }

    /// It starts under no list, in any account.
    pub fn start_under_none(&self) {
        for under in &self.under {
            under.set(0);
        }
    }

    /// First sector on the whole disk.
    #[inline(always)]
    pub fn sector(&self) -> u64 {
        self.sector.get()
    }

    /// How many.
    #[inline(always)]
    pub fn sectors(&self) -> u64 {
        self.sectors.get()
    }

    /// When it started, ns.
    #[inline(always)]
    pub fn start_ns(&self) -> u64 {
        self.start_ns.get()
    }

    /// Remembers what it started under, in the account at this level.
    #[inline(always)]
    pub fn set_under(&self, level: usize, under: Under) {
        if let Some(word) = self.under.get(level) {
            word.set(under.0);
        }
    }

    /// What it started under.
    #[inline(always)]
    pub fn under(&self, level: usize) -> Under {
        Under(self.under.get(level).map_or(0, Counter::get))
    }
}

impl Entry {
    /// Whether regions count it.
    #[inline(always)]
    pub fn is_in_regions(&self) -> bool {
        self.state.get() & IN_REGIONS != 0
    }

    /// They do from now on, with `sector` on the whole disk; `sectors` mean nothing without data.
    #[inline(always)]
    pub fn start_in_regions(&self, sector: u64, sectors: u32, now: u64) {
        self.pending.start(sector, sectors, now);
        self.state.set(self.state.get() | IN_REGIONS);
    }

    /// The I/O, which the driver has had since `issued_ns`, leaves the fast path. If it did not start under a list there, it
    /// says what an I/O before it did: that has ended, so no list is in use that covers it. Returns the I/O's class as
    /// regions have it, if they may.
    pub(in crate::acct) fn leave_fast_path_in_regions(&self, issued_ns: u64) -> Option<Class> {
        if self.pending.under(0) == Under::NONE {
            return None;
        }
        let begin = self.pending.begin_on_fast_path();
        self.pending.sector.set(begin.sector());
        self.pending.start_ns.set(issued_ns);
        Some(match begin.is_write() {
            false => Class::Read,
            true => Class::Write,
        })
    }

    /// Regions have recorded its end, and it is still in flight.
    pub fn end_in_regions(&self) {
        self.state.set(self.state.get() & !IN_REGIONS);
    }

    /// As regions saw it start, in an account whose first sector is `first` on the whole disk.
    pub fn io(&self, first: u64) -> Io {
        let kind = self.kind();
        Io {
            sector: self.pending.sector().wrapping_sub(first),
            // CAST: As it was set.
            sectors: if kind.has_data() {
                self.pending.sectors() as u32
            } else {
                0
            },
            class: kind.class_of(),
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_pending))]
mod tests {
    use super::{
        super::geometry::MAX_AREAS,
        *, //
    };

    #[test]
    fn what_is_said_at_the_start_is_known_at_the_end() {
        let pending = Pending::default();
        pending.start(u64::MAX - 7, u32::MAX, 77);
        pending.start_under_none();
        assert_eq!(
            (pending.sector(), pending.sectors()),
            (u64::MAX - 7, u64::from(u32::MAX))
        );
        assert_eq!(pending.start_ns(), 77);
        assert_eq!(pending.under(1).number(), 0);
        let unders = [
            (u32::MAX, true, None),
            (1, false, Some(0)),
            (2, true, Some(MAX_AREAS - 1)),
        ];
        for (number, merged, area) in unders {
            let list = Under::list(number);
            let under = list.merged_or_not(merged);
            let in_area = area.map(|area| under.in_area(area));
            pending.set_under(1, in_area.unwrap_or(under.in_no_one_area()));
            let under = pending.under(1);
            assert_eq!((under.number(), under.merged()), (number, merged));
            match area {
                Some(area) => assert_eq!(under.area(list), area),
                None => assert!(under.area(list) >= MAX_AREAS),
            }
            for other in [0, 3, number ^ 1 << 31] {
                assert!(under.area(Under::list(other)) >= MAX_AREAS);
            }
            assert_eq!(pending.under(0).number(), 0);
        }
    }
}
