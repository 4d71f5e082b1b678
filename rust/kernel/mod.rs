// SPDX-License-Identifier: GPL-2.0

//! Floor 1: safe abstractions of interfaces of the kernel that the `kernel` crate lacks.
//!
//! Each file could be part of that crate: it depends on nothing else of this module, and the style area refuses a file
//! that names this module. [`crate::glue`] binds these abstractions to this module.

pub(crate) mod bindings;
pub(crate) mod block;
pub(crate) mod capability;
pub(crate) mod class;
pub(crate) mod error;
pub(crate) mod fprobe;
pub(crate) mod global;
pub(crate) mod index_pool;
pub(crate) mod ioctl;
pub(crate) mod jump_label;
pub(crate) mod kobject;
pub(crate) mod masked;
pub(crate) mod memory;
pub(crate) mod miscdevice;
pub(crate) mod mmap;
pub(crate) mod module;
pub(crate) mod once;
pub(crate) mod pages;
pub(crate) mod percpu;
pub(crate) mod poll;
pub(crate) mod published;
pub(crate) mod spare;
pub(crate) mod sysfs;
pub(crate) mod task;
pub(crate) mod time;
pub(crate) mod tracepoint;
pub(crate) mod work;
pub(crate) mod zeroed;
