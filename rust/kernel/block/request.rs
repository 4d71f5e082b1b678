// SPDX-License-Identifier: GPL-2.0

//! Requests, as tracepoints show them.
//!
//! C header: [`include/linux/blk-mq.h`](srctree/include/linux/blk-mq.h).

use super::{
    bio::Bio,
    is_flush,
    is_sync,
    op,
    read, //
};
use crate::acct::class::Class;
use core::{
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::bindings;

/// A `struct request` whose owner called a tracepoint with it.
///
/// # Invariants
///
/// `ptr` is a request with a queue; for `'a` it is alive, and its fields do not change.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    ptr: NonNull<bindings::request>,
    _alive: PhantomData<&'a bindings::request>,
}

impl crate::acct::fast::Request for Request<'_> {
    #[inline(always)]
    fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    #[inline(always)]
    fn queue(&self) -> u64 {
        read!(self, q) as u64
    }

    #[inline(always)]
    fn block_device(&self) -> u64 {
        Request::block_device(self)
    }

    #[inline(always)]
    fn class(&self) -> Class {
        // That of one with data.
        Class::of(self.op(), 1)
    }

    #[inline(always)]
    fn sector(&self) -> u64 {
        Request::sector(self)
    }

    #[inline(always)]
    fn bytes(&self) -> u32 {
        read!(self, __data_len)
    }

    #[inline(always)]
    fn is_special(&self) -> bool {
        // All bits of the operation but the lowest, which is 0 for a read and 1 for a write.
        const OTHERS: u32 = (1 << bindings::REQ_OP_BITS) - 2;
        const FLAGS: u32 = 1 << bindings::req_flag_bits___REQ_PREFLUSH
            | 1 << bindings::req_flag_bits___REQ_FUA
            | 1 << bindings::req_flag_bits___REQ_DRV;
        read!(self, cmd_flags) & (OTHERS | FLAGS) != 0
    }

    #[inline(always)]
    fn is_write(&self) -> bool {
        read!(self, cmd_flags) & 1 != 0
    }
}

impl<'a> Request<'a> {
    /// # Safety
    ///
    /// `ptr` is the argument of a block tracepoint, and the value does not outlive the probe's
    /// call.
    #[inline(always)]
    pub(crate) unsafe fn from_raw(ptr: NonNull<bindings::request>) -> Self {
        // INVARIANT: The caller of a tracepoint owns the request for the duration of the call.
        Request {
            ptr,
            _alive: PhantomData,
        }
    }

    /// Its address, for as long as it is in flight its own.
    #[inline(always)]
    pub(crate) fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// Address of the disk it goes to; 0 if the queue has none (yet, or any more).
    #[inline(always)]
    pub(crate) fn disk(&self) -> u64 {
        let queue = read!(self, q);
        // SAFETY: A request has a queue; the disk pointer is only taken as a number.
        unsafe { core::ptr::addr_of!((*queue).disk).read() as u64 }
    }

    /// Address of the partition or whole disk that its first bio was submitted to, or 0.
    #[inline(always)]
    pub(crate) fn block_device(&self) -> u64 {
        let bio = read!(self, bio);
        if bio.is_null() {
            return 0;
        }
        // SAFETY: The bios of a request live until its completion has been traced; the block device is
        // only taken as a number.
        unsafe { core::ptr::addr_of!((*bio).bi_bdev).read() as u64 }
    }

    /// Whether its first bio was submitted to a whole disk.
    pub(crate) fn is_of_whole_disk(&self) -> bool {
        self.bio().is_some_and(|bio| bio.is_of_whole_disk())
    }

    /// Number of the hardware queue it goes through.
    #[inline(always)]
    pub(crate) fn hardware_queue(&self) -> u16 {
        let queue = read!(self, mq_hctx);
        if queue.is_null() {
            return 0;
        }
        // SAFETY: A request is allocated for a hardware queue of its disk, which stays for as long.
        // CAST: Far below 2^16.
        unsafe { core::ptr::addr_of!((*queue).queue_num).read() as u16 }
    }

    /// `REQ_OP_*`.
    #[inline(always)]
    pub(crate) fn op(&self) -> u8 {
        op(read!(self, cmd_flags))
    }

    /// Whether a cache flush or forced unit access comes with it.
    #[inline(always)]
    pub(crate) fn is_flush(&self) -> bool {
        is_flush(read!(self, cmd_flags))
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_sync(&self) -> bool {
        is_sync(read!(self, cmd_flags))
    }

    /// Bytes that remain to be done: `blk_rq_bytes()`.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        read!(self, __data_len)
    }

    /// First sector that remains to be done: `blk_rq_pos()`.
    #[inline(always)]
    pub(crate) fn sector(&self) -> u64 {
        read!(self, __sector)
    }

    /// Whether it has bios left.
    #[inline(always)]
    pub(crate) fn has_bio(&self) -> bool {
        !read!(self, bio).is_null()
    }

    /// Its first bio, if that has a block device: the bios of passthrough requests may not.
    pub(crate) fn bio(&self) -> Option<Bio<'_>> {
        let bio = read!(self, bio);
        // SAFETY: A bio of this request or null. The bios of a request live until its completion has been
        // traced, and the view borrows this one.
        unsafe { Bio::of_request(bio) }
    }

    /// Whether it carries its driver's own flag: `REQ_DRV`. nvme sets it on bios that were submitted to
    /// a multipath disk, and that disk passed on as they are.
    #[inline(always)]
    pub(crate) fn is_marked(&self) -> bool {
        read!(self, cmd_flags) & (1 << bindings::req_flag_bits___REQ_DRV) != 0
    }

    /// Whether it is the data step of a flush sequence: `RQF_FLUSH_SEQ`, on something else than
    /// the flush itself.
    #[inline(always)]
    pub(crate) fn is_flush_sequence(&self) -> bool {
        read!(self, rq_flags) & (1 << bindings::rqf_flags___RQF_FLUSH_SEQ) != 0
            && self.op() != crate::acct::class::op::FLUSH
    }

    /// Address of the function called at its end, or 0.
    pub(crate) fn end_io(&self) -> u64 {
        read!(self, end_io).map_or(0, |function| function as usize as u64)
    }
}
