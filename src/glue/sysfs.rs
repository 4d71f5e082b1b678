// SPDX-License-Identifier: GPL-2.0

//! Writes text of floor 0 to a page of sysfs.

use crate::{
    abi::out::{
        Buffer,
        Out, //
    },
    kernel_ext::sysfs::AttributePage,
};
use core::fmt::Result;

/// Appends what `write` writes.
#[inline(always)]
fn append(page: &mut AttributePage<'_>, write: impl FnOnce(&mut Buffer<'_>) -> Result) -> Result {
    let mut buffer = Buffer::new(page.unused(), 0);
    write(&mut buffer)?;
    let len = buffer.len();
    page.advance(len);
    Ok(())
}

impl Out for AttributePage<'_> {
    fn write_number(&mut self, number: u64) -> Result {
        append(self, |buffer| buffer.write_number(number))
    }

    fn write_after(&mut self, separator: u8, number: u64) -> Result {
        append(self, |buffer| buffer.write_after(separator, number))
    }

    fn write_ascii(&mut self, text: &[u8]) -> Result {
        append(self, |buffer| buffer.write_ascii(text))
    }
}
