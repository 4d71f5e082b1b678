// SPDX-License-Identifier: GPL-2.0

//! Who submitted an I/O.
//!
//! C header: `include/iostat/submitter.h`.

use super::bindings as own;
use crate::{
    abi::comm::Comm,
    kernel_ext::block::bio::Bio, //
};

/// The name of the thread `pid`, which submitted an I/O `age_ns` ago, if it still exists. Any context but NMI.
pub(crate) fn comm_of(pid: u32, age_ns: u64) -> Comm {
    let mut comm = Comm::default();
    // SAFETY: There is room for 16 bytes, also if nothing is written.
    unsafe { own::iostat_submitter_comm(pid, age_ns, comm.as_mut_array().as_mut_ptr().cast()) };
    comm
}

/// The id of the cgroup that a bio is charged to; 0 if it has none. Any context.
pub(crate) fn cgroup_of(bio: &Bio<'_>) -> u64 {
    // SAFETY: The bio is alive.
    unsafe { own::iostat_bio_cgroup(bio.as_ptr()) }
}
