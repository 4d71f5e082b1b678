// SPDX-License-Identifier: GPL-2.0

//! What else an event on the fast path has to do if its account has an [`Extra`].

use super::{
    absent,
    Entry,
    Extra,
    Fresh,
    Lengths,
    Request,
    Section,
    Step, //
};
use crate::{
    acct::{
        busy::Root,
        record::Writing, //
    },
    below::Bit, //
};

/// The start of an I/O of a partition, which was recorded there but for the edges.
#[inline(never)]
pub(super) fn start<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    const STEP: Step = Step::WaitqEnter;
    let now = section.now();
    if before == Lengths::IDLE.with(Extra::Disk) {
        record.waitq_busy.rise(now);
    } else if before.has(Extra::Absent) {
        drop(record);
        return absent::start(section, entry, place);
    } else {
        before.edges(STEP, |line, edge| record.note(line, edge, now));
    }
    drop(record);
    let partition = section.root(place);
    let place = section.place_of_disk(partition);
    let record = section.record(place).write();
    record.devstat.start_transaction();
    record.waitq.enter(now);
    let root = section.root(place);
    let before = root.gauge.take(STEP);
    if before.without(Extra::Regions) == Lengths::IDLE {
        record.waitq_busy.rise(now);
    } else if before.has(Extra::Absent) {
        absent::of_disk(&section, entry, partition, place, STEP);
    } else if before.wait() == 0 {
        record.waitq_busy.rise(now);
        record.both_busy.rise(now);
        // It is the disk's root where queues meet.
        if !root.stays(entry.leaf()) {
            entry.memory.forget();
        }
    }
    drop(record);
    section.leave();
}

/// The issue of an I/O in an account with extras, which was recorded there but for the edges.
#[inline(never)]
pub(super) fn issue<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    const STEP: Step = Step::WaitqToRunq;
    let now = section.now();
    if before.has(Extra::Absent) {
        drop(record);
        return absent::issue(section, entry, place);
    }
    before.edges(STEP, |line, edge| record.note(line, edge, now));
    drop(record);
    let root = section.root(place);
    let mut has_regions = before.has(Extra::Regions);
    if before.has(Extra::Disk) {
        let place = section.place_of_disk(root);
        let record = section.record(place).write();
        record.waitq.exit(now);
        record.runq.enter(now);
        let before = section.root(place).gauge.take(STEP);
        if before.has(Extra::Absent) {
            drop(record);
            has_regions |= absent::of_disk(&section, entry, root, place, STEP);
        } else {
            before.edges(STEP, |line, edge| record.note(line, edge, now));
            drop(record);
            has_regions |= before.has(Extra::Regions);
        }
    }
    if !has_regions {
        return section.leave();
    }
    start_in_regions(section, root, entry);
}

#[cold]
#[inline(never)]
pub(super) fn start_in_regions<'a, S: Section<'a>>(section: S, root: &'a Root, entry: &'a Entry) {
    let rq = section.request(entry.key.in_flight());
    let (class, sector) = (rq.class(), rq.sector());
    entry.generalize(rq.key(), || Fresh { class, sector });
    section.start_in_regions(root, entry, sector, rq.bytes());
}

/// The end of an I/O of a partition, which was recorded there but for the edges. Its entry is released.
#[inline(never)]
pub(super) fn complete<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    const STEP: Step = Step::RunqExit;
    let now = section.now();
    if before == Lengths::ONE_RUNS.with(Extra::Disk) {
        record.runq_busy.fall(now);
    } else if before.has(Extra::Absent) {
        drop(record);
        return absent::complete(section, entry, place);
    } else {
        before.edges(STEP, |line, edge| record.note(line, edge, now));
    }
    drop(record);
    let root = section.root(place);
    let rq = section.request(entry.key.in_flight());
    let (is_write, bytes) = (Bit::of(rq.is_write()), u64::from(rq.bytes()));
    let place = section.place_of_disk(root);
    let record = section.record(place).write();
    record.devstat.end_bytes(is_write, bytes);
    record.runq.exit(now);
    let total_ns = now.wrapping_sub(entry.start_ns.own());
    let service_ns = now.wrapping_sub(entry.service_ns.own());
    record.devstat.end_but_bytes(is_write, total_ns);
    record.record_data_times(is_write, total_ns, service_ns);
    let before = section.root(place).gauge.take(STEP);
    if before.has(Extra::Absent) {
        absent::of_disk(&section, entry, root, place, STEP);
    } else {
        before.edges(STEP, |line, edge| record.note(line, edge, now));
    }
    drop(record);
    entry.key.release_in_flight();
    section.leave();
}
