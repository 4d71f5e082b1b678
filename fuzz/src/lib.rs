// SPDX-License-Identifier: GPL-2.0

//! Shared by the fuzz targets: the entry point for libFuzzer, values made from its bytes, and the
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
/// `libfuzzer-sys` crate. A panic is a finding.
#[macro_export]
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:block) => {
        #[no_mangle]
        extern "C" fn LLVMFuzzerTestOneInput(bytes: *const u8, length: usize) -> i32 {
            // SAFETY: libFuzzer calls this with `length` readable bytes that stay unchanged.
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
/// `length` bytes from `bytes` on are readable and do not change until the target returns.
pub unsafe fn input_bytes<'a>(bytes: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: By this function's requirement.
    unsafe { slice::from_raw_parts(bytes, length) }
}
