// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition as probes find them, and how probes record I/Os in them.

use super::{
    super::context::ProbeContext,
    Region, //
};
use crate::{
    acct::{
        entry::Entry,
        region::{
            geometry::Geometry,
            list::{
                Last,
                Lifetime, //
            },
            pending::ListTag,
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

/// A region, and which I/Os it counts.
#[derive(Clone)]
pub(super) struct ListMember {
    pub(super) lifetime: Lifetime,
    pub(super) region: Arc<Region>,
}

/// The regions of one disk or partition. A list is never changed: it is replaced when a region is created or deleted.
pub(in crate::recorder) struct RegionList {
    /// The tag of I/Os that start while this is the list. Lists are numbered from 1.
    list_tag: ListTag,
    regions: KVec<ListMember>,
    /// Where the latest I/O of each CPU ended.
    last: Arc<PerCpu<Last>>,
    /// The areas of the only region, if it does not have the option `classes`; otherwise no areas.
    geometry: Geometry,
    /// The first region.
    first: Arc<Region>,
    /// Whether the only region has a histogram.
    has_histogram: bool,
}

/// The account of an I/O whose regions these are.
#[derive(Clone, Copy)]
pub(in crate::recorder) struct Level {
    /// 0: the account in which it is recorded; 1: the account of the disk of that partition.
    pub(in crate::recorder) index: usize,
    /// The first sector of the account on the whole disk.
    pub(in crate::recorder) start_sector: u64,
}

impl Level {
    /// The level of an I/O to a whole disk.
    pub(in crate::recorder) const DISK: Level = Level {
        index: 0,
        start_sector: 0,
    };
}

impl RegionList {
    /// Creates a list of at least one region; `last` is where the latest I/O of each CPU ended. May sleep; `ENOMEM`.
    pub(super) fn new(number: u32, listed: &[ListMember], last: Arc<PerCpu<Last>>) -> Result<Self> {
        let first = &listed.first().ok_or(EINVAL)?.region;
        let geometry = match listed {
            [only] if !only.region.plan.classes => only.region.plan.geometry,
            _ => Geometry::NOTHING,
        };
        let mut regions = KVec::with_capacity(listed.len(), GFP_KERNEL)?;
        regions.extend_from_slice(listed, GFP_KERNEL)?;
        let has_histogram = geometry != Geometry::NOTHING && !first.plan.bounds.is_empty();
        Ok(RegionList {
            list_tag: ListTag::list(number),
            regions,
            last,
            geometry,
            first: first.clone(),
            has_histogram,
        })
    }

    /// An I/O starts; its entry has its description. The sector is relative to the account of these regions.
    ///
    /// The order of the steps is chosen so that the common case makes no call out of line and saves
    /// few registers.
    #[inline(always)]
    pub(in crate::recorder) fn start(
        &self,
        entry: &Entry,
        level: Level,
        sector: u64,
        sectors: u32,
        here: ProbeContext<'_>,
    ) {
        let (now, cpu) = (here.now, here.cpu);
        let kind = entry.kind();
        if !kind.has_data() {
            return self.start_slow(entry, level, self.list_tag, cpu);
        }
        let merged = self.last.this_cpu(cpu).merged(sector, sectors, kind);
        let list_tag = self.list_tag.merged_or_not(merged);
        if let Some(area) = self.geometry.only_area(sector, sectors) {
            entry
                .pending
                .set_list_tag(level.index, list_tag.in_area(area));
            if let Some(place) = self.first.place(area, cpu) {
                return place.start(kind, now);
            }
        }
        self.start_slow(entry, level, list_tag, cpu);
    }

    /// An I/O starts, with any number and kind of regions.
    #[cold]
    #[inline(never)]
    fn start_slow(&self, entry: &Entry, level: Level, list_tag: ListTag, cpu: ThisCpu<'_>) {
        entry
            .pending
            .set_list_tag(level.index, list_tag.in_no_one_area());
        let io = entry.io(level.start_sector);
        let covers = |listed: &&ListMember| listed.lifetime.covers(self.list_tag.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.start(region.area_of(&io), &io, entry.pending.start_ns());
        }
    }

    /// An I/O ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        if self.has_histogram {
            return self.end_with_histogram(entry, level, now, cpu);
        }
        if self.end_simply(entry, level, now, cpu).is_none() {
            self.end_slow(entry, level, now, cpu);
        }
    }

    /// An I/O ends in the only region, which has a histogram.
    #[inline(never)]
    fn end_with_histogram(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        match self.end_simply(entry, level, now, cpu) {
            Some(area) => {
                let duration_ns = now.wrapping_sub(entry.pending.start_ns());
                self.first.count_time(area, duration_ns, cpu);
            }
            None => self.end_slow(entry, level, now, cpu),
        }
    }

    /// An I/O ends that is in one area only. Returns the area; [`None`], and nothing is recorded, if it does not exist.
    #[inline(always)]
    fn end_simply(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) -> Option<usize> {
        let list_tag = entry.pending.list_tag(level.index);
        let area = list_tag.area(self.list_tag);
        // After a resize, the first region of the list is the old one. I/Os of the new region that the fast path
        // recorded have the number of this list as well.
        if area >= self.geometry.areas() {
            return None;
        }
        self.first.place(area, cpu)?.end(entry, list_tag, now);
        Some(area)
    }

    /// An I/O ends, with any number and kind of regions.
    #[cold]
    #[inline(never)]
    fn end_slow(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        let (io, list_tag) = (
            entry.io(level.start_sector),
            entry.pending.list_tag(level.index),
        );
        let ended = Ended {
            duration_ns: now.wrapping_sub(entry.pending.start_ns()),
            merged: list_tag.merged(),
        };
        let covers = |listed: &&ListMember| listed.lifetime.covers(list_tag.number());
        for listed in self.regions.iter().filter(covers) {
            let region = listed.region.on(cpu);
            region.end(region.area_of(&io), &io, &ended, now);
        }
    }

    /// An I/O is requeued or abandoned.
    pub(in crate::recorder) fn undo_start(
        &self,
        entry: &Entry,
        level: Level,
        now: u64,
        cpu: ThisCpu<'_>,
    ) {
        let (io, list_tag) = (
            entry.io(level.start_sector),
            entry.pending.list_tag(level.index),
        );
        let covers = |listed: &&ListMember| listed.lifetime.covers(list_tag.number());
        for listed in self.regions.iter().filter(covers) {
            listed.region.on(cpu).undo_start(&io, now);
        }
    }
}
