// SPDX-License-Identifier: GPL-2.0

//! Dynamically allocated per-CPU values.
//!
//! C header: [`include/linux/percpu.h`](srctree/include/linux/percpu.h).

use super::{
    bindings as own,
    zeroed::{
        zeroed_vec,
        Zeroed, //
    }, //
};
use crate::acct::{
    counter::Counter,
    record::CpuRecord, //
};
use core::{
    marker::PhantomData,
    mem::{
        align_of,
        size_of, //
    },
    ptr::NonNull,
    sync::atomic::{
        AtomicPtr,
        Ordering::Relaxed, //
    },
};
use kernel::{
    alloc::KVVec,
    bindings,
    page::PAGE_SIZE,
    prelude::*,
    types::NotThreadSafe, //
};

/// A section of code that cannot leave its CPU nor be interrupted there.
#[derive(Clone, Copy)]
pub(crate) struct ThisCpu<'a> {
    slot: usize,
    _section: PhantomData<&'a ()>,
    _not_send: NotThreadSafe,
}

impl ThisCpu<'_> {
    /// # Safety
    ///
    /// Interrupts are off for as long as the value lives, and `slot` is [`SLOT`] times the number of the CPU
    /// the code runs on.
    #[inline(always)]
    pub(crate) unsafe fn new(slot: usize) -> Self {
        ThisCpu {
            slot,
            _section: PhantomData,
            _not_send: NotThreadSafe,
        }
    }
}

impl ThisCpu<'_> {
    /// Where its part is in memory that has one of [`SLOT`] bytes for each CPU.
    #[inline(always)]
    pub(super) fn slot(self) -> usize {
        self.slot
    }
}

/// From one CPU's record of a disk to the next, bytes: whole pages, which can be mapped.
pub(crate) const SLOT: usize = size_of::<CpuRecord>().next_multiple_of(PAGE_SIZE);

/// From here on probes are told the slot of their CPU. Before any probe is registered.
pub(crate) fn set_slots() {
    // SAFETY: Writes to variables of its own, which nobody reads yet.
    unsafe { own::iostat_set_slots(SLOT) };
}

/// Where each possible CPU's `T` is, found by its slot.
///
/// # Invariants
///
/// There is a word for each page of each CPU's slot, and the first of a possible CPU's points to a valid `T`.
struct BySlot<T>(KVVec<AtomicPtr<T>>);

impl<T> BySlot<T> {
    /// Words of one CPU.
    const WORDS: usize = SLOT / PAGE_SIZE;

    /// May sleep; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// There are as many `values` as possible CPUs, and a valid `T` at each, for as long as they are found.
    unsafe fn new(values: impl Iterator<Item = *mut T>) -> Result<Self> {
        let words = zeroed_vec::<AtomicPtr<T>>(nr_cpu_ids().saturating_mul(Self::WORDS))?;
        for (cpu, value) in possible_cpus().zip(values) {
            if let Some(word) = words.get(cpu.wrapping_mul(Self::WORDS)) {
                word.store(value, Relaxed);
            }
        }
        // INVARIANT: Each possible CPU is below `nr_cpu_ids`.
        Ok(BySlot(words))
    }

    #[inline(always)]
    fn this_cpu(&self, cpu: ThisCpu<'_>) -> *mut T {
        // SAFETY: A slot is that of a possible CPU, so by the type invariant there is a word.
        unsafe { &*self.0.as_ptr().add(cpu.slot / PAGE_SIZE) }.load(Relaxed)
    }
}

/// One more than the highest number of a CPU there can be.
pub(crate) fn nr_cpu_ids() -> usize {
    // SAFETY: Set once at boot.
    unsafe { core::ptr::addr_of!(bindings::nr_cpu_ids).read() as usize }
}

/// One `T` for each possible CPU, zeroed at first. Shared access only: `T` brings its own
/// interior mutability.
///
/// # Invariants
///
/// `ptr` is a per-CPU allocation of `size_of::<T>()` bytes, aligned for `T`, in which every
/// possible CPU's copy holds a valid `T`; `by_slot` finds these.
pub(crate) struct PerCpu<T> {
    by_slot: BySlot<T>,
    ptr: Copies<T>,
}

/// A per-CPU allocation, which may be that of any type.
struct Copies<T>(NonNull<T>);

impl<T> Copies<T> {
    /// Those of all possible CPUs.
    fn iter(&self) -> impl Iterator<Item = *mut T> + '_ {
        possible_cpus().map(|cpu| {
            // SAFETY: `cpu` is a possible CPU, so it has an offset, set at boot.
            let offset = unsafe {
                core::ptr::addr_of!(bindings::__per_cpu_offset)
                    .cast::<usize>()
                    .add(cpu)
                    .read()
            };
            self.0.as_ptr().wrapping_byte_add(offset)
        })
    }
}

impl<T> Drop for Copies<T> {
    fn drop(&mut self) {
        // SAFETY: A per-CPU allocation, and nothing refers to it any more.
        unsafe { bindings::free_percpu(self.0.as_ptr().cast()) };
    }
}

// SAFETY: Gives out `&T` only, from any thread.
unsafe impl<T: Send + Sync> Send for PerCpu<T> {}
// SAFETY: As above.
unsafe impl<T: Send + Sync> Sync for PerCpu<T> {}

