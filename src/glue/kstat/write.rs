// SPDX-License-Identifier: GPL-2.0

//! Writes of users to a kstat.

use super::{
    copy::{
        KstatCopy,
        SnapshotMemory, //
    },
    named::{
        self,
        NewValue, //
    },
    result,
    size,
    ClientKstat,
    MAX_BYTES,
    READ,
    TRIES,
    WRITE, //
};
use crate::{
    acct::kstat::{
        flags,
        KstatType, //
    },
    glue::bindings as own,
    kernel_ext::memory::NoIo, //
};
use core::mem::size_of;
use kernel::{
    bindings,
    error::code::*,
    prelude::*, //
};

/// The part of a kstat to write.
pub(crate) enum Change<'a> {
    /// The statistic of this name.
    Statistic(&'a [u8], NewValue<'a>),
    /// All bytes of the data. Not for named kstats, whose types must not change.
    Bytes(&'a [u8]),
}

impl Change<'_> {
    /// Applies the change to a copy of `bytes` bytes.
    fn apply(&self, copy: &mut KstatCopy, bytes: usize) -> Result {
        match self {
            Change::Statistic(name, written) => written.put(copy.find(name).ok_or(ENOENT)?),
            Change::Bytes(new) if new.len() == bytes => copy.fill(new),
            Change::Bytes(_) => Err(EINVAL),
        }
    }
}

impl ClientKstat {
    /// Writes a statistic, or all bytes. May sleep, as long as the callbacks do.
    ///
    /// # Errors
    ///
    /// `EACCES` if the kstat is not writable, `ENOENT` if there is no such statistic, `EINVAL` if the value is
    /// not of its type, if the number of bytes is not that of the data, or if a statistic is written to a kstat
    /// that is not named, or bytes to one that is; the errors of the callbacks; `EAGAIN`, `EIO`, `ENOMEM`.
    pub(crate) fn write(&self, change: &Change<'_>) -> Result {
        if self.flags & flags::WRITABLE == 0 {
            return Err(EACCES);
        }
        if matches!(change, Change::Statistic([], _)) {
            // A statistic that is not initialised has an empty name.
            return Err(ENOENT);
        }
        // Drivers of disks may wait for the mutex.
        let _noio = NoIo::new();
        let callbacks = self.installed.as_ref().ok_or(EACCES)?;
        match (self.kind, change) {
            (KstatType::Named, Change::Statistic(..)) => {}
            (
                KstatType::Raw | KstatType::Intr | KstatType::Io | KstatType::Timer,
                Change::Bytes(_),
            ) => {}
            (_, Change::Statistic(..)) | (KstatType::Named, Change::Bytes(_)) => {
                return Err(EINVAL)
            }
        }
        let mut room = SnapshotMemory::default();
        // Allocate without the mutex of the client.
        let undo = Undo::new(change)?;
        for _ in 0..TRIES {
            let locked = self.lock();
            self.update(READ)?;
            let (data, ndata) = self.data();
            let Some(snapshot) = callbacks.snapshot else {
                return self.write_in_place((data, ndata), change, undo);
            };
            let bytes = (ndata as usize).saturating_mul(size(self.kind));
            let bytes = bytes.max(self.data_size());
            if bytes > MAX_BYTES {
                return Err(EIO);
            }
            if room.bytes() < bytes {
                drop(locked);
                room.grow(bytes)?;
                continue;
            }
            let public = self.public.get();
            // SAFETY: By the type invariant the callback is valid; the mutex is held, and `room` has
            // `ks_data_size` bytes or more.
            result(unsafe { snapshot(public, room.as_mut_ptr(), READ) })?;
            let ndata = if data.is_null() { self.count() } else { ndata };
            let mut copy = KstatCopy::new(self.kind, ndata, bytes, 0, room);
            change.apply(&mut copy, bytes)?;
            // SAFETY: The callback is valid and the mutex held; `copy` has as many bytes as before, and a
            // string in it is valid during the call.
            result(unsafe { snapshot(public, copy.as_mut_ptr(), WRITE) })?;
            return self.update(WRITE);
        }
        Err(EAGAIN)
    }

