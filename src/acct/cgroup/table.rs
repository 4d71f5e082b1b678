// SPDX-License-Identifier: GPL-2.0

//! The rows of accounts by cgroup, and how they are found.

use super::{
    super::turns::Turns,
    CgroupGroup,
    CgroupKey,
    CgroupSums, //
};
use crate::sync::{
    AtomicU32,
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// What the removal of a cgroup reads of each row: kept apart from the rows, in little memory. Zeroed memory is a free
/// slot.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CgroupSlot {
    cgroup: AtomicU64,
    owner: AtomicU64,
    device: AtomicU32,
    state: AtomicU32,
}

/// A row: its key, its place in a chain, and its sums.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct CgroupRow {
    cgroup: AtomicU64,
    disk: AtomicU64,
    place: AtomicU64,
    /// The index of the next row in the chain, or in the list of free rows, plus 1; 0 at the end.
    next: AtomicU32,
    sums: CgroupSums,
}

/// The row is free.
const FREE: u32 = 0;
/// The CPU of the row may change it.
const LIVE: u32 = 1;
/// The cgroup of the row has no more I/O.
const RELEASED: u32 = 2;
/// The row is in no chain, but searches may still be at it.
const UNLINKED: u32 = 3;

impl CgroupSlot {
    /// The disk, cgroup and class under which the row is read.
    fn group(&self, row: &CgroupRow) -> CgroupGroup {
        CgroupGroup {
            device: self.device.load(Relaxed),
            owner: self.owner.load(Relaxed),
            class: CgroupKey::class_of(row.place.load(Relaxed)) as u32,
        }
    }

    fn is_linked(&self) -> bool {
        matches!(self.state.load(Relaxed), LIVE | RELEASED)
    }
}

impl CgroupRow {
    fn is(&self, key: &CgroupKey) -> bool {
        self.cgroup.load(Relaxed) == key.cgroup
            && self.disk.load(Relaxed) == key.disk
            && self.place.load(Relaxed) == key.place
    }

    fn key(&self) -> CgroupKey {
        CgroupKey {
            cgroup: self.cgroup.load(Relaxed),
            disk: self.disk.load(Relaxed),
            place: self.place.load(Relaxed),
        }
    }
}

/// State that is changed together with the chains.
#[derive(Debug, Default)]
pub struct CgroupChains {
    turns: Turns,
    /// The index of the first free slot that was in use before, plus 1.
    free: AtomicU32,
    /// How many slots were ever in use: the first ones.
    used: AtomicU32,
    /// How many slots are in use.
    taken: AtomicU32,
}

/// All rows.
#[derive(Clone, Copy, Debug)]
pub struct CgroupTable<'a> {
    /// The index of the first row of each chain, plus 1. The number of chains is a power of two.
    pub heads: &'a [AtomicU32],
    /// The rows.
    pub rows: &'a [CgroupRow],
    /// As many slots as rows.
    pub slots: &'a [CgroupSlot],
    /// See [`CgroupChains`].
    pub chains: &'a CgroupChains,
}

/// Where a CPU found the row of the latest request of a class: by the address of the kernel's `blkcg_gq`, which identifies
/// cgroup and disk as long as it exists. As zeroed memory, it is empty.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CgroupMemo {
    /// The address plus 1, so that the memo never matches a bio without a `blkg`; 0 if empty.
    blkg: AtomicU64,
    index: AtomicU64,
}

impl CgroupMemo {
    /// Remembers a row. Called by the CPU of the row, in the probe that has found it, while an I/O with this `blkg` is
    /// in flight.
    pub fn set(&self, blkg: u64, index: usize) {
        if blkg != 0 {
            self.index.store(index as u64, Relaxed);
            self.blkg.store(blkg.wrapping_add(1), Relaxed);
        }
    }

    /// Forgets the row.
    pub fn clear(&self) {
        self.blkg.store(0, Relaxed);
    }
}

/// The index that a link refers to.
#[inline(always)]
fn index(link: u32) -> Option<usize> {
    // CAST: 32 bits.
    link.checked_sub(1).map(|index| index as usize)
}

/// The link to the index of a slot.
fn link(index: usize) -> u32 {
    // CAST: There are fewer slots.
    (index as u32).wrapping_add(1)
}

