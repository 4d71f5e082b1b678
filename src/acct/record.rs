// SPDX-License-Identifier: GPL-2.0

//! One CPU's share of one disk, and reading it while it is being written.

use super::{
    busy::{
        Edge,
        Edges,
        Gauge,
        Line, //
    },
    class::Class,
    counter::{
        Counter,
        Load, //
    },
    devstat::Devstat,
    histogram::{
        is_rare,
        Bases,
        Histogram,
        Latency,
        Phase,
        PAIR, //
    },
    queue::Queue,
    seqcount::SeqCount,
    size::{
        ClassSizes,
        SizeCounts,
        SizeLows,
        Sizes, //
    },
    turns::{
        Turn,
        Turns, //
    }, //
};
use crate::below::Bit;

/// Everything counted for one disk (`W` = [`Counter`] on one CPU, `u64` added up).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Record<W = Counter> {
    /// devstat(9)'s counters.
    pub devstat: Devstat<W>,
    /// kstat's wait queue: accepted, not issued.
    pub waitq: Queue<W>,
    /// kstat's run queue: issued, not done.
    pub runq: Queue<W>,
    /// Whether the wait queue is not empty, as a queue of length 0 or 1.
    pub waitq_busy: Queue<W>,
    /// Whether the run queue is not empty.
    pub runq_busy: Queue<W>,
    /// Whether both queues are not empty.
    pub both_busy: Queue<W>,
}

impl Record<Counter> {
    /// A line of the disk rises or falls at `now`.
    #[inline(always)]
    pub fn note(&self, line: Line, edge: Edge, now: u64) {
        let line = match line {
            Line::Waitq => &self.waitq_busy,
            Line::Runq => &self.runq_busy,
            Line::Both => &self.both_busy,
        };
        line.note(edge, now);
    }
}

impl Record<Counter> {
    /// Adds what was counted elsewhere. Owner only.
    pub(super) fn add(&self, other: &Record<u64>) {
        self.devstat.add(&other.devstat);
        self.waitq.add(&other.waitq);
        self.runq.add(&other.runq);
        self.waitq_busy.add(&other.waitq_busy);
        self.runq_busy.add(&other.runq_busy);
        self.both_busy.add(&other.both_busy);
    }
}

impl Load for Record<Counter> {
    type Plain = Record<u64>;

    fn load(&self) -> Record<u64> {
        Record {
            devstat: self.devstat.load(),
            waitq: self.waitq.load(),
            runq: self.runq.load(),
            waitq_busy: self.waitq_busy.load(),
            runq_busy: self.runq_busy.load(),
            both_busy: self.both_busy.load(),
        }
    }
}

impl Record<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        self.devstat.fold(&other.devstat);
        self.waitq.fold(&other.waitq);
        self.runq.fold(&other.runq);
        self.waitq_busy.fold(&other.waitq_busy);
        self.runq_busy.fold(&other.runq_busy);
        self.both_busy.fold(&other.both_busy);
    }
}

/// The part of a partition's record by which its disk differs. An I/O of a partition is recorded in the partition only,
/// and a reader of the disk adds up the records of the disk and of its partitions. Only the edges of the disk's lines
/// differ from those of the partition's lines.
///
/// An I/O that is alone in its disk makes the same edges in both, and so does not change the
/// difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct DiskDifference<W = Counter> {
    waitq_busy: Queue<W>,
    runq_busy: Queue<W>,
    both_busy: Queue<W>,
    /// Time for which submitters have waited for tags, ns. They waited in the wait queue of the disk, whose own
    /// records include this time.
    waited_ns: W,
}

impl DiskDifference<Counter> {
    #[inline(always)]
    fn line(&self, line: Line) -> &Queue {
        match line {
            Line::Waitq => &self.waitq_busy,
            Line::Runq => &self.runq_busy,
            Line::Both => &self.both_busy,
        }
    }
}

/// A record under its sequence count, with the times of reads and writes.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct CpuRecord {
    seq: SeqCount,
    record: Record,
    difference: DiskDifference,
    latency: Latency,
    /// Not 0 once there are [`Bases`] of these times.
    has_bases: Counter,
    /// Sizes of reads and writes.
    sizes: Sizes<PAIR>,
}

