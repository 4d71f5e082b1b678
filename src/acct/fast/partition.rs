// SPDX-License-Identifier: GPL-2.0

//! The events of I/Os of a partition on the fast path, which were recorded there but for the edges.
//!
//! They are recorded in the partition alone: see [`DiskDifference`](crate::acct::record::DiskDifference). An edge of
//! the partition is a step of its disk's gauge. If the I/O is alone in the disk, the disk has the same edge, and
//! nothing is noted of it. All other cases have functions of their own, so that the common cases need no stack.

use super::{
    absent,
    slow_regions::start_in_regions,
    Entry,
    Extra,
    Lengths,
    QueueMove,
    Section, //
};
use crate::{
    acct::{
        busy::Root,
        record::{
            RecordWrite,
            Writing, //
        },
        transition::Transition,
    },
    hint::keep_apart, //
};

/// The start of an I/O in an idle partition without regions.
#[inline(always)]
pub(super) fn start_in_idle<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    root: &'a Root,
    record: Writing<'_>,
) {
    record.waitq_busy.rise(section.now());
    let disk = section.disk(root);
    let in_disk = disk.gauge.take(QueueMove::WaitqEnter);
    if in_disk != Lengths::IDLE {
        return start_in_busy_disk(section, entry, place, in_disk, record);
    }
    keep_apart();
    drop(record);
    section.leave();
}

/// The start of an I/O in an idle partition, whose disk is not idle, or has extras.
#[inline(never)]
fn start_in_busy_disk<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    in_disk: Lengths,
    record: Writing<'_>,
) {
    note_in_disk(
        &section,
        Lengths::IDLE,
        in_disk,
        QueueMove::WaitqEnter,
        &record,
    );
    if in_disk.has(Extra::TagWaits) {
        end_tag_wait(&section, entry, section.root(place), true, &record);
    }
    drop(record);
    section.leave();
}

/// The start of an I/O in a partition that is not idle or has regions, or without a record.
#[inline(never)]
pub(super) fn start_in_busy<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let is_edge = before.wait() == 0;
    if is_edge || before.has(Extra::Absent) || disk_has(&section, place, Extra::TagWaits) {
        return start_with_edge(section, entry, place, before, record);
    }
    drop(record);
    section.leave();
}

/// The start of an I/O that may be a step of the disk, for whose tags tasks may wait; or one without a record.
#[inline(never)]
fn start_with_edge<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Absent) {
        drop(record);
        return absent::start(section, entry, place);
    }
    let partition = section.root(place);
    let disk = section.disk(partition);
    let edges = before.edges_of(QueueMove::WaitqEnter);
    record.note_in_partition(edges, &disk.gauge, section.now());
    if disk.gauge.has(Extra::TagWaits) {
        end_tag_wait(&section, entry, partition, before.wait() == 0, &record);
    }
    drop(record);
    // As in a disk: hardware queues meet at the root.
    if before.wait() == 0 && before.run() != 0 && !partition.stays(entry.hctx()) {
        entry.memory.forget();
    }
    section.leave();
}

/// An I/O has started for whose disk's tags tasks may wait. If its submitter has waited, the I/O takes its place in the
/// wait queue of the disk. `is_edge` is whether its start was a step of the disk: else the disk may not have the step yet, and
/// what waits there alone may be a task.
#[inline(never)]
fn end_tag_wait<'a, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    partition: &'a Root,
    is_edge: bool,
    record: &Writing<'_>,
) {
    let disk = section.disk(partition);
    if let Some(since) = section.end_tag_wait(disk) {
        // While the record of the partition is written: a reader that finds one of the two finds both.
        record.waited_before(section.now().wrapping_sub(since));
        section.record_own(disk, Transition::WaitqExit);
        entry.start_since(since);
    } else if is_edge {
        disk.gauge.remove_if_alone(Extra::TagWaits);
    }
}

/// The issue of an I/O that is alone in a partition without regions.
#[inline(always)]
pub(super) fn issue_alone<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    root: &'a Root,
    record: Writing<'_>,
) {
    let now = section.now();
    record.waitq_busy.fall(now);
    record.runq_busy.rise(now);
    let disk = section.disk(root);
    let in_disk = disk.gauge.take(QueueMove::WaitqToRunq);
    if in_disk != Lengths::ONE_WAITS {
        return issue_in_busy_disk::<true, S>(section, entry, place, in_disk, record);
    }
    keep_apart();
    drop(record);
    section.leave();
}

