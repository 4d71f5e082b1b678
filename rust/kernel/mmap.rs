// SPDX-License-Identifier: GPL-2.0

//! Read-only mappings of kernel memory in the address space of a program.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h).

use super::bindings;
use core::{
    ffi::c_void,
    mem::ManuallyDrop,
    ops::Range, //
};
use kernel::{
    mm::virt::VmaNew,
    page::PAGE_SIZE,
    prelude::*,
    sync::Arc, //
};

/// The pages that a part of the file shows.
///
/// # Safety
///
/// [`MappedPages::page`] returns addresses in the linear map, of pages to which `self` has a reference for as long as it
/// exists. User space may read all of each page: it is initialised, and never contains anything secret.
pub(crate) unsafe trait MappedPages: Send + Sync + 'static {
    /// The range of pages in the file.
    fn pages(&self) -> Range<usize>;

    /// The address of the memory that one of these pages shows. [`None`] if the page does not exist, or does not exist
    /// yet. May sleep.
    fn page(&self, number: usize) -> Option<*const c_void>;
}

/// A mapping that a program creates with `mmap()`, before it has pages.
pub(crate) struct NewMapping<'a> {
    area: &'a VmaNew,
    first_page: usize,
}

impl NewMapping<'_> {
    /// # Safety
    ///
    /// The VFS called `mmap` of a file with this area, and the value does not outlive that call.
    pub(super) unsafe fn new(area: *mut bindings::vm_area_struct) -> Self {
        NewMapping {
            // SAFETY: The area is being set up, by this function's requirement.
            area: unsafe { VmaNew::from_raw(area) },
            // SAFETY: As above, the area is valid during this call.
            first_page: unsafe { (*area).vm_pgoff },
        }
    }

    /// The page of the file at which the mapping begins.
    pub(crate) fn first_page(&self) -> usize {
        self.first_page
    }

    /// Maps the pages of `shown`, to be read only. A page is looked up when the program first reads it. Reading a page
    /// that does not exist raises `SIGBUS`, as long as it does not exist. The mapping holds a reference to `shown`.
    /// May sleep.
    ///
    /// `EPERM` if the mapping is writable or executable, `ENXIO` if not all of its pages are in the range of
    /// `shown`.
    pub(crate) fn show<T: MappedPages>(&self, shown: Arc<T>) -> Result {
        self.area.try_clear_maywrite().map_err(|_| EPERM)?;
        self.area.try_clear_mayexec().map_err(|_| EPERM)?;
        self.area.set_dontexpand();
        self.area.set_dontdump();
        let wanted = self.area.end().saturating_sub(self.area.start()) / PAGE_SIZE;
        let end = self.first_page.checked_add(wanted).ok_or(ENXIO)?;
        let pages = shown.pages();
        if self.first_page < pages.start || end > pages.end {
            return Err(ENXIO);
        }
        // SAFETY: The area is being set up; it owns the reference, which `close` drops.
        unsafe {
            let area = self.area.as_ptr();
            (*area).vm_private_data = Arc::into_raw(shown).cast_mut().cast();
            (*area).vm_ops = &Functions::<T>::TABLE;
        }
        Ok(())
    }
}

/// The functions of an area that shows a `T`.
struct Functions<T>(core::marker::PhantomData<T>);

impl<T: MappedPages> Functions<T> {
    const TABLE: bindings::vm_operations_struct = bindings::vm_operations_struct {
        open: Some(Self::open),
        close: Some(Self::close),
        fault: Some(Self::fault),
        // SAFETY: Null is not a function.
        ..unsafe { core::mem::MaybeUninit::zeroed().assume_init() }
    };

    /// # Safety
    ///
    /// The area is one of this table.
    unsafe fn shown(area: *mut bindings::vm_area_struct) -> ManuallyDrop<Arc<T>> {
        // SAFETY: `show` put the pointer of an `Arc` there, and the area has a reference to it.
        ManuallyDrop::new(unsafe { Arc::from_raw((*area).vm_private_data.cast::<T>()) })
    }

    /// # Safety
    ///
    /// Called for an area that is a copy, or a part, of another of this table.
    unsafe extern "C" fn open(area: *mut bindings::vm_area_struct) {
        // SAFETY: By this function's requirement; the other has its reference at least until this returns.
        let shown = unsafe { Self::shown(area) };
        // The reference of the new area.
        let _ = Arc::into_raw(Arc::clone(&shown));
    }

    /// # Safety
    ///
    /// Called once for each area of this table, when it is removed.
    unsafe extern "C" fn close(area: *mut bindings::vm_area_struct) {
        // SAFETY: By this function's requirement.
        let shown = unsafe { Self::shown(area) };
        drop(ManuallyDrop::into_inner(shown));
    }

    /// # Safety
    ///
    /// Called for a fault in an area of this table.
    unsafe extern "C" fn fault(fault: *mut bindings::vm_fault) -> bindings::vm_fault_t {
        // SAFETY: By this function's requirement, the fault and its area are valid until this
        // function returns.
        let (shown, number) = unsafe {
            let place = &(*fault).__bindgen_anon_1;
            (Self::shown(place.vma), place.pgoff)
        };
        let Some(address) = shown.page(number) else {
            return bindings::vm_fault_reason_VM_FAULT_SIGBUS;
        };
        // SAFETY: By the requirement of the trait this is the address of a page in the linear map that user space may read, to
        // which `shown` has a reference. This takes another one for the mapping.
        unsafe { (*fault).page = bindings::get_page_of_address(address) };
        0
    }
}
