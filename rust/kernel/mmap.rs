// SPDX-License-Identifier: GPL-2.0

//! Memory of ours in the address space of a program, to read only.
//!
//! C header: [`include/linux/mm.h`](srctree/include/linux/mm.h).

use super::pages::Pages;
use kernel::{
    bindings,
    error::to_result,
    mm::virt::VmaNew,
    page::PAGE_SIZE,
    prelude::*, //
};

/// What a program asks for with `mmap()`, before anything is in it.
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
            // SAFETY: Likewise.
            first_page: unsafe { (*area).vm_pgoff },
        }
    }

    /// Where in the file it begins, in pages.
    pub(crate) fn first_page(&self) -> usize {
        self.first_page
    }

    /// Shows `pages` from that of number `first` on, which may be read, and nothing else, ever. They stay as long as the
    /// mapping does. May sleep.
    ///
    /// `EPERM` if it was asked for to write or to execute, `ENXIO` if there are not as many pages, `ENOMEM`.
    pub(crate) fn show(&self, pages: &Pages, first: usize) -> Result {
        self.area.try_clear_maywrite().map_err(|_| EPERM)?;
        self.area.try_clear_mayexec().map_err(|_| EPERM)?;
        self.area.set_dontexpand();
        self.area.set_dontdump();
        let addresses = (self.area.start()..self.area.end()).step_by(PAGE_SIZE);
        // Not the iterator's count(), which counts.
        let wanted = self.area.end().saturating_sub(self.area.start()) / PAGE_SIZE;
        let end = first.checked_add(wanted).ok_or(ENXIO)?;
        let shown = pages.as_slice().get(first..end).ok_or(ENXIO)?;
        self.area.set_mixedmap();
        for (address, page) in addresses.zip(shown) {
            // SAFETY: The area is being set up, with `VM_MIXEDMAP`, and the address is in it; the page is one
            // that `pages` has a reference to, and the function takes another.
            to_result(unsafe { bindings::vm_insert_page(self.area.as_ptr(), address, *page) })?;
        }
        Ok(())
    }
}
