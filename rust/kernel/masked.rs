// SPDX-License-Identifier: GPL-2.0

//! An array whose length is a power of two, with elements found by a hash.

use kernel::{
    alloc::KVVec,
    error::code::EINVAL,
    prelude::*, //
};

/// An array of elements. Their size and their number are powers of two.
///
/// # Invariants
///
/// `mask` is the size of all `values` in bytes less the size of one, and `first` is their address; both sizes are
/// powers of two.
pub(crate) struct Masked<T> {
    first: *const T,
    mask: u64,
    values: KVVec<T>,
}

// SAFETY: Gives out `&T` and `&mut T` as a vector does; `first` is the vector's own.
unsafe impl<T: Send> Send for Masked<T> {}
// SAFETY: As above.
unsafe impl<T: Sync> Sync for Masked<T> {}

impl<T> Masked<T> {
    const SIZE: usize = {
        assert!(size_of::<T>().is_power_of_two());
        size_of::<T>()
    };

    /// Creates an array. `EINVAL` unless the number of `values` is a power of two.
    pub(crate) fn new(values: KVVec<T>) -> Result<Self> {
        if !values.len().is_power_of_two() {
            return Err(EINVAL);
        }
        let bytes = values.len().saturating_mul(Self::SIZE);
        // INVARIANT: As just asserted. A vector's values stay where they are when it is moved.
        Ok(Masked {
            first: values.as_ptr(),
            mask: bytes.saturating_sub(Self::SIZE) as u64,
            values,
        })
    }

    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    /// The element whose number is the bits of `hash` from `SHIFT` on, modulo the length.
    #[inline(always)]
    pub(crate) fn by_hash<const SHIFT: u32>(&self, hash: u64) -> &T {
        let offset = hash >> const { SHIFT - Self::SIZE.trailing_zeros() } & self.mask;
        // CAST: Not more than the mask, which was a `usize`.
        let element = self.first.wrapping_byte_add(offset as usize);
        // SAFETY: By the type invariant the offset is a multiple of the size of an element, below that of all.
        unsafe { &*element }
    }

    /// All elements.
    #[inline(always)]
    pub(crate) fn all(&self) -> &[T] {
        &self.values
    }
}
