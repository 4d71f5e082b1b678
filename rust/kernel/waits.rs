// SPDX-License-Identifier: GPL-2.0

//! Hooks on the functions in which threads wait for I/O, while anybody listens to `io:wait_start`
//! or `io:wait_done`.
//!
//! C header: `include/iostat/waits.h`.

use super::{
    bindings,
    published::InProbe, //
};
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};

pub(crate) use super::bindings::iostat_wait as Wait;

impl Wait {
    /// Addresses of the disk and of the disk or partition that the I/O is meant for, if known.
    pub(crate) fn devices(&self) -> Option<(u64, u64)> {
        // SAFETY: Null or a block device that was there when the hook found it. It is freed after a grace
        // period, and preemption has been off since.
        let bdev = unsafe { self.bdev.as_ref() }?;
        Some((bdev.bd_disk as u64, self.bdev as u64))
    }

    /// What the device is.
    pub(crate) fn set_device(&mut self, dev: &bindings::iostat_devinfo) {
        // SAFETY: Both are valid, they are apart, and there is nothing in them that a copy could harm.
        unsafe { core::ptr::copy_nonoverlapping(dev, &mut self.io.dev, 1) };
    }
}

/// Who knows devices and gives ids. All calls are with preemption off, on the thread that waits.
pub(crate) trait Identify: Send + Sync + 'static {
    /// A thread is about to wait.
    fn identify(&self, probe: InProbe<'_>, wait: &mut Wait);
}

/// The hooks, in place whenever an event wants them, until dropped. There may be one at a time.
pub(crate) struct Hooks<T: Identify> {
    _state: Arc<T>,
}

impl<T: Identify> Hooks<T> {
    /// May sleep; `ENOMEM`.
    pub(crate) fn new(state: Arc<T>) -> Result<Self> {
        let data = Arc::as_ptr(&state).cast::<c_void>();
        // SAFETY: The reference to `state` is held until `drop` has closed what is opened here.
        to_result(unsafe { bindings::iostat_waits_open(Some(Self::identify), data) })?;
        Ok(Hooks { _state: state })
    }

    /// # Safety
    ///
    /// Called by `src/waits.c` with what `new` gave it, in a reader of the tracepoints' SRCU, and with
    /// a wait that is its own for the call.
    unsafe extern "C" fn identify(state: *const c_void, wait: *mut Wait) {
        // SAFETY: By this function's requirement; the value does not outlive the call.
        let probe = unsafe { InProbe::new() };
        // SAFETY: `state` is alive until the hooks are closed, and the wait is the caller's own.
        let (state, wait) = unsafe { (&*state.cast::<T>(), &mut *wait) };
        state.identify(probe, wait);
    }
}

impl<T: Identify> Drop for Hooks<T> {
    fn drop(&mut self) {
        // SAFETY: They were opened in `new`.
        unsafe { bindings::iostat_waits_close() };
    }
}
