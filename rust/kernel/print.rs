// SPDX-License-Identifier: GPL-2.0

//! Messages: what names are in them, and those that others could cause without end.
//!
//! C header: [`include/linux/ratelimit.h`](srctree/include/linux/ratelimit.h).

use super::bindings as own;
use crate::abi::name::Name;
use kernel::fmt;

/// For `pr_warn!` and the like, which ask for the kernel's own trait.
impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        core::fmt::Display::fmt(self, out)
    }
}

/// Whether one more warning of what a client does wrong may be printed: ten in five seconds. In any
/// context.
pub(crate) fn may_warn() -> bool {
    // SAFETY: Takes no argument.
    unsafe { own::iostat_may_warn() }
}
