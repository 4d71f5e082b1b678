// SPDX-License-Identifier: GPL-2.0

//! `kstat_named_t`: names and values.

use crate::{
    acct::kstat::Value,
    kernel_ext::bindings as own, //
};
use kernel::{
    alloc::KVVec,
    ffi::c_char,
    prelude::*, //
};

/// A name, up to its NUL.
pub(super) fn name(array: &[c_char]) -> &[u8] {
    // SAFETY: Signed or not, a byte is a byte.
    let bytes = unsafe { core::slice::from_raw_parts(array.as_ptr().cast::<u8>(), array.len()) };
    bytes.split(|byte| *byte == 0).next().unwrap_or(&[])
}

const STRING: u8 = own::KSTAT_DATA_STRING as u8;

/// # Safety
///
/// There are so many at `data`.
pub(super) unsafe fn has_strings(data: *const u8, ndata: u32) -> bool {
    let data = data.cast::<own::iostat_kstat_named>();
    // SAFETY: By this function's requirement.
    (0..ndata as usize).any(|index| unsafe { (*data.add(index)).data_type } == STRING)
}

/// Makes all strings none.
///
/// # Safety
///
/// There are so many at `data`, and nobody else looks at them.
pub(super) unsafe fn forget_strings(data: *mut u8, ndata: u32) {
    let data = data.cast::<own::iostat_kstat_named>();
    for index in 0..ndata as usize {
        // SAFETY: By this function's requirement.
        unsafe {
            let named = data.add(index);
            if (*named).data_type == STRING {
                (*named).value = Default::default();
            }
        }
    }
}

/// Copies a string behind `text`, and puts its offset in the pointer's place; nothing if it is none. How many
/// bytes there was no room for.
///
/// # Safety
///
/// There is one at `named`, which is ours. Its string is null or ends in a NUL or after `len` bytes,
/// and does not change meanwhile.
pub(super) unsafe fn take(named: *mut own::iostat_kstat_named, text: &mut KVVec<u8>) -> usize {
    // SAFETY: By this function's requirement.
    let named = unsafe { &mut *named };
    if named.data_type != STRING {
        return 0;
    }
    // SAFETY: All fields of the union are integers or pointers, valid of any bits.
    let (string, len) = unsafe { (named.value.str_.addr.ptr, named.value.str_.len) };
    let offset = text.len();
    let mut missing = 0usize;
    let mut copied = 0u32;
    if !string.is_null() {
        for index in 0..len {
            // SAFETY: By this function's requirement: no NUL was before it.
            let byte = unsafe { string.add(index as usize).read() };
            if byte == 0 {
                break;
            }
            match text.push_within_capacity(byte) {
                Ok(()) => copied = copied.saturating_add(1),
                Err(_) => missing = missing.saturating_add(1),
            }
        }
    }
    named.value.str_.addr.ptr = core::ptr::without_provenance_mut(offset);
    named.value.str_.len = copied;
    missing
}

/// Tells a value, of which the string is in `text`.
pub(super) fn value(
    named: &own::iostat_kstat_named,
    text: &[u8],
    tell: impl FnOnce(Value<'_>) -> Result,
) -> Result {
    let value = &named.value;
    // SAFETY: All fields of the union are integers or pointers, valid of any bits.
    unsafe {
        match u32::from(named.data_type) {
            own::KSTAT_DATA_CHAR => tell(Value::Text(name(&value.c))),
            own::KSTAT_DATA_INT32 => tell(Value::Signed(i64::from(value.i32_))),
            own::KSTAT_DATA_UINT32 => tell(Value::Unsigned(u64::from(value.ui32))),
            own::KSTAT_DATA_INT64 => tell(Value::Signed(value.i64_)),
            own::KSTAT_DATA_UINT64 => tell(Value::Unsigned(value.ui64)),
            own::KSTAT_DATA_FLOAT => tell(Value::Bits(u64::from(value.ui32))),
            own::KSTAT_DATA_DOUBLE => tell(Value::Bits(value.ui64)),
            // CAST: 64 bits at most.
            own::KSTAT_DATA_LONG => tell(Value::Signed(value.l as i64)),
            own::KSTAT_DATA_ULONG => tell(Value::Unsigned(value.ul as u64)),
            own::KSTAT_DATA_STRING => {
                let start = value.str_.addr.ptr as usize;
                let end = start.saturating_add(value.str_.len as usize);
                tell(Value::Text(text.get(start..end).unwrap_or(&[])))
            }
            // No such type.
            _ => Ok(()),
        }
    }
}

/// Reads a value of a statistic's type from text. `EINVAL` if it is none, and of what cannot be written:
/// fractions. A string becomes a pointer to `text`, which ends in a NUL.
pub(super) fn parse(named: &mut own::iostat_kstat_named, text: &[u8]) -> Result {
    let bytes = text.strip_suffix(&[0]).ok_or(EINVAL)?;
    let number = core::str::from_utf8(bytes).map_err(|_| EINVAL);
    fn parsed<T: core::str::FromStr>(number: Result<&str>) -> Result<T> {
        number?.parse().map_err(|_| EINVAL)
    }
    let mut value = own::iostat_kstat_named__bindgen_ty_1::default();
    match u32::from(named.data_type) {
        own::KSTAT_DATA_CHAR => {
            let mut array = [0; 16];
            if bytes.len() > array.len() {
                return Err(EINVAL);
            }
            for (into, from) in array.iter_mut().zip(bytes) {
                // CAST: A byte is a byte.
                *into = *from as c_char;
            }
            value.c = array;
        }
        own::KSTAT_DATA_INT32 => value.i32_ = parsed(number)?,
        own::KSTAT_DATA_UINT32 => value.ui32 = parsed(number)?,
        own::KSTAT_DATA_INT64 => value.i64_ = parsed(number)?,
        own::KSTAT_DATA_UINT64 => value.ui64 = parsed(number)?,
        own::KSTAT_DATA_LONG => value.l = parsed(number)?,
        own::KSTAT_DATA_ULONG => value.ul = parsed(number)?,
        own::KSTAT_DATA_STRING => {
            value.str_.addr.ptr = text.as_ptr().cast_mut().cast();
            value.str_.len = u32::try_from(text.len()).map_err(|_| EINVAL)?;
        }
        _ => return Err(EINVAL),
    }
    named.value = value;
    Ok(())
}
