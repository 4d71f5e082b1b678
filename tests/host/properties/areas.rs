// SPDX-License-Identifier: GPL-2.0

//! A region and its model: a list of I/Os, and sums computed sector by sector and time by time.

use iostat::acct::{
    class::Class,
    counter::Counter,
    region::{
        area::Area,
        columns::{
            bucket,
            collect,
            Totals,
            Unit, //
        },
        flight::InFlight,
        geometry::Geometry,
        CpuRegion,
        Ended,
        Io,
        Whole, //
    },
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};
use std::{
    cell::{
        Cell,
        RefCell, //
    },
    ops::Range, //
};

const CPUS: usize = 3;

/// A region of some areas, with the storage that floor 2 would have for it.
pub struct Stage {
    geometry: Geometry,
    unit: Unit,
    bounds: Vec<u64>,
    classes: bool,
    pub in_flight: Vec<InFlight>,
    pub areas: Vec<Vec<Area>>,
    histograms: Vec<Vec<Counter>>,
    whole_in_flight: InFlight,
    wholes: Vec<Whole>,
    pub now: Cell<u64>,
    pub ios: RefCell<Vec<Life>>,
}

/// An action of an I/O.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    io: Io,
    merged: bool,
    pub from: u64,
    pub until: Option<u64>,
    pub ended: bool,
}

impl Life {
    pub fn sectors(&self) -> Range<u64> {
        self.io.sector..self.io.sector + u64::from(self.io.sectors)
    }

