// SPDX-License-Identifier: GPL-2.0

//! One word of a per-CPU record.

use crate::sync::{
    read_by_owner,
    AtomicU32,
    AtomicU64,
    Ordering::Relaxed, //
};

/// A 64-bit counter with one writer at a time and any number of readers.
///
/// The writer is the CPU that owns the record, with interrupts off; so an addition is a plain
/// load and store (one unlocked `add` on x86), never a locked operation. Readers take it under
/// the record's sequence count. Additions wrap: time sums pass through zero on purpose (see
/// [`super::queue`]), and a count of 64 bits does not wrap in practice.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds `value`, wrapping. Owner only.
    #[inline(always)]
    pub fn add(&self, value: u64) {
        self.0
            .store(self.0.load(Relaxed).wrapping_add(value), Relaxed);
    }

    /// Replaces the value. Owner only.
    #[inline(always)]
    pub fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    /// The value now.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// The value, for its owner, where the load can be part of another instruction.
    #[inline(always)]
    pub fn own(&self) -> u64 {
        read_by_owner(&self.0)
    }
}

/// The low 32 bits of a count, with one writer at a time: see [`super::histogram::Bases`].
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Low(AtomicU32);

impl Low {
    /// Counts one more, wrapping. Owner only.
    #[inline(always)]
    pub fn add_one(&self) {
        self.add(1);
    }

    /// Counts `more`, wrapping. Owner only.
    #[inline(always)]
    pub fn add(&self, more: u32) {
        self.0
            .store(self.0.load(Relaxed).wrapping_add(more), Relaxed);
    }

    /// The value now.
    #[inline(always)]
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    /// The whole count, which is less than 2^31 away from `base`.
    #[inline(always)]
    pub fn above(&self, base: u64) -> u64 {
        near(base, self.get())
    }
}

/// The whole count that is less than 2^31 away from `base` and has these low 32 bits.
#[inline(always)]
pub fn near(base: u64, low: u32) -> u64 {
    // CAST: The low half; and signed: the base may be ahead.
    let distance = low.wrapping_sub(base as u32) as i32;
    base.wrapping_add_signed(i64::from(distance))
}

/// Half of a word of 64 bits, with one writer at a time.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Half(AtomicU32);

impl Half {
    /// Replaces the value. Owner only.
    #[inline(always)]
    pub fn set(&self, value: u32) {
        self.0.store(value, Relaxed);
    }

    /// The value now.
    #[inline(always)]
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }
}

/// A plain copy of anything made of [`Counter`]s.
pub trait Load {
    /// The type with `u64` in place of [`Counter`].
    type Plain;

    /// Copies word by word.
    fn load(&self) -> Self::Plain;
}

impl Load for Counter {
    type Plain = u64;

    fn load(&self) -> u64 {
        self.get()
    }
}

impl<const N: usize> Load for [Counter; N] {
    type Plain = [u64; N];

    fn load(&self) -> [u64; N] {
        self.each_ref().map(Counter::get)
    }
}

/// Adds `from` to `into` word by word, wrapping. Owner only.
pub(super) fn add<const N: usize>(into: &[Counter; N], from: &[u64; N]) {
    for (into, from) in into.iter().zip(from) {
        into.add(*from);
    }
}

/// Adds `from` to `into` word by word, wrapping.
pub(super) fn fold<const N: usize>(into: &mut [u64; N], from: &[u64; N]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into = into.wrapping_add(*from);
    }
}
