// SPDX-License-Identifier: GPL-2.0

//! An I/O in the words of DTrace's io provider.

use crate::{
    abi::identity::major_minor,
    acct::class::Class,
    kernel_ext::io_events::{
        flag,
        Io, //
    },
    recorder::listener::Event,
};

/// `b_flags` of an I/O. illumos' `buf` knows reads and everything else; so do we.
fn flags(event: &Event<'_>) -> u32 {
    let is_user_memory = event.bio.as_ref().is_some_and(|bio| bio.is_user_memory());
    let mut flags = if Class::of(event.op, 1) == Class::Read {
        flag::B_READ
    } else {
        flag::B_WRITE
    };
    flags |= if is_user_memory {
        flag::B_PHYS
    } else {
        flag::B_PAGEIO
    };
    if !event.is_sync {
        flags |= flag::B_ASYNC;
    }
    if let Some(done) = &event.done {
        flags |= flag::B_DONE;
        if done.error != 0 {
            flags |= flag::B_ERROR;
        }
    }
    flags
}

/// Lengths are 32 bits in a `buf`.
fn saturate(bytes: u64) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// What the events tell of an I/O.
pub(super) fn io(event: &Event<'_>) -> Io {
    let disk = event.account.identity();
    let (name, dev, partition_start) = match &event.bio {
        Some(bio) => (bio.device_name(), bio.dev(), bio.partition_start()),
        None => (disk.name, disk.dev(), 0),
    };
    let (dev_major, dev_minor) = major_minor(dev);
    let mut io = Io {
        id: event.id,
        b_flags: flags(event),
        b_bcount: saturate(event.bcount),
        b_bufsize: saturate(event.bcount),
        b_blkno: event.sector,
        b_lblkno: event.sector.wrapping_sub(partition_start),
        b_iodone: event.end_io,
        b_edev: dev,
        dev_major,
        dev_minor,
        dev_instance: i32::try_from(disk.name.unit().1).unwrap_or(0),
        dev_name: *disk.driver.as_bytes(),
        dev_statname: *name.as_bytes(),
        ..Io::default()
    };
    if let Some(done) = &event.done {
        io.b_error = done.error;
        io.b_resid = saturate(done.resid);
        io.wait_ns = done.times.wait_ns;
        io.service_ns = done.times.service_ns;
    }
    io
}
