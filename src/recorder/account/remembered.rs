// SPDX-License-Identifier: GPL-2.0

//! The values of an account that the entries of I/Os remember for the fast path: see
//! `src/acct/fast.rs`.

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

/// True for about one I/O in eight, independent of the time between I/Os.
fn is_one_of_many(now: u64) -> bool {
    now.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0
}

impl Account {
    /// The offset of `root`, bytes.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::recorder) const ROOT_OFFSET: usize = core::mem::offset_of!(Account, root);

    /// The gauge of all its hardware queues.
    pub(in crate::recorder) fn gauge(&self) -> &Gauge {
        &self.root.gauge
    }

    /// The values that an entry remembers.
    pub(in crate::recorder) fn memory(&self) -> Memory {
        // CAST: An address.
        Memory {
            records: self.records.places(),
            root: from_ref(&self.root) as u64,
        }
    }

    /// The source by which entries may remember the account, after an I/O of this hardware queue, with this
    /// request, was recorded in it at `now`. [`None`] if they may not, for example as the account has left, or as
    /// there is no fast path at present.
    pub(in crate::recorder) fn source(
        &self,
        rq: Request<'_>,
        hctx: u16,
        now: u64,
    ) -> Option<Source> {
        if is_general() || self.leaves_now.load(Relaxed) {
            return None;
        }
        // Other queues write the root's cache line with each of their I/Os, so it is read only now
        // and then.
        if self.has_leaves() && !(is_one_of_many(now) && self.root.may_enter(hctx)) {
            return None;
        }
        if self.disk.is_some() {
            return Some(Source::block_device(rq.block_device()));
        }
        if !self.partitions.is_any() {
            return Some(Source::queue(fast::FastRequest::queue(&rq)));
        }
        // The block device must not be a partition, which may have no account yet.
        rq.is_of_whole_disk()
            .then(|| Source::block_device(rq.block_device()))
    }

    /// Whether entries may still remember it by this source.
    pub(in crate::recorder) fn may_be_remembered_by(&self, source: Source) -> bool {
        !(self.leaves_now.load(Relaxed) || source.is_queue() && self.partitions.is_any())
    }

    /// From here on, no further entry remembers the account.
    pub(in crate::recorder) fn set_leaves_now(&self) {
        self.leaves_now.store(true, Relaxed);
    }
}
