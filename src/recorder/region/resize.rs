// SPDX-License-Identifier: GPL-2.0

//! Resizing a region: a new region, which continues the counts of the old one.

use super::{
    baseline::{
        Baseline,
        Before, //
    },
    copy,
    Joins,
    Plan,
    Region, //
};
use crate::{
    acct::region::geometry::Geometry,
    kernel_ext::{
        task,
        tracepoint::synchronize, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

impl Region {
    fn is_idle(&self) -> bool {
        (0..self.plan.geometry.areas()).all(|area| {
            task::cond_resched();
            self.totals(area).in_flight == 0
        })
    }

    /// Returns the region with other areas, which continues the counts of `self`. `EBUSY` while an I/O is in flight
    /// that started before the last resize; `ENOMEM`. May sleep.
    pub(super) fn resized(
        self: &Arc<Self>,
        old: &Baseline,
        geometry: Geometry,
        joins: Joins,
    ) -> Result<Arc<Region>> {
        if old.before.is_some() {
            // Probes that found the region from before the last resize have ended.
            synchronize();
        }
        if old
            .before
            .as_ref()
            .is_some_and(|before| !before.region.is_idle())
        {
            return Err(EBUSY);
        }
        let plan = self.plan.with(geometry)?;
        let shared = plan.geometry.shared_with(&self.plan.geometry);
        let mut baseline = Baseline::new(copy(&old.aux)?);
        if old.charge.is_some() || old.before.is_some() {
            baseline.reserve(&plan)?;
        }
        baseline.total = old.total;
        baseline.clears = old.clears;
        baseline.changes = old.changes.wrapping_add(1);
        let before = Before {
            region: self.clone(),
            shared,
        };
        let (here, _, areas) = shared;
        for area in here..here.saturating_add(areas) {
            task::cond_resched();
            if let Some(then) = before.area(area) {
                self.carry(old, then, &plan, &mut baseline, area);
            }
        }
        if let Some(older) = &old.before {
            let whole = older.region.whole();
            baseline.total.0.give_up(&whole.columns);
            baseline.total.1 = baseline.total.1.since(&whole.classes);
        }
        baseline.before = Some(before);
        Region::new(plan, baseline, joins)
    }

    /// Copies the baseline of an area to the same area of the new region, less the counts from before the previous
    /// resize, whose memory is freed.
    fn carry(
        &self,
        old: &Baseline,
        then: usize,
        plan: &Plan,
        baseline: &mut Baseline,
        area: usize,
    ) {
        let older = old
            .before
            .as_ref()
            .and_then(|before| Some((before, before.area(then)?)));
        let totals = older.map(|(before, area)| before.region.totals(area));
        let totals = totals.unwrap_or_default();
        if let Some(cleared) = baseline.columns.get_mut(area) {
            *cleared = old.columns.get(then).copied().unwrap_or_default();
            cleared.give_up(&totals.columns);
        }
        if let Some(cleared) = baseline.classes.get_mut(area) {
            let cleared_then = old.classes.get(then).copied().unwrap_or_default();
            *cleared = cleared_then.since(&totals.classes);
        }
        let buckets = plan.buckets();
        for bucket in 0..buckets {
            let index = |area: usize| area.saturating_mul(buckets).saturating_add(bucket);
            let counted = older.map_or(0, |(before, area)| before.region.count(area, bucket));
            let cleared_then = old.counts.get(index(then)).copied().unwrap_or(0);
            if let Some(cleared) = baseline.counts.get_mut(index(area)) {
                *cleared = cleared_then.wrapping_sub(counted);
            }
        }
    }
}
