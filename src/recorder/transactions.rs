// SPDX-License-Identifier: GPL-2.0

//! What each event of the block layer means for the I/O it is about.
//!
//! The handlers run with interrupts off: a step must be whole before a completion on the same CPU
//! can take the next. Only what tells of I/Os that start runs as the submitter does.

use super::{
    account::Account,
    provider::{
        self,
        Done,
        Event, //
    },
    tracker::{
        Here,
        Tracker, //
    },
};
use crate::{
    acct::{
        class::{
            Class,
            Tag, //
        },
        entry::{
            Completion,
            Entry,
            Start, //
        },
        verb::Verb, //
    },
    kernel_ext::{
        block::{
            bio::Bio,
            errno,
            request::Request, //
        },
        published::InProbe, //
    },
};
use kernel::bindings::blk_status_t;

fn tag(is_flush: bool) -> Tag {
    if is_flush {
        Tag::Ordered
    } else {
        Tag::Simple
    }
}

/// What is known of a request at its start.
#[inline(always)]
fn request(account: &Account, rq: &Request<'_>) -> Start {
    Start {
        account: account.handle().bits(),
        leaf: if account.has_leaves() {
            rq.hardware_queue()
        } else {
            0
        },
        class: Class::of(rq.op(), rq.bytes()),
        tag: tag(rq.is_flush()),
        sector: rq.sector(),
    }
}

/// Whether nothing of a request remains when so many bytes are complete.
#[inline(always)]
pub(super) fn is_whole(rq: &Request<'_>, nr_bytes: u32) -> bool {
    nr_bytes >= rq.bytes() || !rq.has_bio()
}

/// Bytes of them that were transferred without error.
#[inline(always)]
fn done(status: blk_status_t, nr_bytes: u32) -> u64 {
    if status == 0 {
        u64::from(nr_bytes)
    } else {
        0
    }
}

/// The three events of most I/Os, for most I/Os: those whose entry is where it is looked for first,
/// and to which nothing special happens. All others are left to a second function, which
/// is general. What is here calls nothing, and so needs no stack.
impl Tracker {
    /// `block_io_start`: a request is accepted.
    #[inline(always)]
    pub(super) fn io_start(&self, here: Here<'_>, rq: &Request<'_>) {
        if !self.is_armed() {
            return;
        }
        let Some(account) = self.account_of(here.probe, rq.disk()) else {
            return;
        };
        let Some(slot) = self.table().claim_home(rq.key()) else {
            return self.io_start_further(here, account, rq);
        };
        let start = request(account, rq);
        let verb = slot.entry.start_waiting(&start, here.now);
        account.record(verb, start.leaf, here.now, here.cpu);
    }

    /// `block_rq_issue`: the driver starts a request.
    #[inline(always)]
    pub(super) fn rq_issue(&self, here: Here<'_>, rq: &Request<'_>) {
        let Some(slot) = self.table().find_home(rq.key()) else {
            return self.rq_issue_further(here, rq);
        };
        if let Some(verb) = slot.entry.issue(here.now) {
            if let Some(account) = self.account_in(here.probe, slot.entry) {
                account.record(verb, slot.entry.leaf(), here.now, here.cpu);
            }
        }
    }

    /// `block_rq_complete`: (part of) a request is done.
    #[inline(always)]
    pub(super) fn rq_complete(
        &self,
        here: Here<'_>,
        rq: &Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        let further = || self.rq_complete_further(here, rq, status, nr_bytes);
        if rq.is_marked() {
            return self.rq_complete_marked(here, rq, status, nr_bytes);
        }
        if provider::watches_done() || !is_whole(rq, nr_bytes) || rq.is_flush_sequence() {
            return further();
        }
        let Some(slot) = self.table().find_home(rq.key()) else {
            return further();
        };
        let Some(account) = self.account_in(here.probe, slot.entry) else {
            return further();
        };
        let Some(end) = slot
            .entry
            .complete_plainly(done(status, nr_bytes), here.now)
        else {
            return further();
        };
        let verb = Verb::RunqExitEnd(end);
        account.record(verb, slot.entry.leaf(), here.now, here.cpu);
        slot.release();
    }
}

impl Tracker {
    #[cold]
    #[inline(never)]
    fn io_start_further(&self, here: Here<'_>, account: &Account, rq: &Request<'_>) {
        let start = request(account, rq);
        self.begin(here, account, rq.key(), start.leaf, true, |entry| {
            entry.start_waiting(&start, here.now)
        });
    }

    /// `block_io_start` again, for those who watch.
    #[cold]
    pub(super) fn io_start_watched(&self, probe: InProbe<'_>, rq: &Request<'_>) {
        // Still the submitter's, so its entry cannot change hands.
        let Some(slot) = self.table().find(rq.key()) else {
            return;
        };
        if let Some(account) = self.account_in(probe, slot.entry) {
            provider::start(&Event {
                id: self.next_id(slot.entry),
                account,
                op: rq.op(),
                is_sync: rq.is_sync(),
                bcount: u64::from(rq.bytes()),
                sector: rq.sector(),
                end_io: rq.end_io(),
                bio: rq.bio(),
                done: None,
            });
        }
    }

    #[cold]
    #[inline(never)]
    fn rq_issue_further(&self, here: Here<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.table().find(rq.key()) {
            if let Some(verb) = slot.entry.issue(here.now) {
                self.record(here, slot.entry, verb);
            }
            return;
        }
        // Never accepted: the flush machinery's own, or from before recording began.
        if !self.is_armed() {
            return;
        }
        let Some(account) = self.account_of(here.probe, rq.disk()) else {
            return;
        };
        let start = Start {
            class: Class::NoData,
            tag: Tag::Simple,
            ..request(account, rq)
        };
        self.begin(here, account, rq.key(), start.leaf, false, |entry| {
            entry.run_uncounted(&start, here.now)
        });
    }

