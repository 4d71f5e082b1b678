// SPDX-License-Identifier: GPL-2.0

//! Regions: device-mapper's statistics of parts of a disk.
//!
//! A region is a range of sectors, divided into equal areas by its [`geometry`]. As in device-mapper, an I/O is
//! counted in each area that it touches, with its sectors there and all of its time. An area has two kinds of
//! counters: an [`area::Area`] for each CPU, which only that CPU changes, and one [`flight::InFlight`] for all CPUs.
//! A start and an end change one word of the latter, and the other words only if the area becomes busy or idle.
//! [`columns`] computes from them what readers see.
//!
//! # Use
//!
//! The caller (floor 2) provides all storage, zeroed, and never clears it: for each area one [`InFlight`]; on each CPU
//! for each area one [`Area`] and, with a histogram, one [`Counter`] more than it has bounds, those of all areas in one
//! slice; for the option `classes` one [`Whole`] on each CPU, and one more [`InFlight`]. From the first `@stats_clear`
//! or `@stats_print_clear` on it also keeps what was cleared: [`columns::Columns`], with `classes`
//! [`columns::Classes`], and as many histogram counts.
//!
//! A probe has a list of the regions of the disk, each as a [`CpuRegion`] over this CPU's slices. With interrupts disabled
//! it calls, for each region,
//!
//! * [`CpuRegion::start`] when an I/O starts, with the I/O as it is at that time;
//! * [`CpuRegion::end`] when it ends, or [`CpuRegion::undo_start`] when it is requeued or abandoned, with the same [`Io`]: the
//!   range of a request is final only when it is issued to the driver;
//! * and before that [`list::Last::merged`], once for each I/O that starts while the list is not empty. It returns
//!   whether device-mapper would call the I/O merged, which is kept until the end.
//!
//! Most I/Os are in one area of the only region. For them [`place::AreaRef`] does the same with less preparation, and
//! on the fast path an [`only::OnlyRegion`] finds the area.
//!
//! A region that is created while I/Os are in flight must not count their ends. Lists are numbered. An I/O keeps the
//! number of the list that it started under, and a region counts the I/O if that number is within the region's
//! [`list::Lifetime`]. So the answer is the same at the start and at the end, and I/O need not be stopped. A resize
//! creates a second region over the same storage, in which areas keep their counters
//! ([`geometry::Geometry::shared_with`]). The old region is kept for the I/Os that started under it, until all of them
//! have ended.

pub mod area;
pub mod columns;
pub mod flight;
pub mod geometry;
pub mod list;
mod offset;
pub mod only;
pub mod pending;
pub mod place;

use super::{
    class::Class,
    counter::{
        Counter,
        Load, //
    },
};
use area::{
    Area,
    Completed, //
};
use columns::{
    collect,
    Totals,
    Unit, //
};
use flight::{
    Direction,
    InFlight, //
};
use geometry::Geometry;

/// An I/O, the same at its start and at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// First sector.
    pub sector: u64,
    /// Number of sectors.
    pub sectors: u32,
    /// Its class; [`Class::NoData`] without sectors.
    pub class: Class,
}

impl Io {
    /// The direction of an I/O that has data.
    #[inline(always)]
    fn direction(&self) -> Direction {
        Direction::of(self.class as usize)
    }
}

/// The values of an I/O at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Time from start to end, ns.
    pub duration_ns: u64,
    /// What [`list::Last::merged`] returned at the start.
    pub merged: bool,
}

/// A region as one CPU counts in it.
#[derive(Clone, Copy, Debug)]
pub struct CpuRegion<'a> {
    /// Its areas.
    pub geometry: &'a Geometry,
    /// Unit of the histogram bounds.
    pub unit: Unit,
    /// Histogram bounds, rising; none without a histogram.
    pub bounds: &'a [u64],
    /// By area, for all CPUs.
    pub in_flight: &'a [InFlight],
    /// By area, this CPU's.
    pub areas: &'a [Area],
    /// This CPU's histograms: one count more than bounds for each area.
    pub histograms: &'a [Counter],
    /// The region as if it were one area, and this CPU's share of that; only with the option
    /// `classes`.
    pub whole: Option<(&'a InFlight, &'a Whole)>,
}

