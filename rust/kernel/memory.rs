// SPDX-License-Identifier: GPL-2.0

//! The size of the memory, and allocations that start no I/O.
//!
//! C headers: [`include/linux/mm.h`](srctree/include/linux/mm.h),
//! [`include/linux/sched/mm.h`](srctree/include/linux/sched/mm.h).

use super::bindings;
use kernel::types::NotThreadSafe;

/// Returns the total memory in bytes: `totalram_pages()`. Any context.
pub(crate) fn total_bytes() -> u64 {
    let mut info = bindings::sysinfo::default();
    // SAFETY: It writes only to `info`.
    unsafe { bindings::si_meminfo(&mut info) };
    // CAST: As wide as an address.
    (info.totalram as u64).saturating_mul(u64::from(info.mem_unit))
}

/// While this value exists, allocations of this thread do not start I/O: `memalloc_noio_save()`. Process context. Nested values
/// are dropped in reverse order.
pub(crate) struct NoIo {
    flags: u32,
    _not_send: NotThreadSafe,
}

impl NoIo {
    /// Disables I/O by allocations of this thread.
    pub(crate) fn new() -> Self {
        NoIo {
            // SAFETY: It changes a flag of the current thread, which `drop` restores.
            flags: unsafe { bindings::memalloc_noio_save() },
            _not_send: NotThreadSafe,
        }
    }
}

impl Drop for NoIo {
    fn drop(&mut self) {
        // SAFETY: The flags were saved by this thread.
        unsafe { bindings::memalloc_noio_restore(self.flags) };
    }
}
