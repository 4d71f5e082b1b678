// SPDX-License-Identifier: GPL-2.0

//! What the block layer reports of an I/O at its start and at its completion.

use super::class::{
    Class,
    Tag, //
};

/// An I/O as it looks when it starts.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The caller's id of the disk's account; opaque here.
    pub account: u64,
    /// The hardware queue, or for a bio a number that spreads bios over gauges: selects the gauge that counts it.
    pub hctx: u16,
    /// Class of the transaction.
    pub class: Class,
    /// Tag type of the transaction.
    pub tag: Tag,
    /// First sector, of 512 bytes, on the whole disk.
    pub sector: u64,
    /// The thread that submits it; 0 if it is not known.
    pub pid: u32,
}

/// A completion event.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// Bytes that were transferred without error by this completion.
    pub bytes: u64,
    /// Whether nothing of the I/O remains to be done.
    pub whole: bool,
    /// Whether it is the data step of a flush sequence, which goes on after it.
    pub flush_sequence: bool,
}

/// Times of an I/O that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// In the wait queue, ns.
    pub wait_ns: u64,
    /// In the run queue, ns.
    pub service_ns: u64,
}

impl Times {
    /// The times of an I/O that took `total_ns` from start to end, `service_ns` of it in the run queue. Both are differences
    /// of times that different CPUs may have read: one that is negative, as the clock of a CPU was behind, is 0.
    #[inline(always)]
    pub fn of(total_ns: u64, service_ns: u64) -> Self {
        const NEGATIVE: u64 = 1 << 63;
        let total_ns = if total_ns < NEGATIVE { total_ns } else { 0 };
        let service_ns = match service_ns < NEGATIVE {
            true => service_ns.min(total_ns),
            false => 0,
        };
        Times {
            wait_ns: total_ns.wrapping_sub(service_ns),
            service_ns,
        }
    }

    /// From start to end, ns.
    #[inline(always)]
    pub fn total_ns(self) -> u64 {
        self.wait_ns.wrapping_add(self.service_ns)
    }
}
