// SPDX-License-Identifier: GPL-2.0

//! Slow I/Os: see `src/acct/slow.rs` and `Documentation/slow.rst`.
//!
//! A disk gets a ring with its first slow I/O. A probe cannot allocate memory, so some rings are allocated in advance
//! for the next disks that need one. The upkeep replaces those that were taken.

use crate::{
    acct::{
        slow::{
            SlowCount,
            SlowPlace,
            SlowRing,
            LONGEST_NS,
            SLOW_IOS,
            USUAL_NS, //
        },
        turns::Turns, //
    },
    glue::upkeep,
    kernel_ext::{
        once::OnceBox,
        spare::Spare,
        zeroed::zeroed_vec, //
    },
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};
use kernel::{
    alloc::KVVec,
    prelude::*, //
};

/// I/Os that take at least this long from start to end are slow, and are kept, ns.
static THRESHOLD_NS: AtomicU64 = AtomicU64::new(USUAL_NS);

/// The time from which on an I/O is slow, ns.
#[inline(always)]
pub(crate) fn threshold_ns() -> u64 {
    THRESHOLD_NS.load(Relaxed)
}

/// Sets the threshold. `EINVAL` if it is 0 or above [`LONGEST_NS`].
pub(crate) fn set_threshold_ns(threshold_ns: u64) -> Result {
    if threshold_ns == 0 || threshold_ns > LONGEST_NS {
        return Err(EINVAL);
    }
    THRESHOLD_NS.store(threshold_ns, Relaxed);
    Ok(())
}

/// The slow I/Os of a disk.
pub(crate) struct KeptIos {
    count: SlowCount,
    places: KVVec<SlowPlace>,
}

impl KeptIos {
    fn new() -> Result<KBox<Self>> {
        let kept = KeptIos {
            count: SlowCount::default(),
            places: zeroed_vec(SLOW_IOS)?,
        };
        Ok(KBox::new(kept, GFP_KERNEL)?)
    }

    pub(super) fn ring(&self) -> SlowRing<'_> {
        SlowRing::new(&self.count, &self.places)
    }

    /// The number of slow I/Os, including those that were replaced.
    pub(super) fn count(&self) -> u64 {
        self.count.get()
    }
}

/// Rings for disks that have no ring yet.
pub(crate) struct SpareRings {
    turns: Turns,
    spares: [Spare<KeptIos>; 4],
}

impl SpareRings {
    /// May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        let rings = SpareRings {
            turns: Turns::default(),
            spares: [const { Spare::new() }; 4],
        };
        rings.refill()?;
        Ok(rings)
    }

    /// Replaces the rings that were taken. May sleep; `ENOMEM`.
    pub(super) fn refill(&self) -> Result {
        for spare in self.spares.iter().filter(|spare| spare.is_empty()) {
            // Cannot fail: with one call at a time, the spare is still empty.
            let _ = spare.put(KeptIos::new()?);
        }
        Ok(())
    }

    /// Sets `ring` to one of the spare rings, if it is empty. Returns the ring. With interrupts off, in any
    /// context but NMI.
    pub(super) fn fill<'a>(&self, ring: &'a OnceBox<KeptIos>) -> Option<&'a KeptIos> {
        if let Some(kept) = ring.get() {
            return Some(kept);
        }
        let _turn = self.turns.take();
        if ring.get().is_none() {
            let kept = self.spares.iter().find_map(Spare::take);
            upkeep::wake();
            // Cannot fail: the ring is empty, and other callers wait for their turn. Not dropped, as probes have no code
            // that frees memory.
            core::mem::forget(ring.set(kept?));
        }
        ring.get()
    }
}
