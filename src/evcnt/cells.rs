// SPDX-License-Identifier: GPL-2.0

//! The words that event counters count in: one for each counter and CPU, found by a [`CounterId`] without a lock.
//!
//! The words are in banks, which are freed only with the whole table. A thread that counts with an outdated
//! handle finds a cell with another owner, and counts nothing. Cells are not cleared either: the count of a
//! counter is the sum of its words minus their sum at the time when the counter got its cell.

use crate::{
    acct::counter::Counter,
    kernel_ext::{
        once::OnceBox,
        percpu::PerCpu, //
    }, //
};
use core::sync::atomic::{
    fence,
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};
use kernel::prelude::*;
use pin_init::init_array_from_fn;

/// The identifier of an event counter: the lower bits are the number of its cell, the upper bits a number that
/// is never used again. Later handles are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CounterId(u64);

const CELL_BITS: u32 = 20;
const CELL_MASK: u64 = (1 << CELL_BITS) - 1;

impl CounterId {
    /// The handle of no counter: no cell has it as its owner.
    pub(crate) const NONE: CounterId = CounterId(0);

    fn new(number: u64, cell: usize) -> Self {
        // CAST: A cell is below 2^20.
        CounterId(number << CELL_BITS | cell as u64 & CELL_MASK)
    }

    /// Makes a handle of a number from a client. Every use of a handle checks it.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u64) -> Self {
        CounterId(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// Returns the next greater handle.
    pub(crate) fn after(self) -> Self {
        CounterId(self.0.saturating_add(1))
    }

    /// Returns the handle of the counter that is `index` places behind this one in its group.
    pub(super) fn plus(self, index: usize) -> Self {
        CounterId(self.0.saturating_add((index as u64) << CELL_BITS))
    }

    #[inline(always)]
    fn cell(self) -> usize {
        // CAST: 20 bits.
        (self.0 & CELL_MASK) as usize
    }
}

const BANK: usize = 512;
const BANKS: usize = 256;

// The greatest cell number is `END`.
const _: () = assert!(BANK * BANKS <= CELL_MASK as usize);

struct Bank {
    /// The handle of the owner. In a free cell: the number of the next free cell, which is never equal to a
    /// valid handle.
    owners: [AtomicU64; BANK],
    /// The sum of the words at which the count of a counter is 0.
    bases: [AtomicU64; BANK],
    words: PerCpu<[Counter; BANK]>,
}

/// All cells.
pub(super) struct Cells {
    banks: KVec<OnceBox<Bank>>,
}

/// The free cells, as a list linked through their `owners`, oldest first. A mutable reference to this list
/// serialises all functions that allocate and release cells.
pub(super) struct Free {
    first: usize,
    last: usize,
    banks: usize,
    next_number: u64,
}

/// The end of a list; no cell has this number.
const END: usize = CELL_MASK as usize;

impl Free {
    pub(super) const fn new() -> Self {
        Free {
            first: END,
            last: END,
            banks: 0,
            next_number: 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first == END
    }

    /// Returns the first of `len` handles that no cell has.
    pub(super) fn take_numbers(&mut self, len: usize) -> CounterId {
        let first = CounterId::new(self.next_number, END);
        self.next_number = self.next_number.wrapping_add(len as u64);
        first
    }
}

/// Memory for one more bank of cells.
pub(super) struct Growth(KBox<Bank>);

impl Growth {
    /// Allocates the memory. May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        let zeros = || init_array_from_fn(|_| AtomicU64::new(0));
        // Initialised in place: it is too large for the stack.
        let bank = try_init!(Bank {
            owners <- zeros(),
            bases <- zeros(),
            words: PerCpu::new()?,
        });
        Ok(Growth(KBox::init(bank, GFP_KERNEL)?))
    }
}

impl Cells {
    /// Creates a table without cells. May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        let mut banks = KVec::with_capacity(BANKS, GFP_KERNEL)?;
        for _ in 0..BANKS {
            banks.push(OnceBox::new(), GFP_KERNEL)?;
        }
        Ok(Cells { banks })
    }

    #[inline(always)]
    fn at(&self, cell: usize) -> Option<(&Bank, usize)> {
        Some((self.banks.get(cell / BANK)?.get()?, cell % BANK))
    }

    /// Returns the bank of the cell that a handle owns, and its index in the bank.
    #[inline(always)]
    fn owned(&self, handle: CounterId) -> Option<(&Bank, usize)> {
        let (bank, index) = self.at(handle.cell())?;
        let owner = bank.owners.get(index)?.load(Acquire);
        (owner == handle.0 && handle.0 > CELL_MASK).then_some((bank, index))
    }

