// SPDX-License-Identifier: GPL-2.0

//! The start and end of each I/O for the tracepoints of `include/trace/events/io.h`, through
//! `include/iostat/io_trace.h`.

use super::{
    bindings,
    nfs::Inode, //
};
use crate::abi::{
    identity::{
        major_minor,
        statname,
        Identity, //
    },
    name::{
        keep_end,
        Name, //
    },
};
use crate::kernel_ext::{
    block::{
        bio::Bio,
        device::BlockDevice, //
    },
    jump_label::branch_unlikely, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

pub(crate) use super::bindings::{
    iostat_bufinfo as Bufinfo,
    iostat_result as Ended,
    iostat_traced_device as Devinfo, //
};

/// The length of a path below `/sys`, including a NUL.
// CAST: A small number.
pub(crate) const PATH_LEN: usize = bindings::IOSTAT_DEV_PATH_LEN as usize;

/// Bytes of `dev_statname`, with a NUL.
// CAST: A small number.
pub(crate) const STATNAME_LEN: usize = bindings::IOSTAT_STATNAME_LEN as usize;

/// Returns the end of the path of a device below `/sys`; empty if there is no memory. May sleep.
pub(crate) fn sysfs_path(device: &BlockDevice<'_>) -> [u8; PATH_LEN] {
    let path = device.path();
    path.map_or([0; PATH_LEN], |path| keep_end(path.as_bytes()))
}

/// The identity of a disk or partition, from the name of its disk and its path below `/sys`.
pub(crate) fn devinfo(identity: &Identity, disk: &Name, dev_pathname: &[u8; PATH_LEN]) -> Devinfo {
    let (dev_major, dev_minor) = major_minor(identity.dev);
    let dev_name: [u8; DRIVER_LEN] = keep_end(identity.driver.bytes());
    let mut dev = Devinfo::default();
    dev.info.dev_major = dev_major;
    dev.info.dev_minor = dev_minor;
    dev.info.dev_instance = i32::try_from(disk.unit().1).unwrap_or(0);
    dev.info.dev_statname = statname(&identity.name, identity.dev);
    dev.set_texts([&dev_name, dev_pathname]);
    dev
}

impl Devinfo {
    /// A device of which nothing is known.
    pub(crate) fn unknown() -> Self {
        let mut dev = Devinfo::default();
        dev.set_texts([&[], &[]]);
        dev
    }

    /// Sets its driver and its path below `/sys`, each up to its first NUL.
    pub(crate) fn set_texts(&mut self, texts: [&[u8]; 2]) {
        let mut places = self.texts.iter_mut();
        let mut at = 0u32;
        for (place, text) in [&mut self.dev_name, &mut self.dev_pathname]
            .into_iter()
            .zip(texts)
        {
            let text = text.iter().take_while(|byte| **byte != 0);
            let mut len = 0u32;
            for (byte, into) in Iterator::chain(text, [&0]).zip(places.by_ref()) {
                *into = *byte;
                len = len.wrapping_add(1);
            }
            *place = len << 16 | at;
            at = at.wrapping_add(len);
        }
        // Not `next_multiple_of()`, whose sum is checked, with a panic.
        self.bytes = at.wrapping_add(7) & !7;
    }
}

/// The flags of `b_flags`.
pub(crate) mod flag {
    pub(crate) use super::super::bindings::{
        IOSTAT_B_ASYNC as B_ASYNC,
        IOSTAT_B_READ as B_READ,
        IOSTAT_B_WRITE as B_WRITE, //
    };
}

/// How an I/O ended: `outcome`.
pub(crate) mod outcome {
    pub(crate) use super::super::bindings::{
        IOSTAT_ABANDONED as ABANDONED,
        IOSTAT_COMPLETED as COMPLETED,
        IOSTAT_MERGED as MERGED,
        IOSTAT_REFUSED as REFUSED, //
    };
}

/// Whether the event `io:done` is enabled: a patched jump, which costs nothing while the event is disabled.
/// (`src/hooks/probes.c` tests whether the start of an I/O is to be recorded.)
#[inline(always)]
pub(crate) fn done_enabled() -> bool {
    // SAFETY: The key is that of a tracepoint defined in `src/io/events.c`.
    unsafe {
        branch_unlikely!(
            bindings::__tracepoint_done,
            kernel::bindings::tracepoint,
            key
        )
    }
}

/// A static key by itself, as a structure: the macro expects a member of a structure.
#[repr(C)]
pub(super) struct StaticKey {
    pub(super) key: kernel::bindings::static_key_false,
}

extern "C" {
    static iostat_watched: StaticKey;
}

/// Whether `io:start` or `io:done` is enabled, or there are accounts by cgroup: a patched jump.
#[inline(always)]
pub(crate) fn watched() -> bool {
    // SAFETY: The key is that of `src/hooks/probes.c`; it is read and written by the kernel's functions alone.
    unsafe { branch_unlikely!(iostat_watched, StaticKey, key) }
}

/// Whether the event `io:merge` is enabled, as [`done_enabled`].
#[inline(always)]
pub(crate) fn merge_enabled() -> bool {
    // SAFETY: The key is that of a tracepoint defined in `src/io/events.c`.
    unsafe {
        branch_unlikely!(
            bindings::__tracepoint_merge,
            kernel::bindings::tracepoint,
            key
        )
    }
}

/// The maximum length of the name of a driver, including a NUL.
// CAST: A small number.
pub(crate) const DRIVER_LEN: usize = bindings::IOSTAT_DRIVER_LEN as usize;

/// The maximum number of parts of the records.
// CAST: A small number.
pub(crate) const PARTS: usize = bindings::IOSTAT_WATCH_PARTS as usize;

/// The number of a record: that of the entry with the same place in the table.
#[derive(Clone, Copy)]
pub(crate) struct Number(u64);

impl Number {
    /// The number of no record.
    pub(crate) const NONE: Number = Number(u64::MAX);

    /// The number of a record in a part.
    pub(crate) fn new(part: usize, index: usize) -> Self {
        // CAST: Both are far below 2^32.
        Number((part as u64) << 32 | index as u64)
    }
}

/// The position of an I/O in a file.
pub(crate) struct FilePosition<'a> {
    pub(crate) inode: Inode<'a>,
    /// Bytes.
    pub(crate) offset: i64,
    /// Whether it bypasses the page cache.
    pub(crate) is_direct: bool,
}

