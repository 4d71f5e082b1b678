// SPDX-License-Identifier: GPL-2.0

//! A value that functions which other modules call find without being given it.

use core::sync::atomic::{
    AtomicPtr,
    Ordering, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The place of the value.
///
/// # Invariants
///
/// The pointer is null, or that of the `Arc` in the one [`Guard`] there is.
pub(crate) struct Global<T: 'static>(AtomicPtr<T>);

impl<T: Send + Sync> Global<T> {
    /// With nothing in it.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Global(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// Puts a value there, until the guard is dropped. `EBUSY` if there is one.
    pub(crate) fn publish(&'static self, value: Arc<T>) -> Result<Guard<T>> {
        let null = core::ptr::null_mut();
        let new = Arc::as_ptr(&value).cast_mut();
        // INVARIANT: The guard is made right here, and was the only one to see null.
        self.0
            .compare_exchange(null, new, Ordering::Release, Ordering::Relaxed)
            .map_err(|_| EBUSY)?;
        Ok(Guard {
            global: self,
            _value: value,
        })
    }

    /// The value. In any context.
    ///
    /// # Safety
    ///
    /// The guard is not dropped during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn get<'a>(&self) -> Option<&'a T> {
        // SAFETY: By the type invariant the pointer is null or that of an `Arc` that the guard holds, by
        // this function's requirement for `'a`. The acquire load pairs with the release in `publish`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}

/// Keeps a value in its place.
pub(crate) struct Guard<T: Send + Sync + 'static> {
    global: &'static Global<T>,
    _value: Arc<T>,
}

impl<T: Send + Sync> Drop for Guard<T> {
    fn drop(&mut self) {
        // INVARIANT: Null.
        self.global
            .0
            .store(core::ptr::null_mut(), Ordering::Release);
    }
}
