// SPDX-License-Identifier: GPL-2.0

//! How a reader adds up all CPUs' records of one disk: its own, and those of its partitions.

mod histograms;

pub use histograms::{
    DiskPart,
    HistogramSet,
    HistogramSums,
    HISTOGRAMS, //
};

use super::{
    class::{
        Class,
        CLASSES, //
    },
    histogram::{
        Histogram,
        Phase, //
    },
    record::{
        Record, //
        RecordPart,
        Summand,
    },
    size::{
        ClassSizes,
        SIZES, //
    },
};

/// One disk at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The instant, ns on the recorder's clock: kstat's `snaptime`.
    pub now: u64,
    /// All counters.
    pub record: Record<u64>,
    /// Time the wait queue was not empty, ns: kstat's `wtime`.
    pub wtime: u64,
    /// Wait queue length integrated over time, ns: kstat's `wlentime`.
    pub wlentime: u64,
    /// Time the run queue was not empty, ns: kstat's `rtime`.
    pub rtime: u64,
    /// Run queue length integrated over time, ns: kstat's `rlentime`.
    pub rlentime: u64,
    /// Time anything was in flight, ns: devstat's `busy_time`.
    pub busy_time: u64,
}

/// How often [`Snapshot::take`] tries for a moment in which no CPU writes. Once for loom, whose test would
/// not end otherwise.
const ATTEMPTS: usize = if cfg!(loom) { 1 } else { 8 };

/// Reads the records of all CPUs: see [`Snapshot::take`].
pub fn collect<I>(cpus: impl Fn() -> I, clock: impl Fn() -> u64) -> Snapshot
where
    I: Iterator<Item: Summand>,
{
    let mut snapshot = Snapshot::default();
    snapshot.take(cpus, clock);
    snapshot
}

/// One consistent copy of each record, added up, and the sum of their sequence counts: counts
/// only grow, so the sum is unchanged only if each of them is.
fn pass(cpus: impl Iterator<Item: Summand>, sum: &mut Record<u64>) -> u64 {
    // Many CPUs have seen no I/O of a disk.
    let mut written = cpus.filter(|cpu| cpu.seq() != 0);
    // Most often only one CPU has seen I/O.
    let Some(first) = written.next() else {
        *sum = Record::default();
        return 0;
    };
    let (seq, copy) = first.read();
    *sum = copy;
    written.fold(seq, |seqs, cpu| {
        let (seq, copy) = cpu.read();
        sum.fold(&copy);
        seqs.wrapping_add(seq)
    })
}

/// Replaces `sum` by the times of one class and phase on all CPUs.
///
/// The share of each CPU is of one instant, that of the next CPU a moment later: some of the
/// transactions that end meanwhile are included. Counts never decrease.
pub fn collect_histogram<'a>(
    cpus: impl Iterator<Item: Into<RecordPart<'a>>>,
    class: Class,
    phase: Phase,
    sum: &mut Histogram<u64>,
) {
    // Most disks have seen no discard, and many CPUs no I/O of a disk.
    let cpus = cpus.map(Into::into);
    let mut cpus = cpus.filter(|cpu: &RecordPart<'_>| !cpu.is_empty_histogram(class, phase));
    match cpus.next() {
        Some(first) => first.read_histogram(class, phase, sum),
        None => return sum.clear(),
    }
    if let Some(second) = cpus.next() {
        add_histograms(core::iter::once(second).chain(cpus), class, phase, sum);
    }
}

/// The sizes of transactions of each class, on all CPUs. Each CPU's share is of one instant, as in [`collect_histogram`].
pub fn collect_sizes<'a>(cpus: impl Iterator<Item: Into<RecordPart<'a>>>) -> ClassSizes {
    let mut sums = [[0; SIZES]; CLASSES];
    for cpu in cpus.map(Into::into) {
        cpu.read_sizes(&mut sums);
    }
    sums
}

#[inline(never)]
fn add_histograms<'a>(
    cpus: impl Iterator<Item = RecordPart<'a>>,
    class: Class,
    phase: Phase,
    sum: &mut Histogram<u64>,
) {
    let mut copy = Histogram::default();
    for cpu in cpus {
        cpu.read_histogram(class, phase, &mut copy);
        sum.fold(&copy);
    }
}

impl Record<u64> {
    /// The exits of `self` with the entries of `later`.
    fn take_entries(&mut self, later: &Self) {
        self.devstat.start_count = later.devstat.start_count;
        self.waitq = self.waitq.with_entries_of(&later.waitq);
        self.runq = self.runq.with_entries_of(&later.runq);
        self.waitq_busy = self.waitq_busy.with_entries_of(&later.waitq_busy);
        self.runq_busy = self.runq_busy.with_entries_of(&later.runq_busy);
        self.both_busy = self.both_busy.with_entries_of(&later.both_busy);
    }
}

/// The values of a snapshot that the next one is compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    now: u64,
    wtime: u64,
    wlentime: u64,
    rtime: u64,
    rlentime: u64,
    busy_time: u64,
}