    /// `block_rq_requeue`: a request goes back to wait.
    pub(super) fn rq_requeue(&self, here: Here<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.table().find(rq.key()) {
            if let Some(verb) = slot.entry.requeue(here.now) {
                self.record(here, slot.entry, verb);
            }
        }
    }

    /// `block_rq_merge`: a request becomes part of another.
    pub(super) fn rq_merge(&self, here: Here<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.table().find(rq.key()) {
            self.record(here, slot.entry, slot.entry.merge(here.now));
            slot.release();
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn rq_complete_further(
        &self,
        here: Here<'_>,
        rq: &Request<'_>,
        status: blk_status_t,
        nr_bytes: u32,
    ) {
        let Some(slot) = self.table().find(rq.key()) else {
            return;
        };
        let completion = Completion {
            bytes: done(status, nr_bytes),
            whole: is_whole(rq, nr_bytes),
            flush_sequence: rq.is_flush_sequence(),
        };
        let Some(verb) = slot.entry.complete(&completion, here.now) else {
            return;
        };
        let account = self.record(here, slot.entry, verb);
        if verb == Verb::RunqBackToWaitq {
            return;
        }
        if provider::watches_done() {
            if let Some(account) = account {
                rq_done(here, account, slot.entry, rq, status, nr_bytes);
            }
        }
        slot.release();
    }

    /// `block_bio_queue`: a bio is submitted to a disk whose driver takes bios as they are.
    #[inline(always)]
    pub(super) fn bio_queue(&self, here: Here<'_>, bio: &Bio<'_>, cpu: u32) {
        if !self.is_armed() {
            return;
        }
        let Some(account) = self.account_of(here.probe, bio.disk()) else {
            return;
        };
        let start = Start {
            account: account.handle().bits(),
            // CAST: One gauge for all CPUs whose numbers end in the same bits.
            leaf: cpu as u16,
            class: Class::of(bio.op(), bio.bytes()),
            tag: tag(bio.is_flush()),
            sector: bio.sector(),
        };
        self.begin(here, account, bio.key(), start.leaf, true, |entry| {
            entry.start_running(&start, bio.bytes(), here.now)
        });
    }

    /// The same, for those who watch.
    #[cold]
    pub(super) fn bio_queue_watched(&self, probe: InProbe<'_>, bio: &Bio<'_>) {
        let Some(slot) = self.table().find(bio.key()) else {
            return;
        };
        if let Some(account) = self.account_in(probe, slot.entry) {
            provider::start(&Event {
                id: self.next_id(slot.entry),
                account,
                op: bio.op(),
                is_sync: bio.is_sync(),
                bcount: u64::from(bio.bytes()),
                sector: bio.sector(),
                end_io: bio.end_io(),
                bio: Some(bio.reborrow()),
                done: None,
            });
        }
    }

    /// `block_bio_complete`: a bio is done.
    #[inline(always)]
    pub(super) fn bio_complete(&self, here: Here<'_>, bio: &Bio<'_>, status: blk_status_t) {
        let Some(slot) = self.table().find(bio.key()) else {
            return;
        };
        let bcount = slot.entry.bytes();
        if status != 0 {
            slot.entry.fail();
        }
        let completion = Completion {
            bytes: 0,
            whole: true,
            flush_sequence: false,
        };
        if let Some(verb) = slot.entry.complete(&completion, here.now) {
            let account = self.record(here, slot.entry, verb);
            if provider::watches_done() {
                if let Some(account) = account {
                    // A bio may have been sent on to another disk as it is.
                    let stayed = self
                        .account_of(here.probe, bio.disk())
                        .is_some_and(|other| other.handle() == account.handle());
                    bio_done(here, account, slot.entry, bio, status, bcount, stayed);
                }
            }
        }
        slot.release();
    }
}

/// The end of a request, for those who watch.
#[cold]
fn rq_done(
    here: Here<'_>,
    account: &Account,
    entry: &Entry,
    rq: &Request<'_>,
    status: blk_status_t,
    nr_bytes: u32,
) {
    if !entry.is_counted() {
        return;
    }
    let resid = if status == 0 { 0 } else { u64::from(nr_bytes) };
    provider::done(&Event {
        id: entry.id(),
        account,
        op: rq.op(),
        is_sync: rq.is_sync(),
        bcount: entry.bytes().wrapping_add(resid),
        sector: entry.sector(),
        end_io: rq.end_io(),
        bio: rq.bio(),
        done: Some(Done {
            error: errno(status),
            resid,
            times: entry.times(here.now),
        }),
    });
}

/// The end of a bio of `bcount` bytes, for those who watch.
#[cold]
fn bio_done(
    here: Here<'_>,
    account: &Account,
    entry: &Entry,
    bio: &Bio<'_>,
    status: blk_status_t,
    bcount: u64,
    stayed: bool,
) {
    provider::done(&Event {
        id: entry.id(),
        account,
        op: bio.op(),
        is_sync: bio.is_sync(),
        bcount,
        sector: entry.sector(),
        end_io: bio.end_io(),
        bio: stayed.then(|| bio.reborrow()),
        done: Some(Done {
            error: errno(status),
            resid: bcount.wrapping_sub(entry.bytes()),
            times: entry.times(here.now),
        }),
    });
}
