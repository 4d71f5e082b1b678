// SPDX-License-Identifier: GPL-2.0

//! Floor 0 of iostat as an ordinary crate, made of the same files as the module.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod abi;
pub mod acct;
#[path = "../rust/kernel/below.rs"]
mod below;
#[path = "../rust/kernel/hint.rs"]
mod hint;
mod sync;

impl abi::out::Out for alloc::string::String {}