/// The times of all other classes: for all CPUs together, under the sequence count of the record that they share.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Rare {
    /// Not 0 once there are [`Bases`] of them.
    has_bases: Counter,
    latency: Latency,
    /// Sizes of [`Class::Free`].
    sizes: Sizes<1>,
}

/// The column of [`Class::Free`] in the bases of [`Rare`].
const FREE: usize = 1;

impl Rare {
    /// Where the sizes begin, bytes.
    pub const SIZES_OFFSET: usize = core::mem::offset_of!(Rare, sizes);

    /// Where its histograms begin, bytes.
    pub const LATENCY_OFFSET: usize = core::mem::offset_of!(Rare, latency);

    /// Offset of `has_bases`, bytes.
    pub const HAS_BASES_OFFSET: usize = core::mem::offset_of!(Rare, has_bases);
}

/// A record as readers use it, with its bases and the rare histograms.
#[derive(Clone, Copy, Debug)]
pub struct RecordPart<'a> {
    /// The record of one CPU, or the one that CPUs share.
    pub record: &'a CpuRecord,
    /// The bases of its histograms, if there are any.
    pub bases: Option<&'a Bases>,
    /// With the record that CPUs share: the rare histograms, and their bases, if there are any.
    pub rare: Option<(&'a Rare, Option<&'a Bases>)>,
}

impl<'a> From<&'a CpuRecord> for RecordPart<'a> {
    fn from(record: &'a CpuRecord) -> Self {
        RecordPart {
            record,
            bases: None,
            rare: None,
        }
    }
}

impl RecordPart<'_> {
    /// Limit of a record without bases: of its sequence count, and of its transactions.
    const CHANGES_WITHOUT_BASES: u64 = 1 << 30;

    /// Whether there should be bases once a partition that has counted so many transactions is absorbed.
    pub fn needs_bases_with(&self, transactions: u64) -> bool {
        let (_, record) = self.record.read();
        let all = record.devstat.end_count().saturating_add(transactions);
        all >= Self::CHANGES_WITHOUT_BASES
    }

    /// Whether there should be bases. No count is above half of the sequence count, which grows by
    /// 2 with each change.
    pub fn needs_bases(&self) -> bool {
        self.record.seq() >= Self::CHANGES_WITHOUT_BASES
    }

    /// Updates its bases from its counts: see [`Bases::follow`].
    pub fn follow(&self) {
        if let Some(bases) = self.bases {
            bases.follow(&self.record.latency);
            self.record.sizes.update_bases(bases.sizes(), 0);
            self.record.has_bases.set(1);
        }
        if let Some((rare, Some(bases))) = self.rare {
            bases.follow(&rare.latency);
            rare.sizes.update_bases(bases.sizes(), FREE);
            rare.has_bases.set(1);
        }
    }

    /// The histograms of a class, if they are in this part, with their bases.
    fn latency(&self, class: Class) -> Option<(&Latency, Option<&Bases>)> {
        if is_rare(class as usize) {
            let (rare, bases) = self.rare?;
            return Some((&rare.latency, bases));
        }
        Some((&self.record.latency, self.bases))
    }

    /// Whether one histogram is empty. A transaction that is recorded meanwhile may be missed.
    pub fn is_empty_histogram(&self, class: Class, phase: Phase) -> bool {
        let latency = self.latency(class);
        latency.is_none_or(|(latency, _)| latency.of(class, phase).is_empty())
    }

    /// Copies one histogram as it was at one instant, as soon as the owner does not write, in place of what is in
    /// `copy`. Spins.
    pub fn read_histogram(&self, class: Class, phase: Phase, copy: &mut Histogram<u64>) {
        let seq = &self.record.seq;
        seq.read(|| self.copy_histogram(class, phase, copy));
    }

    /// Adds the sizes of all classes, as they were at one instant, to `sums`, as soon as the owner does not write. Spins.
    pub fn read_sizes(&self, sums: &mut ClassSizes) {
        if self.record.seq() != 0 {
            let (_, copy) = self.record.seq.read(|| self.copy_sizes());
            self.add_sizes(copy, sums);
        }
    }

    /// The sizes of all classes, under the sequence count of the record: see [`RecordPart::add_sizes`].
    #[inline(always)]
    pub(super) fn copy_sizes(&self) -> (SizeLows<PAIR>, Option<SizeLows<1>>) {
        let rare = self.rare.map(|(rare, _)| rare.sizes.copy());
        (self.record.sizes.copy(), rare)
    }

    /// Adds what [`RecordPart::copy_sizes`] has returned to `sums`.
    pub(super) fn add_sizes(
        &self,
        (sizes, rare_sizes): (SizeLows<PAIR>, Option<SizeLows<1>>),
        sums: &mut ClassSizes,
    ) {
        let [_, read, write, free] = sums;
        let bases = self.bases.map(Bases::sizes);
        sizes.add_to(0, bases.map(|bases| (bases, 0)), read);
        sizes.add_to(1, bases.map(|bases| (bases, 1)), write);
        if let Some((sizes, (_, bases))) = rare_sizes.zip(self.rare) {
            sizes.add_to(0, bases.map(|bases| (bases.sizes(), FREE)), free);
        }
    }

    /// Copies one histogram in place of what is in `copy`. Under the sequence count of the record.
    pub(super) fn copy_histogram(&self, class: Class, phase: Phase, copy: &mut Histogram<u64>) {
        let Some((latency, bases)) = self.latency(class) else {
            return copy.clear();
        };
        let bases = bases.and_then(|bases| bases.of(class, phase));
        latency.of(class, phase).copy_to(bases, copy);
    }
}

