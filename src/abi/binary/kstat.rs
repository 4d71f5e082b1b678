// SPDX-License-Identifier: GPL-2.0

//! The structures of the ioctls for kstats: `include/uapi/linux/iostat_kstat.h`.

use crate::{
    abi::name::NAME_LEN,
    acct::kstat::Value, //
};

/// `IOSTAT_KSTAT_NAME_LEN`: the longest name of a statistic, the longest suffix of a timer, and a NUL.
pub const STATISTIC_LEN: usize = 48;

/// `struct iostat_kstat_header`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct KstatHeader {
    pub kid: u32,
    pub kind: u32,
    pub flags: u32,
    pub ndata: u32,
    pub instance: i32,
    pub reserved: u32,
    pub crtime: u64,
    pub module: [u8; NAME_LEN],
    pub name: [u8; NAME_LEN],
    pub class: [u8; NAME_LEN],
}

/// `struct iostat_kstat_list`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct KstatList {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub chain_id: u32,
    pub reserved: u32,
    pub headers: u64,
}

/// `struct iostat_kstat_read`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Read {
    pub size: u32,
    pub flags: u32,
    pub kid: u32,
    pub chain_id: u32,
    pub snaptime: u64,
    pub crtime: u64,
    pub kind: u32,
    pub kstat_flags: u32,
    pub ndata: u32,
    pub entry_size: u32,
    pub count: u32,
    pub bytes: u32,
    pub values: u64,
    pub data: u64,
}

/// `struct iostat_kstat_write`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct KstatWrite {
    pub size: u32,
    pub flags: u32,
    pub kid: u32,
    pub chain_id: u32,
    pub data_type: u32,
    pub len: u32,
    pub value: u64,
    pub name: [u8; STATISTIC_LEN],
}

impl Default for KstatWrite {
    fn default() -> Self {
        KstatWrite {
            size: 0,
            flags: 0,
            kid: 0,
            chain_id: 0,
            data_type: 0,
            len: 0,
            value: 0,
            name: [0; STATISTIC_LEN],
        }
    }
}

/// `struct iostat_kstat_value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct KstatValue {
    pub name: [u8; STATISTIC_LEN],
    pub data_type: u32,
    pub len: u32,
    pub value: u64,
}

/// `IOSTAT_KSTAT_DATA_*`.
pub mod data {
    /// `IOSTAT_KSTAT_DATA_CHAR`.
    pub const CHAR: u32 = 0;
    /// `IOSTAT_KSTAT_DATA_INT32`.
    pub const INT32: u32 = 1;
    /// `IOSTAT_KSTAT_DATA_UINT32`.
    pub const UINT32: u32 = 2;
    /// `IOSTAT_KSTAT_DATA_INT64`.
    pub const INT64: u32 = 3;
    /// `IOSTAT_KSTAT_DATA_UINT64`.
    pub const UINT64: u32 = 4;
    /// `IOSTAT_KSTAT_DATA_FLOAT`.
    pub const FLOAT: u32 = 5;
    /// `IOSTAT_KSTAT_DATA_DOUBLE`.
    pub const DOUBLE: u32 = 6;
    /// `IOSTAT_KSTAT_DATA_STRING`.
    pub const STRING: u32 = 9;
}

impl KstatValue {
    /// Creates a statistic with this name. Text is at `offset`.
    pub fn new(name: impl Iterator<Item = u8>, value: Value<'_>, offset: u64) -> Self {
        let mut array = [0; STATISTIC_LEN];
        let room = array.iter_mut().take(STATISTIC_LEN.saturating_sub(1));
        for (into, from) in room.zip(name) {
            *into = from;
        }
        // CAST: Negative numbers are sign-extended.
        let signed = |number: i64| number as u64;
        // CAST: The text was copied with a length of 32 bits.
        let len = text(value).map_or(0, |text| text.len() as u32);
        let (data_type, value) = match value {
            Value::Char(_) => (data::CHAR, offset),
            Value::Int32(number) => (data::INT32, signed(number.into())),
            Value::Uint32(number) => (data::UINT32, number.into()),
            Value::Int64(number) => (data::INT64, signed(number)),
            Value::Uint64(number) => (data::UINT64, number),
            Value::Float(bits) => (data::FLOAT, bits.into()),
            Value::Double(bits) => (data::DOUBLE, bits),
            Value::String(_) => (data::STRING, offset),
        };
        KstatValue {
            name: array,
            data_type,
            len,
            value,
        }
    }
}

