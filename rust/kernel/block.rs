// SPDX-License-Identifier: GPL-2.0

//! Read-only views of structures of the block layer. Nothing is written through them.

use kernel::bindings;

/// Reads one member of the structure that a view refers to. No reference to the whole structure is made,
/// because other CPUs change other members.
macro_rules! read {
    ($view:expr, $($field:ident).+) => {
        // SAFETY: By the invariants of the view the structure is alive, and this member does not change.
        unsafe { core::ptr::addr_of!((*$view.ptr.as_ptr()).$($field).+).read() }
    };
    // Reads one member of the block device that a bio is sent to.
    ($view:expr, bdev $($field:ident).+) => {{
        let bdev = read!($view, bi_bdev);
        // SAFETY: By the invariants of the view there is a block device, which the submitter holds, and this
        // member does not change.
        unsafe { core::ptr::addr_of!((*bdev).$($field).+).read() }
    }};
    // Reads one member of the disk of a block device.
    ($view:expr, disk $($field:ident).+) => {{
        let disk = read!($view, bd_disk);
        // SAFETY: By the invariants of the view the block device has a disk, which lives as long, and this
        // member does not change.
        unsafe { core::ptr::addr_of!((*disk).$($field).+).read() }
    }};
    // Reads one member of the queue of the disk of a block device.
    ($view:expr, queue $($field:ident).+) => {{
        let queue = read!($view, disk queue);
        // SAFETY: By the invariants of the view the disk has a queue for as long. The driver may change this member at
        // the same time: it is an integer or a pointer, and both values are right.
        unsafe { core::ptr::addr_of!((*queue).$($field).+).read_volatile() }
    }};
}

pub(crate) mod bio;
pub(crate) mod device;
pub(crate) mod request;

/// Returns the address of the disk of a queue; 0 if it has none, before or after the disk exists.
///
/// # Safety
///
/// There is a queue at `queue`.
#[inline(always)]
pub(crate) unsafe fn disk_of_queue(queue: *mut bindings::request_queue) -> u64 {
    // A disk may be allocated for the queue at this time, as for the SCSI commands that probe a device: hence
    // volatile, as READ_ONCE().
    //
    // SAFETY: By this function's requirement; the pointer to the disk is aligned, and is not dereferenced.
    unsafe { core::ptr::addr_of!((*queue).disk).read_volatile() as u64 }
}

/// Returns the `REQ_OP_*` in `opf`.
#[inline(always)]
fn op(opf: bindings::blk_opf_t) -> u8 {
    // CAST: The mask leaves eight bits.
    (opf & ((1 << bindings::REQ_OP_BITS) - 1)) as u8
}

/// Returns whether `opf` has a preflush or forced unit access: `op_is_flush()`.
#[inline(always)]
fn is_flush(opf: bindings::blk_opf_t) -> bool {
    const FLAGS: u32 =
        1 << bindings::req_flag_bits___REQ_FUA | 1 << bindings::req_flag_bits___REQ_PREFLUSH;
    opf & FLAGS != 0
}

/// Returns whether the I/O is synchronous: `op_is_sync()`.
#[inline]
fn is_sync(opf: bindings::blk_opf_t) -> bool {
    const FLAGS: u32 = 1 << bindings::req_flag_bits___REQ_SYNC
        | 1 << bindings::req_flag_bits___REQ_FUA
        | 1 << bindings::req_flag_bits___REQ_PREFLUSH;
    u32::from(op(opf)) == bindings::req_op_REQ_OP_READ || opf & FLAGS != 0
}

/// Converts a block status to a positive errno.
pub(crate) fn errno(status: bindings::blk_status_t) -> i32 {
    // SAFETY: It looks up a number in a table, and accepts any number.
    unsafe { bindings::blk_status_to_errno(status) }.saturating_neg()
}
