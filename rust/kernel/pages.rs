// SPDX-License-Identifier: GPL-2.0

//! Memory in whole pages, which user space can map: see [`super::mmap`].
//!
//! C header: [`include/linux/gfp.h`](srctree/include/linux/gfp.h).

use super::{
    bindings,
    mmap::MappedPages,
    percpu::is_possible,
    zeroed::Zeroed, //
};
use core::{
    ffi::c_void,
    marker::PhantomData,
    mem::{
        align_of,
        needs_drop,
        size_of, //
    },
    ops::{
        Deref,
        Range, //
    },
    ptr::NonNull, //
};
use kernel::{
    page::PAGE_SIZE,
    prelude::*, //
};

/// Types whose values user space may read.
///
/// # Safety
///
/// Nothing that a value may contain is secret, as addresses of kernel memory are.
pub(crate) unsafe trait UserReadable {}

/// Types each byte of whose values is initialised.
///
/// # Safety
///
/// The type has no padding.
pub(crate) unsafe trait NoPadding {}

/// A page that begins with a `T`, followed by zeros. A mapping of user space may outlive the value: it holds a
/// reference to the page.
///
/// # Invariants
///
/// The address is that of a page, to which the value has a reference. The page has a valid `T`, which is changed only
/// through shared references. Each byte of the page is initialised: padding is 0, as in the new page.
pub(crate) struct PageOf<T> {
    address: NonNull<T>,
    _value: PhantomData<T>,
}

// SAFETY: Gives out `&T` only, from any thread.
unsafe impl<T: Send + Sync> Send for PageOf<T> {}
// SAFETY: As above.
unsafe impl<T: Send + Sync> Sync for PageOf<T> {}

impl<T: UserReadable> PageOf<T> {
    /// Allocates a zeroed page on the node of a CPU. May sleep; `ENOMEM`, `EINVAL` if that is not a possible CPU.
    fn zeroed_page(cpu: usize) -> Result<NonNull<T>> {
        // A `T` is never dropped, and a page is aligned for it.
        const { assert!(!needs_drop::<T>() && align_of::<T>() <= PAGE_SIZE) };
        const { assert!(size_of::<T>() <= PAGE_SIZE) };
        if !is_possible(cpu) {
            return Err(EINVAL);
        }
        // SAFETY: In process context; the CPU is possible, so it has a node; the result is checked.
        // CAST: Below `nr_cpu_ids`.
        let page = unsafe { bindings::alloc_page_of_cpu(cpu as u32) };
        NonNull::new(page.cast()).ok_or(ENOMEM)
    }

    /// Stores a value in a new page. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<Self>
    where
        T: NoPadding,
    {
        let address = Self::zeroed_page(0)?;
        // SAFETY: There is room for an aligned `T`, and no other code has the page.
        unsafe { address.write(value) };
        // INVARIANT: Just written, and `value` has no padding.
        Ok(PageOf {
            address,
            _value: PhantomData,
        })
    }

    /// Creates a value of zeros in a new page on the node of a CPU. May sleep; `ENOMEM`, `EINVAL` if that is not a possible
    /// CPU.
    pub(crate) fn zeroed(cpu: usize) -> Result<Self>
    where
        T: Zeroed,
    {
        // INVARIANT: The page is zeroed, which is a valid `T` by `T: Zeroed`.
        Ok(PageOf {
            address: Self::zeroed_page(cpu)?,
            _value: PhantomData,
        })
    }

    /// The value, before it is shared.
    ///
    /// # Safety
    ///
    /// Only values without padding are stored through the reference.
    pub(crate) unsafe fn get_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant; the reference is exclusive, and no mapping has the page before it is shared.
        unsafe { self.address.as_mut() }
    }
}

impl<T> PageOf<T> {
    /// Returns the address of the value, which stays valid until [`PageOf::from_raw`].
    pub(crate) fn into_raw(self) -> *mut T {
        let address = self.address.as_ptr();
        core::mem::forget(self);
        address
    }

    /// # Safety
    ///
    /// The address is from [`PageOf::into_raw`], and this is called once for it.
    pub(crate) unsafe fn from_raw(address: NonNull<T>) -> Self {
        // INVARIANT: By this function's requirement.
        PageOf {
            address,
            _value: PhantomData,
        }
    }
}

impl<T> Deref for PageOf<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: By the type invariant.
        unsafe { self.address.as_ref() }
    }
}

impl<T> Drop for PageOf<T> {
    /// In any context but NMI.
    fn drop(&mut self) {
        // SAFETY: By the type invariant the value has a reference to the page, which this puts.
        unsafe { bindings::free_pages(self.address.as_ptr() as usize, 0) };
    }
}

// SAFETY: By the type invariant the address is that of a page from the page allocator, in the linear map, the value has a
// reference to the page, and all of it is initialised. User space may read it by `T: UserReadable`.
unsafe impl<T: UserReadable + Send + Sync + 'static> MappedPages for PageOf<T> {
    fn pages(&self) -> Range<usize> {
        0..1
    }

    fn page(&self, number: usize) -> Option<*const c_void> {
        (number == 0).then_some(self.address.as_ptr().cast_const().cast())
    }
}
