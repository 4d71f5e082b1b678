// SPDX-License-Identifier: GPL-2.0

//! Kstats of iostat for modules in Rust: see `Documentation/kstat.rst`.
//!
//! A module has this file as one of its own, `#[path = ".../include/iostat/kstat.rs"] mod kstat;`, and
//! is built with iostat's `Module.symvers`. C header: `include/iostat/kstat.h`.
//!
//! Each type stands for one installed kstat: `new()` creates and installs the kstat, dropping the value deletes
//! it.

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

/// The name of a kstat, and the class under which it is listed.
#[derive(Clone, Copy)]
pub(crate) struct Id<'a> {
    /// The name of the module that provides it.
    pub(crate) module: &'a CStr,
    /// The number of the instance, for example of the device.
    pub(crate) instance: i32,
    /// The name; `None` for the module name with the instance number appended.
    pub(crate) name: Option<&'a CStr>,
    /// The class, for example `disk`.
    pub(crate) class: &'a CStr,
}

/// A kstat, and the memory whose address iostat was given. Dropping it deletes the kstat. May sleep.
///
/// # Invariants
///
/// `raw` was created and is not deleted yet. If `raw` has pointers to memory that iostat did not allocate,
/// `memory` owns that memory, at a fixed address.
struct Kstat<M = ()> {
    raw: NonNull<abi::Kstat>,
    owner: &'static ThisModule,
    memory: ManuallyDrop<M>,
}

// SAFETY: A kstat may be deleted by any thread.
unsafe impl<M: Send> Send for Kstat<M> {}
// SAFETY: A shared reference gives no access to the kstat but through methods that any thread may call.
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
        // SAFETY: The strings are NUL-terminated and copied, and the module is this one. The types of this file
        // set only pointers that stay valid until the kstat is deleted.
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
        // INVARIANT: The kstat was just created.
        Ok(Kstat {
            raw: NonNull::new(from_err_ptr(raw)?).ok_or(ENODEV)?,
            owner,
            memory: ManuallyDrop::new(memory),
        })
    }

    fn install(&self) -> Result {
        let owner = self.owner.as_ptr().cast();
        // SAFETY: By the type invariant the kstat is not deleted yet.
        to_result(unsafe { abi::iostat_kstat_install(self.raw.as_ptr(), owner) })
    }

    /// Returns the data area, which iostat allocated.
    fn data<T>(&self) -> *mut T {
        // SAFETY: By the type invariant the kstat is not deleted yet. It is not virtual, so `data` never
        // changes.
        unsafe { (*self.raw.as_ptr()).data.cast() }
    }
}

impl<M> Drop for Kstat<M> {
    fn drop(&mut self) {
        let owner = self.owner.as_ptr().cast();
        // SAFETY: By the type invariant the kstat is not deleted yet, and it is not used after this call.
        let deleted = unsafe { abi::iostat_kstat_delete(self.raw.as_ptr(), owner) };
        // The delete fails if the kstat's own update function drops this value. iostat then deletes the kstat when the
        // module is unloaded. Until then it uses the memory, which is therefore leaked.
        if deleted == 0 {
            // SAFETY: iostat does not use the memory any more, and it is dropped only here.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}
