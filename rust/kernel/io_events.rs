// SPDX-License-Identifier: GPL-2.0

//! The tracepoints of `include/trace/events/io.h`.
//!
//! `kernel::declare_trace!` looks for a tracepoint in the `kernel` crate's own bindings; this is
//! its twin for ours.

use super::bindings;

pub(crate) use super::bindings::iostat_io as Io;

/// The flags of `b_flags`.
pub(crate) mod flag {
    pub(crate) use super::super::bindings::{
        IOSTAT_B_ASYNC as B_ASYNC,
        IOSTAT_B_DONE as B_DONE,
        IOSTAT_B_ERROR as B_ERROR,
        IOSTAT_B_PAGEIO as B_PAGEIO,
        IOSTAT_B_PHYS as B_PHYS,
        IOSTAT_B_READ as B_READ,
        IOSTAT_B_WRITE as B_WRITE, //
    };
}

/// Whether anybody listens to the event `io:done`: a patched jump, free while nobody does. (Whether
/// anybody listens to `io:start` is asked in `src/probes.c`.)
#[inline(always)]
pub(crate) fn done_enabled() -> bool {
    // SAFETY: The key is that of a tracepoint defined in `src/events.c`.
    unsafe {
        kernel::jump_label::static_branch_unlikely!(
            bindings::__tracepoint_done,
            kernel::bindings::tracepoint,
            key
        )
    }
}

/// The event `io:start`. From any context.
pub(crate) fn start(io: &Io) {
    // SAFETY: The event copies what it needs out of `io` before it returns. May be called from any
    // context.
    unsafe { bindings::rust_do_trace_start(io) };
}

/// The event `io:done`. From any context.
pub(crate) fn done(io: &Io) {
    // SAFETY: As above.
    unsafe { bindings::rust_do_trace_done(io) };
}
