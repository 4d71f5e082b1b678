// SPDX-License-Identifier: GPL-2.0

//! A value that some read without a lock while others replace it.
//!
//! Probes run inside a reader of the tracepoints' own SRCU, so a value that was unpublished is
//! freed by `call_srcu()` on that: plain RCU would not wait for them. What is read with interrupts
//! off needs no more than RCU.
//!
//! C headers: [`include/linux/srcu.h`](srctree/include/linux/srcu.h),
//! [`include/linux/rcupdate.h`](srctree/include/linux/rcupdate.h).

use super::percpu::ThisCpu;

use core::{
    marker::PhantomData,
    mem::MaybeUninit,
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

/// Those who read.
pub(crate) trait Readers: 'static {
    /// Proof that the code is one of them.
    type Proof<'a>: Copy;

    /// Calls `function` with `node` when all who read now are done, from where it must not sleep.
    ///
    /// # Safety
    ///
    /// `node` is valid until then, and nobody else hands it over.
    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    );
}

/// Probes of tracepoints.
pub(crate) enum Probes {}

impl Readers for Probes {
    type Proof<'a> = InProbe<'a>;

    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    ) {
        // SAFETY: By this function's requirement; the tracepoints' SRCU is always there.
        unsafe {
            bindings::call_srcu(
                core::ptr::addr_of_mut!(bindings::tracepoint_srcu),
                node,
                Some(function),
            )
        };
    }
}

/// Whoever has interrupts off: a reader of RCU.
pub(crate) enum InterruptsOff {}

impl Readers for InterruptsOff {
    type Proof<'a> = ThisCpu<'a>;

    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    ) {
        // SAFETY: By this function's requirement.
        unsafe { bindings::call_rcu(node, Some(function)) };
    }
}

/// Memory to publish a value in.
#[repr(C)]
pub(crate) struct Node<T> {
    rcu: bindings::callback_head,
    value: T,
}

// SAFETY: RCU alone uses the head, once the node is given up: from any thread.
unsafe impl<T: Send> Send for Node<T> {}
// SAFETY: As above; it is not used before.
unsafe impl<T: Sync> Sync for Node<T> {}

impl<T> Node<T> {
    /// Allocates. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<KBox<Self>> {
        let rcu = bindings::callback_head::default();
        Ok(KBox::new(Node { rcu, value }, GFP_KERNEL)?)
    }

    /// Memory for a value that is not known yet. May sleep; `ENOMEM`.
    pub(super) fn reserve() -> Result<Reserved<T>> {
        Ok(KBox::new_uninit(GFP_KERNEL)?)
    }

    /// Puts a value in memory that was reserved for it.
    pub(super) fn fill(reserved: Reserved<T>, value: T) -> KBox<Self> {
        let rcu = bindings::callback_head::default();
        reserved.write(Node { rcu, value })
    }

    pub(super) fn value(&self) -> &T {
        &self.value
    }
}

/// Memory for a [`Node`].
pub(super) type Reserved<T> = KBox<MaybeUninit<Node<T>>>;

impl<T: Send + 'static> Node<T> {
    /// Drops a value when all who read now are done, with softirqs off: `T`'s drop must not sleep. Needs no memory,
    /// and never sleeps.
    pub(super) fn retire<R: Readers>(node: KBox<Self>) {
        let node = KBox::into_raw(node);
        // SAFETY: The node was just given up by its owner, so it is handed over only here; its `rcu` is at offset 0
        // (`repr(C)`), as `free` expects.
        unsafe { R::call(node.cast(), Self::free) };
    }

    /// # Safety
    ///
    /// Called with what `retire` gave to `Readers::call`, once.
    unsafe extern "C" fn free(rcu: *mut bindings::callback_head) {
        // SAFETY: `rcu` is the node that `retire` gave away, from `KBox::into_raw`, and a grace period has
        // passed since.
        drop(unsafe { KBox::<Self>::from_raw(rcu.cast()) });
    }
}

/// The place of publication.
///
/// # Invariants
///
/// The pointer is null or from `KBox::into_raw` of a node that nobody else owns.
pub(crate) struct Published<T: Send + Sync + 'static, R: Readers = Probes> {
    ptr: AtomicPtr<Node<T>>,
    _readers: PhantomData<fn(R)>,
}

impl<T: Send + Sync + 'static, R: Readers> Published<T, R> {
    /// Nothing is published.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Published {
            ptr: AtomicPtr::new(core::ptr::null_mut()),
            _readers: PhantomData,
        }
    }

    /// What is published.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, _reader: R::Proof<'a>) -> Option<&'a T> {
        let ptr = self.ptr.load(Ordering::Acquire);
        // SAFETY: By the type invariant the pointer is null or valid; once replaced, it stays valid
        // until every reader of the time has left, the caller among them. The acquire load
        // pairs with the release in `replace`.
        unsafe { ptr.as_ref() }.map(|node| &node.value)
    }

    /// Publishes `node`, or nothing. What was there is dropped when no reader can see it any more,
    /// with softirqs off: `T`'s drop must not sleep.
    ///
    /// Never sleeps.
    pub(crate) fn replace(&self, node: Option<KBox<Node<T>>>) {
        let new = node.map_or(core::ptr::null_mut(), KBox::into_raw);
        // INVARIANT: `new` is null or was just given up by its owner.
        let old = self.ptr.swap(new, Ordering::AcqRel);
        if !old.is_null() {
            // SAFETY: By the type invariant it is a box without another owner, and it is no longer published.
            Node::retire::<R>(unsafe { KBox::from_raw(old) });
        }
    }
}

impl<T: Send + Sync + 'static, R: Readers> Drop for Published<T, R> {
    fn drop(&mut self) {
        let last = self.ptr.get_mut();
        if !last.is_null() {
            // SAFETY: By the type invariant it is a box that nobody else owns. No reader has found it
            // that still uses it: what `get` gave borrows `self`.
            drop(unsafe { KBox::from_raw(*last) });
        }
    }
}

/// Waits until everything that was replaced so far has been dropped, of what probes read. May sleep. Must
/// be called before the code of any `T`'s drop can go.
pub(crate) fn wait_for_drops() {
    // SAFETY: The tracepoints' SRCU is always there.
    unsafe { bindings::srcu_barrier(core::ptr::addr_of_mut!(bindings::tracepoint_srcu)) };
}

/// The same of what is read with interrupts off.
pub(crate) fn wait_for_drops_by_rcu() {
    // SAFETY: May sleep.
    unsafe { bindings::rcu_barrier() };
}
