// SPDX-License-Identifier: GPL-2.0

//! Tests of floors 1 and 2 that need a kernel; built only for the test kernel.
//!
//! A failed assertion ends the test's thread at once and runs no destructor. Therefore a test removes
//! everything that must not stay behind (a probe, a device, a directory, disabled interrupts) before its
//! first assertion about it.

mod account;
mod class;
mod clock;
mod device;
mod fprobe;
mod global;
mod kobject;
mod lookup;
mod miscdevice;
mod percpu;
mod published;
pub(crate) mod support;
mod sysfs;
mod tracepoint;
mod work;
mod zeroed;
