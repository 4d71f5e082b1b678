// SPDX-License-Identifier: GPL-2.0

//! A disk adds the counts of a partition that has left to its own.
//!
//! An I/O of a partition is recorded in the partition only, and readers of the disk add up the records of both. After
//! the partition has left and its last I/O was recorded, its records are added to the record that the CPUs of the disk
//! share, and readers no longer add them up. Readers by system calls do not notice this, as they are excluded
//! meanwhile; readers of mapped memory detect it by [`PartitionChanges`](crate::abi::map::PartitionChanges).

use super::{
    class::{
        Class,
        CLASSES, //
    },
    histogram::{
        Histogram,
        Phase,
        PHASES, //
    },
    record::{
        DiskSummand,
        Record,
        RecordPart,
        WritingShared, //
    },
    size::ClassSizes,
    snapshot::{
        collect,
        collect_histogram,
        collect_sizes, //
    },
};

/// The sum of all that a partition has counted for its disk.
#[derive(Debug, Default)]
pub struct PartitionSum {
    record: Record<u64>,
    times: [[Histogram<u64>; PHASES]; CLASSES],
    sizes: ClassSizes,
}

impl PartitionSum {
    /// Replaces the sum by that of the records of a partition, in which nothing is recorded any more.
    pub fn take<'a, I>(&mut self, records: impl Fn() -> I)
    where
        I: Iterator<Item = RecordPart<'a>>,
    {
        let summands = || records().map(|part| DiskSummand::of_partition(part.record));
        self.record = collect(summands, || 0).record;
        self.sizes = collect_sizes(records());
        for (class, times) in Class::ALL.into_iter().zip(&mut self.times) {
            for (phase, times) in Phase::ALL.into_iter().zip(times) {
                collect_histogram(records(), class, phase, times);
            }
        }
    }

    /// An upper limit of the count of each bucket.
    pub fn most_times(&self) -> u64 {
        self.record.devstat.end_count()
    }

    /// Moves the sum to the record that the CPUs of the disk share. Returns whether a part remains: one call adds to a
    /// bucket at most what its base can follow.
    pub fn add_to(&mut self, shared: &WritingShared<'_>) -> bool {
        shared.add(&core::mem::take(&mut self.record));
        let mut remains = false;
        for (class, sizes) in Class::ALL.into_iter().zip(&mut self.sizes) {
            remains |= shared.absorb_sizes(class, sizes);
        }
        for (class, times) in Class::ALL.into_iter().zip(&mut self.times) {
            for (phase, times) in Phase::ALL.into_iter().zip(times) {
                remains |= shared.histogram(class, phase).absorb(times);
            }
        }
        remains
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{
        super::{
            base::Base,
            record::{
                CpuRecord,
                Rare, //
            },
            turns::Turns,
        },
        *, //
    };

    #[test]
    fn more_sizes_than_a_base_can_follow_remain() {
        for class in [Class::Read, Class::Write, Class::Free] {
            let (record, turns, rare) = (CpuRecord::default(), Turns::default(), Rare::default());
            let mut sum = PartitionSum::default();
            let mut expected = ClassSizes::default();
            expected[class as usize][3] = u64::from(Base::STEP) + 5;
            sum.sizes = expected;
            let shared = record.write_shared(&turns, &rare);
            assert!(sum.add_to(&shared));
            assert!(!sum.add_to(&shared));
            drop(shared);
            assert_eq!(sum.sizes, ClassSizes::default());
            let part = RecordPart {
                record: &record,
                bases: None,
                rare: Some((&rare, None)),
            };
            assert_eq!(collect_sizes([part].into_iter()), expected);
        }
    }
}
