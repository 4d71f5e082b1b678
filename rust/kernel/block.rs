// SPDX-License-Identifier: GPL-2.0

//! Read-only views of the block layer's structures. Nothing is ever written through them.

use kernel::bindings;

/// Reads one field of the structure a view is of. No reference to the whole is made: other CPUs
/// change other fields of it.
macro_rules! read {
    ($view:expr, $($field:ident).+) => {
        // SAFETY: By the view's invariants the structure is alive, and this field does not change.
        unsafe { core::ptr::addr_of!((*$view.ptr.as_ptr()).$($field).+).read() }
    };
    // The same of the block device a bio goes to.
    ($view:expr, bdev $($field:ident).+) => {{
        let bdev = read!($view, bi_bdev);
        // SAFETY: By the view's invariants there is one, which its submitter holds, and this field
        // does not change.
        unsafe { core::ptr::addr_of!((*bdev).$($field).+).read() }
    }};
}
use read;

pub(crate) mod bio;
pub(crate) mod device;
pub(crate) mod request;

/// The `REQ_OP_*` in `opf`.
#[inline(always)]
fn op(opf: bindings::blk_opf_t) -> u8 {
    // CAST: The mask leaves eight bits.
    (opf & ((1 << bindings::REQ_OP_BITS) - 1)) as u8
}

/// Whether `opf` asks for a cache flush before or a forced unit access: `op_is_flush()`.
#[inline(always)]
fn is_flush(opf: bindings::blk_opf_t) -> bool {
    const FLAGS: u32 =
        1 << bindings::req_flag_bits___REQ_FUA | 1 << bindings::req_flag_bits___REQ_PREFLUSH;
    opf & FLAGS != 0
}

/// Whether somebody waits: `op_is_sync()`.
#[inline]
fn is_sync(opf: bindings::blk_opf_t) -> bool {
    const FLAGS: u32 = 1 << bindings::req_flag_bits___REQ_SYNC
        | 1 << bindings::req_flag_bits___REQ_FUA
        | 1 << bindings::req_flag_bits___REQ_PREFLUSH;
    op(opf) == crate::acct::class::op::READ || opf & FLAGS != 0
}

/// A block status as a positive errno.
pub(crate) fn errno(status: bindings::blk_status_t) -> i32 {
    // SAFETY: Looks a number up in a table; any number will do.
    unsafe { bindings::blk_status_to_errno(status) }.saturating_neg()
}

/// Floor 0 knows the kernel's numbers by value.
const _: () = {
    use crate::acct::class::op;
    assert!(op::READ as u32 == bindings::req_op_REQ_OP_READ);
    assert!(op::WRITE as u32 == bindings::req_op_REQ_OP_WRITE);
    assert!(op::FLUSH as u32 == bindings::req_op_REQ_OP_FLUSH);
    assert!(op::DISCARD as u32 == bindings::req_op_REQ_OP_DISCARD);
    assert!(op::SECURE_ERASE as u32 == bindings::req_op_REQ_OP_SECURE_ERASE);
    assert!(op::ZONE_APPEND as u32 == bindings::req_op_REQ_OP_ZONE_APPEND);
    assert!(op::WRITE_ZEROES as u32 == bindings::req_op_REQ_OP_WRITE_ZEROES);
    assert!(op::ZONE_OPEN as u32 == bindings::req_op_REQ_OP_ZONE_OPEN);
    assert!(op::ZONE_CLOSE as u32 == bindings::req_op_REQ_OP_ZONE_CLOSE);
    assert!(op::ZONE_FINISH as u32 == bindings::req_op_REQ_OP_ZONE_FINISH);
    assert!(op::ZONE_RESET as u32 == bindings::req_op_REQ_OP_ZONE_RESET);
    assert!(op::ZONE_RESET_ALL as u32 == bindings::req_op_REQ_OP_ZONE_RESET_ALL);
    assert!(op::DRV_IN as u32 == bindings::req_op_REQ_OP_DRV_IN);
    assert!(op::DRV_OUT as u32 == bindings::req_op_REQ_OP_DRV_OUT);
};
