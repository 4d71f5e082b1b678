// SPDX-License-Identifier: GPL-2.0

//! An event on the fast path of an I/O of a whole disk that has regions.
//!
//! Most disks that have regions have one region, and most I/Os are in a single area of it. The [`OnlyRegion`] of the
//! CPU and the areas are all that such an I/O needs. An issue writes the area to the entry. Any other I/O is taken to
//! the general path. So is an I/O that ends after the regions have changed: its [`ListTag`] does not match the region.
//!
//! Reads and writes have separate code, so that the direction is tested once.

use super::{
    slow_regions::{
        end_in_regions,
        start_in_regions, //
    },
    Entry,
    Extra,
    FastRequest,
    Lengths,
    ListTag,
    QueueMove,
    RegionPart,
    Section, //
};
use crate::{
    acct::{
        record::Writing,
        region::{
            list::StartSector,
            only::AreaOffset,
            pending::{
                MERGED,
                WRITE, //
            },
            Ended, //
        },
    },
    hint::{
        keep_apart,
        opaque, //
    },
};

/// The issue of an I/O that was recorded in the disk.
///
/// The order of the arguments is that of the registers in which its callers have most of them.
#[inline(never)]
fn issue_of<'a, const IS_WRITE: bool, S: Section<'a>, R: FastRequest>(
    entry: &'a Entry,
    rq: R,
    sector: u64,
    part: S::RegionPart,
    section: S,
) {
    let region = part.region();
    let begin = StartSector::new(sector, IS_WRITE).again();
    let sectors = opaque(u64::from(rq.bytes() >> 9));
    // Stored first, as the multiplication below overwrites the register of the sector.
    entry.pending.set_begin(begin);
    let Some(at) = region.find(sector, sectors) else {
        return issue_slow(section, entry, part);
    };
    entry.pending.set_sectors(sectors);
    let mut list_tag = region.list_tag();
    let (last, end) = (part.last(), begin.after(sectors));
    if last.is(begin) {
        list_tag = list_tag.with(MERGED);
        keep_apart();
    }
    last.set(end);
    if IS_WRITE {
        list_tag = list_tag.with(WRITE);
    }
    entry.pending.set_list_tag(0, list_tag.at(at));
    part.area(at).start_data::<IS_WRITE>(section.now());
    section.leave();
}

/// See [`issue_of`].
#[inline(always)]
pub(super) fn issue<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    part: S::RegionPart,
    rq: impl FastRequest,
) {
    if rq.is_write() {
        issue_of::<true, _, _>(entry, rq, rq.sector(), part, section);
    } else {
        issue_of::<false, _, _>(entry, rq, rq.sector(), part, section);
    }
}

/// The issue of an I/O whose edges were not recorded, in an account with extras.
#[inline(never)]
pub(super) fn issue_and_edges<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let now = section.now();
    before.edges(QueueMove::WaitqToRunq, |line, edge| {
        record.note(line, edge, now)
    });
    drop(record);
    if !before.has(Extra::Regions) {
        return section.leave();
    }
    let rq = section.request(entry.key.in_flight());
    let part = section.region(place);
    issue(section, entry, part, rq);
}

/// The issue of an I/O that is not in a single area of the only region.
#[cold]
#[inline(never)]
fn issue_slow<'a, S: Section<'a>>(section: S, entry: &'a Entry, part: S::RegionPart) {
    let rq = section.request(entry.key.in_flight());
    let (sector, sectors) = (rq.sector(), rq.bytes() >> 9);
    if !part.region().is_beside(sector, sectors) {
        let root = section.root(section.place(entry));
        return start_in_regions(section, root, entry);
    }
    let begin = StartSector::new(sector, rq.is_write());
    part.last().merged_from(begin, sectors);
    entry.pending.set_list_tag(0, ListTag::NONE);
    section.leave();
}

/// The end of an I/O that was recorded in the disk. Its entry is released.
#[inline(always)]
pub(super) fn complete<'a, S: Section<'a>>(section: S, entry: &'a Entry, part: S::RegionPart) {
    let list_tag = entry.pending.list_tag(0);
    if let Some(at) = part.region().area_of(list_tag, 0) {
        end::<false, false, S>(&section, entry, part, at);
        keep_apart();
    } else if let Some(at) = part.region().area_of(list_tag, WRITE) {
        end::<true, false, S>(&section, entry, part, at);
        keep_apart();
    } else {
        return complete_slow(section, entry, part);
    }
    section.leave_ended(entry);
}

#[inline(always)]
fn end<'a, const IS_WRITE: bool, const IS_MERGED: bool, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    part: S::RegionPart,
    at: AreaOffset,
) {
    let now = section.now();
    let ended = Ended {
        duration_ns: now.wrapping_sub(entry.service_ns.own()),
        merged: IS_MERGED,
    };
    let sectors = entry.pending.sectors();
    part.area(at).end_data::<IS_WRITE>(sectors, &ended, now);
}

/// The end of an I/O whose edges were not recorded, in an account with extras.
#[inline(never)]
pub(super) fn complete_and_edges<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let now = section.now();
    before.edges(QueueMove::RunqExit, |line, edge| {
        record.note(line, edge, now)
    });
    drop(record);
    if before.has(Extra::Regions) {
        let part = section.region(place);
        return complete(section, entry, part);
    }
    section.leave_ended(entry);
}

/// The end of an I/O that is merged, or not in an area of the only region.
#[inline(never)]
fn complete_slow<'a, S: Section<'a>>(section: S, entry: &'a Entry, part: S::RegionPart) {
    let list_tag = entry.pending.list_tag(0);
    if let Some(at) = part.region().area_of(list_tag, MERGED) {
        end::<false, true, S>(&section, entry, part, at);
        section.ended(entry);
    } else if let Some(at) = part.region().area_of(list_tag, MERGED | WRITE) {
        end::<true, true, S>(&section, entry, part, at);
        section.ended(entry);
    } else {
        section.ended(entry);
        let root = section.root(section.place(entry));
        end_in_regions(&section, root, entry);
        entry.end_observation();
    }
    entry.key.release_in_flight();
    section.leave();
}
