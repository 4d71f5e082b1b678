// SPDX-License-Identifier: GPL-2.0

//! The memory of the table of I/Os in flight: its main part, and the reserve, which grows with the
//! disks.

use super::account::Account;
#[cfg(target_arch = "x86_64")]
use crate::acct::inflight::{
    hash,
    HASH_SHIFT, //
};
use crate::{
    acct::{
        counter::Counter,
        entry::Entry,
        fast::{
            barrier,
            Memory, //
        },
        inflight::{
            InFlightTable,
            Part,
            Passed,
            ReserveCount,
            ReservePart,
            Share,
            BUCKET, //
        }, //
    },
    glue::{
        io_events::{
            IoTraceRecords,
            PARTS, //
        },
        records::{
            self,
            Absent, //
        }, //
    },
    kernel_ext::{
        masked::Masked,
        memory,
        once::OnceBox,
        percpu::PerCpu,
        task::cond_resched,
        zeroed::zeroed_vec, //
    }, //
};
use core::{
    mem::size_of,
    ops::RangeInclusive, //
};
use kernel::{
    alloc::KVVec,
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// Valid numbers of I/Os to track at a time, as a parameter: the entries of the largest take 1 GiB.
pub(super) const IOS: RangeInclusive<u32> = 64..=1 << 22;

/// Entries of the main part without the parameter `inflight`: 1 to 16 MiB.
const USUAL: RangeInclusive<usize> = 1 << 13..=1 << 17;

/// The divisor of the machine's memory that gives the memory of these entries, between the bounds
/// above.
const USUAL_SHARE: u64 = 256;

/// The divisor of the machine's memory that gives the maximum memory of the reserve.
const RESERVE_SHARE: u64 = 64;

/// Entries in the smallest part of the reserve.
const LEAST: usize = 512;

/// The maximum number of I/Os for which one disk is promised room.
const MOST_OF_A_DISK: usize = 4096;

/// The number of I/Os that have room in the share common to all disks without a promise of their
/// own.
const COMMON_IOS: usize = 1024;

/// Entries that are visited without a pause.
const BATCH: usize = 1 << 12;

/// All entries.
#[pin_data]
pub(super) struct InFlightEntries {
    entries: Masked<Entry>,
    passed: KVVec<Passed>,
    reserve: [OnceBox<Extension>; PARTS - 1],
    held: ReserveCount,
    /// The share of disks that have no promise yet.
    common: Share,
    /// I/Os for which disks are promised room in the reserve, besides [`COMMON_IOS`].
    #[pin]
    promised: Mutex<usize>,
    /// The record of the io events for each entry.
    records: IoTraceRecords,
    absent: Arc<PerCpu<Absent>>,
    /// For I/Os on the fast path whose account leaves before they end. Nothing is recorded there.
    sink: Arc<records::Records>,
}

/// A part of the reserve.
pub(super) struct Extension {
    entries: KVVec<Entry>,
    passed: KVVec<Passed>,
    holders: KVVec<Counter>,
}

impl Extension {
    fn new(entries: usize) -> Result<KBox<Self>> {
        let part = Extension {
            entries: zeroed_vec(entries)?,
            passed: zeroed_vec(entries / BUCKET)?,
            holders: zeroed_vec(entries)?,
        };
        Ok(KBox::new(part, GFP_KERNEL)?)
    }
}

impl ReservePart for OnceBox<Extension> {
    fn part(&self) -> Option<Part<'_>> {
        let part = self.get()?;
        Some(Part::of_reserve(&part.entries, &part.passed, &part.holders))
    }
}

impl InFlightEntries {
    /// Creates the entries, with room for `ios` I/Os in the main part, or, if that is 0, for a number that
    /// depends on the memory of the machine. The reserve is empty: see [`InFlightEntries::share_room`]. May
    /// sleep; `ENOMEM`.
    pub(super) fn new(ios: usize) -> Result<impl PinInit<Self>> {
        let len = if ios == 0 {
            usual()
        } else {
            Part::entries_for(ios)
        };
        let entries = Masked::new(zeroed_vec(len)?)?;
        let passed = zeroed_vec(len / BUCKET)?;
        let records = IoTraceRecords::new(len)?;
        let absent = Absent::new()?;
        let sink = records::Records::new(absent.clone(), 0, None)?;
        Ok(pin_init!(InFlightEntries {
            entries,
            passed,
            reserve: [const { OnceBox::new() }; PARTS - 1],
            held: ReserveCount::default(),
            common: Share::default(),
            promised <- new_mutex!(0),
            records,
            absent,
            sink,
        }))
    }

