// SPDX-License-Identifier: GPL-2.0

//! Long work on behalf of a task.
//!
//! C header: [`include/linux/sched.h`](srctree/include/linux/sched.h).

use super::bindings as own;
use kernel::{
    bindings,
    prelude::*, //
};

/// Lets others have the CPU if they want it. May sleep.
pub(crate) fn may_rest() {
    // SAFETY: Called where one may sleep.
    unsafe { own::iostat_cond_resched() };
}

/// The same; `EINTR` if the task is to be killed.
pub(crate) fn may_be_killed() -> Result {
    may_rest();
    // SAFETY: Of the current task.
    if unsafe { own::iostat_fatal_signal_pending() } {
        return Err(EINTR);
    }
    Ok(())
}

/// Which task this is, as long as it runs.
pub(crate) fn current_id() -> usize {
    // SAFETY: Takes no argument; called by a task.
    unsafe { bindings::get_current() as usize }
}
