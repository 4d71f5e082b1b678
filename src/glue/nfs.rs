// SPDX-License-Identifier: GPL-2.0

//! Hooks on the I/O of NFS clients, and notifications of their mounts, while `nfs.ko` is loaded.
//!
//! C header: `include/iostat/nfs.h`.

use super::bindings as own;
use crate::kernel_ext::memory::NoIo;
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};

/// A READ, WRITE or COMMIT call.
pub(crate) use own::iostat_nfs_io as Io;

/// The inode of an I/O.
///
/// # Invariants
///
/// `ptr` is an inode, alive for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Inode<'a> {
    ptr: NonNull<bindings::inode>,
    _alive: PhantomData<&'a bindings::inode>,
}

impl Inode<'_> {
    /// # Safety
    ///
    /// `ptr` is an inode, alive for as long as the value is used.
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::inode>) -> Self {
        // INVARIANT: By the requirement of this function.
        Inode {
            ptr,
            _alive: PhantomData,
        }
    }

    /// Returns its address.
    pub(crate) fn as_ptr(&self) -> *mut bindings::inode {
        self.ptr.as_ptr()
    }
}

/// A listener for mounts of NFS. The calls are serialised, and may sleep.
pub(crate) trait Mounts: Send + Sync + 'static {
    /// A file system with this `dev_t` was mounted. Probes identify it by `key`. It has done no I/O, unless it
    /// was mounted before [`NfsHooks::new`].
    fn mounted(&self, key: u64, dev: u32);

    /// The file system with this key, if there is one, was unmounted: its I/O is complete.
    fn unmounted(&self, key: u64);
}

/// The probes on `nfs.ko`, which are attached while it is loaded, until this value is dropped. There may be
/// only one at a time.
pub(crate) struct NfsHooks<T: Mounts, P: Send + Sync + 'static> {
    _mounts: Arc<T>,
    _probed: Arc<P>,
}

impl<T: Mounts, P: Send + Sync + 'static> NfsHooks<T, P> {
    /// Installs the probes; `probed` is their state. May sleep; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// `iostat_nfs_start()`, `iostat_nfs_start_trace()` and `iostat_nfs_done()` take a `P` as their state.
    pub(crate) unsafe fn new(mounts: Arc<T>, probed: Arc<P>) -> Result<Self> {
        let calls = own::iostat_nfs_mounts {
            mounted: Some(Self::mounted),
            unmounted: Some(Self::unmounted),
            state: Arc::as_ptr(&mounts).cast(),
        };
        // SAFETY: The functions are copied. Both states are held until `drop` has closed the hooks, and by the
        // requirement of this function the second one has the type that the probes expect.
        to_result(unsafe { own::iostat_nfs_open(&calls, Arc::as_ptr(&probed).cast()) })?;
        Ok(NfsHooks {
            _mounts: mounts,
            _probed: probed,
        })
    }

    /// # Safety
    ///
    /// Called by `src/hooks/nfs_mounts.c` with the pointer of `new`.
    unsafe extern "C" fn mounted(state: *const c_void, key: u64, dev: u32) {
        // The mutex of the bdi class is held. Threads that write back data may wait for it, so reclaim must not
        // wait for I/O.
        let _noio = NoIo::new();
        // SAFETY: `state` is alive until the hooks are closed.
        unsafe { &*state.cast::<T>() }.mounted(key, dev);
    }

    /// # Safety
    ///
    /// Called by `src/hooks/nfs_mounts.c` with the pointer of `new`.
    unsafe extern "C" fn unmounted(state: *const c_void, key: u64) {
        let _noio = NoIo::new();
        // SAFETY: `state` is alive until the hooks are closed.
        unsafe { &*state.cast::<T>() }.unmounted(key);
    }
}

impl<T: Mounts, P: Send + Sync + 'static> Drop for NfsHooks<T, P> {
    fn drop(&mut self) {
        // SAFETY: `new` opened the hooks. When this returns, no probe is running and no call will follow.
        unsafe { own::iostat_nfs_close() };
    }
}
