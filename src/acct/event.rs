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
