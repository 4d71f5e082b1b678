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
            pending::Under,
            Ended,
            Io, //
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

/// An I/O in one account.
#[derive(Clone, Copy)]
pub(in crate::recorder) struct Seen<'a> {
    pub(in crate::recorder) entry: &'a Entry,
    /// Which of its accounts.
    pub(in crate::recorder) level: usize,
    /// Where that begins on the whole disk.
    pub(in crate::recorder) first: u64,
}

impl Seen<'_> {
    #[inline(always)]
    fn io(&self) -> Io {
        self.entry.io(self.first)
    }

    #[inline(always)]
    fn under(&self) -> Under {
        self.entry.pending.under(self.level)
    }

    #[inline(always)]
    fn set_under(&self, under: Under) {
        self.entry.pending.set_under(self.level, under);
    }
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

    /// An I/O starts at `now`: its entry says so already.
    #[inline(always)]
    pub(in crate::recorder) fn start(&self, seen: Seen<'_>, now: u64, cpu: ThisCpu<'_>) {
        let io = seen.io();
        let merged = self.last.this_cpu(cpu).merged(&io);
        if let Some(only) = &self.only {
            if let Some(area) = only.simply_on(cpu).start(&io, now) {
                return seen.set_under(self.under.with(Some(area), merged));
            }
        }
        self.start_further(seen, merged, now, cpu);
    }

    /// The same in any regions.
    #[cold]
    #[inline(never)]
    fn start_further(&self, seen: Seen<'_>, merged: bool, now: u64, cpu: ThisCpu<'_>) {
        let io = seen.io();
        let covers = |listed: &&Listed| listed.lifetime.covers(self.under.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.start(region.area_of(&io), &io, now);
        }
        seen.set_under(self.under.with(None, merged));
    }

    /// It ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(&self, seen: Seen<'_>, now: u64, cpu: ThisCpu<'_>) {
        if let Some(only) = &self.only {
            let under = seen.under();
            let ended = Ended {
                duration_ns: now.wrapping_sub(seen.entry.pending.start_ns()),
                merged: under.merged(),
            };
            let area = under.area(self.under);
            if only.simply_on(cpu).end(area, &seen.io(), &ended, now) {
                if !only.plan.bounds.is_empty() {
                    only.count_time(area, ended.duration_ns, cpu);
                }
                return;
            }
        }
        self.end_further(seen, now, cpu);
    }

    /// The same in any regions.
    #[cold]
    #[inline(never)]
    fn end_further(&self, seen: Seen<'_>, now: u64, cpu: ThisCpu<'_>) {
        let (io, under) = (seen.io(), seen.under());
        let ended = Ended {
            duration_ns: now.wrapping_sub(seen.entry.pending.start_ns()),
            merged: under.merged(),
        };
        let covers = |listed: &&Listed| listed.lifetime.covers(under.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.end(region.area_of(&io), &io, &ended, now);
        }
    }

    /// It goes back to wait, or is gone.
    pub(in crate::recorder) fn give_back(&self, seen: Seen<'_>, now: u64, cpu: ThisCpu<'_>) {
        let (io, under) = (seen.io(), seen.under());
        let covers = |listed: &&Listed| listed.lifetime.covers(under.number());
        for listed in self.regions.iter().filter(covers) {
            listed.region.on(cpu).give_back(&io, now);
        }
    }
}
