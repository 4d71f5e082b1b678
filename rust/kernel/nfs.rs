// SPDX-License-Identifier: GPL-2.0

//! I/O of NFS clients, and which of their file systems are mounted, for as long as `nfs.ko` is there.
//!
//! C header: `include/iostat/nfs.h`.

use super::{
    bindings as own,
    class::NoIo, //
};
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

/// A call of READ, WRITE or COMMIT.
pub(crate) use own::iostat_nfs_io as Io;

/// The inode that an I/O is for.
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
        // INVARIANT: By this function's requirement.
        Inode {
            ptr,
            _alive: PhantomData,
        }
    }

    /// Its address.
    pub(crate) fn as_ptr(&self) -> *mut bindings::inode {
        self.ptr.as_ptr()
    }
}

/// Who keeps the accounts of NFS file systems. Calls come one at a time, and may sleep.
pub(crate) trait Mounts: Send + Sync + 'static {
    /// There is a file system, which probes know by `key`, of this `dev_t`. It has done no I/O, unless it was
    /// there before [`Hooks::new`].
    fn mounted(&self, key: u64, dev: u32);

    /// What was there at `key`, if anything, has done its last I/O.
    fn unmounted(&self, key: u64);
}

/// The probes on `nfs.ko`, in place whenever that is loaded, until dropped. There may be one at a time.
pub(crate) struct Hooks<T: Mounts, P: Send + Sync + 'static> {
    _mounts: Arc<T>,
    _probed: Arc<P>,
}

impl<T: Mounts, P: Send + Sync + 'static> Hooks<T, P> {
    /// What the probes call is given `probed`. May sleep; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// `iostat_nfs_start()`, `iostat_nfs_start_watched()` and `iostat_nfs_done()` take a `P` as their state.
    pub(crate) unsafe fn new(mounts: Arc<T>, probed: Arc<P>) -> Result<Self> {
        let calls = own::iostat_nfs_mounts {
            mounted: Some(Self::mounted),
            unmounted: Some(Self::unmounted),
            state: Arc::as_ptr(&mounts).cast(),
        };
        // SAFETY: The calls are copied. Both states are held until `drop` has closed what is opened here, and
        // by this function's requirement the second is what the probes expect.
        to_result(unsafe { own::iostat_nfs_open(&calls, Arc::as_ptr(&probed).cast()) })?;
        Ok(Hooks {
            _mounts: mounts,
            _probed: probed,
        })
    }

    /// # Safety
    ///
    /// Called by `src/nfs_mounts.c` with what `new` gave it.
    unsafe extern "C" fn mounted(state: *const c_void, key: u64, dev: u32) {
        // The mutex of the class is held, for which others may wait who write data back.
        let _noio = NoIo::new();
        // SAFETY: `state` is alive until the hooks are closed.
        unsafe { &*state.cast::<T>() }.mounted(key, dev);
    }

    /// # Safety
    ///
    /// Called by `src/nfs_mounts.c` with what `new` gave it.
    unsafe extern "C" fn unmounted(state: *const c_void, key: u64) {
        let _noio = NoIo::new();
        // SAFETY: `state` is alive until the hooks are closed.
        unsafe { &*state.cast::<T>() }.unmounted(key);
    }
}

impl<T: Mounts, P: Send + Sync + 'static> Drop for Hooks<T, P> {
    fn drop(&mut self) {
        // SAFETY: They were opened in `new`. When this returns, no probe is running and no call is to come.
        unsafe { own::iostat_nfs_close() };
    }
}
