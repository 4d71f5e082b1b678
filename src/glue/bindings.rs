// SPDX-License-Identifier: GPL-2.0

//! The types, numbers and functions that C defines and Rust uses: see `src/glue/bindings.h`.

#![allow(
    clippy::all,
    dead_code,
    improper_ctypes,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unreachable_pub,
    unused_imports,
    unsafe_op_in_unsafe_fn,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]

include!(env!("IOSTAT_BINDINGS"));
