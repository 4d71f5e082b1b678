// SPDX-License-Identifier: GPL-2.0

//! Dynamically allocated per-CPU values.
//!
//! C header: [`include/linux/percpu.h`](srctree/include/linux/percpu.h).

use super::{
    bindings,
    zeroed::{
        zeroed_vec,
        Zeroed, //
    }, //
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
    prelude::*,
    types::NotThreadSafe, //
};

/// Proof that the code runs with interrupts off: it cannot leave its CPU, nor be interrupted there.
#[derive(Clone, Copy)]
pub(crate) struct ThisCpu<'a> {
    offset: usize,
    _section: PhantomData<&'a ()>,
    _not_send: NotThreadSafe,
}

impl ThisCpu<'_> {
    /// # Safety
    ///
    /// Interrupts are off for as long as the value lives.
    #[inline(always)]
    pub(crate) unsafe fn current() -> Self {
        // SAFETY: It takes no argument. The offset is that of this CPU for as long as interrupts are off.
        // CAST: As an address.
        unsafe { ThisCpu::new(bindings::my_cpu_offset() as usize) }
    }

    /// # Safety
    ///
    /// Interrupts are off for as long as the value lives, and `offset` is `__my_cpu_offset` of the CPU the code
    /// runs on.
    #[inline(always)]
    pub(crate) unsafe fn new(offset: usize) -> Self {
        ThisCpu {
            offset,
            _section: PhantomData,
            _not_send: NotThreadSafe,
        }
    }
}

impl ThisCpu<'_> {
    /// Returns a number that no other CPU has, a multiple of 4.
    #[inline(always)]
    pub(crate) fn number(self) -> u64 {
        // Each CPU has an offset of its own, and its unit of per-CPU memory begins at a page: a multiple of 4.
        self.offset as u64
    }
}

/// Calls `work` with interrupts off, on this CPU. `work` must not sleep. Any context.
pub(crate) fn with_interrupts_off<T>(work: impl FnOnce(ThisCpu<'_>) -> T) -> T {
    // SAFETY: The flags are restored below.
    let flags = unsafe { bindings::local_irq_save() };
    // SAFETY: Interrupts are off until `work` has returned.
    let result = work(unsafe { ThisCpu::current() });
    // SAFETY: These are the flags of above.
    unsafe { bindings::local_irq_restore(flags) };
    result
}

/// The highest number that a CPU can have, plus 1.
pub(crate) fn nr_cpu_ids() -> usize {
    // CAST: A count.
    kernel::cpu::nr_cpu_ids() as usize
}

/// Returns the number of this CPU. Another one may run the caller right after, unless interrupts are off.
pub(crate) fn this_cpu_id() -> usize {
    // SAFETY: It takes no argument.
    // CAST: 32 bits.
    unsafe { bindings::raw_smp_processor_id() as usize }
}

/// A counter in per-CPU memory.
///
/// # Safety
///
/// The type has the layout of a `u64`, and other CPUs only read it, in one access.
pub(crate) unsafe trait PerCpuCounter {}

/// One `T` for each possible CPU, zeroed at first. Only shared access is possible, so a `T` that
/// changes needs interior mutability.
///
/// # Invariants
///
/// `ptr` is a per-CPU allocation of `size_of::<T>()` bytes, aligned for `T`, in which every
/// possible CPU's copy holds a valid `T`.
pub(crate) struct PerCpu<T> {
    ptr: Copies<T>,
}

/// A per-CPU allocation, of any type.
struct Copies<T>(NonNull<T>);

impl<T> Copies<T> {
    /// The copy of a possible CPU.
    fn of(&self, cpu: usize) -> *mut T {
        // SAFETY: `cpu` is a possible CPU, so it has an offset, set at boot.
        let offset = unsafe {
            core::ptr::addr_of!(bindings::__per_cpu_offset)
                .cast::<usize>()
                .add(cpu)
                .read()
        };
        self.0.as_ptr().wrapping_byte_add(offset)
    }

    /// The copies of all possible CPUs.
    fn iter(&self) -> impl Iterator<Item = *mut T> + '_ {
        possible_cpus().map(|cpu| self.of(cpu))
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
    /// Allocates the values. May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Self> {
        // The values are not dropped one by one.
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
        Ok(PerCpu { ptr })
    }

    /// The address, as an operand for instructions that access per-CPU memory.
    pub(crate) fn address(&self) -> u64 {
        // CAST: An address.
        self.ptr.0.as_ptr() as u64
    }

    /// The value of a CPU; [`None`] if that is not a possible one.
    pub(crate) fn of(&self, cpu: usize) -> Option<&T> {
        // SAFETY: By the type invariant a valid `T` is there, for as long as `self` lives.
        is_possible(cpu).then(|| unsafe { &*self.ptr.of(cpu) })
    }

    /// This CPU's value. No other code of this CPU can interrupt the caller.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a T {
        // SAFETY: By the type invariant this is that CPU's valid `T`, for as long as `self` lives.
        unsafe { &*self.ptr.0.as_ptr().wrapping_byte_add(cpu.offset) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.ptr.iter().map(|value| {
            // SAFETY: By the type invariant a valid `T` is there, for as long as `self` lives.
            unsafe { &*value }
        })
    }
}

