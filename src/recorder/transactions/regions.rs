// SPDX-License-Identifier: GPL-2.0

//! Records I/Os in the regions of their partition, if they have one, and of their disk.
//!
//! For regions a request begins when it is issued to the driver, as with request-based device-mapper: until
//! then it may still grow. A bio begins when it is submitted.

use super::super::{
    account::Account,
    context::ProbeContext, //
    region::list::{
        Level,
        RegionList, //
    },
};
use crate::acct::entry::Entry;

/// Calls `act` for each list of regions.
#[inline(always)]
fn each(here: ProbeContext<'_>, account: &Account, mut act: impl FnMut(&RegionList, Level)) {
    let mut index = 0usize;
    let mut next = Some(account);
    while let Some(account) = next {
        if let Some(list) = account.regions().list(here.probe) {
            let start_sector = account.start_sector();
            let level = Level {
                index,
                start_sector,
            };
            act(list, level);
        }
        index = index.wrapping_add(1);
        next = account.disk();
    }
}

/// Records the start of an I/O.
#[inline(always)]
pub(in crate::recorder) fn start(
    here: ProbeContext<'_>,
    account: &Account,
    entry: &Entry,
    sector: u64,
    bytes: u32,
) {
    if account.disk().is_none() {
        start_in_disk(here, account, entry, sector, bytes);
    } else {
        start_in_partition(here, account, entry, sector, bytes);
    }
}

#[inline(always)]
pub(super) fn start_in_disk(
    here: ProbeContext<'_>,
    account: &Account,
    entry: &Entry,
    sector: u64,
    bytes: u32,
) {
    if let Some(list) = account.regions().list(here.probe) {
        let sectors = bytes >> 9;
        entry.start_in_regions(sector, sectors, here.now);
        list.start(entry, Level::DISK, sector, sectors, here);
    }
}

#[inline(never)]
pub(super) fn start_in_partition(
    here: ProbeContext<'_>,
    account: &Account,
    entry: &Entry,
    sector: u64,
    bytes: u32,
) {
    let sectors = bytes >> 9;
    let mut is_new = true;
    each(here, account, |list, level| {
        if is_new {
            entry.start_in_regions(sector, sectors, here.now);
            entry.pending.start_under_none();
            is_new = false;
        }
        let sector = sector.wrapping_sub(level.start_sector);
        list.start(entry, level, sector, sectors, here);
    });
}

/// Records the end of an I/O, if its start was recorded.
#[inline(always)]
pub(in crate::recorder) fn end(here: ProbeContext<'_>, account: &Account, entry: &Entry) {
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
pub(super) fn end_in_disk(here: ProbeContext<'_>, account: &Account, entry: &Entry) {
    if let Some(list) = account.regions().list(here.probe) {
        list.end(entry, Level::DISK, here.now, here.cpu);
    }
}

#[inline(never)]
pub(super) fn end_in_partition(here: ProbeContext<'_>, account: &Account, entry: &Entry) {
    each(here, account, |list, level| {
        list.end(entry, level, here.now, here.cpu);
    });
}

/// Undoes the start of an I/O that is requeued or abandoned.
#[cold]
pub(in crate::recorder) fn undo_start(here: ProbeContext<'_>, account: &Account, entry: &Entry) {
    if !entry.is_in_regions() {
        return;
    }
    each(here, account, |list, level| {
        list.undo_start(entry, level, here.now, here.cpu);
    });
    entry.end_in_regions();
}
