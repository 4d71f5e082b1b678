// SPDX-License-Identifier: GPL-2.0

//! A `kstat_io` under one lock, with the functions of kstat(9F): the Solaris way. It has no
//! durations by class and no tag types.

use super::{
    clock::now,
    load::{
        Account,
        Request,
        BYTES, //
    },
};
use std::{
    hint::spin_loop,
    sync::atomic::{
        AtomicBool,
        AtomicU64,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
};

/// A word that is used under the lock: plain loads and stores.
#[derive(Default)]
struct Word(AtomicU64);

impl Word {
    #[inline(always)]
    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    #[inline(always)]
    fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    #[inline(always)]
    fn add(&self, value: u64) {
        self.set(self.get().wrapping_add(value));
    }
}

/// One of the two queues.
#[derive(Default)]
struct Queue {
    time: Word,
    lentime: Word,
    lastupdate: Word,
    count: Word,
}

impl Queue {
    /// Adds the rectangle since the last change, and changes the length.
    #[inline(always)]
    fn change(&self, delta: u64, now: u64) {
        let elapsed = now.wrapping_sub(self.lastupdate.get());
        let count = self.count.get();
        self.lastupdate.set(now);
        self.count.set(count.wrapping_add(delta));
        if count != 0 {
            self.lentime.add(elapsed.wrapping_mul(count));
            self.time.add(elapsed);
        }
    }
}

#[derive(Default)]
#[repr(align(64))]
pub struct Disk {
    locked: AtomicBool,
    nread: Word,
    reads: Word,
    waitq: Queue,
    runq: Queue,
}

impl Disk {
    /// Does `work` under the lock, at a time that is read under it, too: only so do times not run
    /// backwards.
    #[inline(always)]
    fn with_lock(&self, work: impl FnOnce(u64)) {
        while self.locked.swap(true, Acquire) {
            while self.locked.load(Relaxed) {
                spin_loop();
            }
        }
        work(now());
        self.locked.store(false, Release);
    }
}

const IN: u64 = 1;
const OUT: u64 = u64::MAX;

impl Account for Disk {
    #[inline(always)]
    fn start(&self, _cpu: usize, _request: &mut Request) {
        self.with_lock(|now| self.waitq.change(IN, now));
    }

    #[inline(always)]
    fn issue(&self, _cpu: usize, _request: &mut Request) {
        self.with_lock(|now| {
            self.waitq.change(OUT, now);
            self.runq.change(IN, now);
        });
    }

    #[inline(always)]
    fn complete(&self, _cpu: usize, _request: &mut Request) {
        self.with_lock(|now| {
            self.runq.change(OUT, now);
            self.reads.add(1);
            self.nread.add(BYTES.into());
        });
    }
}
