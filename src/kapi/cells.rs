// SPDX-License-Identifier: GPL-2.0

//! Where event counters count: a word for each of them and CPU, found by a [`Handle`] without a lock.
//!
//! The words are in banks, which are never freed before all is: whoever counts with a handle that is
//! no longer good finds a cell that has another owner, and counts nothing. Cells are not
//! cleared either. What a counter has is what its words have come to since it got its cell.

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

/// What an event counter is known by: in the lower bits its cell, above them a number that is
/// never used again. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle(u64);

const CELL_BITS: u32 = 20;
const CELL_MASK: u64 = (1 << CELL_BITS) - 1;

impl Handle {
    /// Of nothing: no cell has it for its owner.
    pub(crate) const NONE: Handle = Handle(0);

    fn new(number: u64, cell: usize) -> Self {
        // CAST: A cell is below 2^20.
        Handle(number << CELL_BITS | cell as u64 & CELL_MASK)
    }

    /// Of whatever somebody says is one.
    #[inline(always)]
    pub(super) fn from_bits(bits: u64) -> Self {
        Handle(bits)
    }

    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// The least that is greater.
    pub(crate) fn after(self) -> Self {
        Handle(self.0.saturating_add(1))
    }

    #[inline(always)]
    fn cell(self) -> usize {
        // CAST: 20 bits.
        (self.0 & CELL_MASK) as usize
    }
}

const BANK: usize = 512;
const BANKS: usize = 256;

// The last number is no cell's.
const _: () = assert!(BANK * BANKS <= CELL_MASK as usize);

struct Bank {
    /// The handle; of a free cell, the number of the next free one, which no handle is.
    owners: [AtomicU64; BANK],
    /// What the words add up to when a counter is 0.
    bases: [AtomicU64; BANK],
    words: PerCpu<[Counter; BANK]>,
}

/// All of them.
pub(super) struct Cells {
    banks: KVec<OnceBox<Bank>>,
}

/// The free ones, oldest first, as a list through their `owners`. Whoever may change it may give out and
/// take back cells.
pub(super) struct Free {
    first: usize,
    last: usize,
    banks: usize,
    next_number: u64,
}

/// No cell, at the end of a list.
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
}

/// Memory for more cells.
pub(super) struct Growth(KBox<Bank>);

impl Growth {
    /// May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        let zeros = || init_array_from_fn(|_| AtomicU64::new(0));
        // In its place from the start: the stack has no room for it.
        let bank = try_init!(Bank {
            owners <- zeros(),
            bases <- zeros(),
            words: PerCpu::new()?,
        });
        Ok(Growth(KBox::init(bank, GFP_KERNEL)?))
    }
}

impl Cells {
    /// None yet. May sleep; `ENOMEM`.
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

    /// The bank and the place in it of the cell that a handle owns.
    #[inline(always)]
    fn owned(&self, handle: Handle) -> Option<(&Bank, usize)> {
        let (bank, index) = self.at(handle.cell())?;
        let owner = bank.owners.get(index)?.load(Acquire);
        (owner == handle.0 && handle.0 > CELL_MASK).then_some((bank, index))
    }

    /// Counts, on this CPU; nothing if the handle is no longer good. In any context, NMIs excepted.
    ///
    /// Between the question and the count the cell may get another owner, which then has the count. That
    /// takes one who counts while the counter is detached, and, as the oldest free cell is given out first,
    /// as many attachments as there are free cells meanwhile. Clients are told not to; to exclude it would cost
    /// each count something.
    #[inline(always)]
    pub(super) fn add(&self, handle: Handle, value: u64) {
        if let Some((bank, index)) = self.owned(handle) {
            bank.words.add(index, value);
        }
    }

    /// Sets what a counter has; false if the handle is not valid, and nothing is changed then. In any
    /// context, NMIs excepted. What other CPUs add meanwhile is counted before or after. Of two calls at the
    /// same time for one counter, one has no effect.
    pub(super) fn set(&self, handle: Handle, count: u64) -> bool {
        let Some((bank, index)) = self.owned(handle) else {
            return false;
        };
        let Some(base) = bank.bases.get(index) else {
            return false;
        };
        // Read before the owner is checked again: if the cell gets another owner after that check, its base
        // is a new one, and is not replaced. (As with `add`, only a caller that sets what it detaches at the
        // same time can get here, and only a counter that had counted nothing has an equal base.)
        let old = base.load(Acquire);
        if self.owned(handle).is_none() {
            return false;
        }
        let new = bank.sum(index).wrapping_sub(count);
        let _ = base.compare_exchange(old, new, Relaxed, Relaxed);
        true
    }

    /// What a counter has; [`None`] if the handle is no longer good. In any context.
    pub(super) fn get(&self, handle: Handle) -> Option<u64> {
        let (bank, index) = self.owned(handle)?;
        let count = bank.sum(index).wrapping_sub(bank.base(index)?);
        // Whose words these were is asked once more: another owner is in its place before
        // any of its words.
        fence(Acquire);
        self.owned(handle).map(|_| count)
    }

    /// Gives a free cell to a counter that has so much already. [`None`] if there is none.
    pub(super) fn take(&self, free: &mut Free, count: u64) -> Option<Handle> {
        let cell = free.first;
        let (bank, index) = self.at(cell)?;
        let owner = bank.owners.get(index)?;
        // CAST: Of a free cell, a number of a cell.
        free.first = owner.load(Relaxed) as usize;
        if free.first == END {
            free.last = END;
        }
        let base = bank.sum(index).wrapping_sub(count);
        bank.bases.get(index)?.store(base, Relaxed);
        let handle = Handle::new(free.next_number, cell);
        free.next_number = free.next_number.wrapping_add(1);
        owner.store(handle.0, Release);
        Some(handle)
    }

    /// Takes a cell back, and tells what the counter had. It is the last to be given out again.
    pub(super) fn give_back(&self, free: &mut Free, handle: Handle) -> Option<u64> {
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

    /// Whether there can be more.
    pub(super) fn can_grow(free: &Free) -> bool {
        free.banks < BANKS
    }

    /// More free cells.
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
