// SPDX-License-Identifier: GPL-2.0 OR MIT

//! The time, read as the recorder does.

use crate::layout::{Clock, CLOCK_RAW};
use std::hint::spin_loop;
use std::sync::atomic::{
    fence,
    Ordering::{Acquire, Relaxed},
};

/// ns.
pub(crate) fn now(clock: &Clock) -> u64 {
    loop {
        let seq = clock.seq.load(Acquire);
        if seq & 1 == 0 {
            let now = if clock.source.load(Relaxed) != CLOCK_RAW {
                let product = u128::from(cycles()) * u128::from(clock.mult.load(Relaxed));
                ((product >> 32) as u64).wrapping_add(clock.tsc_offset.load(Relaxed))
            } else {
                monotonic_raw().wrapping_add(clock.raw_offset.load(Relaxed))
            };
            fence(Acquire);
            if clock.seq.load(Relaxed) == seq {
                return now;
            }
        }
        spin_loop();
    }
}

#[cfg(target_arch = "x86_64")]
fn cycles() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: Every x86-64 has both. Neither before what was read, nor after what will be.
    unsafe {
        _mm_lfence();
        let cycles = _rdtsc();
        _mm_lfence();
        cycles
    }
}

#[cfg(target_arch = "aarch64")]
fn cycles() -> u64 {
    let cycles;
    // SAFETY: Linux lets programs read it. Neither before what was read, nor after what will be.
    unsafe {
        std::arch::asm!(
            "isb",
            "mrs {}, cntvct_el0",
            "isb",
            out(reg) cycles,
            options(nostack, preserves_flags)
        );
    }
    cycles
}

/// The recorder has no such source there.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cycles() -> u64 {
    0
}

fn monotonic_raw() -> u64 {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    extern "C" {
        fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
    }
    const CLOCK_MONOTONIC_RAW: i32 = 4;
    let mut time = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: There is room for the time.
    unsafe { clock_gettime(CLOCK_MONOTONIC_RAW, &mut time) };
    (time.seconds as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.nanoseconds as u64)
}
