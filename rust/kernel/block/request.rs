// SPDX-License-Identifier: GPL-2.0

//! Requests, as tracepoints pass them.
//!
//! C header: [`include/linux/blk-mq.h`](srctree/include/linux/blk-mq.h).

use super::{
    bio::RequestBio,
    disk_of_queue,
    is_flush,
    is_sync,
    op, //
};
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    time::Jiffies, //
};

/// A `struct request` with which its owner called a tracepoint.
///
/// # Invariants
///
/// `ptr` is a request with a queue, which is alive for `'a` and whose members do not change for `'a`.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    ptr: NonNull<bindings::request>,
    _alive: PhantomData<&'a bindings::request>,
}

impl<'a> Request<'a> {
    /// # Safety
    ///
    /// `ptr` is the argument of a block tracepoint, and the value does not outlive the call of the probe.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::request>) -> Self {
        // INVARIANT: The caller of a tracepoint owns the request during the call.
        Request {
            ptr,
            _alive: PhantomData,
        }
    }

    /// Returns its address, which no other request has while this one is in flight.
    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// Returns the address of its queue.
    #[inline(always)]
    pub(crate) fn queue(&self) -> u64 {
        read!(self, q) as u64
    }

    /// Returns the address of the disk that it is sent to: see [`disk_of_request`].
    #[inline(always)]
    pub(crate) fn disk(&self) -> u64 {
        // SAFETY: The request is alive, and has a queue.
        unsafe { disk_of_request(self.ptr) }
    }

    /// Returns the address of the partition or whole disk that its first bio was submitted to, or 0.
    #[inline(always)]
    pub(crate) fn block_device(&self) -> u64 {
        let bio = read!(self, bio);
        if bio.is_null() {
            return 0;
        }
        // SAFETY: The bios of a request live until its completion has been traced; the pointer to the block
        // device is not dereferenced.
        unsafe { core::ptr::addr_of!((*bio).bi_bdev).read() as u64 }
    }

    /// Returns whether it has a bio, the first of which was submitted to the partition or whole disk at this address.
    #[inline(always)]
    pub(crate) fn is_submitted_to(&self, block_device: u64) -> bool {
        let bio = read!(self, bio);
        if bio.is_null() {
            return false;
        }
        // SAFETY: As in `block_device`.
        unsafe { core::ptr::addr_of!((*bio).bi_bdev).read() as u64 == block_device }
    }

    /// Returns whether its first bio was submitted to a whole disk.
    pub(crate) fn is_of_whole_disk(&self) -> bool {
        self.bio().is_some_and(|bio| bio.is_of_whole_disk())
    }

    /// Returns the number of its hardware queue.
    #[inline(always)]
    pub(crate) fn hardware_queue(&self) -> u16 {
        let queue = read!(self, mq_hctx);
        if queue.is_null() {
            return 0;
        }
        // SAFETY: A request is allocated for a hardware queue of its disk, which lives longer than the request.
        // CAST: Far below 2^16.
        unsafe { core::ptr::addr_of!((*queue).queue_num).read() as u16 }
    }

    /// Returns its `REQ_OP_*`.
    #[inline(always)]
    pub(crate) fn op(&self) -> u8 {
        op(read!(self, cmd_flags))
    }

    /// Returns whether it is anything but a read or a write without a preflush, forced unit access or `REQ_DRV`.
    #[inline(always)]
    pub(crate) fn is_special(&self) -> bool {
        // All bits of the operation except the lowest, which is 0 for a read and 1 for a write.
        const OTHERS: u32 = (1 << bindings::REQ_OP_BITS) - 2;
        const FLAGS: u32 = 1 << bindings::req_flag_bits___REQ_PREFLUSH
            | 1 << bindings::req_flag_bits___REQ_FUA
            | 1 << bindings::req_flag_bits___REQ_DRV;
        read!(self, cmd_flags) & (OTHERS | FLAGS) != 0
    }

    /// Returns whether it moves data to the device: `op_is_write()`.
    #[inline(always)]
    pub(crate) fn is_write(&self) -> bool {
        read!(self, cmd_flags) & 1 != 0
    }

    /// Returns whether it has a preflush or forced unit access.
    #[inline(always)]
    pub(crate) fn is_flush(&self) -> bool {
        is_flush(read!(self, cmd_flags))
    }

    /// Returns whether it is synchronous.
    pub(crate) fn is_sync(&self) -> bool {
        is_sync(read!(self, cmd_flags))
    }

    /// Returns the remaining bytes: `blk_rq_bytes()`.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        read!(self, __data_len)
    }

    /// Returns the first remaining sector: `blk_rq_pos()`.
    #[inline(always)]
    pub(crate) fn sector(&self) -> u64 {
        read!(self, __sector)
    }

    /// Returns whether there are remaining bios.
    #[inline(always)]
    pub(crate) fn has_bio(&self) -> bool {
        !read!(self, bio).is_null()
    }

    /// Returns its first bio, if that has a block device: bios of passthrough requests may have none.
    pub(crate) fn bio(&self) -> Option<RequestBio<'_>> {
        let bio = read!(self, bio);
        // SAFETY: It is null or a bio of this request. The bios of a request live until its completion has been
        // traced, and the returned view borrows this one.
        unsafe { RequestBio::of_request(bio) }
    }

    /// Returns its first bio.
    ///
    /// # Safety
    ///
    /// It is a read or write, whose bios have a block device, for which it has been accepted.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    #[inline(always)]
    pub(crate) unsafe fn first_bio(&self) -> Option<RequestBio<'a>> {
        let bio = NonNull::new(read!(self, bio))?;
        // SAFETY: A bio of this request, as in `bio`, with a block device by this function's requirement.
        Some(unsafe { RequestBio::from_raw(bio) })
    }

    /// Returns whether it has the driver's flag `REQ_DRV`. nvme sets it on bios that were submitted to a
    /// multipath disk, which passes them on unchanged.
    #[inline(always)]
    pub(crate) fn has_req_drv(&self) -> bool {
        read!(self, cmd_flags) & (1 << bindings::req_flag_bits___REQ_DRV) != 0
    }

    /// Returns whether it is the data step of a flush sequence: `RQF_FLUSH_SEQ` on a request that is not the
    /// flush itself.
    #[inline(always)]
    pub(crate) fn is_flush_sequence(&self) -> bool {
        read!(self, rq_flags) & (1 << bindings::rqf_flags___RQF_FLUSH_SEQ) != 0
            && u32::from(self.op()) != bindings::req_op_REQ_OP_FLUSH
    }

    /// Returns the address of the function that is called when it completes, or 0.
    pub(crate) fn end_io(&self) -> u64 {
        read!(self, end_io).map_or(0, |function| function as usize as u64)
    }
}

