// SPDX-License-Identifier: GPL-2.0

//! What readers of a region have been told, and are told.
//!
//! Nothing that is counted is ever reset. To clear is to remember what is no longer told; and what was
//! counted before a region was resized is added to what it counts since.

use super::{
    copy,
    memory::Charge,
    resize::Before,
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
    sync::lock::{
        mutex::MutexBackend,
        Guard, //
    },
};

/// What a region remembers for its readers.
pub(super) struct Told {
    pub(super) aux: KVVec<u8>,
    /// What is no longer told of each area; empty until somebody clears.
    pub(super) columns: KVVec<Columns>,
    pub(super) classes: KVVec<Classes>,
    pub(super) counts: KVVec<u64>,
    pub(super) total: (Columns, Classes),
    pub(super) before: Option<Before>,
    pub(super) charge: Option<Charge>,
    /// Another region has all this, and goes on.
    pub(super) is_replaced: bool,
}

/// Whether something was done.
pub(super) enum Done {
    Yes,
    /// Not of this region: it has been resized.
    NotHere,
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
            is_replaced: false,
        }
    }

    /// Its region has been resized: all this is told by another, and what was before it by nobody.
    pub(super) fn replaced(&mut self) -> Told {
        let mut nothing = Told::new(KVVec::new());
        nothing.is_replaced = true;
        core::mem::replace(self, nothing)
    }

    /// Makes room to remember what is no longer told. May sleep; `ENOMEM`.
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

/// What one print told of some areas, until all of it has been told.
#[derive(Default)]
struct Printing {
    columns: KVVec<Columns>,
    classes: KVVec<Classes>,
    counts: KVVec<u64>,
    total: Option<(Columns, Classes)>,
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

    /// What is to be told of an area, with its counts of all times at the end of `counts`, which has room
    /// for them.
    fn tell(&self, told: &Told, area: usize, counts: &mut KVVec<u64>) -> Result<(Totals, Totals)> {
        let totals = self.totals_with(told, area);
        let mut shown = totals;
        let cleared = told.columns.get(area).copied().unwrap_or_default();
        shown.columns = totals.columns.since(&cleared);
        let cleared = told.classes.get(area).copied().unwrap_or_default();
        shown.classes = totals.classes.since(&cleared);
        let buckets = self.plan.buckets();
        for bucket in 0..buckets {
            let index = area.saturating_mul(buckets).saturating_add(bucket);
            let cleared = told.counts.get(index).copied().unwrap_or(0);
            let count = self.count_with(told, area, bucket).wrapping_sub(cleared);
            counts.push(count, GFP_KERNEL)?;
        }
        Ok((totals, shown))
    }

    /// `@stats_print` and `@stats_print_clear`. May sleep. `ENOMEM`, `EINTR`: then nothing is cleared;
    /// `EAGAIN` if it was resized when some areas had been printed.
    pub(super) fn print(&self, what: &Print, out: &mut impl Reply) -> Result<Done> {
        let plan = &self.plan;
        let (geometry, buckets) = (&plan.geometry, plan.buckets());
        // Who only reads holds nobody up while it waits for memory to write to.
        let mut held = None;
        if what.clear {
            let told = held.insert(self.told.lock());
            if told.is_replaced {
                return Ok(Done::NotHere);
            }
            told.reserve(plan)?;
        }
        let areas = what.areas(geometry.areas());
        let mut printing = Printing::default();
        for area in areas.clone() {
            task::may_be_killed()?;
            if !what.clear {
                printing.counts.clear();
            }
            let first = printing.counts.len();
            printing.counts.reserve(buckets, GFP_KERNEL)?;
            let (totals, shown) = match &held {
                Some(told) => self.tell(told, area, &mut printing.counts)?,
                None => {
                    let told = self.told.lock();
                    match (told.is_replaced, area == areas.start) {
                        (false, _) => self.tell(&told, area, &mut printing.counts)?,
                        (true, true) => return Ok(Done::NotHere),
                        (true, false) => return Err(EAGAIN),
                    }
                }
            };
            let counts = printing.counts.get(first..).unwrap_or(&[]);
            let printed = self.printed(&shown);
            region_text::area(out, geometry, area, &printed, counts.iter().copied())
                .map_err(|_| ENOMEM)?;
            if what.clear {
                printing.columns.push(shown.columns, GFP_KERNEL)?;
                if plan.classes {
                    printing.classes.push(totals.classes, GFP_KERNEL)?;
                }
            }
        }
        if plan.classes && what.is_whole() {
            let (totals, shown) = match &held {
                Some(told) => self.tell_whole(told),
                None => {
                    let told = self.told.lock();
                    if told.is_replaced {
                        return Err(EAGAIN);
                    }
                    self.tell_whole(&told)
                }
            };
            region_text::total(out, geometry, &self.printed(&shown)).map_err(|_| ENOMEM)?;
            printing.total = Some((shown.columns, totals.classes));
        }
        if let Some(mut told) = held {
            self.clear_printed(&mut told, areas.start, &printing);
        }
        Ok(Done::Yes)
    }

    fn tell_whole(&self, told: &Told) -> (Totals, Totals) {
        let totals = self.whole_with(told);
        let mut shown = totals;
        shown.columns = totals.columns.since(&told.total.0);
        shown.classes = totals.classes.since(&told.total.1);
        (totals, shown)
    }

    fn printed<'a>(&self, shown: &'a Totals) -> Printed<'a> {
        Printed {
            columns: &shown.columns,
            in_flight: shown.in_flight,
            classes: self.plan.classes.then_some(&shown.classes),
            unit: self.plan.unit,
        }
    }

    fn clear_printed(&self, told: &mut Told, first: usize, printing: &Printing) {
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
        if let Some((columns, classes)) = printing.total {
            told.total.0.clear_printed(&columns, unit);
            told.total.1 = classes;
        }
    }

    /// `@stats_clear`. May sleep; `ENOMEM`.
    pub(super) fn clear(&self) -> Result<Done> {
        let mut told = self.told.lock();
        if told.is_replaced {
            return Ok(Done::NotHere);
        }
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
        Ok(Done::Yes)
    }

    /// `@stats_set_aux`. May sleep.
    pub(super) fn set_aux(&self, aux: &mut KVVec<u8>) -> Done {
        let mut told = self.told.lock();
        if told.is_replaced {
            return Done::NotHere;
        }
        core::mem::swap(&mut told.aux, aux);
        Done::Yes
    }

    /// What is told of it does not change while this is held. May sleep.
    pub(super) fn lock(&self) -> Guard<'_, Told, MutexBackend> {
        self.told.lock()
    }

    /// Its line of `@stats_list`. May sleep; `ENOMEM`.
    pub(super) fn list(&self, out: &mut impl Reply) -> Result {
        let aux = copy(&self.told.lock().aux)?;
        let listed = Listed {
            id: self.plan.id,
            geometry: &self.plan.geometry,
            program: &self.plan.program,
            aux: &aux,
            unit: self.plan.unit,
            bounds: &self.plan.bounds,
            classes: self.plan.classes,
        };
        region_text::listed(out, &listed).map_err(|_| ENOMEM)
    }
}
