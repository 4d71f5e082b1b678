// SPDX-License-Identifier: GPL-2.0

//! The end of an I/O that took so long that it is kept: see [`super::super::slow`].

use super::{
    absent,
    Entry,
    Section, //
};
use crate::acct::transition::Transition;

/// The end of an I/O of which nothing was recorded yet. Its entry is released.
#[cold]
#[inline(never)]
pub(super) fn complete<'a, S: Section<'a>>(section: S, entry: &'a Entry) {
    let end = absent::end(&section, entry);
    let transition = Transition::RunqExitEnd(end);
    let root_with_regions = absent::record_in_account(&section, entry, transition);
    if let Some(root) = section.account(entry) {
        let rq = section.request(entry.key.in_flight());
        section.keep_slow(root, entry, rq, &end);
    }
    absent::release(section, entry, root_with_regions);
}