impl<C: PerCpuCounter, const N: usize> PerCpu<[C; N]> {
    /// Adds to one of this CPU's counters, wrapping; does nothing if there is no such counter. Any context
    /// but NMI. These counters are not changed in any other way.
    #[inline(always)]
    pub(crate) fn add(&self, index: usize, value: u64) {
        if index < N {
            let counter = self.ptr.0.as_ptr().cast::<u64>().wrapping_add(index);
            // SAFETY: By the type invariant, the per-CPU pointer to one of `N` counters, each of them a
            // 64-bit word. The addition is one instruction on its CPU, and other CPUs read the word in one
            // access.
            unsafe { bindings::this_cpu_add(counter, value) };
        }
    }
}

/// A slice of `T`s for each possible CPU, zeroed at first, behind a head `H`. Only shared access is possible.
///
/// # Invariants
///
/// Each of `firsts` points to the first of `len` values, in one of `_slices`. If `H` is not empty, there is one more
/// value in front of them, in whose place is a valid `H`, to which nothing refers as a `T`.
pub(crate) struct PerCpuSlices<T, H = ()> {
    firsts: PerCpu<AtomicPtr<T>>,
    len: usize,
    /// The memory of the slices.
    _slices: KVec<KVVec<T>>,
    _heads: PhantomData<H>,
}

impl<T: Zeroed + Sync> PerCpuSlices<T> {
    /// Allocates `len` values for each CPU. May sleep; `ENOMEM`.
    pub(crate) fn new(len: usize) -> Result<Self> {
        Self::with_heads(len, |_| ())
    }
}

impl<T: Zeroed + Sync, H> PerCpuSlices<T, H> {
    /// The number of values whose place the head takes.
    const HEADS: usize = {
        assert!(size_of::<H>() <= size_of::<T>() && align_of::<H>() <= align_of::<T>());
        assert!(!core::mem::needs_drop::<T>() && !core::mem::needs_drop::<H>());
        // CAST: 0 or 1.
        (size_of::<H>() != 0) as usize
    };

    /// The distance of the values from the head, bytes.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    pub(crate) const BEHIND_HEAD: usize = Self::HEADS * size_of::<T>();

    /// Allocates `len` values for each CPU, behind the head that `head` returns for the CPU. May sleep;
    /// `ENOMEM`.
    pub(crate) fn with_heads(len: usize, head: impl Fn(usize) -> H) -> Result<Self> {
        let mut slices = KVec::with_capacity(possible_cpus().count(), GFP_KERNEL)?;
        for _ in possible_cpus() {
            let values = zeroed_vec::<T>(len.saturating_add(Self::HEADS))?;
            slices.push(values, GFP_KERNEL)?;
        }
        let firsts = PerCpu::<AtomicPtr<T>>::new()?;
        let cpus = possible_cpus().zip(firsts.iter());
        for ((cpu, first), slice) in cpus.zip(&mut slices) {
            let start = slice.as_mut_ptr();
            // SAFETY: A value of `T` is there, in which there is room for an `H`, or an `H` is empty. No other code has
            // the slice yet.
            unsafe { start.cast::<H>().write(head(cpu)) };
            first.store(start.wrapping_add(Self::HEADS), Relaxed);
        }
        // INVARIANT: Just done. A vector's values stay where they are when it is moved.
        Ok(PerCpuSlices {
            firsts,
            len,
            _slices: slices,
            _heads: PhantomData,
        })
    }