    /// The main part, in which the search for an I/O begins.
    #[inline(always)]
    pub(super) fn main(&self) -> Part<'_> {
        Part::main(self.entries.all(), &self.passed)
    }

    /// The entry in which the I/O at an address is looked for first.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn home(&self, key: u64) -> &Entry {
        self.entries.by_hash::<HASH_SHIFT>(hash(key))
    }

    /// Makes the I/Os of `account` that start from here on take the general path, until entries remember it
    /// again: see `acct/fast.rs`. May sleep.
    pub(super) fn forget(&self, account: &Account) {
        let memory = account.memory();
        barrier();
        self.each(|entry| entry.forget(memory));
    }

    /// Makes all entries that refer to `account`, which is being removed, refer to the sink instead. After the call, only
    /// probes that are already running may use the memory of `account`. May sleep.
    pub(super) fn give_up(&self, account: &Account) {
        account.set_leaves_now();
        let (memory, sink) = (account.memory(), self.sink_memory());
        barrier();
        self.each(|entry| entry.replace(memory, sink));
    }

    /// The memory that entries refer to after their account has left. No CPU has a record there.
    fn sink_memory(&self) -> Memory {
        Memory {
            records: self.sink.places(),
            root: 0,
        }
    }

    fn each(&self, work: impl Fn(&Entry)) {
        for entries in self.entries.all().chunks(BATCH) {
            entries.iter().for_each(&work);
            cond_resched();
        }
    }

    /// The whole table: all entries in which an I/O can be.
    pub(super) fn table(&self) -> InFlightTable<'_, OnceBox<Extension>> {
        InFlightTable::new(self.main(), &self.reserve, &self.held)
    }

    /// The main part, and those of the reserve.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let reserve = self.reserve.iter().map_while(ReservePart::part);
        Iterator::chain(core::iter::once(self.main()), reserve)
    }

    /// The records that accounts use in place of missing ones.
    pub(super) fn absent(&self) -> Arc<PerCpu<Absent>> {
        self.absent.clone()
    }

    /// State of the io provider: records and traces of I/Os.
    pub(super) fn records(&self) -> &IoTraceRecords {
        &self.records
    }

    /// The part that an entry is in, and its number there.
    pub(super) fn number(&self, entry: &Entry) -> Option<(usize, usize)> {
        if let Some(index) = self.main().number(entry) {
            return Some((0, index));
        }
        let mut parts = (1..).zip(self.reserve.iter().map_while(ReservePart::part));
        parts.find_map(|(number, part)| Some((number, part.number(entry)?)))
    }

    /// I/Os that all disks together can have in flight without losing any.
    pub(super) fn ios(&self) -> usize {
        Part::ios_in(self.entries.all().len())
    }

    /// Adds room in the reserve for disks that have no promise, unless there is no memory for it. May sleep.
    pub(super) fn share_room(&self) {
        let promised = self.promised.lock();
        if self
            .reserve_room(promised.saturating_add(COMMON_IOS))
            .is_ok()
        {
            self.common.set_most(COMMON_IOS as u64);
        }
    }

    /// The share of the reserve that disks without a promise use together.
    pub(super) fn common(&self) -> &Share {
        &self.common
    }

    /// I/Os for which disks are promised room, besides the common share.
    pub(super) fn promised(&self) -> usize {
        *self.promised.lock()
    }

    /// Takes back a promise of room for so many I/Os.
    pub(super) fn withdraw(&self, ios: usize) {
        let mut promised = self.promised.lock();
        *promised = promised.saturating_sub(ios);
    }

    /// Ensures that the reserve has room for so many more I/Os. Returns for how many it has; 0 if
    /// there is no memory. May sleep.
    pub(super) fn promise(&self, ios: usize) -> usize {
        let ios = ios.min(MOST_OF_A_DISK);
        let mut promised = self.promised.lock();
        let needed = promised.saturating_add(ios);
        if self
            .reserve_room(needed.saturating_add(COMMON_IOS))
            .is_err()
        {
            return 0;
        }
        *promised = needed;
        ios
    }

    /// Ensures that the reserve has room for so many I/Os. One call at a time; may sleep. `ENOMEM`.
    fn reserve_room(&self, needed: usize) -> Result {
        let lens = || {
            self.reserve
                .iter()
                .filter_map(|part| Some(part.get()?.entries.len()))
        };
        let room = lens().map(Part::ios_in).fold(0, usize::saturating_add);
        if let Some(missing) = needed.checked_sub(room).filter(|missing| *missing != 0) {
            let missing = Part::entries_for(missing).max(LEAST);
            let len = lens().fold(0, usize::saturating_add);
            // Doubles the reserve, so that the number of parts stays small.
            if self.extend(len, missing.max(len)).is_err() {
                self.extend(len, missing)?;
            }
        }
        Ok(())
    }

    /// Adds a part of so many entries, a power of two, to the reserve, which has `len`. `ENOMEM`, also if the
    /// reserve would become too large.
    fn extend(&self, len: usize, more: usize) -> Result {
        let bytes = len.saturating_add(more).saturating_mul(size_of::<Entry>());
        if bytes as u64 > memory::total_bytes() / RESERVE_SHARE {
            return Err(ENOMEM);
        }
        let mut empty = self.reserve.iter().filter(|part| part.get().is_none());
        let place = empty.next().ok_or(ENOMEM)?;
        let part = Extension::new(more.next_power_of_two())?;
        // Before any of its entries can be found.
        self.records.add(part.entries.len())?;
        place.set(part).map_err(|_| ENOMEM)
    }
}

/// Entries that suit the machine, a power of two.
fn usual() -> usize {
    let bytes = memory::total_bytes() / USUAL_SHARE;
    let entries = usize::try_from(bytes).unwrap_or(usize::MAX) / size_of::<Entry>();
    // Rounded up: a machine with 2 GiB reports a little less, as the kernel has reserved a part. Clamped first, so that
    // there is a next power of two.
    entries
        .clamp(*USUAL.start(), *USUAL.end())
        .next_power_of_two()
}
