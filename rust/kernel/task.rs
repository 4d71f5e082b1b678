// SPDX-License-Identifier: GPL-2.0

//! Long-running work of a task.
//!
//! C header: [`include/linux/sched.h`](srctree/include/linux/sched.h).

use super::bindings;
use kernel::prelude::*;

/// Reschedules if another task needs the CPU. May sleep.
pub(crate) fn cond_resched() {
    // SAFETY: The caller may sleep.
    unsafe { bindings::cond_resched() };
}

/// As [`cond_resched`]; and returns `EINTR` if a fatal signal is pending.
pub(crate) fn check_fatal_signal() -> Result {
    cond_resched();
    // SAFETY: It tests the current task.
    if unsafe { bindings::fatal_signal_pending() } {
        return Err(EINTR);
    }
    Ok(())
}

/// Returns whether the caller runs in a task, and not in an interrupt.
pub(crate) fn in_task() -> bool {
    // SAFETY: It takes no argument.
    unsafe { bindings::in_task() }
}

/// Returns the id of the current thread in the initial PID namespace: in an interrupt, of the thread that was interrupted.
#[inline(always)]
pub(crate) fn current_pid() -> u32 {
    #[cfg(target_arch = "x86_64")]
    let current = {
        extern "C" {
            static current_task: *mut core::ffi::c_void;
        }
        let current: *mut kernel::bindings::task_struct;
        // SAFETY: Reads this CPU's pointer to its current task.
        unsafe {
            core::arch::asm!(
                "mov {current}, qword ptr gs:[rip + {current_task}]",
                current = out(reg) current,
                current_task = sym current_task,
                options(nostack, readonly, preserves_flags),
            )
        };
        current
    };
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: It takes no argument.
    let current = unsafe { bindings::get_current() };
    // SAFETY: The current task exists, and its id does not change.
    // CAST: Not negative.
    unsafe { core::ptr::addr_of!((*current).pid).read() as u32 }
}

/// Returns a number that identifies the current task as long as the task exists.
pub(crate) fn current_id() -> usize {
    // SAFETY: It takes no argument. The caller runs in a task.
    unsafe { bindings::get_current() as usize }
}