    /// Adds to a count, on this CPU. Does nothing if the handle is invalid. Any context but NMI.
    ///
    /// The cell may get another owner between the check and the addition, which is then credited to that owner.
    /// This can happen only if a thread counts with a counter that is being detached and, as the oldest free
    /// cell is allocated first, as many counters as there are free cells are attached in between. The
    /// documentation forbids the former; to exclude it would cost every addition some instructions.
    #[inline(always)]
    pub(super) fn add(&self, handle: CounterId, value: u64) {
        if let Some((bank, index)) = self.owned(handle) {
            bank.words.add(index, value);
        }
    }

    /// Sets a count. Returns `false` and changes nothing if the handle is invalid. Any context but NMI.
    /// Additions of other CPUs at the same time are counted before or after the change. If two threads set a
    /// counter at the same time, one of the calls has no effect.
    pub(super) fn set(&self, handle: CounterId, count: u64) -> bool {
        let Some((bank, index)) = self.owned(handle) else {
            return false;
        };
        let Some(base) = bank.bases.get(index) else {
            return false;
        };
        // `base` is read before the owner is checked again: if the cell gets another owner after that check,
        // the new owner has a new base, and the exchange fails. (As with `add`, only a thread that sets a
        // counter which is being detached can get here, and only the base of a counter that has counted nothing
        // can be equal.)
        let old = base.load(Acquire);
        if self.owned(handle).is_none() {
            return false;
        }
        let new = bank.sum(index).wrapping_sub(count);
        let _ = base.compare_exchange(old, new, Relaxed, Relaxed);
        true
    }

    /// Returns a count; [`None`] if the handle is invalid. Any context.
    pub(super) fn get(&self, handle: CounterId) -> Option<u64> {
        let (bank, index) = self.owned(handle)?;
        let count = bank.sum(index).wrapping_sub(bank.base(index)?);
        // The owner is checked again after the words were read: a new owner is stored before any of its
        // additions.
        fence(Acquire);
        self.owned(handle).map(|_| count)
    }

    /// Allocates a free cell to a counter whose count starts at `count`. Returns [`None`] if no cell is free.
    pub(super) fn take(&self, free: &mut Free, count: u64) -> Option<CounterId> {
        let cell = free.first;
        let (bank, index) = self.at(cell)?;
        let owner = bank.owners.get(index)?;
        // CAST: The owner word of a free cell is the number of a cell.
        free.first = owner.load(Relaxed) as usize;
        if free.first == END {
            free.last = END;
        }
        let base = bank.sum(index).wrapping_sub(count);
        bank.bases.get(index)?.store(base, Relaxed);
        let handle = CounterId::new(free.next_number, cell);
        free.next_number = free.next_number.wrapping_add(1);
        owner.store(handle.0, Release);
        Some(handle)
    }

    /// Releases a cell and returns the count of its counter. The cell is put at the end of the free list.
    pub(super) fn release(&self, free: &mut Free, handle: CounterId) -> Option<u64> {
        let count = self.get(handle)?;
        self.put_last(free, handle.cell())?;
        Some(count)
    }

    fn put_last(&self, free: &mut Free, cell: usize) -> Option<()> {
        let owner = |cell| {
            let (bank, index): (&Bank, usize) = self.at(cell)?;
            bank.owners.get(index)
        };
        owner(cell)?.store(END as u64, Release);
        match owner(free.last) {
            Some(last) => last.store(cell as u64, Release),
            None => free.first = cell,
        }
        free.last = cell;
        Some(())
    }

    /// Returns whether there may be one more bank.
    pub(super) fn can_grow(free: &Free) -> bool {
        free.banks < BANKS
    }

    /// Adds a bank of free cells.
    pub(super) fn grow(&self, free: &mut Free, growth: Growth) {
        let Some(place) = self.banks.get(free.banks) else {
            return;
        };
        if place.set(growth.0).is_ok() {
            let start = free.banks.saturating_mul(BANK);
            for cell in start..start.saturating_add(BANK) {
                let _ = self.put_last(free, cell);
            }
            free.banks = free.banks.saturating_add(1);
        }
    }
}

impl Bank {
    fn sum(&self, index: usize) -> u64 {
        let words = self.words.iter().filter_map(|words| words.get(index));
        words.fold(0, |sum: u64, word| sum.wrapping_add(word.get()))
    }

    fn base(&self, index: usize) -> Option<u64> {
        Some(self.bases.get(index)?.load(Relaxed))
    }
}
