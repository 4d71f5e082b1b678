// SPDX-License-Identifier: GPL-2.0

//! A cache that holds nothing. It shows how a driver in Rust provides kstats.
//!
//! The module parameter is the number of look-ups to make. Every fourth look-up misses and is read from the
//! device below.

use kernel::prelude::*;

#[path = "../include/iostat/kstat.rs"]
mod kstat;

use core::{
    borrow::Borrow,
    sync::atomic::{
        AtomicI64,
        AtomicU64,
        Ordering, //
    },
};
use kernel::sync::Arc;
use kstat::{
    Counters,
    Id,
    Io,
    Named,
    Timers,
    Update,
    Value,
    Values, //
};

module! {
    type: FakeCache,
    name: "fake_cache",
    authors: ["The iostat maintainers"],
    description: "A sample client of iostat in Rust, with kstats",
    license: "GPL",
    params: {
        lookups: u32 {
            default: 100,
            description: "Look-ups to make",
        },
    },
}

/// Dropped when the module is unloaded, which deletes the kstats.
struct FakeCache {
    _counts: Arc<Counters<AtomicU64, 2>>,
    _balance: Counters<AtomicI64, 1>,
    _below: Io,
    _times: Timers<1>,
    _summary: Named<Summary>,
}

/// Statistics that are computed when they are read.
struct Summary {
    counts: Arc<Counters<AtomicU64, 2>>,
}

const HIT_PERCENT: usize = 1;

impl Summary {
    fn values() -> Result<Values> {
        let mut values = Values::new();
        values.push(c"policy", Value::Text(c"nothing is ever kept"))?;
        values.push(c"hit_percent", Value::U32(0))?;
        Ok(values)
    }
}

impl Update<Values> for Summary {
    fn read(&self, values: &mut Values) -> Result {
        let [hits, misses] =
            [HITS, MISSES].map(|index| self.counts.at(index).load(Ordering::Relaxed));
        let percent = hits
            .saturating_mul(100)
            .checked_div(hits.saturating_add(misses))
            .unwrap_or(0);
        // CAST: At most 100.
        values.set(HIT_PERCENT, Value::U32(percent as u32))
    }
}

const HITS: usize = 0;
const MISSES: usize = 1;

const MISSED: u32 = 4;
const LINE_BYTES: u64 = 64;

impl kernel::Module for FakeCache {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let id = |name, class| Id {
            module: c"fake_cache",
            instance: 0,
            name,
            class,
        };
        let counts: Counters<AtomicU64, 2> =
            Counters::new(module, &id(Some(c"counts"), c"misc"), [c"hits", c"misses"])?;
        let counts = Arc::new(counts, GFP_KERNEL)?;
        let balance: Counters<AtomicI64, 1> =
            Counters::new(module, &id(Some(c"balance"), c"misc"), [c"balance"])?;
        let below = Io::new(module, &id(None, c"disk"))?;
        let times = Timers::new(module, &id(Some(c"times"), c"misc"), [c"miss"])?;
        let summary = Summary {
            counts: counts.clone(),
        };
        let summary = Named::new(
            module,
            &id(Some(c"summary"), c"misc"),
            Summary::values()?,
            summary,
        )?;
        for lookup in 1..=*Borrow::<u32>::borrow(&module_parameters::lookups.value()) {
            if lookup % MISSED == 0 {
                counts.add(MISSES, 1);
                balance.at(0).fetch_sub(1, Ordering::Relaxed);
                times.start(0);
                below.waitq_enter();
                below.waitq_to_runq();
                below.runq_exit();
                below.read(LINE_BYTES);
                times.stop(0);
            } else {
                counts.add(HITS, 1);
            }
        }
        Ok(FakeCache {
            _counts: counts,
            _balance: balance,
            _below: below,
            _times: times,
            _summary: summary,
        })
    }
}
