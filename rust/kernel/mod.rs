// SPDX-License-Identifier: GPL-2.0

//! Floor 1: safe abstractions that the `kernel` crate lacks, and wrappers of this module's own C files.
//!
//! The abstractions are general: such a file is removed when the `kernel` crate provides the same. The wrappers
//! name the header in `include/iostat/` that they belong to. Besides `recorder/probe.rs` and the files in
//! `recorder/probe/`, `kapi/exports.rs` and `kapi/exports/`, this is the only place in the module with
//! `unsafe`.

pub(crate) mod bindings;
pub(crate) mod block;
pub(crate) mod capability;
pub(crate) mod class;
pub(crate) mod clock;
pub(crate) mod error;
#[cfg(target_arch = "x86_64")]
pub(crate) mod fast;
pub(crate) mod general;
pub(crate) mod global;
pub(crate) mod index_pool;
pub(crate) mod io_events;
pub(crate) mod ioctl;
mod jump_label;
pub(crate) mod kobject;
pub(crate) mod kstat;
pub(crate) mod lookup;
pub(crate) mod masked;
pub(crate) mod memory;
pub(crate) mod miscdevice;
pub(crate) mod mmap;
pub(crate) mod module;
pub(crate) mod nfs;
mod numbers;
pub(crate) mod once;
pub(crate) mod pages;
pub(crate) mod percpu;
pub(crate) mod poll;
pub(crate) mod print;
pub(crate) mod published;
pub(crate) mod records;
pub(crate) mod region_areas;
pub(crate) mod sysfs;
pub(crate) mod tag_waits;
pub(crate) mod task;
pub(crate) mod tracepoint;
mod uapi;
pub(crate) mod upkeep;
pub(crate) mod waits;
pub(crate) mod zeroed;
