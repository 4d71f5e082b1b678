// SPDX-License-Identifier: GPL-2.0

//! Rows of accounts by cgroup: found without a lock while others are added, inherited and taken away.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::{
    cgroup::{
        table::{
            CgroupChains,
            CgroupRow,
            CgroupSlot,
            CgroupTable, //
        },
        CgroupKey,
        CgroupReading, //
    },
    class::Class, //
};
use loom::sync::{
    atomic::AtomicU32,
    Arc, //
};

#[derive(Default)]
struct Storage {
    heads: [AtomicU32; 1],
    rows: [CgroupRow; 3],
    slots: [CgroupSlot; 3],
    chains: CgroupChains,
}

impl Storage {
    fn table(&self) -> CgroupTable<'_> {
        CgroupTable {
            heads: &self.heads,
            rows: &self.rows,
            slots: &self.slots,
            chains: &self.chains,
        }
    }

    fn count(&self, key: &CgroupKey, ios: u64, owner: u64) {
        let table = self.table();
        let found = table.find(key);
        let found = found.or_else(|| table.find_or_add(key, || Some((owner, 7))));
        found.unwrap().1.count(ios, 0);
    }

    /// The owner and bios of each row.
    fn rows(&self) -> Vec<(u64, u64)> {
        let rows = self.table().all().map(|(group, index, _)| {
            let mut reading = CgroupReading::default();
            reading.add(self.table().sums(index).unwrap());
            (group.owner, reading.totals.ios)
        });
        let mut rows = rows.collect::<Vec<_>>();
        rows.sort();
        rows
    }
}

fn key(cgroup: u64, cpu: u64) -> CgroupKey {
    CgroupKey::new(cgroup, 1, cpu, Class::Read)
}

/// Two CPUs add rows to one chain at the same time: each finds its own from then on.
#[test]
fn rows_are_added_by_two_cpus() {
    outcomes(2, || {
        let storage = Arc::new(Storage::default());
        let one = spawn(&storage, |storage| {
            storage.count(&key(2, 0), 1, 2);
            storage.count(&key(2, 0), 1, 2);
        });
        let other = spawn(&storage, |storage| storage.count(&key(2, 4), 5, 2));
        one.join().unwrap();
        other.join().unwrap();
        assert_eq!(storage.rows(), [(2, 2), (2, 5)]);
    });
}

/// A row is found while another is taken from the chain in front of it or behind it.
#[test]
fn a_row_is_found_while_another_is_taken_away() {
    for first in [2, 3] {
        outcomes(2, move || {
            let storage = Arc::new(Storage::default());
            storage.count(&key(first, 0), 1, 1);
            storage.count(&key(5 - first, 0), 1, 1);
            storage.count(&key(4, 0), 1, 1);
            assert!(storage.table().release(2) && storage.table().release(4));
            let merger = spawn(&storage, |storage| {
                let released = storage.table().all().filter(|row| row.2);
                let released = released.map(|row| row.1).collect::<Vec<_>>();
                storage.table().merge(released[0], released[1]);
            });
            let cpu = spawn(&storage, |storage| {
                let found = storage.table().find(&key(3, 0));
                found.unwrap().1.count(10, 0);
            });
            merger.join().unwrap();
            cpu.join().unwrap();
            assert_eq!(storage.rows(), [(1, 2), (1, 11)]);
        });
    }
}

/// A cgroup is removed while its first row is added: the row is its parent's in the end. (Whether it is online is read in the
/// turn in which the row is added, and was written before the turn in which the rows are inherited.)
#[test]
fn a_row_is_added_while_its_cgroup_is_removed() {
    let seen = outcomes(2, || {
        let storage = Arc::new((Storage::default(), AtomicU32::new(1)));
        let cpu = spawn(&storage, |storage| {
            use loom::sync::atomic::Ordering::Relaxed;
            let owner = || match storage.1.load(Relaxed) {
                1 => Some((2, 7)),
                _ => Some((1, 7)),
            };
            let found = storage.0.table().find_or_add(&key(2, 0), owner);
            found.unwrap().1.count(1, 0);
            storage.1.load(Relaxed) == 1
        });
        let remover = spawn(&storage, |storage| {
            storage.1.store(0, loom::sync::atomic::Ordering::Relaxed);
            storage.0.table().inherit(2, 1);
        });
        let was_online = cpu.join().unwrap();
        remover.join().unwrap();
        assert_eq!(storage.0.rows(), [(1, 1)]);
        was_online
    });
    assert_eq!(seen, [false, true].into());
}
