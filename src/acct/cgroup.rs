// SPDX-License-Identifier: GPL-2.0

//! Accounts by cgroup: see `Documentation/cgroups.rst`.
//!
//! There is a row for each cgroup, disk, CPU and class that has had an I/O. Its sums are changed by that CPU alone,
//! with interrupts off. Rows are found through a hash table of chains without a lock; callers that change the chains
//! take turns, also with interrupts off.
//!
//! # Removal of a cgroup
//!
//! A row keeps its key, and has an owner, the cgroup under which it is read: its own cgroup until that is removed, then
//! the nearest ancestor that is not removed ([`inherit`](table::CgroupTable::inherit)). Once there can be no more I/O
//! of the cgroup, its rows are released ([`release`](table::CgroupTable::release)). No CPU changes them any more, so
//! that those of one owner, disk and class can be merged ([`merge`](table::CgroupTable::merge)). A row that has been
//! merged is free after a grace period ([`reclaim`](table::CgroupTable::reclaim)): searches may still follow its link.

pub mod table;

use super::{
    class::Class,
    counter::Counter,
    histogram::{
        of_bucket,
        BUCKETS, //
    },
    seqcount::SeqCount,
    turns::Turns, //
};

/// The key of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CgroupKey {
    /// The id of the cgroup, not 0.
    pub cgroup: u64,
    /// The address of the disk.
    pub disk: u64,
    /// A number of the CPU, a multiple of 4, and the class.
    pub place: u64,
}

impl CgroupKey {
    /// Returns a key for the CPU with this number, a multiple of 4.
    #[inline(always)]
    pub fn new(cgroup: u64, disk: u64, cpu: u64, class: Class) -> Self {
        CgroupKey {
            cgroup,
            disk,
            place: cpu | class as u64,
        }
    }

    /// The class.
    pub fn class(&self) -> Class {
        Self::class_of(self.place)
    }

    fn class_of(place: u64) -> Class {
        let [none, read, write, free] = Class::ALL;
        match place & 3 {
            0 => none,
            1 => read,
            2 => write,
            _ => free,
        }
    }

    /// The index of its chain among `mask` + 1 chains.
    fn chain(&self, mask: usize) -> usize {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        // Numbers of cgroups and places are both small: without the first product, many pairs would have the same
        // hash.
        let mixed = self.cgroup.wrapping_mul(GOLDEN) ^ self.disk ^ self.place;
        let mixed = mixed.wrapping_mul(GOLDEN);
        // CAST: The upper half, which has most of each bit.
        (mixed >> 32) as usize & mask
    }
}

/// The disk, cgroup and class under which a row is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CgroupGroup {
    /// The number of the disk.
    pub device: u32,
    /// The cgroup that has the sums.
    pub owner: u64,
    /// The number of the class.
    pub class: u32,
}

/// The sums of a row; all 0 in a free row.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CgroupSums {
    seq: SeqCount,
    ios: Counter,
    bytes: Counter,
    total_ns: Counter,
    service_ns: Counter,
    counts: CgroupCounts,
}

#[derive(Debug)]
#[repr(transparent)]
struct CgroupCounts([Counter; BUCKETS]);

impl Default for CgroupCounts {
    fn default() -> Self {
        CgroupCounts(core::array::from_fn(|_| Counter::default()))
    }
}

impl CgroupSums {
    /// Counts bios as `io.stat` does. Owner only.
    #[inline(always)]
    pub fn count(&self, ios: u64, bytes: u64) {
        self.seq.begin();
        self.ios.add(ios);
        self.bytes.add(bytes);
        self.seq.end();
    }

    /// Records the times of a transaction that has ended. Owner only.
    #[inline(always)]
    pub fn end(&self, total_ns: u64, service_ns: u64) {
        self.seq.begin();
        self.add_times(total_ns, service_ns);
        self.seq.end();
    }

