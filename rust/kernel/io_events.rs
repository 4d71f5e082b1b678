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

macro_rules! event {
    ($(#[$doc:meta])* $name:ident, $enabled:ident, $tracepoint:ident, $call:ident) => {
        /// Whether anybody listens to the event: a patched jump, free while nobody does.
        #[inline(always)]
        pub(crate) fn $enabled() -> bool {
            // SAFETY: The key is that of a tracepoint defined in `src/events.c`.
            unsafe {
                kernel::jump_label::static_branch_unlikely!(
                    bindings::$tracepoint,
                    kernel::bindings::tracepoint,
                    key
                )
            }
        }

        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name(io: &Io) {
            // SAFETY: The event copies what it needs out of `io` before it returns. May be called
            // from any context.
            unsafe { bindings::$call(io) };
        }
    };
}

event! {
    /// The event `io:start`. From any context.
    start, start_enabled, __tracepoint_start, rust_do_trace_start
}

event! {
    /// The event `io:done`. From any context.
    done, done_enabled, __tracepoint_done, rust_do_trace_done
}
