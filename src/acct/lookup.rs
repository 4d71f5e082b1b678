// SPDX-License-Identifier: GPL-2.0

//! Values found by an address, without a lock, while others come and go.
//!
//! Values are in a hash table with open addressing. One thread at a time changes the table, in place, and any
//! number of threads read it meanwhile. A cell gets its address once, and keeps it for as long as the table
//! lives: removing a value only clears the cell's pointer. So a reader never finds the value of another
//! address, and no search ends before a value that is in the table. Only a new table gets rid of the cells of
//! addresses that have no value any more. The owner of the table replaces it, and manages its memory and the
//! lifetime of the values.

use crate::sync::{
    AtomicPtr,
    AtomicU64,
    Ordering::{
        Acquire,
        Relaxed,
        Release, //
    }, //
};
use core::ptr::NonNull;

/// The address in an empty cell. No search is for this address. It is not 0, as a pointer to a disk that does
/// not exist yet may be null.
const EMPTY: u64 = 1;

/// One cell of a table, empty at first.
#[derive(Debug)]
pub struct Cell<T> {
    /// Does not change again once it is not [`EMPTY`].
    address: AtomicU64,
    /// Null if there is no value at the address.
    value: AtomicPtr<T>,
}

impl<T> Default for Cell<T> {
    fn default() -> Self {
        Cell {
            address: AtomicU64::new(EMPTY),
            value: AtomicPtr::new(core::ptr::null_mut()),
        }
    }
}

impl<T> Cell<T> {
    /// Acquire: pairs with the release of [`AddressTable::insert`]. A reader sees all of the value.
    #[inline(always)]
    fn value(&self) -> Option<NonNull<T>> {
        NonNull::new(self.value.load(Acquire))
    }
}

/// The table over an array of cells.
#[derive(Debug)]
pub struct AddressTable<'a, T> {
    cells: &'a [Cell<T>],
}

impl<T> Clone for AddressTable<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for AddressTable<'_, T> {}

impl<'a, T> AddressTable<'a, T> {
    /// The length should be a power of two up to 2^32: with any other length, a part of the cells
    /// is not used.
    #[inline(always)]
    pub fn new(cells: &'a [Cell<T>]) -> Self {
        AddressTable { cells }
    }

    /// Where to look for an address first: a multiplicative hash.
    #[inline(always)]
    fn home(self, address: u64) -> usize {
        // CAST: The shift leaves 32 bits.
        let hash = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & self.cells.len().wrapping_sub(1)
    }

    /// Returns the cell of an address, or the empty cell that ends the search for it, in which it can be
    /// inserted; and the address that was read from that cell, which may have changed since. [`None`] if the
    /// table has neither cell.
    fn cell(self, address: u64) -> Option<(&'a Cell<T>, u64)> {
        let (cells, home) = (self.cells, self.home(address));
        let last = cells.len().wrapping_sub(1);
        let order = (0..cells.len()).map(|step| home.wrapping_add(step) & last);
        let cells = order.filter_map(|index| cells.get(index));
        let mut cells = cells.map(|cell| (cell, cell.address.load(Relaxed)));
        cells.find(|(_, found)| *found == address || *found == EMPTY)
    }

    /// The value at an address, if it is where it is looked for first.
    #[inline(always)]
    pub fn find_home(self, address: u64) -> Option<NonNull<T>> {
        let cell = self.cells.get(self.home(address))?;
        if cell.address.load(Relaxed) != address {
            return None;
        }
        cell.value()
    }

    /// The value at an address.
    pub fn find(self, address: u64) -> Option<NonNull<T>> {
        let (cell, found) = self.cell(address)?;
        // The value of a cell that was empty when its address was read may be that of another address.
        if found != address {
            return None;
        }
        cell.value()
    }

