// SPDX-License-Identifier: GPL-2.0

//! What else an event on the fast path has to do if its account has an [`Extra`].

use super::{
    partition,
    Entry,
    Extra,
    FastRequest,
    Fresh,
    Lengths,
    ListTag, //
    OnlyRegion,
    QueueMove,
    Section,
};
use crate::{
    acct::{
        busy::Root,
        record::Writing,
        region::{
            list::StartSector,
            Ended, //
        },
    },
    hint::keep_apart, //
};

/// The start of an I/O of a partition, or of a disk for whose tags tasks may wait, which was recorded there but for the
/// edges.
#[inline(always)]
pub(super) fn start<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    root: &'a Root,
    before: Lengths,
    record: Writing<'_>,
) {
    if before == Lengths::IDLE.with(Extra::Disk) {
        partition::start_in_idle(section, entry, place, root, record);
    } else if before.has(Extra::Disk) {
        partition::start_in_busy(section, entry, place, before, record);
    } else {
        start_with_tag_waits(section, entry, place, before, record);
    }
}

/// The start of an I/O in that of a whole disk for whose tags tasks may wait, which was recorded there but for the edges.
#[inline(never)]
fn start_with_tag_waits<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let now = section.now();
    before.edges(QueueMove::WaitqEnter, |line, edge| {
        record.note(line, edge, now)
    });
    let disk = section.root(place);
    if let Some(since) = section.end_tag_wait(disk) {
        // It takes the place of its submitter in the wait queue.
        record.waitq.exit(now);
        disk.gauge.step(QueueMove::WaitqExit, |line, edge| {
            record.note(line, edge, now)
        });
        entry.start_ns.set(since);
    } else if before.wait() == 0 {
        disk.gauge.remove_if_alone(Extra::TagWaits);
        if before.run() != 0 && !disk.stays(entry.hctx()) {
            entry.memory.forget();
        }
    }
    drop(record);
    section.leave();
}

/// The issue of an I/O in an account with extras, which was recorded there but for the edges.
#[inline(always)]
pub(super) fn issue<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    root: &'a Root,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Disk) {
        partition::issue(section, entry, place, root, before, record);
    } else {
        issue_in_disk(section, entry, place, before, record);
    }
}

/// Issues a request in the account of a whole disk that has regions, or for whose tags tasks may wait.
#[inline(never)]
fn issue_in_disk<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    const STEP: QueueMove = QueueMove::WaitqToRunq;
    let now = section.now();
    if before == Lengths::ONE_WAITS.with(Extra::Regions) {
        record.waitq_busy.fall(now);
        record.runq_busy.rise(now);
        keep_apart();
    } else {
        before.edges(STEP, |line, edge| record.note(line, edge, now));
        if !before.has(Extra::Regions) {
            drop(record);
            return section.leave();
        }
    }
    drop(record);
    let root = section.root(place);
    let Some(region) = section.only_region(root) else {
        return issue_slow(section, root, entry);
    };
    let rq = section.request(entry.key.in_flight());
    let (sector, sectors) = (rq.sector(), rq.bytes() >> 9);
    let Some(area) = region.geometry().only_area(sector, sectors) else {
        return issue_slow(section, root, entry);
    };
    let begin = StartSector::new(sector, rq.is_write());
    let merged = region.last().merged_from(begin, sectors);
    let list_tag = region.list_tag().merged_or_not(merged).in_area(area);
    entry.pending.start_on_fast_path(begin, sectors, list_tag);
    match region.place(area) {
        Some(place) => place.start_data(begin.is_write(), now),
        // There is one for each area.
        None => entry.pending.set_list_tag(0, ListTag::NONE),
    }
    section.leave();
}

/// Issues a request that is not in a single area of the only region.
#[cold]
#[inline(never)]
fn issue_slow<'a, S: Section<'a>>(section: S, root: &'a Root, entry: &'a Entry) {
    let rq = section.request(entry.key.in_flight());
    let (sector, sectors) = (rq.sector(), rq.bytes() >> 9);
    match section.only_region(root) {
        Some(region) if region.geometry().is_beside(sector, sectors) => {
            let begin = StartSector::new(sector, rq.is_write());
            region.last().merged_from(begin, sectors);
            entry.pending.set_list_tag(0, ListTag::NONE);
            section.leave();
        }
        _ => start_in_regions(section, root, entry),
    }
}

#[cold]
#[inline(never)]
pub(super) fn start_in_regions<'a, S: Section<'a>>(section: S, root: &'a Root, entry: &'a Entry) {
    let rq = section.request(entry.key.in_flight());
    let (class, sector) = (rq.class(), rq.sector());
    entry.generalize(rq.key(), || Fresh { class, sector });
    section.start_in_regions(root, entry, sector, rq.bytes());
}

/// The end of an I/O in an account with extras, which was recorded there but for the edges. Its entry is released.
#[inline(always)]
pub(super) fn complete<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    root: &'a Root,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Disk) {
        partition::complete(section, entry, place, root, before, record);
    } else {
        complete_in_disk(section, entry, place, before, record);
    }
}

/// Completes a request in the account of a whole disk that has regions, or for whose tags tasks may wait.
#[inline(never)]
fn complete_in_disk<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let now = section.now();
    if before == Lengths::ONE_RUNS.with(Extra::Regions) {
        record.runq_busy.fall(now);
        keep_apart();
    } else {
        before.edges(QueueMove::RunqExit, |line, edge| {
            record.note(line, edge, now)
        });
    }
    drop(record);
    let list_tag = entry.pending.list_tag(0);
    if list_tag != ListTag::NONE {
        let root = section.root(place);
        let region = section.only_region(root);
        let area = region.and_then(|region| region.place(list_tag.area(region.list_tag())));
        let Some(area) = area else {
            return end_in_other_regions(section, root, entry);
        };
        let ended = Ended {
            duration_ns: now.wrapping_sub(entry.service_ns.own()),
            merged: list_tag.merged(),
        };
        let is_write = entry.pending.begin_on_fast_path().is_write();
        area.end_data(is_write, entry.pending.sectors(), &ended, now);
    }
    section.ended(entry);
    entry.key.release_in_flight();
    section.leave();
}

/// Ends a request in regions whose list has changed since its issue.
#[cold]
#[inline(never)]
fn end_in_other_regions<'a, S: Section<'a>>(section: S, root: &'a Root, entry: &'a Entry) {
    section.ended(entry);
    end_in_regions(&section, root, entry);
    entry.key.release_in_flight();
    section.leave();
}

/// The end of an I/O in the regions of a whole disk, if they recorded its issue.
pub(super) fn end_in_regions<'a, S: Section<'a>>(section: &S, root: &'a Root, entry: &'a Entry) {
    if entry.pending.list_tag(0) != ListTag::NONE {
        entry.generalize(entry.key.in_flight(), || Fresh::UNKNOWN);
        section.end_in_regions(root, entry);
    }
}
