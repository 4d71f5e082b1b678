// SPDX-License-Identifier: GPL-2.0

//! The `kstat_t` that a client gets.

use super::super::bindings as own;
use crate::acct::kstat::{
    KstatType,
    KSTAT_STRLEN, //
};
use kernel::ffi::c_char;

/// The description of a kstat that its client sees.
pub(crate) struct KstatDescription<'a> {
    pub(crate) module: &'a [u8],
    pub(crate) instance: i32,
    pub(crate) name: &'a [u8],
    pub(crate) class: &'a [u8],
    pub(crate) kind: KstatType,
    pub(crate) ndata: u32,
    pub(crate) flags: u8,
    pub(crate) crtime_ns: u64,
}

/// Converts text to an array of C, with its NUL.
pub(super) fn text(text: &[u8]) -> [c_char; KSTAT_STRLEN] {
    let mut array = [0; KSTAT_STRLEN];
    for (into, from) in array.iter_mut().take(KSTAT_STRLEN - 1).zip(text) {
        // CAST: `c_char` has 8 bits, signed or not.
        *into = *from as c_char;
    }
    array
}

impl KstatDescription<'_> {
    pub(super) fn public(&self, data: *mut kernel::ffi::c_void, bytes: usize) -> own::iostat_kstat {
        own::iostat_kstat {
            // CAST: Below 2^63 ns for 292 years.
            ks_crtime: self.crtime_ns as i64,
            ks_module: text(self.module),
            ks_instance: self.instance,
            ks_name: text(self.name),
            ks_class: text(self.class),
            ks_type: self.kind as u8,
            ks_flags: self.flags,
            ks_data: data,
            ks_ndata: self.ndata,
            ks_data_size: bytes,
            ..Default::default()
        }
    }
}
