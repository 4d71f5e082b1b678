// SPDX-License-Identifier: GPL-2.0

//! Events of requests that the fast path and common.rs do not handle.

use super::{
    super::{
        account::Account,
        context::ProbeContext,
        provider::{
            done_is_traced,
            IoRequest,
            IoResult,
            COMPLETED,
            MERGED,
            REFUSED, //
        },
        tracker::Tracker, //
    },
    done,
    is_whole,
    regions,
    request,
    slow::{
        self,
        end_of,
        rq_target,
        slow_end, //
    }, //
};
use crate::{
    acct::{
        class::Class,
        disk_event::DiskEvent,
        entry::{
            Completion,
            Entry,
            Start, //
        },
        fast::{
            FastRequest,
            Fresh, //
        },
        inflight::Claimed,
        transition::Transition, //
    },
    glue::cgroups::cgroups_enabled,
    kernel_ext::{
        block::{
            errno,
            request::Request, //
        },
        published::InProbe, //
    },
};
use kernel::bindings::blk_status_t;

impl Tracker {
    /// The entry of a request, from the whole table, with the state of the request in it.
    #[inline(always)]
    fn find_request(&self, rq: Request<'_>) -> Option<Claimed<'_>> {
        let slot = self.find(rq.key())?;
        generalize(slot, rq);
        Some(slot)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn io_start_slow(&self, here: ProbeContext<'_>, account: &Account, rq: Request<'_>) {
        let start = request(account, rq);
        self.begin(here, account, rq.key(), start.hctx, true, |entry| {
            entry.start_waiting(&start, here.now)
        });
    }

    /// `block_io_start`, for the tracepoints of the io provider.
    #[cold]
    pub(in crate::recorder) fn io_start_trace(&self, probe: InProbe<'_>, rq: Request<'_>) {
        // The submitter still owns the request, so its entry cannot be reused.
        let Some(slot) = self.find(rq.key()) else {
            return;
        };
        if let Some(account) = self.account_in(probe, slot.entry) {
            let bio = rq.bio().map(|bio| *bio);
            self.trace_start(slot.entry, &asked(account, rq.sector(), rq), bio);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn rq_issue_slow(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        if let Some(slot) = self.find_request(rq) {
            if let Some(transition) = slot.entry.issue(here.now) {
                if let Some(account) = self.record(here, slot.entry, transition) {
                    regions::start(here, account, slot.entry, rq.sector(), rq.bytes());
                }
            }
            return;
        }
        // The start of the request was not traced: it is a flush of the block layer itself, or a request from
        // before recording began.
        let Some(account) = self.account_of(here.probe, rq.disk(), rq.block_device()) else {
            return;
        };
        let start = Start {
            // Issued by the block layer, or by the thread that was interrupted.
            pid: 0,
            ..request(account, rq)
        };
        self.begin(here, account, rq.key(), start.hctx, false, |entry| {
            entry.run_uncounted(&start, here.now)
        });
    }

    /// `block_rq_requeue`: a request goes back to the wait queue.
    pub(in crate::recorder) fn rq_requeue(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        if let Some(slot) = self.find_request(rq) {
            if let Some(transition) = slot.entry.requeue(here.now) {
                if let Some(account) = self.record(here, slot.entry, transition) {
                    account.count_event(DiskEvent::Requeues);
                    regions::undo_start(here, account, slot.entry);
                }
            }
        }
    }

    /// `block_rq_merge`: a request becomes part of another.
    pub(in crate::recorder) fn rq_merge(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        if let Some(slot) = self.find_request(rq) {
            if let Some(account) = self.record(here, slot.entry, slot.entry.merge(here.now)) {
                account.count_event(DiskEvent::RqMerges);
                match rq.class() {
                    Class::Read => account.count_event(DiskEvent::ReadMerges),
                    Class::Write => account.count_event(DiskEvent::WriteMerges),
                    Class::NoData | Class::Free => {}
                }
                regions::undo_start(here, account, slot.entry);
            }
            if done_is_traced() {
                self.rq_gone(here, slot.entry, rq, MERGED);
            }
            self.release(here.probe, slot);
        }
    }

    /// `block_io_done`: the last event of a request, which in most cases is complete already.
    ///
    /// A clone that the disk below refused because it was busy is not complete.
    pub(in crate::recorder) fn io_done(&self, here: ProbeContext<'_>, rq: Request<'_>) {
        if rq.is_flush_sequence() {
            // The flush follows, and then this event again.
            return;
        }
        if let Some(slot) = self.find_request(rq) {
            if let Some(account) = self.record(here, slot.entry, slot.entry.refuse(here.now)) {
                regions::undo_start(here, account, slot.entry);
            }
            if done_is_traced() {
                self.rq_gone(here, slot.entry, rq, REFUSED);
            }
            self.release(here.probe, slot);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn rq_complete_slow(
        &self,
        here: ProbeContext<'_>,
        rq: Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        let Some(slot) = self.find_request(rq) else {
            // device-mapper completes its requests a second time, with no bytes left.
            let is_end = nr_bytes != 0 && is_whole(rq, nr_bytes);
            if is_end {
                if let Some(account) = self.account_of(here.probe, rq.disk(), rq.block_device()) {
                    self.count_unmatched_completion(account);
                }
            }
            return;
        };
        if let Some(event) = DiskEvent::of_status(status) {
            if let Some(account) = self.account_in(here.probe, slot.entry) {
                account.count_event(event);
            }
        }
        let done_before = slot.entry.bytes();
        let completion = Completion {
            bytes: done(status, nr_bytes),
            whole: is_whole(rq, nr_bytes),
            flush_sequence: rq.is_flush_sequence(),
        };
        let Some(transition) = slot.entry.complete(&completion, here.now) else {
            if done_is_traced() && status != 0 {
                self.trace_failure(slot.entry, nr_bytes);
            }
            return;
        };
        let account = self.record(here, slot.entry, transition);
        if let Some(account) = account {
            // The data of a flush sequence, which has no more bytes.
            regions::end(here, account, slot.entry);
        }
        if transition == Transition::RunqBackToWaitq {
            slot.entry.end_in_regions();
            if done_is_traced() && status != 0 {
                self.trace_failure(slot.entry, nr_bytes);
            }
            return;
        }
        if let (Some(event), Some(account)) = (DiskEvent::of_op(rq.op()), account) {
            account.count_event(event);
            if event == DiskEvent::Flushes {
                let service_ns = slot.entry.times(here.now).service_ns;
                account.add_event(DiskEvent::FlushNs, service_ns);
            }
        }
        if let (Some(end), Some(account)) = (slow_end(transition), account) {
            slow::keep(here, account, slot.entry, &end, || {
                rq_target(slot.entry, rq, done_before, status)
            });
        }
        if cgroups_enabled() {
            if let Some(end) = end_of(transition) {
                let bio = rq.bio().map(|bio| **bio);
                self.end_of_cgroup(here, bio, rq.disk(), &end);
            }
        }
        if done_is_traced() {
            self.rq_done(here, slot.entry, rq, status, nr_bytes);
        }
        self.release(here.probe, slot);
    }

    /// The end of a request, for the tracepoints of the io provider. Its disk may have left.
    #[cold]
    fn rq_done(
        &self,
        here: ProbeContext<'_>,
        entry: &Entry,
        rq: Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        if !entry.is_counted() {
            return;
        }
        let resid = if status == 0 { 0 } else { u64::from(nr_bytes) };
        let done = IoResult {
            outcome: COMPLETED,
            error: errno(status),
            // The request may have grown since its start, as bios were merged into it.
            bcount: entry.bytes().wrapping_add(resid),
            resid,
            times: entry.times(here.now),
        };
        self.trace_done(entry, &done, || {
            let account = self.account_in(here.probe, entry)?;
            Some(asked(account, entry.sector(), rq))
        });
    }

    /// Traces `io:done` of a request whose end was recorded on the fast path.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(in crate::recorder) fn rq_done_fast(
        &self,
        probe: InProbe<'_>,
        entry: &Entry,
        rq: Request<'_>,
        times: crate::acct::entry::Times,
    ) {
        let done = IoResult {
            outcome: COMPLETED,
            error: 0,
            bcount: u64::from(rq.bytes()),
            resid: 0,
            times,
        };
        self.trace_done(entry, &done, || {
            let account = self.account_in(probe, entry)?;
            Some(asked(account, rq.sector(), rq))
        });
    }

    /// A request that ended without a completion, for the tracepoints of the io provider. Its disk may have left.
    #[cold]
    fn rq_gone(&self, here: ProbeContext<'_>, entry: &Entry, rq: Request<'_>, outcome: u32) {
        if !entry.is_counted() {
            return;
        }
        let bcount = u64::from(rq.bytes());
        let done = IoResult {
            outcome,
            error: 0,
            bcount,
            resid: bcount,
            times: entry.times(here.now),
        };
        self.trace_done(entry, &done, || {
            let account = self.account_in(here.probe, entry)?;
            Some(asked(account, entry.sector(), rq))
        });
    }
}

/// Moves the state of a request to its entry, as an event takes the general path.
#[inline(always)]
pub(super) fn generalize(slot: Claimed<'_>, rq: Request<'_>) {
    slot.entry.generalize(rq.key(), || Fresh {
        // The class is that of the operation, as on the fast path.
        class: Class::of(rq.op(), 1),
        sector: rq.sector(),
    });
}

fn asked<'a>(account: &'a Account, sector: u64, rq: Request<'_>) -> IoRequest<'a> {
    IoRequest {
        account,
        op: rq.op(),
        is_sync: rq.is_sync(),
        bcount: u64::from(rq.bytes()),
        sector,
        end_io: match rq.end_io() {
            // The completion function of its first bio.
            0 => rq.bio().map_or(0, |bio| bio.end_io()),
            end_io => end_io,
        },
        // With a completion function, the request is a clone, which the task that runs the queue of the layer
        // above has made.
        is_own: rq.end_io() == 0,
    }
}
