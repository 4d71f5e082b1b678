// SPDX-License-Identifier: GPL-2.0

//! A box that is set once and then does not change while it is shared.
//!
//! `kernel::sync::SetOnce` keeps its value in place, and each access to it is a call out of line.

use core::{
    marker::PhantomData,
    sync::atomic::{
        AtomicPtr,
        Ordering, //
    }, //
};
use kernel::prelude::*;

/// A box that is empty at first.
///
/// # Invariants
///
/// The pointer is null or from `KBox::into_raw` of a box that is owned by this value alone, and it does not change while
/// it is not null and the value is shared.
pub(crate) struct OnceBox<T> {
    ptr: AtomicPtr<T>,
    _owns: PhantomData<KBox<T>>,
}

// SAFETY: It owns a `T`, which any thread may drop.
unsafe impl<T: Send> Send for OnceBox<T> {}
// SAFETY: It gives out `&T`, and takes a `T` from any thread.
unsafe impl<T: Send + Sync> Sync for OnceBox<T> {}

impl<T> OnceBox<T> {
    /// Creates an empty box.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        OnceBox {
            ptr: AtomicPtr::new(core::ptr::null_mut()),
            _owns: PhantomData,
        }
    }

    /// Returns the value. Any context.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: By the type invariant the pointer is null, or valid as long as `self` is borrowed. The acquire load
        // pairs with the release in `set`.
        unsafe { self.ptr.load(Ordering::Acquire).as_ref() }
    }

    /// Sets the value, or returns it if the box is not empty.
    pub(crate) fn set(&self, value: KBox<T>) -> Result<(), KBox<T>> {
        let new = KBox::into_raw(value);
        let null = core::ptr::null_mut();
        // INVARIANT: Only null is replaced, with a box that this function owned.
        match self
            .ptr
            .compare_exchange(null, new, Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => Ok(()),
            // SAFETY: `new` is from `KBox::into_raw` above, and was not published.
            Err(_) => Err(unsafe { KBox::from_raw(new) }),
        }
    }

    /// Takes the value out, which leaves the box empty.
    pub(crate) fn take(&mut self) -> Option<KBox<T>> {
        // INVARIANT: No reference to the value exists, as `self` is borrowed exclusively; so nothing depends on the pointer.
        let ptr = core::mem::replace(self.ptr.get_mut(), core::ptr::null_mut());
        // SAFETY: By the type invariant it is null, or a box that only `self` owned.
        (!ptr.is_null()).then(|| unsafe { KBox::from_raw(ptr) })
    }
}

impl<T> Drop for OnceBox<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
