// SPDX-License-Identifier: GPL-2.0

//! Bios that a multipath disk of nvme has passed on unchanged to the disk of one of its paths.
//!
//! These bios are recorded in the account of the disk that they were submitted to, and end as parts of a request of
//! one of its paths, which another account records. `block_bio_complete` cannot be used: nvme traces it for the first
//! bio of a request only, before its status is known, and not for flushes.

use super::{
    super::{
        context::ProbeContext,
        tracker::Tracker, //
    },
    is_whole, //
};
use crate::kernel_ext::block::request::Request;
use kernel::bindings::blk_status_t;

impl Tracker {
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
            // An earlier part that failed has left its status in the parent bio.
            let failed = if status == 0 { bio.status() } else { status };
            self.bio_complete(here, bio, failed);
            next = bio.next();
        }
    }
}
