// SPDX-License-Identifier: GPL-2.0

//! An I/O in the words of DTrace's io provider.

use super::account::Account;
use crate::{
    abi::identity::major_minor,
    acct::{
        class::Class,
        entry::Times, //
    },
    kernel_ext::{
        block::bio::Bio,
        io_events::{
            self,
            flag,
            Io, //
        }, //
    },
};

/// An I/O at its start or its end, for those who watch each.
pub(super) struct Event<'a> {
    /// Pairs an end with its start; 0 if the start was not watched.
    pub(super) id: u64,
    /// The account of the disk or partition.
    pub(super) account: &'a Account,
    /// `REQ_OP_*`.
    pub(super) op: u8,
    /// Whether somebody waits for it.
    pub(super) is_sync: bool,
    /// Bytes asked for.
    pub(super) bcount: u64,
    /// First sector on the whole disk.
    pub(super) sector: u64,
    /// Address of the function called at its end, or 0.
    pub(super) end_io: u64,
    /// Its (first) bio, if it has one and that is still meant for this disk.
    pub(super) bio: Option<Bio<'a>>,
    /// How it ended.
    pub(super) done: Option<Done>,
}

/// How an I/O ended.
pub(super) struct Done {
    /// Positive errno, or 0.
    pub(super) error: i32,
    /// Bytes that were not transferred.
    pub(super) resid: u64,
    /// Where its time went.
    pub(super) times: Times,
}

/// An I/O starts. With interrupts as its submitter has them.
#[cold]
pub(super) fn start(event: &Event<'_>) {
    io_events::start(&io(event));
}

/// An I/O has ended. From any context.
#[cold]
pub(super) fn done(event: &Event<'_>) {
    io_events::done(&io(event));
}

pub(super) use io_events::done_enabled as watches_done;

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
fn io(event: &Event<'_>) -> Io {
    let (disk, target) = (event.account.disk_identity(), event.account.identity());
    let (name, dev, partition_start) = match &event.bio {
        Some(bio) => (bio.device_name(), bio.dev(), bio.partition_start()),
        None => (target.name, target.dev, 0),
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