impl<'a> CgroupTable<'a> {
    /// Finds the row of a key. The row is not released while there are I/Os of its cgroup, such as that of the caller.
    pub fn find(self, key: &CgroupKey) -> Option<(usize, &'a CgroupSums)> {
        let mut next = self.head(key)?;
        loop {
            // Pairs with the release of `find_or_add`.
            let index = index(next.load(Acquire))?;
            let row = self.rows.get(index)?;
            if row.is(key) {
                return Some((index, &row.sums));
            }
            next = &row.next;
        }
    }

    /// The row that a CPU remembers for this `blkg`, of an I/O in flight. The memo was cleared when the last one at this
    /// address was freed, and when the row was taken from its chain.
    #[inline(always)]
    pub fn recall(self, memo: &CgroupMemo, blkg: u64) -> Option<&'a CgroupSums> {
        if memo.blkg.load(Relaxed) != blkg.wrapping_add(1) {
            return None;
        }
        // CAST: It was a `usize` when it was stored.
        let row = self.rows.get(memo.index.load(Relaxed) as usize)?;
        Some(&row.sums)
    }

    fn head(self, key: &CgroupKey) -> Option<&'a AtomicU32> {
        let mask = self.heads.len().wrapping_sub(1);
        self.heads.get(key.chain(mask))
    }

    /// Finds the row of a key, or adds one with the owner and the disk's number that `about` returns. `about` is called
    /// while no cgroup is removed. [`None`] if there is no room, or if `about` returns [`None`]. Spins; with interrupts
    /// off.
    pub fn find_or_add(
        self,
        key: &CgroupKey,
        about: impl FnOnce() -> Option<(u64, u32)>,
    ) -> Option<(usize, &'a CgroupSums)> {
        if self.is_full() {
            return self.find(key);
        }
        let _turn = self.chains.turns.take();
        if let Some(found) = self.find(key) {
            return Some(found);
        }
        let (owner, device) = about()?;
        let index = self.take()?;
        let (row, slot) = (self.rows.get(index)?, self.slots.get(index)?);
        let head = self.head(key)?;
        row.cgroup.store(key.cgroup, Relaxed);
        row.disk.store(key.disk, Relaxed);
        row.place.store(key.place, Relaxed);
        row.next.store(head.load(Relaxed), Relaxed);
        slot.cgroup.store(key.cgroup, Relaxed);
        slot.owner.store(owner, Relaxed);
        slot.device.store(device, Relaxed);
        // Pairs with the acquire of `all`.
        slot.state.store(LIVE, Release);
        // Pairs with the acquire of `find`.
        head.store(link(index), Release);
        Some((index, &row.sums))
    }

    /// Whether all rows are in use.
    pub fn is_full(self) -> bool {
        self.taken() >= self.rows.len()
    }

    /// How many rows are in use.
    pub fn taken(self) -> usize {
        // CAST: 32 bits.
        self.chains.taken.load(Relaxed) as usize
    }

    /// Takes a free row. The caller has a turn.
    fn take(self) -> Option<usize> {
        let chains = self.chains;
        let found = match index(chains.free.load(Relaxed)) {
            Some(found) => {
                let next = self.rows.get(found)?.next.load(Relaxed);
                chains.free.store(next, Relaxed);
                found
            }
            None => {
                // CAST: 32 bits.
                let found = chains.used.load(Relaxed) as usize;
                self.rows.get(found)?;
                // Pairs with the acquire of `used`.
                chains.used.store(link(found), Release);
                found
            }
        };
        let taken = chains.taken.load(Relaxed);
        chains.taken.store(taken.wrapping_add(1), Relaxed);
        Some(found)
    }

    /// The slots that were ever in use.
    fn used(self) -> &'a [CgroupSlot] {
        // CAST: 32 bits.
        let used = self.chains.used.load(Acquire) as usize;
        self.slots.get(..used).unwrap_or_default()
    }

    /// Makes `to` the owner of all rows of `from`: the cgroup `from` was removed, and `to` is its
    /// parent. With interrupts off.
    pub fn inherit(self, from: u64, to: u64) {
        let _turn = self.chains.turns.take();
        for slot in self.used() {
            if slot.owner.load(Relaxed) == from {
                slot.owner.store(to, Relaxed);
            }
        }
    }

    /// Releases the rows of a cgroup that has no more I/O. Returns whether it had rows. With
    /// interrupts off.
    pub fn release(self, cgroup: u64) -> bool {
        let _turn = self.chains.turns.take();
        let mut has_rows = false;
        for slot in self.used() {
            if slot.cgroup.load(Relaxed) == cgroup && slot.state.load(Relaxed) == LIVE {
                // Pairs with the acquire of `all`, which then sees the sums.
                slot.state.store(RELEASED, Release);
                has_rows = true;
            }
        }
        has_rows
    }

    /// The rows: how each is read, its index, and whether it was released.
    pub fn all(self) -> impl Iterator<Item = (CgroupGroup, usize, bool)> + 'a {
        let slots = self.used().iter().zip(self.rows).enumerate();
        slots.filter_map(|(index, (slot, row))| match slot.state.load(Acquire) {
            LIVE => Some((slot.group(row), index, false)),
            RELEASED => Some((slot.group(row), index, true)),
            _ => None,
        })
    }

    /// The sums of a row.
    pub fn sums(self, index: usize) -> Option<&'a CgroupSums> {
        self.rows.get(index).map(|row| &row.sums)
    }

    /// Adds the sums of one released row to another, and takes the first from its chain, unless the owner of one of
    /// them has changed. One caller at a time of this function, [`CgroupTable::remove_device`] and
    /// [`CgroupTable::reclaim`]; with interrupts off.
    pub fn merge(self, from: usize, into: usize) {
        let _turn = self.chains.turns.take();
        let slots = (self.slots.get(from), self.slots.get(into));
        let rows = (self.rows.get(from), self.rows.get(into));
        let ((Some(from_slot), Some(into_slot)), (Some(from_row), Some(into_row))) = (slots, rows)
        else {
            return;
        };
        if from != into && from_slot.group(from_row) == into_slot.group(into_row) {
            self.unlink(from, from_row, from_slot);
            into_row.sums.absorb(&from_row.sums);
        }
    }

    /// Takes all rows of a disk from their chains. With interrupts off.
    pub fn remove_device(self, device: u32) {
        let _turn = self.chains.turns.take();
        for (index, (slot, row)) in self.used().iter().zip(self.rows).enumerate() {
            if slot.is_linked() && slot.device.load(Relaxed) == device {
                self.unlink(index, row, slot);
            }
        }
    }

    /// Takes a row from its chain. The row keeps its link, from which callers of `find` that are at
    /// this row go on. The caller has a turn.
    fn unlink(self, gone: usize, row: &CgroupRow, slot: &CgroupSlot) {
        let mut at = self.head(&row.key());
        while let Some(next) = at {
            let found = next.load(Relaxed);
            if found == link(gone) {
                next.store(row.next.load(Relaxed), Release);
                break;
            }
            at = index(found)
                .and_then(|index| self.rows.get(index))
                .map(|row| &row.next);
        }
        slot.state.store(UNLINKED, Relaxed);
    }

    /// Makes all rows free that were taken from their chains. Since then a grace period must have passed, then all
    /// memos must have been cleared, and then another grace period must have passed; [`CgroupTable::merge`] and
    /// [`CgroupTable::remove_device`] must not have been called meanwhile. With interrupts off.
    pub fn reclaim(self) {
        let _turn = self.chains.turns.take();
        let chains = self.chains;
        for (index, (slot, row)) in self.used().iter().zip(self.rows).enumerate() {
            if slot.state.load(Relaxed) != UNLINKED {
                continue;
            }
            row.sums.words().for_each(|word| word.set(0));
            row.cgroup.store(0, Relaxed);
            row.next.store(chains.free.load(Relaxed), Relaxed);
            slot.cgroup.store(0, Relaxed);
            slot.owner.store(0, Relaxed);
            slot.state.store(FREE, Relaxed);
            chains.free.store(link(index), Relaxed);
            let taken = chains.taken.load(Relaxed);
            chains.taken.store(taken.wrapping_sub(1), Relaxed);
        }
    }
}
