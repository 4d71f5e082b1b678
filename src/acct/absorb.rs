// SPDX-License-Identifier: GPL-2.0

//! What a disk does with the counts of a partition that has left: it adds them to its own.
//!
//! An I/O of a partition is recorded there alone, and readers of the disk add up the records of both. When the partition has
//! left, and the last I/O that could be recorded in it has been, its records are added to the one that the CPUs of the disk
//! share, and readers add them up no longer. Readers by calls do not see that, as they are kept out meanwhile; those of
//! mapped memory find it in [`PartitionChanges`](crate::abi::map::PartitionChanges).

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
    /// Adds up the records of a partition, in which nothing is recorded any more, in place of what was here.
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

    /// No count in a bucket is larger.
    pub fn most_times(&self) -> u64 {
        self.record.devstat.end_count()
    }

    /// Adds it to the record that the CPUs of the disk share, and takes it from here. Returns whether something remains: a
    /// bucket takes so much at a time that its base can follow.
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
