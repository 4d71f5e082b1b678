// SPDX-License-Identifier: GPL-2.0

//! The areas of a region, and which of them an I/O is in.

/// Areas a region can have: device-mapper's limit.
pub const MAX_AREAS: usize = 8_388_608;

/// Counts that all histograms of a region together can have: device-mapper's limit.
pub const MAX_BUCKETS: usize = 134_217_728;

/// A range of sectors in areas of equal size, but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    span: Span,
    areas: usize,
}

/// The values with which the area of an I/O in a range is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Span {
    start: u64,
    len: u64,
    step: u64,
    /// 2^64 divided by twice the step, or slightly less.
    reciprocal: u64,
}

impl Span {
    /// The area that contains all sectors of an I/O. [`None`] if no area does or if the I/O has no sectors,
    /// and for some I/Os that begin at the first sector of an area, if the sectors of an area times the
    /// sectors before it are 2^62 or more.
    #[inline(always)]
    pub fn only_area(&self, sector: u64, sectors: u64) -> Option<usize> {
        let into = sector.wrapping_sub(self.start);
        let end = into.wrapping_add(sectors);
        if end > self.len || end <= into {
            return None;
        }
        // Computed for the middle of the first sector, so that a reciprocal that is slightly too small does
        // not give the area before. If it does, the end is beyond that area.
        let twice = into.wrapping_mul(2) | 1;
        let product = u128::from(twice).wrapping_mul(u128::from(self.reciprocal));
        // CAST: The upper half.
        let area = (product >> 64) as u64;
        let area_end = area.wrapping_mul(self.step).wrapping_add(self.step);
        // CAST: Below `MAX_AREAS`.
        (end <= area_end).then_some(area as usize)
    }

    fn end(&self) -> u64 {
        self.start.wrapping_add(self.len)
    }

    /// Whether this range has sectors, and an I/O over so many sectors is in none of its areas.
    pub fn is_beside(&self, sector: u64, sectors: u32) -> bool {
        let end = sector.saturating_add(u64::from(sectors));
        self.len != 0 && (end <= self.start || sector >= self.end())
    }
}

impl Geometry {
    /// No sectors and no areas: no I/O is in it.
    pub const NOTHING: Geometry = Geometry {
        span: Span {
            start: 0,
            len: 0,
            step: 0,
            reciprocal: 0,
        },
        areas: 0,
    };

    /// Areas of `step` sectors over `len` sectors from `start` on; neither is 0, and the end is
    /// below 2^64. Otherwise, or if there are too many areas, [`None`].
    pub fn new(start: u64, len: u64, step: u64) -> Option<Self> {
        start.checked_add(len)?;
        // CAST: 64 bits here and there.
        let last = len.checked_sub(1)?.checked_div(step)? as usize;
        if last >= MAX_AREAS {
            return None;
        }
        Some(Geometry {
            span: Span {
                start,
                len,
                step,
                reciprocal: u64::MAX.checked_div(step)? >> 1,
            },
            areas: last.wrapping_add(1),
        })
    }

    /// The values with which the area of an I/O is found.
    pub fn span(&self) -> Span {
        self.span
    }

    /// First sector.
    pub fn start(&self) -> u64 {
        self.span.start
    }