impl Snapshot {
    /// Replaces the snapshot by one of the records of all CPUs.
    ///
    /// Two passes with the clock read in between. If no sequence count moved from one to the other, nothing happened
    /// meanwhile, and the copy is exact at the time of the clock. Under a load that never leaves such a moment,
    /// exits are taken from the first pass and entries from the second, with the time before the first: then no exit
    /// lacks its entry, every counter has a value it had between the passes, and no sum of times is too large. The
    /// time of an I/O whose exit was not seen counts up to that of the snapshot, and the I/O was still in flight
    /// then; unless its probe has read the clock already, and not yet changed the record: the sum is then too large by
    /// that time, some tens of instructions. A sum that was too large would have to be shown until the true one has reached it, as
    /// [`Snapshot::after`] keeps sums from going backwards.
    ///
    /// May spin while a writer changes a record, but never sleeps. The writer never waits.
    pub fn take<I>(&mut self, cpus: impl Fn() -> I, clock: impl Fn() -> u64)
    where
        I: Iterator<Item: Summand>,
    {
        self.take_by(|sum| pass(cpus(), sum), &cpus, clock);
    }

    /// See [`Snapshot::take`]: the first of the two passes is `first`.
    fn take_by<I>(
        &mut self,
        mut first: impl FnMut(&mut Record<u64>) -> u64,
        cpus: impl Fn() -> I,
        clock: impl Fn() -> u64,
    ) where
        I: Iterator<Item: Summand>,
    {
        let mut before = clock();
        for _ in 0..ATTEMPTS {
            let seq = first(&mut self.record);
            self.now = clock();
            // Cheap check first: most attempts that fail, fail here.
            let seqs = cpus().map(Summand::seq);
            let unchanged = seqs.fold(0, u64::wrapping_add) == seq;
            if unchanged {
                break;
            }
            let mut entries = Record::default();
            pass(cpus(), &mut entries);
            self.record.take_entries(&entries);
            self.now = core::mem::replace(&mut before, clock());
        }
        self.integrate();
    }

    /// Computes the times up to the instant of the snapshot.
    fn integrate(&mut self) {
        let (record, now) = (&self.record, self.now);
        self.wtime = record.waitq_busy.lentime_ns(now);
        self.wlentime = record.waitq.lentime_ns(now);
        self.rtime = record.runq_busy.lentime_ns(now);
        self.rlentime = record.runq.lentime_ns(now);
        let both = record.both_busy.lentime_ns(now);
        self.busy_time = self.wtime.wrapping_add(self.rtime).wrapping_sub(both);
    }

    /// The values that the next snapshot is compared with.
    pub fn seen(&self) -> Seen {
        Seen {
            now: self.now,
            wtime: self.wtime,
            wlentime: self.wlentime,
            rtime: self.rtime,
            rlentime: self.rlentime,
            busy_time: self.busy_time,
        }
    }

    /// Returns the snapshot that a reader may see after `last`: no time is less than in `last`, and the busy time since
    /// then is neither more than the time since then, nor more than the sum of the queue length.
    ///
    /// Queue lengths are exact; edges may be noted in the wrong order by CPUs that make them at the
    /// same instant (see [`super::busy`]), or by one that its hypervisor stopped in between. Errors
    /// of edges that exceed these bounds are corrected. All of this compares growths since `last`,
    /// as a length integrated over time wraps within a year if there are 600 I/Os in the queue.
    pub fn after(mut self, last: &Snapshot) -> Self {
        self.settle(&last.seen());
        self
    }

    /// Does what [`Snapshot::after`] does, in place.
    pub fn settle(&mut self, last: &Seen) {
        let elapsed = self.now.saturating_sub(last.now);
        let wlen = growth(self.wlentime, last.wlentime);
        let rlen = growth(self.rlentime, last.rlentime);
        let wbusy = growth(self.wtime, last.wtime).min(elapsed).min(wlen);
        let rbusy = growth(self.rtime, last.rtime).min(elapsed).min(rlen);
        let busy = growth(self.busy_time, last.busy_time)
            .min(elapsed)
            .min(wbusy.saturating_add(rbusy));
        self.wlentime = last.wlentime.wrapping_add(wlen);
        self.rlentime = last.rlentime.wrapping_add(rlen);
        self.wtime = last.wtime.saturating_add(wbusy);
        self.rtime = last.rtime.saturating_add(rbusy);
        // The disk is busy while a queue is busy.
        let most = last.busy_time.saturating_add(elapsed);
        let busy_time = last.busy_time.saturating_add(busy);
        self.busy_time = busy_time.max(self.wtime).max(self.rtime).min(most);
    }

    /// Transactions in flight.
    pub fn in_flight(&self) -> u64 {
        let devstat = &self.record.devstat;
        devstat.start_count.wrapping_sub(devstat.end_count())
    }

