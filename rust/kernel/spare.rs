// SPDX-License-Identifier: GPL-2.0

//! Boxes that are allocated in advance, for code that cannot allocate.

use core::{
    marker::PhantomData,
    ptr::null_mut,
    sync::atomic::{
        AtomicPtr,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
};
use kernel::prelude::*;

/// A place for one box.
///
/// # Invariants
///
/// The pointer is null, or from `KBox::into_raw` of a box that is owned by this value alone.
pub(crate) struct Spare<T> {
    ptr: AtomicPtr<T>,
    _owns: PhantomData<KBox<T>>,
}

// SAFETY: It owns a `T`, which any thread may drop.
unsafe impl<T: Send> Send for Spare<T> {}
// SAFETY: Shared access moves whole boxes only.
unsafe impl<T: Send> Sync for Spare<T> {}

impl<T> Spare<T> {
    /// Creates an empty place.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Spare {
            ptr: AtomicPtr::new(null_mut()),
            _owns: PhantomData,
        }
    }

    /// Returns whether there is no box. Any context.
    pub(crate) fn is_empty(&self) -> bool {
        self.ptr.load(Relaxed).is_null()
    }

    /// Puts a box there, or returns it if there is one. Any context.
    pub(crate) fn put(&self, value: KBox<T>) -> Result<(), KBox<T>> {
        let new = KBox::into_raw(value);
        // INVARIANT: Only null is replaced, with a box that this function owned. Release: pairs with the acquire in `take`.
        match self.ptr.compare_exchange(null_mut(), new, Release, Relaxed) {
            Ok(_) => Ok(()),
            // SAFETY: `new` is from `KBox::into_raw` above, and was not published.
            Err(_) => Err(unsafe { KBox::from_raw(new) }),
        }
    }

    /// Takes the box, if there is one. Any context.
    pub(crate) fn take(&self) -> Option<KBox<T>> {
        if self.is_empty() {
            return None;
        }
        // INVARIANT: Null.
        let ptr = self.ptr.swap(null_mut(), Acquire);
        // SAFETY: By the type invariant, if it is not null, it is from `KBox::into_raw`, and no other code has it now.
        (!ptr.is_null()).then(|| unsafe { KBox::from_raw(ptr) })
    }
}

impl<T> Drop for Spare<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}
