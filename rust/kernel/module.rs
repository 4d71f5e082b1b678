// SPDX-License-Identifier: GPL-2.0

//! Other modules: their names, and notifications when they are loaded and unloaded.
//!
//! C header: [`include/linux/module.h`](srctree/include/linux/module.h).

use core::{
    cell::UnsafeCell,
    mem::size_of, //
};
use kernel::{
    bindings,
    error::to_result,
    ffi::{
        c_int,
        c_ulong,
        c_void, //
    },
    prelude::*,
    sync::Arc, //
};

#[allow(improper_ctypes, reason = "only its address is used")]
extern "C" {
    /// The module that this code is in.
    static mut __this_module: bindings::module;
}

/// Returns the module that this code is in: `THIS_MODULE`.
pub(crate) const fn this_module() -> *mut bindings::module {
    // Only the address is used.
    core::ptr::addr_of_mut!(__this_module)
}

/// The length of the name of a module, including a NUL: `MODULE_NAME_LEN`.
const NAME_LEN: usize = 64 - size_of::<c_ulong>();

/// The name of an [`Owner`] that is not a module.
const KERNEL: &[u8] = b"kernel";

/// The identity of a module. It stays valid when the module is unloaded: the address is not dereferenced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    address: usize,
    name: [u8; NAME_LEN],
}

/// The address of the module of an [`Owner`]: smaller than an [`Owner`], for objects that are numerous. A module that is
/// loaded later may have the same address, so a holder drops the value when the module is unloaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnerId(usize);

impl Owner {
    /// Returns the identity of `module`, or of the kernel itself if that is null.
    ///
    /// # Safety
    ///
    /// `module` is null, or a module that is alive during this call.
    pub(crate) unsafe fn from_raw(module: *mut bindings::module) -> Self {
        let mut name = [0; NAME_LEN];
        match module.is_null() {
            true => name[..KERNEL.len()].copy_from_slice(KERNEL),
            // SAFETY: By the requirement of this function the module is alive; the name never changes. No
            // reference to the rest of the module is made, because that does change.
            false => name = unsafe { core::ptr::addr_of!((*module).name).read() },
        }
        Owner {
            address: module as usize,
            name,
        }
    }

    /// Returns an id that identifies it among the loaded modules.
    pub(crate) fn id(&self) -> OwnerId {
        OwnerId(self.address)
    }

    /// Returns the name of the module.
    pub(crate) fn name(&self) -> &[u8] {
        let end = self.name.iter().position(|byte| *byte == 0);
        &self.name[..end.unwrap_or(NAME_LEN)]
    }
}

/// Returns whether a module is being unloaded: then [`ModuleListener::unloading`] may have been called already.
/// A function that records an object of a module under a lock that `unloading` takes too must call this
/// afterwards, and remove the object if the module is being unloaded.
///
/// # Safety
///
/// `module` is null, or a module that is alive during this call.
pub(crate) unsafe fn is_unloading(module: *mut bindings::module) -> bool {
    if module.is_null() {
        return false;
    }
    // SAFETY: By the requirement of this function the module is alive. Another thread may write the state in
    // one access; if it does so after the lock was taken, `unloading` finds the object.
    let state = unsafe { core::ptr::addr_of!((*module).state).read_volatile() };
    state == bindings::module_state_MODULE_STATE_GOING
}

/// A listener for modules that are loaded and unloaded.
pub(crate) trait ModuleListener: Send + Sync + 'static {
    /// The init function of a module has succeeded. May sleep.
    fn loaded(&self, _module: Owner) {}

    /// A module has run its exit function, or its init function has failed, and the module is about to be
    /// freed. May sleep.
    fn unloading(&self, module: Owner);
}

#[repr(C)]
struct NotifierInner<T> {
    block: UnsafeCell<bindings::notifier_block>,
    listener: Arc<T>,
}

/// Calls a listener for each module that is loaded or unloaded, until it is dropped.
pub(crate) struct ModuleRegistration<T: ModuleListener> {
    inner: KBox<NotifierInner<T>>,
}

// SAFETY: The notifier is only passed to functions that may be called from any thread.
unsafe impl<T: ModuleListener> Send for ModuleRegistration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: ModuleListener> Sync for ModuleRegistration<T> {}

impl<T: ModuleListener> ModuleRegistration<T> {
    /// Registers a listener. May sleep; `ENOMEM`.
    pub(crate) fn new(listener: Arc<T>) -> Result<Self> {
        let block = bindings::notifier_block {
            notifier_call: Some(Self::call),
            ..Default::default()
        };
        let block = UnsafeCell::new(block);
        let inner = KBox::new(NotifierInner { block, listener }, GFP_KERNEL)?;
        // SAFETY: The block stays at its address until `drop` has unregistered it.
        to_result(unsafe { bindings::register_module_notifier(inner.block.get()) })?;
        Ok(ModuleRegistration { inner })
    }

    /// # Safety
    ///
    /// Called by the module notifier with a block that was registered here.
    unsafe extern "C" fn call(
        block: *mut bindings::notifier_block,
        state: c_ulong,
        module: *mut c_void,
    ) -> c_int {
        // SAFETY: The block is the first member of a `NotifierInner<T>` that outlives the registration.
        let inner = unsafe { &*block.cast::<NotifierInner<T>>() };
        // SAFETY: The notifier passes a module that is alive.
        let owner = unsafe { Owner::from_raw(module.cast()) };
        // CAST: A small number.
        match state as bindings::module_state {
            bindings::module_state_MODULE_STATE_LIVE => inner.listener.loaded(owner),
            bindings::module_state_MODULE_STATE_GOING => inner.listener.unloading(owner),
            _ => {}
        }
        // NOTIFY_DONE
        0
    }
}

impl<T: ModuleListener> Drop for ModuleRegistration<T> {
    fn drop(&mut self) {
        // SAFETY: `new` registered the block. When this returns, no call is in progress.
        unsafe { bindings::unregister_module_notifier(self.inner.block.get()) };
    }
}
