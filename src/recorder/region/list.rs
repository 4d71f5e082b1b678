// SPDX-License-Identifier: GPL-2.0

//! The regions of one disk or partition as probes find them, and how probes record I/Os in them.

use super::{
    super::tracker::ProbeContext,
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
            place::AreaRef,
            Ended, //
        },
    },
    kernel_ext::percpu::ThisCpu,
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// One region, and which I/Os it counts.
#[derive(Clone)]
pub(super) struct ListMember {
    pub(super) lifetime: Lifetime,
    pub(super) region: Arc<Region>,
}

/// The regions of one disk or partition; replaced when one comes or goes, never changed.
pub(in crate::recorder) struct RegionList {
    /// What starts under it. Lists are numbered from 1.
    list_tag: ListTag,
    regions: KVec<ListMember>,
    /// The areas of the only region there is, if it has no additional output; otherwise none.
    geometry: Geometry,
    /// The same, if it has no histogram either.
    plain_geometry: Geometry,
    /// That region, or the first.
    first: Arc<Region>,
    /// Whether that only one has.
    has_histogram: bool,
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

impl RegionList {
    /// Of at least one region. May sleep; `ENOMEM`.
    pub(super) fn new(number: u32, listed: &[ListMember]) -> Result<Self> {
        let first = &listed.first().ok_or(EINVAL)?.region;
        let geometry = match listed {
            [only] if !only.region.plan.classes => only.region.plan.geometry,
            _ => Geometry::NOTHING,
        };
        let mut regions = KVec::with_capacity(listed.len(), GFP_KERNEL)?;
        regions.extend_from_slice(listed, GFP_KERNEL)?;
        let has_histogram = geometry != Geometry::NOTHING && !first.plan.bounds.is_empty();
        let plain_geometry = match has_histogram {
            true => Geometry::NOTHING,
            false => geometry,
        };
        Ok(RegionList {
            list_tag: ListTag::list(number),
            regions,
            geometry,
            plain_geometry,
            first: first.clone(),
            has_histogram,
        })
    }

    /// The areas of the only region there is, if it has neither additional output nor a histogram; otherwise none.
    #[inline(always)]
    pub(in crate::recorder) fn plain_geometry(&self) -> &Geometry {
        &self.plain_geometry
    }

    /// What starts under it.
    #[inline(always)]
    pub(in crate::recorder) fn list_tag(&self) -> ListTag {
        self.list_tag
    }

    /// An area of the first region.
    #[inline(always)]
    pub(in crate::recorder) fn place<'a>(
        &'a self,
        area: usize,
        cpu: ThisCpu<'a>,
    ) -> Option<AreaRef<'a>> {
        self.first.place(area, cpu)
    }

    /// An I/O starts, as its entry says already. The sector is as these regions number them.
    ///
    /// Most often this calls nothing, and so should keep little: hence the order.
    #[inline(always)]
    pub(in crate::recorder) fn start(
        &self,
        entry: &Entry,
        level: Level,
        sector: u64,
        sectors: u32,
        last: &Last,
        here: ProbeContext<'_>,
    ) {
        let (now, cpu) = (here.now, here.cpu);
        let kind = entry.kind();
        if !kind.has_data() {
            return self.start_slow(entry, level, self.list_tag, cpu);
        }
        let merged = last.merged(sector, sectors, kind);
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

    /// The same in any regions.
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

    /// It ends.
    #[inline(always)]
    pub(in crate::recorder) fn end(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) {
        if self.has_histogram {
            return self.end_with_histogram(entry, level, now, cpu);
        }
        if self.end_simply(entry, level, now, cpu).is_none() {
            self.end_slow(entry, level, now, cpu);
        }
    }

    /// The same in the only region, which has a histogram.
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

    /// The same for an I/O in one area only. Returns that area; [`None`], and nothing is recorded, if it does not exist.
    #[inline(always)]
    fn end_simply(&self, entry: &Entry, level: Level, now: u64, cpu: ThisCpu<'_>) -> Option<usize> {
        let list_tag = entry.pending.list_tag(level.index);
        let area = list_tag.area(self.list_tag);
        self.first.place(area, cpu)?.end(entry, list_tag, now);
        Some(area)
    }

    /// The same in any regions.
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

    /// It goes back to wait, or is gone.
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
