// SPDX-License-Identifier: GPL-2.0

//! Steps of I/Os in regions that the fast path leaves to the general one.

use super::{
    Entry,
    FastRequest,
    Fresh,
    ListTag,
    Section, //
};
use crate::acct::busy::Root;

/// The issue of an I/O.
#[cold]
#[inline(never)]
pub(super) fn start_in_regions<'a, S: Section<'a>>(section: S, root: &'a Root, entry: &'a Entry) {
    let rq = section.request(entry.key.in_flight());
    let (class, sector) = (rq.class(), rq.sector());
    entry.generalize(rq.key(), || Fresh { class, sector });
    section.start_in_regions(root, entry, sector, rq.bytes());
}

/// The end of an I/O in the regions of a whole disk, if they recorded its issue.
pub(super) fn end_in_regions<'a, S: Section<'a>>(section: &S, root: &'a Root, entry: &'a Entry) {
    if entry.pending.list_tag(0) != ListTag::NONE {
        entry.generalize(entry.key.in_flight(), || Fresh::UNKNOWN);
        section.end_in_regions(root, entry);
    }
}
