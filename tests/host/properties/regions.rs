// SPDX-License-Identifier: GPL-2.0

//! Regions compared with lists of I/Os.

use super::{
    areas::{
        actions,
        geometry,
        Stage, //
    },
    config,
};
use iostat::acct::region::{
    columns::{
        collect,
        Columns,
        Unit, //
    },
    geometry::Geometry, //
};
use proptest::prelude::*;
use std::cell::{
    Cell,
    RefCell, //
};

/// Adds every count and, in units, every time of `reported` to `sum`.
fn add(sum: &mut Vec<u64>, reported: &Columns, unit: Unit) {
    let words = [
        reported.read.ios,
        reported.read.merges,
        reported.read.sectors,
        unit.of(reported.read.ticks_ns),
        reported.write.ios,
        reported.write.merges,
        reported.write.sectors,
        unit.of(reported.write.ticks_ns),
        unit.of(reported.io_ticks_total_ns),
        unit.of(reported.time_in_queue_ns),
        unit.of(reported.io_ticks_read_ns),
        unit.of(reported.io_ticks_write_ns),
    ];
    sum.resize(words.len(), 0);
    for (sum, word) in sum.iter_mut().zip(words) {
        *sum += word;
    }
}

/// About a millisecond: a rest smaller than a unit is left over.
const SCALE: u64 = 777_777;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_area_has_what_a_walk_over_all_ios_finds(
        geometry in geometry(),
        actions in actions(),
        classes in any::<bool>(),
    ) {
        let stage = Stage::new(geometry, Unit::Ns, &[], classes);
        for action in actions {
            stage.act(action, 1);
            stage.assert_exact();
            // Also without an event.
            stage.now.set(stage.now.get() + 3);
            stage.assert_exact();
        }
    }

    #[test]
    fn every_time_is_in_the_bucket_of_the_highest_bound_not_above_it(
        geometry in geometry(),
        actions in actions(),
        bounds in prop::collection::btree_set(1..40u64, 0..6),
        precise in any::<bool>(),
    ) {
        let bounds: Vec<u64> = bounds.into_iter().collect();
        let (unit, scale) = if precise { (Unit::Ns, 1) } else { (Unit::Ms, SCALE) };
        let stage = Stage::new(geometry, unit, &bounds, false);
        actions.into_iter().for_each(|action| stage.act(action, scale));
        for area in 0..geometry.areas() {
            let range = stage.sectors(area);
            let mut counts = vec![0; bounds.len() + 1];
            for life in stage.ios.borrow().iter().filter(|life| life.ended) {
                if !bounds.is_empty() && life.sectors().any(|sector| range.contains(&sector)) {
                    let time = life.until.unwrap() - life.from;
                    let time = if precise { time } else { time / 1_000_000 };
                    let bucket = bounds.iter().take_while(|bound| time >= **bound).count();
                    counts[bucket] += 1;
                }
            }
            prop_assert_eq!(stage.histogram(area), counts);
        }
    }

    #[test]
    fn the_sum_of_all_prints_is_the_total_however_often_one_clears(
        geometry in geometry(),
        actions in actions(),
        precise in any::<bool>(),
    ) {
        let unit = if precise { Unit::Ns } else { Unit::Ms };
        let stage = Stage::new(geometry, unit, &[], false);
        let (mut cleared, mut sum) = (Columns::default(), Vec::new());
        let mut print_clear = || {
            let reported = stage.totals(0).columns.since(&cleared);
            cleared.clear_printed(&reported, unit);
            add(&mut sum, &reported, unit);
        };
        for action in actions {
            stage.act(action, SCALE);
            print_clear();
        }
        print_clear();
        let mut all = Vec::new();
        add(&mut all, &stage.model(stage.sectors(0)).columns, unit);
        prop_assert_eq!(&sum, &all);
        let mut rest = stage.totals(0).columns.since(&cleared);
        prop_assert!(unit.of(rest.time_in_queue_ns) == 0);
        cleared.clear_all(&stage.totals(0).columns);
        rest = stage.totals(0).columns.since(&cleared);
        prop_assert_eq!(rest, Columns::default());
    }

    #[test]
    fn under_load_no_exit_lacks_its_entry_and_nothing_is_printed_twice(
        geometry in geometry(),
        actions in actions(),
        every in 1..5usize,
    ) {
        let stage = Stage::new(geometry, Unit::Ns, &[], false);
        let actions = RefCell::new(actions.into_iter());
        let calls = Cell::new(0);
        // Another event is recorded before a CPU's record and before the clock is read.
        let interrupt = || {
            calls.set(calls.get() + 1);
            if calls.get() % every == 0 {
                actions.borrow_mut().next().into_iter().for_each(|action| stage.act(action, 1));
            }
        };
        let read = || {
            let areas = || stage.areas.iter().map(|areas| &areas[0]).inspect(|_| interrupt());
            collect(&stage.in_flight[0], areas, || {
                interrupt();
                stage.clock()
            })
        };
        let (mut cleared, mut sum) = (Columns::default(), Vec::new());
        for _ in 0..20 {
            let totals = read();
            prop_assert!(totals.in_flight <= stage.ios.borrow().len() as u64);
            let reported = totals.columns.since(&cleared);
            cleared.clear_printed(&reported, Unit::Ns);
            add(&mut sum, &reported, Unit::Ns);
        }
        // A time that was printed too early is not printed again: in the end the sum is the total, except
        // for times an I/O seemed to be in flight longer than it was.
        for action in actions.take() {
            stage.act(action, 1);
        }
        stage.now.set(stage.now.get() + 100_000);
        let reported = stage.totals(0).columns.since(&cleared);
        add(&mut sum, &reported, Unit::Ns);
        let mut all = Vec::new();
        add(&mut all, &stage.model(stage.sectors(0)).columns, Unit::Ns);
        prop_assert_eq!(&sum[..8], &all[..8]);
        for (sum, all) in sum.iter().zip(&all).skip(8) {
            prop_assert!(sum >= all && sum - all <= 100_000);
        }
    }

    #[test]
    fn fragments_of_any_io_are_those_of_wide_arithmetic(
        start in any::<u64>(),
        len in 1..=u64::MAX,
        areas in 1..=1000u64,
        at in any::<u64>(),
        sectors in 1..=u32::MAX,
    ) {
        let len = len.min(u64::MAX - start).max(1);
        let start = start.min(u64::MAX - len);
        let step = len.div_ceil(areas);
        let geometry = Geometry::new(start, len, step).unwrap();
        let sector = match at % 4 {
            0 => at,
            // At the edge of an area or next to it.
            edge => (start + step.saturating_mul(at % areas).min(len)).wrapping_add(edge).wrapping_sub(2),
        };
        let sectors = (u64::from(sectors)).min(step.saturating_mul(50)) as u32;
        let mut seen = Vec::new();
        geometry.fragments(sector, sectors, |area, len| seen.push((area, len)));
        let wide = u128::from;
        let from = wide(sector).max(wide(start));
        let until = (wide(sector) + u128::from(sectors)).min(wide(start) + wide(len));
        let mut expected = Vec::new();
        let mut at = from;
        while at < until.min(wide(u64::MAX)) {
            let area = (at - wide(start)) / wide(step);
            let edge = wide(start) + (area + 1) * wide(step);
            expected.push((area as usize, (edge.min(until) - at) as u64));
            at = edge;
        }
        prop_assert_eq!(seen, expected);
    }
}
