// SPDX-License-Identifier: GPL-2.0

//! Per-CPU values in pages that user space can map.
//!
//! `pcpu_alloc` would put the values of others on the same pages.

use super::{
    pages::{
        Pages,
        PagesOf, //
    },
    percpu::{
        nr_cpu_ids,
        possible_cpus,
        ThisCpu,
        SLOT, //
    },
    zeroed::Zeroed, //
};
use core::{
    mem::{
        align_of,
        size_of, //
    },
    ptr::NonNull, //
};
use kernel::{
    page::PAGE_SIZE,
    prelude::*, //
};

/// An `H` on a page of its own, and behind that, each in a [`SLOT`] of its own, a `T` for each CPU there can be, zeroed
/// at first. Shared access only.
///
/// # Invariants
///
/// `head` has [`Self::pages_of_all`]; `first` is the address of the second of them, and in each slot from there on is a
/// valid `T`.
pub(crate) struct PerCpuPages<H, T> {
    first: NonNull<T>,
    head: PagesOf<H>,
}

// SAFETY: Gives out `&H` and `&T` only, from any thread.
unsafe impl<H: Send + Sync, T: Send + Sync> Send for PerCpuPages<H, T> {}
// SAFETY: As above.
unsafe impl<H: Send + Sync, T: Send + Sync> Sync for PerCpuPages<H, T> {}

impl<H, T: Zeroed + Sync> PerCpuPages<H, T> {
    /// Pages of one CPU.
    const PAGES: usize = SLOT / PAGE_SIZE;

    fn pages_of_all() -> usize {
        nr_cpu_ids().saturating_mul(Self::PAGES).saturating_add(1)
    }

    /// All of it, bytes.
    pub(crate) fn len_bytes() -> usize {
        Self::pages_of_all().saturating_mul(PAGE_SIZE)
    }

    /// Allocates. May sleep; `ENOMEM`.
    pub(crate) fn new(head: H) -> Result<Self> {
        // Values are never dropped one by one; a slot begins at a page.
        const { assert!(!core::mem::needs_drop::<T>() && align_of::<T>() <= PAGE_SIZE) };
        const { assert!(size_of::<H>() <= PAGE_SIZE && size_of::<T>() <= SLOT) };
        // CAST: Below `nr_cpu_ids`.
        let cpu_of = |page: usize| (page.saturating_sub(1) / Self::PAGES) as u32;
        let pages = Pages::new(Self::pages_of_all(), cpu_of)?;
        let head = PagesOf::with(pages, head)?;
        // SAFETY: There is more than one page.
        let first = unsafe { head.pages().address().byte_add(PAGE_SIZE) };
        // INVARIANT: The pages are zeroed, which is a valid `T` by `T: Zeroed`.
        Ok(PerCpuPages {
            first: first.cast(),
            head,
        })
    }

    /// What is on the first page.
    pub(crate) fn head(&self) -> &PagesOf<H> {
        &self.head
    }

    /// Where the values are: each CPU's in its slot.
    pub(crate) fn records(&self) -> *const T {
        self.first.as_ptr()
    }

    /// This CPU's value. No other code of this CPU can come in between.
    #[inline(always)]
    pub(crate) fn this_cpu<'a>(&'a self, cpu: ThisCpu<'a>) -> &'a T {
        // SAFETY: By the type invariant a valid `T` is there, which lives as long as `self`.
        unsafe { &*self.first.as_ptr().wrapping_byte_add(cpu.slot()) }
    }

    /// The values of all possible CPUs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        possible_cpus().map(|cpu| {
            // SAFETY: By the type invariant a valid `T` is there, which lives as long as `self`.
            unsafe {
                &*self
                    .first
                    .as_ptr()
                    .wrapping_byte_add(cpu.wrapping_mul(SLOT))
            }
        })
    }
}
