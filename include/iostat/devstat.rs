// SPDX-License-Identifier: GPL-2.0

//! devstat entries of iostat for modules in Rust: see `Documentation/devstat.rst`.
//!
//! A module has this file as one of its own, `#[path = ".../include/iostat/devstat.rs"] mod devstat;`, and
//! is built with iostat's `Module.symvers`. C header: `include/iostat/devstat.h`.

#![allow(dead_code, reason = "a client need not use all of it")]

use core::{
    ffi::CStr,
    ptr::null, //
};
use kernel::{
    error::{
        from_err_ptr,
        to_result, //
    },
    ffi::{
        c_int,
        c_void, //
    },
    prelude::*, //
};

/// `struct devstat`.
#[repr(C)]
struct Raw {
    _handle: u64,
}

extern "C" {
    fn iostat_devstat_new_entry(
        dev_name: *const c_void,
        unit_number: c_int,
        block_size: u32,
        flags: u32,
        device_type: u32,
        priority: u32,
        owner: *mut c_void,
    ) -> *mut Raw;
    fn iostat_devstat_remove_entry(ds: *mut Raw, owner: *mut c_void) -> c_int;
    fn iostat_devstat_start_transaction(ds: *const Raw, now: *const u64) -> c_int;
    fn iostat_devstat_end_transaction(
        ds: *const Raw,
        bytes: u64,
        tag_type: u32,
        flags: u32,
        now: *const u64,
        then: *const u64,
    ) -> c_int;
    fn iostat_devstat_now() -> u64;
}

/// `devstat_trans_flags`.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    /// `DEVSTAT_NO_DATA`.
    NoData = 0,
    /// `DEVSTAT_READ`.
    Read = 1,
    /// `DEVSTAT_WRITE`.
    Write = 2,
    /// `DEVSTAT_FREE`.
    Free = 3,
}

/// `devstat_tag_type`.
#[derive(Clone, Copy)]
pub(crate) enum Tag {
    /// `DEVSTAT_TAG_SIMPLE`.
    Simple = 0,
    /// `DEVSTAT_TAG_HEAD`.
    Head = 1,
    /// `DEVSTAT_TAG_ORDERED`.
    Ordered = 2,
    /// `DEVSTAT_TAG_NONE`.
    None = 3,
}

/// `devstat_priority`: anything from 0 to 0xfff.
pub(crate) mod priority {
    pub(crate) const OTHER: u32 = 0x020;
    pub(crate) const PASS: u32 = 0x030;
    pub(crate) const FD: u32 = 0x040;
    pub(crate) const WFD: u32 = 0x050;
    pub(crate) const TAPE: u32 = 0x060;
    pub(crate) const CD: u32 = 0x090;
    pub(crate) const DISK: u32 = 0x110;
    pub(crate) const ARRAY: u32 = 0x120;
}

/// `devstat_support_flags`.
pub(crate) mod flags {
    pub(crate) const ALL_SUPPORTED: u32 = 0;
    pub(crate) const NO_BLOCKSIZE: u32 = 1;
    pub(crate) const NO_ORDERED_TAGS: u32 = 2;
    pub(crate) const BS_UNAVAILABLE: u32 = 4;
}

/// `devstat_type_flags`: one without `IF_`, one with, and maybe `PASS`.
pub(crate) mod device_type {
    pub(crate) const DIRECT: u32 = 0x000;
    pub(crate) const SEQUENTIAL: u32 = 0x001;
    pub(crate) const PRINTER: u32 = 0x002;
    pub(crate) const PROCESSOR: u32 = 0x003;
    pub(crate) const WORM: u32 = 0x004;
    pub(crate) const CDROM: u32 = 0x005;
    pub(crate) const SCANNER: u32 = 0x006;
    pub(crate) const OPTICAL: u32 = 0x007;
    pub(crate) const CHANGER: u32 = 0x008;
    pub(crate) const COMM: u32 = 0x009;
    pub(crate) const ASC0: u32 = 0x00a;
    pub(crate) const ASC1: u32 = 0x00b;
    pub(crate) const STORARRAY: u32 = 0x00c;
    pub(crate) const ENCLOSURE: u32 = 0x00d;
    pub(crate) const FLOPPY: u32 = 0x00e;
    pub(crate) const IF_SCSI: u32 = 0x010;
    pub(crate) const IF_IDE: u32 = 0x020;
    pub(crate) const IF_OTHER: u32 = 0x030;
    pub(crate) const IF_NVME: u32 = 0x040;
    pub(crate) const PASS: u32 = 0x100;
}