    fn is_read(&self) -> bool {
        self.io.class == Class::Read
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Action {
    Start(Io, bool),
    End,
    GiveBack,
}

/// The start of the clocks, so that sums of times wrap.
const BASE: u64 = 1 << 50;

fn io() -> impl Strategy<Value = Io> {
    let class = select(
        &[
            Class::Read,
            Class::Read,
            Class::Write,
            Class::Free,
            Class::NoData,
        ][..],
    );
    (0..120u64, 1..40u32, class).prop_map(|(sector, sectors, class)| Io {
        sector,
        sectors: if class == Class::NoData { 0 } else { sectors },
        class,
    })
}

/// Actions, each on a CPU, on one of the existing I/Os, after some time.
pub fn actions() -> impl Strategy<Value = Vec<(Action, usize, usize, u64)>> {
    let start = (io(), any::<bool>()).prop_map(|(io, merged)| Action::Start(io, merged));
    let action = prop_oneof![
        4 => start,
        4 => Just(Action::End),
        1 => Just(Action::GiveBack),
    ];
    vec((action, 0..CPUS, 0..64usize, 0..9u64), 0..60)
}

pub fn geometry() -> impl Strategy<Value = Geometry> {
    (0..60u64, 1..60u64, 1..30u64)
        .prop_map(|(start, len, step)| Geometry::new(start, len, step).unwrap())
}

impl Stage {
    pub fn new(geometry: Geometry, unit: Unit, bounds: &[u64], classes: bool) -> Self {
        let counts = geometry.areas() * (bounds.len() + 1);
        let per_cpu = |_| (0..geometry.areas()).map(|_| Area::default()).collect();
        let histogram = |_| (0..counts).map(|_| Counter::default()).collect();
        Stage {
            unit,
            bounds: bounds.to_vec(),
            classes,
            in_flight: (0..geometry.areas()).map(|_| InFlight::default()).collect(),
            areas: (0..CPUS).map(per_cpu).collect(),
            histograms: (0..CPUS).map(histogram).collect(),
            whole_in_flight: InFlight::default(),
            wholes: (0..CPUS).map(|_| Whole::default()).collect(),
            now: Cell::new(0),
            ios: RefCell::default(),
            geometry,
        }
    }

    fn on(&self, cpu: usize) -> CpuRegion<'_> {
        CpuRegion {
            geometry: &self.geometry,
            unit: self.unit,
            bounds: &self.bounds,
            in_flight: &self.in_flight,
            areas: &self.areas[cpu],
            histograms: &self.histograms[cpu],
            whole: self
                .classes
                .then_some((&self.whole_in_flight, &self.wholes[cpu])),
        }
    }

    pub fn clock(&self) -> u64 {
        BASE + self.now.get()
    }

    pub fn act(&self, (action, cpu, which, time): (Action, usize, usize, u64), scale: u64) {
        self.now.set(self.now.get() + time * scale);
        let (now, region) = (self.now.get(), self.on(cpu));
        let mut ios = self.ios.borrow_mut();
        if let Action::Start(io, merged) = action {
            region.start(region.area_of(&io), &io, BASE + now);
            ios.push(Life {
                io,
                merged,
                from: now,
                until: None,
                ended: false,
            });
            return;
        }
        let mut open: Vec<_> = ios.iter_mut().filter(|life| life.until.is_none()).collect();
        if open.is_empty() {
            return;
        }
        let which = which % open.len();
        let life = &mut *open[which];
        life.until = Some(now);
        life.ended = matches!(action, Action::End);
        if life.ended {
            let ended = Ended {
                duration_ns: now - life.from,
                merged: life.merged,
            };
            region.end(region.area_of(&life.io), &life.io, &ended, BASE + now);
        } else {
            region.undo_start(&life.io, BASE + now);
        }
    }

    pub fn totals(&self, area: usize) -> Totals {
        let areas = || self.areas.iter().map(|areas| &areas[area]);
        collect(&self.in_flight[area], areas, || self.clock())
    }

    fn whole(&self) -> Totals {
        Whole::collect(
            &self.whole_in_flight,
            || self.wholes.iter(),
            || self.clock(),
        )
    }

    pub fn histogram(&self, area: usize) -> Vec<u64> {
        let counts = self.bounds.len() + 1;
        let all = || self.histograms.iter().map(|counts| &counts[..]);
        (0..counts)
            .map(|index| bucket(all(), area * counts + index))
            .collect()
    }

    /// Returns the sectors of an area, one by one.
    pub fn sectors(&self, area: usize) -> Range<u64> {
        let (start, end) = (
            self.geometry.start(),
            self.geometry.start() + self.geometry.len(),
        );
        let first = start + area as u64 * self.geometry.step();
        first..(first + self.geometry.step()).min(end)
    }

    /// Returns the totals of a range of sectors, computed from the list of all I/Os.
    pub fn model(&self, range: Range<u64>) -> Totals {
        let ios = self.ios.borrow();
        let overlap = |life: &Life| {
            let mut sectors = life.sectors();
            sectors
                .by_ref()
                .filter(|sector| range.contains(sector))
                .count() as u64
        };
        let here: Vec<&Life> = ios.iter().filter(|life| overlap(life) > 0).collect();
        let mut totals = Totals::default();
        let columns = &mut totals.columns;
        for life in &here {
            let until = life.until.unwrap_or(self.now.get());
            columns.time_in_queue_ns += until - life.from;
            totals.in_flight += u64::from(life.until.is_none());
            if !life.ended {
                continue;
            }
            let column = match life.is_read() {
                true => &mut columns.read,
                false => &mut columns.write,
            };
            column.ios += 1;
            column.merges += u64::from(life.merged);
            column.sectors += overlap(life);
            column.ticks_ns += until - life.from;
            let done = match life.io.class {
                Class::Read => &mut totals.classes.read,
                Class::Free => &mut totals.classes.free,
                _ => &mut totals.classes.write,
            };
            done.ios += 1;
            done.merges += u64::from(life.merged);
            done.sectors += overlap(life);
            done.ticks_ns += until - life.from;
        }
        let busy = |read: bool, write: bool| {
            let counts = |life: &&&Life| if life.is_read() { read } else { write };
            let mut stays: Vec<_> = here.iter().filter(counts).collect();
            stays.sort_by_key(|life| life.from);
            let (mut sum, mut end) = (0, 0);
            for life in stays {
                let until = life.until.unwrap_or(self.now.get());
                sum += until.saturating_sub(end.max(life.from));
                end = end.max(until);
            }
            sum
        };
        columns.io_ticks_total_ns = busy(true, true);
        columns.io_ticks_read_ns = busy(true, false);
        columns.io_ticks_write_ns = busy(false, true);
        totals
    }

    pub fn assert_exact(&self) {
        for area in 0..self.geometry.areas() {
            assert_eq!(self.totals(area), self.model(self.sectors(area)));
            assert_eq!(self.geometry.area(area), {
                let sectors = self.sectors(area);
                (sectors.start, sectors.end - sectors.start)
            });
        }
        if !self.classes {
            return;
        }
        let mut whole =
            self.model(self.geometry.start()..self.geometry.start() + self.geometry.len());
        for life in self.ios.borrow().iter() {
            if life.ended && life.io.class == Class::NoData {
                whole.classes.none.ios += 1;
                whole.classes.none.merges += u64::from(life.merged);
                whole.classes.none.ticks_ns += life.until.unwrap() - life.from;
            }
        }
        assert_eq!(self.whole(), whole);
    }
}
