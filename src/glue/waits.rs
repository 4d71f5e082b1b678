// SPDX-License-Identifier: GPL-2.0

//! Hooks on the functions in which threads wait for I/O. They are attached while `io:wait_start` or
//! `io:wait_done` is enabled.
//!
//! C header: `include/iostat/waits.h`.

mod switch;

use super::{
    bindings,
    io_events::Devinfo, //
};
use crate::kernel_ext::published::InProbe;
use core::ptr::NonNull;
use kernel::{
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};
use switch::HookSwitch;

pub(crate) use super::bindings::iostat_wait as Wait;

impl Wait {
    /// Returns the addresses of the disk, and of the disk or partition that the I/O was submitted to, if known.
    pub(crate) fn devices(&self) -> Option<(u64, u64)> {
        let bdev = NonNull::new(self.bdev)?.as_ptr();
        // SAFETY: The block device was alive when the hook found it, and is freed after an RCU grace period; preemption has
        // been disabled since. Its disk does not change.
        let disk = unsafe { core::ptr::addr_of!((*bdev).bd_disk).read() };
        Some((disk as u64, bdev as u64))
    }

    /// Sets the description of the device.
    pub(crate) fn set_device(&mut self, dev: &Devinfo) {
        // SAFETY: Both references are valid, and the hook has set the file of the wait before.
        unsafe { bindings::iostat_put_device(&mut self.io, dev) };
    }
}

/// The function that finds the device of a wait and assigns its id. It is called with preemption disabled, by
/// the thread that waits.
pub(crate) trait Identify: Send + Sync + 'static {
    /// Called before a thread waits.
    fn identify(&self, probe: InProbe<'_>, wait: &mut Wait);
}

/// The hooks, which are attached while one of the events is enabled, until this value is dropped.
pub(crate) struct WaitHooks<T: Identify> {
    // Dropped before the state.
    _switch: HookSwitch,
    _state: Arc<T>,
}

impl<T: Identify> WaitHooks<T> {
    /// Installs the hooks. May sleep; `ENOMEM`, `EBUSY` if there are some already.
    pub(crate) fn new(state: Arc<T>) -> Result<Self> {
        let data = Arc::as_ptr(&state).cast::<c_void>();
        // SAFETY: `HookSwitch::new` calls this while no hook is attached. None is attached after it was dropped, or has
        // failed; the reference to `state` is held until then.
        let prepare = || unsafe { bindings::iostat_waits_set_identify(Some(Self::identify), data) };
        Ok(WaitHooks {
            _switch: HookSwitch::new(prepare)?,
            _state: state,
        })
    }

    /// # Safety
    ///
    /// Called by `src/io/waits.c` with the pointer of `new`, in an SRCU read-side critical section of the
    /// tracepoints, with a wait that no other thread accesses during the call.
    unsafe extern "C" fn identify(state: *const c_void, wait: *mut Wait) {
        // SAFETY: By the requirement of this function it runs in such a section; the value does not outlive the
        // call.
        let probe = unsafe { InProbe::new() };
        // SAFETY: `state` is alive until no hook is attached any more, and no other thread accesses the wait.
        let (state, wait) = unsafe { (&*state.cast::<T>(), &mut *wait) };
        state.identify(probe, wait);
    }
}
