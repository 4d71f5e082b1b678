// SPDX-License-Identifier: GPL-2.0

//! Memory in whole pages, which user space can map: see [`super::mmap`].
//!
//! C header: [`include/linux/gfp.h`](srctree/include/linux/gfp.h).

use super::{
    bindings,
    mmap::MappedPages,
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

/// A page that begins with a `T`, followed by zeros. A mapping of user space may outlive the value: it holds a
/// reference to the page.
///
/// # Invariants
///
/// The address is that of a page, to which the value has a reference. The page has a valid `T`, which is changed only
/// through shared references.
pub(crate) struct PageOf<T> {
    address: NonNull<T>,
    _value: PhantomData<T>,
}

// SAFETY: Gives out `&T` only, from any thread.
unsafe impl<T: Send + Sync> Send for PageOf<T> {}
// SAFETY: As above.
unsafe impl<T: Send + Sync> Sync for PageOf<T> {}

impl<T> PageOf<T> {
    /// Allocates a zeroed page on the node of a CPU. May sleep; `ENOMEM`.
    fn zeroed_page(cpu: u32) -> Result<NonNull<T>> {
        // A `T` is never dropped, and a page is aligned for it.
        const { assert!(!needs_drop::<T>() && align_of::<T>() <= PAGE_SIZE) };
        const { assert!(size_of::<T>() <= PAGE_SIZE) };
        // SAFETY: In process context; the result is checked.
        let page = unsafe { bindings::alloc_page_of_cpu(cpu) };
        NonNull::new(page.cast()).ok_or(ENOMEM)
    }

    /// Stores a value in a new page. May sleep; `ENOMEM`.
    pub(crate) fn new(value: T) -> Result<Self> {
        let address = Self::zeroed_page(0)?;
        // SAFETY: There is room for an aligned `T`, and no other code has the page.
        unsafe { address.write(value) };
        // INVARIANT: Just written.
        Ok(PageOf {
            address,
            _value: PhantomData,
        })
    }

    /// Creates a value of zeros in a new page on the node of a CPU. May sleep; `ENOMEM`.
    pub(crate) fn zeroed(cpu: u32) -> Result<Self>
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
    pub(crate) fn get_mut(&mut self) -> &mut T {
        // SAFETY: By the type invariant; the reference is exclusive, and no mapping has the page before it is shared.
        unsafe { self.address.as_mut() }
    }

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

// SAFETY: By the type invariant the address is that of a page from the page allocator, in the linear map, and the value has a
// reference to the page.
unsafe impl<T: Send + Sync + 'static> MappedPages for PageOf<T> {
    fn pages(&self) -> Range<usize> {
        0..1
    }

    fn page(&self, number: usize) -> Option<*const c_void> {
        (number == 0).then_some(self.address.as_ptr().cast_const().cast())
    }
}
