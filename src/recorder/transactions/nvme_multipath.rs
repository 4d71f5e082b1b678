// SPDX-License-Identifier: GPL-2.0

//! Bios that a multipath disk of nvme has passed on unchanged to the disk of one of its paths.
//!
//! These bios are recorded in the account of the disk that they were submitted to, and end as parts of a request of
//! one of its paths, which another account records. `block_bio_complete` cannot be used: nvme traces it for the first
//! bio of a request only, before its status is known, and not for flushes. Nor does it report the end of a bio that was
//! split, some parts of which are in requests: see `acct::entry::parts`.

use super::{
    super::{
        account::Account,
        context::ProbeContext,
        tracker::Tracker, //
    },
    is_whole, //
};
use crate::{
    acct::inflight::Claimed,
    glue::chain::Parent,
    kernel_ext::{
        block::{
            bio::{
                Bio,
                SharedBio, //
            },
            request::Request, //
        },
        published::InProbe, //
    },
};
use kernel::bindings::blk_status_t;

/// How often a bio is split on its way: by the multipath disk, by that of the path, and once more if these have other
/// limits now.
const MAX_SPLITS: usize = 4;

impl Tracker {
    /// `block_split`: `child` is the front of a bio.
    pub(in crate::recorder) fn bio_split(&self, probe: InProbe<'_>, child: Bio<'_>) {
        if let Some((_, slot)) = self.tracked_parent(probe, child) {
            slot.entry.parts.add_child();
        }
    }

    /// The bio of which one that is not tracked is a part, and its entry.
    fn tracked_parent<'a>(
        &self,
        probe: InProbe<'_>,
        child: Bio<'a>,
    ) -> Option<(Parent<'a>, Claimed<'_>)> {
        let mut parent = Parent::of(child);
        for _ in 0..MAX_SPLITS {
            let bio = parent?;
            if let Some(slot) = self.find(bio.key()) {
                let is_of = |account: &Account| account.disk_key() == child.disk();
                // dm-cache chains a bio for another disk to that of the cache. A part is on its way to the multipath
                // disk, or was passed on.
                let is_part =
                    child.has_req_drv() || self.account_in(probe, slot.entry).is_some_and(is_of);
                return is_part.then_some((bio, slot));
            }
            parent = bio.parent();
        }
        None
    }

    /// `block_rq_complete` of a request that may have bios of a multipath disk.
    #[cold]
    #[inline(never)]
    pub(super) fn rq_complete_marked(
        &self,
        here: ProbeContext<'_>,
        rq: Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        self.rq_complete_slow(here, rq, status, nr_bytes);
        // The rest of the request completes later.
        if !is_whole(rq, nr_bytes) || rq.is_flush_sequence() {
            return;
        }
        let mut next = rq.bio();
        while let Some(bio) = next {
            match self.find(bio.key()) {
                Some(slot) => {
                    if let Some(status) = slot.entry.parts.own_ended(status) {
                        self.end_whole(here, **bio, slot, status);
                    }
                }
                None => self.child_complete(here, *bio, status),
            }
            next = bio.next();
        }
    }

    /// `block_bio_complete` of a bio that is not tracked. It may be a part of one that is, which failed before it was in
    /// a request.
    #[cold]
    #[inline(never)]
    pub(super) fn child_complete(
        &self,
        here: ProbeContext<'_>,
        child: Bio<'_>,
        status: blk_status_t,
    ) {
        if let Some((bio, slot)) = self.tracked_parent(here.probe, child) {
            if let Some((bio, status)) = bio.child_ended(slot, status) {
                self.end_whole(here, bio, slot, status);
            }
        }
    }

    /// A bio has ended with all its parts.
    #[inline(never)]
    fn end_whole(
        &self,
        here: ProbeContext<'_>,
        bio: SharedBio<'_>,
        slot: Claimed<'_>,
        status: blk_status_t,
    ) {
        self.end_bio(here, bio, slot, status);
    }
}
