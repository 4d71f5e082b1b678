// SPDX-License-Identifier: GPL-2.0

//! A value that probes read without a lock while others replace it.
//!
//! Probes run inside a reader of the tracepoints' own SRCU, so a value that was unpublished is
//! freed by `call_srcu()` on that: plain RCU would not wait for them.
//!
//! C header: [`include/linux/srcu.h`](srctree/include/linux/srcu.h).

use core::{
    marker::PhantomData,
    sync::atomic::{
        AtomicPtr,
        Ordering, //
    },
};
use kernel::{
    bindings,
    prelude::*, //
};

/// Proof that the code runs in a probe, hence in a reader of the tracepoints' SRCU.
#[derive(Clone, Copy)]
pub(crate) struct InProbe<'a>(PhantomData<&'a ()>);

impl InProbe<'_> {
    /// # Safety
    ///
    /// The caller is a probe called by its tracepoint, and the value does not outlive the call.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        InProbe(PhantomData)
    }
}

/// Memory to publish a value in.
#[repr(C)]
pub(crate) struct Node<T> {
    rcu: bindings::callback_head,
    value: T,
}

impl<T> Node<T> {
    /// Allocates. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<KBox<Self>> {
        let rcu = bindings::callback_head::default();
        Ok(KBox::new(Node { rcu, value }, GFP_KERNEL)?)
    }
}

/// The place of publication.
///
/// # Invariants
///
/// The pointer is null or from `KBox::into_raw` of a node that nobody else owns.
pub(crate) struct Published<T: Send + Sync + 'static> {
    ptr: AtomicPtr<Node<T>>,
}

impl<T: Send + Sync + 'static> Published<T> {
    /// Nothing is published.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Published {
            ptr: AtomicPtr::new(core::ptr::null_mut()),
        }
    }

    /// What is published.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, _probe: InProbe<'a>) -> Option<&'a T> {
        let ptr = self.ptr.load(Ordering::Acquire);
        // SAFETY: By the type invariant the pointer is null or valid; once replaced, it stays valid
        // until every SRCU reader of the time has left, this probe among them. The acquire load
        // pairs with the release in `replace`.
        unsafe { ptr.as_ref() }.map(|node| &node.value)
    }

    /// Publishes `node`, or nothing. What was there is dropped when no probe can see it any more,
    /// from a kernel thread with softirqs off: `T`'s drop must not sleep.
    ///
    /// Never sleeps.
    pub(crate) fn replace(&self, node: Option<KBox<Node<T>>>) {
        let new = node.map_or(core::ptr::null_mut(), KBox::into_raw);
        // INVARIANT: `new` is null or was just given up by its owner.
        let old = self.ptr.swap(new, Ordering::AcqRel);
        if !old.is_null() {
            // SAFETY: `old` is a node that is no longer published, so nobody hands it to
            // `call_srcu` again; its `rcu` is at offset 0 (`repr(C)`), as `free` expects.
            unsafe {
                bindings::call_srcu(
                    core::ptr::addr_of_mut!(bindings::tracepoint_srcu),
                    old.cast(),
                    Some(Self::free),
                )
            };
        }
    }

    /// # Safety
    ///
    /// Called by SRCU with what `replace` gave to `call_srcu`, once.
    unsafe extern "C" fn free(rcu: *mut bindings::callback_head) {
        // SAFETY: `rcu` is the node given to `call_srcu` in `replace`, from `KBox::into_raw`, and
        // a grace period has passed since it was unpublished.
        drop(unsafe { KBox::<Node<T>>::from_raw(rcu.cast()) });
    }
}

impl<T: Send + Sync + 'static> Drop for Published<T> {
    fn drop(&mut self) {
        let last = self.ptr.get_mut();
        if !last.is_null() {
            // SAFETY: By the type invariant it is a box that nobody else owns. No probe has found it
            // that still uses it: what `get` gave borrows `self`.
            drop(unsafe { KBox::from_raw(*last) });
        }
    }
}

/// Waits until everything that was replaced so far has been dropped. May sleep. Must be called
/// before the code of any `T`'s drop can go.
pub(crate) fn wait_for_drops() {
    // SAFETY: The tracepoints' SRCU is always there.
    unsafe { bindings::srcu_barrier(core::ptr::addr_of_mut!(bindings::tracepoint_srcu)) };
}
