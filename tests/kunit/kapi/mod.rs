// SPDX-License-Identifier: GPL-2.0

//! Tests of the kernel API: tables of their own, which no client knows. A part of [`crate::kapi`],
//! whose own they use.

mod cells;
mod devstat;
mod evcnt;
mod kstat;

use crate::kernel_ext::{
    bindings as own,
    module::Owner, //
};

/// Two who may be a client: the kernel, and this module.
fn owners() -> (Owner, Owner) {
    // SAFETY: Null is the kernel, and this module is there while its tests run.
    unsafe {
        (
            Owner::from_raw(core::ptr::null_mut()),
            Owner::from_raw(own::iostat_this_module().cast()),
        )
    }
}
