// SPDX-License-Identifier: GPL-2.0

//! What users write to a kstat.

use super::{
    copy::{
        Copy,
        Room, //
    },
    named,
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

impl Client {
    /// Writes one statistic, from text that ends in a NUL. May sleep, for as long as the callbacks do. `EACCES`
    /// if it is not writable, `ENOENT` if there is no such statistic, `EINVAL` if the text is no such
    /// value or the data has no names; what the callbacks return; `EAGAIN`, `EIO`, `ENOMEM`.
    pub(crate) fn write(&self, statistic: &[u8], text: &[u8]) -> Result {
        if self.flags & flags::WRITABLE == 0 {
            return Err(EACCES);
        }
        if statistic.is_empty() {
            // What is not initialized has no name.
            return Err(ENOENT);
        }
        // As in `copy`.
        let _noio = NoIo::new();
        let callbacks = self.installed.as_ref().ok_or(EACCES)?;
        if self.kind != Type::Named {
            return Err(EINVAL);
        }
        let mut room = Room::default();
        for _ in 0..TRIES {
            let locked = self.lock();
            self.update(READ)?;
            let (data, ndata) = self.data();
            let Some(snapshot) = callbacks.snapshot else {
                self.write_in_place((data, ndata), statistic, text)?;
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
            named::parse(copy.find(statistic).ok_or(ENOENT)?, text)?;
            // SAFETY: Likewise; the text is there during the call.
            result(unsafe { snapshot(public, copy.as_mut_ptr(), WRITE) })?;
            return self.update(WRITE);
        }
        Err(EAGAIN)
    }

    /// Writes a value where the client counts. With the mutex held.
    fn write_in_place(
        &self,
        (data, ndata): (*mut u8, u32),
        statistic: &[u8],
        text: &[u8],
    ) -> Result {
        let data = data.cast::<own::iostat_kstat_named>();
        for index in 0..ndata as usize {
            // SAFETY: By the type invariant there are so many.
            let at = unsafe { data.add(index) };
            // SAFETY: Likewise; a copy of it.
            let mut named = unsafe { at.read() };
            if named::name(&named.name) != statistic {
                continue;
            }
            if u32::from(named.data_type) == own::KSTAT_DATA_STRING {
                // Nobody would keep the text.
                return Err(EINVAL);
            }
            named::parse(&mut named, text)?;
            let from = core::ptr::addr_of!(named.value);
            // SAFETY: It is there.
            let to = unsafe { core::ptr::addr_of_mut!((*at).value) };
            let spinlock = self
                .installed
                .as_ref()
                .and_then(|callbacks| callbacks.spinlock);
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
