// SPDX-License-Identifier: GPL-2.0

//! Large arrays of zeroed values.

use core::sync::atomic::{
    AtomicPtr,
    AtomicU32,
    AtomicU64, //
};
use kernel::{
    alloc::{
        flags::{
            GFP_KERNEL,
            GFP_KERNEL_ACCOUNT, //
            __GFP_ZERO,
        },
        Flags,
        KVVec, //
    },
    prelude::*, //
};

/// Types for which all bytes zero is a valid value.
///
/// # Safety
///
/// A value of all zero bytes is valid.
pub(crate) unsafe trait Zeroed {}

// SAFETY: An integer.
unsafe impl Zeroed for u64 {}
// SAFETY: An integer.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: An integer.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: Two integers.
unsafe impl Zeroed for (u64, usize) {}
// SAFETY: Null.
unsafe impl<T> Zeroed for AtomicPtr<T> {}
// SAFETY: Zero is valid for each of them.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// Allocates `len` zeroed values. May sleep; `ENOMEM`.
pub(crate) fn zeroed_vec<T: Zeroed>(len: usize) -> Result<KVVec<T>> {
    zeroed_vec_with(len, GFP_KERNEL)
}

/// Allocates `len` zeroed values that are charged to the memory cgroup of the task. May sleep; `ENOMEM`.
pub(crate) fn zeroed_vec_charged<T: Zeroed>(len: usize) -> Result<KVVec<T>> {
    zeroed_vec_with(len, GFP_KERNEL_ACCOUNT)
}

fn zeroed_vec_with<T: Zeroed>(len: usize, flags: Flags) -> Result<KVVec<T>> {
    // Zeroed by the allocator: most kernels clear allocated memory anyway, and clearing it a second time
    // would cost as much.
    let mut vec = KVVec::<T>::with_capacity(len, flags | __GFP_ZERO)?;
    // SAFETY: `with_capacity` made room for `len` elements in memory of its own, which `__GFP_ZERO` has set
    // to zero, a valid value by `T: Zeroed`.
    unsafe { vec.inc_len(len) };
    Ok(vec)
}
