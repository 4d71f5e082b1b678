// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition as probes find them, and what probes tell them.

use super::Region;
use crate::{
    acct::{
        entry::Entry,
        region::{
            list::{
                Last,
                Lifetime, //
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
    pub(super) number: u32,
    pub(super) regions: KVec<Listed>,
    /// Where the latest I/O ended.
    pub(super) last: Arc<PerCpu<Last>>,
    pub(super) pending: Arc<PendingTable>,
}

impl List {
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
        io: &Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let merged = self.last.this_cpu(cpu).merged(io);
        let cpu = cpu.number();
        let mut area = None;
        for (index, listed) in self.regions.iter().enumerate() {
            if !listed.lifetime.covers(self.number) {
                continue;
            }
            if let Some(region) = listed.region.on(cpu) {
                let at = region.area_of(io);
                if index == 0 {
                    area = at;
                }
                region.start(at, io, now);
            }
        }
        let under = Under {
            list: self.number,
            merged,
            area,
        };
        pending.set_under(level, under);
    }

    /// It ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(
        &self,
        pending: &Pending,
        level: usize,
        io: &Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let under = pending.under(level);
        let ended = Ended {
            duration_ns: now.wrapping_sub(pending.start_ns()),
            merged: under.merged,
        };
        let cpu = cpu.number();
        for (index, listed) in self.regions.iter().enumerate() {
            if !listed.lifetime.covers(under.list) {
                continue;
            }
            if let Some(region) = listed.region.on(cpu) {
                let same = index == 0 && under.list == self.number;
                let at = if same { under.area } else { region.area_of(io) };
                region.end(at, io, &ended, now);
            }
        }
    }

    /// It goes back to wait, or is gone.
    pub(in crate::recorder) fn give_back(
        &self,
        pending: &Pending,
        level: usize,
        io: &Io,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let under = pending.under(level);
        let covers = |listed: &&Listed| listed.lifetime.covers(under.list);
        for listed in self.regions.iter().filter(covers) {
            if let Some(region) = listed.region.on(cpu.number()) {
                region.give_back(io, now);
            }
        }
    }
}
