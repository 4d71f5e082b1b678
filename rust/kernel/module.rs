// SPDX-License-Identifier: GPL-2.0

//! Other modules: who they are, and when they go.
//!
//! C header: [`include/linux/module.h`](srctree/include/linux/module.h).

use crate::abi::name::Name;
use core::cell::UnsafeCell;
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

/// A module as one remembers it: nothing of it is looked at any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    address: usize,
    name: Name,
}

impl Owner {
    /// The module at `module`, or the kernel itself if that is null.
    ///
    /// # Safety
    ///
    /// `module` is null or a module, alive during this call.
    pub(crate) unsafe fn from_raw(module: *mut bindings::module) -> Self {
        let name = match module.is_null() {
            true => Name::new(b"kernel"),
            // SAFETY: By this function's requirement; the name never changes. No reference is made to
            // the rest, which does.
            false => Name::new(unsafe { &*core::ptr::addr_of!((*module).name) }),
        };
        Owner {
            address: module as usize,
            name,
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &Name {
        &self.name
    }
}

/// Whether a module goes: then [`Going::going`] may have been called already. Whoever has taken down something of a
/// module's, under a lock that `going` takes as well, asks after that, and takes it back.
///
/// # Safety
///
/// `module` is null or a module, alive during this call.
pub(crate) unsafe fn is_going(module: *mut bindings::module) -> bool {
    if module.is_null() {
        return false;
    }
    // SAFETY: By this function's requirement. The state may be changed meanwhile, as a whole, and if not before the
    // lock was taken it does not matter.
    let state = unsafe { core::ptr::addr_of!((*module).state).read_volatile() };
    state == bindings::module_state_MODULE_STATE_GOING
}

/// Who is told that a module goes.
pub(crate) trait Going: Send + Sync + 'static {
    /// A module has run its exit function, or has failed to initialise, and is about to be freed. May
    /// sleep.
    fn going(&self, module: Owner);
}

#[repr(C)]
struct Inner<T> {
    block: UnsafeCell<bindings::notifier_block>,
    listener: Arc<T>,
}

/// Tells a listener of all modules that go, until it is dropped.
pub(crate) struct Registration<T: Going> {
    inner: KBox<Inner<T>>,
}

// SAFETY: The notifier is only handed to functions that may be called from any thread.
unsafe impl<T: Going> Send for Registration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Going> Sync for Registration<T> {}

impl<T: Going> Registration<T> {
    /// Registers. May sleep; `ENOMEM`.
    pub(crate) fn new(listener: Arc<T>) -> Result<Self> {
        let block = bindings::notifier_block {
            notifier_call: Some(Self::call),
            ..Default::default()
        };
        let block = UnsafeCell::new(block);
        let inner = KBox::new(Inner { block, listener }, GFP_KERNEL)?;
        // SAFETY: The block lives, at one address, until `drop` has unregistered it.
        to_result(unsafe { bindings::register_module_notifier(inner.block.get()) })?;
        Ok(Registration { inner })
    }

    /// # Safety
    ///
    /// Called by the module notifier with a block registered here.
    unsafe extern "C" fn call(
        block: *mut bindings::notifier_block,
        state: c_ulong,
        module: *mut c_void,
    ) -> c_int {
        if state == bindings::module_state_MODULE_STATE_GOING as c_ulong {
            // SAFETY: The block is the first field of an `Inner<T>` that outlives the registration.
            let inner = unsafe { &*block.cast::<Inner<T>>() };
            // SAFETY: The notifier passes a module that is alive.
            let owner = unsafe { Owner::from_raw(module.cast()) };
            inner.listener.going(owner);
        }
        // NOTIFY_DONE
        0
    }
}

impl<T: Going> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: Registered in `new`. When this returns no call is under way.
        unsafe { bindings::unregister_module_notifier(self.inner.block.get()) };
    }
}
