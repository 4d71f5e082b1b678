// SPDX-License-Identifier: GPL-2.0

//! What users write to a kstat.

use super::{
    copy::{
        Copy,
        Room, //
    },
    named::{
        self,
        Written, //
    },
    result,
    size,
    Client,
    MOST,
    READ,
    TRIES,
    WRITE, //
};
use crate::{
    acct::kstat::{
        flags,
        Type, //
    },
    kernel_ext::{
        bindings as own,
        class::NoIo, //
    },
};
use core::mem::size_of;
use kernel::{
    bindings,
    error::code::*,
    prelude::*, //
};

/// What of a kstat is written.
pub(crate) enum Change<'a> {
    /// A statistic of this name.
    Statistic(&'a [u8], Written<'a>),
    /// All bytes of one whose data has no types to be kept: any but named ones.
    Bytes(&'a [u8]),
}

impl Change<'_> {
    /// Changes a copy, of so many bytes.
    fn apply(&self, copy: &mut Copy, bytes: usize) -> Result {
        match self {
            Change::Statistic(name, written) => written.put(copy.find(name).ok_or(ENOENT)?),
            Change::Bytes(new) if new.len() == bytes => copy.fill(new),
            Change::Bytes(_) => Err(EINVAL),
        }
    }
}

impl Client {
    /// Writes a statistic, or all bytes. May sleep, for as long as the callbacks do. `EACCES` if it is not
    /// writable, `ENOENT` if there is no such statistic, `EINVAL` if the value is none of its type, or these
    /// are not as many bytes as there are, or it is a statistic of data without types, or bytes of named data; what
    /// the callbacks return; `EAGAIN`, `EIO`, `ENOMEM`.
    pub(crate) fn write(&self, change: &Change<'_>) -> Result {
        if self.flags & flags::WRITABLE == 0 {
            return Err(EACCES);
        }
        if matches!(change, Change::Statistic([], _)) {
            // What is not initialized has no name.
            return Err(ENOENT);
        }
        // As in `copy`.
        let _noio = NoIo::new();
        let callbacks = self.installed.as_ref().ok_or(EACCES)?;
        match (self.kind, change) {
            (Type::Named, Change::Statistic(..)) => {}
            (Type::Raw | Type::Intr | Type::Io | Type::Timer, Change::Bytes(_)) => {}
            (_, Change::Statistic(..)) | (Type::Named, Change::Bytes(_)) => return Err(EINVAL),
        }
        let mut room = Room::default();
        // Not with the client's mutex.
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
            if bytes > MOST {
                return Err(EIO);
            }
            if room.bytes() < bytes {
                drop(locked);
                room.grow(bytes)?;
                continue;
            }
            let public = self.public.get();
            // SAFETY: By the type invariant it is valid; the mutex is held, and there is room for
            // `ks_data_size`.
            result(unsafe { snapshot(public, room.as_mut_ptr(), READ) })?;
            let ndata = if data.is_null() { self.count() } else { ndata };
            let mut copy = Copy::new(self.kind, ndata, bytes, 0, room);
            change.apply(&mut copy, bytes)?;
            // SAFETY: Likewise; a string is there during the call.
            result(unsafe { snapshot(public, copy.as_mut_ptr(), WRITE) })?;
            return self.update(WRITE);
        }
        Err(EAGAIN)
    }

    /// Writes where the client counts, and has it taken. If the client refuses, what was there comes back, unless
    /// the client has put something else there. With the mutex held.
    fn write_in_place(
        &self,
        (data, ndata): (*mut u8, u32),
        change: &Change<'_>,
        mut undo: Undo,
    ) -> Result {
        let (to, written);
        let new = match change {
            Change::Statistic(name, value) => {
                // SAFETY: By the type invariant there are so many.
                let at = unsafe { named::find(data, ndata, name) }.ok_or(ENOENT)?;
                // SAFETY: It is there; a copy of it.
                let mut named = unsafe { at.read() };
                if u32::from(named.data_type) == own::KSTAT_DATA_STRING {
                    // Nobody would keep the text.
                    return Err(EINVAL);
                }
                value.put(&mut named)?;
                written = named::bytes(&named.value);
                // SAFETY: It is there.
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
        // SAFETY: By the type invariant the lock is valid, and there are so many bytes; there is room for them.
        unsafe {
            undo.before.take(to, new.len(), spinlock);
            put(to, new, spinlock);
        }
        let taken = self.update(WRITE);
        // The client may have other memory now.
        if taken.is_err() && core::ptr::eq(self.data().0, data) && self.data().1 == ndata {
            // SAFETY: Likewise.
            unsafe { undo.after.take(to, new.len(), spinlock) };
            if undo.after.as_bytes(new.len()) == new {
                // SAFETY: Likewise.
                unsafe { put(to, undo.before.as_bytes(new.len()), spinlock) };
            }
        }
        taken
    }
}

/// What was where something is written, and what is there when the client has refused it.
struct Undo {
    before: Room,
    after: Room,
}

impl Undo {
    /// May sleep; `ENOMEM`.
    fn new(change: &Change<'_>) -> Result<Self> {
        let bytes = match change {
            Change::Statistic(..) => named::VALUE_BYTES,
            Change::Bytes(bytes) => bytes.len(),
        };
        let mut undo = Undo {
            before: Room::default(),
            after: Room::default(),
        };
        undo.before.grow(bytes)?;
        undo.after.grow(bytes)?;
        Ok(undo)
    }
}

/// Puts bytes where a client counts, if there is a spinlock with that held.
///
/// # Safety
///
/// There are so many bytes at `to`; the spinlock is valid.
unsafe fn put(to: *mut u8, from: &[u8], spinlock: Option<*mut bindings::spinlock_t>) {
    match spinlock {
        _ if from.is_empty() => {}
        // SAFETY: By this function's requirement.
        Some(lock) => unsafe {
            own::iostat_copy_locked(lock, to.cast(), from.as_ptr().cast(), from.len())
        },
        // Who counts without a lock sees each number whole.
        None if to.cast::<u64>().is_aligned() && from.len() % size_of::<u64>() == 0 => {
            for (index, word) in from.chunks_exact(size_of::<u64>()).enumerate() {
                let word = word.try_into().map_or(0, u64::from_ne_bytes);
                // SAFETY: By this function's requirement it is there, and it is aligned.
                unsafe { to.cast::<u64>().add(index).write_volatile(word) };
            }
        }
        // The five counts of interrupts.
        None if to.cast::<u32>().is_aligned() && from.len() % size_of::<u32>() == 0 => {
            for (index, word) in from.chunks_exact(size_of::<u32>()).enumerate() {
                let word = word.try_into().map_or(0, u32::from_ne_bytes);
                // SAFETY: By this function's requirement it is there, and it is aligned.
                unsafe { to.cast::<u32>().add(index).write_volatile(word) };
            }
        }
        // SAFETY: By this function's requirement.
        None => unsafe { core::ptr::copy(from.as_ptr(), to, from.len()) },
    }
}
