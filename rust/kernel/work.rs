// SPDX-License-Identifier: GPL-2.0

//! Work that a kernel worker does some time later.
//!
//! `kernel::workqueue` cannot cancel work. A module must, as the work is code of the module.
//!
//! C header: [`include/linux/workqueue.h`](srctree/include/linux/workqueue.h).

use super::bindings;
use core::{
    cell::UnsafeCell,
    mem::MaybeUninit,
    ops::Deref, //
};
use kernel::{
    prelude::*,
    time::Jiffies, //
};

/// A type with work to be done.
pub(crate) trait Work: Send + Sync + 'static {
    /// Does the work. Calls do not overlap. May sleep.
    fn run(&self);
}

#[repr(C)]
struct WorkInner<T> {
    /// First, so that its address is that of the whole.
    work: UnsafeCell<MaybeUninit<bindings::delayed_work>>,
    value: T,
}

/// A work item and the value whose work it is. Dropping it cancels what is queued, and waits for a call in progress.
pub(crate) struct DelayedWork<T: Work>(KBox<WorkInner<T>>);

// SAFETY: The functions of the workqueue may be called from any thread, and `T` may be used and dropped by any.
unsafe impl<T: Work> Send for DelayedWork<T> {}
// SAFETY: As above.
unsafe impl<T: Work> Sync for DelayedWork<T> {}

impl<T: Work> DelayedWork<T> {
    /// Creates a work item, which is not queued. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<Self> {
        let work = UnsafeCell::new(MaybeUninit::uninit());
        let inner = KBox::new(WorkInner { work, value }, GFP_KERNEL)?;
        // SAFETY: The memory is large enough, is initialised only here, and stays at its address until `drop`.
        unsafe { bindings::init_delayed_work(inner.work.get().cast(), Some(Self::call)) };
        Ok(DelayedWork(inner))
    }

    /// Queues the work, to be done after `delay`; nothing changes if it is queued. Any context but NMI.
    pub(crate) fn queue_after(&self, delay: Jiffies) {
        // SAFETY: `new` has initialised the work item, and `drop` cancels it. The workqueue is never freed.
        unsafe {
            bindings::queue_delayed_work_on(
                bindings::wq_misc_consts_WORK_CPU_UNBOUND as i32,
                bindings::system_dfl_wq,
                self.0.work.get().cast(),
                delay,
            )
        };
    }

    /// Does queued work at once, and waits until it is done. Does not wait for work that is queued meanwhile. May
    /// sleep.
    pub(crate) fn flush(&self) {
        // SAFETY: As above.
        unsafe { bindings::flush_delayed_work(self.0.work.get().cast()) };
    }

    /// # Safety
    ///
    /// Called by the workqueue with a work item that `new` has initialised.
    unsafe extern "C" fn call(work: *mut bindings::work_struct) {
        // SAFETY: It is the first member of a `delayed_work`, and that of a `WorkInner<T>`, which lives until `drop` has
        // cancelled the work item. Only shared references to the value exist.
        unsafe { &(*work.cast::<WorkInner<T>>()).value }.run();
    }
}

/// The value whose work it is.
impl<T: Work> Deref for DelayedWork<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Work> Drop for DelayedWork<T> {
    fn drop(&mut self) {
        // SAFETY: `new` has initialised it. When this returns no call is in progress, and none follows, as only `&self`
        // can queue it.
        unsafe { bindings::cancel_delayed_work_sync(self.0.work.get().cast()) };
    }
}
