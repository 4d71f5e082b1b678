// SPDX-License-Identifier: GPL-2.0

//! The additional work of an event on the fast path if its account has an [`Extra`]. An I/O that is alone in its
//! partition does not come here.

use super::{
    partition,
    regions,
    Entry,
    Extra,
    Lengths,
    QueueMove,
    Section, //
};
use crate::acct::record::Writing;

/// The start of an I/O of a partition, or of a disk for whose tags tasks may wait, which was recorded there but for the
/// edges.
#[inline(always)]
pub(super) fn start<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Disk) {
        partition::start_in_busy(section, entry, place, before, record);
    } else {
        start_with_tag_waits(section, entry, place, before, record);
    }
}

/// The start of an I/O in the account of a whole disk for whose tags tasks may wait, which was recorded there but for
/// the edges.
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
        // The I/O takes the place of its submitter in the wait queue.
        record.waitq.exit(now);
        disk.gauge.step(QueueMove::WaitqExit, |line, edge| {
            record.note(line, edge, now)
        });
        entry.start_since(since);
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
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Disk) {
        partition::issue_in_busy(section, entry, place, before, record);
    } else {
        regions::issue_and_edges(section, entry, place, before, record);
    }
}

/// The end of an I/O in an account with extras, which was recorded there but for the edges. Its entry is released.
#[inline(always)]
pub(super) fn complete<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    place: S::Place,
    before: Lengths,
    record: Writing<'_>,
) {
    if before.has(Extra::Disk) {
        partition::complete_in_busy(section, entry, place, before, record);
    } else {
        regions::complete_and_edges(section, entry, place, before, record);
    }
}
