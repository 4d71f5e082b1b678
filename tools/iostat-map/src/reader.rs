// SPDX-License-Identifier: GPL-2.0 OR MIT

//! A snapshot of memory that others write to.

use crate::layout::{
    Bases, Counters, Header, Histogram, Owner, Queue, Record, Snapshot, Times, BUCKETS, PHASES,
    SIZES,
};
use crate::sum::{copy, Sum};
use std::marker::PhantomData;
use std::mem::{replace, take};
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed},
};

/// A device's memory, that of its partitions, and what was read of it last.
pub struct Block {
    header: NonNull<Header>,
    owner: NonNull<Owner>,
    partitions: Vec<NonNull<Owner>>,
    sum: Sum,
    last: Snapshot,
}

// SAFETY: The memory is valid for every thread, see `new`; what changes in it is read by atomics.
unsafe impl Send for Block {}

/// A `T` in the memory of a device, of which more is behind it. It is a pointer, since what is behind a `T` may not be
/// reached through a reference to the `T`.
struct Place<'a, T> {
    at: NonNull<T>,
    block: PhantomData<&'a Block>,
}

impl<T> Clone for Place<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Place<'_, T> {}

impl<'a, T> Place<'a, T> {
    /// # Safety
    ///
    /// For `'a` an aligned `T` is at `at`, of which nothing changes but atomics, and `at` may be used for all of the memory
    /// of the device.
    unsafe fn new(at: NonNull<T>) -> Self {
        Place {
            at,
            block: PhantomData,
        }
    }

    fn get(self) -> &'a T {
        // SAFETY: By the requirement of `new`, at `at` is a `T` that is aligned, valid for reads and initialized, for as long
        // as the reference lives; and nothing changes in it meanwhile but atomics, which references allow.
        unsafe { self.at.as_ref() }
    }

    /// What is `distance` bytes behind it.
    ///
    /// # Safety
    ///
    /// In the memory of the same device an aligned `U` is there for `'a`, of which nothing changes but atomics.
    unsafe fn behind<U>(self, distance: usize) -> Place<'a, U> {
        // SAFETY: By the requirement of this function both ends are in the memory of one device, which is one mapping, so
        // the distance is less than `isize::MAX`; and by that of `new` `at` may be used for all of it.
        let at = unsafe { self.at.byte_add(distance) };
        // SAFETY: By the requirement of this function an aligned `U` is there for `'a`, of which nothing changes but
        // atomics; the pointer was made of one that may be used for all of the memory.
        unsafe { Place::new(at.cast()) }
    }
}

impl Block {
    /// # Safety
    ///
    /// At `header` is a `struct iostat_map_header` of version 1, and at `owner` the memory of a device that it
    /// describes: both aligned, for as long as the value lives. The pointers may be used for all of that memory.
    pub unsafe fn new(header: NonNull<u8>, owner: NonNull<u8>) -> Self {
        Block {
            header: header.cast(),
            owner: owner.cast(),
            partitions: Vec::new(),
            sum: Sum::default(),
            last: Snapshot::default(),
        }
    }

    /// What is read from here on is the device together with the partitions whose memory is at these addresses.
    ///
    /// # Safety
    ///
    /// At each of them is the memory of a device, as in [`Block::new`], for as long as the value lives or until the next
    /// call.
    pub unsafe fn set_partitions(&mut self, owners: impl IntoIterator<Item = NonNull<u8>>) {
        self.partitions = owners.into_iter().map(NonNull::cast).collect();
        // It knows records by their addresses, which may be those of others now.
        self.sum = Sum::default();
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: By the requirement of `new`.
        unsafe { self.header.as_ref() }
    }

    pub(crate) fn owner(&self) -> &Owner {
        // SAFETY: By the requirement of `new`.
        unsafe { self.owner.as_ref() }
    }

    /// The device, and its partitions. Whether it is one of these.
    fn owners(&self) -> impl Iterator<Item = (bool, Place<'_, Owner>)> {
        // SAFETY: By the requirement of `new`, at `owner` is an aligned `Owner` for as long as the value lives, and so for
        // as long as it is borrowed. What changes in it is atomic. The pointer may be used for all of the memory.
        let device = unsafe { Place::new(self.owner) };
        // SAFETY: By the requirement of `set_partitions`, the same holds at each of these until its next call, which the
        // borrow excludes.
        let place = |at: &NonNull<Owner>| (true, unsafe { Place::new(*at) });
        std::iter::once((false, device)).chain(self.partitions.iter().map(place))
    }

