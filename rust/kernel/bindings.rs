// SPDX-License-Identifier: GPL-2.0

//! [`kernel::bindings`], and the functions of `rust/helpers/helpers.h` that it lacks.

#![allow(
    clippy::all,
    dead_code,
    improper_ctypes,
    missing_docs,
    non_camel_case_types,
    unreachable_pub,
    unused_imports,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]

include!(env!("RUST_HELPERS"));
