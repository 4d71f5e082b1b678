// SPDX-License-Identifier: GPL-2.0

//! The fast path while `io:start` or `io:done` is enabled (starts and completions), or while there are accounts by
//! cgroup (completions). `src/hooks/probes.c` calls these functions.

use super::{
    home,
    IrqOff,
    Tracing,
    TRACKER, //
};
use crate::{
    acct::{
        entry::Entry,
        fast::{
            complete,
            start,
            FastEvent, //
        }, //
    },
    glue::{
        bindings as own,
        cgroups::cgroups_enabled,
        fast::{
            cpu_offset,
            restore,
            Flags, //
        },
        io_events::done_enabled, //
    },
    kernel_ext::{
        block::request::Request,
        percpu::ThisCpu,
        published::InProbe, //
    },
    recorder::{
        context::ProbeContext,
        tracker::Tracker, //
    },
};
use core::{
    ptr::NonNull,
    sync::atomic::Ordering::Relaxed, //
};
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    },
};

event!(TracedIoStart, iostat_general_io_start);

/// The end of a request on the fast path. It has no members, so that the section fits in registers.
struct Watched;

impl Tracing for Watched {
    #[inline(never)]
    fn ended(&self, _probe: InProbe<'_>, entry: &Entry, now: u64) {
        // SAFETY: By the trait, and the entry is that of the probe's I/O.
        unsafe { ended(entry, now) };
    }

    #[inline(always)]
    fn leave_ended<'a>(off: IrqOff<'a, Self>, entry: &'a Entry) {
        if done_enabled() {
            return leave_traced(off.flags, off.now, entry);
        }
        leave_counted(off.flags, off.now, entry);
    }
}

#[inline(never)]
fn leave_traced(flags: Flags, now: u64, entry: &Entry) {
    // SAFETY: In a probe, as its caller, with interrupts off, and the entry is that of the probe's I/O.
    unsafe { ended(entry, now) };
    entry.release();
    restore(flags);
}

/// # Safety
///
/// In a probe, with interrupts off, and the entry is that of the probe's I/O, which is on the fast path.
#[inline(always)]
unsafe fn ended(entry: &Entry, now: u64) {
    if cgroups_enabled() {
        count_slow(now, entry);
    }
    if done_enabled() {
        // SAFETY: By this function's requirement.
        let (tracker, probe, rq) = unsafe { (watching(), InProbe::new(), request_of(entry)) };
        tracker.rq_done_fast(probe, entry, rq, entry.fast_times(now));
    }
}

/// A function of its own, so that neither its caller nor it needs a stack: its arguments are in registers.
#[inline(never)]
fn leave_counted(flags: Flags, now: u64, entry: &Entry) {
    // SAFETY: In a probe, as its caller, and the entry is that of the probe's I/O.
    let (tracker, here, rq) = unsafe { (watching(), here(now), request_of(entry)) };
    // SAFETY: The fast path takes reads and writes only.
    let first = unsafe { rq.first_bio() };
    if !tracker.end_rq_of_cgroup(here, entry, (first, rq.is_write())) {
        return leave_counted_slow(flags, now, entry);
    }
    entry.release();
    restore(flags);
}

#[cold]
#[inline(never)]
fn leave_counted_slow(flags: Flags, now: u64, entry: &Entry) {
    count_slow(now, entry);
    entry.release();
    restore(flags);
}

#[cold]
#[inline(never)]
fn count_slow(now: u64, entry: &Entry) {
    // SAFETY: As in `leave_counted`.
    let (tracker, here, rq) = unsafe { (watching(), here(now), request_of(entry)) };
    tracker.end_other_rq_of_cgroup(here, entry, rq);
}

/// # Safety
///
/// In a probe, which the reference does not outlive.
#[inline(always)]
unsafe fn watching<'a>() -> &'a Tracker {
    // SAFETY: The pointer was set before the probe was registered, to a tracker that exists until all probes
    // have returned.
    unsafe { &*TRACKER.load(Relaxed) }
}

/// # Safety
///
/// In a probe, with interrupts off, and the value is not used after either ends.
#[inline(always)]
unsafe fn here<'a>(now: u64) -> ProbeContext<'a> {
    // SAFETY: By this function's requirement.
    let (probe, cpu) = unsafe { (InProbe::new(), ThisCpu::new(cpu_offset())) };
    ProbeContext { probe, cpu, now }
}

/// The request of an entry.
///
/// # Safety
///
/// The entry is on the fast path, and its request is that of a probe, which the view does not
/// outlive.
#[inline(always)]
unsafe fn request_of<'a>(entry: &'a Entry) -> Request<'a> {
    // CAST: The key of such an entry is the address of its request.
    let rq = entry.in_flight() as *mut bindings::request;
    // SAFETY: By this function's requirement, and so not null.
    unsafe { Request::from_raw(NonNull::new_unchecked(rq)) }
}

struct WatchedRqComplete {
    state: *mut c_void,
    rq: *mut bindings::request,
    nr_bytes: c_uint,
}

impl<'a> FastEvent<'a> for WatchedRqComplete {
    type Section = IrqOff<'a, Watched>;

    #[inline(always)]
    fn enter(self) -> Self::Section {
        // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
        unsafe { IrqOff::new(Watched) }
    }

    #[inline(always)]
    fn general(self) {
        // SAFETY: These are the tracepoint's own arguments, and the status is 0.
        unsafe { own::iostat_general_rq_complete_watched(self.state, self.rq, 0, self.nr_bytes) }
    }
}

/// # Safety
///
/// Called by the probe of its tracepoint.
#[no_mangle]
unsafe extern "C" fn iostat_traced_io_start(state: *mut c_void, rq: *mut bindings::request) {
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    let event = TracedIoStart { state, rq };
    // SAFETY: By this function's requirement.
    start(event, unsafe { home(state, rq) }, &request);
}

/// # Safety
///
/// Called by the probe of its tracepoint.
#[no_mangle]
unsafe extern "C" fn iostat_watched_rq_complete(
    state: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
) {
    if status != 0 {
        // SAFETY: These are the tracepoint's own arguments.
        return unsafe { own::iostat_general_rq_complete_watched(state, rq, status, nr_bytes) };
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    let entry = unsafe { home(state, rq) };
    let event = WatchedRqComplete {
        state,
        rq,
        nr_bytes,
    };
    complete(event, entry, &request, nr_bytes);
}
