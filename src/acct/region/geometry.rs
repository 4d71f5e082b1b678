// SPDX-License-Identifier: GPL-2.0

//! The areas of a region, and which of them an I/O is in.

/// Areas a region can have: device-mapper's limit.
pub const MAX_AREAS: usize = 8_388_608;

/// Counts all histograms of a region can have: device-mapper's limit.
pub const MAX_BUCKETS: usize = 134_217_728;

/// A range of sectors in areas of equal size, but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    start: u64,
    len: u64,
    step: u64,
    areas: usize,
    /// The part of the length that [`Geometry::only_area`] looks at.
    near: u64,
    reciprocal: Reciprocal,
}

/// Sectors from which on a quotient is divided for, and not multiplied. No device has as many.
const FAR: u64 = 1 << 63;

/// What to multiply with in place of a division by `d`: with the smallest `shift` for which 2^shift is
/// not below `d`, the quotient of 2^(63 + shift) by `d` and 1; above 2^63, with 0. Exact for all
/// numbers below 2^63 (Granlund and Montgomery, PLDI 1994).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reciprocal {
    factor: u64,
    shift: u32,
}

impl Reciprocal {
    fn of(divisor: u64) -> Self {
        if divisor > FAR {
            return Reciprocal {
                factor: 0,
                shift: 0,
            };
        }
        let shift = 64u32.wrapping_sub(divisor.wrapping_sub(1).leading_zeros());
        // By hand: the kernel has no division of 128 bits.
        // What is left of 2^(shift - 1), of which 64 more binary places are wanted.
        let (mut quotient, mut rest, places) = match shift {
            0 => (1 << 63, 0, 0),
            shift => (0u64, 1u64.wrapping_shl(shift.wrapping_sub(1)), 64),
        };
        for _ in 0..places {
            let carry = rest >> 63 != 0;
            rest = rest.wrapping_mul(2);
            quotient = quotient.wrapping_mul(2);
            if carry || rest >= divisor {
                rest = rest.wrapping_sub(divisor);
                quotient |= 1;
            }
        }
        Reciprocal {
            factor: quotient.wrapping_add(1),
            shift,
        }
    }

    #[inline(always)]
    fn quotient(self, number: u64) -> u64 {
        let twice = u128::from(number.wrapping_mul(2));
        // CAST: The upper half.
        let high = (twice.wrapping_mul(u128::from(self.factor)) >> 64) as u64;
        high.wrapping_shr(self.shift)
    }
}

impl Geometry {
    /// Areas of `step` sectors over `len` sectors from `start` on; none of both is 0, and the end
    /// is below 2^64. [`None`] if that is not so or if there are too many areas.
    pub fn new(start: u64, len: u64, step: u64) -> Option<Self> {
        start.checked_add(len)?;
        // CAST: 64 bits here and there.
        let last = len.checked_sub(1)?.checked_div(step)? as usize;
        let areas = last.wrapping_add(1);
        (last < MAX_AREAS).then(|| Geometry {
            start,
            len,
            step,
            areas,
            near: len.min(FAR),
            reciprocal: Reciprocal::of(step),
        })
    }

    /// First sector.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// How many sectors.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> u64 {
        self.len
    }

    fn end(&self) -> u64 {
        self.start.wrapping_add(self.len)
    }

    /// Sectors of each area but the last.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// How many areas.
    pub fn areas(&self) -> usize {
        self.areas
    }

    /// The first sector of an area, and how many it has.
    pub fn area(&self, area: usize) -> (u64, u64) {
        let start = self.start.wrapping_add(self.step.wrapping_mul(area as u64));
        (start, self.step.min(self.end().wrapping_sub(start)))
    }

    /// The area of an I/O that touches this one and nothing else, in the region or outside; [`None`]
    /// of any other, and of one over no sectors.
    #[inline(always)]
    pub(super) fn only_area(&self, sector: u64, sectors: u32) -> Option<usize> {
        let into = sector.wrapping_sub(self.start);
        // Without sectors, larger than anything.
        let last = u64::from(sectors).wrapping_sub(1);
        if into >= self.near || last >= self.near.wrapping_sub(into) {
            return None;
        }
        let area = self.reciprocal.quotient(into);
        let offset = into.wrapping_sub(area.wrapping_mul(self.step));
        // CAST: Below `MAX_AREAS`.
        (last < self.step.wrapping_sub(offset)).then_some(area as usize)
    }

    /// Tells `each` of every area that an I/O over so many sectors touches, with the number of
    /// sectors there. How many it has in the region.
    pub fn fragments(&self, sector: u64, sectors: u32, mut each: impl FnMut(usize, u64)) -> u64 {
        let from = sector.max(self.start);
        let until = sector.saturating_add(u64::from(sectors)).min(self.end());
        if from >= until {
            return 0;
        }
        let into = from.wrapping_sub(self.start);
        let mut area = into.checked_div(self.step).unwrap_or(0);
        let mut room = self.step.wrapping_sub(self.past_edge(into));
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
            room = self.step;
        }
    }

    /// Whether the areas of another range, of the same step, begin where areas of this one do or
    /// would.
    pub fn is_aligned_to(&self, other: &Geometry) -> bool {
        let apart = self.start.abs_diff(other.start);
        self.step == other.step && self.past_edge(apart) == 0
    }

    /// The areas that are also in another range aligned to this one: the first of them here, the
    /// first of them there, and how many.
    pub fn shared_with(&self, other: &Geometry) -> (usize, usize, usize) {
        let between = |low: u64, high: u64, most: usize| {
            let apart = high.checked_sub(low)?.checked_div(self.step)?;
            Some(usize::try_from(apart).map_or(most, |areas| areas.min(most)))
        };
        let here = between(self.start, other.start, self.areas).unwrap_or(0);
        let there = between(other.start, self.start, other.areas).unwrap_or(0);
        let left = |areas: usize, first: usize| areas.saturating_sub(first);
        let areas = left(self.areas, here).min(left(other.areas, there));
        (here, there, areas)
    }

    /// How far into its area a sector is that is so far into the range.
    fn past_edge(&self, into: u64) -> u64 {
        into.checked_rem(self.step).unwrap_or(0)
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
    fn quotients_are_exact_where_they_round_worst() {
        let powers = [0, 1, 2, 3, 7, 20, 31, 32, 33, 61, 62];
        for step in powers.map(|power| 1u64 << power) {
            for step in [step, step + 1, (step - 1).max(1), step * 2 - 1] {
                let reciprocal = Reciprocal::of(step);
                let most = (FAR - 1) / step;
                for quotient in [0, 1, 2, most / 3, most / 2, most.saturating_sub(1), most] {
                    let first = step * quotient.min(most);
                    assert_eq!(reciprocal.quotient(first), quotient.min(most));
                    let last = first.saturating_add(step - 1).min(FAR - 1);
                    assert_eq!(reciprocal.quotient(last), quotient.min(most));
                }
            }
        }
        for step in [FAR - 1, FAR, FAR + 1, u64::MAX] {
            assert_eq!(Reciprocal::of(step).quotient(FAR - 2), 0);
            assert_eq!(Reciprocal::of(step).quotient(FAR - 1), (FAR - 1) / step);
        }
    }

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
