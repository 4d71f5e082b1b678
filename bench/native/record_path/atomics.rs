// SPDX-License-Identifier: GPL-2.0

//! One set of counters for all CPUs, each an atomic: no lock, and no CPU with anything of its own.
//!
//! The same quantities as floor 0, with every sum of times in one word, which is less than floor 0
//! writes. A reader cannot have them all at one instant.

use super::{
    clock::now,
    load::{
        Account,
        Request,
        BYTES, //
    },
};
use std::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};

/// A queue's area, or a busy time, as times of leaving less times of entering.
#[derive(Default)]
struct Area(AtomicU64);

impl Area {
    #[inline(always)]
    fn enter(&self, now: u64) {
        self.0.fetch_sub(now, Relaxed);
    }

    #[inline(always)]
    fn exit(&self, now: u64) {
        self.0.fetch_add(now, Relaxed);
    }
}

#[derive(Default)]
#[repr(align(64))]
pub struct Disk {
    /// Waiting in the low half, running in the high half.
    lengths: AtomicU64,
    waitq: Area,
    runq: Area,
    waitq_busy: Area,
    runq_busy: Area,
    busy: Area,
    started: AtomicU64,
    operations: [AtomicU64; 4],
    bytes: [AtomicU64; 4],
    duration: [AtomicU64; 4],
    tags: [AtomicU64; 3],
}

const WAIT: u64 = 1;
const RUN: u64 = 1 << 32;

impl Disk {
    /// Changes the lengths, and the busy times if that made something busy or idle.
    #[inline(always)]
    fn change(&self, delta: u64, now: u64) {
        let old = self.lengths.fetch_add(delta, Relaxed);
        let new = old.wrapping_add(delta);
        let lines = [
            (&self.waitq_busy, RUN - 1),
            (&self.runq_busy, !(RUN - 1)),
            (&self.busy, u64::MAX),
        ];
        for (line, mask) in lines {
            match (old & mask == 0, new & mask == 0) {
                (true, false) => line.enter(now),
                (false, true) => line.exit(now),
                _ => {}
            }
        }
    }
}

impl Account for Disk {
    #[inline(always)]
    fn start(&self, _cpu: usize, request: &mut Request) {
        let now = now();
        request.started = now;
        self.started.fetch_add(1, Relaxed);
        self.waitq.enter(now);
        self.change(WAIT, now);
    }

    #[inline(always)]
    fn issue(&self, _cpu: usize, _request: &mut Request) {
        let now = now();
        self.waitq.exit(now);
        self.runq.enter(now);
        self.change(RUN.wrapping_sub(WAIT), now);
    }

    #[inline(always)]
    fn complete(&self, _cpu: usize, request: &mut Request) {
        let now = now();
        self.runq.exit(now);
        self.change(RUN.wrapping_neg(), now);
        let took = now.wrapping_sub(request.started);
        self.operations[1].fetch_add(1, Relaxed);
        self.bytes[1].fetch_add(BYTES.into(), Relaxed);
        self.duration[1].fetch_add(took, Relaxed);
        self.tags[0].fetch_add(1, Relaxed);
    }
}
