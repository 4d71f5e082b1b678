// SPDX-License-Identifier: GPL-2.0

//! Registers the probes of `src/hooks/nfs.c`, and has the functions that they call.

use super::{
    tracker,
    with_here,
    Tracker, //
};
use crate::{
    glue::{
        bindings::{
            iostat_nfs_done_fn,
            iostat_nfs_io,
            iostat_nfs_start_fn,
            iostat_nfs_traced_fn,
            iostat_probe_ctx, //
        },
        nfs::{
            Inode,
            Mounts,
            NfsHooks, //
        }, //
    },
    kernel_ext::published::InProbe, //
};
use core::ptr::NonNull;
use kernel::{
    bindings,
    ffi::{
        c_int,
        c_void, //
    },
    prelude::*,
    sync::Arc, //
};

/// Registers the probes while `nfs.ko` is loaded. May sleep; `ENOMEM`.
pub(in crate::recorder) fn hooks<T: Mounts>(
    mounts: Arc<T>,
    tracker: Arc<Tracker>,
) -> Result<NfsHooks<T, Tracker>> {
    // SAFETY: The functions below take a `Tracker`.
    unsafe { NfsHooks::new(mounts, tracker) }
}

/// # Safety
///
/// Called by a probe in `src/hooks/nfs.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_nfs_start(
    state: *const c_void,
    io: *const iostat_nfs_io,
    here: iostat_probe_ctx,
) {
    // SAFETY: By this function's requirement `state` is the tracker, which the hooks hold, and `io` the
    // probe's own.
    let (tracker, io) = unsafe { (tracker(state), &*io) };
    // SAFETY: By this function's requirement.
    unsafe { with_here(here, |here| tracker.nfs_start(here, io)) };
}
const _: iostat_nfs_start_fn = Some(iostat_nfs_start);

/// # Safety
///
/// Called by a probe in `src/hooks/nfs.c`, with the inode that the I/O is for, which is held.
#[no_mangle]
unsafe extern "C" fn iostat_nfs_start_trace(
    state: *const c_void,
    io: *const iostat_nfs_io,
    inode: *mut bindings::inode,
) {
    // SAFETY: By this function's requirement `state` is the tracker, which the hooks hold, and `io` the
    // probe's own; the third value does not outlive the probe's call.
    let (tracker, io, probe) = unsafe { (tracker(state), &*io, InProbe::new()) };
    // SAFETY: An I/O has an inode, alive during the call.
    let inode = unsafe { Inode::from_raw(NonNull::new_unchecked(inode)) };
    tracker.nfs_start_trace(probe, io, inode);
}
const _: iostat_nfs_traced_fn = Some(iostat_nfs_start_trace);

/// # Safety
///
/// Called by a probe in `src/hooks/nfs.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_nfs_done(
    state: *const c_void,
    io: *const iostat_nfs_io,
    here: iostat_probe_ctx,
    bytes: u32,
    error: c_int,
) {
    // SAFETY: By this function's requirement `state` is the tracker, which the hooks hold, and `io` the
    // probe's own.
    let (tracker, io) = unsafe { (tracker(state), &*io) };
    // SAFETY: By this function's requirement.
    unsafe { with_here(here, |here| tracker.nfs_done(here, io, bytes, error)) };
}
const _: iostat_nfs_done_fn = Some(iostat_nfs_done);
