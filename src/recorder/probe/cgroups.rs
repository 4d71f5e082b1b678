// SPDX-License-Identifier: GPL-2.0

//! The probes of accounts by cgroup, and the functions that `src/hooks/cgroups.c` calls.

use super::{
    register,
    tracker, //
};
use crate::{
    glue::bindings::{
        self as own,
        iostat_cgroup_count_fn,
        iostat_cgroup_gone_fn, //
    },
    kernel_ext::{
        block::bio::Bio,
        percpu::ThisCpu,
        published::InProbe,
        tracepoint::Probe, //
    },
    recorder::tracker::Tracker, //
};
use core::{
    ffi::CStr,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    ffi::{
        c_ulong,
        c_void, //
    },
    prelude::*,
    sync::Arc, //
};

/// `src/hooks/cgroups.c` checks their types against the kernel's tracepoints.
const FUNCTIONS: [(&CStr, *const c_void); 4] = [
    (
        c"cgroup_release",
        own::iostat_probe_cgroup_release as *const c_void,
    ),
    (
        c"cgroup_rmdir",
        own::iostat_probe_cgroup_rmdir as *const c_void,
    ),
    (
        c"block_split",
        own::iostat_probe_cgroup_split as *const c_void,
    ),
    (
        c"block_bio_complete",
        own::iostat_probe_cgroup_refused as *const c_void,
    ),
];

/// The registered probes. They may still run for a while after it was dropped: see
/// [`synchronize`](crate::kernel_ext::tracepoint::synchronize).
pub(in crate::recorder) struct CgroupProbes {
    _probes: [Probe; 4],
    /// The data of the probes.
    _tracker: Arc<Tracker>,
}

impl CgroupProbes {
    /// Registers them. May sleep. `ENOENT` if a tracepoint is missing, `ENOMEM`.
    pub(in crate::recorder) fn new(tracker: &Arc<Tracker>) -> Result<Self> {
        let [release, rmdir, split, refused] =
            FUNCTIONS.map(|(name, function)| register(name, function, tracker));
        Ok(CgroupProbes {
            _probes: [release?, rmdir?, split?, refused?],
            _tracker: tracker.clone(),
        })
    }
}

/// # Safety
///
/// Called by its probe in `src/hooks/cgroups.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_cgroup_removed(state: *const c_void, id: u64, parent: u64) {
    // SAFETY: By this function's requirement, and the value does not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    tracker.cgroup_removed(probe, id, parent);
}
const _: iostat_cgroup_gone_fn = Some(iostat_cgroup_removed);

/// # Safety
///
/// Called by its probe in `src/hooks/cgroups.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_cgroup_released(state: *const c_void, id: u64, _: u64) {
    // SAFETY: By this function's requirement, and the value does not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    tracker.cgroup_released(probe, id);
}
const _: iostat_cgroup_gone_fn = Some(iostat_cgroup_released);

/// # Safety
///
/// Called by a probe in `src/hooks/cgroups.c`, with interrupts off. The bio is its argument, or belongs to the request that
/// is; `cpu_offset` is this CPU's.
#[no_mangle]
unsafe extern "C" fn iostat_cgroup_count(
    state: *const c_void,
    bio: *mut bindings::bio,
    ios: u64,
    bytes: u64,
    cpu_offset: c_ulong,
) {
    // SAFETY: By this function's requirement, and the values do not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    // SAFETY: By this function's requirement. A bio that counts was submitted to a block device.
    let bio = unsafe { Bio::from_raw(NonNull::new_unchecked(bio)) };
    // SAFETY: By this function's requirement, until it returns.
    let cpu = unsafe { ThisCpu::new(cpu_offset) };
    tracker.count_bio_of_cgroup(probe, cpu, bio, ios, bytes);
}
const _: iostat_cgroup_count_fn = Some(iostat_cgroup_count);