/// Most I/Os are in one area. Their code is inlined. All others are counted in functions that are
/// not inlined, so that they do not slow down the common case.
impl CpuRegion<'_> {
    /// Returns the area of an I/O that is counted in one area only; [`None`] for an I/O in several areas or in no area.
    /// Finding the area is a large part of the cost, so a caller that can keep it calls this once; passing [`None`]
    /// gives the same counts.
    #[inline(always)]
    pub fn area_of(&self, io: &Io) -> Option<usize> {
        if self.whole.is_some() {
            return None;
        }
        self.geometry.only_area(io.sector, io.sectors)
    }

    /// An I/O for which [`CpuRegion::area_of`] has returned `at` starts at `now`.
    #[inline(always)]
    pub fn start(&self, at: Option<usize>, io: &Io, now: u64) {
        match self.at(at) {
            Some((_, area, in_flight)) => enter(area, in_flight, io.direction(), now),
            None => self.start_slow(io, now),
        }
    }

    #[cold]
    #[inline(never)]
    fn start_slow(&self, io: &Io, now: u64) {
        self.each(io, |_, area, in_flight, _| {
            enter(area, in_flight, io.direction(), now)
        });
    }

    /// The I/O ends at `now`.
    #[inline(always)]
    pub fn end(&self, at: Option<usize>, io: &Io, ended: &Ended, now: u64) {
        match self.at(at) {
            Some((index, area, in_flight)) => {
                let (class, sectors) = (io.class as usize, u64::from(io.sectors));
                end(area, in_flight, class, now, |done| {
                    done.count(sectors, ended)
                });
                if !self.bounds.is_empty() {
                    self.count_time(index, ended.duration_ns);
                }
            }
            None => self.end_slow(io, ended, now),
        }
    }

    #[cold]
    #[inline(never)]
    fn end_slow(&self, io: &Io, ended: &Ended, now: u64) {
        self.each(io, |index, area, in_flight, sectors| {
            let class = io.class as usize;
            end(area, in_flight, class, now, |done| {
                done.count(sectors, ended)
            });
            if let Some(index) = index {
                self.count_time(index, ended.duration_ns);
            }
        });
        if let (Class::NoData, Some((_, whole))) = (io.class, self.whole) {
            whole.none.count(0, ended);
        }
    }

    /// At `now` the I/O goes back to the wait queue, or is abandoned. It has not ended, and may
    /// start again.
    #[inline(never)]
    pub fn undo_start(&self, io: &Io, now: u64) {
        self.each(io, |_, area, in_flight, _| {
            let words = area.write();
            // Counts as if the I/O had started now and the start were undone: its time until now
            // stays counted.
            words.entered.add(u64::MAX);
            words.entered_ns.add(now.wrapping_neg());
            in_flight.leave(io.direction(), now);
        });
    }

    #[inline(always)]
    fn at(&self, at: Option<usize>) -> Option<(usize, &Area, &InFlight)> {
        let index = at?;
        Some((index, self.areas.get(index)?, self.in_flight.get(index)?))
    }

    /// Calls `f` for all areas that an I/O touches, with its sectors there, and last for the region as a whole.
    #[inline(always)]
    fn each(&self, io: &Io, mut f: impl FnMut(Option<usize>, &Area, &InFlight, u64)) {
        let mut each = |index, sectors| {
            let area = self.areas.get(index);
            if let (Some(area), Some(in_flight)) = (area, self.in_flight.get(index)) {
                f(Some(index), area, in_flight, sectors);
            }
        };
        let sectors = self.geometry.fragments(io.sector, io.sectors, &mut each);
        if let (Some((in_flight, whole)), 1..) = (self.whole, sectors) {
            f(None, &whole.area, in_flight, sectors);
        }
    }

    #[inline(never)]
    fn count_time(&self, area: usize, time_ns: u64) {
        if !self.bounds.is_empty() {
            count_time(self.histograms, self.bounds, area, self.unit.of(time_ns));
        }
    }
}

/// Counts a time, in the region's unit, in the histogram of an area. Its bucket is the number of bounds that
/// are not above it.
#[inline(always)]
pub fn count_time(histograms: &[Counter], bounds: &[u64], area: usize, time: u64) {
    let bucket = not_above(bounds, time);
    let buckets = bounds.len().wrapping_add(1);
    let index = area.wrapping_mul(buckets).wrapping_add(bucket);
    if let Some(count) = histograms.get(index) {
        count.add(1);
    }
}

/// How many of the bounds, which rise, are not above a time. (The compiler cannot prove that the search of
/// core does not panic where overflows are checked.)
fn not_above(bounds: &[u64], time: u64) -> usize {
    let (mut low, mut high) = (0usize, bounds.len());
    while low < high {
        let middle = low.wrapping_add(high.wrapping_sub(low) / 2);
        match bounds.get(middle) {
            Some(bound) if *bound <= time => low = middle.wrapping_add(1),
            _ => high = middle,
        }
    }
    low
}

#[inline(always)]
fn enter(area: &Area, in_flight: &InFlight, direction: Direction, now: u64) {
    let words = area.write();
    words.entered.add(1);
    words.entered_ns.add(now);
    in_flight.enter(direction, now);
}

/// Records the end of an I/O in an area. `count` adds it to the counts of its class.
#[inline(always)]
fn end(area: &Area, in_flight: &InFlight, class: usize, now: u64, count: impl Fn(&Completed)) {
    let words = area.write();
    words.left_ns.add(now);
    // Each direction has its own code, so that the direction is tested only once.
    match Direction::of(class) {
        Direction::Read => {
            let [read, ..] = &words.done;
            count(read);
            in_flight.leave(Direction::Read, now);
        }
        Direction::Write => {
            words.done(class).into_iter().for_each(count);
            in_flight.leave(Direction::Write, now);
        }
    }
}

