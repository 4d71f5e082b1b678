// SPDX-License-Identifier: GPL-2.0

//! Reads requests and bios that the caller does not own.
//!
//! C header: `include/iostat/peek.h`.

use super::bindings as own;

/// The values found at an address. The caller has to determine whether a request or bio was there.
#[derive(Clone, Copy)]
pub(crate) struct Peeked {
    /// The address of the disk that it is sent to.
    pub(crate) disk: u64,
    /// The first sector that remains.
    pub(crate) sector: u64,
    /// Bytes that remain.
    pub(crate) bytes: u64,
    /// `REQ_OP_*`.
    pub(crate) op: u8,
}

/// Reads the memory at this address as a request; [`None`] if there is no memory. In any context.
pub(crate) fn request(address: u64) -> Option<Peeked> {
    let mut peeked = own::iostat_peeked::default();
    // SAFETY: It takes any number as an address, and the reference is valid for writes.
    let is_there = unsafe { own::iostat_peek_request(address, &mut peeked) };
    found(is_there, peeked)
}

/// Reads the memory at this address as a bio, like [`request`].
pub(crate) fn bio(address: u64) -> Option<Peeked> {
    let mut peeked = own::iostat_peeked::default();
    // SAFETY: As in `request`.
    let is_there = unsafe { own::iostat_peek_bio(address, &mut peeked) };
    found(is_there, peeked)
}

fn found(is_there: bool, peeked: own::iostat_peeked) -> Option<Peeked> {
    is_there.then_some(Peeked {
        disk: peeked.disk,
        sector: peeked.sector,
        bytes: peeked.bytes.into(),
        op: peeked.op,
    })
}
