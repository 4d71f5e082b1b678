// SPDX-License-Identifier: GPL-2.0

//! The columns of one area as readers see them, and how they are cleared.
//!
//! Clearing never changes the counters of the CPUs. From the first time that an area is cleared, its region keeps the
//! [`Columns`] and [`Classes`] that were cleared, and reports the difference. So nothing is lost that is counted
//! between printing and clearing.

use super::{
    area::{
        Area,
        AreaWords, //
        Completed,
    },
    flight::{
        Busy,
        InFlight, //
    },
};
use crate::{
    acct::counter::Counter,
    sync::spin_loop, //
};

/// The unit of a region's times and histogram bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Without `precise_timestamps`.
    Ms,
    /// With it.
    Ns,
}

const NS_PER_MS: u64 = 1_000_000;

impl Unit {
    /// A time in whole units.
    #[inline(always)]
    pub fn of(self, time_ns: u64) -> u64 {
        match self {
            Unit::Ms => time_ns / NS_PER_MS,
            Unit::Ns => time_ns,
        }
    }

    /// The part of a time that is whole units, ns.
    fn whole_ns(self, time_ns: u64) -> u64 {
        match self {
            Unit::Ms => time_ns.wrapping_sub(time_ns % NS_PER_MS),
            Unit::Ns => time_ns,
        }
    }
}

/// Columns 1 to 8 for one direction, by the names of `struct dm_stat_percpu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Column {
    /// I/Os.
    pub ios: u64,
    /// I/Os that began where the previous one, of the same direction and on the same CPU, had
    /// ended.
    pub merges: u64,
    /// Sectors.
    pub sectors: u64,
    /// Time from start to end, ns.
    pub ticks_ns: u64,
}

impl Column {
    fn of(done: &Completed<u64>) -> Self {
        Column {
            ios: done.ios,
            merges: done.merges,
            sectors: done.sectors,
            ticks_ns: done.ticks_ns,
        }
    }
}

/// The columns of device-mapper, without the ninth, which cannot be cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Columns {
    /// 1 to 4.
    pub read: Column,
    /// 5 to 8.
    pub write: Column,
    /// 10: time with anything in flight, ns.
    pub io_ticks_total_ns: u64,
    /// 11: I/Os in flight integrated over time, ns.
    pub time_in_queue_ns: u64,
    /// 12: time with a read in flight, ns.
    pub io_ticks_read_ns: u64,
    /// 13: time with a write in flight, ns.
    pub io_ticks_write_ns: u64,
}

/// The additional columns: the reads and writes of device-mapper's columns, by class. I/Os without data
/// are in none of device-mapper's columns, and in no area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Classes {
    /// Reads.
    pub read: Completed<u64>,
    /// Writes that write.
    pub write: Completed<u64>,
    /// Writes that free sectors.
    pub free: Completed<u64>,
    /// I/Os without data; only in the total of a region.
    pub none: Completed<u64>,
}

/// One area at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The columns that can be cleared, counted since the region was created.
    pub columns: Columns,
    /// The ninth column: I/Os in flight.
    pub in_flight: u64,
    /// The additional columns.
    pub classes: Classes,
}

/// How often [`collect`] tries to read while no I/O is recorded in the area.
const ATTEMPTS: usize = if cfg!(loom) { 1 } else { 8 };

/// Reads one area, as [`crate::acct::snapshot::collect`] reads a disk: exactly, if nothing is recorded in it meanwhile.
/// Otherwise exits are read before entries, so no exit lacks its entry, each count has a value that it had while
/// reading, and the time in the queue is computed for the time before the exits were read, so that it is not too large.
pub fn collect<'a, I>(in_flight: &InFlight, cpus: impl Fn() -> I, clock: impl Fn() -> u64) -> Totals
where
    I: Iterator<Item = &'a Area>,
{
    let mut totals = Totals::default();
    let mut before = clock();
    for _ in 0..ATTEMPTS {
        let (seqs, exits) = pass(cpus());
        let now = clock();
        let busy = in_flight.busy(now);
        let seen = cpus().fold(0u64, |sum, cpu| sum.wrapping_add(cpu.seq()));
        let (words, now, exact) = if seen == seqs {
            (exits, now, true)
        } else {
            let (_, entries) = pass(cpus());
            let before = core::mem::replace(&mut before, clock());
            (exits.with_entries_of(&entries), before, false)
        };
        totals = Totals::of(&words, busy, now);
        if exact && busy.is_some() {
            break;
        }
    }
    totals
}

fn pass<'a>(cpus: impl Iterator<Item = &'a Area>) -> (u64, AreaWords<u64>) {
    let mut sum = AreaWords::default();
    let mut seqs = 0u64;
    for cpu in cpus {
        let (seq, copy) = loop {
            if let Some(read) = cpu.try_read() {
                break read;
            }
            spin_loop();
        };
        seqs = seqs.wrapping_add(seq);
        sum.fold(&copy);
    }
    (seqs, sum)
}

