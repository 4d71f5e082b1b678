// SPDX-License-Identifier: GPL-2.0

//! Memory in whole pages, which user space can map: see [`super::mmap`].
//!
//! C header: [`include/linux/vmalloc.h`](srctree/include/linux/vmalloc.h).

use super::bindings as own;
use core::{
    marker::PhantomData,
    mem::{
        align_of,
        size_of, //
    },
    ops::Deref,
    ptr::NonNull, //
};
use kernel::{
    alloc::KVVec,
    bindings,
    page::PAGE_SIZE,
    prelude::*, //
};

/// Pages, one after the other in the kernel's address space, zeroed at first. A mapping of user space
/// may outlive them: it keeps the memory.
///
/// # Invariants
///
/// `vmap` put `pages` at `address`, and took them and the memory of the array over for as long as that is theirs.
pub(crate) struct Pages {
    pages: NonNull<[*mut bindings::page]>,
    address: NonNull<u8>,
}

// SAFETY: Memory that belongs to no thread.
unsafe impl Send for Pages {}
// SAFETY: Gives out addresses only; who uses them answers for that.
unsafe impl Sync for Pages {}

/// Pages on their way to be [`Pages`].
struct Bare(KVVec<*mut bindings::page>);

impl Drop for Bare {
    fn drop(&mut self) {
        for page in &self.0 {
            // SAFETY: There is a reference to each, and nobody uses it any more.
            unsafe { bindings::__free_pages(*page, 0) };
        }
    }
}

impl Pages {
    /// So many pages, each on the node of the CPU that `cpu_of` says. May sleep; `ENOMEM`.
    pub(crate) fn new(len: usize, cpu_of: impl Fn(usize) -> u32) -> Result<Self> {
        let mut bare = Bare(KVVec::with_capacity(len, GFP_KERNEL)?);
        for index in 0..len {
            // SAFETY: In process context; the result is checked.
            let page = unsafe { own::iostat_alloc_page(cpu_of(index)) };
            let page = NonNull::new(page).ok_or(ENOMEM)?;
            bare.0.push(page.as_ptr(), GFP_KERNEL)?;
        }
        let count = u32::try_from(len).map_err(|_| ENOMEM)?;
        // SAFETY: As many pages as its argument says, in memory of `kvmalloc`. It takes both over if it succeeds: then
        // they are not dropped here.
        let address = unsafe { own::iostat_vmap(bare.0.as_mut_ptr(), count) };
        let address = NonNull::new(address.cast()).ok_or(ENOMEM)?;
        let (first, len, _) = core::mem::take(&mut bare.0).into_raw_parts();
        let pages = NonNull::new(core::ptr::slice_from_raw_parts_mut(first, len));
        // INVARIANT: Just done. A vector's memory is never at null.
        Ok(Pages {
            address,
            pages: pages.ok_or(ENOMEM)?,
        })
    }

    pub(super) fn address(&self) -> NonNull<u8> {
        self.address
    }

    pub(super) fn as_slice(&self) -> &[*mut bindings::page] {
        // SAFETY: By the type invariant the array is there as long as `self`, and nobody changes it.
        unsafe { self.pages.as_ref() }
    }
}

impl Drop for Pages {
    /// In any context but NMI: where a disk's statistics end there may be no sleeping.
    fn drop(&mut self) {
        // SAFETY: By the type invariant, and nothing refers to the address any more. Gives back the references to the
        // pages, and frees the array.
        unsafe { own::iostat_vfree(self.address.as_ptr().cast()) };
    }
}

/// Pages that begin with a `T`.
///
/// # Invariants
///
/// At the address of `pages` is a valid `T`, which is never changed but through shared references.
pub(crate) struct PagesOf<T> {
    pages: Pages,
    _value: PhantomData<T>,
}

// SAFETY: Gives out `&T` only, from any thread.
unsafe impl<T: Send + Sync> Send for PagesOf<T> {}
// SAFETY: As above.
unsafe impl<T: Send + Sync> Sync for PagesOf<T> {}

impl<T> PagesOf<T> {
    /// A value in pages, in the first of `pages` and as many more as it needs.
    pub(super) fn with(pages: Pages, value: T) -> Result<Self> {
        // Never dropped; and `vmap` begins at a page.
        const { assert!(!core::mem::needs_drop::<T>() && align_of::<T>() <= PAGE_SIZE) };
        if size_of::<T>().div_ceil(PAGE_SIZE) > pages.pages.len() {
            return Err(EINVAL);
        }
        // SAFETY: There is room for a `T`, aligned; and nobody else has the pages.
        unsafe { pages.address.cast::<T>().write(value) };
        // INVARIANT: Just written.
        Ok(PagesOf {
            pages,
            _value: PhantomData,
        })
    }

    /// A value in pages. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<Self> {
        let len = size_of::<T>().div_ceil(PAGE_SIZE);
        Self::with(Pages::new(len, |_| 0)?, value)
    }

    /// All of the pages.
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
    }
}

impl<T> Deref for PagesOf<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: By the type invariant.
        unsafe { self.pages.address.cast::<T>().as_ref() }
    }
}