    /// How many sectors.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> u64 {
        self.span.len
    }

    fn end(&self) -> u64 {
        self.span.end()
    }

    /// Sectors of each area but the last.
    pub fn step(&self) -> u64 {
        self.span.step
    }

    /// How many areas.
    pub fn areas(&self) -> usize {
        self.areas
    }

    /// The first sector of an area, and how many it has.
    pub fn area(&self, area: usize) -> (u64, u64) {
        let start = self
            .span
            .start
            .wrapping_add(self.span.step.wrapping_mul(area as u64));
        (start, self.span.step.min(self.end().wrapping_sub(start)))
    }

    /// The first area that begins at a sector or after it; the number of areas if none does.
    pub fn first_from(&self, sector: u64) -> usize {
        let into = sector.saturating_sub(self.span.start);
        let last = into
            .saturating_sub(1)
            .checked_div(self.span.step)
            .unwrap_or(0);
        let area = if into == 0 { 0 } else { last.saturating_add(1) };
        usize::try_from(area).map_or(self.areas, |area| area.min(self.areas))
    }

    /// See [`Span::only_area`].
    #[inline(always)]
    pub fn only_area(&self, sector: u64, sectors: u32) -> Option<usize> {
        self.span.only_area(sector, u64::from(sectors))
    }

    /// Calls `each` for every area that an I/O over so many sectors touches, with the number of
    /// sectors there. Returns how many of its sectors are in the region.
    pub fn fragments(&self, sector: u64, sectors: u32, mut each: impl FnMut(usize, u64)) -> u64 {
        let from = sector.max(self.span.start);
        let until = sector.saturating_add(u64::from(sectors)).min(self.end());
        if from >= until {
            return 0;
        }
        let into = from.wrapping_sub(self.span.start);
        let mut area = into.checked_div(self.span.step).unwrap_or(0);
        let mut room = self.span.step.wrapping_sub(self.past_edge(into));
        let here = until.wrapping_sub(from);
        let mut left = here;
        loop {
            let len = left.min(room);
            // CAST: Below `MAX_AREAS`.
            each(area as usize, len);
            left = left.wrapping_sub(len);
            if left == 0 {
                return here;
            }
            area = area.wrapping_add(1);
            room = self.span.step;
        }
    }

    /// Whether the areas of another range, of the same step, begin where areas of this one do or
    /// would.
    pub fn is_aligned_to(&self, other: &Geometry) -> bool {
        let apart = self.span.start.abs_diff(other.span.start);
        self.span.step == other.span.step && self.past_edge(apart) == 0
    }

    /// The areas that are also in another range aligned to this one: the first of them here, the
    /// first of them there, and how many.
    pub fn shared_with(&self, other: &Geometry) -> (usize, usize, usize) {
        let between = |low: u64, high: u64, most: usize| {
            let apart = high.checked_sub(low)?.checked_div(self.span.step)?;
            Some(usize::try_from(apart).map_or(most, |areas| areas.min(most)))
        };
        let here = between(self.span.start, other.span.start, self.areas).unwrap_or(0);
        let there = between(other.span.start, self.span.start, other.areas).unwrap_or(0);
        let left = |areas: usize, first: usize| areas.saturating_sub(first);
        let areas = left(self.areas, here).min(left(other.areas, there));
        (here, there, areas)
    }

    /// The offset in its area of a sector that has this offset in the range.
    fn past_edge(&self, into: u64) -> u64 {
        into.checked_rem(self.span.step).unwrap_or(0)
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_geometry))]
mod tests {
    use super::*;

    fn fragments(geometry: &Option<Geometry>, sector: u64, sectors: u32) -> [(usize, u64); 3] {
        let mut seen = [(usize::MAX, 0); 3];
        let mut places = seen.iter_mut();
        if let Some(geometry) = geometry {
            let sum = geometry.fragments(sector, sectors, |area, len| {
                if let Some(place) = places.next() {
                    *place = (area, len);
                }
            });
            assert_eq!(sum, seen.iter().map(|(_, len)| len).sum::<u64>());
        }
        seen
    }

    const NONE: (usize, u64) = (usize::MAX, 0);

    #[test]
    fn an_io_is_cut_at_the_edges_of_areas_and_region() {
        // 100..110, 110..120, 120..125
        let geometry = Geometry::new(100, 25, 10);
        let table = [
            (100, 8, [(0, 8), NONE, NONE]),
            (108, 4, [(0, 2), (1, 2), NONE]),
            (95, 10, [(0, 5), NONE, NONE]),
            (0, 1000, [(0, 10), (1, 10), (2, 5)]),
            (124, 8, [(2, 1), NONE, NONE]),
            (92, 8, [NONE; 3]),
            (125, 8, [NONE; 3]),
            (110, 0, [NONE; 3]),
            (u64::MAX, 8, [NONE; 3]),
        ];
        for (sector, sectors, expected) in table {
            assert_eq!(fragments(&geometry, sector, sectors), expected);
        }
        assert_eq!(geometry.map(|g| g.area(1)), Some((110, 10)));
        assert_eq!(geometry.map(|g| g.area(2)), Some((120, 5)));
    }

    #[test]
    fn areas_are_found_by_where_they_begin() {
        // 100..110, 110..120, 120..125
        let geometry = Geometry::new(100, 25, 10);
        let table = [
            (0, 0),
            (100, 0),
            (101, 1),
            (110, 1),
            (111, 2),
            (120, 2),
            (121, 3),
            (u64::MAX, 3),
        ];
        for (sector, area) in table {
            assert_eq!(geometry.map(|g| g.first_from(sector)), Some(area));
        }
        let whole = Geometry::new(0, u64::MAX, 1 << 60);
        assert_eq!(whole.map(|g| g.first_from(u64::MAX)), Some(16));
        assert_eq!(whole.map(|g| g.first_from(15 << 60)), Some(15));
    }

