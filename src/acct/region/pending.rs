// SPDX-License-Identifier: GPL-2.0

//! The state that regions need of an I/O from its start to its end.

use super::{
    list::StartSector,
    offset::{
        AreaOffset,
        STRIDE_SHIFT, //
    },
};
use crate::acct::{
    class::Class,
    counter::Counter, //
};

/// Accounts one I/O can be in: that of a partition and that of its disk.
pub const LEVELS: usize = 2;

/// The part of an I/O's state that only regions need. Like the rest it is used by the current owner of
/// the I/O.
#[derive(Debug, Default)]
#[repr(C)]
pub struct RegionState {
    /// First sector on the whole disk.
    sector: Counter,
    sectors: Counter,
    start_ns: Counter,
    list_tag: [Counter; LEVELS],
}

/// Identifies the list of regions under which an I/O started and the area that counts it, and says
/// whether device-mapper would count the I/O as merged.
///
/// Bits 32 to 63: number of the list. Bits 5 to 28: area, as an [`AreaOffset`]. Above these: flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct ListTag(u64);

const LIST_SHIFT: u32 = 32;
/// The I/O is merged.
pub(in crate::acct) const MERGED: u64 = 1 << 30;
/// The I/O is a write on the fast path.
pub(in crate::acct) const WRITE: u64 = 1 << 29;
/// The I/O is in no area or in several.
const NOWHERE: u64 = 1 << 31;

impl ListTag {
    /// The I/O started under no list.
    pub const NONE: ListTag = ListTag(0);

    /// Returns the tag of list `number`. Lists are numbered from 1; 0 is not a list.
    pub const fn list(number: u32) -> Self {
        ListTag((number as u64) << LIST_SHIFT)
    }

    /// Returns the number of the list.
    pub const fn number(self) -> u32 {
        // CAST: The upper half.
        (self.0 >> LIST_SHIFT) as u32
    }

    /// Adds whether the I/O is merged to a tag that has only the number of a list.
    #[inline(always)]
    pub fn merged_or_not(self, merged: bool) -> Self {
        self.with(if merged { MERGED } else { 0 })
    }

    /// Adds flags.
    #[inline(always)]
    pub(in crate::acct) const fn with(self, flags: u64) -> Self {
        ListTag(self.0 | flags)
    }

    /// Adds the only area that the I/O is in, to a tag that has no area.
    #[inline(always)]
    pub(in crate::acct) const fn at(self, at: AreaOffset) -> Self {
        ListTag(self.0 | at.get())
    }

    /// The area and the flags of an I/O that started under `list`; of any other I/O, a larger number than all
    /// of these.
    #[inline(always)]
    pub(super) const fn distance(self, list: ListTag) -> u64 {
        self.0 ^ list.0
    }

    /// Adds the only area that the I/O is in, to a tag that has no area.
    #[inline(always)]
    pub fn in_area(self, area: usize) -> Self {
        // CAST: Below `geometry::MAX_AREAS`.
        ListTag(self.0 | (area as u64) << STRIDE_SHIFT)
    }

    /// Records that the I/O is in no area or in several.
    pub fn in_no_one_area(self) -> Self {
        ListTag(self.0 | NOWHERE)
    }

    /// Returns whether the I/O is merged.
    #[inline(always)]
    pub fn merged(self) -> bool {
        self.0 & MERGED != 0
    }

    /// Returns the area of the I/O if the I/O started under `list` and is in a single area; otherwise a
    /// number above all valid areas.
    #[inline(always)]
    pub fn area(self, list: ListTag) -> usize {
        // CAST: 64 bits here and there.
        ((self.distance(list) & !(MERGED | WRITE)) >> STRIDE_SHIFT) as usize
    }
}

impl RegionState {
    /// Starts the I/O at `now`, at `sector` of the whole disk. The caller then sets the tag for each
    /// account that the I/O is in.
    #[inline(always)]
    pub fn start(&self, sector: u64, sectors: u32, now: u64) {
        self.sector.set(sector);
        self.sectors.set(u64::from(sectors));
        self.start_ns.set(now);
    }

    /// Where an I/O on the fast path begins on the whole disk. It is in a single area; its start time is in its entry.
    #[inline(always)]
    pub(in crate::acct) fn set_begin(&self, begin: StartSector) {
        self.sector.set(begin.word());
    }

