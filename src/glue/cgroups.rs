// SPDX-License-Identifier: GPL-2.0

//! Cgroups, and whether I/Os are counted by cgroup.
//!
//! C header: `include/iostat/cgroups.h`.

use super::{
    bindings as own,
    io_events::StaticKey, //
};
use crate::kernel_ext::{
    block::bio::SharedBio,
    jump_label::branch_unlikely, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

extern "C" {
    static iostat_cgroups: StaticKey;
}

/// Whether there are accounts by cgroup: a patched jump.
#[inline(always)]
pub(crate) fn cgroups_enabled() -> bool {
    // SAFETY: The key is that of `src/hooks/cgroups.c`; it is read and written by the kernel's functions alone.
    unsafe { branch_unlikely!(iostat_cgroups, StaticKey, key) }
}

/// Counting by cgroup is on until this value is dropped. At most one exists at a time.
pub(crate) struct Counting(());

impl Counting {
    /// May sleep. `EOPNOTSUPP` if the kernel has no cgroups for block I/O.
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: No requirement but that of the type.
        to_result(unsafe { own::iostat_cgroups_switch(true) })?;
        Ok(Counting(()))
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        // SAFETY: `new` has switched counting on. Switching it off does not fail.
        unsafe { own::iostat_cgroups_switch(false) };
    }
}

/// The id of the cgroup in whose account a bio is shown: its own cgroup, or if that was removed, its nearest ancestor
/// that exists. Any context.
pub(crate) fn owner_of(bio: &SharedBio<'_>) -> u64 {
    // SAFETY: The bio is alive.
    unsafe { own::iostat_bio_cgroup_owner(bio.as_ptr()) }
}
