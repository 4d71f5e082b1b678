// SPDX-License-Identifier: GPL-2.0

//! The races of floor 0, one per test, over every interleaving that matters.
//!
//! loom runs each model once per order of its atomic accesses and once per value a relaxed load
//! may return, so the models are small: two CPUs, one or two I/Os. Two things are not seen here.
//! [`collect`](iostat::acct::snapshot::collect) falls back to an inexact snapshot only after more
//! writes than a model can have: that is in `properties`. And an acquire fence of loom 0.5 also
//! orders what other threads have read, so a gauge with too little order would pass.

#![cfg(loom)]

#[path = "interleavings/absorb.rs"]
mod absorb;
#[path = "interleavings/cgroup.rs"]
mod cgroup;
#[path = "interleavings/fast.rs"]
mod fast;
#[path = "interleavings/fast_regions.rs"]
mod fast_regions;
#[path = "interleavings/gauge.rs"]
mod gauge;
#[path = "interleavings/lookup.rs"]
mod lookup;
#[path = "interleavings/parts.rs"]
mod parts;
#[path = "interleavings/readers.rs"]
mod readers;
#[path = "interleavings/regions.rs"]
mod regions;
#[path = "interleavings/shared.rs"]
mod shared;
#[path = "interleavings/slow.rs"]
mod slow;
#[path = "interleavings/table.rs"]
mod table;
#[path = "interleavings/tag_wait.rs"]
mod tag_wait;
#[path = "interleavings/timeout.rs"]
mod timeout;

use loom::{
    model::Builder,
    sync::Arc,
    thread::{
        self,
        JoinHandle, //
    }, //
};
use std::{
    collections::BTreeSet,
    sync::Mutex, //
};

/// Runs `check` in every interleaving that preempts threads no more than `preemptions` times. What
/// it returned in all of them: a test that asserts that, asserts that loom went there.
///
/// Let `check` leave all work to threads it spawns: loom explores too little of what the first
/// thread does while others are new.
fn outcomes<T: Ord + Send + 'static>(
    preemptions: usize,
    check: impl Fn() -> T + Sync + Send + 'static,
) -> BTreeSet<T> {
    let seen = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 100_000;
    builder.check({
        let seen = seen.clone();
        move || {
            let outcome = check();
            seen.lock().unwrap().insert(outcome);
        }
    });
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    seen
}

/// A thread that works on `shared`.
fn spawn<S, T>(shared: &Arc<S>, work: impl FnOnce(&S) -> T + 'static) -> JoinHandle<T>
where
    S: 'static,
    T: 'static,
{
    let shared = shared.clone();
    thread::spawn(move || work(&shared))
}
