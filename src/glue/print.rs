// SPDX-License-Identifier: GPL-2.0

//! Kernel messages: names in them, and the rate limit of messages that clients could cause without end.
//!
//! C header: [`include/linux/ratelimit.h`](srctree/include/linux/ratelimit.h).

use super::bindings as own;
use crate::abi::name::Name;
use kernel::fmt;

/// `pr_warn!` and similar macros need the `Display` of the `kernel` crate.
impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        core::fmt::Display::fmt(self, out)
    }
}

/// Returns whether one more warning about a mistake of a client may be printed: at most ten in five seconds.
/// Any context.
pub(crate) fn may_warn() -> bool {
    // SAFETY: Takes no argument.
    unsafe { own::iostat_may_warn() }
}
