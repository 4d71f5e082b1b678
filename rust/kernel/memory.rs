// SPDX-License-Identifier: GPL-2.0

//! How much memory there is.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h).

use kernel::bindings;

/// All of the machine's memory, bytes: `totalram_pages()`. Never sleeps.
pub(crate) fn total_bytes() -> u64 {
    let mut info = bindings::sysinfo::default();
    // SAFETY: Writes to what it is given.
    unsafe { bindings::si_meminfo(&mut info) };
    // CAST: As wide as an address.
    (info.totalram as u64).saturating_mul(u64::from(info.mem_unit))
}
