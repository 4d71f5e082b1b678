// SPDX-License-Identifier: GPL-2.0

//! Strings of C in functions that probes call.

use kernel::{
    bindings,
    ffi::c_char, //
};

/// Returns the bytes of a string of C, without its NUL.
///
/// `CStr::from_ptr()` adds the NUL to the length, and checks the sum: there probes would have code that panics.
///
/// # Safety
///
/// `text` is a string, which does not change and is not freed as long as the result is used.
pub(super) unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    // SAFETY: By the requirement of this function, `text` is a string.
    let len = unsafe { bindings::strlen(text) };
    // SAFETY: A string has so many bytes before its NUL; they are not changed or freed, by the requirement of this function.
    unsafe { core::slice::from_raw_parts(text.cast(), len) }
}
