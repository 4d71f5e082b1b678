// SPDX-License-Identifier: GPL-2.0

//! The memory of all regions together: no more than a quarter of the machine's, as with
//! device-mapper.

use crate::kernel_ext::memory;
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};
use kernel::prelude::*;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

/// What all regions have allocated, bytes.
pub(crate) fn allocated_bytes() -> u64 {
    ALLOCATED.load(Relaxed)
}

/// A share of it, given back when the value is dropped.
pub(super) struct Charge {
    bytes: u64,
}

impl Charge {
    /// `ENOMEM` if that were too much.
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
