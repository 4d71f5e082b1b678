// SPDX-License-Identifier: GPL-2.0

//! Which tracepoints are probed, by which functions: of `src/hooks/probes.c`, of `fast.rs` and of `events.rs`.

use super::events;
use crate::glue::bindings as own;
use core::ffi::CStr;
use kernel::ffi::c_void;

pub(super) type Function = (&'static CStr, *const c_void);

/// The functions of the three events of each request: the fast path on x86-64, else the general path.
mod fast {
    #[cfg(not(target_arch = "x86_64"))]
    use crate::glue::bindings::{
        iostat_probe_io_start as io_start,
        iostat_probe_rq_complete as rq_complete,
        iostat_probe_rq_issue as rq_issue, //
    };
    use kernel::ffi::c_void;
    #[cfg(target_arch = "x86_64")]
    use {
        super::super::fast::iostat_fast_io_start as io_start,
        super::super::fast::iostat_fast_rq_complete as rq_complete,
        super::super::fast::iostat_fast_rq_issue as rq_issue,
    };

    pub(super) const IO_START: *const c_void = io_start as *const c_void;
    pub(super) const RQ_ISSUE: *const c_void = rq_issue as *const c_void;
    pub(super) const RQ_COMPLETE: *const c_void = rq_complete as *const c_void;
}

/// The functions of the events of requests. Completions are registered first: an I/O whose completion is missed would
/// stay in its queue for ever. src/hooks/probes.c checks the types of the functions against the kernel's tracepoints.
pub(super) const OF_REQUESTS: &[Function] = &[
    (c"block_rq_complete", fast::RQ_COMPLETE),
    (
        c"block_rq_merge",
        own::iostat_probe_rq_merge as *const c_void,
    ),
    (
        c"block_rq_requeue",
        own::iostat_probe_rq_requeue as *const c_void,
    ),
    (c"block_rq_issue", fast::RQ_ISSUE),
    (c"block_io_start", fast::IO_START),
];

/// The functions of the events of bios.
const OF_BIOS: &[Function] = &[
    (
        c"block_bio_complete",
        own::iostat_probe_bio_complete as *const c_void,
    ),
    (
        c"block_bio_queue",
        own::iostat_probe_bio_queue as *const c_void,
    ),
];

/// The function for clones that the disk below refuses.
const OF_CLONES: &[Function] = &[(c"block_io_done", own::iostat_probe_io_done as *const c_void)];

/// The function for waits for a tag. Kernels before 7.2 have no such tracepoint: there these waits are not recorded.
pub(super) const OF_TAG_WAITS: &[Function] =
    &[(TAG_WAIT, own::iostat_probe_tag_wait as *const c_void)];
pub(super) const TAG_WAIT: &CStr = c"block_rq_tag_wait";

/// The functions of rare events that are only counted.
pub(super) const OF_EVENTS: &[Function] = &[
    (
        c"block_bio_backmerge",
        events::iostat_probe_bio_backmerge as *const c_void,
    ),
    (
        c"block_bio_frontmerge",
        events::iostat_probe_bio_frontmerge as *const c_void,
    ),
    (c"block_split", events::iostat_probe_split as *const c_void),
    (
        c"blk_zone_append_update_request_bio",
        events::iostat_probe_zone_append as *const c_void,
    ),
    (
        c"disk_zone_wplug_add_bio",
        events::iostat_probe_zone_plug as *const c_void,
    ),
    (
        c"blk_zone_wplug_bio",
        events::iostat_probe_zone_unplug as *const c_void,
    ),
];

/// The functions of events that are only counted, but that most I/Os of some loads or disks cause.
const OF_FREQUENT_EVENTS: &[Function] = &[
    (c"block_plug", events::iostat_probe_plug as *const c_void),
    (
        c"block_unplug",
        events::iostat_probe_unplug as *const c_void,
    ),
    (
        c"block_bio_remap",
        events::iostat_probe_bio_remap as *const c_void,
    ),
    (
        c"block_rq_remap",
        events::iostat_probe_rq_remap as *const c_void,
    ),
];

/// Number of all functions.
pub(super) const FUNCTIONS: usize = OF_REQUESTS.len()
    + OF_BIOS.len()
    + OF_CLONES.len()
    + OF_TAG_WAITS.len()
    + OF_EVENTS.len()
    + OF_FREQUENT_EVENTS.len();

/// Probes that all I/Os call but only some disks or users need.
#[derive(Clone, Copy)]
pub(in crate::recorder) enum OptionalProbes {
    /// Needed by a disk whose driver takes bios.
    Bios,
    /// Needed by a disk that sends clones of its requests to other disks.
    Clones,
    /// Needed to count frequent events: plugs and remaps.
    FrequentEvents,
}

impl OptionalProbes {
    pub(super) const ALL: [OptionalProbes; 3] = [
        OptionalProbes::Bios,
        OptionalProbes::Clones,
        OptionalProbes::FrequentEvents,
    ];

    pub(super) fn functions(self) -> &'static [Function] {
        match self {
            OptionalProbes::Bios => OF_BIOS,
            OptionalProbes::Clones => OF_CLONES,
            OptionalProbes::FrequentEvents => OF_FREQUENT_EVENTS,
        }
    }
}
