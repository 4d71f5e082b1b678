// SPDX-License-Identifier: GPL-2.0

//! What the current task may do.
//!
//! C header: [`include/linux/capability.h`](srctree/include/linux/capability.h).

use kernel::{
    bindings,
    prelude::*, //
};

/// `EPERM` unless the current task has `CAP_SYS_ADMIN`. In process context.
pub(crate) fn sys_admin() -> Result {
    // CAST: A small number.
    // SAFETY: Called by a task.
    if unsafe { bindings::capable(bindings::CAP_SYS_ADMIN as i32) } {
        Ok(())
    } else {
        Err(EPERM)
    }
}
