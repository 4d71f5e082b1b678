// SPDX-License-Identifier: GPL-2.0

//! An area that is read while CPUs count in it.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::{
    class::Class,
    region::{
        area::Area,
        columns::{
            collect,
            Totals,
            Unit, //
        },
        flight::InFlight,
        geometry::Geometry,
        CpuRegion, //
        Ended,
        Io,
    },
};
use loom::sync::{
    atomic::{
        AtomicU64,
        Ordering::Relaxed, //
    },
    Arc, //
};

/// A region of one area on two CPUs, with a clock that orders only its own readings.
#[derive(Default)]
struct Disk {
    cpus: [[Area; 1]; 2],
    in_flight: [InFlight; 1],
    clock: AtomicU64,
}

const READ: Io = Io {
    sector: 0,
    sectors: 8,
    class: Class::Read,
};
const WRITE: Io = Io {
    class: Class::Write,
    ..READ
};

impl Disk {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Relaxed) + 1
    }

    fn on(&self, cpu: usize, count: impl FnOnce(CpuRegion<'_>, u64)) {
        let geometry = Geometry::new(0, 8, 8).unwrap();
        let region = CpuRegion {
            geometry: &geometry,
            unit: Unit::Ns,
            bounds: &[],
            in_flight: &self.in_flight,
            areas: &self.cpus[cpu],
            histograms: &[],
            whole: None,
        };
        count(region, self.now());
    }

    fn start(&self, cpu: usize, io: &Io) {
        self.on(cpu, |region, now| region.start(region.area_of(io), io, now));
    }

    fn end(&self, cpu: usize, io: &Io) {
        let ended = Ended {
            duration_ns: 1,
            merged: false,
        };
        self.on(cpu, |region, now| {
            region.end(region.area_of(io), io, &ended, now);
        });
    }

    fn totals(&self) -> Totals {
        let areas = || self.cpus.iter().map(|[area]| area);
        collect(&self.in_flight[0], areas, || self.now())
    }
}

#[test]
fn an_area_shows_no_end_without_its_start_on_another_cpu() {
    let seen = outcomes(2, || {
        let disk = Arc::new(Disk::default());
        let io = spawn(&disk, |disk| {
            disk.start(0, &READ);
            disk.end(1, &READ);
        });
        let reader = spawn(&disk, |disk| {
            let totals = disk.totals();
            let (columns, now) = (&totals.columns, disk.now());
            assert!(totals.in_flight <= 1 && columns.read.ios <= 1);
            assert_eq!(columns.read.sectors, 8 * columns.read.ios);
            // Less than nothing if the I/O has entered after the time of the totals.
            assert!((columns.time_in_queue_ns as i64) < now as i64);
            assert!(columns.io_ticks_read_ns < now);
            assert_eq!(columns.io_ticks_total_ns, columns.io_ticks_read_ns);
            (columns.read.ios, totals.in_flight)
        });
        io.join().unwrap();
        reader.join().unwrap()
    });
    for counts in [(0, 0), (0, 1), (1, 0)] {
        assert!(seen.contains(&counts), "{seen:?}");
    }
}

#[test]
fn two_cpus_in_one_area_leave_every_line_down() {
    let seen = outcomes(2, || {
        let disk = Arc::new(Disk::default());
        let io = |cpu: usize, io: Io| {
            spawn(&disk, move |disk| {
                disk.start(cpu, &io);
                disk.end(cpu, &io);
            })
        };
        for io in [io(0, READ), io(1, WRITE)] {
            io.join().unwrap();
        }
        let (totals, later) = (disk.totals(), disk.totals());
        assert_eq!(totals, later);
        assert_eq!(totals.in_flight, 0);
        let columns = &totals.columns;
        assert_eq!((columns.read.ios, columns.write.ios), (1, 1));
        assert!(columns.io_ticks_total_ns <= columns.time_in_queue_ns);
        let sum = columns.io_ticks_read_ns + columns.io_ticks_write_ns;
        assert_eq!(sum, columns.time_in_queue_ns);
        columns.io_ticks_total_ns < sum
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn the_same_line_may_rise_and_fall_on_two_cpus_at_once() {
    let seen = outcomes(2, || {
        let disk = Arc::new(Disk::default());
        let io = |cpu: usize| {
            spawn(&disk, move |disk| {
                disk.start(cpu, &READ);
                disk.end(cpu, &READ);
            })
        };
        for io in [io(0), io(1)] {
            io.join().unwrap();
        }
        let (totals, later) = (disk.totals(), disk.totals());
        assert_eq!(totals, later);
        assert_eq!((totals.in_flight, totals.columns.read.ios), (0, 2));
        assert_eq!(totals.columns.io_ticks_write_ns, 0);
        totals.columns.io_ticks_read_ns < totals.columns.time_in_queue_ns
    });
    assert_eq!(seen, [false, true].into());
}
