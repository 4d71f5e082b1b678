// SPDX-License-Identifier: GPL-2.0

//! `kstat_named_t`: names and values.

use crate::{
    acct::kstat::Value,
    glue::bindings as own, //
};
use kernel::{
    alloc::KVVec,
    ffi::c_char,
    prelude::*, //
};

/// Returns the name up to its NUL.
pub(super) fn name(array: &[c_char]) -> &[u8] {
    // SAFETY: It is the memory of a slice, borrowed for as long; `c_char` and `u8` have the same layout, and
    // every bit pattern is valid.
    let bytes = unsafe { core::slice::from_raw_parts(array.as_ptr().cast::<u8>(), array.len()) };
    bytes.split(|byte| *byte == 0).next().unwrap_or(&[])
}

const STRING: u8 = own::KSTAT_DATA_STRING as u8;

/// Returns whether one of the statistics is a string.
///
/// # Safety
///
/// There are `ndata` statistics at `data`.
pub(super) unsafe fn has_strings(data: *const u8, ndata: u32) -> bool {
    let data = data.cast::<own::iostat_kstat_named>();
    // SAFETY: By the requirement of this function `index` is in range.
    (0..ndata as usize).any(|index| unsafe { (*data.add(index)).data_type } == STRING)
}

/// Returns the statistic of this name.
///
/// # Safety
///
/// There are `ndata` statistics at `data`.
pub(super) unsafe fn find(
    data: *mut u8,
    ndata: u32,
    statistic: &[u8],
) -> Option<*mut own::iostat_kstat_named> {
    let data = data.cast::<own::iostat_kstat_named>();
    (0..ndata as usize).find_map(|index| {
        let at = data.wrapping_add(index);
        // SAFETY: By the requirement of this function `index` is in range. The name is copied, because the
        // client may change it.
        let array = unsafe { core::ptr::addr_of!((*at).name).read() };
        (name(&array) == statistic).then_some(at)
    })
}

/// The size of a value in bytes.
pub(super) const VALUE_BYTES: usize = core::mem::size_of::<own::iostat_kstat_named__bindgen_ty_1>();

/// Returns the bytes of a value.
pub(super) fn bytes(value: &own::iostat_kstat_named__bindgen_ty_1) -> [u8; VALUE_BYTES] {
    // SAFETY: The value was initialised with zeros, so it has no uninitialised bytes, and all of its members
    // are integers or pointers.
    unsafe {
        core::ptr::from_ref(value)
            .cast::<[u8; VALUE_BYTES]>()
            .read()
    }
}

/// Sets all strings to null.
///
/// # Safety
///
/// There are `ndata` statistics at `data`, and no other thread accesses them.
pub(super) unsafe fn forget_strings(data: *mut u8, ndata: u32) {
    let data = data.cast::<own::iostat_kstat_named>();
    for index in 0..ndata as usize {
        // SAFETY: By the requirement of this function `index` is in range.
        unsafe {
            let named = data.add(index);
            if (*named).data_type == STRING {
                (*named).value = Default::default();
            }
        }
    }
}

