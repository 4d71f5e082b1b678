// SPDX-License-Identifier: GPL-2.0

//! What the fuzz targets share: the entry libFuzzer calls, values made of its bytes, and the
//! properties' model of floor 0.

use std::slice;

pub mod input;

#[path = "../../tests/host/properties/asked.rs"]
pub mod asked;
#[path = "../../tests/host/properties/dm.rs"]
pub mod dm;
#[path = "../../tests/host/properties/fast.rs"]
pub mod fast;
#[path = "../../tests/host/properties/invariants.rs"]
pub mod invariants;
#[path = "../../tests/host/properties/machine.rs"]
pub mod machine;
#[path = "../../tests/host/properties/model.rs"]
pub mod model;
#[path = "../../tests/host/properties/records.rs"]
pub mod records;
#[path = "../../tests/host/properties/written.rs"]
pub mod written;

/// Makes the body a fuzz target: `fuzz_target!(|data: &[u8]| { ... });`, the form of the
/// `libfuzzer-sys` crate. To panic is to have found something.
#[macro_export]
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:block) => {
        #[no_mangle]
        extern "C" fn LLVMFuzzerTestOneInput(bytes: *const u8, length: usize) -> i32 {
            // SAFETY: Called by libFuzzer, which promises this.
            let $data: &[u8] = unsafe { $crate::input_bytes(bytes, length) };
            $body
            0
        }
    };
}

/// The input libFuzzer passes.
///
/// # Safety
///
/// `length` bytes from `bytes` on can be read and do not change until the target returns.
pub unsafe fn input_bytes<'a>(bytes: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: As the caller promises.
    unsafe { slice::from_raw_parts(bytes, length) }
}