/// The description of a device.
pub(crate) struct Device<'a> {
    /// 1 to 15 printable ASCII characters without blanks and slashes.
    pub(crate) name: &'a CStr,
    /// Appended to the name; at most `i32::MAX`.
    pub(crate) unit: u32,
    /// Bytes; 0 if the device has no block size.
    pub(crate) block_size: u32,
    /// [`flags`].
    pub(crate) flags: u32,
    /// [`device_type`].
    pub(crate) device_type: u32,
    /// [`priority`].
    pub(crate) priority: u32,
}

/// Returns the time in ns, on the clock of all statistics. Any context but NMI.
pub(crate) fn now() -> u64 {
    // SAFETY: Takes no argument; may be called in any context but NMI.
    unsafe { iostat_devstat_now() }
}

/// An entry of the list of devices. Dropping it removes it, which may sleep.
///
/// # Invariants
///
/// `iostat_devstat_new_entry()` returned `raw`, and the entry is not removed yet.
pub(crate) struct Devstat {
    raw: *mut Raw,
    module: &'static ThisModule,
}

// SAFETY: The functions called with `raw` may be called from any thread.
unsafe impl Send for Devstat {}
// SAFETY: They may be called from several threads at the same time.
unsafe impl Sync for Devstat {}

impl Devstat {
    /// Adds an entry. May sleep.
    ///
    /// # Errors
    ///
    /// `EEXIST` if a device of that name is in the list, `EINVAL` or `ENAMETOOLONG` if a member of `device` is
    /// invalid, `ENOSPC` if there are too many entries, `ENODEV` if the module is being unloaded, `ENOMEM`.
    pub(crate) fn new(module: &'static ThisModule, device: &Device<'_>) -> Result<Self> {
        let unit = c_int::try_from(device.unit).map_err(|_| EINVAL)?;
        // SAFETY: The name is NUL-terminated and copied, the module is this one.
        let raw = from_err_ptr(unsafe {
            iostat_devstat_new_entry(
                device.name.as_char_ptr().cast(),
                unit,
                device.block_size,
                device.flags,
                device.device_type,
                device.priority,
                module.as_ptr().cast(),
            )
        })?;
        // INVARIANT: It was just added.
        Ok(Devstat { raw, module })
    }

    /// Records the start of a transaction, at the time `at` or else at the time of the call. Any context but NMI.
    #[inline]
    pub(crate) fn start_transaction(&self, at: Option<&u64>) {
        // SAFETY: By the type invariant the entry exists; the time is a reference or null. It cannot fail.
        unsafe { iostat_devstat_start_transaction(self.raw, at.map_or(null(), |at| at)) };
    }

    /// Records the end of a transaction, at the time `at` or else at the time of the call. `then` is the time of its
    /// start; without it no duration is recorded. Any context but NMI. `ERANGE` if no transaction is in progress.
    #[inline]
    pub(crate) fn end_transaction(
        &self,
        bytes: u64,
        tag: Tag,
        class: Class,
        at: Option<&u64>,
        then: Option<&u64>,
    ) -> Result {
        let [at, then] = [at, then].map(|time| time.map_or(null(), core::ptr::from_ref));
        // SAFETY: By the type invariant the entry exists; the times are references or null.
        to_result(unsafe {
            iostat_devstat_end_transaction(self.raw, bytes, tag as u32, class as u32, at, then)
        })
    }
}

impl Drop for Devstat {
    fn drop(&mut self) {
        // SAFETY: By the type invariant the entry exists. There is no other reference to it any more.
        unsafe { iostat_devstat_remove_entry(self.raw, self.module.as_ptr().cast()) };
    }
}
