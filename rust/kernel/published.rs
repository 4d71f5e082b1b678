// SPDX-License-Identifier: GPL-2.0

//! A pointer to a value that is read without a lock while other threads replace the value.
//!
//! Probes are called in an SRCU read-side critical section of the tracepoints, so a value that was replaced is
//! freed by `call_srcu()`: plain RCU would not wait for probes. For readers with interrupts disabled RCU
//! suffices.
//!
//! C headers: [`include/linux/srcu.h`](srctree/include/linux/srcu.h),
//! [`include/linux/rcupdate.h`](srctree/include/linux/rcupdate.h).

use super::{
    bindings as helpers,
    percpu::ThisCpu, //
};
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

/// Proof that the code runs in a probe, and so in an SRCU read-side critical section of the tracepoints.
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

/// Calls `work` as if it were a probe of a tracepoint, for code that the kernel calls by other means. Any context but NMI.
pub(crate) fn as_probe<R>(work: impl FnOnce(InProbe<'_>) -> R) -> R {
    // SAFETY: The section ends below, in the same context.
    let section = unsafe { helpers::tracepoint_srcu_read_lock() };
    let result = work(InProbe(PhantomData));
    // SAFETY: It began above.
    unsafe { helpers::tracepoint_srcu_read_unlock(section) };
    result
}

/// A kind of readers.
pub(crate) trait Readers: 'static {
    /// Proof that the code is such a reader.
    type Proof<'a>: Copy;

    /// Calls `function` with `node` after all present readers are done, in a context that must not sleep.
    ///
    /// # Safety
    ///
    /// `node` is valid until then, and is not passed to this function twice.
    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    );
}

/// Probes of tracepoints.
pub(crate) enum ProbeReaders {}

impl Readers for ProbeReaders {
    type Proof<'a> = InProbe<'a>;

    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    ) {
        // SAFETY: By the requirement of this function `node` is valid until the call; the SRCU structure of the
        // tracepoints is static.
        unsafe {
            bindings::call_srcu(
                core::ptr::addr_of_mut!(bindings::tracepoint_srcu),
                node,
                Some(function),
            )
        };
    }
}

/// Code with interrupts disabled, which is an RCU reader.
pub(crate) enum InterruptsOff {}

impl Readers for InterruptsOff {
    type Proof<'a> = ThisCpu<'a>;

    unsafe fn call(
        node: *mut bindings::callback_head,
        function: unsafe extern "C" fn(*mut bindings::callback_head),
    ) {
        // SAFETY: By the requirement of this function `node` is valid until the call.
        unsafe { bindings::call_rcu(node, Some(function)) };
    }
}

/// Memory for a value to be published.
#[repr(C)]
pub(crate) struct Node<T> {
    rcu: bindings::callback_head,
    value: T,
}

// SAFETY: Only RCU uses the head, from any thread, and only after `retire` took the node.
unsafe impl<T: Send> Send for Node<T> {}
// SAFETY: The head is not used before `retire` takes the node, and then only by RCU.
unsafe impl<T: Sync> Sync for Node<T> {}

impl<T> Node<T> {
    /// Allocates a node with a value. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<KBox<Self>> {
        let rcu = bindings::callback_head::default();
        Ok(KBox::new(Node { rcu, value }, GFP_KERNEL)?)
    }

    /// Allocates memory for a value that does not exist yet. May sleep; `ENOMEM`.
    pub(crate) fn reserve() -> Result<Reserved<T>> {
        Ok(KBox::new_uninit(GFP_KERNEL)?)
    }

    /// Stores a value in reserved memory.
    pub(crate) fn fill(reserved: Reserved<T>, value: T) -> KBox<Self> {
        let rcu = bindings::callback_head::default();
        reserved.write(Node { rcu, value })
    }

    pub(crate) fn value(&self) -> &T {
        &self.value
    }
}