    /// `wlastupdate`: the time the wait queue's sums are good for. With the open interval
    /// added in, that is the snapshot's.
    pub fn wlastupdate(&self) -> u64 {
        lastupdate(self.record.waitq.len(), self.record.waitq.last, self.now)
    }

    /// `rlastupdate`, of the run queue.
    pub fn rlastupdate(&self) -> u64 {
        lastupdate(self.record.runq.len(), self.record.runq.last, self.now)
    }
}

fn lastupdate(len: u64, last: u64, now: u64) -> u64 {
    if len == 0 {
        // Under load, the last entry may have come after the time of the snapshot.
        last.min(now)
    } else {
        now
    }
}

/// How much `value` is ahead of `last` on the circle of 64 bits; 0 if it is behind.
fn growth(value: u64, last: u64) -> u64 {
    let ahead = value.wrapping_sub(last);
    if ahead > u64::MAX / 2 {
        0
    } else {
        ahead
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_snapshot))]
mod tests {
    use super::{
        super::{
            busy::{
                Gauge,
                Tree, //
            },
            class::{
                Kind,
                Tag, //
            },
            record::CpuRecord,
            transition::{
                End,
                Transition, //
            },
        },
        *,
    };

    fn end(duration_ns: u64) -> End {
        End {
            kind: Kind::new(Class::Read, Tag::Simple),
            bytes: 512,
            duration_ns,
            service_ns: duration_ns,
        }
    }

    #[test]
    fn one_read_over_two_cpus() {
        let cpus: [CpuRecord; 2] = Default::default();
        let gauge = Tree {
            leaf: &Gauge::default(),
            root: None,
        };
        Transition::StartWaitqEnter.apply(&cpus[0].write(), &gauge, 100);
        Transition::WaitqToRunq.apply(&cpus[0].write(), &gauge, 130);
        let open = collect(|| cpus.iter(), || 150);
        assert_eq!(open.in_flight(), 1);
        assert_eq!((open.wtime, open.wlentime), (30, 30));
        assert_eq!((open.rtime, open.rlentime), (20, 20));
        assert_eq!(open.busy_time, 50);
        assert_eq!(open.rlastupdate(), 150);
        assert_eq!(open.wlastupdate(), 130);

        Transition::RunqExitEnd(end(100)).apply(&cpus[1].write(), &gauge, 200);
        let done = collect(|| cpus.iter(), || 999).after(&open);
        assert_eq!(done.in_flight(), 0);
        assert_eq!((done.wtime, done.wlentime), (30, 30));
        assert_eq!((done.rtime, done.rlentime), (70, 70));
        assert_eq!(done.busy_time, 100);
        assert_eq!(done.record.devstat.operations(Class::Read), 1);
        assert_eq!(done.record.devstat.end_count(), 1);
        assert_eq!(done.record.devstat.bytes, [0, 512, 0, 0]);
        assert_eq!(done.record.devstat.duration, [0, 100, 0, 0]);
        assert_eq!(done.rlastupdate(), 200);
    }

    #[test]
    fn never_backwards_and_never_busier_than_time() {
        let last = Snapshot {
            now: 1000,
            rtime: 500,
            rlentime: 700,
            ..Snapshot::default()
        };
        let less = Snapshot {
            now: 1010,
            rtime: 499,
            rlentime: 10,
            ..Snapshot::default()
        };
        let more = Snapshot {
            now: 1010,
            rtime: 600,
            rlentime: 10_000,
            ..Snapshot::default()
        };
        assert_eq!(less.after(&last).rtime, 500);
        assert_eq!(less.after(&last).rlentime, 700);
        assert_eq!(more.after(&last).rtime, 510);
        assert_eq!(more.after(&last).rlentime, 10_000);
    }

    #[test]
    fn edges_in_the_wrong_order_make_no_queue_busier_than_long() {
        let mut record = Record::<u64>::default();
        // Two stays, of 5 and of 4, with 1 in between; the edge that should end the first and that
        // which should begin the second met and cancelled.
        record.runq.n_in = 2;
        record.runq.t_in = 100 + 106;
        record.runq.n_out = 2;
        record.runq.t_out = 105 + 110;
        record.runq_busy.n_in = 1;
        record.runq_busy.t_in = 100;
        record.runq_busy.n_out = 1;
        record.runq_busy.t_out = 110;
        let mut snapshot = Snapshot {
            now: 200,
            record,
            ..Snapshot::default()
        };
        snapshot.integrate();
        let snapshot = snapshot.after(&Snapshot::default());
        assert_eq!(snapshot.rlentime, 9);
        assert_eq!(snapshot.rtime, 9);
        assert_eq!(snapshot.busy_time, 9);
    }

    #[test]
    fn what_is_up_to_half_the_circle_ahead_has_grown() {
        let half = u64::MAX / 2;
        for last in [0, 7, half, u64::MAX] {
            assert_eq!(growth(last, last), 0);
            assert_eq!(growth(last.wrapping_add(half), last), half);
            assert_eq!(growth(last.wrapping_add(half + 1), last), 0);
        }
    }
}
