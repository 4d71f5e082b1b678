// SPDX-License-Identifier: GPL-2.0

//! Kstats of iostat for modules in Rust: see `Documentation/kstat.rst`.
//!
//! A module has this file as one of its own, `#[path = ".../include/iostat/kstat.rs"] mod kstat;`, and
//! is built with iostat's `Module.symvers`. C header: `include/iostat/kstat.h`.
//!
//! Each type is a kstat that is there: made and installed by its `new()`, deleted by its drop.

#![allow(dead_code, unused_imports, reason = "a client need not use all of it")]

#[path = "kstat/abi.rs"]
mod abi;
#[path = "kstat/atomics.rs"]
mod atomics;
#[path = "kstat/locked.rs"]
mod locked;
#[path = "kstat/queues.rs"]
mod queues;
#[path = "kstat/values.rs"]
mod values;

pub(crate) use atomics::{
    Counters,
    Interrupt,
    Intr,
    Number, //
};
pub(crate) use locked::{
    Data,
    Guard,
    Locked,
    Named,
    Raw,
    Update, //
};
pub(crate) use queues::{
    Io,
    Timers, //
};
pub(crate) use values::{
    Value,
    Values, //
};

use core::{
    ffi::CStr,
    mem::ManuallyDrop,
    ptr::NonNull, //
};
use kernel::{
    error::{
        from_err_ptr,
        to_result, //
    },
    prelude::*, //
};

/// What a kstat is called, and with what it is listed.
#[derive(Clone, Copy)]
pub(crate) struct Id<'a> {
    /// What provides it.
    pub(crate) module: &'a CStr,
    /// Which one of those.
    pub(crate) instance: i32,
    /// Its name; `None` for module and instance.
    pub(crate) name: Option<&'a CStr>,
    /// Its class.
    pub(crate) class: &'a CStr,
}

/// A kstat, and memory that iostat is told of. Dropping it deletes the kstat, and may sleep.
///
/// # Invariants
///
/// `raw` was created and is not deleted. What it points to that is not iostat's is in `memory`, at an address
/// that stays.
struct Kstat<M = ()> {
    raw: NonNull<abi::Kstat>,
    owner: &'static ThisModule,
    memory: ManuallyDrop<M>,
}

// SAFETY: It may be deleted by any thread; there are no other functions of it.
unsafe impl<M: Send> Send for Kstat<M> {}
// SAFETY: Likewise.
unsafe impl<M: Sync> Sync for Kstat<M> {}

impl<M> Kstat<M> {
    fn new(
        owner: &'static ThisModule,
        id: &Id<'_>,
        (kind, ndata): (u8, usize),
        flags: u8,
        memory: M,
    ) -> Result<Self> {
        let name = id.name.map_or(core::ptr::null(), |name| name.as_char_ptr());
        // SAFETY: The strings are NUL-terminated and copied, the module is this one. What is set there, by
        // the types of this module, is valid for as long as they are there.
        let raw = unsafe {
            abi::iostat_kstat_create(
                id.module.as_char_ptr(),
                id.instance,
                name,
                id.class.as_char_ptr(),
                kind,
                u32::try_from(ndata).map_err(|_| EINVAL)?,
                flags,
                owner.as_ptr().cast(),
            )
        };
        // INVARIANT: Right now.
        Ok(Kstat {
            raw: NonNull::new(from_err_ptr(raw)?).ok_or(ENODEV)?,
            owner,
            memory: ManuallyDrop::new(memory),
        })
    }

    fn install(&self) -> Result {
        let owner = self.owner.as_ptr().cast();
        // SAFETY: By the type invariant.
        to_result(unsafe { abi::iostat_kstat_install(self.raw.as_ptr(), owner) })
    }

    /// What iostat allocated.
    fn data<T>(&self) -> *mut T {
        // SAFETY: By the type invariant; not virtual, so it never changes.
        unsafe { (*self.raw.as_ptr()).data.cast() }
    }
}

impl<M> Drop for Kstat<M> {
    fn drop(&mut self) {
        let owner = self.owner.as_ptr().cast();
        // SAFETY: By the type invariant.
        let deleted = unsafe { abi::iostat_kstat_delete(self.raw.as_ptr(), owner) };
        // If its own update drops it, it is not deleted, and goes with the module.
        if deleted == 0 {
            // SAFETY: Nobody looks at it any more; here alone it is dropped.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}
