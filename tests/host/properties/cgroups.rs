// SPDX-License-Identifier: GPL-2.0

//! Rows of accounts by cgroup.

use iostat::acct::{
    cgroup::{
        table::{
            CgroupChains,
            CgroupMemo,
            CgroupRow,
            CgroupSlot,
            CgroupTable, //
        },
        CgroupGroup,
        CgroupKey,
        CgroupReading,
        CgroupSums,
        OtherSums, //
    },
    class::Class, //
};
use std::{
    collections::BTreeMap,
    sync::atomic::{
        AtomicU32,
        Ordering::Relaxed, //
    }, //
};

struct Storage {
    heads: Vec<AtomicU32>,
    rows: Vec<CgroupRow>,
    slots: Vec<CgroupSlot>,
    chains: CgroupChains,
}

impl Storage {
    fn new(rows: usize, heads: usize) -> Self {
        Storage {
            heads: (0..heads).map(|_| AtomicU32::new(0)).collect(),
            rows: (0..rows).map(|_| CgroupRow::default()).collect(),
            slots: (0..rows).map(|_| CgroupSlot::default()).collect(),
            chains: CgroupChains::default(),
        }
    }

    fn table(&self) -> CgroupTable<'_> {
        CgroupTable {
            heads: &self.heads,
            rows: &self.rows,
            slots: &self.slots,
            chains: &self.chains,
        }
    }

    fn add(&self, cgroup: u64, disk: u64, cpu: u64) -> Option<&CgroupSums> {
        let key = CgroupKey::new(cgroup, disk, cpu, Class::Read);
        let about = || Some((cgroup, disk as u32));
        let (index, sums) = self.table().find_or_add(&key, about)?;
        assert_eq!(self.table().find(&key).map(|found| found.0), Some(index));
        Some(sums)
    }

    /// Bios by owner.
    fn ios(&self) -> BTreeMap<u64, u64> {
        let mut ios = BTreeMap::new();
        for (group, index, _) in self.table().all() {
            let mut reading = CgroupReading::default();
            reading.add(self.table().sums(index).unwrap());
            *ios.entry(group.owner).or_default() += reading.totals.ios;
        }
        ios
    }

    /// What the upkeep does.
    fn merge(&self) {
        let mut first = BTreeMap::new();
        for (group, index, is_released) in self.table().all().collect::<Vec<_>>() {
            if is_released {
                let into = *first.entry(group).or_insert(index);
                self.table().merge(index, into);
            }
        }
        self.table().reclaim();
    }
}

#[test]
fn a_row_is_found_by_its_whole_key() {
    // One chain.
    let storage = Storage::new(8, 1);
    for (cgroup, disk, cpu) in [(1, 1, 0), (2, 1, 0), (1, 2, 0), (1, 1, 4)] {
        storage.add(cgroup, disk, cpu).unwrap().count(1, 512);
    }
    storage
        .add(1, 1, 0)
        .unwrap()
        .count_and_end(1, 512, 1000, 600);
    assert_eq!(storage.table().taken(), 4);
    let key = CgroupKey::new(1, 1, 0, Class::Write);
    assert!(storage.table().find(&key).is_none());
    assert_eq!(key.class(), Class::Write);
    let (_, sums) = storage
        .table()
        .find(&CgroupKey::new(1, 1, 0, Class::Read))
        .unwrap();
    sums.end(2000, 1);
    let mut reading = CgroupReading::default();
    reading.add(sums);
    let totals = reading.totals;
    assert_eq!((totals.ios, totals.bytes), (2, 1024));
    assert_eq!((totals.total_ns, totals.service_ns), (3000, 601));
    assert_eq!(totals.transactions(), 2);
    reading.clear();
    assert!(reading.totals.is_empty());
    // Either of the two is something.
    for change in [
        |sums: &CgroupSums| sums.count(1, 0),
        |sums: &CgroupSums| sums.end(0, 0),
    ] {
        let sums = CgroupSums::default();
        change(&sums);
        reading.clear();
        reading.add(&sums);
        assert!(!reading.totals.is_empty());
    }
}

#[test]
fn a_row_is_read_as_its_disk_cgroup_and_class() {
    let storage = Storage::new(4, 4);
    for class in Class::ALL {
        let key = CgroupKey::new(9, 4096, 8, class);
        assert!(storage.table().find_or_add(&key, || Some((7, 5))).is_some());
        let group = CgroupGroup {
            device: 5,
            owner: 7,
            class: class as u32,
        };
        let last = storage.table().all().last();
        assert_eq!(last, Some((group, class as usize, false)));
    }
}

#[test]
fn rows_are_spread_over_the_chains() {
    // As many rows as there are chains, with numbers and addresses as they occur.
    for (cgroups, disks, cpus) in [(64, 2, 2), (4, 1, 64), (256, 1, 1), (1, 256, 1), (16, 4, 4)] {
        let storage = Storage::new(1024, 1024);
        for cgroup in 0..cgroups {
            for (disk, cpu) in (0..disks).flat_map(|disk| (0..cpus).map(move |cpu| (disk, cpu))) {
                let disk = 0xffff_8880_0410_0000 + disk * 0x800;
                for class in Class::ALL {
                    let key = CgroupKey::new(100 + cgroup, disk, 4 * cpu, class);
                    assert!(storage.table().find_or_add(&key, || Some((1, 1))).is_some());
                }
            }
        }
        let used = storage.heads.iter().filter(|head| head.load(Relaxed) != 0);
        let used = used.count();
        // A random hash would use 1 - 1/e of them: 647.
        assert!(
            used > 550,
            "{cgroups} {disks} {cpus}: {used} of 1024 chains are used"
        );
    }
}

