// SPDX-License-Identifier: GPL-2.0

//! The clock all statistics are on.
//!
//! C header: `include/iostat/clock.h`.

use super::{
    bindings,
    pages::PagesOf, //
};
use crate::abi::map::Header;
use kernel::{
    error::to_result,
    prelude::*,
    sync::Arc, //
};

/// `CLOCK_MONOTONIC_RAW` in ns: since boot, without the time the machine was suspended; never
/// slewed; consistent between CPUs. From any context but NMI.
#[inline]
pub(crate) fn now_ns() -> u64 {
    // SAFETY: May be called in any context but NMI, in which no caller of ours runs.
    unsafe { bindings::iostat_clock_read() }
}

/// From here on the clock is read by the shortest way that is right. From process context.
pub(crate) fn check() {
    // SAFETY: In process context.
    unsafe { bindings::iostat_clock_check() };
}

/// Somebody looks after the clock when the machine is suspended, until dropped.
pub(crate) struct Watch {
    _told: Arc<PagesOf<Header>>,
}

impl Watch {
    /// Who reads the clock himself is `told` how. May sleep. There may be one at a time.
    pub(crate) fn new(told: Arc<PagesOf<Header>>) -> Result<Self> {
        let clock = core::ptr::from_ref(&told.clock).cast_mut().cast();
        // SAFETY: In process context; its twin is called in `drop`, until when `told` is there. Only C touches the
        // clock in it, which is atomic.
        to_result(unsafe { bindings::iostat_clock_start(clock) })?;
        Ok(Watch { _told: told })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // SAFETY: `new` succeeded.
        unsafe { bindings::iostat_clock_stop() };
    }
}