    /// Does what [`CgroupSums::count`] and [`CgroupSums::end`] do.
    #[inline(always)]
    pub fn count_and_end(&self, ios: u64, bytes: u64, total_ns: u64, service_ns: u64) {
        self.seq.begin();
        self.ios.add(ios);
        self.bytes.add(bytes);
        self.add_times(total_ns, service_ns);
        self.seq.end();
    }

    #[inline(always)]
    fn add_times(&self, total_ns: u64, service_ns: u64) {
        self.total_ns.add(total_ns);
        self.service_ns.add(service_ns);
        of_bucket(total_ns, &self.counts.0).add(1);
    }

    /// Moves the sums of a row that no CPU changes any more to this one. Owner only.
    fn absorb(&self, from: &CgroupSums) {
        self.seq.begin();
        for (into, from) in self.words().zip(from.words()) {
            into.add(from.get());
            from.set(0);
        }
        self.seq.end();
    }

    fn words(&self) -> impl Iterator<Item = &Counter> {
        let sums = [&self.ios, &self.bytes, &self.total_ns, &self.service_ns];
        Iterator::chain(sums.into_iter(), &self.counts.0)
    }
}

/// The sums of I/Os that have no row, by class.
#[derive(Debug, Default)]
pub struct OtherSums([(Turns, CgroupSums); 4]);

impl OtherSums {
    /// Calls `change` with the sums of this class, as soon as no other caller changes them. Spins; with interrupts off.
    pub fn change(&self, class: Class, change: impl FnOnce(&CgroupSums)) {
        let [none, read, write, free] = &self.0;
        let (turns, sums) = match class {
            Class::NoData => none,
            Class::Read => read,
            Class::Write => write,
            Class::Free => free,
        };
        let _turn = turns.take();
        change(sums);
    }

    /// The sums of a class.
    pub fn get(&self, class: Class) -> Option<&CgroupSums> {
        self.0.get(class as usize).map(|(_, sums)| sums)
    }
}

/// Sums that were added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CgroupTotals {
    /// Bios, as `io.stat` counts them.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From start to end, of all transactions, ns.
    pub total_ns: u64,
    /// In the run queue, ns.
    pub service_ns: u64,
    /// Transactions that have ended, by the bucket of their time.
    pub counts: [u64; BUCKETS],
}

impl Default for CgroupTotals {
    fn default() -> Self {
        CgroupTotals {
            ios: 0,
            bytes: 0,
            total_ns: 0,
            service_ns: 0,
            counts: [0; BUCKETS],
        }
    }
}

impl CgroupTotals {
    fn words(&mut self) -> impl Iterator<Item = &mut u64> {
        let sums = [
            &mut self.ios,
            &mut self.bytes,
            &mut self.total_ns,
            &mut self.service_ns,
        ];
        Iterator::chain(sums.into_iter(), &mut self.counts)
    }

    /// Transactions that have ended.
    pub fn transactions(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// Whether no bio and no transaction was counted.
    pub fn is_empty(&self) -> bool {
        self.ios == 0 && self.counts.iter().all(|count| *count == 0)
    }
}

/// Adds up rows. Too large for the stack.
#[derive(Clone, Copy, Debug, Default)]
pub struct CgroupReading {
    /// The sum.
    pub totals: CgroupTotals,
    copy: CgroupTotals,
}

impl CgroupReading {
    /// Resets the sum to 0.
    pub fn clear(&mut self) {
        self.totals.words().for_each(|word| *word = 0);
    }

    /// Adds the sums of a row as they were at one instant. Spins.
    pub fn add(&mut self, sums: &CgroupSums) {
        sums.seq.read(|| {
            for (copy, word) in self.copy.words().zip(sums.words()) {
                *copy = word.get();
            }
        });
        for (total, copy) in self.totals.words().zip(self.copy.words()) {
            *total = total.wrapping_add(*copy);
        }
    }
}