    /// Puts a value at an address that has none. False if there is no room, or the address is odd. One thread at a
    /// time inserts or removes.
    pub fn insert(self, address: u64, value: NonNull<T>) -> bool {
        match self.cell(address) {
            Some((cell, _)) if address & EMPTY == 0 => {
                cell.address.store(address, Relaxed);
                cell.value.store(value.as_ptr(), Release);
                true
            }
            _ => false,
        }
    }

    /// Removes the value at an address. Searches at this moment may still find it. One thread at a time
    /// inserts or removes.
    pub fn remove(self, address: u64) {
        if let Some((cell, _)) = self.cell(address) {
            // Relaxed: this store publishes nothing.
            cell.value.store(core::ptr::null_mut(), Relaxed);
        }
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_lookup))]
mod tests {
    use super::*;

    fn value(number: &u64) -> NonNull<u64> {
        NonNull::from(number)
    }

    fn cells<const N: usize>() -> [Cell<u64>; N] {
        core::array::from_fn(|_| Cell::default())
    }

    /// The first addresses that are looked for first where 8 is.
    fn neighbours<const N: usize>(table: AddressTable<'_, u64>) -> [u64; N] {
        let mut addresses = (8..).step_by(8);
        let is_next_to = |address: &u64| table.home(*address) == table.home(8);
        core::array::from_fn(|_| addresses.find(is_next_to).unwrap_or(0))
    }

    #[test]
    fn each_address_has_its_own_value() {
        let numbers: [u64; 64] = core::array::from_fn(|index| index as u64);
        let cells = cells::<128>();
        let table = AddressTable::new(&cells);
        for (address, number) in (1..).zip(&numbers) {
            assert!(table.find(address * 64).is_none());
            assert!(table.insert(address * 64, value(number)));
        }
        for (address, number) in (1..).zip(&numbers) {
            assert_eq!(table.find(address * 64), Some(value(number)));
            if let Some(found) = table.find_home(address * 64) {
                assert_eq!(found, value(number));
            }
        }
        let home = |address: &u64| table.find_home(*address * 64).is_some();
        assert!((1..=64).filter(home).count() > 32);
    }

    #[test]
    fn what_is_behind_a_removed_one_is_still_found() {
        let (numbers, cells) = ([1u64, 2, 3], cells::<8>());
        let table = AddressTable::new(&cells);
        let [first, second, third] = neighbours(table);
        assert!(table.insert(first, value(&numbers[0])));
        assert!(table.insert(second, value(&numbers[1])));
        table.remove(first);
        assert!(table.find(first).is_none());
        assert!(table.find_home(first).is_none());
        assert_eq!(table.find(second), Some(value(&numbers[1])));
        // Nor does another address take its cell.
        assert!(table.insert(third, value(&numbers[2])));
        assert!(table.find_home(third).is_none());
        assert_eq!(table.find(third), Some(value(&numbers[2])));
    }

    #[test]
    fn an_address_that_returns_has_its_cell_again() {
        let (numbers, cells) = ([1u64, 2], cells::<2>());
        let table = AddressTable::new(&cells);
        for _ in 0..10 {
            for number in &numbers {
                assert!(table.insert(64, value(number)));
                assert_eq!(table.find(64), Some(value(number)));
                table.remove(64);
                assert!(table.find(64).is_none());
            }
        }
    }

    #[test]
    fn full_tables_and_no_address_end_the_search() {
        let (number, cells) = (1u64, cells::<4>());
        let table = AddressTable::new(&cells);
        let nothing = || table.find(0).is_none() && table.find_home(0).is_none();
        assert!(nothing());
        assert!(!table.insert(1, value(&number)));
        for address in 1..=4 {
            assert!(table.find_home(address * 8).is_none());
            assert!(table.insert(address * 8, value(&number)));
            assert!(nothing());
        }
        assert!(!table.insert(40, value(&number)));
        assert!(table.find(40).is_none());
        table.remove(40);
        assert_eq!(table.find(32), Some(value(&number)));
        let none = AddressTable::<u64>::new(&[]);
        assert!(!none.insert(8, value(&number)) && none.find(8).is_none());
    }
}
