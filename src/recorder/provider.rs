// SPDX-License-Identifier: GPL-2.0

//! Describes I/Os in the terms of DTrace's io provider, for its tracepoints.

use super::{
    account::Account,
    tracker::Tracker, //
};
use crate::{
    acct::{
        class::op,
        entry::{
            Entry,
            Times, //
        }, //
    },
    glue::io_events::{
        flag,
        outcome,
        Bufinfo,
        Ended,
        FilePosition, //
    },
    kernel_ext::{
        block::bio::Bio,
        published::InProbe, //
    },
};

/// The description of an I/O at its start.
pub(super) struct IoRequest<'a> {
    /// The account of the disk or partition.
    pub(super) account: &'a Account,
    /// `REQ_OP_*`.
    pub(super) op: u8,
    /// Whether `REQ_SYNC` is set: a task waits for it.
    pub(super) is_sync: bool,
    /// Bytes.
    pub(super) bcount: u64,
    /// First sector on the whole disk.
    pub(super) sector: u64,
    /// Address of its completion function or that of its first bio, or 0.
    pub(super) end_io: u64,
    /// Whether the current task submitted it: see `iostat_trace_start()`.
    pub(super) is_own: bool,
}

/// How an I/O ended.
pub(super) struct IoResult {
    /// `COMPLETED` and so on.
    pub(super) outcome: u32,
    /// Positive errno, or 0.
    pub(super) error: i32,
    /// Bytes requested, without those that failed before.
    pub(super) bcount: u64,
    /// Bytes of these that were not transferred.
    pub(super) resid: u64,
    /// Its times in the queues.
    pub(super) times: Times,
}

pub(super) use crate::glue::io_events::{
    done_enabled as done_is_traced,
    outcome::{
        COMPLETED,
        MERGED,
        REFUSED, //
    }, //
    watched as is_watched,
};

impl Tracker {
    /// Traces the start of an I/O. Interrupts are as in the submitter.
    #[inline]
    pub(super) fn trace_start(&self, entry: &Entry, asked: &IoRequest<'_>, bio: Option<Bio<'_>>) {
        let (number, dev) = (self.number(entry), asked.account.devinfo());
        self.records()
            .start(number, &bufinfo(asked), dev, bio, asked.is_own);
    }

    /// `block_bio_backmerge`, `block_bio_frontmerge`: a bio becomes part of a request. Called by its
    /// submitter while `io:merge` is enabled.
    #[cold]
    pub(super) fn bio_merge_trace(&self, probe: InProbe<'_>, bio: Bio<'_>) {
        let Some(account) = self.account_of(probe, bio.disk(), bio.block_device()) else {
            return;
        };
        let asked = IoRequest {
            account,
            op: bio.op(),
            is_sync: bio.is_sync(),
            bcount: u64::from(bio.bytes()),
            sector: bio.sector(),
            end_io: bio.end_io(),
            is_own: true,
        };
        self.records()
            .merge(&bufinfo(&asked), account.devinfo(), bio);
    }

    /// Traces the start of an I/O to a file, which has no bio. Interrupts are as in the submitter.
    #[cold]
    pub(super) fn trace_start_of_file(
        &self,
        entry: &Entry,
        asked: &IoRequest<'_>,
        file: &FilePosition<'_>,
    ) {
        let dev = asked.account.devinfo();
        let number = self.number(entry);
        self.records()
            .start_of_file(number, &bufinfo(asked), dev, file);
    }

    /// Traces the end of an I/O. `asked` describes the I/O if its start was not traced; it returns [`None`] if the
    /// disk has left, and then nothing is traced. Any context.
    #[inline(always)]
    pub(super) fn trace_done<'a>(
        &self,
        entry: &Entry,
        done: &IoResult,
        asked: impl FnOnce() -> Option<IoRequest<'a>>,
    ) {
        let ended = ended(done);
        if !self.records().done(self.number(entry), &ended) {
            self.trace_done_unseen(&ended, asked);
        }
    }

    #[cold]
    #[inline(never)]
    fn trace_done_unseen<'a>(&self, ended: &Ended, asked: impl FnOnce() -> Option<IoRequest<'a>>) {
        if let Some(asked) = asked() {
            let dev = asked.account.devinfo();
            self.records().done_unseen(&bufinfo(&asked), dev, ended);
        }
    }

    /// Traces the end of an I/O of which only the start is known. Any context.
    #[cold]
    pub(super) fn trace_abandoned(&self, entry: &Entry, now: u64) {
        if entry.is_counted() {
            let gone = IoResult {
                outcome: outcome::ABANDONED,
                error: 0,
                bcount: 0,
                resid: 0,
                times: entry.times(now),
            };
            // Without a record of its start there is nothing to trace.
            let _ = self.records().done(self.number(entry), &ended(&gone));
        }
    }

    /// Records that a part of an I/O has failed, while the rest goes on. Any context.
    #[cold]
    pub(super) fn trace_failure(&self, entry: &Entry, bytes: u32) {
        self.records().fail(self.number(entry), bytes);
    }
}

/// The direction of the data: as in illumos' `buf`, reads and everything else. `DRV_IN` is also the operation of passthrough
/// commands without data.
pub(super) fn direction(op: u8, has_data: bool) -> u32 {
    match op {
        op::READ => flag::B_READ,
        op::DRV_IN if has_data => flag::B_READ,
        _ => flag::B_WRITE,
    }
}

/// The `b_flags` that an operation has.
fn flags(asked: &IoRequest<'_>) -> u32 {
    let flags = direction(asked.op, asked.bcount != 0);
    match asked.is_sync {
        true => flags,
        false => flags | flag::B_ASYNC,
    }
}

/// Lengths are 32 bits in a `buf`.
fn saturate(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn bufinfo(asked: &IoRequest<'_>) -> Bufinfo {
    Bufinfo {
        id: 0,
        b_flags: flags(asked),
        b_bcount: saturate(asked.bcount),
        b_bufsize: saturate(asked.bcount),
        b_edev: asked.account.identity().dev,
        b_addr: 0,
        b_blkno: asked.sector,
        b_lblkno: asked.sector.wrapping_sub(asked.account.start_sector()),
        b_iodone: asked.end_io,
    }
}

fn ended(done: &IoResult) -> Ended {
    Ended {
        b_resid: saturate(done.resid),
        b_error: done.error,
        wait_ns: done.times.wait_ns,
        service_ns: done.times.service_ns,
        outcome: done.outcome,
        b_bcount: saturate(done.bcount),
    }
}
