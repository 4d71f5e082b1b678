// SPDX-License-Identifier: GPL-2.0

//! Searches in a table that is being changed, and in one that is being replaced.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::lookup::{
    Cell,
    Table, //
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

/// What a value is to the table: a pointer that it never looks behind. Here a number.
struct Opaque;

fn pointer(number: usize) -> NonNull<Opaque> {
    NonNull::new(std::ptr::without_provenance_mut(number + 1)).unwrap()
}

fn number(pointer: NonNull<Opaque>) -> usize {
    pointer.as_ptr().addr() - 1
}

/// Four cells, so that searches meet; and what the values refer to.
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

    fn table(&self) -> Table<'_, Opaque> {
        Table::new(&self.cells)
    }

    /// The value of this number, all of which is written before it is inserted.
    fn insert(&self, address: u64, number: usize) {
        self.written[number].store(1, Relaxed);
        assert!(self.table().insert(address, pointer(number)));
    }

    /// The number of the value at an address, all of which has to be there.
    fn find(&self, address: u64) -> Option<usize> {
        let found = number(self.table().find(address)?);
        assert_eq!(self.written[found].load(Relaxed), 1, "half of a value");
        Some(found)
    }
}

/// Addresses that are looked for in the same cell first.
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

/// Its neighbours go and come, before it and behind it.
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

/// All that was written of it before is seen by who finds it.
#[test]
fn what_comes_is_found_whole_or_not() {
    let [address, ..] = NEIGHBOURS;
    let seen = outcomes(3, move || {
        let storage = Arc::new(Storage::new());
        let writer = spawn(&storage, move |storage| {
            storage.insert(address, 0);
            storage.table().remove(address);
            // The memory of a disk that left, with another in it.
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

/// Two tables, and which of them readers are to use.
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
