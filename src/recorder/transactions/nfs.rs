// SPDX-License-Identifier: GPL-2.0

//! Calls of READ, WRITE and COMMIT of an NFS client. They have no wait queue. `src/hooks/nfs.c` lists the events
//! that are probed.

use super::super::{
    account::Account,
    context::ProbeContext,
    provider::{
        done_is_traced,
        IoRequest,
        IoResult,
        COMPLETED, //
    },
    tracker::Tracker, //
};
use crate::{
    acct::{
        class::{
            Class,
            Tag, //
        },
        entry::{
            Completion,
            Start, //
        }, //
    },
    glue::{
        io_events::FilePosition,
        nfs::{
            Inode,
            Io, //
        }, //
    },
    kernel_ext::{
        published::InProbe,
        task::current_pid, //
    },
};

/// log2 of the bytes of a block, the unit of `b_blkno`.
const SECTOR_SHIFT: u32 = 9;

/// The offset of the call in its file, in sectors.
fn sector(io: &Io) -> u64 {
    // CAST: An offset in a file is not negative.
    io.offset as u64 >> SECTOR_SHIFT
}

impl Tracker {
    /// The client sends a call.
    pub(in crate::recorder) fn nfs_start(&self, here: ProbeContext<'_>, io: &Io) {
        let Some(account) = self.account_of(here.probe, io.mount, 0) else {
            return;
        };
        let start = Start {
            account: account.handle().bits(),
            hctx: 0,
            class: Class::of(io.op, io.bytes),
            tag: Tag::None,
            sector: sector(io),
            pid: current_pid(),
        };
        self.begin(here, account, io.key, start.hctx, true, |entry| {
            entry.start_running(&start, 0, here.now)
        });
    }

    /// The start of a call, for the tracepoints of the io provider.
    #[cold]
    pub(in crate::recorder) fn nfs_start_trace(
        &self,
        probe: InProbe<'_>,
        io: &Io,
        inode: Inode<'_>,
    ) {
        let Some(slot) = self.find(io.key) else {
            return;
        };
        if let Some(account) = self.account_in(probe, slot.entry) {
            let file = FilePosition {
                inode,
                offset: io.offset,
                is_direct: io.is_direct,
            };
            self.trace_start_of_file(slot.entry, &asked(account, io), &file);
        }
    }

    /// The server has replied: `bytes` are done, or an error.
    pub(in crate::recorder) fn nfs_done(
        &self,
        here: ProbeContext<'_>,
        io: &Io,
        bytes: u32,
        error: i32,
    ) {
        let Some(slot) = self.find(io.key) else {
            return;
        };
        let completion = Completion {
            bytes: u64::from(bytes),
            whole: true,
            flush_sequence: false,
        };
        if let Some(transition) = slot.entry.complete(&completion, here.now) {
            // The mount may have left.
            let _ = self.record(here, slot.entry, transition);
            if done_is_traced() {
                let bcount = u64::from(io.bytes);
                let done = IoResult {
                    outcome: COMPLETED,
                    error,
                    bcount,
                    resid: bcount.wrapping_sub(u64::from(bytes)),
                    times: slot.entry.times(here.now),
                };
                self.trace_done(slot.entry, &done, || {
                    let account = self.account_in(here.probe, slot.entry)?;
                    Some(asked(account, io))
                });
            }
        }
        self.release(here.probe, slot);
    }
}

fn asked<'a>(account: &'a Account, io: &Io) -> IoRequest<'a> {
    IoRequest {
        account,
        op: io.op,
        // It is not known whether a thread waits for the call.
        is_sync: true,
        bcount: u64::from(io.bytes),
        sector: sector(io),
        end_io: 0,
        is_own: true,
    }
}
