// SPDX-License-Identifier: GPL-2.0

//! A global value, for functions that other modules call.

use core::sync::atomic::{
    AtomicPtr,
    Ordering, //
};
use kernel::{
    bindings,
    prelude::*,
    sync::{
        rcu,
        Arc,
        ArcBorrow, //
    }, //
};

/// A pointer to the value.
///
/// # Invariants
///
/// The pointer is null, or that of the `Arc` in the only [`Guard`].
pub(crate) struct Global<T: 'static>(AtomicPtr<T>);

impl<T: Send + Sync> Global<T> {
    /// Creates a pointer without a value.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Global(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// Publishes a value until the guard is dropped. `EBUSY` if there is a value already. Any context in which `value` may be
    /// dropped.
    pub(crate) fn publish(&'static self, value: Arc<T>) -> Result<Guard<T>> {
        let null = core::ptr::null_mut();
        let new = Arc::as_ptr(&value).cast_mut();
        // INVARIANT: The guard is created below; only its creator has replaced null.
        self.0
            .compare_exchange(null, new, Ordering::Release, Ordering::Relaxed)
            .map_err(|_| EBUSY)?;
        Ok(Guard {
            global: self,
            _value: value,
        })
    }

    /// Returns the value. Any context.
    ///
    /// # Safety
    ///
    /// The guard is not dropped during `'a`.
    #[inline(always)]
    pub(crate) unsafe fn get<'a>(&self) -> Option<&'a T> {
        // SAFETY: By the type invariant the pointer is null or that of an `Arc` in the guard, which by the
        // requirement of this function is not dropped during `'a`. The acquire load pairs with the release in
        // `publish`.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Returns the value. The caller can make an [`Arc`] of it, which may outlive the guard.
    pub(crate) fn borrow<'a>(&self, _reader: &'a rcu::Guard) -> Option<ArcBorrow<'a, T>> {
        let value = self.0.load(Ordering::Acquire);
        // SAFETY: By the type invariant the pointer is that of the `Arc` in the guard, which is dropped after a grace period,
        // and so not during `'a`; an `Arc` is never made unique again. The acquire load pairs with the release in `publish`.
        (!value.is_null()).then(|| unsafe { ArcBorrow::from_raw(value) })
    }
}

/// Holds a published value. Dropping it removes the value. May sleep.
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
        // Readers that called `borrow` may still use the value.
        // SAFETY: A guard is dropped where the caller may sleep.
        unsafe { bindings::synchronize_rcu() };
    }
}
