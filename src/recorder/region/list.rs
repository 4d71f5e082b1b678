// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition as probes find them, and what probes tell them.

use super::Region;
use crate::{
    acct::{
        entry::Entry,
        region::{
            flight::Direction,
            list::{
                Last,
                Lifetime, //
            },
            pending::Under,
            Ended, //
        },
    },
    kernel_ext::percpu::{
        PerCpu,
        ThisCpu, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// One region, and which I/Os it counts.
#[derive(Clone)]
pub(super) struct Listed {
    pub(super) lifetime: Lifetime,
    pub(super) region: Arc<Region>,
}

/// The regions of one disk or partition; replaced when one comes or goes, never changed.
pub(in crate::recorder) struct List {
    /// What starts under it. Lists are numbered from 1.
    under: Under,
    regions: KVec<Listed>,
    /// The only one there is, if it has no additional output.
    only: Option<Arc<Region>>,
    last: Arc<PerCpu<Last>>,
}

/// Which account of an I/O the regions are of.
#[derive(Clone, Copy)]
pub(in crate::recorder) struct Level {
    /// 0 is that which it is recorded in, 1 that one's disk.
    pub(in crate::recorder) index: usize,
    /// Where it begins on the whole disk.
    pub(in crate::recorder) start_sector: u64,
}

impl Level {
    /// That of an I/O to a whole disk.
    pub(in crate::recorder) const DISK: Level = Level {
        index: 0,
        start_sector: 0,
    };
}

impl List {
    /// May sleep; `ENOMEM`.
    pub(super) fn new(number: u32, listed: &[Listed], last: Arc<PerCpu<Last>>) -> Result<Self> {
        let only = match listed {
            [only] if !only.region.plan.classes => Some(only.region.clone()),
            _ => None,
        };
        let mut regions = KVec::with_capacity(listed.len(), GFP_KERNEL)?;
        regions.extend_from_slice(listed, GFP_KERNEL)?;
        Ok(List {
            under: Under::list(number),
            regions,
            only,
            last,
        })
    }

    /// An I/O starts at `now`, as its entry says already. The sector is as these regions number them.
    ///
    /// Most often this calls nothing, and so should keep little: hence the order.
    #[inline(always)]
    pub(in crate::recorder) fn start(
        &self,
        entry: &Entry,
        level: Level,
        sector: u64,
        sectors: u32,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let direction = Direction::of(entry.kind().class());
        let merged = self.last.this_cpu(cpu).merged(sector, sectors, direction);
        let under = self.under.with(merged);
        entry.pending.set_under(level.index, under);
        if let Some(only) = &self.only {
            if let Some(area) = only.plan.geometry.only_area(sector, sectors) {
                if let Some(place) = only.place(area, cpu) {
                    place.start(direction, now);
                    return entry.pending.set_under(level.index, under.in_area(area));
                }
            }
        }
        self.start_further(entry, level, cpu);
    }

    /// The same in any regions.
    #[cold]
    #[inline(never)]
    fn start_further(&self, entry: &Entry, level: Level, cpu: ThisCpu<'_>) {
        let io = entry.io(level.start_sector);
        let covers = |listed: &&Listed| listed.lifetime.covers(self.under.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.start(region.area_of(&io), &io, entry.pending.start_ns());
        }
    }

    /// It ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        if let Some(only) = &self.only {
            let pending = &entry.pending;
            let under = pending.under(level.index);
            let area = under.area(self.under);
            if let Some(place) = only.place(area, cpu) {
                let ended = Ended {
                    duration_ns: now.wrapping_sub(pending.start_ns()),
                    merged: under.merged(),
                };
                place.end(entry.kind(), pending.sectors().into(), &ended, now);
                if !only.plan.bounds.is_empty() {
                    only.count_time(area, ended.duration_ns, cpu);
                }
                return;
            }
        }
        self.end_further(entry, level, now, cpu);
    }

    /// The same in any regions.
    #[cold]
    #[inline(never)]
    fn end_further(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        let (io, under) = (
            entry.io(level.start_sector),
            entry.pending.under(level.index),
        );
        let ended = Ended {
            duration_ns: now.wrapping_sub(entry.pending.start_ns()),
            merged: under.merged(),
        };
        let covers = |listed: &&Listed| listed.lifetime.covers(under.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.end(region.area_of(&io), &io, &ended, now);
        }
    }

    /// It goes back to wait, or is gone.
    pub(in crate::recorder) fn give_back(
        &self,
        entry: &Entry,
        level: Level,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let (io, under) = (
            entry.io(level.start_sector),
            entry.pending.under(level.index),
        );
        let covers = |listed: &&Listed| listed.lifetime.covers(under.number());
        for listed in self.regions.iter().filter(covers) {
            listed.region.on(cpu).give_back(&io, now);
        }
    }
}