impl<T: Zeroed + Sync> PerCpu<T> {
    /// Allocates. May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Self> {
        // Values are never dropped one by one.
        const { assert!(!core::mem::needs_drop::<T>()) };
        // SAFETY: Plain allocation; the result is checked.
        let ptr = unsafe {
            bindings::pcpu_alloc_noprof(
                size_of::<T>(),
                align_of::<T>(),
                false,
                bindings::GFP_KERNEL,
            )
        };
        let ptr = Copies(NonNull::new(ptr.cast::<T>()).ok_or(ENOMEM)?);
        // INVARIANT: `pcpu_alloc_noprof` returns zeroed memory of the size and alignment asked for,
        // and zero is a valid `T` by `T: Zeroed`.
        Ok(PerCpu {
            // SAFETY: As said; it goes with `ptr`.
            by_slot: unsafe { BySlot::new(ptr.iter()) }?,
            ptr,
        })
    }

    /// This CPU's value. No other code of this CPU can come in between.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a T {
        // SAFETY: By the type invariant this is that CPU's valid `T`, for as long as `self` lives.
        unsafe { &*self.by_slot.this_cpu(cpu) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.ptr.iter().map(|value| {
            // SAFETY: By the type invariant a valid `T` is there, for as long as `self` lives.
            unsafe { &*value }
        })
    }
}

impl<const N: usize> PerCpu<[Counter; N]> {
    /// Adds to one of this CPU's counters, wrapping; nothing if there is no such. In any context, NMIs
    /// excepted. None of these counters is ever changed in another way.
    #[inline(always)]
    pub(crate) fn add(&self, index: usize, value: u64) {
        if index < N {
            let counter = self.ptr.0.as_ptr().cast::<u64>().wrapping_add(index);
            // SAFETY: By the type invariant, the per-CPU pointer to one of `N` counters, each of them a
            // 64-bit word. The addition is one step as seen from its CPU, and others read the word as
            // the whole it is.
            unsafe { own::iostat_this_cpu_add(counter, value) };
        }
    }
}

/// As many `T`s as one likes for each possible CPU, zeroed at first. Shared access only.
///
/// # Invariants
///
/// `firsts` finds the first of `len` values, of one of `slices`.
pub(crate) struct PerCpuSlices<T> {
    firsts: BySlot<T>,
    len: usize,
    slices: KVec<KVVec<T>>,
}

impl<T: Zeroed + Sync> PerCpuSlices<T> {
    /// Allocates `len` for each. May sleep; `ENOMEM`.
    pub(crate) fn new(len: usize) -> Result<Self> {
        let mut slices = KVec::with_capacity(possible_cpus().count(), GFP_KERNEL)?;
        for _ in possible_cpus() {
            slices.push(zeroed_vec::<T>(len)?, GFP_KERNEL)?;
        }
        let firsts = slices.iter().map(|slice| slice.as_ptr().cast_mut());
        // SAFETY: One for each possible CPU. A vector's values stay where they are when it is moved.
        let firsts = unsafe { BySlot::new(firsts) }?;
        // INVARIANT: Just done.
        Ok(PerCpuSlices {
            firsts,
            len,
            slices,
        })
    }

    /// This CPU's values. No other code of this CPU can come in between.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a [T] {
        let first = self.firsts.this_cpu(cpu);
        // SAFETY: By the type invariant there are `len` values from there on; they live as long as `self`,
        // and nobody has them but shared.
        unsafe { core::slice::from_raw_parts(first, self.len) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.slices.iter().map(|slice| &slice[..])
    }
}

/// An array of elements that have a part for all CPUs, and a part for each.
///
/// # Invariants
///
/// There are as many values in `shared` as each CPU has in `own`.
pub(crate) struct SplitArray<S, T> {
    shared: KVVec<S>,
    own: PerCpuSlices<T>,
}

impl<S: Zeroed, T: Zeroed + Sync> SplitArray<S, T> {
    /// Allocates `len` elements, zeroed. May sleep; `ENOMEM`.
    pub(crate) fn new(len: usize) -> Result<Self> {
        // INVARIANT: `len` of both.
        Ok(SplitArray {
            shared: zeroed_vec(len)?,
            own: PerCpuSlices::new(len)?,
        })
    }

    /// Both parts of one element as this CPU has it.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, index: usize, cpu: ThisCpu<'a>) -> Option<(&'a S, &'a T)> {
        let own = self.own.this_cpu(cpu).get(index)?;
        // SAFETY: The index is below the number of this CPU's values, and by the type invariant there are
        // as many here.
        Some((unsafe { self.shared.get_unchecked(index) }, own))
    }

    /// The parts for all CPUs.
    pub(crate) fn shared(&self) -> &[S] {
        &self.shared
    }

    /// The parts for each.
    pub(crate) fn own(&self) -> &PerCpuSlices<T> {
        &self.own
    }
}

/// The numbers of all CPUs this machine may ever have.
pub(crate) fn possible_cpus() -> impl Iterator<Item = usize> {
    (0..nr_cpu_ids()).filter(|cpu| {
        // SAFETY: The mask is set once at boot and `cpu` is below `nr_cpu_ids`.
        unsafe {
            bindings::cpumask_test_cpu(
                *cpu as i32,
                core::ptr::addr_of_mut!(bindings::__cpu_possible_mask),
            )
        }
    })
}