impl CpuRecord {
    /// Offset of the histograms, bytes; it is in the header of mapped memory.
    pub const LATENCY_OFFSET: usize = core::mem::offset_of!(CpuRecord, latency);

    /// Offset of `has_bases`, bytes.
    pub const HAS_BASES_OFFSET: usize = core::mem::offset_of!(CpuRecord, has_bases);

    /// Where the sizes of transactions begin, bytes.
    pub const SIZES_OFFSET: usize = core::mem::offset_of!(CpuRecord, sizes);

    /// Where its counters begin, bytes.
    pub const RECORD_OFFSET: usize = core::mem::offset_of!(CpuRecord, record);

    /// Where the difference between partition and disk begins, bytes.
    pub const DIFFERENCE_OFFSET: usize = core::mem::offset_of!(CpuRecord, difference);

    /// Begins to change the record, until the value is dropped. The caller is the CPU this record
    /// belongs to and keeps interrupts off that long, so writes never nest.
    #[inline(always)]
    pub fn write(&self) -> Writing<'_> {
        self.seq.begin();
        Writing(self)
    }

    /// Begins to write the record that CPUs share, as soon as no other caller writes it. Spins.
    #[inline(always)]
    pub fn write_shared<'a>(&'a self, turns: &'a Turns, rare: &'a Rare) -> WritingShared<'a> {
        let turn = turns.take();
        WritingShared {
            record: self.write(),
            rare,
            _turn: turn,
        }
    }

    /// A copy of the record as it was at one instant, with the sequence count it had then;
    /// [`None`] if the owner was writing.
    #[inline]
    pub fn try_read(&self) -> Option<(u64, Record<u64>)> {
        self.seq.try_read(|| self.record.load())
    }

    /// Reads the record, as soon as the owner does not write it. Spins.
    #[inline]
    pub fn read(&self) -> (u64, Record<u64>) {
        self.seq.read(|| self.record.load())
    }

    /// Loads the record of a partition as one of its disk. Under the sequence count.
    fn load_for_disk(&self) -> Record<u64> {
        let mut record = self.record.load();
        let difference = &self.difference;
        record.waitq_busy.fold(&difference.waitq_busy.load());
        record.runq_busy.fold(&difference.runq_busy.load());
        record.both_busy.fold(&difference.both_busy.load());
        // An I/O entered the disk's wait queue when it started: before that, its submitter was in
        // the queue.
        let waited_ns = difference.waited_ns.get();
        record.waitq.t_in = record.waitq.t_in.wrapping_add(waited_ns);
        record
    }

    /// The sequence count alone: equal to an earlier one if nothing was written since.
    #[inline]
    pub fn seq(&self) -> u64 {
        self.seq.get()
    }
}

