// SPDX-License-Identifier: GPL-2.0

//! The identity of an account in an I/O in flight.

/// Identifies the account of an I/O: its index in the table of accounts in the upper half, the device number in the lower
/// half. Indices are reused, device numbers are not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct AccountId(u64);

impl AccountId {
    pub(crate) fn new(place: u32, number: u32) -> Self {
        AccountId(u64::from(place) << 32 | u64::from(number))
    }

    #[inline(always)]
    pub(in crate::recorder) fn from_bits(bits: u64) -> Self {
        AccountId(bits)
    }

    #[inline(always)]
    pub(in crate::recorder) fn bits(self) -> u64 {
        self.0
    }

    pub(in crate::recorder) fn number(self) -> u32 {
        // CAST: The lower half.
        self.0 as u32
    }

    #[inline(always)]
    pub(in crate::recorder) fn place(self) -> usize {
        // CAST: The upper half.
        (self.0 >> 32) as usize
    }
}
