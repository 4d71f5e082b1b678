// SPDX-License-Identifier: GPL-2.0

//! The parts of a bio that was split.
//!
//! The block layer splits a bio by making a child of its front; the bio itself is what is left. The children and the bio
//! end in any order and on any CPU, and the kernel calls the end function of the bio when all have ended. If the driver
//! has passed the bio on to another disk, no event reports that. So the parts are counted here, and the last one that ends
//! ends the bio. A child may be split again: its own child is another child of the bio.

use crate::sync::{
    AtomicU32,
    Ordering::{
        AcqRel,
        Relaxed, //
    }, //
};

/// How many children are in flight, whether the bio itself has ended, and the status of the first part that failed.
///
/// Bits 0 to 22: children. Bit 23: the bio has ended. Bits 24 to 31: a `blk_status_t`.
#[derive(Debug, Default)]
pub struct Parts(AtomicU32);

/// A bio has less than 2^32 bytes, so less than 2^23 children of a sector.
const CHILDREN: u32 = (1 << 23) - 1;
const OWN_ENDED: u32 = 1 << 23;
const STATUS_SHIFT: u32 = 24;

impl Parts {
    /// Begins a bio without children. Owner only.
    #[inline(always)]
    pub(super) fn reset(&self) {
        self.0.store(0, Relaxed);
    }

    /// A child is made. Neither it nor the rest of the bio has been submitted.
    pub fn add_child(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// A child has ended. If all parts have ended now, returns the status of the first that failed, or 0. A child that was
    /// not counted changes nothing.
    pub fn child_ended(&self, status: u8) -> Option<u8> {
        self.change(status, |parts| {
            (parts & CHILDREN != 0).then_some(parts.wrapping_sub(1))
        })
    }

    /// The bio itself, or what was left of it, has ended. Returns as [`Parts::child_ended`].
    pub fn own_ended(&self, status: u8) -> Option<u8> {
        self.change(status, |parts| Some(parts | OWN_ENDED))
    }

    fn change(&self, status: u8, change: impl Fn(u32) -> Option<u32>) -> Option<u8> {
        let mut parts = self.0.load(Relaxed);
        loop {
            let mut new = change(parts)?;
            if new >> STATUS_SHIFT == 0 {
                new |= u32::from(status) << STATUS_SHIFT;
            }
            // The part that ends last reads what the others have written of the I/O.
            match self.0.compare_exchange_weak(parts, new, AcqRel, Relaxed) {
                Ok(_) => {
                    let is_last = new & (CHILDREN | OWN_ENDED) == OWN_ENDED;
                    // CAST: 8 bits.
                    return is_last.then_some((new >> STATUS_SHIFT) as u8);
                }
                Err(now) => parts = now,
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_ends_the_bio() {
        let parts = Parts::default();
        assert_eq!(parts.own_ended(0), Some(0));
        parts.reset();
        parts.add_child();
        parts.add_child();
        assert_eq!(parts.child_ended(0), None);
        assert_eq!(parts.own_ended(0), None);
        assert_eq!(parts.child_ended(0), Some(0));
        parts.reset();
        parts.add_child();
        assert_eq!(parts.child_ended(0), None);
        assert_eq!(parts.own_ended(0), Some(0));
    }

    #[test]
    fn the_first_failure_is_kept() {
        let parts = Parts::default();
        parts.add_child();
        parts.add_child();
        assert_eq!(parts.child_ended(10), None);
        assert_eq!(parts.child_ended(7), None);
        assert_eq!(parts.own_ended(0), Some(10));
        parts.reset();
        assert_eq!(parts.own_ended(255), Some(255));
    }

    #[test]
    fn a_child_that_was_not_counted_ends_nothing() {
        let parts = Parts::default();
        assert_eq!(parts.child_ended(10), None);
        assert_eq!(parts.own_ended(0), Some(0));
    }
}