/// Returns the text of a value that is text.
pub fn text(value: Value<'_>) -> Option<&[u8]> {
    match value {
        Value::Char(text) | Value::String(text) => Some(text),
        _ => None,
    }
}

/// Returns whether values of this type are text.
pub fn is_text(data_type: u32) -> bool {
    matches!(data_type, data::CHAR | data::STRING)
}

/// Returns the value of this type, from a number as in [`KstatValue::value`] or from text. [`None`] if the type
/// is unknown or the number is out of its range.
pub fn value(data_type: u32, number: u64, text: &[u8]) -> Option<Value<'_>> {
    // CAST: Signed and unsigned have the same bits.
    let signed = number as i64;
    Some(match data_type {
        data::CHAR => Value::Char(text),
        data::INT32 => Value::Int32(signed.try_into().ok()?),
        data::UINT32 => Value::Uint32(number.try_into().ok()?),
        data::INT64 => Value::Int64(signed),
        data::UINT64 => Value::Uint64(number),
        data::FLOAT => Value::Float(number.try_into().ok()?),
        data::DOUBLE => Value::Double(number),
        data::STRING => Value::String(text),
        _ => return None,
    })
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_binary_kstat))]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn structures_have_the_sizes_of_version_1() {
        let sizes = [
            (size_of::<KstatHeader>(), 224),
            (size_of::<KstatList>(), 32),
            (size_of::<Read>(), 72),
            (size_of::<KstatWrite>(), 80),
            (size_of::<KstatValue>(), 64),
        ];
        for (size, expected) in sizes {
            assert_eq!(size, expected);
        }
    }

    #[test]
    fn values_are_converted_without_loss() {
        let table = [
            (Value::Char(b"abc"), 0, 3),
            (Value::Int32(-2), 1, 0),
            (Value::Uint32(u32::MAX), 2, 0),
            (Value::Int64(i64::MIN), 3, 0),
            (Value::Uint64(u64::MAX), 4, 0),
            (Value::Float(0x3f80_0000), 5, 0),
            (Value::Double(u64::MAX), 6, 0),
            (Value::String(b"longer than sixteen"), 9, 19),
        ];
        for (sent, data_type, len) in table {
            let statistic = KstatValue::new(b"n".iter().copied(), sent, 77);
            assert_eq!((statistic.data_type, statistic.len), (data_type, len));
            let bytes = text(sent).unwrap_or(&[]);
            let is_offset = statistic.value == 77;
            assert_eq!(is_offset, text(sent).is_some());
            assert_eq!(is_offset, is_text(data_type));
            assert_eq!(value(data_type, statistic.value, bytes), Some(sent));
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let table = [
            (data::INT32, 1 << 31),
            (data::INT32, u64::MAX << 32),
            (data::UINT32, 1 << 32),
            (data::UINT32, u64::MAX),
            (data::FLOAT, 1 << 32),
            (7, 0),
            (8, 0),
            (10, 0),
            (u32::MAX, 0),
        ];
        for (data_type, number) in table {
            assert_eq!(value(data_type, number, b""), None);
        }
    }

    #[test]
    fn a_name_ends_in_a_nul() {
        let statistic = KstatValue::new(core::iter::repeat(b'n'), Value::Uint32(1), 0);
        assert_eq!(statistic.name[46..], [b'n', 0]);
        // The longest name.
        assert_eq!(
            crate::acct::kstat::KSTAT_STRLEN - 1 + ".elapsed_time".len() + 1,
            44
        );
    }
}
