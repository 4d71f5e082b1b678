// SPDX-License-Identifier: GPL-2.0

//! What the probes work on: the I/Os in flight and the accounts they are recorded in.

use super::{
    account::Account,
    accounts::{
        AccountId, //
        Accounts,
    },
    entries::InFlightEntries,
    provider::done_is_traced,
    transactions::regions, //
};
use crate::{
    acct::{
        disk_event::DiskEvent,
        entry::Entry,
        fast::Fresh,
        inflight::{
            Claim,
            Claimed, //
            Part,
        },
        transition::Transition, //
    },
    kernel_ext::{
        io_events::{
            IoTraceRecords, //
            Number,
        },
        percpu::ThisCpu,
        published::InProbe,
        tag_waits::TagWaits, //
    },
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Whose share of the reserve an I/O uses of a disk that had none when it began. No handle: there are fewer places.
const COMMON: u64 = u64::MAX;

/// What every handler of an event is given besides the event.
#[derive(Clone, Copy)]
pub(super) struct ProbeContext<'a> {
    /// It runs in a probe.
    pub(super) probe: InProbe<'a>,
    /// On this CPU, with interrupts off.
    pub(super) cpu: ThisCpu<'a>,
    /// At this time, ns.
    pub(super) now: u64,
}

/// Follows I/Os from their start to their end.
#[pin_data]
pub(crate) struct Tracker {
    #[pin]
    entries: InFlightEntries,
    #[pin]
    accounts: Accounts,
    /// I/Os for which the table had no room.
    untracked: AtomicU64,
    /// I/Os whose end was not reported.
    abandoned: AtomicU64,
    /// Completions of I/Os that are not in the table.
    unmarked: AtomicU64,
    tag_waits: Arc<TagWaits>,
    /// The latest id given to a wait.
    last_wait: AtomicU64,
}

impl Tracker {
    /// Follows at least `ios` I/Os at a time, or as many as suit the machine if that is 0. May sleep;
    /// `ENOMEM`.
    pub(super) fn new(ios: usize) -> Result<Arc<Self>> {
        let entries = InFlightEntries::new(ios)?;
        let tag_waits = Arc::new(TagWaits::new()?, GFP_KERNEL)?;
        let tracker = try_pin_init!(Tracker {
            entries <- entries,
            accounts <- Accounts::new(),
            untracked: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
            unmarked: AtomicU64::new(0),
            tag_waits,
            last_wait: AtomicU64::new(0),
        });
        let tracker = Arc::pin_init(tracker, GFP_KERNEL)?;
        tracker.entries.share_room();
        Ok(tracker)
    }

