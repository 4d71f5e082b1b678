// SPDX-License-Identifier: GPL-2.0

//! Searches in a table while it is changed, and while it is replaced.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::lookup::{
    AddressTable, //
    Cell,
};
use loom::sync::{
    atomic::{
        AtomicU64,
        AtomicUsize,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
    Arc, //
};
use std::{
    collections::BTreeSet,
    ptr::NonNull, //
};

/// The table stores pointers to this and never dereferences them. Here a pointer stands for a number.
struct Opaque;

fn pointer(number: usize) -> NonNull<Opaque> {
    NonNull::new(std::ptr::without_provenance_mut(number + 1)).unwrap()
}

fn number(pointer: NonNull<Opaque>) -> usize {
    pointer.as_ptr().addr() - 1
}

/// Four cells, so that searches collide; and what the values refer to.
struct Storage {
    cells: [Cell<Opaque>; 4],
    written: [AtomicU64; 3],
}

impl Storage {
    fn new() -> Self {
        Storage {
            cells: Default::default(),
            written: Default::default(),
        }
    }

    fn table(&self) -> AddressTable<'_, Opaque> {
        AddressTable::new(&self.cells)
    }

    /// Inserts the value of this number, all of which was written before.
    fn insert(&self, address: u64, number: usize) {
        self.written[number].store(1, Relaxed);
        assert!(self.table().insert(address, pointer(number)));
    }

    /// Returns the number of the value at an address, all of which must be visible.
    fn find(&self, address: u64) -> Option<usize> {
        let found = number(self.table().find(address)?);
        assert_eq!(self.written[found].load(Relaxed), 1, "half of a value");
        Some(found)
    }
}

/// Addresses whose search starts at the same cell.
const NEIGHBOURS: [u64; 3] = [8, 16, 64];

#[test]
fn neighbours_are() {
    loom::model(|| {
        let storage = Storage::new();
        let [first, others @ ..] = NEIGHBOURS;
        storage.insert(first, 0);
        for (number, other) in (1..).zip(others) {
            assert!(storage.table().find_home(first).is_some());
            storage.insert(other, number);
            assert!(storage.table().find_home(other).is_none());
        }
    });
}

/// Neighbours in the cells before and after are removed and inserted.
#[test]
fn what_stays_is_found_at_any_time() {
    let [first, stays, comes] = NEIGHBOURS;
    let seen = outcomes(3, move || {
        let storage = Arc::new(Storage::new());
        storage.insert(first, 0);
        storage.insert(stays, 1);
        let writer = spawn(&storage, move |storage| {
            storage.table().remove(first);
            storage.insert(comes, 2);
            storage.insert(first, 0);
        });
        let reader = spawn(&storage, move |storage| {
            assert_eq!(storage.find(stays), Some(1));
            assert!(storage.table().find_home(stays).is_none());
            (storage.find(first), storage.find(comes))
        });
        writer.join().unwrap();
        reader.join().unwrap()
    });
    let both = |first| [(first, None), (first, Some(2))];
    assert_eq!(
        seen,
        BTreeSet::from_iter(both(None).into_iter().chain(both(Some(0))))
    );
}

/// A thread that finds a value sees all that was written of it before.
#[test]
fn what_comes_is_found_whole_or_not() {
    let [address, ..] = NEIGHBOURS;
    let seen = outcomes(3, move || {
        let storage = Arc::new(Storage::new());
        let writer = spawn(&storage, move |storage| {
            storage.insert(address, 0);
            storage.table().remove(address);
            // The memory of a removed disk, used for another one.
            storage.insert(address, 1);
        });
        let reader = spawn(&storage, move |storage| {
            assert!(storage.table().find(0).is_none() && storage.table().find_home(0).is_none());
            storage.find(address)
        });
        writer.join().unwrap();
        reader.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([None, Some(0), Some(1)]));
}

/// Two tables, and which of them readers use.
struct Tables {
    tables: [Storage; 2],
    current: AtomicUsize,
}

#[test]
fn what_stays_is_found_while_the_table_is_replaced() {
    let [goes, stays, comes] = NEIGHBOURS;
    let seen = outcomes(3, move || {
        let tables = Arc::new(Tables {
            tables: [Storage::new(), Storage::new()],
            current: AtomicUsize::new(0),
        });
        tables.tables[0].insert(goes, 0);
        tables.tables[0].insert(stays, 1);
        let writer = spawn(&tables, move |tables| {
            tables.tables[0].table().remove(goes);
            tables.tables[1].insert(stays, 1);
            tables.current.store(1, Release);
            tables.tables[1].insert(comes, 2);
            tables.tables[1].insert(goes, 0);
        });
        let reader = spawn(&tables, move |tables| {
            let current = tables.current.load(Acquire);
            let table = &tables.tables[current];
            assert_eq!(table.find(stays), Some(1));
            (current, table.find(goes), table.find(comes))
        });
        writer.join().unwrap();
        reader.join().unwrap()
    });
    let old = [(0, None, None), (0, Some(0), None)];
    let new = [(1, None, None), (1, None, Some(2)), (1, Some(0), Some(2))];
    assert_eq!(seen, BTreeSet::from_iter(old.into_iter().chain(new)));
}
