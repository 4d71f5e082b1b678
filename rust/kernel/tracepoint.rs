// SPDX-License-Identifier: GPL-2.0

//! Probes: functions that a tracepoint of the kernel calls.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h).
//!
//! # Examples
//!
//! ```
#![doc = include_str!("examples/tracepoint.rs")]
//! ```

use super::bindings;
use core::{
    ffi::CStr,
    ptr::NonNull, //
};
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*, //
};

/// A tracepoint of the kernel image; those of modules are not found.
///
/// # Invariants
///
/// The pointer is to a tracepoint of the kernel image, which is never freed.
#[derive(Clone, Copy)]
pub(crate) struct Tracepoint(NonNull<bindings::tracepoint>);

impl Tracepoint {
    /// Returns the tracepoint of this name. It need not be exported as a symbol. May sleep.
    pub(crate) fn find(name: &CStr) -> Option<Self> {
        struct Search<'a> {
            name: &'a CStr,
            found: Option<Tracepoint>,
        }

        /// # Safety
        ///
        /// Called by `for_each_kernel_tracepoint` as below.
        unsafe extern "C" fn visit(tp: *mut bindings::tracepoint, data: *mut c_void) {
            // SAFETY: `data` is the `Search` given to `for_each_kernel_tracepoint` below, which
            // calls back before it returns and from one thread.
            let search = unsafe { &mut *data.cast::<Search<'_>>() };
            // SAFETY: The kernel passes valid tracepoints.
            let name = unsafe { (*tp).name };
            let mut wanted = search.name.to_bytes_with_nul().iter().enumerate();
            // SAFETY: Names are literals, of which nothing is read behind the first byte that differs; their NUL
            // differs from all but the last byte that is wanted.
            if wanted.all(|(index, byte)| unsafe { *name.add(index) } == *byte) {
                // INVARIANT: The kernel passes its own tracepoints.
                search.found = NonNull::new(tp).map(Tracepoint);
            }
        }

        let mut search = Search { name, found: None };
        let data = core::ptr::from_mut(&mut search).cast();
        // SAFETY: `visit` takes what is passed as `data`, which outlives the call.
        unsafe { bindings::for_each_kernel_tracepoint(Some(visit), data) };
        search.found
    }
}

/// A registered probe. Dropping it unregisters the probe.
///
/// A call that began before may still be in progress after the drop: [`synchronize`] waits for it.
pub(crate) struct Probe {
    tracepoint: Tracepoint,
    function: NonNull<c_void>,
    data: *mut c_void,
}

// SAFETY: The tracepoint functions may be called from any thread, and the pointers are only
// handed to them.
unsafe impl Send for Probe {}
// SAFETY: There are no methods on a shared reference.
unsafe impl Sync for Probe {}

impl Probe {
    /// Registers `function` as a probe of `tracepoint`. May sleep, for up to some 100 ms: the kernel patches the code, and waits
    /// for grace periods.
    ///
    /// # Safety
    ///
    /// - `function` is an `extern "C"` function of the tracepoint's prototype, with a leading
    ///   `*mut c_void` that will be `data`.
    /// - It may be called with `data` from any CPU and context the tracepoint is in, until
    ///   [`synchronize`] returns after the value was dropped.
    pub(crate) unsafe fn register(
        tracepoint: Tracepoint,
        function: NonNull<c_void>,
        data: *mut c_void,
    ) -> Result<Self> {
        // SAFETY: The tracepoint is valid by its invariant, function and data by this function's
        // requirements.
        to_result(unsafe {
            bindings::tracepoint_probe_register(tracepoint.0.as_ptr(), function.as_ptr(), data)
        })?;
        Ok(Probe {
            tracepoint,
            function,
            data,
        })
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        // SAFETY: Exactly this triple was registered. An error would mean that it was not.
        unsafe {
            bindings::tracepoint_probe_unregister(
                self.tracepoint.0.as_ptr(),
                self.function.as_ptr(),
                self.data,
            )
        };
    }
}

/// Waits until no probe that was unregistered before this call is running. May sleep.
///
/// Probes of tracepoints that can fault, those of system calls, are not waited for.
pub(crate) fn synchronize() {
    // SAFETY: May be called from any context that can sleep.
    unsafe { bindings::synchronize_tracepoint_srcu() };
}
