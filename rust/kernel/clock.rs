// SPDX-License-Identifier: GPL-2.0

//! The clock all statistics are on.
//!
//! C header: [`include/linux/timekeeping.h`](srctree/include/linux/timekeeping.h).

use kernel::bindings;

/// `CLOCK_MONOTONIC` in ns: since boot, without the time the machine was suspended; consistent
/// between CPUs. From any context but NMI.
#[inline(always)]
pub(crate) fn now_ns() -> u64 {
    // SAFETY: May be called in any context but NMI, in which no caller of ours runs.
    let now = unsafe { bindings::ktime_get() };
    // CAST: The monotonic clock starts at 0 and is positive for 292 years.
    now as u64
}
