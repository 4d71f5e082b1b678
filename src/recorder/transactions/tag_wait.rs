// SPDX-License-Identifier: GPL-2.0

//! I/Os whose submitter waits for a tag: see `src/acct/tag_wait.rs`.

use super::{
    super::{
        account::{
            id::AccountId, //
            Account,
        },
        context::ProbeContext,
        tracker::Tracker, //
    },
    request, //
};
use crate::{
    acct::{
        disk_event::DiskEvent,
        fast::DIRECT,
        tag_wait::WaitBegin, //
    },
    kernel_ext::block::request::Request,
};

impl Tracker {
    /// `block_rq_tag_wait`: the current task is about to sleep until it has a tag of the disk at this address.
    pub(in crate::recorder) fn tag_wait(&self, here: ProbeContext<'_>, disk: u64) {
        let Some(account) = self.account_of(here.probe, disk, 0) else {
            return;
        };
        account.count_event(DiskEvent::TagWaits);
        match self.tag_waits().begin(account.handle().bits(), here.now) {
            WaitBegin::Again => return,
            WaitBegin::New => (),
            WaitBegin::InsteadOf(other) => {
                // No I/O has started after the earlier wait, which was for another disk. That disk
                // may have been removed.
                let other = self.accounts().get(here.probe, AccountId::from_bits(other));
                if let Some(other) = other {
                    other.leave_tag_wait(here.now, here.cpu);
                }
            }
            WaitBegin::NoRoom => return account.count_event(DiskEvent::TableOverflows),
        }
        account.enter_tag_wait(here);
    }

    /// `block_io_start` of a request whose submitter has waited for a tag since `since`.
    #[cold]
    #[inline(never)]
    pub(super) fn io_start_after_tag_wait(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        rq: Request<'_>,
        since: u64,
    ) {
        let mut start = request(account, rq);
        // Recorded directly at the root, where the submitter waited. With several hardware queues,
        // the next I/O of this entry does not take the fast path.
        let hctx = core::mem::replace(&mut start.hctx, DIRECT);
        let begin = self.begin_after_tag_wait(here, account, rq.key(), since, |entry| {
            entry.start_waiting(&start, since);
        });
        let Some(entry) = begin.filter(|_| !account.has_leaves()) else {
            return;
        };
        if let Some(source) = account.source(rq, hctx, here.now) {
            let may = || account.may_be_remembered_by(source);
            entry.remember(source, account.memory(), may);
        }
    }
}
