// SPDX-License-Identifier: GPL-2.0

//! Tests of floors 1 and 2 that need a kernel under them; built for the test kernel alone.
//!
//! A failed assertion ends the test's thread there and then and runs no destructor. So whatever
//! must not stay behind (a probe, a device, a directory, interrupts that are off) is gone before
//! the first assertion on what it did.

mod account;
mod class;
mod clock;
mod device;
mod kobject;
mod lookup;
mod miscdevice;
mod percpu;
mod published;
pub(crate) mod support;
mod sysfs;
mod tracepoint;
mod zeroed;
