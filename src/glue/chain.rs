// SPDX-License-Identifier: GPL-2.0

//! Chains of bios.
//!
//! C header: `include/iostat/chain.h`.

use super::bindings as own;
use crate::kernel_ext::block::bio::Bio;
use core::ptr::NonNull;

/// The bio that `bio` was split from; or to which it is chained as a clone for another disk. Any context.
pub(crate) fn parent_of<'a>(bio: Bio<'a>) -> Option<Bio<'a>> {
    // SAFETY: The bio has not ended, as its owner has called a tracepoint with it.
    let parent = NonNull::new(unsafe { own::iostat_bio_parent(bio.as_ptr()) })?;
    // SAFETY: It has the block device that it was split for. It does not end before `bio`, so it is alive as long.
    Some(unsafe { Bio::from_raw(parent) })
}
