// SPDX-License-Identifier: GPL-2.0

//! Values with names, of any types.

use super::abi::{
    self,
    data_type, //
};
use core::ffi::CStr;
use kernel::{
    alloc::KVVec,
    error::to_result,
    prelude::*, //
};

/// A value with its type. The obsolete types FLOAT and DOUBLE are not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    /// Characters up to a NUL, or all 16.
    Char([u8; 16]),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    /// `long`.
    Long(isize),
    /// `unsigned long`.
    Ulong(usize),
    /// A string of any length. It is copied.
    Text(&'a CStr),
}

fn words(bytes: &[u8]) -> [u64; 2] {
    let mut all = [[0; 8]; 2];
    for (into, from) in all.as_flattened_mut().iter_mut().zip(bytes) {
        *into = *from;
    }
    all.map(u64::from_ne_bytes)
}

impl Value<'_> {
    /// Returns a value with the first 16 bytes of `text`.
    pub(crate) fn chars(text: &str) -> Self {
        let mut chars = [0; 16];
        for (into, from) in chars.iter_mut().zip(text.bytes()) {
            *into = from;
        }
        Value::Char(chars)
    }

    fn data_type(&self) -> u8 {
        match self {
            Value::Char(_) => data_type::CHAR,
            Value::I32(_) => data_type::INT32,
            Value::U32(_) => data_type::UINT32,
            Value::I64(_) => data_type::INT64,
            Value::U64(_) => data_type::UINT64,
            Value::Long(_) => data_type::LONG,
            Value::Ulong(_) => data_type::ULONG,
            Value::Text(_) => data_type::STRING,
        }
    }
}

/// Statistics with names.
///
/// # Invariants
///
/// There are as many texts as statistics. The value of a string is a pointer to the text with the same index,
/// which ends in a NUL. The texts of all other statistics are empty.
#[derive(Default)]
pub(crate) struct Values {
    named: KVVec<abi::Named>,
    texts: KVVec<KVVec<u8>>,
}

impl Values {
    /// Returns an empty list.
    pub(crate) fn new() -> Self {
        // INVARIANT: There are no statistics and no texts.
        Self::default()
    }

    /// Returns the number of statistics.
    pub(crate) fn len(&self) -> usize {
        self.named.len()
    }

    /// Adds a statistic. May sleep.
    ///
    /// # Errors
    ///
    /// `EINVAL` or `ENAMETOOLONG` if the name is invalid: it has 1 to 30 printable ASCII characters, the first
    /// and last of them not blank; `ENOMEM`.
    pub(crate) fn push(&mut self, name: &CStr, value: Value<'_>) -> Result {
        let mut named = abi::Named::NONE;
        let data_type = value.data_type();
        // SAFETY: `named` is valid for writes; the string is NUL-terminated and copied.
        to_result(unsafe {
            abi::iostat_kstat_named_init(&mut named, name.as_char_ptr(), data_type)
        })?;
        let text = store(&mut named, value)?;
        self.named.reserve(1, GFP_KERNEL)?;
        self.texts.push(text, GFP_KERNEL)?;
        // INVARIANT: Moving the text into the vector does not move its bytes. The push cannot fail: there is
        // room.
        self.named.push(named, GFP_KERNEL)?;
        Ok(())
    }

    /// Sets a value. May sleep if it is a string.
    ///
    /// # Errors
    ///
    /// `EINVAL` if `index` is too large or the value has another type than the statistic, `ENOMEM`.
    pub(crate) fn set(&mut self, index: usize, value: Value<'_>) -> Result {
        let named = self.named.get_mut(index).ok_or(EINVAL)?;
        let text = self.texts.get_mut(index).ok_or(EINVAL)?;
        if named.data_type != value.data_type() {
            return Err(EINVAL);
        }
        // INVARIANT: The former text is freed after the pointer to it was replaced.
        *text = store(named, value)?;
        Ok(())
    }

    /// Returns a value; `None` if `index` is too large.
    pub(crate) fn get(&self, index: usize) -> Option<Value<'_>> {
        let named = self.named.get(index)?;
        let [first, second] = named.value.map(u64::to_ne_bytes);
        let [a, b, c, d, ..] = first;
        Some(match named.data_type {
            data_type::CHAR => {
                let mut chars = [0; 16];
                for (into, from) in chars.iter_mut().zip([first, second].as_flattened()) {
                    *into = *from;
                }
                Value::Char(chars)
            }
            data_type::INT32 => Value::I32(i32::from_ne_bytes([a, b, c, d])),
            data_type::UINT32 => Value::U32(u32::from_ne_bytes([a, b, c, d])),
            data_type::INT64 => Value::I64(i64::from_ne_bytes(first)),
            data_type::UINT64 => Value::U64(u64::from_ne_bytes(first)),
            // CAST: A `long` has 64 bits.
            data_type::LONG => Value::Long(i64::from_ne_bytes(first) as isize),
            data_type::ULONG => Value::Ulong(u64::from_ne_bytes(first) as usize),
            _ => {
                let text = self.texts.get(index)?;
                Value::Text(CStr::from_bytes_until_nul(text).ok()?)
            }
        })
    }

    /// Returns the array that is passed to iostat.
    pub(super) fn named(&mut self) -> &mut [abi::Named] {
        &mut self.named
    }

    /// Copies the values of `from`, by index. May sleep. `ENOMEM`.
    ///
    /// # Safety
    ///
    /// `from` has the same types at the same indices, and each string in it is null, a pointer of `self`, or
    /// NUL-terminated.
    pub(super) unsafe fn take(&mut self, from: &[abi::Named]) -> Result {
        for (index, from) in from.iter().enumerate() {
            let Some(named) = self.named.get_mut(index) else {
                break;
            };
            if named.data_type != data_type::STRING {
                named.value = from.value;
                continue;
            }
            // The first half of both is the pointer.
            let ([pointer, _], [own, _]) = (from.value, named.value);
            if pointer != own && pointer != 0 {
                // SAFETY: By the requirement of this function it is NUL-terminated. CAST: It is a pointer.
                let text = unsafe { CStr::from_char_ptr(pointer as *const kernel::ffi::c_char) };
                self.set(index, Value::Text(text))?;
            }
        }
        Ok(())
    }
}

/// Stores a value of the right type in a statistic. Returns the text that the statistic points to.
fn store(named: &mut abi::Named, value: Value<'_>) -> Result<KVVec<u8>> {
    let mut text = KVVec::new();
    named.value = match value {
        Value::Char(chars) => words(&chars),
        Value::I32(number) => words(&number.to_ne_bytes()),
        Value::U32(number) => words(&number.to_ne_bytes()),
        Value::I64(number) => words(&number.to_ne_bytes()),
        Value::U64(number) => words(&number.to_ne_bytes()),
        Value::Long(number) => words(&number.to_ne_bytes()),
        Value::Ulong(number) => words(&number.to_ne_bytes()),
        Value::Text(string) => {
            text.extend_from_slice(string.to_bytes_with_nul(), GFP_KERNEL)?;
            // SAFETY: `named` is a valid statistic of type string, and the text ends in a NUL.
            to_result(unsafe { abi::iostat_kstat_named_setstr(named, text.as_ptr().cast()) })?;
            named.value
        }
    };
    Ok(text)
}

#[cfg(not(target_pointer_width = "64"))]
compile_error!("a long is taken to be 64 bits");
