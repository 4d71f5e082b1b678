// SPDX-License-Identifier: GPL-2.0

//! The probes of events that are only counted.

use super::tracker;
use crate::{
    acct::{
        class::op,
        disk_event::DiskEvent, //
    },
    glue::{
        bindings as own,          //
        io_events::merge_enabled, //
    },
    kernel_ext::{
        block::{
            bio::Bio,
            disk_of_queue,
            request::Request, //
        },
        published::InProbe, //
    },
};
use core::ptr::NonNull;
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    }, //
};

/// # Safety
///
/// Called by a probe, `bio` is its argument, and the view does not outlive the call of the probe.
#[inline(always)]
unsafe fn bio_at<'a>(bio: *mut bindings::bio) -> Bio<'a> {
    // SAFETY: The argument of a tracepoint is never null, and these are for bios with a block device.
    unsafe { Bio::from_raw(NonNull::new_unchecked(bio)) }
}

/// # Safety
///
/// Called by a probe, and `bio` is its argument.
#[inline(always)]
unsafe fn disk_of_bio(bio: *mut bindings::bio) -> u64 {
    // SAFETY: By this function's requirement.
    unsafe { bio_at(bio).disk() }
}

/// # Safety
///
/// Called by a probe, and `rq` is its argument.
#[inline(always)]
unsafe fn disk_of_rq(rq: *mut bindings::request) -> u64 {
    // SAFETY: The argument of a tracepoint is never null; the view does not outlive this call.
    unsafe { Request::from_raw(NonNull::new_unchecked(rq)).disk() }
}

/// # Safety
///
/// `state` is as `tracker` requires.
unsafe fn count(state: *const c_void, disk: u64, event: DiskEvent) {
    // SAFETY: By this function's requirement, and the values do not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    tracker.count_event(probe, disk, event);
}

/// Defines the probe of a tracepoint: the function that finds the disk by the first argument, the other arguments, and
/// the event. The type is compared with that in `include/iostat/probes.h`, which `src/hooks/probes.c` compares with the
/// tracepoint's.
macro_rules! event_probe {
    ($function:ident($disk_of:ident($first:ty) $(, $name:ident: $more:ty)*) => $event:expr) => {
        /// # Safety
        ///
        /// Called by its tracepoint, with the data that [`super::Probes`] registered it with.
        #[no_mangle]
        pub(super) unsafe extern "C" fn $function(state: *mut c_void, first: $first $(, $name: $more)*) {
            // SAFETY: By this function's requirement.
            unsafe { count(state, $disk_of(first), $event) };
        }
        const _: [unsafe extern "C" fn(*mut c_void, $first $(, $more)*); 2] = [$function, own::$function];
    };
}

/// # Safety
///
/// Called by its tracepoint, with the data that [`super::Probes`] registered it with.
#[no_mangle]
pub(super) unsafe extern "C" fn iostat_probe_split(
    state: *mut c_void,
    bio: *mut bindings::bio,
    _sector: c_uint,
) {
    // SAFETY: By this function's requirement, and the values do not outlive the probe's call.
    let (tracker, probe, bio) = unsafe { (tracker(state), InProbe::new(), bio_at(bio)) };
    tracker.count_event(probe, bio.disk(), DiskEvent::Splits);
    tracker.bio_split(probe, bio);
}
const _: [unsafe extern "C" fn(*mut c_void, *mut bindings::bio, c_uint); 2] =
    [iostat_probe_split, own::iostat_probe_split];

event_probe!(iostat_probe_bio_remap(
    disk_of_bio(*mut bindings::bio), _dev: bindings::dev_t, _from: bindings::sector_t
) => DiskEvent::BioRemaps);
event_probe!(iostat_probe_rq_remap(
    disk_of_rq(*mut bindings::request), _dev: bindings::dev_t, _from: bindings::sector_t
) => DiskEvent::RqRemaps);
event_probe!(iostat_probe_plug(disk_of_queue(*mut bindings::request_queue)) => DiskEvent::Plugs);
event_probe!(iostat_probe_unplug(
    disk_of_queue(*mut bindings::request_queue), _depth: c_uint, is_explicit: bool
) => if is_explicit { DiskEvent::Unplugs } else { DiskEvent::UnplugsSchedule });
event_probe!(iostat_probe_zone_append(disk_of_rq(*mut bindings::request)) => DiskEvent::ZoneAppends);
event_probe!(iostat_probe_zone_plug(
    disk_of_queue(*mut bindings::request_queue), _zone: c_uint, _sector: bindings::sector_t, _sectors: c_uint
) => DiskEvent::ZonePlugs);
event_probe!(iostat_probe_zone_unplug(
    disk_of_queue(*mut bindings::request_queue), _zone: c_uint, _sector: bindings::sector_t, _sectors: c_uint
) => DiskEvent::ZoneUnplugs);

/// A bio becomes part of a request.
///
/// # Safety
///
/// As of a probe whose argument is `bio`.
#[inline(always)]
unsafe fn bio_merge(state: *const c_void, bio: *mut bindings::bio, event: DiskEvent) {
    // SAFETY: By this function's requirement, and the values do not outlive the probe's call.
    let (tracker, probe, bio) = unsafe { (tracker(state), InProbe::new(), bio_at(bio)) };
    tracker.count_event(probe, bio.disk(), event);
    match bio.op() {
        op::DISCARD => {}
        _ if bio.is_write() => tracker.count_event(probe, bio.disk(), DiskEvent::WriteMerges),
        _ => tracker.count_event(probe, bio.disk(), DiskEvent::ReadMerges),
    }
    if merge_enabled() {
        tracker.bio_merge_trace(probe, bio);
    }
}

macro_rules! merge_probe {
    ($function:ident => $event:expr) => {
        /// # Safety
        ///
        /// Called by its tracepoint, with the data that [`super::Probes`] registered it with.
        #[no_mangle]
        pub(super) unsafe extern "C" fn $function(state: *mut c_void, bio: *mut bindings::bio) {
            // SAFETY: By this function's requirement.
            unsafe { bio_merge(state, bio, $event) };
        }
        const _: [unsafe extern "C" fn(*mut c_void, *mut bindings::bio); 2] =
            [$function, own::$function];
    };
}

merge_probe!(iostat_probe_bio_backmerge => DiskEvent::BioBackmerges);
merge_probe!(iostat_probe_bio_frontmerge => DiskEvent::BioFrontmerges);
