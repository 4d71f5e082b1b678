// SPDX-License-Identifier: GPL-2.0

//! Times that `kernel::time` does not have.
//!
//! C header: [`include/linux/jiffies.h`](srctree/include/linux/jiffies.h).

use kernel::{
    bindings,
    time::Jiffies, //
};

/// Returns the number of ticks since a moment before the start: `jiffies`. It wraps. Any context.
pub(crate) fn jiffies() -> Jiffies {
    // SAFETY: It exists always, is aligned, and is written in one access.
    unsafe { core::ptr::addr_of!(bindings::jiffies).read_volatile() }
}