/// Combines each member of one value with that of another.
macro_rules! each {
    ($one:expr, $other:expr, $count:expr, $time:expr) => {
        Columns {
            read: each!(column $one.read, $other.read, $count, $time),
            write: each!(column $one.write, $other.write, $count, $time),
            io_ticks_total_ns: $time($one.io_ticks_total_ns, $other.io_ticks_total_ns),
            time_in_queue_ns: $time($one.time_in_queue_ns, $other.time_in_queue_ns),
            io_ticks_read_ns: $time($one.io_ticks_read_ns, $other.io_ticks_read_ns),
            io_ticks_write_ns: $time($one.io_ticks_write_ns, $other.io_ticks_write_ns),
        }
    };
    (column $one:expr, $other:expr, $count:expr, $time:expr) => {
        Column {
            ios: $count($one.ios, $other.ios),
            merges: $count($one.merges, $other.merges),
            sectors: $count($one.sectors, $other.sectors),
            ticks_ns: $time($one.ticks_ns, $other.ticks_ns),
        }
    };
}

impl Totals {
    /// Adds the totals of the same area from before its region was resized.
    pub fn fold(&mut self, before: &Totals) {
        let sum = u64::wrapping_add;
        self.columns = each!(self.columns, before.columns, sum, sum);
        self.in_flight = self.in_flight.wrapping_add(before.in_flight);
        self.classes.fold(&before.classes);
    }

    /// Without a busy time, busy times are 0; [`Columns::since`] then reports that they have not grown.
    fn of(words: &AreaWords<u64>, busy: Option<Busy>, now: u64) -> Self {
        let busy = busy.unwrap_or_default();
        let [read, write, free] = words.done;
        let mut writes = write;
        writes.fold(&free);
        Totals {
            columns: Columns {
                read: Column::of(&read),
                write: Column::of(&writes),
                io_ticks_total_ns: busy.any_ns,
                time_in_queue_ns: words.time_in_queue_ns(now),
                io_ticks_read_ns: busy.read_ns,
                io_ticks_write_ns: busy.write_ns,
            },
            in_flight: words.in_flight(),
            classes: Classes {
                read,
                write,
                free,
                none: Completed::default(),
            },
        }
    }
}

impl Columns {
    /// Returns the growth since `cleared`. A time that is less than the cleared one has not grown.
    pub fn since(&self, cleared: &Columns) -> Columns {
        each!(self, cleared, u64::wrapping_sub, growth)
    }

    /// Clears what `@stats_print_clear` has printed. The part of a unit that was not printed is
    /// left for the next time.
    pub fn clear_printed(&mut self, printed: &Columns, unit: Unit) {
        let add_whole = |sum: u64, time_ns| sum.wrapping_add(unit.whole_ns(time_ns));
        *self = each!(self, printed, u64::wrapping_add, add_whole);
    }

    /// Undoes [`Columns::clear_printed`] for text that was not read: it is printed again.
    pub fn restore(&mut self, printed: &Columns, unit: Unit) {
        let take_whole = |sum: u64, time_ns| sum.wrapping_sub(unit.whole_ns(time_ns));
        *self = each!(self, printed, u64::wrapping_sub, take_whole);
    }

    /// Adapts to counters that are freed: what they had counted is not subtracted any more.
    pub fn give_up(&mut self, counted: &Columns) {
        *self = each!(self, counted, u64::wrapping_sub, u64::wrapping_sub);
    }

    /// Clears all columns, as `@stats_clear` does.
    pub fn clear_all(&mut self, all: &Columns) {
        let since = all.since(self);
        self.clear_printed(&since, Unit::Ns);
    }
}

impl Classes {
    /// Adds the values of another area.
    pub fn fold(&mut self, other: &Classes) {
        self.read.fold(&other.read);
        self.write.fold(&other.write);
        self.free.fold(&other.free);
        self.none.fold(&other.none);
    }

    /// Returns the growth since `cleared`. Times are reported in ns, so no part of a unit is left.
    pub fn since(&self, cleared: &Classes) -> Classes {
        Classes {
            read: self.read.since(&cleared.read),
            write: self.write.since(&cleared.write),
            free: self.free.since(&cleared.free),
            none: self.none.since(&cleared.none),
        }
    }
}

/// Returns how far `value` is ahead of `last`, modulo 2^64; 0 if it is behind.
fn growth(value: u64, last: u64) -> u64 {
    let ahead = value.wrapping_sub(last);
    if ahead > u64::MAX / 2 {
        0
    } else {
        ahead
    }
}

/// Returns the count of one bucket on all CPUs. The slice of a CPU has all histograms of the region.
/// Counts only grow: the caller subtracts what was cleared.
pub fn bucket<'a>(histograms: impl Iterator<Item = &'a [Counter]>, index: usize) -> u64 {
    histograms
        .filter_map(|counts| counts.get(index))
        .fold(0, |sum, count| sum.wrapping_add(count.get()))
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_columns))]
mod tests {
    use super::{
        super::{
            end,
            enter,
            flight::Direction,
            Ended, //
        },
        *,
    };
    use crate::acct::class::Class;
    use core::cell::Cell;

