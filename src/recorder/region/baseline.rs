// SPDX-License-Identifier: GPL-2.0

//! The baseline of a region: the values that readers subtract from its counters, and those that they add.
//!
//! Counters are never reset. `@stats_clear` adds their present values to the baseline, which readers subtract.
//! Counts from before a resize are added to those since.

use super::{
    memory::Charge,
    Plan,
    Region, //
};
use crate::{
    acct::region::columns::{
        Classes,
        Columns,
        Totals, //
    },
    kernel_ext::{
        task,
        zeroed::zeroed_vec, //
    },
};
use core::mem::size_of;
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::{
        lock::{
            mutex::MutexBackend,
            Guard, //
        },
        Arc, //
    },
};

/// The counts from before the latest resize, and of I/Os that were in flight then.
pub(super) struct Before {
    pub(super) region: Arc<Region>,
    /// The first shared area in the new and in the old region, and their number.
    pub(super) shared: (usize, usize, usize),
}

impl Before {
    /// The index of an area in the old region.
    pub(super) fn area(&self, area: usize) -> Option<usize> {
        let (here, there, areas) = self.shared;
        let index = area.checked_sub(here).filter(|index| *index < areas)?;
        there.checked_add(index)
    }
}

/// The state of a region that only its readers use.
pub(super) struct Baseline {
    pub(super) aux: KVVec<u8>,
    /// The values to subtract for each area; empty until the first clear.
    pub(super) columns: KVVec<Columns>,
    pub(super) classes: KVVec<Classes>,
    pub(super) counts: KVVec<u64>,
    pub(super) total: (Columns, Classes),
    pub(super) before: Option<Before>,
    pub(super) charge: Option<Charge>,
    /// How often the whole region was cleared.
    pub(super) clears: u32,
    /// How often its line in the list of regions has changed.
    pub(super) changes: u32,
    /// The region was resized: the new region has this state.
    pub(super) is_replaced: bool,
}

/// Whether a message was carried out.
pub(super) enum Applied {
    Yes,
    /// The region was replaced by a resized one, which the caller has to use instead.
    NotHere,
}

impl Baseline {
    pub(super) fn new(aux: KVVec<u8>) -> Self {
        Baseline {
            aux,
            columns: KVVec::new(),
            classes: KVVec::new(),
            counts: KVVec::new(),
            total: Default::default(),
            before: None,
            charge: None,
            clears: 0,
            changes: 0,
            is_replaced: false,
        }
    }

    /// Takes the state out, for the region that replaces this one after a resize.
    pub(super) fn replaced(&mut self) -> Baseline {
        let mut nothing = Baseline::new(KVVec::new());
        nothing.is_replaced = true;
        core::mem::replace(self, nothing)
    }

    /// Allocates memory for the values to subtract. May sleep; `ENOMEM`.
    pub(super) fn reserve(&mut self, plan: &Plan) -> Result {
        if self.charge.is_some() {
            return Ok(());
        }
        let areas = plan.geometry.areas();
        let counts = areas.saturating_mul(plan.buckets());
        let by_class = if plan.classes { areas } else { 0 };
        let bytes = areas
            .saturating_mul(size_of::<Columns>())
            .saturating_add(by_class.saturating_mul(size_of::<Classes>()))
            .saturating_add(counts.saturating_mul(size_of::<u64>()));
        let charge = Charge::new(bytes as u64)?;
        self.columns = zeroed_vec(areas)?;
        self.classes = zeroed_vec(by_class)?;
        self.counts = zeroed_vec(counts)?;
        self.charge = Some(charge);
        Ok(())
    }
}

impl Region {
    fn totals_with(&self, baseline: &Baseline, area: usize) -> Totals {
        let mut totals = self.totals(area);
        if let Some(before) = &baseline.before {
            if let Some(area) = before.area(area) {
                totals.fold(&before.region.totals(area));
            }
        }
        totals
    }

    fn whole_with(&self, baseline: &Baseline) -> Totals {
        let mut totals = self.whole();
        if let Some(before) = &baseline.before {
            totals.fold(&before.region.whole());
        }
        totals
    }

    fn count_with(&self, baseline: &Baseline, area: usize, bucket: usize) -> u64 {
        let then = baseline.before.as_ref().and_then(|before| {
            let area = before.area(area)?;
            Some(before.region.count(area, bucket))
        });
        self.count(area, bucket).wrapping_add(then.unwrap_or(0))
    }

    /// Returns the totals of an area as readers see them.
    pub(super) fn shown(&self, baseline: &Baseline, area: usize) -> Totals {
        let mut totals = self.totals_with(baseline, area);
        let cleared = baseline.columns.get(area).copied().unwrap_or_default();
        totals.columns = totals.columns.since(&cleared);
        let cleared = baseline.classes.get(area).copied().unwrap_or_default();
        totals.classes = totals.classes.since(&cleared);
        totals
    }

    /// Returns the count of a bucket of an area as readers see it.
    pub(super) fn shown_count(&self, baseline: &Baseline, area: usize, bucket: usize) -> u64 {
        let index = area
            .saturating_mul(self.plan.buckets())
            .saturating_add(bucket);
        let cleared = baseline.counts.get(index).copied().unwrap_or(0);
        self.count_with(baseline, area, bucket)
            .wrapping_sub(cleared)
    }

    /// Returns the totals of the whole region as readers see them.
    pub(super) fn shown_whole(&self, baseline: &Baseline) -> Totals {
        let mut totals = self.whole_with(baseline);
        totals.columns = totals.columns.since(&baseline.total.0);
        totals.classes = totals.classes.since(&baseline.total.1);
        totals
    }

    /// `@stats_clear`. May sleep; `ENOMEM`.
    pub(super) fn clear(&self) -> Result<Applied> {
        let mut baseline = self.baseline.lock();
        if baseline.is_replaced {
            return Ok(Applied::NotHere);
        }
        baseline.reserve(&self.plan)?;
        baseline.clears = baseline.clears.wrapping_add(1);
        let buckets = self.plan.buckets();
        for area in 0..self.plan.geometry.areas() {
            task::cond_resched();
            let totals = self.totals_with(&baseline, area);
            if let Some(cleared) = baseline.columns.get_mut(area) {
                cleared.clear_all(&totals.columns);
            }
            if let Some(cleared) = baseline.classes.get_mut(area) {
                *cleared = totals.classes;
            }
            for bucket in 0..buckets {
                let count = self.count_with(&baseline, area, bucket);
                let index = area.saturating_mul(buckets).saturating_add(bucket);
                if let Some(cleared) = baseline.counts.get_mut(index) {
                    *cleared = count;
                }
            }
        }
        if self.plan.classes {
            let totals = self.whole_with(&baseline);
            baseline.total.0.clear_all(&totals.columns);
            baseline.total.1 = totals.classes;
        }
        Ok(Applied::Yes)
    }

    /// `@stats_set_aux`. May sleep.
    pub(super) fn set_aux(&self, aux: &mut KVVec<u8>) -> Applied {
        let mut baseline = self.baseline.lock();
        if baseline.is_replaced {
            return Applied::NotHere;
        }
        core::mem::swap(&mut baseline.aux, aux);
        baseline.changes = baseline.changes.wrapping_add(1);
        Applied::Yes
    }

    /// Locks the baseline: readers see no change of it while the guard is held. May sleep.
    pub(super) fn lock(&self) -> Guard<'_, Baseline, MutexBackend> {
        self.baseline.lock()
    }
}
