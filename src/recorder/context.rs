// SPDX-License-Identifier: GPL-2.0

//! The context of a probe.

use crate::kernel_ext::{
    percpu::ThisCpu,
    published::InProbe, //
};

/// The context of a probe, which each handler of an event gets.
#[derive(Clone, Copy)]
pub(super) struct ProbeContext<'a> {
    /// Proof that the code runs in a probe.
    pub(super) probe: InProbe<'a>,
    /// The CPU it runs on, with interrupts off.
    pub(super) cpu: ThisCpu<'a>,
    /// The time of the event, ns.
    pub(super) now: u64,
}
