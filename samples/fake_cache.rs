// SPDX-License-Identifier: GPL-2.0

//! A cache that holds nothing, to show what a driver in Rust does to have kstats.
//!
//! It is loaded with the number of look-ups to make, of which every fourth misses and is read from
//! below.

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
use kstat::{
    Id,
    Io,
    Named, //
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

/// Deleted when the module goes.
struct FakeCache {
    _counts: Named<AtomicU64, 2>,
    _balance: Named<AtomicI64, 1>,
    _below: Io,
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
        let counts: Named<AtomicU64, 2> =
            Named::new(module, &id(Some(c"counts"), c"misc"), [c"hits", c"misses"])?;
        let balance: Named<AtomicI64, 1> =
            Named::new(module, &id(Some(c"balance"), c"misc"), [c"balance"])?;
        let below = Io::new(module, &id(None, c"disk"))?;
        for lookup in 1..=*Borrow::<u32>::borrow(&module_parameters::lookups.value()) {
            if lookup % MISSED == 0 {
                counts.add(MISSES, 1);
                balance.at(0).fetch_sub(1, Ordering::Relaxed);
                below.waitq_enter();
                below.waitq_to_runq();
                below.runq_exit();
                below.read(LINE_BYTES);
            } else {
                counts.add(HITS, 1);
            }
        }
        Ok(FakeCache {
            _counts: counts,
            _balance: balance,
            _below: below,
        })
    }
}
