// SPDX-License-Identifier: GPL-2.0

//! What the current task may do.
//!
//! C header: [`include/linux/capability.h`](srctree/include/linux/capability.h).

use kernel::{
    bindings,
    prelude::*, //
};

/// Whether the current task has `CAP_SYS_ADMIN`, asked without a trace in the audit log. In process
/// context.
pub(crate) fn is_sys_admin() -> bool {
    // CAST: A small number.
    // SAFETY: Called by a task; the initial namespace is always there.
    unsafe {
        bindings::ns_capable_noaudit(
            core::ptr::addr_of_mut!(bindings::init_user_ns),
            bindings::CAP_SYS_ADMIN as i32,
        )
    }
}

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