    /// The heads of the possible CPUs. The values of a CPU begin [`PerCpuSlices::BEHIND_HEAD`] bytes after its
    /// head.
    pub(crate) fn heads(&self) -> impl Iterator<Item = *mut H> + '_ {
        self.firsts.iter().map(|first| {
            let first = first.load(Relaxed);
            first.wrapping_sub(Self::HEADS).cast::<H>()
        })
    }

    /// This CPU's values. No other code of this CPU can interrupt the caller.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a [T] {
        let first = self.firsts.this_cpu(cpu).load(Relaxed);
        // SAFETY: By the type invariant there are `len` values from there on; they live as long as `self`,
        // and there are only shared references to them.
        unsafe { core::slice::from_raw_parts(first, self.len) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.firsts.iter().map(|first| {
            // SAFETY: As in `this_cpu`.
            unsafe { core::slice::from_raw_parts(first.load(Relaxed), self.len) }
        })
    }
}

/// An array of elements, each with a part that all CPUs share, and a part for each CPU.
///
/// # Invariants
///
/// There are as many values in `shared` as each CPU has in `own`.
pub(crate) struct SplitArray<S, T, H = ()> {
    shared: KVVec<S>,
    own: PerCpuSlices<T, H>,
}

impl<S: Zeroed, T: Zeroed + Sync> SplitArray<S, T> {
    /// Allocates `len` elements, zeroed. May sleep; `ENOMEM`.
    pub(crate) fn new(len: usize) -> Result<Self> {
        Self::with_heads(len, |_, _| ())
    }
}

impl<S: Zeroed, T: Zeroed + Sync, H> SplitArray<S, T, H> {
    /// Allocates `len` elements, zeroed. Those of each CPU are behind a head, which `head` returns for the CPU and the
    /// shared elements. May sleep; `ENOMEM`.
    pub(crate) fn with_heads(len: usize, head: impl Fn(usize, &[S]) -> H) -> Result<Self> {
        let shared = zeroed_vec(len)?;
        let own = PerCpuSlices::with_heads(len, |cpu| head(cpu, &shared))?;
        // INVARIANT: `len` of both.
        Ok(SplitArray { shared, own })
    }

    /// The shared part of an element, and this CPU's part of it.
    #[inline(always)]
    pub(crate) fn get<'a>(&'a self, index: usize, cpu: ThisCpu<'a>) -> Option<(&'a S, &'a T)> {
        let own = self.own.this_cpu(cpu).get(index)?;
        // SAFETY: The index is below the number of this CPU's values, and by the type invariant there are
        // as many here.
        Some((unsafe { self.shared.get_unchecked(index) }, own))
    }

    /// The parts that all CPUs share.
    pub(crate) fn shared(&self) -> &[S] {
        &self.shared
    }

    /// The parts of each CPU.
    pub(crate) fn own(&self) -> &PerCpuSlices<T, H> {
        &self.own
    }
}

/// Whether this is the number of a possible CPU.
pub(super) fn is_possible(cpu: usize) -> bool {
    let mask = core::ptr::addr_of_mut!(bindings::__cpu_possible_mask);
    if cpu >= nr_cpu_ids() {
        return false;
    }
    // SAFETY: The mask is set once at boot and `cpu` is below `nr_cpu_ids`.
    unsafe { bindings::cpumask_test_cpu(cpu as i32, mask) }
}

/// The numbers of all possible CPUs.
pub(crate) fn possible_cpus() -> impl Iterator<Item = usize> {
    (0..nr_cpu_ids()).filter(|cpu| is_possible(*cpu))
}