    /// The accounts that probes find.
    pub(super) fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// The account of the disk at this address, and whether it has partitions, if that is where it is
    /// looked for first.
    #[inline(always)]
    pub(super) fn disk_at_home<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
    ) -> Option<(&'a Account, bool)> {
        self.accounts.of_disk_at_home(probe, disk)
    }

    /// The account that an I/O to this block device of this disk is recorded in.
    pub(super) fn account_of<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
        block_device: u64,
    ) -> Option<&'a Account> {
        self.accounts.of(probe, disk, block_device)
    }

    /// The account an I/O is in, unless its disk has left.
    #[inline(always)]
    pub(super) fn account_in<'a>(
        &'a self,
        probe: InProbe<'a>,
        entry: &Entry,
    ) -> Option<&'a Account> {
        let handle = AccountId::from_bits(entry.account());
        self.accounts.get(probe, handle)
    }

    /// The entries of all I/Os.
    pub(super) fn entries(&self) -> &InFlightEntries {
        &self.entries
    }

    /// The entry in which the I/O at an address is looked for first.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn home(&self, key: u64) -> &Entry {
        self.entries.home(key)
    }

    /// Those where I/Os are looked for first.
    #[inline(always)]
    pub(super) fn table(&self) -> Part<'_> {
        self.entries.main()
    }

    /// The entry of the I/O at `key`, an address the caller owns, wherever it is.
    #[inline(always)]
    pub(super) fn find(&self, key: u64) -> Option<Claimed<'_>> {
        match self.table().find_home(key) {
            Some(slot) => Some(slot),
            None => self.find_slow(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn find_slow(&self, key: u64) -> Option<Claimed<'_>> {
        self.entries.table().find(key)
    }

    /// An I/O has ended: its entry is given back, and what it used of its disk's share.
    #[inline(always)]
    pub(super) fn release(&self, probe: InProbe<'_>, slot: Claimed<'_>) {
        match slot.holder() {
            None => slot.release(),
            Some(holder) => {
                let holder = holder.get();
                slot.release();
                self.release_share(probe, holder);
            }
        }
    }

    /// One I/O less is in the reserve of this disk, if it is still there, or of those without a share.
    #[cold]
    #[inline(never)]
    fn release_share(&self, probe: InProbe<'_>, holder: u64) {
        if holder == COMMON {
            self.entries.common().release();
        } else if let Some(account) = self.accounts.get(probe, AccountId::from_bits(holder)) {
            account.share().release();
        }
    }

    /// Begins following an I/O: takes an entry for it and records what `begin` makes of it. Without
    /// room for it, an I/O is untracked if that was its start.
    pub(super) fn begin(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        key: u64,
        hctx: u16,
        is_start: bool,
        begin: impl FnOnce(&Entry) -> Transition,
    ) -> Option<&Entry> {
        let entry = self.claim(here, account, key, is_start)?;
        account.record(begin(entry), hctx, here.now, here.cpu);
        Some(entry)
    }

    /// Takes an entry for an I/O that begins. Without room for it, it is untracked if that was its start.
    fn claim(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        key: u64,
        is_start: bool,
    ) -> Option<&Entry> {
        let disk = account.disk().unwrap_or(account);
        // Once: the disk may get a share of its own meanwhile.
        let share = disk.share().or(self.entries.common());
        let slot = match self.entries.table().claim(key, share) {
            Some(Claim::New(slot)) => slot,
            Some(Claim::Stale(slot)) => {
                // Its memory has a new owner though it never ended.
                self.abandoned.fetch_add(1, Relaxed);
                slot.entry.generalize(key, || Fresh::UNKNOWN);
                if done_is_traced() {
                    self.trace_abandoned(slot.entry, here.now);
                }
                if let Some(account) = self.record(here, slot.entry, slot.entry.abandon()) {
                    account.count_event(DiskEvent::Abandoned);
                    regions::undo_start(here, account, slot.entry);
                }
                if let Some(holder) = slot.holder() {
                    self.release_share(here.probe, holder.get());
                    share.take_over();
                }
                slot
            }
            None => {
                self.untracked.fetch_add(u64::from(is_start), Relaxed);
                account.count_event(DiskEvent::TableOverflows);
                if is_start {
                    account.count_event(DiskEvent::Untracked);
                }
                return None;
            }
        };
        if let Some(holder) = slot.holder() {
            let is_own = core::ptr::eq(share, disk.share());
            holder.set(if is_own { disk.handle().bits() } else { COMMON });
        }
        Some(slot.entry)
    }

    /// Begins following an I/O whose submitter has waited for a tag since then, in the disk's wait queue.
    pub(super) fn begin_after_tag_wait(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        key: u64,
        since: u64,
        begin: impl FnOnce(&Entry),
    ) -> Option<&Entry> {
        let Some(entry) = self.claim(here, account, key, true) else {
            account
                .disk()
                .unwrap_or(account)
                .leave_tag_wait(here.now, here.cpu);
            return None;
        };
        begin(entry);
        account.start_after_tag_wait(here, since);
        Some(entry)
    }

    /// Records what became of an I/O that is followed. Tells its account; [`None`] if that is no
    /// more.
    pub(super) fn record<'a>(
        &'a self,
        here: ProbeContext<'a>,
        entry: &Entry,
        transition: Transition,
    ) -> Option<&'a Account> {
        let account = self.account_in(here.probe, entry)?;
        account.record(transition, entry.hctx(), here.now, here.cpu);
        Some(account)
    }

    /// The tasks that wait for tags.
    pub(super) fn tag_waits(&self) -> &Arc<TagWaits> {
        &self.tag_waits
    }

    /// A new id for a wait.
    pub(super) fn next_wait(&self) -> u64 {
        self.last_wait.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// State of the io provider: records and traces of I/Os.
    pub(super) fn records(&self) -> &IoTraceRecords {
        self.entries.records()
    }

    /// Which record is that of an entry.
    pub(super) fn number(&self, entry: &Entry) -> Number {
        let number = self.entries.number(entry);
        number.map_or(Number::NONE, |(part, index)| Number::new(part, index))
    }

    /// I/Os that could not be followed because the table had no room.
    pub(super) fn untracked(&self) -> u64 {
        self.untracked.load(Relaxed)
    }

    /// I/Os that vanished without an end and were closed when their memory was used again.
    pub(super) fn abandoned(&self) -> u64 {
        self.abandoned.load(Relaxed)
    }

    /// Somebody completed what is not followed.
    pub(super) fn count_unmarked(&self, account: &Account) {
        self.unmarked.fetch_add(1, Relaxed);
        account.count_event(DiskEvent::Unmarked);
    }

    /// Something happened to the disk at this address that is only counted.
    pub(super) fn count_event(&self, probe: InProbe<'_>, disk: u64, event: DiskEvent) {
        if let Some(account) = self.account_of(probe, disk, 0) {
            account.count_event(event);
        }
    }

    /// Completions of I/Os that are not followed.
    pub(super) fn unmarked(&self) -> u64 {
        self.unmarked.load(Relaxed)
    }

    /// I/Os in flight as the table has them.
    pub(super) fn tracked(&self) -> usize {
        self.entries.table().in_use()
    }
}
