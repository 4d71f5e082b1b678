// SPDX-License-Identifier: GPL-2.0

//! Whether there is a fast path at present.
//!
//! C header: `include/iostat/probes.h`.

#[cfg(target_arch = "x86_64")]
use {
    super::io_events::StaticKey,
    crate::kernel_ext::jump_label::branch_unlikely, //
};

#[cfg(target_arch = "x86_64")]
mod key {
    use super::super::io_events::StaticKey;

    extern "C" {
        pub(super) static iostat_general: StaticKey;
        pub(super) static iostat_general_or_traced: StaticKey;
        pub(super) static iostat_general_or_watched: StaticKey;
    }
}

/// Whether all events take the general path: a patched jump.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_general() -> bool {
    use key::iostat_general;
    // SAFETY: The key is that of `src/hooks/probes.c`; it is read and written by the kernel's functions alone.
    unsafe { branch_unlikely!(iostat_general, StaticKey, key) }
}

/// Whether starts take the general path. They also take it while `io:start` or `io:done` is enabled.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_general_or_traced() -> bool {
    use key::iostat_general_or_traced;
    // SAFETY: As in `is_general`.
    unsafe { branch_unlikely!(iostat_general_or_traced, StaticKey, key) }
}

/// Whether completions take the general path. They also take it while they are watched: see
/// [`watched`](super::io_events::watched).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn is_general_or_watched() -> bool {
    use key::iostat_general_or_watched;
    // SAFETY: As in `is_general`.
    unsafe { branch_unlikely!(iostat_general_or_watched, StaticKey, key) }
}

/// Whether all events take the general path: true, as there is no fast path.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn is_general() -> bool {
    true
}
