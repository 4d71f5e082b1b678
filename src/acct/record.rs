// SPDX-License-Identifier: GPL-2.0

//! One CPU's share of one disk, and reading it while it is being written.

use super::{
    busy::{
        Edge,
        Line, //
    },
    class::Class,
    counter::{
        Counter,
        Load, //
    },
    devstat::Devstat,
    histogram::{
        Histogram,
        Latency,
        Phase, //
    },
    queue::Queue,
    seqcount::SeqCount, //
};

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
    /// The same of the run queue.
    pub runq_busy: Queue<W>,
    /// The same of both at once.
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
        match edge {
            Edge::Rise => line.rise(now),
            Edge::Fall => line.fall(now),
        }
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

/// A record under its sequence count.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct CpuRecord {
    seq: SeqCount,
    record: Record,
    latency: Latency,
}

impl CpuRecord {
    /// Where its histograms begin, bytes: readers of mapped memory are told.
    pub const LATENCY_OFFSET: usize = core::mem::offset_of!(CpuRecord, latency);

    /// Where its counters begin, bytes.
    pub const RECORD_OFFSET: usize = core::mem::offset_of!(CpuRecord, record);

    /// Begins to change the record, until the value is dropped. The caller is the CPU this record
    /// belongs to and keeps interrupts off that long, so writes never nest.
    #[inline(always)]
    pub fn write(&self) -> Writing<'_> {
        self.seq.begin();
        Writing(self)
    }

    /// A copy of the record as it was at one instant, with the sequence count it had then;
    /// [`None`] if the owner was writing.
    #[inline]
    pub fn try_read(&self) -> Option<(u64, Record<u64>)> {
        self.seq.try_read(|| self.record.load())
    }

    /// The same, as soon as the owner does not write. Spins.
    #[inline]
    pub fn read(&self) -> (u64, Record<u64>) {
        self.seq.read(|| self.record.load())
    }

    /// Whether there is nothing in one histogram. (What comes while one asks may be missed.)
    pub fn is_empty_histogram(&self, class: Class, phase: Phase) -> bool {
        self.latency.of(class, phase).is_empty()
    }

    /// Copies one histogram as it was at one instant, as soon as the owner does not write, in place of what is in
    /// `copy`. Spins.
    pub fn read_histogram(&self, class: Class, phase: Phase, copy: &mut Histogram<u64>) {
        self.seq
            .read(|| self.latency.of(class, phase).copy_to(copy));
    }

    /// The sequence count alone: equal to an earlier one if nothing was written since.
    #[inline]
    pub fn seq(&self) -> u64 {
        self.seq.get()
    }
}

/// A record while its owner changes it.
#[derive(Debug)]
pub struct Writing<'a>(&'a CpuRecord);

impl Writing<'_> {
    /// The distribution of times beside the record.
    #[inline(always)]
    pub fn latency(&self) -> &Latency {
        &self.0.latency
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