    #[test]
    fn areas_are_found_by_their_first_sector_and_their_last() {
        let lens = [1u64, 2, 1000, (1 << 31) - 1];
        for len in lens {
            for areas in [1, 2, 3, 7, 1000, 1 << 20].map(|areas: u64| areas.min(len)) {
                let step = len.div_ceil(areas);
                let Some(geometry) = Geometry::new(5, len, step) else {
                    unreachable!()
                };
                let last = geometry.areas() - 1;
                for area in [0, 1, 2, last / 3, last / 2, last].map(|area| area.min(last)) {
                    let (first, sectors) = geometry.area(area);
                    assert_eq!(geometry.only_area(first, 1), Some(area));
                    assert_eq!(geometry.only_area(first + sectors - 1, 1), Some(area));
                    assert_eq!(geometry.only_area(first + sectors - 1, 2), None);
                }
            }
        }
    }

    #[test]
    fn an_area_is_found_right_or_not_at_all_however_large() {
        for step in [
            1 << 40,
            (1 << 61) - 1,
            1 << 62,
            FAR - 1,
            FAR,
            FAR + 1,
            u64::MAX,
        ] {
            let Some(geometry) = Geometry::new(0, u64::MAX, step) else {
                continue;
            };
            for area in [0, 1, 2, u64::MAX / step] {
                let first = step.saturating_mul(area).min(u64::MAX - 1);
                for sector in [first, first.saturating_sub(1), first.saturating_add(1) - 1] {
                    let found = geometry.only_area(sector, 1);
                    let area = (sector / step) as usize;
                    assert!(found.is_none_or(|found| found == area));
                }
            }
            assert_eq!(geometry.only_area(0, 1), Some(0));
        }
    }

    const FAR: u64 = 1 << 63;

    #[test]
    fn an_io_has_an_area_of_its_own_if_it_has_no_other() {
        let table = [
            (100, 8, Some(0)),
            (100, 10, Some(0)),
            (102, 9, None),
            (119, 1, Some(1)),
            (120, 5, Some(2)),
            (121, 5, None),
            (99, 1, None),
            (99, 4, None),
            (99, 2, None),
            (125, 1, None),
            (105, 0, None),
            (u64::MAX, 2, None),
        ];
        let geometry = Geometry::new(100, 25, 10);
        for (sector, sectors, area) in table {
            let seen = geometry.and_then(|geometry| geometry.only_area(sector, sectors));
            assert_eq!(seen, area);
        }
    }

    #[test]
    fn an_io_is_beside_a_range_if_it_has_no_sector_there() {
        let geometry = Geometry::new(100, 25, 10);
        let table = [
            (92, 8, true),
            (92, 9, false),
            (124, 1, false),
            (125, 8, true),
            (0, 1000, false),
            (u64::MAX, 8, true),
        ];
        for (sector, sectors, beside) in table {
            let seen = geometry.map(|geometry| geometry.span().is_beside(sector, sectors));
            assert_eq!(seen, Some(beside));
        }
        assert!(!Geometry::NOTHING.span().is_beside(0, 8));
    }

    #[test]
    fn limits_are_device_mappers() {
        let most = MAX_AREAS as u64;
        assert!(Geometry::new(7, most, 1).is_some_and(|g| g.areas() == MAX_AREAS));
        assert!(Geometry::new(7, most + 1, 1).is_none());
        assert!(Geometry::new(0, u64::MAX, u64::MAX / most + 1).is_some());
        assert!(Geometry::new(1, u64::MAX, u64::MAX).is_none());
        assert!(Geometry::new(0, 0, 1).is_none());
        assert!(Geometry::new(0, 1, 0).is_none());
    }

    #[test]
    fn areas_are_found_again_in_a_range_that_is_aligned() {
        let table = [
            ((100, 25), (100, 100), Some((0, 0, 3))),
            ((100, 25), (110, 10), Some((1, 0, 1))),
            ((100, 25), (80, 35), Some((0, 2, 2))),
            ((100, 25), (200, 10), Some((3, 0, 0))),
            ((200, 10), (100, 25), Some((0, 3, 0))),
            ((100, 25), (105, 25), None),
        ];
        for ((start, len), (new_start, new_len), expected) in table {
            let old = Geometry::new(start, len, 10);
            let new = Geometry::new(new_start, new_len, 10);
            let shared = old.zip(new).and_then(|(old, new)| {
                let aligned = old.is_aligned_to(&new);
                aligned.then(|| old.shared_with(&new))
            });
            assert_eq!(shared, expected);
        }
    }
}
