// SPDX-License-Identifier: GPL-2.0

//! Dynamically allocated per-CPU values.
//!
//! C header: [`include/linux/percpu.h`](srctree/include/linux/percpu.h).

use super::zeroed::Zeroed;
use core::{
    marker::PhantomData,
    mem::{
        align_of,
        size_of, //
    },
    ptr::NonNull, //
};
use kernel::{
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
    /// Interrupts are off for as long as the value lives, and `offset` is that of the per-CPU
    /// variables of the CPU the code runs on: `__my_cpu_offset`.
    #[inline(always)]
    pub(crate) unsafe fn new(offset: usize) -> Self {
        ThisCpu {
            offset,
            _section: PhantomData,
            _not_send: NotThreadSafe,
        }
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
/// possible CPU's copy holds a valid `T`.
pub(crate) struct PerCpu<T> {
    ptr: NonNull<T>,
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
        // INVARIANT: `pcpu_alloc_noprof` returns zeroed memory of the size and alignment asked for,
        // and zero is a valid `T` by `T: Zeroed`.
        Ok(PerCpu {
            ptr: NonNull::new(ptr.cast()).ok_or(ENOMEM)?,
        })
    }

    /// This CPU's value. No other code of this CPU can come in between.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a T {
        // SAFETY: By the type invariant, the per-CPU pointer moved by a CPU's offset points to that
        // CPU's valid `T`, for as long as `self` lives.
        unsafe { &*self.ptr.as_ptr().wrapping_byte_add(cpu.offset) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        possible_cpus().map(|cpu| {
            // SAFETY: `cpu` is a possible CPU, so it has an offset.
            let offset = unsafe {
                core::ptr::addr_of!(bindings::__per_cpu_offset)
                    .cast::<usize>()
                    .add(cpu)
                    .read()
            };
            // SAFETY: By the type invariant, the per-CPU pointer moved by a possible CPU's offset
            // points to that CPU's valid `T`, for as long as `self` lives.
            unsafe { &*self.ptr.as_ptr().wrapping_byte_add(offset) }
        })
    }
}

impl<T> Drop for PerCpu<T> {
    fn drop(&mut self) {
        // SAFETY: By the type invariant this is a per-CPU allocation, and nothing refers to it any
        // more.
        unsafe { bindings::free_percpu(self.ptr.as_ptr().cast()) };
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
