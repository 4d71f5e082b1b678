// SPDX-License-Identifier: GPL-2.0

//! What each event of the block layer means for the I/O it is about.
//!
//! Each handler looks the I/O and its account up, then reads the clock and records with
//! interrupts off: probes are called with preemption on, and a step must be whole before a
//! completion on the same CPU can take the next.

use super::{
    account::Account,
    listener::{
        Done,
        Event,
        Listener, //
    },
    State,
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
        inflight::{
            Claim,
            Slot, //
        },
        verb::Verb, //
    },
    kernel_ext::{
        block::{
            bio::Bio,
            disk::Disk,
            errno,
            request::Request, //
        },
        class::Disks,
        clock::now_ns,
        interrupt::InterruptsOff,
        published::InProbe, //
    },
};
use core::sync::atomic::Ordering::Relaxed;
use kernel::prelude::*;

fn tag(is_flush: bool) -> Tag {
    if is_flush {
        Tag::Ordered
    } else {
        Tag::Simple
    }
}

impl<L: Listener> State<L> {
    /// `block_io_start`: a request is accepted.
    #[inline(always)]
    pub(super) fn io_start(&self, probe: &InProbe<'_>, rq: &Request<'_>) {
        if !self.armed.load(Relaxed) {
            return;
        }
        let disk = rq.disk();
        let Some(account) = self.registry.find(probe, disk) else {
            return;
        };
        let start = Start {
            disk,
            number: account.identity().number,
            class: Class::of(rq.op(), rq.bytes()),
            tag: tag(rq.is_flush()),
            sector: rq.sector(),
        };
        let begin = |entry: &Entry, now| entry.start_waiting(&start, now);
        if let Some(slot) = self.begin(probe, account, rq.key(), begin) {
            if L::watches_start() {
                L::start(&Event {
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
    }

    /// `block_rq_issue`: the driver starts a request.
    #[inline(always)]
    pub(super) fn rq_issue(&self, probe: &InProbe<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.find(rq.key()) {
            self.step(probe, slot.entry, Entry::issue);
            return;
        }
        // Never accepted: the flush machinery's own, or from before recording began.
        if !self.armed.load(Relaxed) {
            return;
        }
        let disk = rq.disk();
        let Some(account) = self.registry.find(probe, disk) else {
            return;
        };
        let start = Start {
            disk,
            number: account.identity().number,
            class: Class::NoData,
            tag: Tag::Simple,
            sector: rq.sector(),
        };
        let begin = |entry: &Entry, now| entry.run_uncounted(&start, now);
        self.begin(probe, account, rq.key(), begin);
    }

    /// `block_rq_requeue`: a request goes back to wait.
    #[inline(always)]
    pub(super) fn rq_requeue(&self, probe: &InProbe<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.find(rq.key()) {
            self.step(probe, slot.entry, Entry::requeue);
        }
    }

    /// `block_rq_merge`: a request becomes part of another.
    #[inline(always)]
    pub(super) fn rq_merge(&self, probe: &InProbe<'_>, rq: &Request<'_>) {
        if let Some(slot) = self.find(rq.key()) {
            self.step(probe, slot.entry, |entry, now| Some(entry.merge(now)));
            slot.release();
        }
    }

    /// `block_rq_complete`: (part of) a request is done.
    #[inline(always)]
    pub(super) fn rq_complete(
        &self,
        probe: &InProbe<'_>,
        rq: &Request<'_>,
        status: kernel::bindings::blk_status_t,
        nr_bytes: u32,
    ) {
        let Some(slot) = self.find(rq.key()) else {
            return;
        };
        let completion = Completion {
            bytes: if status == 0 { u64::from(nr_bytes) } else { 0 },
            whole: nr_bytes >= rq.bytes() || !rq.has_bio(),
            flush_sequence: rq.is_flush_sequence(),
        };
        let complete = |entry: &Entry, now| entry.complete(&completion, now);
        let Some((now, verb, account)) = self.step(probe, slot.entry, complete) else {
            if completion.whole && !completion.flush_sequence {
                // The disk has left.
                slot.release();
            }
            return;
        };
        if verb == Verb::RunqBackToWaitq {
            return;
        }
        if L::watches_done() && slot.entry.is_counted() {
            let resid = if status == 0 { 0 } else { u64::from(nr_bytes) };
            L::done(&Event {
                id: slot.entry.id(),
                account,
                op: rq.op(),
                is_sync: rq.is_sync(),
                bcount: slot.entry.bytes().wrapping_add(resid),
                sector: slot.entry.sector(),
                end_io: rq.end_io(),
                bio: rq.bio(),
                done: Some(Done {
                    error: errno(status),
                    resid,
                    times: slot.entry.times(now),
                }),
            });
        }
        slot.release();
    }

    /// `block_bio_queue`: a bio is submitted.
    #[inline(always)]
    pub(super) fn bio_queue(&self, probe: &InProbe<'_>, bio: &Bio<'_>) {
        if !bio.is_for_bio_based() || !self.armed.load(Relaxed) {
            return;
        }
        let disk = bio.disk();
        let Some(account) = self.registry.find(probe, disk) else {
            return;
        };
        let start = Start {
            disk,
            number: account.identity().number,
            class: Class::of(bio.op(), bio.bytes()),
            tag: tag(bio.is_flush()),
            sector: bio.sector(),
        };
        let begin = |entry: &Entry, now| entry.start_running(&start, bio.bytes(), now);
        if let Some(slot) = self.begin(probe, account, bio.key(), begin) {
            if L::watches_start() {
                L::start(&Event {
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
    }

    /// `block_bio_complete`: a bio is done.
    #[inline(always)]
    pub(super) fn bio_complete(&self, probe: &InProbe<'_>, bio: &Bio<'_>) {
        let Some(slot) = self.find(bio.key()) else {
            return;
        };
        let status = bio.status();
        let bcount = slot.entry.bytes();
        if status != 0 {
            slot.entry.fail();
        }
        let completion = Completion {
            bytes: 0,
            whole: true,
            flush_sequence: false,
        };
        let complete = |entry: &Entry, now| entry.complete(&completion, now);
        if let Some((now, _, account)) = self.step(probe, slot.entry, complete) {
            if L::watches_done() {
                // A bio may have been sent on to another disk as it is.
                let stayed = bio.disk() == slot.entry.disk();
                L::done(&Event {
                    id: slot.entry.id(),
                    account,
                    op: bio.op(),
                    is_sync: bio.is_sync(),
                    bcount,
                    sector: slot.entry.sector(),
                    end_io: bio.end_io(),
                    bio: stayed.then(|| bio.reborrow()),
                    done: Some(Done {
                        error: errno(status),
                        resid: bcount.wrapping_sub(slot.entry.bytes()),
                        times: slot.entry.times(now),
                    }),
                });
            }
        }
        slot.release();
    }

    #[inline(always)]
    fn find(&self, key: u64) -> Option<Slot<'_>> {
        self.inflight().find(key)
    }

    /// Begins following an I/O: takes a slot for it and records what `begin` makes of it.
    #[inline(always)]
    fn begin(
        &self,
        probe: &InProbe<'_>,
        account: &Account,
        key: u64,
        begin: impl FnOnce(&Entry, u64) -> Verb,
    ) -> Option<Slot<'_>> {
        let interrupts = InterruptsOff::new();
        let slot = match self.inflight().claim(key) {
            Some(Claim::New(slot)) => slot,
            Some(Claim::Stale(slot)) => {
                self.abandon(probe, slot.entry);
                slot
            }
            None => {
                self.untracked.fetch_add(1, Relaxed);
                return None;
            }
        };
        let now = now_ns();
        account.record(begin(slot.entry, now), now, &interrupts);
        Some(slot)
    }

    /// Records what `step` makes of an I/O that is followed, if anything. Tells the time, the
    /// step and the account; [`None`] if nothing was recorded.
    #[inline(always)]
    fn step<'a>(
        &'a self,
        probe: &'a InProbe<'_>,
        entry: &Entry,
        step: impl FnOnce(&Entry, u64) -> Option<Verb>,
    ) -> Option<(u64, Verb, &'a Account)> {
        let account = self.registry.find(probe, entry.disk());
        let interrupts = InterruptsOff::new();
        let now = now_ns();
        let verb = step(entry, now)?;
        // The address of a disk that has left may be another's now.
        let account = account.filter(|account| account.identity().number == entry.number())?;
        account.record(verb, now, &interrupts);
        Some((now, verb, account))
    }

    /// Takes an I/O out of its account whose memory has a new owner though it never ended.
    #[cold]
    fn abandon(&self, probe: &InProbe<'_>, entry: &Entry) {
        self.abandoned.fetch_add(1, Relaxed);
        self.step(probe, entry, |entry, now| Some(entry.abandon(now)));
    }

    /// A new id for an I/O whose start is watched.
    fn next_id(&self, entry: &Entry) -> u64 {
        let id = self.last_id.fetch_add(1, Relaxed).wrapping_add(1);
        entry.set_id(id);
        id
    }
}

impl<L: Listener> Disks for State<L> {
    fn arrived(&self, disk: &Disk<'_>) {
        if let Err(error) = self.registry.add(disk) {
            let name = disk.name();
            pr_warn!("{}: not recorded: {:?}\n", name.as_str(), error);
        }
    }

    fn leaves(&self, disk: &Disk<'_>) {
        self.registry.remove(disk);
    }
}
