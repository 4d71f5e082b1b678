// SPDX-License-Identifier: GPL-2.0

//! Keeps slow I/Os at their end.

use super::super::{
    account::{
        slow::SlowTarget,
        Account, //
    },
    context::ProbeContext,
    slow::threshold_ns,
    tracker::Tracker, //
};
use crate::{
    acct::{
        entry::Entry,
        inflight::Claimed,
        slow::is_slow,
        transition::{
            End,
            Transition, //
        },
    },
    glue::submitter::cgroup_of,
    kernel_ext::block::{
        bio::SharedBio,
        errno,
        request::Request, //
    },
};
use kernel::bindings::blk_status_t;

/// The target of a request that completes. `done` bytes of it were done before.
pub(in crate::recorder) fn rq_target(
    entry: &Entry,
    rq: Request<'_>,
    done: u64,
    status: blk_status_t,
) -> SlowTarget {
    let sector = match rq.bytes() {
        // The end of a flush sequence, whose data was done before, or an operation without data. Neither is merged, nor takes
        // the fast path.
        0 => entry.sector(),
        _ => rq.sector().wrapping_sub(done >> 9),
    };
    SlowTarget {
        // A flush has no sector.
        sector: if sector == u64::MAX { 0 } else { sector },
        bytes: done.wrapping_add(rq.bytes().into()),
        cgroup: rq.bio().map_or(0, |bio| cgroup_of(&bio)),
        op: rq.op(),
        error: errno(status),
    }
}

/// The [`End`] of the transaction that this transition ends, if that was slow.
#[inline(always)]
pub(super) fn slow_end(transition: Transition) -> Option<End> {
    end_of(transition).filter(|end| is_slow(end.duration_ns, threshold_ns()))
}

/// The [`End`] of the transaction that this transition ends, if it ends one.
#[inline(always)]
pub(super) fn end_of(transition: Transition) -> Option<End> {
    match transition {
        Transition::RunqExitEnd(end) | Transition::WaitqExitEnd(end) => Some(end),
        _ => None,
    }
}

impl Tracker {
    /// The end of a request in the common case, which was recorded. Its entry is released.
    #[cold]
    #[inline(never)]
    pub(super) fn rq_complete_slowly(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        slot: Claimed<'_>,
        rq: Request<'_>,
        end: &End,
    ) {
        keep(here, account, slot.entry, end, || {
            rq_target(slot.entry, rq, 0, 0)
        });
        slot.release();
    }
}

/// Keeps an I/O that was slow.
#[cold]
#[inline(never)]
pub(super) fn keep(
    here: ProbeContext<'_>,
    account: &Account,
    entry: &Entry,
    end: &End,
    target: impl FnOnce() -> SlowTarget,
) {
    account.keep_slow(entry, here.now, end, &target());
}

/// The target of a bio of `bytes` bytes.
pub(super) fn bio_target(
    bio: SharedBio<'_>,
    entry: &Entry,
    bytes: u64,
    status: blk_status_t,
) -> SlowTarget {
    SlowTarget {
        sector: entry.sector(),
        bytes,
        cgroup: cgroup_of(&bio),
        op: bio.op(),
        error: errno(status),
    }
}
