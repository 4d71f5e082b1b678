// SPDX-License-Identifier: GPL-2.0

//! Numbers with a bound, which index arrays of that length without a check.
//!
//! This file does not use the kernel: floor 0 uses it on the host as well.

use crate::hint::{
    opaque,
    opaque_ptr, //
};
use core::ptr::from_ref;

/// A number below `N`.
///
/// # Invariants
///
/// The number is below `N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Below<const N: usize>(u8);

impl<const N: usize> Below<N> {
    /// [`None`] if the number is not below `N`, or is above 255.
    pub(crate) const fn new(number: usize) -> Option<Self> {
        if number < N && number <= u8::MAX as usize {
            // INVARIANT: As just seen.
            Some(Below(number as u8))
        } else {
            None
        }
    }

    /// The number.
    pub(crate) fn number(self) -> usize {
        usize::from(self.0)
    }

    /// The element with this number, or with the next number if `next`. The array must have more
    /// than `N` elements.
    #[inline(always)]
    pub(crate) fn this_or_next<T, const M: usize>(self, next: bool, array: &[T; M]) -> &T {
        const { assert!(N < M) };
        let number = opaque(u64::from(self.0)) as usize;
        // SAFETY: By the type invariant the number is below `N`, so one more is below the length.
        unsafe { array.get_unchecked(number.wrapping_add(usize::from(next))) }
    }
}

/// An index of one of two elements.
///
/// # Invariants
///
/// The index is 0 or 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bit(u64);

impl Bit {
    /// 1 if `is_second`.
    #[inline(always)]
    pub(crate) fn of(is_second: bool) -> Self {
        // INVARIANT: A `bool` is one of these.
        Bit(opaque(u64::from(is_second)))
    }

    /// As [`Bit::half`], for an array inside `whole`. The compiler keeps the address without the offset of the array in a
    /// register, and encodes that offset as the displacement of each instruction that uses the result.
    #[inline(always)]
    pub(crate) fn half_within<'a, W, T, const N: usize>(
        self,
        whole: &W,
        array: &'a [T; N],
    ) -> &'a T {
        const { assert!(N >= 2) };
        let index = (self.0 as usize).wrapping_mul(N / 2);
        let array = from_ref(array).cast::<T>();
        let offset = (array as usize).wrapping_sub(from_ref(whole) as usize);
        let shifted = opaque_ptr(array.wrapping_byte_sub(offset).wrapping_add(index));
        // SAFETY: By the type invariant the index is not above half of the length, which is not 0; the offset is taken
        // away and added again.
        unsafe { &*shifted.wrapping_byte_add(offset) }
    }

    /// The first element of one half of an array.
    #[inline(always)]
    pub(crate) fn half<T, const N: usize>(self, array: &[T; N]) -> &T {
        const { assert!(N >= 2) };
        let index = (self.0 as usize).wrapping_mul(N / 2);
        // SAFETY: By the type invariant the index is not above half of the length, which is not 0.
        unsafe { array.get_unchecked(index) }
    }
}

/// The number of the highest bit of a number of 32 bits, or `LEAST` if that is higher.
///
/// # Invariants
///
/// The number is from `LEAST` to 31.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HighestBit<const LEAST: u32>(u64);

impl<const LEAST: u32> HighestBit<LEAST> {
    /// The number of possible values.
    pub(crate) const COUNT: usize = 32 - LEAST as usize;

    /// The highest bit of this number, or `LEAST`.
    #[inline(always)]
    pub(crate) fn of(number: u32) -> Self {
        let number = number | 1 << LEAST;
        // INVARIANT: Bit `LEAST` is set.
        HighestBit(opaque(u64::from(31 ^ number.leading_zeros())))
    }

    /// From 0 on.
    pub(crate) fn number(self) -> usize {
        // CAST: Not above 31.
        (self.0 as usize).wrapping_sub(LEAST as usize)
    }

    /// Returns element `which` of the row of this number.
    #[cfg(not(loom))]
    #[inline(always)]
    pub(crate) fn one_of_two<T, const ROWS: usize>(self, which: Bit, rows: &[[T; 2]; ROWS]) -> &T {
        const { assert!(ROWS >= Self::COUNT) };
        let first = from_ref(rows).cast::<T>();
        // The index takes one instruction; the instruction that uses the result encodes the rest of the address.
        let index = opaque(self.0.wrapping_mul(2).wrapping_add(which.0));
        // CAST: Not above 63.
        let number = (index as usize).wrapping_sub(2 * LEAST as usize);
        // SAFETY: By the type invariants, the row is one of `ROWS`, and it has two elements.
        unsafe { &*first.wrapping_add(number) }
    }
}

/// The length of an array that is indexed by [`Eighth`]. An octave, from a power of two to the next, has eight eighths.
pub(crate) const EIGHTHS: usize = 8 * 64 + 16;

/// In which eighth of an octave a number is: eight times the number of its highest bit, and then the highest bit and
/// the three below as a number. Below 8 all numbers are in the eighth of 8. From 2^61 on
/// the shift drops high bits: a number is then in some eighth from 8 * 61 on.
///
/// # Invariants
///
/// Below [`EIGHTHS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eighth(usize);

impl Eighth {
    /// The eighth of this number.
    #[inline(always)]
    pub(crate) fn of(number: u64) -> Self {
        // With a bit set there is a highest one.
        let number = number | 8;
        let highest = opaque(63 ^ u64::from(number.leading_zeros()));
        // CAST: Not above 63.
        let eighth = (number << 3).wrapping_shr(highest as u32);
        // INVARIANT: The highest bit is not above 63, and behind it are three bits: 8 * 63 + 15.
        // CAST: Far below 2^32.
        Eighth(opaque(eighth.wrapping_add(highest.wrapping_mul(8))) as usize)
    }

    /// The eighth that contains 8.
    pub(crate) const LEAST: usize = 32;

    /// The last whose numbers are in no other.
    pub(crate) const MOST: usize = 8 * 60 + 7;

    /// The first number in an eighth, from [`Eighth::LEAST`] to [`Eighth::MOST`].
    pub(crate) const fn first(eighth: usize) -> u64 {
        (8 + eighth as u64 % 8) << ((eighth - 32) / 8)
    }

    /// The element for this eighth.
    #[inline(always)]
    pub(crate) fn element<T>(self, array: &[T; EIGHTHS]) -> &T {
        // SAFETY: By the type invariant.
        unsafe { array.get_unchecked(self.0) }
    }
}
