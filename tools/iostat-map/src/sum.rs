// SPDX-License-Identifier: GPL-2.0 OR MIT

//! The records of a device, added up. A record whose sequence count is that of the last read has not changed since then,
//! and is not copied again.

use crate::layout::{Counters, Difference, Record, DIFFERENCE_WORDS};
use std::hint::spin_loop;
use std::mem::transmute;
use std::ptr::NonNull;
use std::sync::atomic::{
    fence, AtomicU64,
    Ordering::{Acquire, Relaxed},
};

/// What was read of each record last, and the sum of that.
#[derive(Default)]
pub(crate) struct Sum {
    shares: Vec<Share>,
    total: Counters,
}

struct Share {
    record: NonNull<Record>,
    seq: u64,
    counters: Counters,
}

impl Share {
    /// Of a record that has not been read: no record that can be read has an odd count.
    fn unread(record: &Record) -> Self {
        Share {
            record: NonNull::from(record),
            seq: 1,
            counters: Counters::default(),
        }
    }
}

impl Sum {
    /// The sum of the records as they are now: one consistent copy of each. Spins for as long as a CPU changes its record.
    ///
    /// The records, and whether they are those of partitions, are those of the last call in their order; there may be more
    /// between them.
    pub fn read<'a>(&mut self, records: impl Iterator<Item = (bool, &'a Record)>) -> Counters {
        for (index, (is_partition, record)) in records.enumerate() {
            let known = self.shares.get(index).map(|share| share.record);
            if known != Some(NonNull::from(record)) {
                self.shares.insert(index, Share::unread(record));
            }
            let share = &mut self.shares[index];
            // Acquire: what is read after this is no older than what the count stands for.
            if record.seq.load(Acquire) != share.seq {
                let mut counters = Counters::default();
                share.seq = read_counters(record, is_partition, &mut counters);
                replace(&mut self.total, &mut share.counters, &counters);
            }
        }
        self.total
    }

    /// Whether the records are as they were when they were read.
    pub fn is_current<'a>(&self, mut records: impl Iterator<Item = &'a Record>) -> bool {
        let mut shares = self.shares.iter();
        // Orders what was read before this: the time, above all.
        fence(Acquire);
        records.all(|record| {
            let seq = record.seq.load(Relaxed);
            shares.next().is_some_and(|share| share.seq == seq)
        })
    }
}

/// Reads what a record counts, of the device or, if that has it as a partition, of the partition's disk. Returns its sequence
/// count then.
fn read_counters(record: &Record, is_partition: bool, counters: &mut Counters) -> u64 {
    let words = counters.words_mut();
    let mut difference = [0; DIFFERENCE_WORDS];
    let (seq, ()) = copy(&record.seq, || {
        load(&record.counters, words);
        if is_partition {
            load(&record.difference, &mut difference);
        }
    });
    if is_partition {
        // SAFETY: Both are `DIFFERENCE_WORDS` words, and any will do.
        let difference = unsafe { transmute::<[u64; DIFFERENCE_WORDS], Difference>(difference) };
        counters.add_difference(&difference);
    }
    seq
}

fn load<const N: usize>(words: &[AtomicU64; N], to: &mut [u64; N]) {
    for (to, word) in to.iter_mut().zip(words) {
        *to = word.load(Relaxed);
    }
}

/// What `read` finds of a record, all of it of one instant, and its sequence count then.
pub(crate) fn copy<T>(seq: &AtomicU64, mut read: impl FnMut() -> T) -> (u64, T) {
    loop {
        let before = seq.load(Acquire);
        if before & 1 == 0 {
            let copy = read();
            fence(Acquire);
            if seq.load(Relaxed) == before {
                return (before, copy);
            }
        }
        spin_loop();
    }
}

/// Puts what a record counts now in place of what it counted before.
fn replace(total: &mut Counters, own: &mut Counters, new: &Counters) {
    let last = total.queues.map(|queue| queue.last);
    let words = total.words_mut().iter_mut().zip(own.words_mut());
    for ((total, own), new) in words.zip(new.words()) {
        *total = total.wrapping_add(new.wrapping_sub(*own));
        *own = *new;
    }
    // Times of the latest change are not added up. That of a record never becomes an earlier one.
    let queues = total.queues.iter_mut().zip(&new.queues).zip(last);
    for ((total, new), last) in queues {
        total.last = last.max(new.last);
    }
}
