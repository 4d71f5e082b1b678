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
    /// Whatever is neither of the others.
    Misc = 0,
    /// Interrupts.
    Intr = 1,
    /// Traps and faults.
    Trap = 2,
}

/// An event counter that is attached. The last reference to it detaches it, and may sleep; children hold
/// one to their parent.
///
/// # Invariants
///
/// `raw` is attached, at its address in the [`Arc`], if its handle is not 0.
pub(crate) struct EventCounter {
    raw: UnsafeCell<Raw>,
    module: &'static ThisModule,
    _parent: Option<Arc<EventCounter>>,
}

// SAFETY: The functions called with `raw` may be called from any thread.
unsafe impl Send for EventCounter {}
// SAFETY: Likewise, and at the same time but for those of `new` and `drop`, which nobody shares.
unsafe impl Sync for EventCounter {}

impl EventCounter {
    /// Attaches a counter. May sleep. `EINVAL` or `ENAMETOOLONG` if the group or name cannot be one: they
    /// have 1 to 254 printable characters of ASCII, and no blank at the ends; `ENOSPC` if there are too many
    /// counters; `ENOMEM`.
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
        // SAFETY: The memory is this counter's own, the strings are NUL-terminated and copied, the module is
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
        // INVARIANT: Attached, and from here on an `Arc`.
        Ok(counter.into())
    }

    /// Counts `n` events. In any context, NMIs excepted.
    #[inline]
    pub(crate) fn add(&self, n: u64) {
        // SAFETY: By the type invariant.
        unsafe { iostat_evcnt_add(self.raw.get(), n) };
    }

    /// Counts an event, likewise.
    #[inline]
    pub(crate) fn inc(&self) {
        self.add(1);
    }

    /// Sets the count. In any context, NMIs excepted. Events that other CPUs count at the same time are
    /// counted before or after the change; of two calls at the same time one has no effect.
    pub(crate) fn set(&self, count: u64) {
        // SAFETY: By the type invariant it is attached as long as there is a reference, so only the count
        // that iostat keeps is changed, and nothing at `raw`.
        unsafe { iostat_evcnt_set(self.raw.get(), count) };
    }

    /// What it has counted. In any context.
    pub(crate) fn read(&self) -> u64 {
        // SAFETY: By the type invariant.
        unsafe { iostat_evcnt_read(self.raw.get()) }
    }

    /// The same and what its children and theirs have counted. May sleep.
    pub(crate) fn read_total(&self) -> u64 {
        // SAFETY: By the type invariant.
        unsafe { iostat_evcnt_read_total(self.raw.get()) }
    }
}

impl Drop for EventCounter {
    fn drop(&mut self) {
        if self.raw.get_mut().handle != 0 {
            // SAFETY: By the type invariant it is attached. Nobody has a reference any more, hence nobody
            // counts, and no child is left.
            unsafe { iostat_evcnt_detach(self.raw.get(), self.module.as_ptr().cast()) };
        }
    }
}
