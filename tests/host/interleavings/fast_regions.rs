// SPDX-License-Identifier: GPL-2.0

//! An account that gets and loses a region while the entry of an I/O remembers it.

use super::{
    fast::{
        Probe,
        Read,
        Storage, //
    },
    outcomes,
    spawn, //
};
use iostat::acct::{
    busy::{
        Extra,
        Gauge, //
    },
    entry::Entry,
    fast,
    region::{
        area::Area,
        columns::collect,
        flight::InFlight,
        geometry::Geometry,
        list::Last,
        only::{
            AreaOffset,
            OnlyRegion, //
        },
        place::AreaRef, //
    },
};
use loom::sync::atomic::{
    fence,
    AtomicBool,
    Ordering::{
        Acquire,
        Relaxed,
        Release,
        SeqCst, //
    }, //
};

/// A region of one area, which an account may have.
pub struct OneRegion {
    /// Whether the CPU finds it.
    is_found: AtomicBool,
    is_freed: AtomicBool,
    region: OnlyRegion,
    no_region: OnlyRegion,
    last: Last,
    area: Area,
    in_flight: InFlight,
}

impl Default for OneRegion {
    fn default() -> Self {
        let geometry = Geometry::new(0, 8, 8).expect("one area");
        OneRegion {
            is_found: AtomicBool::new(false),
            is_freed: AtomicBool::new(false),
            region: OnlyRegion::new(&geometry, 1, 0, 0),
            no_region: OnlyRegion::default(),
            last: Last::default(),
            area: Area::default(),
            in_flight: InFlight::default(),
        }
    }
}

impl OneRegion {
    /// What the CPU finds.
    pub fn part(&self) -> Part<'_> {
        Part {
            one: self,
            is_found: self.is_found.load(Acquire),
        }
    }

    /// The account gets it, and loses it; it is freed if no probe runs.
    fn comes_and_goes(&self, gauge: &Gauge, in_probe: &AtomicBool) {
        self.is_found.store(true, Release);
        gauge.add(Extra::Regions);
        gauge.remove(Extra::Regions);
        self.is_found.store(false, Relaxed);
        fence(SeqCst);
        if !in_probe.load(SeqCst) {
            self.is_freed.store(true, SeqCst);
        }
    }
}

#[derive(Clone, Copy)]
pub struct Part<'a> {
    one: &'a OneRegion,
    is_found: bool,
}

impl<'a> fast::RegionPart<'a> for Part<'a> {
    fn region(self) -> &'a OnlyRegion {
        if !self.is_found {
            return &self.one.no_region;
        }
        assert!(!self.one.is_freed.load(SeqCst));
        &self.one.region
    }

    fn last(self) -> &'a Last {
        assert!(self.is_found);
        &self.one.last
    }

    fn area(self, at: AreaOffset) -> AreaRef<'a> {
        assert!(self.is_found && at.area() == 0);
        assert!(!self.one.is_freed.load(SeqCst));
        AreaRef {
            area: &self.one.area,
            in_flight: &self.one.in_flight,
        }
    }
}

#[test]
fn a_region_that_was_freed_is_not_used_and_has_no_end_without_its_start() {
    let seen = outcomes(2, || {
        let storage = Storage::new();
        storage.general();
        let io = spawn(&storage, |storage| {
            let start = |probe: Probe<'_>, entry: &Entry| fast::start(probe, entry, &Read);
            let issue = |probe: Probe<'_>, entry: &Entry| fast::issue(probe, entry, &Read);
            let complete = |probe: Probe<'_>, entry: &Entry| {
                fast::complete(probe, entry, &Read, 512);
            };
            assert!(storage.probe(|| storage.is_fast(start)));
            storage.probe(|| storage.is_fast(issue));
            storage.probe(|| storage.is_fast(complete));
        });
        let other = spawn(&storage, |storage| {
            storage
                .region
                .comes_and_goes(&storage.roots[0].gauge, &storage.in_probe);
        });
        io.join().unwrap();
        other.join().unwrap();
        let totals = collect(
            &storage.region.in_flight,
            || [&storage.region.area].into_iter(),
            || 1,
        );
        let (ended, in_flight) = (totals.columns.read.ios, totals.in_flight);
        assert!(ended + in_flight <= 1);
        // Whatever regions there are, the account has the whole I/O.
        let (_, record) = storage.records[0].read();
        assert_eq!((record.waitq.n_out, record.waitq_busy.n_out), (1, 1));
        (ended, in_flight)
    });
    // Not recorded; still in flight when the region was lost; recorded.
    assert_eq!(seen, [(0, 0), (0, 1), (1, 0)].into());
}