    /// The records of a device that are there: that which CPUs share, and those of CPUs that have one.
    fn records_of<'a>(
        &'a self,
        owner: Place<'a, Owner>,
    ) -> impl Iterator<Item = Place<'a, Record>> {
        let header = self.header();
        let words = owner
            .get()
            .present
            .iter()
            .take((header.records as usize).div_ceil(64));
        let words = (0..).step_by(64).zip(words);
        let bits = words.flat_map(|(first, word)| {
            // Acquire: a record was there before its bit.
            let mut rest = word.load(Acquire);
            std::iter::from_fn(move || {
                let lowest = rest;
                rest &= rest.wrapping_sub(1);
                (lowest != 0).then(|| first + lowest.trailing_zeros() as usize)
            })
        });
        bits.map(move |index| {
            let offset = header.record_offset as usize + index * header.record_stride as usize;
            // SAFETY: The header describes the memory of the device: its bit says that the record is there, in the same
            // memory, aligned, and it stays for as long as the memory does. What changes in it is atomic.
            unsafe { owner.behind(offset) }
        })
    }

    /// All records that count, and whether they are those of partitions.
    fn records(&self) -> impl Iterator<Item = (bool, &Record)> {
        self.owners().flat_map(|(is_partition, owner)| {
            let records = self.records_of(owner);
            records.map(move |record| (is_partition, record.get()))
        })
    }

    /// The bases of the histograms of a device or record, if it has any.
    fn bases<'a, T>(&self, of: Place<'a, T>, has_bases: &AtomicU64) -> Option<&'a Bases> {
        let offset = self.header().bases_offset as usize;
        // Acquire: they were there before this was said.
        (has_bases.load(Acquire) != 0).then(|| {
            // SAFETY: The header says where they are, in the memory of the same device and aligned; the device or record
            // says that they are there, and they stay for as long as the memory does. They are atomics.
            let bases: Place<'a, Bases> = unsafe { of.behind(offset) };
            bases.get()
        })
    }

    /// How the times of one class and phase are distributed; of each CPU at one instant. Spins for as long as
    /// a CPU changes its record. Panics if there is no such class or phase.
    pub fn histogram(&self, class: usize, phase: usize) -> Histogram {
        assert!(class < 4 && phase < PHASES);
        let mut sum = Histogram {
            counts: [0; BUCKETS],
            longest: 0,
            shortest_inverted: 0,
        };
        // Of read and write, or of none and free.
        let is_rare = class == 0 || class == 3;
        let which = usize::from(class >= 2);
        for (_, at_owner) in self.owners() {
            let owner = at_owner.get();
            for at_record in self.records_of(at_owner) {
                let record = at_record.get();
                let (latency, bases) = if is_rare {
                    (&owner.latency, self.bases(at_owner, &owner.has_bases))
                } else {
                    (&record.latency, self.bases(at_record, &record.has_bases))
                };
                let bases = bases.map(|bases| &bases.times[which][phase]);
                add_times(&mut sum, &record.seq, &latency[which][phase], |bucket| {
                    let base = bases.map_or(0, |bases| bases[bucket].load(Relaxed));
                    u64::from(base) << self.header().base_shift
                });
                if is_rare {
                    // They change with the record that CPUs share, which is the first.
                    break;
                }
            }
        }
        sum
    }

    /// How many transactions of one class had which size, by bucket: see [`least_bytes`](crate::least_bytes); of each CPU at
    /// one instant. Spins for as long as a CPU changes its record. Panics if there is no such class.
    pub fn sizes(&self, class: usize) -> [u64; SIZES] {
        assert!(class < 4);
        let mut sum = [0; SIZES];
        if class == 0 {
            return sum;
        }
        let which = usize::from(class >= 2);
        for (_, at_owner) in self.owners() {
            let owner = at_owner.get();
            for at_record in self.records_of(at_owner) {
                let record = at_record.get();
                let is_free = class == 3;
                let bases = if is_free {
                    self.bases(at_owner, &owner.has_bases)
                } else {
                    self.bases(at_record, &record.has_bases)
                };
                let (_, lows) = copy(&record.seq, || -> [u32; SIZES] {
                    std::array::from_fn(|bucket| {
                        let count = if is_free {
                            &owner.sizes[bucket]
                        } else {
                            &record.sizes[bucket][which]
                        };
                        count.load(Relaxed)
                    })
                });
                for (bucket, (sum, low)) in sum.iter_mut().zip(lows).enumerate() {
                    let base = bases.map_or(0, |bases| bases.sizes[bucket][which].load(Relaxed));
                    let base = u64::from(base) << self.header().base_shift;
                    *sum = sum.wrapping_add(near(base, low));
                }
                if is_free {
                    // They change with the record that CPUs share, which is the first.
                    break;
                }
            }
        }
        sum
    }

    /// Everything about the device at one instant; the time is read by `clock`. Spins for as long as a CPU
    /// changes its record.
    pub fn snapshot_by(&mut self, clock: impl Fn() -> u64) -> Snapshot {
        let snapshot = self.read_by(clock);
        self.settle(snapshot)
    }

    /// The same, not compared with the last one yet.
    pub(crate) fn read_by(&mut self, clock: impl Fn() -> u64) -> Snapshot {
        let mut sum = take(&mut self.sum);
        let (mut now, mut counters) = (0, Counters::default());
        let mut before = clock();
        for _ in 0..8 {
            counters = sum.read(self.records());
            now = clock();
            if sum.is_current(self.records().map(|(_, record)| record)) {
                break;
            }
            // No exit without its entry: entries are those of later. No time is too large: it is that of before.
            let entries = sum.read(self.records());
            counters.start_count = entries.start_count;
            for (queue, later) in counters.queues.iter_mut().zip(entries.queues) {
                (queue.n_in, queue.t_in, queue.last) = (later.n_in, later.t_in, later.last);
            }
            now = replace(&mut before, clock());
        }
        self.sum = sum;
        snapshot_of(self.owner().device.number, &counters, now)
    }

    /// What a reader sees who has seen the last one.
    pub(crate) fn settle(&mut self, mut snapshot: Snapshot) -> Snapshot {
        settle(&mut snapshot, &self.last);
        self.last = snapshot;
        snapshot
    }
}

