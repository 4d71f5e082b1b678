// SPDX-License-Identifier: GPL-2.0

//! A box that is filled once and stays.
//!
//! `kernel::sync::SetOnce` keeps its value in place, and makes a call of each look at it.

use core::{
    marker::PhantomData,
    sync::atomic::{
        AtomicPtr,
        Ordering, //
    }, //
};
use kernel::prelude::*;

/// Empty at first.
///
/// # Invariants
///
/// The pointer is null or from `KBox::into_raw` of a box that nobody else owns, and does not change
/// any more once it is not null.
pub(crate) struct OnceBox<T> {
    ptr: AtomicPtr<T>,
    _owns: PhantomData<KBox<T>>,
}

// SAFETY: Owns a `T`, which it may be the one to drop.
unsafe impl<T: Send> Send for OnceBox<T> {}
// SAFETY: Gives out `&T`, and takes a `T` from any thread.
unsafe impl<T: Send + Sync> Sync for OnceBox<T> {}

impl<T> OnceBox<T> {
    /// With nothing in it.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        OnceBox {
            ptr: AtomicPtr::new(core::ptr::null_mut()),
            _owns: PhantomData,
        }
    }

    /// What is in it. In any context.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&T> {
        // SAFETY: By the type invariant the pointer is null or valid for as long as `self` lives. The
        // acquire load pairs with the release in `set`.
        unsafe { self.ptr.load(Ordering::Acquire).as_ref() }
    }

    /// Fills it. Gives the value back if it was full.
    pub(crate) fn set(&self, value: KBox<T>) -> Result<(), KBox<T>> {
        let new = KBox::into_raw(value);
        let null = core::ptr::null_mut();
        // INVARIANT: Only null is replaced, by a box that was just given up.
        match self
            .ptr
            .compare_exchange(null, new, Ordering::Release, Ordering::Relaxed)
        {
            Ok(_) => Ok(()),
            // SAFETY: From `KBox::into_raw` above, and nobody else has seen it.
            Err(_) => Err(unsafe { KBox::from_raw(new) }),
        }
    }
}

impl<T> Drop for OnceBox<T> {
    fn drop(&mut self) {
        let ptr = *self.ptr.get_mut();
        if !ptr.is_null() {
            // SAFETY: By the type invariant it is a box that nobody else owns.
            drop(unsafe { KBox::from_raw(ptr) });
        }
    }
}
