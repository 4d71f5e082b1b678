// SPDX-License-Identifier: GPL-2.0

//! A snapshot with histograms of the same instant.

use super::{
    super::{
        class::{
            Class,
            CLASSES, //
        },
        counter::fold,
        histogram::{
            Histogram,
            Phase,
            PHASES, //
        },
        record::{
            DiskSummand,
            Record,
            RecordPart,
            Summand, //
        },
        size::{
            ClassSizes,
            SizeCounts, //
        },
    },
    Snapshot,
};

/// How many histograms of times a device has.
const TIMES: usize = CLASSES * PHASES;

/// How many histograms a device has: of times, and of sizes.
pub const HISTOGRAMS: usize = TIMES + CLASSES;

/// Which histograms of a device are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistogramSet(u32);

impl HistogramSet {
    /// All of them.
    pub const ALL: HistogramSet = HistogramSet((1 << HISTOGRAMS) - 1);

    /// The histograms whose [`HistogramSet::bit`] or [`HistogramSet::sizes_bit`] is set; [`None`]
    /// if any other bit is set.
    pub const fn new(bits: u32) -> Option<Self> {
        if bits & !Self::ALL.0 == 0 {
            Some(HistogramSet(bits))
        } else {
            None
        }
    }

    /// The bits of those that are wanted.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The bit of the sizes of a class.
    #[expect(clippy::arithmetic_side_effects, reason = "below 16")]
    pub const fn sizes_bit(class: Class) -> u32 {
        1 << (TIMES as u32 + class as u32)
    }

    /// Whether the sizes of a class are wanted.
    fn has_sizes(self, class: Class) -> bool {
        self.0 & Self::sizes_bit(class) != 0
    }

    /// Whether any sizes are wanted.
    fn has_any_sizes(self) -> bool {
        self.0 >> TIMES != 0
    }

    /// The bit of a histogram of times.
    #[expect(clippy::arithmetic_side_effects, reason = "below 12")]
    pub const fn bit(class: Class, phase: Phase) -> u32 {
        1 << (class as u32 * PHASES as u32 + phase as u32)
    }

    fn has(self, class: Class, phase: Phase) -> bool {
        self.0 & Self::bit(class, phase) != 0
    }
}

/// The histograms of a device, of one CPU or added up. The content of histograms that were not
/// wanted is undefined.
#[derive(Debug, Default)]
pub struct HistogramSums {
    times: [[Histogram<u64>; PHASES]; CLASSES],
    sizes: ClassSizes,
}

impl HistogramSums {
    /// The wanted histograms of sizes.
    pub fn sizes_of(&self, wanted: HistogramSet) -> impl Iterator<Item = (Class, &SizeCounts)> {
        let classes = Class::ALL.into_iter().zip(&self.sizes);
        classes.filter(move |(class, _)| wanted.has_sizes(*class))
    }

    /// The wanted histograms of times: by class, then by phase.
    pub fn of(
        &self,
        wanted: HistogramSet,
    ) -> impl Iterator<Item = (Class, Phase, &Histogram<u64>)> {
        let classes = Class::ALL.into_iter().zip(&self.times);
        classes
            .flat_map(|(class, phases)| {
                let phases = Phase::ALL.into_iter().zip(phases);
                phases.map(move |(phase, histogram)| (class, phase, histogram))
            })
            .filter(move |(class, phase, _)| wanted.has(*class, *phase))
    }

    /// Like [`HistogramSums::of`], to change the histograms.
    pub fn of_mut(
        &mut self,
        wanted: HistogramSet,
    ) -> impl Iterator<Item = (Class, Phase, &mut Histogram<u64>)> {
        let classes = Class::ALL.into_iter().zip(&mut self.times);
        classes
            .flat_map(|(class, phases)| {
                let phases = Phase::ALL.into_iter().zip(phases);
                phases.map(move |(phase, histogram)| (class, phase, histogram))
            })
            .filter(move |(class, phase, _)| wanted.has(*class, *phase))
    }

    fn fold(&mut self, other: &Self, wanted: HistogramSet) {
        for ((.., sum), (.., more)) in self.of_mut(wanted).zip(other.of(wanted)) {
            sum.fold(more);
        }
        if wanted.has_any_sizes() {
            for (sum, more) in self.sizes.iter_mut().zip(&other.sizes) {
                fold(sum, more);
            }
        }
    }