/// The issue of an I/O that is the first to run in its partition, whose disk has others, or extras. `IS_ALONE` is whether no
/// other I/O waits in the partition.
#[inline(never)]
fn issue_in_busy_disk<'a, const IS_ALONE: bool, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    in_disk: Lengths,
    record: Writing<'_>,
) {
    let step = if IS_ALONE {
        QueueMove::WaitqToRunq
    } else {
        QueueMove::RunqEnter
    };
    note_in_disk(&section, Lengths::ONE_WAITS, in_disk, step, &record);
    drop(record);
    if in_disk.has(Extra::Regions) {
        let partition = section.root(place);
        return start_in_regions(section, partition, entry);
    }
    section.leave();
}

/// The issue of an I/O in a partition that has others or regions, or without a record.
#[inline(never)]
pub(super) fn issue_in_busy<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    // Otherwise this is the first of several I/Os that were submitted together. (`issue_alone` handles an I/O that
    // waits alone.)
    if before.run() != 0 || before.has_but(Extra::Disk) {
        return issue_with_edges(section, entry, place, before, record);
    }
    let now = section.now();
    record.runq_busy.rise(now);
    record.both_busy.rise(now);
    let disk = section.disk(section.root(place));
    let in_disk = disk.gauge.take(QueueMove::RunqEnter);
    if in_disk.run() != 0 || in_disk.wait() == 0 || in_disk.has_extras() {
        return issue_in_busy_disk::<false, S>(section, entry, place, in_disk, record);
    }
    drop(record);
    section.leave();
}

/// The issue of an I/O that may be another step of the disk; or one without a record.
#[inline(never)]
fn issue_with_edges<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Absent) {
        drop(record);
        return absent::issue(section, entry, place);
    }
    let partition = section.root(place);
    let disk = section.disk(partition);
    let edges = before.edges_of(QueueMove::WaitqToRunq);
    record.note_in_partition(edges, &disk.gauge, section.now());
    drop(record);
    if before.has(Extra::Regions) || disk.gauge.has(Extra::Regions) {
        return start_in_regions(section, partition, entry);
    }
    section.leave();
}

/// The end of an I/O that is alone in a partition without regions, which had these lengths. Its entry is released.
#[inline(always)]
pub(super) fn complete_alone<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    root: &'a Root,
    before: Lengths,
    record: Writing<'_>,
) {
    record.runq_busy.fall(section.now());
    let disk = section.disk(root);
    let in_disk = disk.gauge.take(QueueMove::RunqExit);
    if in_disk != Lengths::ONE_RUNS {
        return complete_in_busy_disk(section, entry, before, in_disk, record);
    }
    keep_apart();
    drop(record);
    section.leave_ended(entry);
}

/// The end of an I/O that was the only one that ran in its partition; the disk has others, or extras.
#[inline(never)]
fn complete_in_busy_disk<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    before: Lengths,
    in_disk: Lengths,
    record: Writing<'_>,
) {
    note_in_disk(&section, before, in_disk, QueueMove::RunqExit, &record);
    drop(record);
    section.leave_ended(entry);
}

/// The end of an I/O in a partition that has others or regions, or without a record.
#[inline(never)]
pub(super) fn complete_in_busy<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Absent) {
        drop(record);
        return absent::complete(section, entry, place);
    }
    if before.run() == 1 {
        if before.wait() == 0 {
            return complete_with_edge(section, entry, place, before, record);
        }
        let now = section.now();
        record.runq_busy.fall(now);
        record.both_busy.fall(now);
        let disk = section.disk(section.root(place));
        let in_disk = disk.gauge.take(QueueMove::RunqExit);
        if in_disk.run() != 1 || in_disk.wait() == 0 {
            return complete_in_busy_disk(section, entry, before, in_disk, record);
        }
    }
    drop(record);
    section.leave_ended(entry);
}

/// The end of the only I/O of a partition, which has regions.
#[inline(never)]
fn complete_with_edge<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    let disk = section.disk(section.root(place));
    let edges = before.edges_of(QueueMove::RunqExit);
    record.note_in_partition(edges, &disk.gauge, section.now());
    drop(record);
    section.leave_ended(entry);
}

/// Whether the disk of the partition at this place, which is not the absent one, has this extra.
#[inline(always)]
fn disk_has<'a, S: Section<'a>>(section: &S, place: S::Place, extra: Extra) -> bool {
    section.disk(section.root(place)).gauge.has(extra)
}

/// Records how the edges of the disk differ from those of the partition, which are recorded already. `before` are the
/// lengths that the step found in the partition, `in_disk` those that it found in the disk.
#[inline(always)]
fn note_in_disk<'a, S: Section<'a>>(
    section: &S,
    before: Lengths,
    in_disk: Lengths,
    step: QueueMove,
    record: &Writing<'_>,
) {
    record.note_difference(before.edges_of(step), in_disk.edges_of(step), section.now());
}
