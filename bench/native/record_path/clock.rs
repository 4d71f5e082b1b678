// SPDX-License-Identifier: GPL-2.0

//! One clock for all, and a cheap one: what is compared is what is done with the time.

use super::load::{
    Account,
    Request, //
};
use std::hint::black_box;

/// No account at all, to be taken off the others: three looks at the clock.
pub struct Alone;

impl Account for Alone {
    #[inline(always)]
    fn start(&self, _cpu: usize, _request: &mut Request) {
        black_box(now());
    }

    #[inline(always)]
    fn issue(&self, _cpu: usize, _request: &mut Request) {
        black_box(now());
    }

    #[inline(always)]
    fn complete(&self, _cpu: usize, _request: &mut Request) {
        black_box(now());
    }
}

/// Now, in no unit in particular.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn now() -> u64 {
    // SAFETY: Every x86_64 has this instruction, and it changes nothing.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Now, in ns.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn now() -> u64 {
    use std::{
        sync::OnceLock,
        time::Instant, //
    };
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
