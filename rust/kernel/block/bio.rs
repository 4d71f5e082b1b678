// SPDX-License-Identifier: GPL-2.0

//! Bios, as tracepoints show them.
//!
//! C header: [`include/linux/bio.h`](srctree/include/linux/bio.h).

use super::{
    is_flush,
    is_sync,
    op,
    read, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::bindings;

/// A `struct bio` whose owner called a tracepoint with it.
///
/// # Invariants
///
/// `ptr` is a bio with a block device; for `'a` it is alive, and its fields do not change.
#[derive(Clone, Copy)]
pub(crate) struct Bio<'a> {
    ptr: NonNull<bindings::bio>,
    _alive: PhantomData<&'a bindings::bio>,
}

impl<'a> Bio<'a> {
    /// # Safety
    ///
    /// `ptr` has a block device, is the argument of a block tracepoint or belongs to the request
    /// that is, and the value does not outlive the probe's call.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::bio>) -> Self {
        // INVARIANT: The caller of a tracepoint owns the bio for the duration of the call.
        Bio {
            ptr,
            _alive: PhantomData,
        }
    }

    /// The bio at `ptr`, if there is one, and if it has a block device.
    ///
    /// # Safety
    ///
    /// `ptr` is null or a bio of the request that is the argument of a block tracepoint, and the
    /// value does not outlive the probe's call.
    pub(super) unsafe fn of_request(ptr: *mut bindings::bio) -> Option<Self> {
        let ptr = NonNull::new(ptr)?;
        // SAFETY: By this function's requirement it is alive.
        if unsafe { core::ptr::addr_of!((*ptr.as_ptr()).bi_bdev).read() }.is_null() {
            return None;
        }
        // SAFETY: By this function's requirement; and it has a block device, as was just seen.
        Some(unsafe { Bio::from_raw(ptr) })
    }

    /// The one behind it, if it is of a request.
    pub(crate) fn next(&self) -> Option<Bio<'a>> {
        let next = read!(self, bi_next);
        // SAFETY: A bio of the same request or null: the bios of a request live as long as each other.
        unsafe { Bio::of_request(next) }
    }

    /// It itself, for C.
    pub(crate) fn as_ptr(&self) -> *mut bindings::bio {
        self.ptr.as_ptr()
    }

    /// Its address, for as long as it is in flight its own.
    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// Address of the disk it goes to.
    #[inline(always)]
    pub(crate) fn disk(&self) -> u64 {
        read!(self, bdev bd_disk) as u64
    }

    /// Address of the partition or whole disk it was submitted to.
    #[inline(always)]
    pub(crate) fn block_device(&self) -> u64 {
        read!(self, bi_bdev) as u64
    }

    /// Whether it was submitted to a whole disk.
    pub(crate) fn is_of_whole_disk(&self) -> bool {
        let disk = read!(self, bdev bd_disk);
        // SAFETY: A block device has a disk, which is there for as long; the first of its block devices, that of the whole
        // disk, stays the same and is only taken as a number.
        let whole = unsafe { core::ptr::addr_of!((*disk).part0).read() };
        self.block_device() == whole as u64
    }

    /// `REQ_OP_*`.
    #[inline(always)]
    pub(crate) fn op(&self) -> u8 {
        op(read!(self, bi_opf))
    }

    /// Whether a cache flush or forced unit access comes with it.
    #[inline(always)]
    pub(crate) fn is_flush(&self) -> bool {
        is_flush(read!(self, bi_opf))
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_sync(&self) -> bool {
        is_sync(read!(self, bi_opf))
    }

    /// Bytes that remain to be done.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        read!(self, bi_iter.bi_size)
    }

    /// First sector that remains to be done.
    #[inline(always)]
    pub(crate) fn sector(&self) -> u64 {
        read!(self, bi_iter.bi_sector)
    }

    /// Whether it failed; for a bio that is complete.
    #[inline(always)]
    pub(crate) fn status(&self) -> bindings::blk_status_t {
        read!(self, bi_status)
    }

    /// Address of the function called at its end, or 0.
    pub(crate) fn end_io(&self) -> u64 {
        read!(self, bi_end_io).map_or(0, |function| function as usize as u64)
    }
}
