// SPDX-License-Identifier: GPL-2.0

//! Event counters of iostat for modules in Rust: see `Documentation/evcnt.rst`.
//!
//! A module has this file as one of its own, `#[path = ".../include/iostat/evcnt.rs"] mod evcnt;`, and
//! is built with iostat's `Module.symvers`. C header: `include/iostat/evcnt.h`.

#![allow(dead_code, reason = "a client need not use all of it")]

use core::{
    cell::UnsafeCell,
    ffi::CStr,
    ptr::null, //
};
use kernel::{
    error::to_result,
    ffi::{
        c_char,
        c_int,
        c_void, //
    },
    prelude::*,
    sync::{
        Arc,
        UniqueArc, //
    }, //
};

/// `struct evcnt`.
#[repr(C)]
struct Raw {
    count: u64,
    handle: u64,
    parent: *const Raw,
    group: *const c_char,
    name: *const c_char,
    kind: u8,
}

extern "C" {
    fn iostat_evcnt_attach_dynamic(
        ev: *mut Raw,
        kind: c_int,
        parent: *const Raw,
        group: *const c_char,
        name: *const c_char,
        count: u64,
        owner: *mut c_void,
    ) -> c_int;
    fn iostat_evcnt_detach(ev: *mut Raw, owner: *mut c_void) -> c_int;
    fn iostat_evcnt_add(ev: *const Raw, n: u64);
    fn iostat_evcnt_set(ev: *mut Raw, count: u64);
    fn iostat_evcnt_read(ev: *const Raw) -> u64;
    fn iostat_evcnt_read_total(ev: *const Raw) -> u64;
}

/// `EVCNT_TYPE_*`.
#[derive(Clone, Copy)]
pub(crate) enum Type {
    /// Neither of the others.
    Misc = 0,
    /// Interrupts.
    Intr = 1,
    /// Traps and faults.
    Trap = 2,
}

/// An attached event counter. Dropping the last reference detaches it, which may sleep. A child holds a
/// reference to its parent.
///
/// # Invariants
///
/// If the handle of `raw` is not 0, `raw` is attached, at its address in the [`Arc`].
pub(crate) struct EventCounter {
    raw: UnsafeCell<Raw>,
    module: &'static ThisModule,
    _parent: Option<Arc<EventCounter>>,
}

// SAFETY: The functions called with `raw` may be called from any thread.
unsafe impl Send for EventCounter {}
// SAFETY: They may be called from several threads at the same time, except those that attach and detach:
// these are called in `new` and `drop` only, where no other thread has a reference.
unsafe impl Sync for EventCounter {}

impl EventCounter {
    /// Attaches a counter. May sleep. Group and name have 1 to 254 printable ASCII characters, the first and last
    /// of them not blank.
    ///
    /// # Errors
    ///
    /// `EINVAL` or `ENAMETOOLONG` if the group or name is invalid, `ENOSPC` if there are too many counters,
    /// `ENODEV` if the module is being unloaded, `ENOMEM`.
    pub(crate) fn new(
        module: &'static ThisModule,
        kind: Type,
        parent: Option<&Arc<EventCounter>>,
        group: &CStr,
        name: &CStr,
    ) -> Result<Arc<Self>> {
        let raw = Raw {
            count: 0,
            handle: 0,
            parent: null(),
            group: null(),
            name: null(),
            kind: 0,
        };
        let counter = UniqueArc::new(
            EventCounter {
                raw: UnsafeCell::new(raw),
                module,
                _parent: parent.cloned(),
            },
            GFP_KERNEL,
        )?;
        let parent = parent.map_or(null(), |parent| parent.raw.get().cast_const());
        let at = counter.raw.get();
        // SAFETY: This counter owns the memory, the strings are NUL-terminated and copied, and the module is
        // this one.
        to_result(unsafe {
            iostat_evcnt_attach_dynamic(
                at,
                kind as c_int,
                parent,
                group.as_char_ptr(),
                name.as_char_ptr(),
                0,
                module.as_ptr().cast(),
            )
        })?;
        // INVARIANT: It was attached. The conversion to an `Arc` does not move it.
        Ok(counter.into())
    }

    /// Counts `n` events. Any context but NMI.
    #[inline]
    pub(crate) fn add(&self, n: u64) {
        // SAFETY: By the type invariant it is attached.
        unsafe { iostat_evcnt_add(self.raw.get(), n) };
    }

    /// Counts one event. Any context but NMI.
    #[inline]
    pub(crate) fn inc(&self) {
        self.add(1);
    }

    /// Sets the count. Any context but NMI. Events that other CPUs count at the same time are
    /// counted before or after the change; of two calls at the same time one has no effect.
    pub(crate) fn set(&self, count: u64) {
        // SAFETY: By the type invariant it is attached as long as there is a reference, so only the count
        // that iostat keeps is changed, and nothing at `raw`.
        unsafe { iostat_evcnt_set(self.raw.get(), count) };
    }

    /// Returns the count. Any context.
    pub(crate) fn read(&self) -> u64 {
        // SAFETY: By the type invariant it is attached.
        unsafe { iostat_evcnt_read(self.raw.get()) }
    }

    /// Returns the count of this counter and of all its descendants. May sleep.
    pub(crate) fn read_total(&self) -> u64 {
        // SAFETY: By the type invariant it is attached.
        unsafe { iostat_evcnt_read_total(self.raw.get()) }
    }
}

impl Drop for EventCounter {
    fn drop(&mut self) {
        if self.raw.get_mut().handle != 0 {
            // SAFETY: By the type invariant it is attached. There is no other reference any more, so no
            // thread counts with it, and no child is left.
            unsafe { iostat_evcnt_detach(self.raw.get(), self.module.as_ptr().cast()) };
        }
    }
}
