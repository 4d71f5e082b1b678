// SPDX-License-Identifier: GPL-2.0

//! What readers of a region have been told, and are told.
//!
//! Nothing that is counted is ever reset. To clear is to remember what is no longer told; and what was
//! counted before a region was resized is added to what it counts since.

use super::{
    copy,
    memory::Charge,
    Plan,
    Region, //
};
use crate::{
    abi::{
        message::Print,
        region_text::{
            self,
            Listed,
            Printed,
            Reply, //
        },
    },
    acct::region::{
        columns::{
            Classes,
            Columns,
            Totals, //
        },
        geometry::Geometry, //
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
    sync::Arc, //
};

/// What a region remembers for its readers.
pub(super) struct Told {
    aux: KVVec<u8>,
    /// What is no longer told of each area; empty until somebody clears.
    columns: KVVec<Columns>,
    classes: KVVec<Classes>,
    counts: KVVec<u64>,
    total: (Columns, Classes),
    before: Option<Before>,
    charge: Option<Charge>,
}

/// What was counted before the latest resize, and of some I/Os since.
struct Before {
    region: Arc<Region>,
    /// The first shared area now, then, and how many there are.
    shared: (usize, usize, usize),
}

impl Before {
    /// The number an area had.
    fn area(&self, area: usize) -> Option<usize> {
        let (here, there, areas) = self.shared;
        let index = area.checked_sub(here).filter(|index| *index < areas)?;
        there.checked_add(index)
    }
}

impl Told {
    pub(super) fn new(aux: KVVec<u8>) -> Self {
        Told {
            aux,
            columns: KVVec::new(),
            classes: KVVec::new(),
            counts: KVVec::new(),
            total: Default::default(),
            before: None,
            charge: None,
        }
    }

    /// Makes room to remember what is no longer told. May sleep; `ENOMEM`.
    fn reserve(&mut self, plan: &Plan) -> Result {
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

/// What one print told of some areas, until all of it has been told.
struct Printing {
    columns: KVVec<Columns>,
    classes: KVVec<Classes>,
    counts: KVVec<u64>,
}

impl Region {
    fn totals_with(&self, told: &Told, area: usize) -> Totals {
        let mut totals = self.totals(area);
        if let Some(before) = &told.before {
            if let Some(area) = before.area(area) {
                totals.fold(&before.region.totals(area));
            }
        }
        totals
    }

    fn whole_with(&self, told: &Told) -> Totals {
        let mut totals = self.whole();
        if let Some(before) = &told.before {
            totals.fold(&before.region.whole());
        }
        totals
    }

    fn count_with(&self, told: &Told, area: usize, bucket: usize) -> u64 {
        let then = told.before.as_ref().and_then(|before| {
            let area = before.area(area)?;
            Some(before.region.count(area, bucket))
        });
        self.count(area, bucket).wrapping_add(then.unwrap_or(0))
    }

    /// `@stats_print` and `@stats_print_clear`. May sleep. `ENOMEM`, `EINTR`: then nothing is cleared.
    pub(super) fn print(&self, what: &Print, out: &mut impl Reply) -> Result {
        let plan = &self.plan;
        let (geometry, buckets) = (&plan.geometry, plan.buckets());
        let mut told = self.told.lock();
        if what.clear {
            told.reserve(plan)?;
        }
        let areas = what.areas(geometry.areas());
        let mut printing = Printing {
            columns: KVVec::new(),
            classes: KVVec::new(),
            counts: KVVec::new(),
        };
        for area in areas.clone() {
            task::may_be_killed()?;
            let totals = self.totals_with(&told, area);
            let cleared = told.columns.get(area).copied().unwrap_or_default();
            let columns = totals.columns.since(&cleared);
            let cleared = told.classes.get(area).copied().unwrap_or_default();
            let classes = totals.classes.since(&cleared);
            let first = printing.counts.len();
            for bucket in 0..buckets {
                let index = area.saturating_mul(buckets).saturating_add(bucket);
                let cleared = told.counts.get(index).copied().unwrap_or(0);
                let count = self.count_with(&told, area, bucket).wrapping_sub(cleared);
                printing.counts.push(count, GFP_KERNEL)?;
            }
            let printed = Printed {
                columns: &columns,
                in_flight: totals.in_flight,
                classes: plan.classes.then_some(&classes),
                unit: plan.unit,
            };
            let counts = printing.counts.get(first..).unwrap_or(&[]);
            region_text::area(out, geometry, area, &printed, counts.iter().copied())
                .map_err(|_| ENOMEM)?;
            if !what.clear {
                printing.counts.clear();
                continue;
            }
            printing.columns.push(columns, GFP_KERNEL)?;
            if plan.classes {
                printing.classes.push(totals.classes, GFP_KERNEL)?;
            }
        }
        let mut total = None;
        if plan.classes && what.is_whole() {
            let totals = self.whole_with(&told);
            let (cleared, by_class) = &told.total;
            let columns = totals.columns.since(cleared);
            let classes = totals.classes.since(by_class);
            let printed = Printed {
                columns: &columns,
                in_flight: totals.in_flight,
                classes: Some(&classes),
                unit: plan.unit,
            };
            region_text::total(out, geometry, &printed).map_err(|_| ENOMEM)?;
            total = Some((columns, totals.classes));
        }
        if what.clear {
            self.clear_printed(&mut told, areas.start, &printing, total);
        }
        Ok(())
    }

    fn clear_printed(
        &self,
        told: &mut Told,
        first: usize,
        printing: &Printing,
        total: Option<(Columns, Classes)>,
    ) {
        let unit = self.plan.unit;
        for (cleared, printed) in told.columns.iter_mut().skip(first).zip(&printing.columns) {
            cleared.clear_printed(printed, unit);
        }
        for (cleared, all) in told.classes.iter_mut().skip(first).zip(&printing.classes) {
            *cleared = *all;
        }
        let first = first.saturating_mul(self.plan.buckets());
        for (cleared, printed) in told.counts.iter_mut().skip(first).zip(&printing.counts) {
            *cleared = cleared.wrapping_add(*printed);
        }
        if let Some((columns, classes)) = total {
            told.total.0.clear_printed(&columns, unit);
            told.total.1 = classes;
        }
    }

    /// `@stats_clear`. May sleep; `ENOMEM`.
    pub(super) fn clear(&self) -> Result {
        let mut told = self.told.lock();
        told.reserve(&self.plan)?;
        let buckets = self.plan.buckets();
        for area in 0..self.plan.geometry.areas() {
            task::may_rest();
            let totals = self.totals_with(&told, area);
            if let Some(cleared) = told.columns.get_mut(area) {
                cleared.clear_all(&totals.columns);
            }
            if let Some(cleared) = told.classes.get_mut(area) {
                *cleared = totals.classes;
            }
            for bucket in 0..buckets {
                let count = self.count_with(&told, area, bucket);
                let index = area.saturating_mul(buckets).saturating_add(bucket);
                if let Some(cleared) = told.counts.get_mut(index) {
                    *cleared = count;
                }
            }
        }
        if self.plan.classes {
            let totals = self.whole_with(&told);
            told.total.0.clear_all(&totals.columns);
            told.total.1 = totals.classes;
        }
        Ok(())
    }

    /// `@stats_set_aux`. May sleep.
    pub(super) fn set_aux(&self, aux: KVVec<u8>) {
        let old = core::mem::replace(&mut self.told.lock().aux, aux);
        drop(old);
    }

    /// Its line of `@stats_list`, if it is `program`'s or nobody's in particular is asked for. May sleep;
    /// `ENOMEM`.
    pub(super) fn list(&self, out: &mut impl Reply) -> Result {
        let told = self.told.lock();
        let listed = Listed {
            id: self.plan.id,
            geometry: &self.plan.geometry,
            program: &self.plan.program,
            aux: &told.aux,
            unit: self.plan.unit,
            bounds: &self.plan.bounds,
            classes: self.plan.classes,
        };
        region_text::listed(out, &listed).map_err(|_| ENOMEM)
    }

    fn is_idle(&self) -> bool {
        (0..self.plan.geometry.areas()).all(|area| {
            task::may_rest();
            self.totals(area).in_flight == 0
        })
    }

    /// The same region with other areas, which goes on counting where `self` stops. `EBUSY` while an I/O is
    /// under way that started before the last resize; `ENOMEM`. May sleep.
    pub(super) fn resized(self: &Arc<Self>, geometry: Geometry) -> Result<Arc<Region>> {
        let old = self.told.lock();
        if old
            .before
            .as_ref()
            .is_some_and(|before| !before.region.is_idle())
        {
            return Err(EBUSY);
        }
        let plan = self.plan.with(geometry)?;
        let shared = plan.geometry.shared_with(&self.plan.geometry);
        let mut told = Told::new(copy(&old.aux)?);
        if old.charge.is_some() || old.before.is_some() {
            told.reserve(&plan)?;
        }
        told.total = old.total;
        let before = Before {
            region: self.clone(),
            shared,
        };
        let (here, _, areas) = shared;
        for area in here..here.saturating_add(areas) {
            task::may_rest();
            if let Some(then) = before.area(area) {
                self.carry(&old, then, &plan, &mut told, area);
            }
        }
        if let Some(older) = &old.before {
            let whole = older.region.whole();
            told.total.0.give_up(&whole.columns);
            told.total.1 = told.total.1.since(&whole.classes);
        }
        told.before = Some(before);
        Region::new(plan, told)
    }

    /// What is no longer told of an area, for the area it becomes; less what was counted before the resize
    /// before, whose memory is given up.
    fn carry(&self, old: &Told, then: usize, plan: &Plan, told: &mut Told, area: usize) {
        let older = old
            .before
            .as_ref()
            .and_then(|before| Some((before, before.area(then)?)));
        let totals = older.map(|(before, area)| before.region.totals(area));
        let totals = totals.unwrap_or_default();
        if let Some(cleared) = told.columns.get_mut(area) {
            *cleared = old.columns.get(then).copied().unwrap_or_default();
            cleared.give_up(&totals.columns);
        }
        if let Some(cleared) = told.classes.get_mut(area) {
            let cleared_then = old.classes.get(then).copied().unwrap_or_default();
            *cleared = cleared_then.since(&totals.classes);
        }
        let buckets = plan.buckets();
        for bucket in 0..buckets {
            let index = |area: usize| area.saturating_mul(buckets).saturating_add(bucket);
            let counted = older.map_or(0, |(before, area)| before.region.count(area, bucket));
            let cleared_then = old.counts.get(index(then)).copied().unwrap_or(0);
            if let Some(cleared) = told.counts.get_mut(index(area)) {
                *cleared = cleared_then.wrapping_sub(counted);
            }
        }
    }
}