/// The count near `base` whose lower half is `low`.
fn near(base: u64, low: u32) -> u64 {
    let distance = low.wrapping_sub(base as u32) as i32;
    base.wrapping_add_signed(i64::from(distance))
}

/// Adds the times of one histogram, each bucket of which is near its base.
fn add_times(sum: &mut Histogram, seq: &AtomicU64, own: &Times, base: impl Fn(usize) -> u64) {
    let (_, (counts, negated, span)) = copy(seq, || {
        let counts = own.counts.each_ref().map(|count| count.load(Relaxed));
        let negated = own.shortest_negated.load(Relaxed);
        (counts, negated, own.span.load(Relaxed))
    });
    for (bucket, (sum, low)) in sum.counts.iter_mut().zip(counts).enumerate() {
        *sum = sum.wrapping_add(near(base(bucket), low));
    }
    if span != 0 {
        let longest = span.wrapping_sub(1).wrapping_sub(negated);
        sum.longest = sum.longest.max(longest);
        sum.shortest_inverted = sum.shortest_inverted.max(negated.wrapping_sub(1));
    }
}

/// How many are in a queue, its length integrated over time, and when that changed last.
fn queue(queue: &Queue, now: u64) -> (u64, u64, u64) {
    let len = queue.n_in.wrapping_sub(queue.n_out);
    let entered_and_left = queue.t_out.wrapping_sub(queue.t_in);
    let lentime = entered_and_left.wrapping_add(len.wrapping_mul(now));
    // Under load, the last entry may have come after the time of the snapshot.
    let last = if len == 0 { queue.last.min(now) } else { now };
    (len, lentime, last)
}

fn snapshot_of(number: u32, sum: &Counters, now: u64) -> Snapshot {
    let [waitq, runq, waitq_busy, runq_busy, both_busy] = sum.queues.map(|one| queue(&one, now));
    let completed = |which: &dyn Fn(usize) -> bool| {
        let kinds = sum.completed.iter().enumerate();
        let counts = kinds.filter(|(kind, _)| which(*kind));
        counts.fold(0u64, |sum, (_, count)| sum.wrapping_add(*count))
    };
    let others = [sum.counts.merged, sum.counts.refused, sum.counts.abandoned];
    Snapshot {
        number,
        snaptime: now,
        start_count: sum.start_count,
        end_count: others
            .into_iter()
            .fold(completed(&|_| true), u64::wrapping_add),
        counts: sum.counts,
        bytes: sum.bytes,
        operations: std::array::from_fn(|class| completed(&|kind| kind % 4 == class)),
        duration: sum.duration,
        service: sum.service,
        busy_time: waitq_busy
            .1
            .wrapping_add(runq_busy.1)
            .wrapping_sub(both_busy.1),
        tag_types: std::array::from_fn(|tag| completed(&|kind| kind / 4 == tag)),
        wtime: waitq_busy.1,
        wlentime: waitq.1,
        wlastupdate: waitq.2,
        rtime: runq_busy.1,
        rlentime: runq.1,
        rlastupdate: runq.2,
        wcnt: waitq.0,
        rcnt: runq.0,
        ..Snapshot::default()
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

/// No less than `last` in any time, no busier since than time, nor than the queue was long.
fn settle(new: &mut Snapshot, last: &Snapshot) {
    let elapsed = new.snaptime.saturating_sub(last.snaptime);
    let wlen = growth(new.wlentime, last.wlentime);
    let rlen = growth(new.rlentime, last.rlentime);
    let wbusy = growth(new.wtime, last.wtime).min(elapsed).min(wlen);
    let rbusy = growth(new.rtime, last.rtime).min(elapsed).min(rlen);
    let busy = growth(new.busy_time, last.busy_time).min(elapsed);
    let busy = busy.min(wbusy.saturating_add(rbusy));
    new.wlentime = last.wlentime.wrapping_add(wlen);
    new.rlentime = last.rlentime.wrapping_add(rlen);
    new.wtime = last.wtime.saturating_add(wbusy);
    new.rtime = last.rtime.saturating_add(rbusy);
    let most = last.busy_time.saturating_add(elapsed);
    let busy_time = last.busy_time.saturating_add(busy);
    new.busy_time = busy_time.max(new.wtime).max(new.rtime).min(most);
}