    fn columns(ios: u64, ticks_ns: u64, busy_ns: u64) -> Columns {
        let mut columns = Columns::default();
        columns.write.ios = ios;
        columns.write.ticks_ns = ticks_ns;
        columns.io_ticks_total_ns = busy_ns;
        columns
    }

    #[test]
    fn what_was_printed_is_not_told_again_and_parts_of_a_unit_are_not_lost() {
        let mut cleared = Columns::default();
        let mut reported = 0;
        for times in 1..=10 {
            let printed = columns(times, times * 1_700_000, 0).since(&cleared);
            assert_eq!(printed.write.ios, 1);
            reported += Unit::Ms.of(printed.write.ticks_ns);
            cleared.clear_printed(&printed, Unit::Ms);
        }
        assert_eq!(reported, 17);
    }

    #[test]
    fn what_was_not_read_is_told_again() {
        let mut cleared = columns(1, 1_000_000, 300_000);
        let before = cleared;
        let all = columns(8, 7_700_000, 9_100_000);
        let printed = all.since(&cleared);
        cleared.clear_printed(&printed, Unit::Ms);
        assert_eq!(all.since(&cleared).write.ios, 0);
        cleared.restore(&printed, Unit::Ms);
        assert_eq!(cleared, before);
    }

    #[test]
    fn to_clear_leaves_nothing() {
        let mut cleared = columns(3, 1_000_000, 5);
        let all = columns(7, 1_999_999, 1_999_999);
        cleared.clear_all(&all);
        assert_eq!(all.since(&cleared), Columns::default());
        assert_eq!(cleared, all);
    }

    #[test]
    fn a_time_that_reads_less_is_told_as_none_and_remembered() {
        let mut cleared = columns(7, 0, 500);
        let less = columns(8, 0, 400).since(&cleared);
        assert_eq!((less.write.ios, less.io_ticks_total_ns), (1, 0));
        cleared.clear_printed(&less, Unit::Ns);
        assert_eq!(columns(8, 0, 600).since(&cleared).io_ticks_total_ns, 100);
    }

    #[test]
    fn a_time_that_is_half_the_range_ahead_is_behind() {
        let most = u64::MAX / 2;
        assert_eq!(growth(most, 0), most);
        assert_eq!(growth(most + 1, 0), 0);
    }

    /// Values that differ from each other, all `times` as large.
    fn totals(times: u64) -> Totals {
        let done = |first: u64| Completed {
            ios: times * first,
            sectors: times * (first + 1),
            ticks_ns: times * (first + 2),
            merges: times * (first + 3),
        };
        Totals {
            columns: Columns {
                read: Column::of(&done(10)),
                write: Column::of(&done(20)),
                io_ticks_total_ns: times * 30,
                time_in_queue_ns: times * 31,
                io_ticks_read_ns: times * 32,
                io_ticks_write_ns: times * 33,
            },
            in_flight: times * 34,
            classes: Classes {
                read: done(40),
                write: done(50),
                free: done(60),
                none: done(70),
            },
        }
    }

    #[test]
    fn what_was_counted_before_a_resize_is_added() {
        let mut sum = totals(1);
        sum.fold(&totals(2));
        assert_eq!(sum, totals(3));
    }

    #[test]
    fn what_freed_counters_had_counted_is_subtracted_no_more() {
        let mut cleared = totals(3).columns;
        cleared.give_up(&totals(1).columns);
        assert_eq!(cleared, totals(2).columns);
    }

    #[test]
    fn classes_are_reported_as_they_grew() {
        let grown = totals(3).classes.since(&totals(1).classes);
        assert_eq!(grown, totals(2).classes);
    }

    /// Reads an area; at each of the first calls of the clock, a read of 10 ns is recorded. The first call is before the first
    /// pass, and then there is one after each pass.
    fn collect_during(reads: u64) -> Totals {
        let (area, in_flight) = (Area::default(), InFlight::default());
        let (now, recorded) = (Cell::new(1000), Cell::new(0));
        let clock = || {
            if recorded.get() < reads {
                recorded.set(recorded.get() + 1);
                let ended = Ended {
                    duration_ns: 10,
                    merged: false,
                };
                enter(&area, &in_flight, Direction::Read, now.get());
                now.set(now.get() + 10);
                end(&area, &in_flight, Class::Read as usize, now.get(), |done| {
                    done.count(8, &ended)
                });
            }
            now.get()
        };
        collect(&in_flight, || [&area].into_iter(), clock)
    }

    #[test]
    fn an_area_is_read_again_if_an_io_was_recorded_meanwhile() {
        let totals = collect_during(2);
        let columns = &totals.columns;
        assert_eq!((totals.in_flight, columns.read.ios), (0, 2));
        assert_eq!(
            (columns.time_in_queue_ns, columns.io_ticks_read_ns),
            (20, 20)
        );
    }

    #[test]
    fn an_area_that_is_never_quiet_is_read_with_its_latest_entries() {
        let totals = collect_during(u64::MAX);
        assert_eq!(totals.in_flight, 1);
        // The last first pass has found those of the 15 calls before it. The one after it has no time yet.
        let columns = &totals.columns;
        assert_eq!((columns.read.ios, columns.time_in_queue_ns), (15, 150));
    }
}
