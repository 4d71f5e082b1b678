// SPDX-License-Identifier: GPL-2.0

//! Work that is done now and then, and soon after somebody asks for it.

use super::bindings as own;
use core::ffi::c_void;
use kernel::sync::Arc;

/// What has work to do.
pub(crate) trait Upkeep: Send + Sync + 'static {
    /// Does it. Not called twice at a time. May sleep.
    fn upkeep(&self);
}

/// Calls [`Upkeep::upkeep`] until it is dropped, which may sleep. There may be one at a time.
pub(crate) struct Registration<T: Upkeep>(#[allow(dead_code, reason = "it is held")] Arc<T>);

impl<T: Upkeep> Registration<T> {
    pub(crate) fn new(of: Arc<T>) -> Self {
        let data = Arc::as_ptr(&of).cast_mut().cast();
        // SAFETY: The data is there until `stop` has returned.
        unsafe { own::iostat_upkeep_start(Some(Self::call), data) };
        Registration(of)
    }

    /// # Safety
    ///
    /// `data` is what `new` registered, and `drop` has not returned.
    unsafe extern "C" fn call(data: *mut c_void) {
        // SAFETY: By this function's requirement.
        unsafe { &*data.cast::<T>() }.upkeep();
    }
}

impl<T: Upkeep> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: In process context; `new` started it.
        unsafe { own::iostat_upkeep_stop() };
    }
}

/// There is work to do. In any context but NMI; nothing without a [`Registration`].
pub(crate) fn wake() {
    // SAFETY: No requirement.
    unsafe { own::iostat_upkeep_wake() };
}
