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
    error::code::*,
    prelude::*, //
};

/// What of a kstat is written.
pub(crate) enum Change<'a> {
    /// A statistic of this name.
    Statistic(&'a [u8], Written<'a>),
    /// All bytes of a raw one.
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
    /// are not as many bytes as there are, or the data has no names or has them; what the callbacks return;
    /// `EAGAIN`, `EIO`, `ENOMEM`.
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
            (Type::Named, Change::Statistic(..)) | (Type::Raw, Change::Bytes(_)) => {}
            _ => return Err(EINVAL),
        }
        let mut room = Room::default();
        for _ in 0..TRIES {
            let locked = self.lock();
            self.update(READ)?;
            let (data, ndata) = self.data();
            let Some(snapshot) = callbacks.snapshot else {
                self.write_in_place((data, ndata), change)?;
                return self.update(WRITE);
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

    /// Writes where the client counts. With the mutex held.
    fn write_in_place(&self, (data, ndata): (*mut u8, u32), change: &Change<'_>) -> Result {
        let spinlock = self
            .installed
            .as_ref()
            .and_then(|callbacks| callbacks.spinlock);
        let (statistic, written) = match change {
            Change::Statistic(name, written) => (name, written),
            Change::Bytes(bytes) if bytes.len() == ndata as usize => {
                let (to, from) = (data.cast(), bytes.as_ptr().cast());
                match spinlock {
                    _ if bytes.is_empty() => {}
                    // SAFETY: By the type invariant the lock is valid, and there are so many bytes.
                    Some(lock) => unsafe { own::iostat_copy_locked(lock, to, from, bytes.len()) },
                    // SAFETY: Likewise.
                    None => unsafe { core::ptr::copy(from.cast(), data, bytes.len()) },
                }
                return Ok(());
            }
            Change::Bytes(_) => return Err(EINVAL),
        };
        let data = data.cast::<own::iostat_kstat_named>();
        for index in 0..ndata as usize {
            // SAFETY: By the type invariant there are so many.
            let at = unsafe { data.add(index) };
            // SAFETY: Likewise; a copy of it.
            let mut named = unsafe { at.read() };
            if named::name(&named.name) != *statistic {
                continue;
            }
            if u32::from(named.data_type) == own::KSTAT_DATA_STRING {
                // Nobody would keep the text.
                return Err(EINVAL);
            }
            written.put(&mut named)?;
            let from = core::ptr::addr_of!(named.value);
            // SAFETY: It is there.
            let to = unsafe { core::ptr::addr_of_mut!((*at).value) };
            match spinlock {
                // SAFETY: By the type invariant the lock is valid, and both values are there.
                Some(lock) => unsafe {
                    own::iostat_copy_locked(lock, to.cast(), from.cast(), size_of_val(&named.value))
                },
                // SAFETY: Both are there.
                None => unsafe { to.write_volatile(from.read()) },
            }
            return Ok(());
        }
        Err(ENOENT)
    }
}

const _: () = assert!(size_of::<own::iostat_kstat_named>() == 48);