    /// The number of its sectors. The caller then sets the tag.
    #[inline(always)]
    pub(in crate::acct) fn set_sectors(&self, sectors: u64) {
        self.sectors.set(sectors);
    }

    /// Returns where an I/O on the fast path begins. If no region of the disk has recorded the I/O, the
    /// value is that of an earlier I/O.
    #[inline(always)]
    pub(in crate::acct) fn begin_on_fast_path(&self) -> StartSector {
        StartSector::from_word(self.sector.get())
    }

    /// Takes the I/O, which was issued at `issued_ns`, from the fast path. If it did not start under a list there, its
    /// tag is that of an earlier I/O, which has ended: no region in use counts it. Returns the class of the I/O as
    /// regions recorded it, unless there is no tag.
    pub(in crate::acct) fn leave_fast_path(&self, issued_ns: u64) -> Option<Class> {
        if self.list_tag(0) == ListTag::NONE {
            return None;
        }
        let begin = self.begin_on_fast_path();
        self.sector.set(begin.sector());
        self.start_ns.set(issued_ns);
        Some(match begin.is_write() {
            false => Class::Read,
            true => Class::Write,
        })
    }

    /// Sets the tags of all levels to no list.
    pub fn start_under_none(&self) {
        for list_tag in &self.list_tag {
            list_tag.set(0);
        }
    }

    /// First sector on the whole disk.
    #[inline(always)]
    pub fn sector(&self) -> u64 {
        self.sector.get()
    }

    /// Number of sectors.
    #[inline(always)]
    pub fn sectors(&self) -> u64 {
        self.sectors.get()
    }

    /// Start time, ns.
    #[inline(always)]
    pub fn start_ns(&self) -> u64 {
        self.start_ns.get()
    }

    /// Sets the tag for the account at this level.
    #[inline(always)]
    pub fn set_list_tag(&self, level: usize, list_tag: ListTag) {
        if let Some(word) = self.list_tag.get(level) {
            word.set(list_tag.0);
        }
    }

    /// Returns the tag for the account at this level.
    #[inline(always)]
    pub fn list_tag(&self, level: usize) -> ListTag {
        ListTag(self.list_tag.get(level).map_or(0, Counter::get))
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
        let pending = RegionState::default();
        pending.start(u64::MAX - 7, u32::MAX, 77);
        pending.start_under_none();
        assert_eq!(
            (pending.sector(), pending.sectors()),
            (u64::MAX - 7, u64::from(u32::MAX))
        );
        assert_eq!(pending.start_ns(), 77);
        assert_eq!(pending.list_tag(1).number(), 0);
        let unders = [
            (u32::MAX, true, None),
            (1, false, Some(0)),
            (2, true, Some(MAX_AREAS - 1)),
        ];
        for (number, merged, area) in unders {
            let list = ListTag::list(number);
            let list_tag = list.merged_or_not(merged);
            let in_area = area.map(|area| list_tag.in_area(area));
            pending.set_list_tag(1, in_area.unwrap_or(list_tag.in_no_one_area()));
            let list_tag = pending.list_tag(1);
            assert_eq!((list_tag.number(), list_tag.merged()), (number, merged));
            match area {
                Some(area) => assert_eq!(list_tag.area(list), area),
                None => assert!(list_tag.area(list) >= MAX_AREAS),
            }
            for other in [0, 3, number ^ 1 << 31] {
                assert!(list_tag.area(ListTag::list(other)) >= MAX_AREAS);
            }
            assert_eq!(pending.list_tag(0).number(), 0);
        }
    }

    #[test]
    fn an_io_under_no_list_has_no_tag_of_an_earlier_one() {
        let pending = RegionState::default();
        for level in 0..LEVELS {
            pending.set_list_tag(level, ListTag::list(7));
        }
        pending.start_under_none();
        for level in 0..LEVELS {
            assert_eq!(pending.list_tag(level), ListTag::NONE);
        }
    }

    #[test]
    fn a_flag_that_is_set_twice_stays_set() {
        let merged = ListTag::list(7).with(MERGED);
        assert_eq!(merged.with(MERGED), merged);
        let nowhere = merged.in_no_one_area();
        assert_eq!(nowhere.in_no_one_area(), nowhere);
    }
}