/// Memory for a [`Node`].
pub(crate) type Reserved<T> = KBox<MaybeUninit<Node<T>>>;

impl<T: Send + 'static> Node<T> {
    /// Drops a value after all present readers are done, with softirqs disabled: the drop of `T` must not
    /// sleep. Does not allocate and does not sleep.
    pub(crate) fn retire<R: Readers>(node: KBox<Self>) {
        let node = KBox::into_raw(node);
        // SAFETY: This function owns the node, so it is passed on only once. `rcu` is at offset 0 (`repr(C)`),
        // as `free` expects.
        unsafe { R::call(node.cast(), Self::free) };
    }

    /// # Safety
    ///
    /// Called once, with the pointer that `retire` passed to `Readers::call`.
    unsafe extern "C" fn free(rcu: *mut bindings::callback_head) {
        // SAFETY: `rcu` points to the node of `retire`, which came from `KBox::into_raw`, and a grace period
        // has passed since.
        drop(unsafe { KBox::<Self>::from_raw(rcu.cast()) });
    }
}

/// A pointer to a published value.
///
/// # Invariants
///
/// The pointer is null or from `KBox::into_raw` of a node that is owned by this value alone.
pub(crate) struct Published<T: Send + Sync + 'static, R: Readers = ProbeReaders> {
    ptr: AtomicPtr<Node<T>>,
    _readers: PhantomData<fn(R)>,
}

impl<T: Send + Sync + 'static, R: Readers> Published<T, R> {
    /// Creates it without a value.
    pub(crate) const fn new() -> Self {
        // INVARIANT: Null.
        Published {
            ptr: AtomicPtr::new(core::ptr::null_mut()),
            _readers: PhantomData,
        }
    }

    /// Returns the published value.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, _reader: R::Proof<'a>) -> Option<&'a T> {
        let ptr = self.ptr.load(Ordering::Acquire);
        // SAFETY: By the type invariant the pointer is null or valid; once replaced, the value stays valid
        // until all present readers are done, including the caller. The acquire load pairs with the release in
        // `replace`.
        unsafe { ptr.as_ref() }.map(|node| &node.value)
    }

    /// Publishes `node`, or no value if it is [`None`]. The former value is dropped after all present readers
    /// are done, with softirqs disabled: the drop of `T` must not sleep.
    ///
    /// Does not sleep.
    pub(crate) fn replace(&self, node: Option<KBox<Node<T>>>) {
        let new = node.map_or(core::ptr::null_mut(), KBox::into_raw);
        // INVARIANT: `new` is null, or from `KBox::into_raw` of a node that this function owned.
        let old = self.ptr.swap(new, Ordering::AcqRel);
        if !old.is_null() {
            // SAFETY: By the type invariant it is a box that only `self` owned, and it is no longer published.
            Node::retire::<R>(unsafe { KBox::from_raw(old) });
        }
    }
}

impl<T: Send + Sync + 'static, R: Readers> Drop for Published<T, R> {
    fn drop(&mut self) {
        let last = self.ptr.get_mut();
        if !last.is_null() {
            // SAFETY: By the type invariant it is a box that only `self` owns. No reader uses it any more: what
            // `get` returns borrows `self`.
            drop(unsafe { KBox::from_raw(*last) });
        }
    }
}

/// Waits until all values that were replaced so far, of those that probes read, have been dropped. May sleep.
/// Must be called before the module with the code of a `T`'s drop is unloaded.
pub(crate) fn wait_for_drops() {
    // SAFETY: The SRCU structure of the tracepoints is static. The function may sleep here.
    unsafe { bindings::srcu_barrier(core::ptr::addr_of_mut!(bindings::tracepoint_srcu)) };
}

/// Waits as [`wait_for_drops`] does, for values that are read with interrupts disabled. May sleep.
pub(crate) fn wait_for_drops_by_rcu() {
    // SAFETY: The function may sleep here.
    unsafe { bindings::rcu_barrier() };
}