/// A record that a reader adds to other records.
pub trait Summand: Copy {
    /// See [`CpuRecord::seq`].
    fn seq(self) -> u64;

    /// See [`CpuRecord::read`].
    fn read(self) -> (u64, Record<u64>);
}

impl Summand for &CpuRecord {
    #[inline]
    fn seq(self) -> u64 {
        CpuRecord::seq(self)
    }

    #[inline]
    fn read(self) -> (u64, Record<u64>) {
        CpuRecord::read(self)
    }
}

/// A record of a disk that has partitions, or of one of these partitions. The records of a disk without
/// partitions are read directly.
#[derive(Clone, Copy, Debug)]
pub struct DiskSummand<'a> {
    record: &'a CpuRecord,
    is_of_partition: bool,
}

impl<'a> DiskSummand<'a> {
    /// The record of the disk itself.
    pub fn own(record: &'a CpuRecord) -> Self {
        DiskSummand {
            record,
            is_of_partition: false,
        }
    }

    /// The record of a partition.
    pub fn of_partition(record: &'a CpuRecord) -> Self {
        DiskSummand {
            record,
            is_of_partition: true,
        }
    }

    /// Does what [`Summand::read`] does, and calls `copy`, which copies data under the same sequence count. Both are
    /// repeated until nothing was written meanwhile.
    pub(super) fn read_with(self, mut copy: impl FnMut()) -> (u64, Record<u64>) {
        self.record.seq.read(|| {
            copy();
            if self.is_of_partition {
                self.record.load_for_disk()
            } else {
                self.record.record.load()
            }
        })
    }
}

impl Summand for DiskSummand<'_> {
    fn seq(self) -> u64 {
        self.record.seq()
    }

    fn read(self) -> (u64, Record<u64>) {
        self.read_with(|| {})
    }
}

/// A record while it is changed.
pub trait RecordWrite: core::ops::Deref<Target = Record> {
    /// Records the times of a transaction of a class.
    fn record_times(&self, class: usize, total_ns: u64, service_ns: u64);

    /// Records the size of a transaction of a class.
    fn record_size(&self, class: usize, bytes: u64);

    /// The difference of the disk, in the record of a partition.
    fn difference(&self) -> &DiskDifference;

    /// Before its start, the submitter of a transaction of a partition, which is in the wait queue, was in the wait
    /// queue of the disk for this time, ns.
    #[inline(always)]
    fn waited_before(&self, ns: u64) {
        self.waitq.entered_before(ns);
        self.difference().waited_ns.add(ns);
    }

    /// Records the edges of a step in a partition, and takes the step that these edges cause in the gauge of its disk.
    #[inline(always)]
    fn note_in_partition(&self, edges: Edges, disk: &Gauge, now: u64) {
        edges.each(|line, edge| self.note(line, edge, now));
        if let Some(step) = edges.step_above() {
            self.note_difference(edges, disk.take(step).edges_of(step), now);
        }
    }

    /// Records the edges of the disk, for a step whose edges in the partition were recorded.
    #[inline(always)]
    fn note_difference(&self, edges: Edges, in_disk: Edges, now: u64) {
        if in_disk != edges {
            let difference = self.difference();
            edges.each(|line, edge| difference.line(line).take_back(edge, now));
            in_disk.each(|line, edge| difference.line(line).note(edge, now));
        }
    }
}

/// A record while its owner changes it. Transactions of rare classes are not recorded here.
#[derive(Debug)]
pub struct Writing<'a>(&'a CpuRecord);

/// The record that CPUs share, while one of them changes it.
#[derive(Debug)]
pub struct WritingShared<'a> {
    record: Writing<'a>,
    rare: &'a Rare,
    // Fields are dropped in this order: the sequence count is even again before the next caller has its turn.
    _turn: Turn<'a>,
}

