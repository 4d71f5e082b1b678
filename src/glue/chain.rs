// SPDX-License-Identifier: GPL-2.0

//! Chains of bios.
//!
//! C header: `include/iostat/chain.h`.

use super::bindings as own;
use crate::{
    acct::inflight::Claimed,
    kernel_ext::block::bio::{
        Bio,
        SharedBio, //
    },
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::bindings;

/// A bio of which another one is a part. Other CPUs may submit it at the same time, which changes its members.
///
/// # Invariants
///
/// `ptr` is a bio that does not end for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Parent<'a> {
    ptr: NonNull<bindings::bio>,
    _alive: PhantomData<&'a bindings::bio>,
}

impl<'a> Parent<'a> {
    /// The bio that `child` was split from; or to which it is chained as a clone for another disk. Any context.
    pub(crate) fn of(child: Bio<'a>) -> Option<Self> {
        // SAFETY: The bio has not ended, as its owner has called a tracepoint with it, and it is alive for `'a`.
        unsafe { Self::of_bio(child.as_ptr()) }
    }

    /// The bio that this one is itself a part of, as [`Parent::of`].
    pub(crate) fn parent(self) -> Option<Self> {
        // SAFETY: By the type invariant. What a chained bio is chained to does not change until it ends.
        unsafe { Self::of_bio(self.ptr.as_ptr()) }
    }

    /// # Safety
    ///
    /// `bio` does not end for `'a`.
    unsafe fn of_bio(bio: *mut bindings::bio) -> Option<Self> {
        // SAFETY: By the requirement of this function.
        let parent = unsafe { own::iostat_bio_parent(bio) };
        // INVARIANT: It does not end before `bio`.
        NonNull::new(parent).map(|ptr| Parent {
            ptr,
            _alive: PhantomData,
        })
    }

    /// Returns its address, which no other bio has while this one is in flight.
    pub(crate) fn key(self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// The child from which this was found ends, of the bio whose entry is `slot`. If all parts have ended now, returns the bio
    /// and its status.
    pub(crate) fn child_ended(self, slot: Claimed<'_>, status: u8) -> Option<(SharedBio<'a>, u8)> {
        if slot.key() != self.key() {
            return None;
        }
        let status = slot.entry.parts.child_ended(status)?;
        // SAFETY: By the type invariant it is alive. The parts in its entry are those that the probes have counted: they have
        // ended, so the bio has been submitted, and all of its requests are completing.
        Some((unsafe { SharedBio::from_raw(self.ptr) }, status))
    }
}
