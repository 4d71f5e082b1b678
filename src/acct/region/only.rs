// SPDX-License-Identifier: GPL-2.0

//! The only region of a disk as the fast path has it: all that a CPU needs to count an I/O there, in one cache line.

pub use super::offset::AreaOffset;

use super::{
    geometry::{
        Geometry,
        Span, //
    },
    pending::ListTag, //
};

/// The only region, as one CPU has it. Zeroed memory is not a region, and no I/O is in it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct OnlyRegion {
    span: Span,
    /// The tag of I/Os that start in it.
    list_tag: ListTag,
    /// The offset behind its last area.
    end: u64,
    in_flight: u64,
    last: u64,
}

const _: () = assert!(core::mem::size_of::<OnlyRegion>() == 64);

impl OnlyRegion {
    /// A region with these areas, which counts I/Os that start under the list of this number and later ones.
    /// `in_flight` and `last` are numbers of the caller: where the words of its areas are that all CPUs share, and
    /// where this CPU keeps the end of its latest I/O. The module stores addresses.
    pub fn new(geometry: &Geometry, list: u32, in_flight: u64, last: u64) -> Self {
        OnlyRegion {
            span: geometry.span(),
            list_tag: ListTag::list(list),
            end: AreaOffset::of(geometry.areas()).get(),
            in_flight,
            last,
        }
    }

    /// Where the words of its areas are that all CPUs share.
    #[inline(always)]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Where this CPU keeps the end of its latest I/O.
    #[inline(always)]
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The tag of I/Os that start in it.
    #[inline(always)]
    pub fn list_tag(&self) -> ListTag {
        self.list_tag
    }

    /// The only area of it that an I/O is in: see [`Span::only_area`].
    #[inline(always)]
    pub fn find(&self, sector: u64, sectors: u64) -> Option<AreaOffset> {
        self.span.only_area(sector, sectors).map(AreaOffset::of)
    }

    /// The area of an I/O with this tag, if it started in this region, and in one area. `flags` are those that the tag
    /// must have.
    #[inline(always)]
    pub fn area_of(&self, list_tag: ListTag, flags: u64) -> Option<AreaOffset> {
        let offset = list_tag.distance(self.list_tag) ^ flags;
        (offset < self.end).then_some(AreaOffset::from_offset(offset))
    }

    /// Whether an I/O is in no area of it. If there is no region, false.
    pub fn is_beside(&self, sector: u64, sectors: u32) -> bool {
        self.span.is_beside(sector, sectors)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_only_region))]
mod tests {
    use super::{
        super::{
            geometry::MAX_AREAS,
            pending::{
                MERGED,
                WRITE, //
            },
        },
        *,
    };

    #[test]
    fn an_io_is_found_again_in_the_region_that_it_started_in() {
        for areas in [1, 3, MAX_AREAS as u64] {
            let Some(geometry) = Geometry::new(100, 8 * areas, 8) else {
                unreachable!()
            };
            let region = OnlyRegion::new(&geometry, 7, 0, 0);
            let later = OnlyRegion::new(&geometry, 8, 0, 0);
            for area in [0, areas / 2, areas - 1] {
                let at = region.find(100 + 8 * area, 8);
                assert_eq!(at.map(AreaOffset::area), Some(area as usize));
                let Some(at) = at else { unreachable!() };
                assert_eq!(at.get(), AreaOffset::STRIDE as u64 * area);
                for flags in [0, WRITE, MERGED, MERGED | WRITE] {
                    let list_tag = region.list_tag().at(at).with(flags);
                    assert_eq!(list_tag.area(ListTag::list(7)), area as usize);
                    for other in [0, WRITE, MERGED, MERGED | WRITE] {
                        let expected = (other == flags).then_some(at);
                        assert_eq!(region.area_of(list_tag, other), expected);
                        assert_eq!(later.area_of(list_tag, other), None);
                    }
                }
            }
            let nowhere = region.list_tag().in_no_one_area();
            for list_tag in [nowhere, nowhere.with(MERGED), ListTag::NONE] {
                assert_eq!(region.area_of(list_tag, 0), None);
                assert_eq!(region.area_of(list_tag, MERGED), None);
            }
        }
    }

    #[test]
    fn no_io_is_in_no_region() {
        let nothing = OnlyRegion::default();
        assert_eq!(nothing.find(0, 8), None);
        assert_eq!(nothing.find(0, 0), None);
        assert!(!nothing.is_beside(0, 8));
        for flags in [0, WRITE, MERGED] {
            assert_eq!(nothing.area_of(ListTag::NONE, flags), None);
            assert_eq!(nothing.area_of(ListTag::NONE.with(flags), flags), None);
        }
    }

    #[test]
    fn a_region_has_what_it_was_created_with() {
        let Some(geometry) = Geometry::new(100, 25, 10) else {
            unreachable!()
        };
        let region = OnlyRegion::new(&geometry, 7, 0x1000, 0x2008);
        assert_eq!((region.in_flight(), region.last()), (0x1000, 0x2008));
        assert_eq!(region.list_tag(), ListTag::list(7));
        assert!(region.is_beside(92, 8) && !region.is_beside(92, 9));
    }
}
