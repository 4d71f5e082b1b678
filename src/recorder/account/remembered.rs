// SPDX-License-Identifier: GPL-2.0

//! What the entries of I/Os remember of an account, for the fast path: see `src/acct/fast.rs`.

use super::Account;
use crate::{
    acct::{
        busy::Gauge,
        fast::{
            self,
            Memory,
            Source, //
        }, //
    },
    glue::general::is_general, //
    kernel_ext::block::request::Request,
};
use core::{
    ptr::from_ref,
    sync::atomic::Ordering::Relaxed, //
};

/// Whether an I/O at `now` is one of about eight, whatever the time from one to the next.
fn is_one_of_many(now: u64) -> bool {
    now.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0
}

impl Account {
    /// Where its root is in it, bytes.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::recorder) const ROOT_OFFSET: usize = core::mem::offset_of!(Account, root);

    /// The gauge of all its hardware queues.
    pub(in crate::recorder) fn gauge(&self) -> &Gauge {
        &self.root.gauge
    }

    /// What an entry remembers.
    pub(in crate::recorder) fn memory(&self) -> Memory {
        // CAST: An address.
        Memory {
            records: self.records.places(),
            root: from_ref(&self.root) as u64,
        }
    }

    /// By what entries may remember it, if they may: it has not left, and there is a fast path at present. For an
    /// I/O of this hardware queue, with this request, that was recorded here at `now`.
    pub(in crate::recorder) fn source(
        &self,
        rq: Request<'_>,
        hctx: u16,
        now: u64,
    ) -> Option<Source> {
        if is_general() || self.leaves_now.load(Relaxed) {
            return None;
        }
        // Others write the root's cache line with each of their I/Os: it is looked at now and then.
        if self.has_leaves() && !(is_one_of_many(now) && self.root.may_enter(hctx)) {
            return None;
        }
        if self.disk.is_some() {
            return Some(Source::block_device(rq.block_device()));
        }
        if !self.partitions.is_any() {
            return Some(Source::queue(fast::FastRequest::queue(&rq)));
        }
        // Not by a partition that has no account yet.
        rq.is_of_whole_disk()
            .then(|| Source::block_device(rq.block_device()))
    }

    /// Whether entries may still remember it by this source.
    pub(in crate::recorder) fn may_be_remembered_by(&self, source: Source) -> bool {
        !(self.leaves_now.load(Relaxed) || source.is_queue() && self.partitions.is_any())
    }

    /// No entry remembers it from here on, except those that did before.
    pub(in crate::recorder) fn set_leaves_now(&self) {
        self.leaves_now.store(true, Relaxed);
    }
}
