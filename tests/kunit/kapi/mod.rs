// SPDX-License-Identifier: GPL-2.0

//! Tests of the kernel API. They use tables of their own, which clients do not use, and are a part of
//! [`crate::kapi`] in order to use its private items.

mod cells;
mod devstat;
mod evcnt;
mod kstat;

use crate::kernel_ext::{
    bindings as own,
    module::Owner, //
};

/// Returns two owners: the kernel and this module.
fn owners() -> (Owner, Owner) {
    // SAFETY: Null stands for the kernel, and this module is loaded while its tests run.
    unsafe {
        (
            Owner::from_raw(core::ptr::null_mut()),
            Owner::from_raw(own::iostat_this_module().cast()),
        )
    }
}