impl RecordWrite for Writing<'_> {
    #[inline(always)]
    fn record_times(&self, class: usize, total_ns: u64, service_ns: u64) {
        self.0.latency.record(class, total_ns, service_ns);
    }

    #[inline(always)]
    fn record_size(&self, class: usize, bytes: u64) {
        // Reads and writes.
        self.0.sizes.record(class.wrapping_sub(1), bytes);
    }

    #[inline(always)]
    fn difference(&self) -> &DiskDifference {
        &self.0.difference
    }
}

impl RecordWrite for WritingShared<'_> {
    #[inline(always)]
    fn record_times(&self, class: usize, total_ns: u64, service_ns: u64) {
        if is_rare(class) {
            self.rare.latency.record(class, total_ns, service_ns);
        } else {
            self.record.record_times(class, total_ns, service_ns);
        }
    }

    #[inline(always)]
    fn record_size(&self, class: usize, bytes: u64) {
        if class == Class::Free as usize {
            self.rare.sizes.record(0, bytes);
        } else {
            self.record.record_size(class, bytes);
        }
    }

    #[inline(always)]
    fn difference(&self) -> &DiskDifference {
        self.record.difference()
    }
}

impl WritingShared<'_> {
    /// Moves the sizes of a class from `from` to this record: see [`Sizes::absorb`].
    pub(super) fn absorb_sizes(&self, class: Class, from: &mut SizeCounts) -> bool {
        let sizes = &self.record.0.sizes;
        match class {
            Class::NoData => false,
            Class::Read => sizes.absorb(0, from),
            Class::Write => sizes.absorb(1, from),
            Class::Free => self.rare.sizes.absorb(0, from),
        }
    }

    /// A histogram of all CPUs of the account: it includes no times that are in the record of one
    /// CPU.
    pub(super) fn histogram(&self, class: Class, phase: Phase) -> &Histogram {
        let latency = if is_rare(class as usize) {
            &self.rare.latency
        } else {
            &self.record.0.latency
        };
        latency.of(class, phase)
    }
}

impl Writing<'_> {
    /// Records the size of a read or write.
    #[inline(always)]
    pub(super) fn record_data_size(&self, is_write: Bit, bytes: u32) {
        self.0.sizes.record_data(is_write, bytes);
    }

    /// Records the times of a read or write.
    #[inline(always)]
    pub(super) fn record_data_times(&self, is_write: Bit, total_ns: u64, service_ns: u64) {
        let record = self.0;
        record
            .latency
            .record_data(record, is_write, total_ns, service_ns);
    }
}

impl core::ops::Deref for WritingShared<'_> {
    type Target = Record;

    #[inline(always)]
    fn deref(&self) -> &Record {
        &self.record
    }
}

impl core::ops::Deref for Writing<'_> {
    type Target = Record;

    #[inline(always)]
    fn deref(&self) -> &Record {
        &self.0.record
    }
}

impl Drop for Writing<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.seq.end();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn part(record: &CpuRecord) -> RecordPart<'_> {
        RecordPart {
            record,
            bases: None,
            rare: None,
        }
    }

    #[test]
    fn a_record_needs_bases_once_a_count_may_be_half_of_what_it_has_room_for() {
        let changes = 1 << 30;
        for (seq, needs) in [(0, false), (changes - 1, false), (changes, true)] {
            let record = CpuRecord {
                seq: SeqCount::at(seq),
                ..CpuRecord::default()
            };
            assert_eq!(part(&record).needs_bases(), needs, "{seq}");
        }
    }

    #[test]
    fn a_histogram_is_empty_until_a_time_is_recorded() {
        let record = CpuRecord::default();
        assert!(part(&record).is_empty_histogram(Class::Read, Phase::Service));
        record.write().record_times(Class::Read as usize, 7, 5);
        for phase in Phase::ALL {
            assert!(!part(&record).is_empty_histogram(Class::Read, phase));
            assert!(part(&record).is_empty_histogram(Class::Write, phase));
            // A histogram that only the shared record has.
            assert!(part(&record).is_empty_histogram(Class::Free, phase));
        }
    }
}
