// SPDX-License-Identifier: GPL-2.0

//! The tasks that wait for a tag: the kernel's side of `src/acct/tag_wait.rs`.

use crate::acct::tag_wait::{
    Wait,
    WaitBegin,
    Waits, //
};
use crate::kernel_ext::task;
use kernel::{
    alloc::KVVec,
    bindings,
    prelude::*,
    sync::rcu, //
};

/// The maximum number of waiting tasks that are tracked.
const TASKS: usize = 1024;

/// The waits of all tasks.
///
/// # Invariants
///
/// For each place that has a task there is a reference to this task.
pub(crate) struct TagWaits(KVVec<Wait>);

impl TagWaits {
    /// May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Self> {
        let mut places = KVVec::with_capacity(TASKS, GFP_KERNEL)?;
        for _ in 0..TASKS {
            places.push(Wait::default(), GFP_KERNEL)?;
        }
        // INVARIANT: No place has a task.
        Ok(TagWaits(places))
    }

    fn waits(&self) -> Waits<'_> {
        Waits::new(&self.0)
    }

    /// The current task waits for a tag of this disk from `now` on. In task context.
    pub(crate) fn begin(&self, disk: u64, now: u64) -> WaitBegin {
        let task = task::current_id() as u64;
        let begin = self.waits().begin(task, disk, now);
        if begin == WaitBegin::New {
            // INVARIANT: The place was free. No other thread puts this reference before the task has begun to wait, which is
            // some time after this call.
            // SAFETY: The current task exists.
            unsafe { bindings::get_task_struct(bindings::get_current()) };
        }
        begin
    }

    /// The current task has got a tag of this disk. Returns since when it has waited, if it has. Any context.
    pub(crate) fn end(&self, disk: u64) -> Option<u64> {
        // In an interrupt, the current task is not the one that has got the tag.
        if !task::in_task() {
            return None;
        }
        let since = self.waits().end(task::current_id() as u64, disk)?;
        // SAFETY: By the type invariant there was a reference for the place, which is put here. It is not the
        // last, as the task runs.
        unsafe { bindings::put_task_struct(bindings::get_current()) };
        Some(since)
    }

    /// Calls `removed` with the disk of each wait that is removed at `now` because its task has done something else for some
    /// seconds, or has exited. One thread at a time; `removed` may sleep.
    pub(crate) fn remove_gone(&self, now: u64, mut removed: impl FnMut(u64)) {
        for wait in self.waits().all() {
            let guard = rcu::read_lock();
            let Some(task) = wait.task() else {
                continue;
            };
            // SAFETY: When the place had this task there was a reference to it. Since then only the task itself has put that, as
            // this is the only thread that removes waits; and a task that runs exists until the end of this RCU read-side
            // critical section at least.
            let waits = unsafe { waits(task as *const bindings::task_struct) };
            let gone = wait.remove(waits, now);
            drop(guard);
            let Some((task, disk)) = gone else {
                continue;
            };
            removed(disk);
            wait.release();
            // SAFETY: By the type invariant there was a reference for the place, which is put here.
            unsafe { bindings::put_task_struct(task as *mut bindings::task_struct) };
        }
    }
}

impl Drop for TagWaits {
    fn drop(&mut self) {
        for task in self.waits().all().filter_map(Wait::task) {
            // SAFETY: By the type invariant there is a reference for the place, which is not used again.
            unsafe { bindings::put_task_struct(task as *mut bindings::task_struct) };
        }
    }
}

/// Whether a task sleeps in the state in which tasks wait for a tag.
///
/// # Safety
///
/// `task` is a task.
unsafe fn waits(task: *const bindings::task_struct) -> bool {
    // SAFETY: By this function's requirement. Other threads change both members, which are read once.
    let (state, exit_state) = unsafe {
        (
            core::ptr::addr_of!((*task).__state).read_volatile(),
            core::ptr::addr_of!((*task).exit_state).read_volatile(),
        )
    };
    exit_state == 0 && state & bindings::TASK_UNINTERRUPTIBLE != 0
}
