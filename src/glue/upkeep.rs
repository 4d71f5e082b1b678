// SPDX-License-Identifier: GPL-2.0

//! Periodic work that sleeps, which code in atomic context can also request.

use super::bindings as own;
use core::ffi::c_void;
use kernel::sync::Arc;

/// A type with periodic work.
pub(crate) trait Upkeep: Send + Sync + 'static {
    /// Does the work. Calls do not overlap. May sleep.
    fn upkeep(&self);
}

/// Calls [`Upkeep::upkeep`] every ten seconds, and after each [`wake`]. Dropping it waits for the last call and may
/// sleep. At most one registration exists at a time.
pub(crate) struct UpkeepRegistration<T: Upkeep>(#[allow(dead_code, reason = "it is held")] Arc<T>);

impl<T: Upkeep> UpkeepRegistration<T> {
    pub(crate) fn new(of: Arc<T>) -> Self {
        let data = Arc::as_ptr(&of).cast_mut().cast();
        // SAFETY: The data is there until `stop` has returned.
        unsafe { own::iostat_upkeep_start(Some(Self::call), data) };
        UpkeepRegistration(of)
    }

    /// # Safety
    ///
    /// `data` is what `new` registered, and `drop` has not returned.
    unsafe extern "C" fn call(data: *mut c_void) {
        // SAFETY: By this function's requirement.
        unsafe { &*data.cast::<T>() }.upkeep();
    }
}

impl<T: Upkeep> Drop for UpkeepRegistration<T> {
    fn drop(&mut self) {
        // SAFETY: In process context; `new` started it.
        unsafe { own::iostat_upkeep_stop() };
    }
}

/// As [`wake`], but some time later, so that many requests are one call.
pub(crate) fn wake_soon() {
    // SAFETY: No requirement.
    unsafe { own::iostat_upkeep_wake_soon() };
}

/// Requests a call of [`Upkeep::upkeep`] soon. Any context but NMI. Without a [`UpkeepRegistration`] it does nothing.
pub(crate) fn wake() {
    // SAFETY: No requirement.
    unsafe { own::iostat_upkeep_wake() };
}
