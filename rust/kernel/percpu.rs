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
use crate::acct::counter::Counter;
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
    prelude::*,
    types::NotThreadSafe, //
};

/// A section of code that cannot leave its CPU nor be interrupted there.
#[derive(Clone, Copy)]
pub(crate) struct ThisCpu<'a> {
    offset: usize,
    _section: PhantomData<&'a ()>,
    _not_send: NotThreadSafe,
}

impl ThisCpu<'_> {
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

/// Calls `work` with interrupts off, on this CPU.
pub(crate) fn with_interrupts_off<T>(work: impl FnOnce(ThisCpu<'_>) -> T) -> T {
    // SAFETY: They are restored below.
    let flags = unsafe { own::iostat_local_irq_save() };
    // SAFETY: No requirement.
    let offset = unsafe { own::iostat_this_cpu_offset() };
    // SAFETY: Interrupts are off until `work` has returned.
    // CAST: As an address.
    let result = work(unsafe { ThisCpu::new(offset as usize) });
    // SAFETY: These are the flags of above.
    unsafe { own::iostat_local_irq_restore(flags) };
    result
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
/// possible CPU's copy holds a valid `T`.
pub(crate) struct PerCpu<T> {
    ptr: Copies<T>,
}

/// A per-CPU allocation, which may be that of any type.
struct Copies<T>(NonNull<T>);

impl<T> Copies<T> {
    /// That of a possible CPU.
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

    /// Those of all possible CPUs.
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
        Ok(PerCpu { ptr })
    }

    /// What the instructions that reach per-CPU memory find it by.
    pub(crate) fn address(&self) -> u64 {
        // CAST: An address.
        self.ptr.0.as_ptr() as u64
    }

    /// The value of a CPU; [`None`] if that is not a possible one.
    pub(crate) fn of(&self, cpu: usize) -> Option<&T> {
        // SAFETY: By the type invariant a valid `T` is there, for as long as `self` lives.
        is_possible(cpu).then(|| unsafe { &*self.ptr.of(cpu) })
    }

    /// This CPU's value. No other code of this CPU can come in between.
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
    firsts: PerCpu<AtomicPtr<T>>,
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
        let firsts = PerCpu::<AtomicPtr<T>>::new()?;
        for (first, slice) in firsts.iter().zip(&slices) {
            first.store(slice.as_ptr().cast_mut(), Relaxed);
        }
        // INVARIANT: Just done. A vector's values stay where they are when it is moved.
        Ok(PerCpuSlices {
            firsts,
            len,
            slices,
        })
    }

    /// This CPU's values. No other code of this CPU can come in between.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a [T] {
        let first = self.firsts.this_cpu(cpu).load(Relaxed);
        // SAFETY: By the type invariant there are `len` values from there on; they live as long as `self`,
        // and there are only shared references to them.
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

/// Whether a CPU of this number may ever be there.
fn is_possible(cpu: usize) -> bool {
    let mask = core::ptr::addr_of_mut!(bindings::__cpu_possible_mask);
    if cpu >= nr_cpu_ids() {
        return false;
    }
    // SAFETY: The mask is set once at boot and `cpu` is below `nr_cpu_ids`.
    unsafe { bindings::cpumask_test_cpu(cpu as i32, mask) }
}

/// The numbers of all CPUs this machine may ever have.
pub(crate) fn possible_cpus() -> impl Iterator<Item = usize> {
    (0..nr_cpu_ids()).filter(|cpu| is_possible(*cpu))
}
