// SPDX-License-Identifier: GPL-2.0

//! Starts and completions on the fast path while `io:start` or `io:done` is enabled. `src/hooks/probes.c` calls these
//! functions.

use super::{
    super::tracker,
    home,
    Off,
    Tracing, //
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
        io_events::done_enabled, //
    },
    kernel_ext::{
        block::request::Request,
        published::InProbe, //
    },
    recorder::tracker::Tracker, //
};
use core::ptr::NonNull;
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    },
};

event!(TracedIoStart, iostat_general_io_start);

/// A request that completes while `io:start` or `io:done` is enabled.
struct TracedCompletion<'a> {
    tracker: &'a Tracker,
    rq: Request<'a>,
}

impl Tracing for TracedCompletion<'_> {
    #[inline(always)]
    fn ended(&self, probe: InProbe<'_>, entry: &Entry, now: u64) {
        if done_enabled() {
            let times = entry.fast_times(now);
            self.tracker.rq_done_fast(probe, entry, self.rq, times);
        }
    }
}

struct TracedRqComplete<'a> {
    state: *mut c_void,
    rq: *mut bindings::request,
    nr_bytes: c_uint,
    completed: TracedCompletion<'a>,
}

impl<'a> FastEvent<'a> for TracedRqComplete<'a> {
    type Section = Off<'a, TracedCompletion<'a>>;

    #[inline(always)]
    fn enter(self) -> Self::Section {
        // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
        unsafe { Off::new(self.completed) }
    }

    #[inline(always)]
    fn general(self) {
        // SAFETY: These are the tracepoint's own arguments, and the status is 0.
        unsafe { own::iostat_general_rq_complete(self.state, self.rq, 0, self.nr_bytes) }
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
unsafe extern "C" fn iostat_traced_rq_complete(
    state: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
) {
    if status != 0 {
        // SAFETY: These are the tracepoint's own arguments.
        return unsafe { own::iostat_general_rq_complete(state, rq, status, nr_bytes) };
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    let (tracker, entry) = unsafe { (tracker(state), home(state, rq)) };
    let event = TracedRqComplete {
        state,
        rq,
        nr_bytes,
        completed: TracedCompletion {
            tracker,
            rq: request,
        },
    };
    complete(event, entry, &request, nr_bytes);
}
