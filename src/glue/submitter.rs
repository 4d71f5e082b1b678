// SPDX-License-Identifier: GPL-2.0

//! The submitter of an I/O: its thread and its cgroup.
//!
//! C header: `include/iostat/submitter.h`.

use super::bindings as own;
use crate::{
    abi::comm::Comm,
    kernel_ext::block::bio::SharedBio, //
};

/// The name of the thread `pid`, which submitted an I/O `age_ns` ago, if it still exists. Any context but NMI.
pub(crate) fn comm_of(pid: u32, age_ns: u64) -> Comm {
    let mut comm = Comm::default();
    // SAFETY: There is room for 16 bytes, also if nothing is written.
    unsafe { own::iostat_submitter_comm(pid, age_ns, comm.as_mut_array().as_mut_ptr().cast()) };
    comm
}

/// The id of the cgroup that a bio is charged to; 0 if it has none. Any context.
#[inline(always)]
pub(crate) fn cgroup_of(bio: &SharedBio<'_>) -> u64 {
    #[cfg(CONFIG_BLK_CGROUP)]
    {
        // SAFETY: The bio is alive, and holds its css. The css holds its cgroup, and the cgroup its directory, whose id
        // does not change.
        unsafe {
            let css = own::bio_blkcg_css(bio.as_ptr());
            if css.is_null() {
                return 0;
            }
            (*(*(*css).cgroup).kn).id
        }
    }
    #[cfg(not(CONFIG_BLK_CGROUP))]
    {
        let _ = bio;
        0
    }
}
