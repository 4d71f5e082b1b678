// SPDX-License-Identifier: GPL-2.0

//! Limits the memory of all regions together to a quarter of the machine's memory, as device-mapper
//! does.

use crate::kernel_ext::memory;
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};
use kernel::prelude::*;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

/// Bytes that all regions have allocated.
pub(crate) fn allocated_bytes() -> u64 {
    ALLOCATED.load(Relaxed)
}

/// A part of that sum, subtracted when the value is dropped.
pub(super) struct Charge {
    bytes: u64,
}

impl Charge {
    /// Charges so many bytes. `ENOMEM` if the sum would exceed the limit.
    pub(super) fn new(bytes: u64) -> Result<Self> {
        let charge = Charge { bytes };
        let before = ALLOCATED.fetch_add(bytes, Relaxed);
        if before.saturating_add(bytes) > memory::total_bytes() / 4 {
            // The charge is dropped.
            return Err(ENOMEM);
        }
        Ok(charge)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        ALLOCATED.fetch_sub(self.bytes, Relaxed);
    }
}
