// SPDX-License-Identifier: GPL-2.0

//! What readers of a region have been told, and are told.
//!
//! Nothing that is counted is ever reset. To clear is to remember what is no longer told; and what was
//! counted before a region was resized is added to what it counts since.

use super::{
    memory::Charge,
    resize::Before,
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
    /// How often all was cleared.
    pub(super) clears: u32,
    /// How often its line in the list of regions became another.
    pub(super) changes: u32,
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
            clears: 0,
            changes: 0,
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

    /// What is to be told of an area.
    pub(super) fn tell(&self, told: &Told, area: usize) -> Totals {
        let mut totals = self.totals_with(told, area);
        let cleared = told.columns.get(area).copied().unwrap_or_default();
        totals.columns = totals.columns.since(&cleared);
        let cleared = told.classes.get(area).copied().unwrap_or_default();
        totals.classes = totals.classes.since(&cleared);
        totals
    }

    /// What is to be told of a bucket of an area.
    pub(super) fn tell_count(&self, told: &Told, area: usize, bucket: usize) -> u64 {
        let index = area
            .saturating_mul(self.plan.buckets())
            .saturating_add(bucket);
        let cleared = told.counts.get(index).copied().unwrap_or(0);
        self.count_with(told, area, bucket).wrapping_sub(cleared)
    }

    /// What is to be told of the region as a whole.
    pub(super) fn tell_whole(&self, told: &Told) -> Totals {
        let mut totals = self.whole_with(told);
        totals.columns = totals.columns.since(&told.total.0);
        totals.classes = totals.classes.since(&told.total.1);
        totals
    }

    /// `@stats_clear`. May sleep; `ENOMEM`.
    pub(super) fn clear(&self) -> Result<Done> {
        let mut told = self.told.lock();
        if told.is_replaced {
            return Ok(Done::NotHere);
        }
        told.reserve(&self.plan)?;
        told.clears = told.clears.wrapping_add(1);
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
        told.changes = told.changes.wrapping_add(1);
        Done::Yes
    }

    /// What is told of it does not change while this is held. May sleep.
    pub(super) fn lock(&self) -> Guard<'_, Told, MutexBackend> {
        self.told.lock()
    }
}
