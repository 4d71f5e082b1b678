// SPDX-License-Identifier: GPL-2.0

//! Requests and bios that belong to others.
//!
//! C header: `include/iostat/peek.h`.

use super::bindings as own;

/// What was found at an address. Whether that was a request or bio is for the caller to find out.
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

/// What there is if a request is at this address; [`None`] if there is no memory. In any context.
pub(crate) fn request(address: u64) -> Option<Peeked> {
    let mut peeked = own::iostat_peeked::default();
    // SAFETY: It takes any number as an address, and the reference is valid for writes.
    let is_there = unsafe { own::iostat_peek_request(address, &mut peeked) };
    found(is_there, peeked)
}

/// As [`request`], if a bio is at this address.
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
