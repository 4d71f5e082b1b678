// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition as probes find them, and what probes tell them.

use super::Region;
use crate::{
    acct::{
        entry::Entry,
        region::{
            list::{
                Lifetime,
                Local, //
            },
            pending::{
                Pending,
                Under, //
            },
            Ended,
            Io, //
        },
    },
    kernel_ext::{
        percpu::{
            PerCpu,
            ThisCpu, //
        },
        zeroed::zeroed_vec, //
    },
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};

/// What regions have to know of each I/O in flight, by the number of its entry. Made with the first
/// region there is.
pub(in crate::recorder) struct PendingTable {
    /// Address of the first entry.
    first: usize,
    table: KVVec<Pending>,
}

impl PendingTable {
    /// For these entries, which outlive it. May sleep; `ENOMEM`.
    pub(in crate::recorder) fn new(entries: &[Entry]) -> Result<Arc<Self>> {
        let table = PendingTable {
            first: entries.as_ptr() as usize,
            table: zeroed_vec(entries.len())?,
        };
        Ok(Arc::new(table, GFP_KERNEL)?)
    }

    #[inline(always)]
    pub(in crate::recorder) fn of(&self, entry: &Entry) -> Option<&Pending> {
        let offset = (core::ptr::from_ref(entry) as usize).wrapping_sub(self.first);
        self.table.get(offset / core::mem::size_of::<Entry>())
    }
}

/// One region, and which I/Os it counts.
#[derive(Clone)]
pub(super) struct Listed {
    pub(super) lifetime: Lifetime,
    pub(super) region: Arc<Region>,
}

/// The regions of one disk or partition; replaced when one comes or goes, never changed.
pub(in crate::recorder) struct List {
    /// Lists are numbered from 1.
    number: u32,
    regions: KVec<Listed>,
    /// The only one there is, if it is simple.
    only: Option<Arc<Region>>,
    local: Arc<PerCpu<Local>>,
    pending: Arc<PendingTable>,
}

impl List {
    /// May sleep; `ENOMEM`.
    pub(super) fn new(
        number: u32,
        listed: &[Listed],
        local: Arc<PerCpu<Local>>,
        pending: Arc<PendingTable>,
    ) -> Result<Self> {
        let only = match listed {
            [only] if !only.region.plan.classes => Some(only.region.clone()),
            _ => None,
        };
        let mut regions = KVec::with_capacity(listed.len(), GFP_KERNEL)?;
        regions.extend_from_slice(listed, GFP_KERNEL)?;
        Ok(List {
            number,
            regions,
            only,
            local,
            pending,
        })
    }

    #[inline(always)]
    pub(in crate::recorder) fn pending(&self, entry: &Entry) -> Option<&Pending> {
        self.pending.of(entry)
    }

    /// An I/O starts, with its first sector as these regions number them.
    #[inline(always)]
    pub(in crate::recorder) fn start(
        &self,
        pending: &Pending,
        level: usize,
        io: Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let local = self.local.this_cpu(cpu);
        let merged = local.last.merged(&io);
        // CAST: Small numbers.
        let cpu = local.cpu.get() as usize;
        let simple = self.only.as_ref().and_then(|only| only.simply_on(cpu));
        let area = match simple.and_then(|only| only.start(&io, now)) {
            None => self.start_further(io, now, cpu),
            area => area,
        };
        let under = Under {
            list: self.number,
            merged,
            area,
        };
        pending.set_under(level, under);
    }

    /// The same in any regions. Tells the first one's area.
    #[cold]
    #[inline(never)]
    fn start_further(&self, io: Io, now: u64, cpu: usize) -> Option<usize> {
        let mut area = None;
        for (index, listed) in self.regions.iter().enumerate() {
            if !listed.lifetime.covers(self.number) {
                continue;
            }
            if let Some(region) = listed.region.on(cpu) {
                let at = region.area_of(&io);
                if index == 0 {
                    area = at;
                }
                region.start(at, &io, now);
            }
        }
        area
    }

    /// It ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(
        &self,
        pending: &Pending,
        level: usize,
        io: Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let under = pending.under(level);
        let ended = Ended {
            duration_ns: now.wrapping_sub(pending.start_ns()),
            merged: under.merged,
        };
        // CAST: Small numbers.
        let cpu = self.local.this_cpu(cpu).cpu.get() as usize;
        if let (Some(only), Some(area)) = (&self.only, under.area) {
            if under.list == self.number {
                if let Some(region) = only.simply_on(cpu) {
                    region.end(area, &io, &ended, now);
                    if !only.plan.bounds.is_empty() {
                        only.count_time(cpu, area, ended.duration_ns);
                    }
                    return;
                }
            }
        }
        self.end_further(under, io, &ended, now, cpu);
    }

    /// The same in any regions.
    #[cold]
    #[inline(never)]
    fn end_further(&self, under: Under, io: Io, ended: &Ended, now: u64, cpu: usize) {
        for (index, listed) in self.regions.iter().enumerate() {
            if !listed.lifetime.covers(under.list) {
                continue;
            }
            if let Some(region) = listed.region.on(cpu) {
                let same = index == 0 && under.list == self.number;
                let at = if same {
                    under.area
                } else {
                    region.area_of(&io)
                };
                region.end(at, &io, ended, now);
            }
        }
    }

    /// It goes back to wait, or is gone.
    pub(in crate::recorder) fn give_back(
        &self,
        pending: &Pending,
        level: usize,
        io: Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let under = pending.under(level);
        // CAST: Small numbers.
        let cpu = self.local.this_cpu(cpu).cpu.get() as usize;
        let covers = |listed: &&Listed| listed.lifetime.covers(under.list);
        for listed in self.regions.iter().filter(covers) {
            if let Some(region) = listed.region.on(cpu) {
                region.give_back(&io, now);
            }
        }
    }
}
