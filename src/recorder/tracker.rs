// SPDX-License-Identifier: GPL-2.0

//! The data of the probes: the I/Os in flight, and the accounts in which they are recorded.

use super::{
    account::{
        id::AccountId,
        Account, //
    },
    accounts::Accounts,
    cgroups::Cgroups,
    context::ProbeContext,
    entries::InFlightEntries,
    provider::done_is_traced,
    slow::SpareRings,
    transactions::regions, //
};
use crate::{
    acct::{
        disk_event::DiskEvent,
        entry::Entry,
        fast::Fresh,
        inflight::{
            Claim,
            Claimed,
            Part, //
        },
        transition::Transition, //
    },
    glue::{
        io_events::{
            IoTraceRecords,
            Number, //
        },
        tag_waits::TagWaits, //
    },
    kernel_ext::published::{
        InProbe,
        Published, //
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

/// The holder of I/Os in the reserve of disks that had no share when the I/O began. Differs from all account ids.
const COMMON_HOLDER: u64 = u64::MAX;

/// Tracks I/Os from their start to their end.
#[pin_data]
pub(crate) struct Tracker {
    #[pin]
    entries: InFlightEntries,
    #[pin]
    accounts: Accounts,
    /// I/Os that were not tracked because the table was full.
    untracked: AtomicU64,
    /// I/Os that ended without an event.
    abandoned: AtomicU64,
    /// Completions of I/Os that are not in the table.
    unmatched_completions: AtomicU64,
    tag_waits: Arc<TagWaits>,
    spare_rings: Arc<SpareRings>,
    /// The accounts by cgroup, while there are any.
    cgroups: Published<Arc<Cgroups>>,
    /// The latest id of a wait.
    last_wait: AtomicU64,
}

impl Tracker {
    /// Creates a tracker of at least `ios` I/Os at a time, or of a number that depends on the memory of the machine if
    /// that is 0. May sleep; `ENOMEM`.
    pub(super) fn new(ios: usize) -> Result<Arc<Self>> {
        let entries = InFlightEntries::new(ios)?;
        let tag_waits = Arc::new(TagWaits::new()?, GFP_KERNEL)?;
        let spare_rings = Arc::new(SpareRings::new()?, GFP_KERNEL)?;
        let tracker = try_pin_init!(Tracker {
            entries <- entries,
            accounts <- Accounts::new(),
            untracked: AtomicU64::new(0),
            abandoned: AtomicU64::new(0),
            unmatched_completions: AtomicU64::new(0),
            tag_waits,
            spare_rings,
            cgroups: Published::new(),
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

    /// The account of the disk at this address, and whether it has partitions. Looks at the first cell only.
    #[inline(always)]
    pub(super) fn disk_at_home<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
    ) -> Option<(&'a Account, bool)> {
        self.accounts.of_disk_at_home(probe, disk)
    }

    /// The account in which an I/O to this block device of this disk is recorded.
    pub(super) fn account_of<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
        block_device: u64,
    ) -> Option<&'a Account> {
        self.accounts.of(probe, disk, block_device)
    }

    /// The account of an I/O; [`None`] if its disk was removed.
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

    /// The entry at which the search for the I/O at an address begins.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn home(&self, key: u64) -> &Entry {
        self.entries.home(key)
    }

    /// The entries at which searches begin.
    #[inline(always)]
    pub(super) fn table(&self) -> Part<'_> {
        self.entries.main()
    }

    /// The entry of the I/O at `key`, an address that the caller owns. Searches the whole table.
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

    /// Releases the entry of an I/O that has ended, and its part of the share of its disk.
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

    /// Releases a part of the share of this disk, unless the disk was removed, or of the share of disks without their own.
    #[cold]
    #[inline(never)]
    fn release_share(&self, probe: InProbe<'_>, holder: u64) {
        if holder == COMMON_HOLDER {
            self.entries.common().release();
        } else if let Some(account) = self.accounts.get(probe, AccountId::from_bits(holder)) {
            account.share().release();
        }
    }

    /// Begins to track an I/O: takes an entry for it and records the transition that `begin` returns. If the table is
    /// full and this was the start of the I/O, it is counted as untracked.
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

    /// Takes an entry for an I/O. If the table is full and this was the start of the I/O, it is counted as untracked.
    fn claim(
        &self,
        here: ProbeContext<'_>,
        account: &Account,
        key: u64,
        is_start: bool,
    ) -> Option<&Entry> {
        let disk = account.disk().unwrap_or(account);
        // Evaluated once, as the disk may get a share of its own meanwhile.
        let share = disk.share().or(self.entries.common());
        let slot = match self.entries.table().claim(key, share) {
            Some(Claim::New(slot)) => slot,
            Some(Claim::Stale(slot)) => {
                // The earlier I/O at this address ended without an event.
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
            holder.set(if is_own {
                disk.handle().bits()
            } else {
                COMMON_HOLDER
            });
        }
        Some(slot.entry)
    }

    /// Begins to track an I/O whose submitter has waited for a tag since `since`, in the disk's wait queue.
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

    /// Records a transition of a tracked I/O. Returns its account; [`None`] if that was removed.
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

    /// Rings for slow I/Os of disks that have none.
    pub(super) fn spare_rings(&self) -> &Arc<SpareRings> {
        &self.spare_rings
    }

    /// The accounts by cgroup.
    #[inline(always)]
    pub(super) fn cgroups(&self) -> &Published<Arc<Cgroups>> {
        &self.cgroups
    }

    /// A new id for a wait.
    pub(super) fn next_wait(&self) -> u64 {
        self.last_wait.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// State of the io provider: records and traces of I/Os.
    pub(super) fn records(&self) -> &IoTraceRecords {
        self.entries.records()
    }

    /// The index of the record of an entry.
    pub(super) fn number(&self, entry: &Entry) -> Number {
        let number = self.entries.number(entry);
        number.map_or(Number::NONE, |(part, index)| Number::new(part, index))
    }

    /// I/Os that were not tracked because the table was full.
    pub(super) fn untracked(&self) -> u64 {
        self.untracked.load(Relaxed)
    }

    /// I/Os that ended without an event, found when the memory of the request was reused.
    pub(super) fn abandoned(&self) -> u64 {
        self.abandoned.load(Relaxed)
    }

    /// Counts a completion of an I/O that is not in the table.
    pub(super) fn count_unmatched_completion(&self, account: &Account) {
        self.unmatched_completions.fetch_add(1, Relaxed);
        account.count_event(DiskEvent::UnmatchedCompletion);
    }

    /// Counts an event of the disk at this address.
    pub(super) fn count_event(&self, probe: InProbe<'_>, disk: u64, event: DiskEvent) {
        if let Some(account) = self.account_of(probe, disk, 0) {
            account.count_event(event);
        }
    }

    /// Completions of I/Os that are not in the table.
    pub(super) fn unmatched_completions(&self) -> u64 {
        self.unmatched_completions.load(Relaxed)
    }

    /// I/Os in the table.
    pub(super) fn tracked(&self) -> usize {
        self.entries.table().in_use()
    }
}