/// Whether there are records.
static ARE_OPEN: AtomicBool = AtomicBool::new(false);

/// The records of I/Os in flight for the tracepoints of the io provider.
///
/// # Invariants
///
/// `iostat_trace_open()` was called, and no other value exists: [`ARE_OPEN`] is set.
pub(crate) struct IoTraceRecords(());

impl IoTraceRecords {
    /// Creates the first part, of so many records. May sleep; `ENOMEM`, `EBUSY` if there are records already.
    pub(crate) fn new(count: usize) -> Result<Self> {
        if ARE_OPEN.swap(true, Ordering::Acquire) {
            return Err(EBUSY);
        }
        // SAFETY: Called where one may sleep. No other value exists, through which records could be in use.
        let opened = to_result(unsafe { bindings::iostat_trace_open(count) });
        if opened.is_err() {
            ARE_OPEN.store(false, Ordering::Release);
        }
        // INVARIANT: The flag was not set before, so there is no other value.
        opened.map(|()| IoTraceRecords(()))
    }

    /// Adds a part of so many records. May sleep; `ENOMEM`.
    pub(crate) fn add(&self, count: usize) -> Result {
        // SAFETY: By the type invariant, and as above.
        to_result(unsafe { bindings::iostat_trace_add(count) })
    }

    /// An I/O starts, whose entry has this number. Called by the thread that submits it; `is_own`
    /// is whether that thread has also created it.
    pub(crate) fn start(
        &self,
        number: Number,
        buf: &Bufinfo,
        dev: &Devinfo,
        bio: Option<Bio<'_>>,
        is_own: bool,
    ) {
        let bio = bio.map_or(core::ptr::null_mut(), |bio| bio.as_ptr());
        // SAFETY: Any number will do, the references are valid, and the bio is one that is being
        // submitted, or null.
        unsafe { bindings::iostat_trace_start(number.0, buf, dev, bio, is_own) };
    }

    /// Traces the start of an I/O to a file, which has no bio. Called by its submitter.
    pub(crate) fn start_of_file(
        &self,
        number: Number,
        buf: &Bufinfo,
        dev: &Devinfo,
        file: &FilePosition<'_>,
    ) {
        let (inode, offset) = (file.inode.as_ptr(), file.offset);
        // SAFETY: Any number will do, the references are valid, and the inode is held.
        unsafe {
            bindings::iostat_trace_start_file(number.0, buf, dev, inode, offset, file.is_direct);
        }
    }

    /// A bio becomes part of an I/O that has started. Called by the submitter of the bio.
    pub(crate) fn merge(&self, buf: &Bufinfo, dev: &Devinfo, bio: Bio<'_>) {
        // SAFETY: The references are valid, and the bio is one that is being submitted.
        unsafe { bindings::iostat_trace_merge(buf, dev, bio.as_ptr()) };
    }

    /// A part of an I/O has failed, and the rest goes on. Any context.
    pub(crate) fn fail(&self, number: Number, bytes: u32) {
        // SAFETY: Any number will do.
        unsafe { bindings::iostat_trace_fail(number.0, bytes) };
    }

    /// An I/O has ended. Returns whether its start was recorded; if not, nothing is traced. Any context.
    pub(crate) fn done(&self, number: Number, ended: &Ended) -> bool {
        // SAFETY: Any number will do, and the reference is valid.
        unsafe { bindings::iostat_trace_done(number.0, ended) }
    }

    /// Traces the end of an I/O whose start was not recorded. Any context.
    pub(crate) fn done_unseen(&self, buf: &Bufinfo, dev: &Devinfo, ended: &Ended) {
        // SAFETY: The references are valid.
        unsafe { bindings::iostat_trace_done_unseen(buf, dev, ended) };
    }
}

impl Drop for IoTraceRecords {
    fn drop(&mut self) {
        // SAFETY: By the type invariant they are open. They are used through references to this value only, of which there
        // are no more.
        unsafe { bindings::iostat_trace_close() };
        ARE_OPEN.store(false, Ordering::Release);
    }
}
