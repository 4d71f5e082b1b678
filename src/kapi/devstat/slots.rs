// SPDX-License-Identifier: GPL-2.0

//! The table by which a transaction finds the account of its entry, with an [`EntryId`] and without a lock.

use crate::{
    kernel_ext::{
        once::OnceBox,
        percpu::ThisCpu,
        published::{
            InterruptsOff,
            Node,
            Published, //
        },
    },
    recorder::{
        account::Account,
        accounts::FoundAccount, //
    },
};
use kernel::prelude::*;
use pin_init::init_array_from_fn;

/// The identifier of an entry: a number that is never used again, the number of its slot, and a lowest bit that
/// is set, unlike in any address of a `struct devstat`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::kapi) struct EntryId(u64);

const SLOT_BITS: u32 = 16;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;

impl EntryId {
    /// The handle of no entry.
    pub(in crate::kapi) const NONE: EntryId = EntryId(0);

    pub(super) fn new(number: u64, slot: usize) -> Self {
        // CAST: 16 bits.
        let slot = slot as u64 & SLOT_MASK;
        EntryId(number << (SLOT_BITS + 1) | slot << 1 | 1)
    }

    /// Makes a handle of a number from a client. Every use of a handle checks it.
    #[inline(always)]
    pub(in crate::kapi) fn from_bits(bits: u64) -> Self {
        EntryId(bits)
    }

    pub(in crate::kapi) fn bits(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        // CAST: 16 bits.
        (self.0 >> 1 & SLOT_MASK) as usize
    }
}

/// The content of a slot.
pub(super) struct SlotEntry {
    pub(super) handle: EntryId,
    pub(super) account: FoundAccount,
}

const BANK: usize = 256;
const BANKS: usize = (SLOT_MASK as usize + 1) / BANK;

type EntrySlot = Published<SlotEntry, InterruptsOff>;

/// All slots. They are allocated in banks, which are freed only with the table.
pub(super) struct Slots {
    banks: KVec<OnceBox<[EntrySlot; BANK]>>,
}

impl Slots {
    /// Creates a table without slots. May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        let mut banks = KVec::with_capacity(BANKS, GFP_KERNEL)?;
        for _ in 0..BANKS {
            banks.push(OnceBox::new(), GFP_KERNEL)?;
        }
        Ok(Slots { banks })
    }

    /// Returns the account of the entry with this handle.
    #[inline(always)]
    pub(super) fn get<'a>(&'a self, handle: EntryId, cpu: ThisCpu<'a>) -> Option<&'a Account> {
        let entry = self.slot(handle.slot())?.get(cpu)?;
        (entry.handle == handle).then_some(&entry.account)
    }

    #[inline(always)]
    fn slot(&self, slot: usize) -> Option<&EntrySlot> {
        self.banks.get(slot / BANK)?.get()?.get(slot % BANK)
    }

    /// Allocates the bank of this slot unless it exists. May sleep. `ENOSPC` if the number is too large,
    /// `ENOMEM`.
    pub(super) fn prepare(&self, slot: usize) -> Result {
        let bank = self.banks.get(slot / BANK).ok_or(ENOSPC)?;
        if bank.get().is_none() {
            // Initialised in place: it is too large for the stack.
            let new = init_array_from_fn(|_| EntrySlot::new());
            let _ = bank.set(KBox::init(new, GFP_KERNEL)?);
        }
        Ok(())
    }

    /// Stores an entry in the slot of its handle, or empties the slot. Transactions that are being recorded at
    /// the same time may still use the former entry.
    pub(super) fn put(&self, handle: EntryId, entry: Option<KBox<Node<SlotEntry>>>) {
        if let Some(slot) = self.slot(handle.slot()) {
            slot.replace(entry);
        }
    }
}
