// SPDX-License-Identifier: GPL-2.0

//! The clock of all statistics.
//!
//! C header: `include/iostat/clock.h`.

use super::bindings;
use crate::abi::map::MapHeader;
use crate::kernel_ext::pages::PageOf;
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};

/// Returns `CLOCK_MONOTONIC_RAW` in ns: the time since boot without the time in suspend. It is never slewed,
/// and is consistent between CPUs. Any context but NMI.
#[inline]
pub(crate) fn now_ns() -> u64 {
    // SAFETY: It may be called in any context but NMI, and no caller in this module runs in an NMI.
    unsafe { bindings::iostat_clock_read() }
}

/// Selects the best clock source again. Process context. May sleep.
pub(crate) fn check() {
    // SAFETY: The caller is in process context.
    unsafe { bindings::iostat_clock_check() };
}

/// Counts the changes of the clock source.
pub(crate) trait Exchanges: Send + Sync {
    /// The clock source was changed. A mutex is held.
    fn exchanged(&self);
}

/// # Safety
///
/// `counter` points to a `T` that is valid during this call.
unsafe extern "C" fn exchanged<T: Exchanges>(counter: *const c_void) {
    // SAFETY: By the requirement of this function.
    let counter = unsafe { &*counter.cast::<T>() };
    counter.exchanged();
}

/// Watches the clock source, also around suspend, until it is dropped.
pub(crate) struct Watch<T: Exchanges> {
    _map: Arc<PageOf<MapHeader>>,
    _counter: Arc<T>,
}

impl<T: Exchanges> Watch<T> {
    /// Selects the source and publishes in `map` how to read the clock. May sleep; `EBUSY` if there is one already.
    pub(crate) fn new(map: Arc<PageOf<MapHeader>>, counter: Arc<T>) -> Result<Self> {
        let clock = core::ptr::from_ref(&map.clock).cast_mut().cast();
        let data = core::ptr::from_ref::<T>(&counter).cast();
        // SAFETY: The caller is in process context. `drop` stops the clock, and until then `map` and `counter`
        // are held; if this fails, neither is used. `counter` is a `T`. Only C writes to the clock in `map`, whose
        // members are atomics.
        to_result(unsafe { bindings::iostat_clock_start(clock, Some(exchanged::<T>), data) })?;
        Ok(Watch {
            _map: map,
            _counter: counter,
        })
    }
}

impl<T: Exchanges> Drop for Watch<T> {
    fn drop(&mut self) {
        // SAFETY: The caller is in process context. It stops what `new` has started.
        unsafe { bindings::iostat_clock_stop() };
    }
}
