// SPDX-License-Identifier: GPL-2.0

//! What regions are told of an I/O: those of its partition, if it has one, and those of its disk.
//!
//! To them a request begins when the driver is given it, as with request-based device-mapper: until
//! then it may still grow. A bio begins when it is submitted.

use super::super::{
    account::Account,
    region::list::List,
    tracker::Here, //
};
use crate::acct::{
    class::Class,
    entry::Entry,
    region::{
        pending::Pending,
        Io, //
    },
};

/// An I/O as regions see it.
#[inline(always)]
pub(super) fn io(class: Class, sector: u64, bytes: u32) -> Io {
    let sectors = match class {
        Class::NoData => 0,
        _ => bytes >> 9,
    };
    Io {
        sector,
        sectors,
        class,
    }
}

/// Tells of each list of regions, with what is pending of the I/O there, and of the I/O with its sector
/// as that account numbers them.
#[inline(always)]
fn each(
    here: Here<'_>,
    account: &Account,
    entry: &Entry,
    mut io: impl FnMut(&Pending) -> Io,
    tell: impl Fn(&List, &Pending, usize, Io),
) {
    let mut level = 0usize;
    let mut next = Some(account);
    while let Some(account) = next {
        if let Some(list) = account.regions().list(here.probe) {
            if let Some(pending) = list.pending(entry) {
                let io = io(pending);
                let sector = account.sector(io.sector);
                tell(list, pending, level, Io { sector, ..io });
            }
        }
        level = level.wrapping_add(1);
        next = account.disk();
    }
}

/// An I/O starts.
#[inline(always)]
pub(super) fn start(here: Here<'_>, account: &Account, entry: &Entry, io: Io) {
    if account.disk().is_none() {
        start_in_disk(here, account, entry, io);
    } else {
        start_in_partition(here, account, entry, io);
    }
}

#[inline(always)]
fn start_in_disk(here: Here<'_>, account: &Account, entry: &Entry, io: Io) {
    if let Some(list) = account.regions().list(here.probe) {
        if let Some(pending) = list.pending(entry) {
            pending.start(&io, here.now);
            entry.set_in_regions(true);
            list.start(pending, 0, io, here.now, here.cpu);
        }
    }
}

#[inline(never)]
fn start_in_partition(here: Here<'_>, account: &Account, entry: &Entry, io: Io) {
    let mut is_new = true;
    let begin = |pending: &Pending| {
        if is_new {
            pending.start(&io, here.now);
            pending.start_under_none();
            entry.set_in_regions(true);
            is_new = false;
        }
        io
    };
    each(here, account, entry, begin, |list, pending, level, io| {
        list.start(pending, level, io, here.now, here.cpu);
    });
}

/// It ends, if it started.
#[inline(always)]
pub(super) fn end(here: Here<'_>, account: &Account, entry: &Entry) {
    if !entry.is_in_regions() {
        return;
    }
    if account.disk().is_none() {
        end_in_disk(here, account, entry);
    } else {
        end_in_partition(here, account, entry);
    }
    entry.set_in_regions(false);
}

#[inline(always)]
fn end_in_disk(here: Here<'_>, account: &Account, entry: &Entry) {
    if let Some(list) = account.regions().list(here.probe) {
        if let Some(pending) = list.pending(entry) {
            list.end(pending, 0, pending.io(), here.now, here.cpu);
        }
    }
}

#[inline(never)]
fn end_in_partition(here: Here<'_>, account: &Account, entry: &Entry) {
    each(
        here,
        account,
        entry,
        Pending::io,
        |list, pending, level, io| {
            list.end(pending, level, io, here.now, here.cpu);
        },
    );
}

/// It goes back to wait, or is gone.
#[cold]
pub(in crate::recorder) fn give_back(here: Here<'_>, account: &Account, entry: &Entry) {
    if !entry.is_in_regions() {
        return;
    }
    each(
        here,
        account,
        entry,
        Pending::io,
        |list, pending, level, io| {
            list.give_back(pending, level, io, here.now, here.cpu);
        },
    );
    entry.set_in_regions(false);
}