    /// Writes to the client's data and calls `ks_update()`. If that returns an error, restores the former
    /// bytes, unless the client has changed them in between. The caller holds the mutex.
    fn write_in_place(
        &self,
        (data, ndata): (*mut u8, u32),
        change: &Change<'_>,
        mut undo: Undo,
    ) -> Result {
        let (to, written);
        let new = match change {
            Change::Statistic(name, value) => {
                // SAFETY: By the type invariant there are `ndata` statistics.
                let at = unsafe { named::find(data, ndata, name) }.ok_or(ENOENT)?;
                // SAFETY: `named::find` returned it, so it is valid. The copy is changed, and not the original.
                let mut named = unsafe { at.read() };
                if u32::from(named.data_type) == own::KSTAT_DATA_STRING {
                    // There is no owner for the text of the string.
                    return Err(EINVAL);
                }
                value.put(&mut named)?;
                written = named::bytes(&named.value);
                // SAFETY: As above.
                to = unsafe { core::ptr::addr_of_mut!((*at).value) }.cast();
                &written[..]
            }
            Change::Bytes(bytes)
                if bytes.len() == (ndata as usize).saturating_mul(size(self.kind)) =>
            {
                to = data;
                *bytes
            }
            Change::Bytes(_) => return Err(EINVAL),
        };
        let spinlock = self
            .installed
            .as_ref()
            .and_then(|callbacks| callbacks.spinlock);
        // SAFETY: By the type invariant the lock is valid, and there are as many bytes at `to`; `undo` has room
        // for them.
        unsafe {
            undo.before.take(to, new.len(), spinlock);
            put(to, new, spinlock);
        }
        let taken = self.update(WRITE);
        // The client may have replaced its memory.
        if taken.is_err() && core::ptr::eq(self.data().0, data) && self.data().1 == ndata {
            // SAFETY: As above: the data is at the same address and has the same size.
            unsafe { undo.after.take(to, new.len(), spinlock) };
            if undo.after.as_bytes(new.len()) == new {
                // SAFETY: As above.
                unsafe { put(to, undo.before.as_bytes(new.len()), spinlock) };
            }
        }
        taken
    }
}

/// The bytes before the write, and the bytes after the client has refused the write.
struct Undo {
    before: SnapshotMemory,
    after: SnapshotMemory,
}

impl Undo {
    /// Allocates memory for the bytes of a change. May sleep; `ENOMEM`.
    fn new(change: &Change<'_>) -> Result<Self> {
        let bytes = match change {
            Change::Statistic(..) => named::VALUE_BYTES,
            Change::Bytes(bytes) => bytes.len(),
        };
        let mut undo = Undo {
            before: SnapshotMemory::default(),
            after: SnapshotMemory::default(),
        };
        undo.before.grow(bytes)?;
        undo.after.grow(bytes)?;
        Ok(undo)
    }
}

/// Writes bytes to the client's data, with the spinlock held if there is one.
///
/// # Safety
///
/// There are as many bytes at `to`; the spinlock is valid.
unsafe fn put(to: *mut u8, from: &[u8], spinlock: Option<*mut bindings::spinlock_t>) {
    match spinlock {
        _ if from.is_empty() => {}
        // SAFETY: By the requirement of this function.
        Some(lock) => unsafe {
            own::iostat_copy_locked(lock, to.cast(), from.as_ptr().cast(), from.len())
        },
        // Threads that count without a lock must not see a part of a number.
        None if to.cast::<u64>().is_aligned() && from.len() % size_of::<u64>() == 0 => {
            for (index, word) in from.chunks_exact(size_of::<u64>()).enumerate() {
                let word = word.try_into().map_or(0, u64::from_ne_bytes);
                // SAFETY: By the requirement of this function the word is in range, and it is aligned.
                unsafe { to.cast::<u64>().add(index).write_volatile(word) };
            }
        }
        // The five counts of interrupts.
        None if to.cast::<u32>().is_aligned() && from.len() % size_of::<u32>() == 0 => {
            for (index, word) in from.chunks_exact(size_of::<u32>()).enumerate() {
                let word = word.try_into().map_or(0, u32::from_ne_bytes);
                // SAFETY: By the requirement of this function the word is in range, and it is aligned.
                unsafe { to.cast::<u32>().add(index).write_volatile(word) };
            }
        }
        // SAFETY: By the requirement of this function.
        None => unsafe { core::ptr::copy(from.as_ptr(), to, from.len()) },
    }
}
