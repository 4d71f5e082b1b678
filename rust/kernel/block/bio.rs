// SPDX-License-Identifier: GPL-2.0

//! Bios, as tracepoints pass them.
//!
//! C header: [`include/linux/bio.h`](srctree/include/linux/bio.h).

use super::{
    is_flush,
    is_sync,
    op, //
};
use core::{
    marker::PhantomData,
    ops::Deref,
    ptr::NonNull, //
};
use kernel::bindings;

/// A `struct bio` that is in flight, other parts of which may end on other CPUs: that changes its status, flags, iterator and
/// links.
///
/// # Invariants
///
/// `ptr` is a bio, which is alive for `'a`. For `'a` nothing but the ends of its parts changes its members.
#[derive(Clone, Copy)]
pub(crate) struct SharedBio<'a> {
    ptr: NonNull<bindings::bio>,
    _alive: PhantomData<&'a bindings::bio>,
}

impl SharedBio<'_> {
    /// # Safety
    ///
    /// `ptr` is a bio that has been submitted, and does not end before the argument of a block tracepoint; all of its
    /// parts but that argument have ended, or are ending. The value does not outlive the call of the probe.
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::bio>) -> Self {
        // INVARIANT: Only the submission of a bio changes other members.
        SharedBio {
            ptr,
            _alive: PhantomData,
        }
    }

    /// Returns the pointer for C.
    pub(crate) fn as_ptr(&self) -> *mut bindings::bio {
        self.ptr.as_ptr()
    }

    /// Returns its address, which no other bio has while this one is in flight.
    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// Returns its `REQ_OP_*`.
    #[inline(always)]
    pub(crate) fn op(&self) -> u8 {
        op(read!(self, bi_opf))
    }

    /// Returns whether it moves data to the device: `op_is_write()`.
    #[inline(always)]
    pub(crate) fn is_write(&self) -> bool {
        self.op() & 1 != 0
    }

    /// Returns whether it has a preflush or forced unit access.
    #[inline(always)]
    pub(crate) fn is_flush(&self) -> bool {
        is_flush(read!(self, bi_opf))
    }

    /// Returns whether it has the driver's flag `REQ_DRV`. nvme sets it on bios that its multipath disk passes on.
    pub(crate) fn has_req_drv(&self) -> bool {
        read!(self, bi_opf) & (1 << bindings::req_flag_bits___REQ_DRV) != 0
    }

    /// Returns whether it is synchronous.
    pub(crate) fn is_sync(&self) -> bool {
        is_sync(read!(self, bi_opf))
    }

    /// Returns the address of the function that is called when it completes, or 0.
    pub(crate) fn end_io(&self) -> u64 {
        read!(self, bi_end_io).map_or(0, |function| function as usize as u64)
    }
}

/// A `struct bio` with which its owner called a tracepoint.
///
/// # Invariants
///
/// The bio has a block device, and for `'a` its members do not change, but for its status if other parts of it end.
#[derive(Clone, Copy)]
pub(crate) struct Bio<'a>(SharedBio<'a>);

impl<'a> Deref for Bio<'a> {
    type Target = SharedBio<'a>;

    #[inline(always)]
    fn deref(&self) -> &SharedBio<'a> {
        &self.0
    }
}

impl Bio<'_> {
    /// # Safety
    ///
    /// `ptr` has a block device, and is the argument of a block tracepoint, or belongs to the request that is. The value
    /// does not outlive the call of the probe.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::bio>) -> Self {
        // INVARIANT: The caller of a tracepoint owns the bio during the call.
        Bio(SharedBio {
            ptr,
            _alive: PhantomData,
        })
    }

    /// Returns the address of the disk that it is sent to.
    #[inline(always)]
    pub(crate) fn disk(&self) -> u64 {
        read!(self, bdev bd_disk) as u64
    }

    /// Returns the address of the partition or whole disk that it was submitted to.
    #[inline(always)]
    pub(crate) fn block_device(&self) -> u64 {
        read!(self, bi_bdev) as u64
    }

    /// Returns whether it was submitted to a whole disk.
    pub(crate) fn is_of_whole_disk(&self) -> bool {
        let disk = read!(self, bdev bd_disk);
        // SAFETY: A block device has a disk, which lives as long; the pointer to the block device of the whole disk does
        // not change and is not dereferenced.
        let whole = unsafe { core::ptr::addr_of!((*disk).part0).read() };
        self.block_device() == whole as u64
    }

    /// Returns the address of its `blkcg_gq`, which is that of a cgroup and a disk; 0 if it has none.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    #[inline(always)]
    pub(crate) fn blkg(&self) -> u64 {
        #[cfg(CONFIG_BLK_CGROUP)]
        {
            read!(self, bi_blkg) as u64
        }
        #[cfg(not(CONFIG_BLK_CGROUP))]
        {
            0
        }
    }

    /// Returns whether the block layer will report its end: `BIO_TRACE_COMPLETION`.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    #[inline(always)]
    pub(crate) fn is_traced(&self) -> bool {
        u32::from(read!(self, bi_flags)) & (1 << bindings::BIO_TRACE_COMPLETION) != 0
    }

    /// Returns the remaining bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        read!(self, bi_iter.bi_size)
    }

    /// Returns the first remaining sector.
    #[inline(always)]
    pub(crate) fn sector(&self) -> u64 {
        read!(self, bi_iter.bi_sector)
    }

    /// Returns the status of a completed bio.
    #[inline(always)]
    pub(crate) fn status(&self) -> bindings::blk_status_t {
        read!(self, bi_status)
    }
}

/// A bio of a request.
///
/// # Invariants
///
/// The bio is one of a request, all bios of which are alive for `'a` and fulfil the invariants of [`Bio`].
#[derive(Clone, Copy)]
pub(crate) struct RequestBio<'a>(Bio<'a>);

impl<'a> Deref for RequestBio<'a> {
    type Target = Bio<'a>;

    #[inline(always)]
    fn deref(&self) -> &Bio<'a> {
        &self.0
    }
}

impl<'a> RequestBio<'a> {
    /// # Safety
    ///
    /// `ptr` has a block device, and is a bio of the request that is the argument of a block tracepoint. The value does not
    /// outlive the call of the probe.
    #[inline(always)]
    pub(super) unsafe fn from_raw(ptr: NonNull<bindings::bio>) -> Self {
        // SAFETY: By the requirement of this function.
        // INVARIANT: The bios of a request live until its completion has been traced, and its owner calls the tracepoint.
        RequestBio(unsafe { Bio::from_raw(ptr) })
    }

    /// Returns the bio at `ptr`; [`None`] if `ptr` is null or the bio has no block device.
    ///
    /// # Safety
    ///
    /// `ptr` is null, or a bio of the request that is the argument of a block tracepoint. The value does not
    /// outlive the call of the probe.
    pub(super) unsafe fn of_request(ptr: *mut bindings::bio) -> Option<Self> {
        let ptr = NonNull::new(ptr)?;
        // SAFETY: By the requirement of this function it is alive.
        if unsafe { core::ptr::addr_of!((*ptr.as_ptr()).bi_bdev).read() }.is_null() {
            return None;
        }
        // SAFETY: By the requirement of this function it is alive, and it has a block device, as checked above.
        Some(unsafe { RequestBio::from_raw(ptr) })
    }

    /// Returns the next bio of the request.
    pub(crate) fn next(&self) -> Option<RequestBio<'a>> {
        let next = read!(self, bi_next);
        // SAFETY: By the type invariant it is null or a bio of the same request.
        unsafe { RequestBio::of_request(next) }
    }
}
