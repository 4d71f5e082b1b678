// SPDX-License-Identifier: GPL-2.0

//! Capabilities of the current task.
//!
//! C header: [`include/linux/capability.h`](srctree/include/linux/capability.h).

use kernel::{
    bindings,
    prelude::*, //
};

/// Returns whether the current task has `CAP_SYS_ADMIN`, without a record in the audit log. Process context.
pub(crate) fn is_sys_admin() -> bool {
    // CAST: A small number.
    // SAFETY: The caller is in process context; the initial user namespace is static.
    unsafe {
        bindings::ns_capable_noaudit(
            core::ptr::addr_of_mut!(bindings::init_user_ns),
            bindings::CAP_SYS_ADMIN as i32,
        )
    }
}

/// Checks that the current task has `CAP_SYS_ADMIN`. `EPERM`. Process context.
pub(crate) fn sys_admin() -> Result {
    // CAST: A small number.
    // SAFETY: The caller is in process context.
    if unsafe { bindings::capable(bindings::CAP_SYS_ADMIN as i32) } {
        Ok(())
    } else {
        Err(EPERM)
    }
}
