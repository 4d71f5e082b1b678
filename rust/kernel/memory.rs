// SPDX-License-Identifier: GPL-2.0

//! The size of the memory.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h).

use kernel::bindings;

/// Returns the total memory in bytes: `totalram_pages()`. Any context.
pub(crate) fn total_bytes() -> u64 {
    let mut info = bindings::sysinfo::default();
    // SAFETY: It writes only to `info`.
    unsafe { bindings::si_meminfo(&mut info) };
    // CAST: As wide as an address.
    (info.totalram as u64).saturating_mul(u64::from(info.mem_unit))
}
