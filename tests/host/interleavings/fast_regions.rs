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
        pending::ListTag,
        place::AreaRef, //
    },
};
use loom::sync::atomic::{
    fence,
    AtomicBool,
    Ordering::SeqCst, //
};

/// A region of one area, which an account may have.
pub struct OneRegion {
    is_there: AtomicBool,
    is_freed: AtomicBool,
    geometry: Geometry,
    last: Last,
    area: Area,
    in_flight: InFlight,
}

impl Default for OneRegion {
    fn default() -> Self {
        OneRegion {
            is_there: AtomicBool::new(false),
            is_freed: AtomicBool::new(false),
            geometry: Geometry::new(0, 8, 8).expect("one area"),
            last: Last::default(),
            area: Area::default(),
            in_flight: InFlight::default(),
        }
    }
}

impl OneRegion {
    pub fn get(&self) -> Option<&Self> {
        self.is_there.load(SeqCst).then_some(self)
    }

    /// The account gets it, and loses it; it is freed if no probe runs.
    fn comes_and_goes(&self, gauge: &Gauge, in_probe: &AtomicBool) {
        self.is_there.store(true, SeqCst);
        gauge.add(Extra::Regions);
        gauge.remove(Extra::Regions);
        self.is_there.store(false, SeqCst);
        fence(SeqCst);
        if !in_probe.load(SeqCst) {
            self.is_freed.store(true, SeqCst);
        }
    }
}

impl<'a> fast::OnlyRegion<'a> for &'a OneRegion {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn list_tag(&self) -> ListTag {
        ListTag::list(1)
    }

    fn last(&self) -> &Last {
        &self.last
    }

    fn place(&self, area: usize) -> Option<AreaRef<'a>> {
        assert!(!self.is_freed.load(SeqCst));
        (area == 0).then_some(AreaRef {
            area: &self.area,
            in_flight: &self.in_flight,
        })
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
