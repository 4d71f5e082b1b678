// SPDX-License-Identifier: GPL-2.0

//! Bios of disks whose driver takes them as they are.

use super::{
    super::{
        account::Account,
        context::ProbeContext,
        provider::{
            done_is_traced,
            is_watched,
            IoRequest,
            IoResult,
            COMPLETED, //
        },
        tracker::Tracker, //
    },
    regions,
    slow::{
        self,
        bio_target,
        end_of,
        slow_end, //
    },
    tag, //
};
use crate::{
    acct::{
        class::{
            op,
            Class, //
        },
        disk_event::DiskEvent,
        entry::{
            Completion,
            Entry,
            Start, //
        },
        inflight::Claimed,
        transition::Transition,
    },
    glue::cgroups::cgroups_enabled,
    kernel_ext::{
        block::{
            bio::{
                Bio,
                SharedBio, //
            },
            errno,
        },
        published::InProbe,
        task::current_pid, //
    },
};
use kernel::bindings::blk_status_t;

const NO_DATA: usize = Class::NoData as usize;

impl Tracker {
    /// `block_bio_queue`: a bio is submitted to a disk whose driver takes bios as they are.
    #[inline(always)]
    pub(in crate::recorder) fn bio_queue(&self, here: ProbeContext<'_>, bio: Bio<'_>, cpu: u32) {
        let Some(account) = self.account_of(here.probe, bio.disk(), bio.block_device()) else {
            return;
        };
        let start = Start {
            account: account.handle().bits(),
            // CAST: One gauge for all CPUs whose numbers end in the same bits.
            hctx: cpu as u16,
            class: Class::of(bio.op(), bio.bytes()),
            tag: tag(bio.is_flush()),
            sector: bio.sector(),
            pid: current_pid(),
        };
        let entry = self.begin(here, account, bio.key(), start.hctx, true, |entry| {
            entry.start_running(&start, bio.bytes(), here.now)
        });
        if let Some(entry) = entry {
            regions::start(here, account, entry, bio.sector(), bio.bytes());
        }
    }

    /// `block_bio_queue`, for the tracepoints of the io provider.
    #[cold]
    pub(in crate::recorder) fn bio_queue_trace(&self, probe: InProbe<'_>, bio: Bio<'_>) {
        let Some(slot) = self.find(bio.key()) else {
            return;
        };
        if let Some(account) = self.account_in(probe, slot.entry) {
            let bcount = u64::from(bio.bytes());
            self.trace_start(
                slot.entry,
                &asked(account, slot.entry, *bio, bcount),
                Some(bio),
            );
        }
    }

    /// `block_bio_complete`: a bio is done.
    #[inline(always)]
    pub(in crate::recorder) fn bio_complete(
        &self,
        here: ProbeContext<'_>,
        bio: Bio<'_>,
        status: blk_status_t,
    ) {
        let Some(slot) = self.find(bio.key()) else {
            return self.child_complete(here, bio, status);
        };
        self.end_bio(here, *bio, slot, status);
    }

    /// The bio with this entry is done.
    #[inline(always)]
    pub(super) fn end_bio(
        &self,
        here: ProbeContext<'_>,
        bio: SharedBio<'_>,
        slot: Claimed<'_>,
        status: blk_status_t,
    ) {
        let bcount = slot.entry.bytes();
        if status != 0 {
            slot.entry.fail();
            let account = self.account_in(here.probe, slot.entry);
            if let (Some(account), Some(event)) = (account, DiskEvent::of_status(status)) {
                account.count_event(event);
            }
        }
        let completion = Completion {
            bytes: 0,
            whole: true,
            flush_sequence: false,
        };
        if let Some(transition) = slot.entry.complete(&completion, here.now) {
            let account = self.record(here, slot.entry, transition);
            if let Some(account) = account {
                regions::end(here, account, slot.entry);
                match transition {
                    Transition::RunqExitEnd(end) if end.kind.class() == NO_DATA => {
                        count_without_data(account, bio, end.service_ns);
                    }
                    _ => {}
                }
            }
            if let (Some(end), Some(account)) = (slow_end(transition), account) {
                slow::keep(here, account, slot.entry, &end, || {
                    bio_target(bio, slot.entry, bcount, status)
                });
            }
            if is_watched() {
                if let (true, Some(account), Some(end)) =
                    (cgroups_enabled(), account, end_of(transition))
                {
                    // Not that of the bio, which may have been passed on to another disk.
                    self.end_of_cgroup(here, Some(bio), account.disk_key(), &end);
                }
                if done_is_traced() {
                    self.bio_done(here, slot.entry, bio, status, bcount);
                }
            }
        }
        self.release(here.probe, slot);
    }

    /// The end of a bio of `bcount` bytes, for the tracepoints of the io provider. Its disk may have left.
    #[cold]
    fn bio_done(
        &self,
        here: ProbeContext<'_>,
        entry: &Entry,
        bio: SharedBio<'_>,
        status: blk_status_t,
        bcount: u64,
    ) {
        let done = IoResult {
            outcome: COMPLETED,
            error: errno(status),
            bcount,
            resid: bcount.wrapping_sub(entry.bytes()),
            times: entry.times(here.now),
        };
        self.trace_done(entry, &done, || {
            let account = self.account_in(here.probe, entry)?;
            Some(asked(account, entry, bio, bcount))
        });
    }
}

/// The end of a bio that moved no data.
#[cold]
fn count_without_data(account: &Account, bio: SharedBio<'_>, service_ns: u64) {
    let op = if bio.is_flush() { op::FLUSH } else { bio.op() };
    if let Some(event) = DiskEvent::of_op(op) {
        account.count_event(event);
        if event == DiskEvent::Flushes {
            account.add_event(DiskEvent::FlushNs, service_ns);
        }
    }
}

fn asked<'a>(
    account: &'a Account,
    entry: &Entry,
    bio: SharedBio<'_>,
    bcount: u64,
) -> IoRequest<'a> {
    IoRequest {
        account,
        op: bio.op(),
        is_sync: bio.is_sync(),
        bcount,
        sector: entry.sector(),
        end_io: bio.end_io(),
        is_own: true,
    }
}
