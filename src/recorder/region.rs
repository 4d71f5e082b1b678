// SPDX-License-Identifier: GPL-2.0

//! One region: device-mapper's statistics of a part of a disk, in areas of equal size.
//!
//! Floor 0 ([`crate::acct::region`]) counts; this file allocates the memory.

mod baseline;
pub(super) mod list;
pub(crate) mod memory;
pub(crate) mod print;
mod resize;
pub(crate) mod rows;
pub(super) mod set;

use crate::{
    acct::{
        counter::Counter,
        region::{
            area::Area,
            columns::{
                bucket,
                collect,
                Totals,
                Unit, //
            },
            count_time,
            flight::InFlight,
            geometry::Geometry,
            list::Last,
            place::AreaRef,
            CpuRegion as View,
            Whole, //
        }, //
    },
    glue::{
        clock,
        region_areas::RegionAreas, //
    },
    kernel_ext::percpu::{
        possible_cpus,
        PerCpu,
        PerCpuSlices,
        SplitArray,
        ThisCpu, //
    }, //
};
use baseline::Baseline;
use core::mem::size_of;
use kernel::{
    alloc::KVVec,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};
use memory::Charge;

/// The parameters of a region.
pub(super) struct Plan {
    pub(super) id: u32,
    /// Distinguishes regions of the disk that had the same id. A resize does not change it.
    pub(super) born: u32,
    pub(super) geometry: Geometry,
    pub(super) unit: Unit,
    /// Whether it has the option `classes`.
    pub(super) classes: bool,
    /// In ascending order; empty without a histogram.
    pub(super) bounds: KVVec<u64>,
    pub(super) program: KVVec<u8>,
}

impl Plan {
    /// Counts in the histogram of each area.
    fn buckets(&self) -> usize {
        match self.bounds.len() {
            0 => 0,
            bounds => bounds.saturating_add(1),
        }
    }

    /// Returns the plan with other areas. May sleep; `ENOMEM`.
    fn with(&self, geometry: Geometry) -> Result<Plan> {
        Ok(Plan {
            geometry,
            bounds: copy(&self.bounds)?,
            program: copy(&self.program)?,
            ..*self
        })
    }

    /// Bytes of the counters of one CPU.
    fn share_bytes(&self) -> usize {
        let counts = self.buckets().saturating_mul(size_of::<Counter>());
        let area = size_of::<Area>().saturating_add(counts);
        let whole = if self.classes { size_of::<Whole>() } else { 0 };
        self.geometry
            .areas()
            .saturating_mul(area)
            .saturating_add(RegionAreas::HEAD_BYTES)
            .saturating_add(whole)
    }

    /// The number of areas; with the option `classes`, one more for the region as a whole.
    fn in_flight(&self) -> usize {
        let wholes = usize::from(self.classes);
        self.geometry.areas().saturating_add(wholes)
    }

    /// Bytes of all memory of the region.
    fn bytes(&self) -> u64 {
        let shares = possible_cpus().count().saturating_mul(self.share_bytes());
        let in_flight = self.in_flight().saturating_mul(size_of::<InFlight>());
        shares.saturating_add(in_flight) as u64
    }
}

/// A copy of plain values. May sleep; `ENOMEM`.
fn copy<T: Clone>(values: &[T]) -> Result<KVVec<T>> {
    let mut copy = KVVec::with_capacity(values.len(), GFP_KERNEL)?;
    copy.extend_from_slice(values, GFP_KERNEL)?;
    Ok(copy)
}

/// The values that a new region needs of its account.
pub(super) struct Joins {
    /// The number of the first list that the region is in.
    pub(super) since: u32,
    /// Where the latest I/O of each CPU ended.
    pub(super) last: Arc<PerCpu<Last>>,
}

/// A region of one disk or partition.
#[pin_data]
pub(super) struct Region {
    plan: Plan,
    areas: Arc<RegionAreas>,
    counts: PerCpuSlices<Counter>,
    /// One element with the option `classes`, otherwise empty.
    whole: SplitArray<InFlight, Whole>,
    #[pin]
    baseline: Mutex<Baseline>,
    _charge: Charge,
}

impl Region {
    /// Creates an empty region. May sleep; `ENOMEM`, also if all regions together would exceed their limit.
    fn new(plan: Plan, baseline: Baseline, joins: Joins) -> Result<Arc<Self>> {
        let charge = Charge::new(plan.bytes())?;
        let areas = plan.geometry.areas();
        let counts = PerCpuSlices::new(areas.saturating_mul(plan.buckets()))?;
        let whole = SplitArray::new(usize::from(plan.classes))?;
        let areas = RegionAreas::new(&plan.geometry, joins.since, joins.last)?;
        Arc::pin_init(
            try_pin_init!(Region {
                plan,
                areas,
                counts,
                whole,
                baseline <- new_mutex!(baseline),
                _charge: charge,
            }),
            GFP_KERNEL,
        )
    }

    /// Its areas; [`None`] if it also has a histogram or the option `classes`.
    fn plain_areas(&self) -> Option<&Arc<RegionAreas>> {
        let is_plain = !self.plan.classes && self.plan.bounds.is_empty();
        is_plain.then_some(&self.areas)
    }

    /// The counters of one CPU.
    #[inline(always)]
    fn on<'a>(&'a self, cpu: ThisCpu<'a>) -> View<'a> {
        View {
            geometry: &self.plan.geometry,
            unit: self.plan.unit,
            bounds: &self.plan.bounds,
            in_flight: self.areas.shared(),
            areas: self.areas.own().this_cpu(cpu),
            histograms: self.counts.this_cpu(cpu),
            whole: self.whole.get(0, cpu),
        }
    }

    /// One of its areas.
    #[inline(always)]
    fn place<'a>(&'a self, area: usize, cpu: ThisCpu<'a>) -> Option<AreaRef<'a>> {
        let (in_flight, area) = self.areas.get(area, cpu)?;
        Some(AreaRef { area, in_flight })
    }

    /// Counts a time in the histogram of an area.
    #[inline(never)]
    fn count_time(&self, area: usize, time_ns: u64, cpu: ThisCpu<'_>) {
        let time = self.plan.unit.of(time_ns);
        count_time(self.counts.this_cpu(cpu), &self.plan.bounds, area, time);
    }

    /// The totals of an area since the region was created.
    fn totals(&self, area: usize) -> Totals {
        let Some(in_flight) = self.areas.shared().get(area) else {
            return Totals::default();
        };
        let areas = || self.areas.own().iter().filter_map(|areas| areas.get(area));
        collect(in_flight, areas, clock::now_ns)
    }

    /// The totals of the region as a whole, which has the option `classes`.
    fn whole(&self) -> Totals {
        let [in_flight] = self.whole.shared() else {
            return Totals::default();
        };
        let wholes = || self.whole.own().iter().flatten();
        Whole::collect(in_flight, wholes, clock::now_ns)
    }

    /// The count of a bucket of an area.
    fn count(&self, area: usize, index: usize) -> u64 {
        let index = area
            .saturating_mul(self.plan.buckets())
            .saturating_add(index);
        bucket(self.counts.iter(), index)
    }
}
