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
    ffi::c_void,
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

/// Who counts how often the clock is exchanged.
pub(crate) trait Exchanges: Send + Sync {
    /// Once more. A mutex is held.
    fn exchanged(&self);
}

/// # Safety
///
/// `counter` is a `T`, for as long as this runs.
unsafe extern "C" fn exchanged<T: Exchanges>(counter: *const c_void) {
    // SAFETY: By this function's requirement.
    let counter = unsafe { &*counter.cast::<T>() };
    counter.exchanged();
}

/// Somebody looks after the clock when the machine is suspended, until dropped.
pub(crate) struct Watch<T: Exchanges> {
    _told: Arc<PagesOf<Header>>,
    _counter: Arc<T>,
}

impl<T: Exchanges> Watch<T> {
    /// Who reads the clock himself is `told` how. May sleep. There may be one at a time.
    pub(crate) fn new(told: Arc<PagesOf<Header>>, counter: Arc<T>) -> Result<Self> {
        let clock = core::ptr::from_ref(&told.clock).cast_mut().cast();
        let data = core::ptr::from_ref::<T>(&counter).cast();
        // The drop ends it if it fails.
        let watch = Watch {
            _told: told,
            _counter: counter,
        };
        // SAFETY: In process context; its twin is called in `drop`, until when `told` and `counter` are there, and the
        // counter is a `T`. Only C touches the clock in `told`, which is atomic.
        to_result(unsafe { bindings::iostat_clock_start(clock, Some(exchanged::<T>), data) })?;
        Ok(watch)
    }
}

impl<T: Exchanges> Drop for Watch<T> {
    fn drop(&mut self) {
        // SAFETY: In process context. What `new` began ends, whether all of it or not.
        unsafe { bindings::iostat_clock_stop() };
    }
}
