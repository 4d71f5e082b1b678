// SPDX-License-Identifier: GPL-2.0

//! The common case of `block_io_start`, `block_rq_issue` and `block_rq_complete`: a request whose entry is in
//! the first place where it can be, without errors, traces or an nvme path.
//!
//! All other cases call the `*_slow()` function of the event in request.rs. The common case calls no function out of
//! line, so it sets up no stack frame; regions have functions of their own for the same reason. The functions that use
//! no stack at all are in `probe/fast.rs`.

use super::{
    super::{
        account::Account,
        context::ProbeContext,
        provider,
        slow::threshold_ns,
        tracker::Tracker, //
    },
    is_whole,
    regions,
    request,
    request::generalize, //
};
use crate::{
    acct::{
        entry::Entry,
        slow::is_slow,
        transition::Transition, //
    },
    kernel_ext::block::request::Request, //
};
use kernel::bindings::blk_status_t;

impl Tracker {
    /// `block_io_start`: a request is accepted.
    #[inline(always)]
    pub(in crate::recorder) fn io_start(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        match self.disk_at_home(here.probe, rq.disk()) {
            Some((disk, false)) => self.io_start_in(here, disk, rq),
            _ => self.io_start_lookup(here, rq),
        }
    }

    /// Looks the account up for [`Tracker::io_start`]: for a partition, or a disk that is not in its first
    /// place.
    #[inline(never)]
    fn io_start_lookup(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        if let Some(account) = self.account_of(here.probe, rq.disk(), rq.block_device()) {
            self.io_start_in(here, account, rq);
        }
    }

    #[inline(always)]
    fn io_start_in(&self, here: ProbeContext<'_>, account: &Account, rq: Request<'_>) {
        if let Some(since) = account.end_any_tag_wait() {
            return self.io_start_after_tag_wait(here, account, rq, since);
        }
        let Some(slot) = self.table().claim_home(rq.key()) else {
            return self.io_start_slow(here, account, rq);
        };
        let start = request(account, rq);
        let transition = slot.entry.start_waiting(&start, here.now);
        account.record(transition, start.hctx, here.now, here.cpu);
        if let Some(source) = account.source(rq, start.hctx, here.now) {
            let may = || account.may_be_remembered_by(source);
            slot.entry.remember(source, account.memory(), may);
        }
    }

    /// `block_rq_issue`: the driver starts a request.
    #[inline(always)]
    pub(in crate::recorder) fn rq_issue(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        let Some(slot) = self.table().find_home(rq.key()) else {
            return self.rq_issue_slow(here, rq);
        };
        generalize(slot, rq);
        let Some(account) = self.account_in(here.probe, slot.entry) else {
            return;
        };
        if account.needs_slow_record() {
            return rq_issue_special(here, account, slot.entry, rq);
        }
        if let Some(transition) = slot.entry.issue(here.now) {
            account.record(transition, slot.entry.hctx(), here.now, here.cpu);
        }
    }

    /// `block_rq_complete`: a request or a part of it is done.
    #[inline(always)]
    pub(in crate::recorder) fn rq_complete(
        &self,
        here: ProbeContext<'_>,
        rq: Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        let slow = || self.rq_complete_slow(here, rq, status, nr_bytes);
        if rq.has_req_drv() {
            return self.rq_complete_marked(here, rq, status, nr_bytes);
        }
        if status != 0 || provider::is_watched() {
            return slow();
        }
        if !is_whole(rq, nr_bytes) || rq.is_flush_sequence() {
            return slow();
        }
        let Some(slot) = self.table().find_home(rq.key()) else {
            return slow();
        };
        generalize(slot, rq);
        let Some(account) = self.account_in(here.probe, slot.entry) else {
            return slow();
        };
        if !slot.entry.is_plain() {
            return slow();
        }
        let bytes = u64::from(nr_bytes);
        if account.needs_slow_record() {
            regions::end(here, account, slot.entry);
        }
        let end = slot.entry.end_plainly(bytes, here.now);
        account.record(
            Transition::RunqExitEnd(end),
            slot.entry.hctx(),
            here.now,
            here.cpu,
        );
        if is_slow(end.duration_ns, threshold_ns()) {
            return self.rq_complete_slowly(here, account, slot, rq, &end);
        }
        slot.release();
    }
}

/// Records the issue of a request that may be in regions.
#[inline(never)]
fn rq_issue_special(here: ProbeContext<'_>, account: &Account, entry: &Entry, rq: Request<'_>) {
    let Some(transition) = entry.issue(here.now) else {
        return;
    };
    account.record(transition, entry.hctx(), here.now, here.cpu);
    if account.disk().is_none() {
        regions::start_in_disk(here, account, entry, rq.sector(), rq.bytes());
    } else if account.is_in_regions(here.probe) {
        regions::start_in_partition(here, account, entry, rq.sector(), rq.bytes());
    }
}
