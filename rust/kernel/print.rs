// SPDX-License-Identifier: GPL-2.0

//! Messages that others could cause without end.
//!
//! C header: [`include/linux/ratelimit.h`](srctree/include/linux/ratelimit.h).

use super::bindings as own;

/// Whether one more warning of what a client does wrong may be printed: ten in five seconds. In any
/// context.
pub(crate) fn may_warn() -> bool {
    // SAFETY: Takes no argument.
    unsafe { own::iostat_may_warn() }
}
