// SPDX-License-Identifier: GPL-2.0

//! A step on a CPU that has no record of an account.
//!
//! The fast path has written the step to the absent record of the CPU, which serves all accounts and is never read. The
//! root beside that record has [`Extra::Absent`]. The functions here record the step in the account itself, in the
//! record that its CPUs share, and request a record for this CPU.

use super::{
    Entry,
    Extra,
    FastRequest, //
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

/// Records a step of an I/O. Returns the account's root, if it or its disk has regions.
fn record<'a, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    place: S::Place,
    transition: Transition,
) -> Option<&'a Root> {
    section.root(place).set_absent();
    record_in_account(section, entry, transition)
}

/// Records a step of an I/O in its account, whether or not this CPU has a record of the account. Returns as
/// [`record`] does.
pub(super) fn record_in_account<'a, S: Section<'a>>(
    section: &S,
    entry: &'a Entry,
    transition: Transition,
) -> Option<&'a Root> {
    // An I/O whose account has left is recorded nowhere.
    let root = section.account(entry)?;
    section.record_own(root, transition);
    let has_regions = |root: &Root| root.gauge.has(Extra::Regions);
    let in_disk = || root.gauge.has(Extra::Disk) && has_regions(section.disk(root));
    (has_regions(root) || in_disk()).then_some(root)
}

/// The start of an I/O.
#[cold]
#[inline(never)]
pub(super) fn start<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    section.root(place).set_absent();
    // An I/O whose account has left is recorded nowhere.
    if let Some(root) = section.account(entry) {
        start_in(&section, entry, root);
    }
    section.leave();
}

/// The start of an I/O, in the account of a disk or partition.
fn start_in<'a, S: Section<'a>>(section: &S, entry: &'a Entry, root: &'a Root) {
    let is_partition = root.gauge.has(Extra::Disk);
    let disk = if is_partition {
        section.disk(root)
    } else {
        root
    };
    let may_wait = disk.gauge.has(Extra::TagWaits);
    let Some(since) = may_wait.then(|| section.end_tag_wait(disk)).flatten() else {
        return section.record_own(root, Transition::StartWaitqEnter);
    };
    entry.start_since(since);
    if is_partition {
        let waited_ns = section.now().wrapping_sub(since);
        section.record_own(root, Transition::StartWaitqEnter);
        section.record_own(root, Transition::WaitedBefore(waited_ns));
        section.record_own(disk, Transition::WaitqExit);
    } else {
        section.record_own(root, Transition::StartInWaitq);
    }
}

/// The issue of an I/O.
#[cold]
#[inline(never)]
pub(super) fn issue<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    match record(&section, entry, place, Transition::WaitqToRunq) {
        Some(root) => super::slow_regions::start_in_regions(section, root, entry),
        None => section.leave(),
    }
}

/// The end of an I/O, whose entry is released.
#[cold]
#[inline(never)]
pub(super) fn complete<'a, S: Section<'a>>(section: S, entry: &'a Entry, place: S::Place) {
    let transition = Transition::RunqExitEnd(end(&section, entry));
    let root_with_regions = record(&section, entry, place, transition);
    release(section, entry, root_with_regions);
}

/// Releases the entry of an I/O that has ended and was recorded in its account.
pub(super) fn release<'a, S: Section<'a>>(
    section: S,
    entry: &'a Entry,
    root_with_regions: Option<&'a Root>,
) {
    section.ended(entry);
    if let Some(root) = root_with_regions {
        super::slow_regions::end_in_regions(&section, root, entry);
        entry.end_observation();
    }
    entry.key.release_in_flight();
    section.leave();
}

/// The [`End`] of the I/O of an entry, which ends now.
pub(super) fn end<'a, S: Section<'a>>(section: &S, entry: &'a Entry) -> End {
    let rq = section.request(entry.key.in_flight());
    let class = if rq.is_write() {
        Class::Write
    } else {
        Class::Read
    };
    let times = entry.fast_times(section.now());
    End {
        kind: Kind::new(class, Tag::Simple),
        bytes: u64::from(rq.bytes()),
        duration_ns: times.total_ns(),
        service_ns: times.service_ns,
    }
}
