// SPDX-License-Identifier: GPL-2.0

use crate::kernel_ext::sysfs::{
    Attribute,
    AttributePage,
    Show, //
};
use core::fmt::{
    self,
    Write, //
};
use kernel::{
    page::PAGE_SIZE,
    prelude::*, //
};

/// A file whose content is its object's letter, repeated.
#[derive(Clone, Copy)]
struct Times(usize);

impl Show for Times {
    type Of = char;

    fn show(&self, of: &char, page: &mut AttributePage<'_>) -> fmt::Result {
        for _ in 0..self.0 {
            page.write_char(*of)?;
        }
        Ok(())
    }
}

/// A file that cannot be shown.
#[derive(Clone, Copy)]
struct Silent;

impl Show for Silent {
    type Of = char;

    fn show(&self, _of: &char, page: &mut AttributePage<'_>) -> fmt::Result {
        page.write_str("half of it")?;
        Err(fmt::Error)
    }
}

/// Returns the result of a `show` callback, and the page it filled.
fn show<A: Show<Of = char>>(attribute: &'static Attribute<A>) -> Result<(isize, KVec<u8>)> {
    let mut page = KVec::from_elem(b'.', PAGE_SIZE, GFP_KERNEL)?;
    let raw = core::ptr::from_ref(attribute).cast_mut().cast();
    // SAFETY: `raw` is part of an `Attribute<A>`, and the buffer has the size of a page.
    let result = unsafe { Attribute::<A>::show(raw, &'x', page.as_mut_ptr().cast()) };
    Ok((result, page))
}

#[kernel::macros::kunit_tests(iostat_sysfs)]
mod tests {
    use super::*;

    static NOTHING: Attribute<Times> = Attribute::new(c"nothing", Times(0));
    static SHORT: Attribute<Times> = Attribute::new(c"short", Times(3));
    static LONGEST: Attribute<Times> = Attribute::new(c"longest", Times(PAGE_SIZE - 1));
    static PAGEFUL: Attribute<Times> = Attribute::new(c"pageful", Times(PAGE_SIZE));
    static TOO_LONG: Attribute<Times> = Attribute::new(c"too_long", Times(3 * PAGE_SIZE));
    static SILENT: Attribute<Silent> = Attribute::new(c"silent", Silent);

    #[test]
    fn what_fits_is_shown() -> Result {
        for (attribute, len) in [(&NOTHING, 0), (&SHORT, 3), (&LONGEST, PAGE_SIZE - 1)] {
            let (result, page) = show(attribute)?;
            assert_eq!(result, len as isize);
            assert!(page.iter().take(len).all(|byte| *byte == b'x'));
            assert!(page.iter().skip(len).all(|byte| *byte == b'.'));
        }
        Ok(())
    }

    /// sysfs warns about a full page as well, as its content may have been cut.
    #[test]
    fn what_does_not_fit_is_an_error() -> Result {
        for attribute in [&PAGEFUL, &TOO_LONG] {
            let (result, _) = show(attribute)?;
            assert_eq!(result, EIO.to_errno() as isize);
        }
        Ok(())
    }

    #[test]
    fn an_error_is_an_error_whatever_was_written() -> Result {
        let (result, _) = show(&SILENT)?;
        assert_eq!(result, EIO.to_errno() as isize);
        Ok(())
    }
}
