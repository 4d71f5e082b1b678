// SPDX-License-Identifier: GPL-2.0

//! Tasks that wait for a tag of a disk, in the wait queue of its account: see `src/acct/tag_wait.rs`.

use super::{
    super::context::ProbeContext,
    Account, //
};
use crate::{
    acct::{
        busy::Extra,
        fast::DIRECT,
        transition::Transition, //
    },
    kernel_ext::percpu::ThisCpu,
};

impl Account {
    /// A task enters the wait queue of the disk, in place of its I/O.
    pub(in crate::recorder) fn enter_tag_wait(&self, here: ProbeContext<'_>) {
        self.record(Transition::WaitqEnter, DIRECT, here.now, here.cpu);
        // Added after the step: otherwise an I/O that is alone in the wait queue could remove the
        // extra.
        self.root.gauge.add(Extra::TagWaits);
    }

    /// A task leaves the wait queue without an I/O in its place.
    #[cold]
    pub(in crate::recorder) fn leave_tag_wait(&self, now: u64, cpu: ThisCpu<'_>) {
        self.record(Transition::WaitqExit, DIRECT, now, cpu);
    }

    /// Ends the wait of the current task, which has got a tag of the disk, and returns since when it has waited. The
    /// task is still counted in the wait queue. For the account of a disk.
    pub(in crate::recorder) fn end_tag_wait(&self) -> Option<u64> {
        let tag_waits = self.tag_waits.as_ref()?;
        tag_waits.end(self.handle.bits())
    }

    /// Ends the wait of the current task for a tag of the disk of this account; [`None`] if no task waits.
    #[inline(always)]
    pub(in crate::recorder) fn end_any_tag_wait(&self) -> Option<u64> {
        let disk = self.disk().unwrap_or(self);
        if !disk.root.gauge.has(Extra::TagWaits) {
            return None;
        }
        disk.end_tag_wait()
    }

    /// An I/O starts whose submitter has waited for a tag since `since`. It is recorded at the
    /// root, as its submitter was.
    pub(in crate::recorder) fn start_after_tag_wait(&self, here: ProbeContext<'_>, since: u64) {
        let Some(disk) = self.disk() else {
            return self.record(Transition::StartInWaitq, DIRECT, here.now, here.cpu);
        };
        let waited = Transition::WaitedBefore(here.now.wrapping_sub(since));
        self.record(Transition::StartWaitqEnter, DIRECT, here.now, here.cpu);
        self.record(waited, DIRECT, here.now, here.cpu);
        // The submitter leaves the wait queue of the disk, in which the partition's record now
        // counts the I/O.
        disk.record(Transition::WaitqExit, DIRECT, here.now, here.cpu);
    }
}
