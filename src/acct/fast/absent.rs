// SPDX-License-Identifier: GPL-2.0

//! A step on a CPU that has no record of an account.
//!
//! Its steps are written to the absent record of that CPU, which is one for all accounts and is never read, and taken by
//! the root beside it, which says so ([`Extra::Absent`]). Here they are recorded in the account itself. That takes the
//! record that the CPUs of the account share, and asks for a record of the CPU's own.

use super::{
    Entry,
    Extra,
    FastRequest,
    QueueMove, //
    Section,
};
use crate::acct::{
    busy::Root,
    class::{
        Class,
        Kind,
        Tag, //
    },
    transition::{
        End,
        Transition, //
    },
};

/// A step of an I/O. Returns the account's root, if it or its disk has regions.
fn record<'a, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    place: S::Place,
    transition: Transition,
) -> Option<&'a Root> {
    section.root(place).set_absent();
    // An I/O whose account has left is recorded nowhere.
    let root = section.account(entry)?;
    section.record_own(root, transition);
    let mut has_regions = root.gauge.has(Extra::Regions);
    if root.gauge.has(Extra::Disk) {
        let disk = section.disk(root);
        section.record_own(disk, transition);
        has_regions |= disk.gauge.has(Extra::Regions);
    }
    has_regions.then_some(root)
}

/// The start of an I/O.
#[cold]
#[inline(never)]
pub(super) fn start<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    section.root(place).set_absent();
    match section.account(entry) {
        Some(root) if root.gauge.has(Extra::Disk) => {
            section.record_own(root, Transition::StartWaitqEnter);
            start_of_partition(&section, entry, root);
        }
        Some(root) => {
            start_in_disk(&section, entry, root);
        }
        // An I/O whose account has left is recorded nowhere.
        None => {}
    }
    section.leave();
}

/// The start of an I/O of a partition, which is recorded there, in its disk.
fn start_of_partition<'a, S: Section<'a>>(section: &S, entry: &'a Entry, partition: &'a Root) {
    if let Some(since) = start_in_disk(section, entry, section.disk(partition)) {
        let waited_ns = section.now().wrapping_sub(since);
        section.record_own(partition, Transition::WaitedBefore(waited_ns));
    }
}

/// The start of an I/O, in the account of a disk. Returns since when its submitter has waited for a tag, if it has.
fn start_in_disk<'a, S: Section<'a>>(section: &S, entry: &'a Entry, disk: &'a Root) -> Option<u64> {
    let may_wait = disk.gauge.has(Extra::TagWaits);
    let since = may_wait.then(|| section.end_tag_wait(disk)).flatten();
    let verb = match since {
        Some(since) => {
            entry.start_ns.set(since);
            Transition::StartInWaitq
        }
        None => Transition::StartWaitqEnter,
    };
    section.record_own(disk, verb);
    since
}

/// The issue of an I/O.
#[cold]
#[inline(never)]
pub(super) fn issue<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    match record(&section, entry, place, Transition::WaitqToRunq) {
        Some(root) => super::extra::start_in_regions(section, root, entry),
        None => section.leave(),
    }
}

/// The end of an I/O, whose entry is released.
#[cold]
#[inline(never)]
pub(super) fn complete<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    let root_with_regions = record(&section, entry, place, end(&section, entry));
    section.ended(entry);
    if let Some(root) = root_with_regions {
        super::extra::end_in_regions(&section, root, entry);
    }
    entry.key.release_in_flight();
    section.leave();
}

/// A step of an I/O of a partition that has a record on this CPU, in its disk, which has none: at this place. The
/// section is still to be ended.
#[cold]
#[inline(never)]
pub(super) fn of_disk<'a, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    partition: &'a Root,
    place: S::Place,
    step: QueueMove,
) -> bool {
    section.root(place).set_absent();
    let disk = section.disk(partition);
    match step {
        QueueMove::WaitqEnter => start_of_partition(section, entry, partition),
        QueueMove::WaitqToRunq => section.record_own(disk, Transition::WaitqToRunq),
        _ => section.record_own(disk, end(section, entry)),
    }
    disk.gauge.has(Extra::Regions)
}

fn end<'a, S: Section<'a>>(section: &S, entry: &'a Entry) -> Transition {
    let rq = section.request(entry.key.in_flight());
    let class = if rq.is_write() {
        Class::Write
    } else {
        Class::Read
    };
    let now = section.now();
    Transition::RunqExitEnd(End {
        kind: Kind::new(class, Tag::Simple),
        bytes: u64::from(rq.bytes()),
        duration_ns: now.wrapping_sub(entry.start_ns.own()),
        service_ns: now.wrapping_sub(entry.service_ns.own()),
    })
}