/// Appends a string to `text` and replaces its pointer by the offset there; does nothing for other types.
/// Returns the number of bytes for which `text` has no room.
///
/// # Safety
///
/// `named` is valid, and no other thread accesses it. Its string is null, or ends in a NUL or after `len`
/// bytes, and does not change during the call.
pub(super) unsafe fn take(named: *mut own::iostat_kstat_named, text: &mut KVVec<u8>) -> usize {
    // SAFETY: By the requirement of this function.
    let named = unsafe { &mut *named };
    if named.data_type != STRING {
        return 0;
    }
    // SAFETY: All members of the union are integers or pointers, for which every bit pattern is valid.
    let (string, len) = unsafe { (named.value.str_.addr.ptr, named.value.str_.len) };
    let offset = text.len();
    let mut missing = 0usize;
    let mut copied = 0u32;
    if !string.is_null() {
        for index in 0..len {
            // SAFETY: By the requirement of this function: no NUL was before it, and it is one of `len` bytes.
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

/// Calls `visit` with the value. The bytes of a string are in `text`.
pub(super) fn value(
    named: &own::iostat_kstat_named,
    text: &[u8],
    visit: impl FnOnce(Value<'_>) -> Result,
) -> Result {
    let value = &named.value;
    // SAFETY: All members of the union are integers or pointers, for which every bit pattern is valid.
    unsafe {
        match u32::from(named.data_type) {
            own::KSTAT_DATA_CHAR => visit(Value::Char(name(&value.c))),
            own::KSTAT_DATA_INT32 => visit(Value::Int32(value.i32_)),
            own::KSTAT_DATA_UINT32 => visit(Value::Uint32(value.ui32)),
            own::KSTAT_DATA_INT64 => visit(Value::Int64(value.i64_)),
            own::KSTAT_DATA_UINT64 => visit(Value::Uint64(value.ui64)),
            own::KSTAT_DATA_FLOAT => visit(Value::Float(value.ui32)),
            own::KSTAT_DATA_DOUBLE => visit(Value::Double(value.ui64)),
            // CAST: 64 bits at most.
            own::KSTAT_DATA_LONG => visit(Value::Int64(value.l as i64)),
            own::KSTAT_DATA_ULONG => visit(Value::Uint64(value.ul as u64)),
            own::KSTAT_DATA_STRING => {
                let start = value.str_.addr.ptr as usize;
                let end = start.saturating_add(value.str_.len as usize);
                visit(Value::String(text.get(start..end).unwrap_or(&[])))
            }
            // An unknown type.
            _ => Ok(()),
        }
    }
}

/// A new value for a statistic.
pub(crate) enum NewValue<'a> {
    /// The value as text, which ends in a NUL.
    Text(&'a [u8]),
    /// A value of a certain type. A string ends in a NUL.
    Value(Value<'a>),
}

impl NewValue<'_> {
    /// Stores the value in a statistic. `EINVAL` if it is not of the statistic's type, or if it is text and the
    /// type is FLOAT or DOUBLE. For a string only the pointer is stored.
    pub(super) fn put(&self, named: &mut own::iostat_kstat_named) -> Result {
        let value = match self {
            NewValue::Text(text) => parse(named.data_type, text)?,
            NewValue::Value(value) => *value,
        };
        set(named, value)
    }
}

fn parse(data_type: u8, text: &[u8]) -> Result<Value<'_>> {
    let bytes = text.strip_suffix(&[0]).ok_or(EINVAL)?;
    fn number<T: core::str::FromStr>(bytes: &[u8]) -> Result<T> {
        let text = core::str::from_utf8(bytes).map_err(|_| EINVAL)?;
        text.parse().map_err(|_| EINVAL)
    }
    Ok(match u32::from(data_type) {
        own::KSTAT_DATA_CHAR => Value::Char(bytes),
        own::KSTAT_DATA_INT32 => Value::Int32(number(bytes)?),
        own::KSTAT_DATA_UINT32 => Value::Uint32(number(bytes)?),
        own::KSTAT_DATA_INT64 | own::KSTAT_DATA_LONG => Value::Int64(number(bytes)?),
        own::KSTAT_DATA_UINT64 | own::KSTAT_DATA_ULONG => Value::Uint64(number(bytes)?),
        own::KSTAT_DATA_STRING => Value::String(text),
        _ => return Err(EINVAL),
    })
}

fn set(named: &mut own::iostat_kstat_named, value: Value<'_>) -> Result {
    let mut new = own::iostat_kstat_named__bindgen_ty_1::default();
    match (u32::from(named.data_type), value) {
        (own::KSTAT_DATA_CHAR, Value::Char(text)) => {
            let mut array = [0; 16];
            if text.len() > array.len() {
                return Err(EINVAL);
            }
            for (into, from) in array.iter_mut().zip(text) {
                // CAST: `c_char` has 8 bits.
                *into = *from as c_char;
            }
            new.c = array;
        }
        (own::KSTAT_DATA_INT32, Value::Int32(number)) => new.i32_ = number,
        (own::KSTAT_DATA_UINT32, Value::Uint32(number)) => new.ui32 = number,
        (own::KSTAT_DATA_FLOAT, Value::Float(bits)) => new.ui32 = bits,
        (own::KSTAT_DATA_INT64 | own::KSTAT_DATA_LONG, Value::Int64(number)) => new.i64_ = number,
        (own::KSTAT_DATA_UINT64 | own::KSTAT_DATA_ULONG, Value::Uint64(number)) => {
            new.ui64 = number;
        }
        (own::KSTAT_DATA_DOUBLE, Value::Double(bits)) => new.ui64 = bits,
        (own::KSTAT_DATA_STRING, Value::String(text)) if text.ends_with(&[0]) => {
            new.str_.addr.ptr = text.as_ptr().cast_mut().cast();
            new.str_.len = u32::try_from(text.len()).map_err(|_| EINVAL)?;
        }
        _ => return Err(EINVAL),
    }
    named.value = new;
    Ok(())
}

// A `long` has the size of the value that is stored in it.
const _: () = assert!(core::mem::size_of::<kernel::ffi::c_long>() == core::mem::size_of::<i64>());