    fn clear(&mut self, wanted: HistogramSet) {
        self.of_mut(wanted).for_each(|(.., sum)| sum.clear());
        self.sizes.iter_mut().for_each(|counts| counts.fill(0));
    }
}

/// A record of a disk or of one of its partitions, with its histograms.
#[derive(Clone, Copy, Debug)]
pub struct DiskPart<'a> {
    part: RecordPart<'a>,
    summand: DiskSummand<'a>,
}

impl<'a> DiskPart<'a> {
    /// A record of the disk itself.
    pub fn own(part: RecordPart<'a>) -> Self {
        DiskPart {
            part,
            summand: DiskSummand::own(part.record),
        }
    }

    /// A record of a partition.
    pub fn of_partition(part: RecordPart<'a>) -> Self {
        DiskPart {
            part,
            summand: DiskSummand::of_partition(part.record),
        }
    }

    /// Copies the record and its histograms that are wanted as they were at one instant, as soon as the owner does not
    /// write: these in place of what is in `copies`. Returns the record, with the sequence count it had then. Spins.
    fn read(self, wanted: HistogramSet, copies: &mut HistogramSums) -> (u64, Record<u64>) {
        let mut sizes = None;
        let read = self.summand.read_with(|| {
            for (class, phase, copy) in copies.of_mut(wanted) {
                self.part.copy_histogram(class, phase, copy);
            }
            if wanted.has_any_sizes() {
                sizes = Some(self.part.copy_sizes());
            }
        });
        if let Some(sizes) = sizes {
            copies.sizes.iter_mut().for_each(|counts| counts.fill(0));
            self.part.add_sizes(sizes, &mut copies.sizes);
        }
        read
    }
}

/// One consistent copy of each record and its histograms, added up, and the sum of the sequence counts: see
/// [`super::pass`]. `copies` is room for those of one CPU.
fn pass<'a>(
    parts: impl Iterator<Item = DiskPart<'a>>,
    wanted: HistogramSet,
    sum: &mut Record<u64>,
    sums: &mut HistogramSums,
    copies: &mut HistogramSums,
) -> u64 {
    let mut written = parts.filter(|part| part.summand.seq() != 0);
    let Some(first) = written.next() else {
        *sum = Record::default();
        sums.clear(wanted);
        return 0;
    };
    let (seq, copy) = first.read(wanted, sums);
    *sum = copy;
    written.fold(seq, |seqs, part| {
        let (seq, copy) = part.read(wanted, copies);
        sum.fold(&copy);
        sums.fold(copies, wanted);
        seqs.wrapping_add(seq)
    })
}

impl Snapshot {
    /// Does what [`Snapshot::take`] does, and replaces the wanted of `sums` by the histograms of the same instant: there are
    /// as many transactions of a class in them as completed operations of that class in the snapshot. `copies`
    /// is room for those of one CPU.
    pub fn take_with_histograms<'a, I>(
        &mut self,
        parts: impl Fn() -> I,
        clock: impl Fn() -> u64,
        wanted: HistogramSet,
        sums: &mut HistogramSums,
        copies: &mut HistogramSums,
    ) where
        I: Iterator<Item = DiskPart<'a>>,
    {
        // An exit is in a histogram and in the record: both are from the first pass.
        self.take_by(
            |sum| pass(parts(), wanted, sum, sums, copies),
            || parts().map(|part| part.summand),
            clock,
        );
    }
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(
    CONFIG_KUNIT = "y",
    kernel::macros::kunit_tests(iostat_snapshot_histograms)
)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_histograms_are_those_of_the_header() {
        assert_eq!(HistogramSet::bit(Class::NoData, Phase::Wait), 1);
        assert_eq!(HistogramSet::bit(Class::Write, Phase::Service), 1 << 7);
        assert_eq!(HistogramSet::sizes_bit(Class::Read), 1 << 13);
        assert_eq!(HistogramSet::ALL.bits(), 0xffff);
        assert!(
            HistogramSet::new(0xffff) == Some(HistogramSet::ALL)
                && HistogramSet::new(0x1_0000).is_none()
        );
    }
}