/// A region as one area, in which an I/O is counted once however many areas it touches; one CPU's
/// share.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Whole {
    /// I/Os that touch the region, with their sectors there.
    area: Area,
    /// I/Os without data that were issued to the driver. They are those of the whole disk, and so
    /// of each region.
    none: Completed,
}

impl Whole {
    /// A region's total at one instant; see [`collect`].
    pub fn collect<'a, I>(
        in_flight: &InFlight,
        cpus: impl Fn() -> I,
        clock: impl Fn() -> u64,
    ) -> Totals
    where
        I: Iterator<Item = &'a Whole>,
    {
        let mut totals = collect(in_flight, || cpus().map(|whole| &whole.area), clock);
        for whole in cpus() {
            totals.classes.none.fold(&whole.none.load());
        }
        totals
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_region))]
mod tests {
    use super::*;

    const WRITE: Io = Io {
        sector: 108,
        sectors: 4,
        class: Class::Write,
    };
    const ENDED: Ended = Ended {
        duration_ns: 2_999_999,
        merged: true,
    };

    #[test]
    fn a_write_over_two_areas_from_one_cpu_to_another() {
        let Some(geometry) = Geometry::new(100, 25, 10) else {
            unreachable!()
        };
        let in_flight: [InFlight; 4] = Default::default();
        let cpus: [[Area; 3]; 2] = Default::default();
        let wholes: [Whole; 2] = Default::default();
        let histograms: [[Counter; 9]; 2] = Default::default();
        let on = |cpu: usize| CpuRegion {
            geometry: &geometry,
            unit: Unit::Ms,
            bounds: &[2, 3],
            in_flight: &in_flight,
            areas: &cpus[cpu],
            histograms: &histograms[cpu],
            whole: Some((&in_flight[3], &wholes[cpu])),
        };
        on(0).start(on(0).area_of(&WRITE), &WRITE, 1000);
        on(1).end(on(1).area_of(&WRITE), &WRITE, &ENDED, 1040);
        on(1).start(on(1).area_of(&WRITE), &WRITE, 1100);
        on(0).undo_start(&WRITE, 1107);
        let flush = Io {
            sectors: 0,
            class: Class::NoData,
            ..WRITE
        };
        on(0).start(on(0).area_of(&flush), &flush, 2000);
        on(0).end(on(0).area_of(&flush), &flush, &ENDED, 2001);
        for area in 0..2 {
            let areas = || cpus.iter().map(|cpu| &cpu[area]);
            let totals = collect(&in_flight[area], areas, || 5000);
            let columns = &totals.columns;
            assert_eq!((columns.write.ios, columns.write.merges), (1, 1));
            assert_eq!(columns.write.sectors, 2);
            assert_eq!(columns.write.ticks_ns, 2_999_999);
            assert_eq!(
                (columns.time_in_queue_ns, columns.io_ticks_write_ns),
                (47, 47)
            );
            assert_eq!(
                (columns.io_ticks_total_ns, columns.io_ticks_read_ns),
                (47, 0)
            );
            assert_eq!(totals.in_flight, 0);
            let counts = |bucket| {
                let all = histograms.iter().map(|counts| &counts[..]);
                columns::bucket(all, area * 3 + bucket)
            };
            assert_eq!([counts(0), counts(1), counts(2)], [0, 1, 0]);
        }
        let whole = Whole::collect(&in_flight[3], || wholes.iter(), || 5000);
        assert_eq!(
            (whole.columns.write.ios, whole.columns.write.sectors),
            (1, 4)
        );
        assert_eq!(whole.classes.none.ios, 1);
        assert_eq!(whole.columns.time_in_queue_ns, 47);
    }

    #[test]
    fn an_io_in_one_area_is_counted_there_without_a_search() {
        let Some(geometry) = Geometry::new(100, 25, 10) else {
            unreachable!()
        };
        let in_flight: [InFlight; 3] = Default::default();
        let areas: [Area; 3] = Default::default();
        let region = CpuRegion {
            geometry: &geometry,
            unit: Unit::Ns,
            bounds: &[],
            in_flight: &in_flight,
            areas: &areas,
            histograms: &[],
            whole: None,
        };
        let io = Io {
            sector: 112,
            ..WRITE
        };
        assert_eq!(region.area_of(&io), Some(1));
        assert_eq!(region.area_of(&WRITE), None);
        let whole = Whole::default();
        let with_classes = CpuRegion {
            whole: Some((&in_flight[0], &whole)),
            ..region
        };
        assert_eq!(with_classes.area_of(&io), None);
        let found = region.at(Some(1)).is_some_and(|(index, area, flight)| {
            index == 1 && core::ptr::eq(area, &areas[1]) && core::ptr::eq(flight, &in_flight[1])
        });
        assert!(found);
        assert!(region.at(Some(3)).is_none() && region.at(None).is_none());
    }
}