#[test]
fn what_has_no_room_has_no_row() {
    let storage = Storage::new(2, 2);
    assert!(storage.add(1, 1, 0).is_some() && storage.add(2, 1, 0).is_some());
    assert!(storage.table().is_full());
    assert!(storage.add(3, 1, 0).is_none());
    assert!(storage.add(1, 1, 0).is_some());
    let key = CgroupKey::new(9, 9, 0, Class::Read);
    let room = Storage::new(1, 1);
    assert!(room.table().find_or_add(&key, || None).is_none());
    assert_eq!(room.table().taken(), 0);
    let other = OtherSums::default();
    for class in Class::ALL {
        other.change(class, |sums| sums.count(3 + class as u64, 4));
    }
    for class in Class::ALL {
        let mut reading = CgroupReading::default();
        reading.add(other.get(class).unwrap());
        let totals = reading.totals;
        assert_eq!((totals.ios, totals.bytes), (3 + class as u64, 4));
    }
}

#[test]
fn a_cgroup_that_goes_leaves_its_sums_to_its_nearest_ancestor() {
    let storage = Storage::new(8, 4);
    for (cgroup, ios) in [(1, 1), (2, 10), (3, 100), (4, 1000)] {
        storage.add(cgroup, 1, 0).unwrap().count(ios, 0);
    }
    // 1 is the parent of 2, that of 3, and that of 4.
    storage.table().inherit(4, 3);
    storage.add(4, 1, 0).unwrap().count(5000, 0);
    assert_eq!(storage.ios(), [(1, 1), (2, 10), (3, 6100)].into());
    storage.table().inherit(3, 2);
    assert_eq!(storage.ios(), [(1, 1), (2, 6110)].into());
    assert!(storage.table().release(4) && storage.table().release(3));
    assert!(!storage.table().release(4) && !storage.table().release(7));
    storage.merge();
    assert_eq!(storage.table().taken(), 3);
    storage.table().inherit(2, 1);
    assert!(storage.table().release(2));
    storage.merge();
    assert_eq!(storage.ios(), [(1, 6111)].into());
    assert_eq!(storage.table().taken(), 2);
    // The rows that are free begin with nothing.
    for cgroup in 10..16 {
        assert!(storage.add(cgroup, 1, 0).is_some());
    }
    assert!(storage.table().is_full());
    assert_eq!(storage.ios().values().sum::<u64>(), 6111);
}

#[test]
fn rows_of_others_are_not_merged() {
    let storage = Storage::new(8, 4);
    for (cgroup, disk) in [(2, 1), (3, 1), (2, 2), (4, 1)] {
        storage.add(cgroup, disk, 0).unwrap().count(1, 0);
    }
    storage.table().inherit(2, 1);
    storage.table().inherit(3, 1);
    assert!(storage.table().release(2) && storage.table().release(3));
    // Not of the same owner, and not of the same disk.
    storage.table().merge(0, 3);
    storage.table().merge(0, 2);
    storage.table().merge(0, 0);
    assert_eq!(storage.table().all().count(), 4);
    storage.table().merge(1, 0);
    storage.table().reclaim();
    assert_eq!(storage.table().taken(), 3);
    assert_eq!(storage.ios(), [(1, 3), (4, 1)].into());
}

#[test]
fn a_disk_that_goes_takes_its_rows_with_it() {
    let storage = Storage::new(8, 1);
    for (cgroup, disk) in [(1, 1), (1, 2), (2, 2), (2, 3)] {
        storage.add(cgroup, disk, 0).unwrap().count(1, 0);
    }
    storage.table().remove_device(2);
    assert_eq!(storage.ios(), [(1, 1), (2, 1)].into());
    // Not yet.
    assert_eq!(storage.table().taken(), 4);
    storage.table().reclaim();
    assert_eq!(storage.table().taken(), 2);
    // What is free is not made free again.
    storage.table().remove_device(2);
    storage.table().reclaim();
    assert_eq!(storage.table().taken(), 2);
    assert!(storage.add(1, 1, 0).is_some() && storage.add(2, 3, 0).is_some());
    assert_eq!(storage.table().taken(), 2);
}

#[test]
fn a_memo_is_of_one_blkg() {
    let storage = Storage::new(2, 1);
    storage.add(1, 1, 0).unwrap();
    storage.add(2, 1, 0).unwrap().count(7, 0);
    let memo = CgroupMemo::default();
    let table = storage.table();
    assert!(table.recall(&memo, 0).is_none());
    memo.set(0, 1);
    assert!(table.recall(&memo, 0).is_none());
    memo.set(4096, 1);
    assert!(table.recall(&memo, 8192).is_none());
    let mut reading = CgroupReading::default();
    reading.add(table.recall(&memo, 4096).unwrap());
    assert_eq!(reading.totals.ios, 7);
    memo.clear();
    assert!(table.recall(&memo, 4096).is_none());
}