/// Returns the address of the disk that a request is sent to; 0 if its queue has no disk, before or after the disk exists.
///
/// # Safety
///
/// The request is alive, or the caller has a reference to it.
#[inline(always)]
pub(crate) unsafe fn disk_of_request(rq: NonNull<bindings::request>) -> u64 {
    // SAFETY: By this function's requirement the request is not freed. The requests of a queue stay its requests, and the
    // queue lives longer.
    unsafe { disk_of_queue(core::ptr::addr_of!((*rq.as_ptr()).q).read()) }
}

/// Returns the deadline of a request, in jiffies, if it is in flight and its timeout has not been handled: as
/// `blk_mq_req_expired()`. Other threads may complete the request meanwhile.
///
/// # Safety
///
/// The caller has a reference to the request.
pub(crate) unsafe fn pending_deadline(rq: NonNull<bindings::request>) -> Option<Jiffies> {
    const TIMED_OUT: u32 = 1 << bindings::rqf_flags___RQF_TIMED_OUT;
    let rq = rq.as_ptr();
    // SAFETY: By the requirement of this function the request is not freed. These members are written in one access each.
    let (state, flags, deadline) = unsafe {
        (
            core::ptr::addr_of!((*rq).state).read_volatile(),
            core::ptr::addr_of!((*rq).rq_flags).read_volatile(),
            core::ptr::addr_of!((*rq).deadline).read_volatile(),
        )
    };
    let is_pending = state == bindings::mq_rq_state_MQ_RQ_IN_FLIGHT && flags & TIMED_OUT == 0;
    is_pending.then_some(deadline)
}
