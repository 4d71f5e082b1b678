// SPDX-License-Identifier: GPL-2.0

//! What regions are told of an I/O: those of its partition, if it has one, and those of its disk.
//!
//! To them a request begins when the driver is given it, as with request-based device-mapper: until
//! then it may still grow. A bio begins when it is submitted.

use super::super::{
    account::Account,
    region::list::{
        List,
        Seen, //
    },
    tracker::Here, //
};
use crate::acct::{
    class::Class,
    entry::Entry, //
};

/// Sectors of an I/O that are read, written or freed.
#[inline(always)]
fn sectors(entry: &Entry, bytes: u32) -> u32 {
    match entry.class() {
        Class::NoData => 0,
        _ => bytes >> 9,
    }
}

/// Tells of each list of regions, and of the I/O as its account has it.
#[inline(always)]
fn each(here: Here<'_>, account: &Account, entry: &Entry, mut tell: impl FnMut(&List, Seen<'_>)) {
    let mut level = 0usize;
    let mut next = Some(account);
    while let Some(account) = next {
        if let Some(list) = account.regions().list(here.probe) {
            let first = account.start_sector();
            let seen = Seen {
                entry,
                level,
                first,
            };
            tell(list, seen);
        }
        level = level.wrapping_add(1);
        next = account.disk();
    }
}

/// Of a disk there is but one.
#[inline(always)]
fn in_disk<'a>(
    here: Here<'a>,
    disk: &'a Account,
    entry: &'a Entry,
) -> Option<(&'a List, Seen<'a>)> {
    let seen = Seen {
        entry,
        level: 0,
        first: 0,
    };
    Some((disk.regions().list(here.probe)?, seen))
}

/// An I/O starts.
#[inline(always)]
pub(super) fn start(here: Here<'_>, account: &Account, entry: &Entry, sector: u64, bytes: u32) {
    if account.disk().is_none() {
        start_in_disk(here, account, entry, sector, bytes);
    } else {
        start_in_partition(here, account, entry, sector, bytes);
    }
}

#[inline(always)]
pub(super) fn start_in_disk(
    here: Here<'_>,
    account: &Account,
    entry: &Entry,
    sector: u64,
    bytes: u32,
) {
    if let Some((list, seen)) = in_disk(here, account, entry) {
        entry.start_in_regions(sector, sectors(entry, bytes), here.now);
        list.start(seen, here.now, here.cpu);
    }
}

#[inline(never)]
pub(super) fn start_in_partition(
    here: Here<'_>,
    account: &Account,
    entry: &Entry,
    sector: u64,
    bytes: u32,
) {
    let mut is_new = true;
    each(here, account, entry, |list, seen| {
        if is_new {
            entry.start_in_regions(sector, sectors(entry, bytes), here.now);
            entry.pending.start_under_none();
            is_new = false;
        }
        list.start(seen, here.now, here.cpu);
    });
}

/// It ends, if it started, and its entry with it or not.
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
}

#[inline(always)]
pub(super) fn end_in_disk(here: Here<'_>, account: &Account, entry: &Entry) {
    if let Some((list, seen)) = in_disk(here, account, entry) {
        list.end(seen, here.now, here.cpu);
    }
}

#[inline(never)]
pub(super) fn end_in_partition(here: Here<'_>, account: &Account, entry: &Entry) {
    each(here, account, entry, |list, seen| {
        list.end(seen, here.now, here.cpu);
    });
}

/// It goes back to wait, or is gone.
#[cold]
pub(in crate::recorder) fn give_back(here: Here<'_>, account: &Account, entry: &Entry) {
    if !entry.is_in_regions() {
        return;
    }
    each(here, account, entry, |list, seen| {
        list.give_back(seen, here.now, here.cpu);
    });
    entry.end_in_regions();
}
