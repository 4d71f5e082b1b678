// SPDX-License-Identifier: GPL-2.0

//! Kstats of other modules: memory that they write, and their callbacks.
//!
//! The contents of a client's `kstat_t` are read but not trusted: types, sizes and callbacks are those of the
//! time when the kstat was created and installed.
//!
//! C header: `include/iostat/kstat.h`.

mod copy;
mod named;
mod public;
mod write;

pub(crate) use copy::KstatCopy;
pub(crate) use named::NewValue;
pub(crate) use public::KstatDescription;
pub(crate) use write::Change;

use super::{
    bindings as own,
    clock, //
};
use crate::acct::kstat::{
    flags,
    KstatType, //
};
use crate::kernel_ext::{
    memory::NoIo,
    zeroed::zeroed_vec, //
};
use copy::SnapshotMemory;
use core::{
    cell::UnsafeCell,
    ffi::c_void,
    mem::size_of, //
};
use kernel::{
    alloc::KVVec,
    bindings,
    ffi::c_int,
    prelude::*, //
};

/// The pointers that the client had set when it installed the kstat.
#[derive(Default)]
struct Callbacks {
    update: Option<unsafe extern "C" fn(*mut own::iostat_kstat, c_int) -> c_int>,
    snapshot: Option<unsafe extern "C" fn(*mut own::iostat_kstat, *mut c_void, c_int) -> c_int>,
    lock: Option<*mut bindings::mutex>,
    spinlock: Option<*mut bindings::spinlock_t>,
}

/// A kstat of another module, at a fixed address.
///
/// # Invariants
///
/// The client may change `public` and the memory of `data` at any time, through the address that it was given.
/// From `install` to `retire` or the drop, the pointers that the client set in `public` are valid: callbacks,
/// locks, data, and the strings of named data.
pub(crate) struct ClientKstat {
    public: KBox<UnsafeCell<own::iostat_kstat>>,
    data: KVVec<u64>,
    kind: KstatType,
    ndata: u32,
    flags: u8,
    installed: Option<Callbacks>,
}

// SAFETY: Callbacks and locks may be used from any thread.
unsafe impl Send for ClientKstat {}

/// The mutex of a client, held.
struct Locked(Option<*mut bindings::mutex>);

impl Drop for Locked {
    fn drop(&mut self) {
        if let Some(lock) = self.0 {
            // SAFETY: The function that created this value locked the mutex, which is still valid.
            unsafe { bindings::mutex_unlock(lock) };
        }
    }
}

/// Returns the size in bytes of one data structure of this type.
const fn size(kind: KstatType) -> usize {
    match kind {
        KstatType::Raw => 1,
        KstatType::Named => size_of::<own::iostat_kstat_named>(),
        KstatType::Intr => size_of::<own::iostat_kstat_intr>(),
        KstatType::Io => size_of::<own::iostat_kstat_io>(),
        KstatType::Timer => size_of::<own::iostat_kstat_timer>(),
    }
}

/// The largest data that is copied, bytes.
const MAX_BYTES: usize = 1 << 30;

/// The number of attempts if the size changes in between.
const TRIES: usize = 8;

/// Converts the return value of a callback: the errnos of illumos are positive. `ENOMEM` becomes `EAGAIN`, as a reader ends
/// with `ENOMEM` if iostat itself has no memory, but goes on after the error of one kstat.
fn result(returned: c_int) -> Result {
    match returned.unsigned_abs() {
        0 => Ok(()),
        bindings::EACCES => Err(EACCES),
        bindings::ENOMEM | bindings::EAGAIN => Err(EAGAIN),
        _ => Err(EIO),
    }
}

const READ: c_int = own::KSTAT_READ as c_int;
const WRITE: c_int = own::KSTAT_WRITE as c_int;

impl ClientKstat {
    /// Creates a kstat that is not installed. May sleep; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// The client that gets the address keeps the pointers that it sets there valid from [`ClientKstat::install`]
    /// until [`ClientKstat::retire`] or the drop.
    pub(crate) unsafe fn new(header: &KstatDescription<'_>) -> Result<Self> {
        let bytes = (header.ndata as usize).saturating_mul(size(header.kind));
        let is_virtual = header.flags & flags::VIRTUAL != 0;
        if bytes > MAX_BYTES && !is_virtual {
            return Err(ENOMEM);
        }
        let words = if is_virtual {
            0
        } else {
            bytes.div_ceil(size_of::<u64>())
        };
        let mut data = zeroed_vec::<u64>(words)?;
        let pointer = match is_virtual || bytes == 0 {
            true => core::ptr::null_mut(),
            false => data.as_mut_ptr().cast(),
        };
        // INVARIANT: It is not installed.
        Ok(ClientKstat {
            public: KBox::new(UnsafeCell::new(header.public(pointer, bytes)), GFP_KERNEL)?,
            data,
            kind: header.kind,
            ndata: header.ndata,
            flags: header.flags,
            installed: None,
        })
    }

    /// Returns the address that the client has.
    pub(crate) fn address(&self) -> usize {
        self.public.get() as usize
    }

    /// Returns whether the data is in memory of the client.
    pub(crate) fn is_virtual(&self) -> bool {
        self.flags & flags::VIRTUAL != 0
    }

    /// Stores the flags and the number in the `kstat_t` of the client.
    pub(crate) fn publish(&self, flags: u8, kid: u32) {
        let public = self.public.get();
        // SAFETY: `public` is valid as long as `self`; it is only written to.
        unsafe {
            (*public).ks_flags = flags;
            // CAST: Below 2^31.
            (*public).ks_kid = kid as i32;
        }
    }

    /// Reuses the kstat with other flags. Its data is unchanged.
    pub(crate) fn revive(&mut self, flags: u8) {
        self.flags = flags;
    }

    /// Takes over the callbacks and locks that the client has set. If the kstat was dormant, calls its
    /// `ks_update()` for the client to take over the data. Returns whether there are strings in it. May sleep.
    /// `EINVAL` if a lock or a snapshot callback is required and missing.
    pub(crate) fn install(&mut self, was_dormant: bool) -> Result<bool> {
        let public = self.public.get();
        // SAFETY: `public` is valid as long as `self`. The client has set the pointers, and waits for this call
        // to return.
        let (update, snapshot, lock, spinlock) = unsafe {
            (
                (*public).ks_update,
                (*public).ks_snapshot,
                (*public).ks_lock,
                (*public).ks_spinlock,
            )
        };
        let has = |flag| self.flags & flag != 0;
        if has(flags::VAR_SIZE) && lock.is_null() {
            return Err(EINVAL);
        }
        let (data, ndata) = self.data();
        let has_strings = self.kind == KstatType::Named && {
            // SAFETY: By the type invariant the data is valid.
            unsafe { named::has_strings(data, ndata) }
        };
        if has(flags::WRITABLE) && has_strings && snapshot.is_none() {
            return Err(EINVAL);
        }
        // INVARIANT: By the requirement of `new`, what the client has set is valid from now on.
        self.installed = Some(Callbacks {
            update,
            snapshot,
            lock: (!lock.is_null()).then_some(lock),
            spinlock: (!spinlock.is_null()).then_some(spinlock),
        });
        if was_dormant {
            let _locked = self.lock();
            // An error is ignored, as on illumos: it is of no consequence for iostat.
            let _ = self.update(WRITE);
        }
        Ok(has_strings)
    }

    /// Forgets the callbacks and locks of the client, but keeps the data. If `is_updated`, calls `ks_update()`
    /// once more; the caller passes false if the module is being unloaded. The kstat must not be virtual. May
    /// sleep.
    pub(crate) fn retire(&mut self, is_updated: bool) {
        if is_updated && self.installed.is_some() {
            let _locked = self.lock();
            let _ = self.update(READ);
        }
        let public = self.public.get();
        // SAFETY: `public` is valid as long as `self`; it is only written to.
        unsafe {
            (*public).ks_update = None;
            (*public).ks_snapshot = None;
            (*public).ks_lock = core::ptr::null_mut();
            (*public).ks_spinlock = core::ptr::null_mut();
            (*public).ks_private = core::ptr::null_mut();
        }
        let (data, ndata) = self.data();
        if self.kind == KstatType::Named {
            // SAFETY: The kstat is not virtual, so the data is memory of this value, with room for `ndata`
            // structures.
            unsafe { named::forget_strings(data, ndata) };
        }
        // INVARIANT: No pointer of the client is left.
        self.installed = None;
    }

    /// Locks the mutex of the client, if it has one. May sleep.
    fn lock(&self) -> Locked {
        let lock = self.installed.as_ref().and_then(|callbacks| callbacks.lock);
        if let Some(lock) = lock {
            // SAFETY: By the type invariant it is valid.
            unsafe { bindings::mutex_lock(lock) };
        }
        Locked(lock)
    }

    /// Calls `ks_update()`. The caller holds the mutex. Without a callback, writes are allowed if the flags say
    /// so.
    fn update(&self, rw: c_int) -> Result {
        match self
            .installed
            .as_ref()
            .and_then(|callbacks| callbacks.update)
        {
            // SAFETY: By the type invariant the callback is valid; the caller holds the mutex.
            Some(update) => result(unsafe { update(self.public.get(), rw) }),
            None if rw == WRITE && self.flags & flags::WRITABLE == 0 => Err(EACCES),
            None => Ok(()),
        }
    }

    /// Returns the address of the data and the number of structures.
    fn data(&self) -> (*mut u8, u32) {
        if !self.is_virtual() {
            return (self.data.as_ptr().cast_mut().cast(), self.ndata);
        }
        // SAFETY: `public` is valid as long as `self`. A client that changes it while a reader runs holds the
        // mutex, as the reader does.
        let data = unsafe { (*self.public.get()).ks_data };
        // With a variable size, the smaller of ks_ndata and of what fits in ks_data_size.
        let room = self.data_size() / size(self.kind);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let ndata = match self.flags & flags::VAR_SIZE {
            0 => self.ndata,
            _ => self.count().min(room),
        };
        (data.cast(), if data.is_null() { 0 } else { ndata })
    }

    /// Returns the number of structures, also if they are not in memory.
    fn count(&self) -> u32 {
        // SAFETY: `public` is valid, see `data`.
        let ndata = unsafe { (*self.public.get()).ks_ndata };
        let is_variable = self.flags & flags::VAR_SIZE != 0 && self.kind.takes(ndata);
        if is_variable {
            ndata
        } else {
            self.ndata
        }
    }

    /// Returns the number of bytes that `ks_snapshot()` may write.
    fn data_size(&self) -> usize {
        // SAFETY: `public` is valid, see `data`.
        unsafe { (*self.public.get()).ks_data_size }
    }

    /// Takes a snapshot. May sleep, as long as the callbacks do.
    ///
    /// # Errors
    ///
    /// The errors of the callbacks; `EAGAIN` if the size keeps changing, `EIO` if it is invalid, `ENOMEM`.
    pub(crate) fn copy(&self) -> Result<KstatCopy> {
        // Drivers of disks may wait for the mutex.
        let _noio = NoIo::new();
        let mut room = SnapshotMemory::default();
        let default = Callbacks::default();
        let callbacks = self.installed.as_ref().unwrap_or(&default);
        // Allocate the probable size in advance, so that the callbacks are called once.
        if self.flags & flags::VAR_SIZE == 0 {
            let likely = (self.ndata as usize).saturating_mul(size(self.kind));
            if likely <= MAX_BYTES {
                room.grow(likely)?;
            }
        }
        for _ in 0..TRIES {
            let locked = self.lock();
            self.update(READ)?;
            let (data, mut ndata) = self.data();
            let mut bytes = (ndata as usize).saturating_mul(size(self.kind));
            if callbacks.snapshot.is_some() {
                // The data need not be in memory.
                bytes = bytes.max(self.data_size());
                if !self.is_virtual() || data.is_null() {
                    ndata = self.count();
                }
            }
            if bytes > MAX_BYTES {
                return Err(EIO);
            }
            if room.bytes() < bytes {
                drop(locked);
                room.grow(bytes)?;
                continue;
            }
            let snaptime = match callbacks.snapshot {
                Some(snapshot) => {
                    // SAFETY: By the type invariant the callback is valid; the mutex is held, and `room` has
                    // `ks_data_size` bytes or more.
                    result(unsafe { snapshot(self.public.get(), room.as_mut_ptr(), READ) })?;
                    // SAFETY: `public` is valid as long as `self`.
                    unsafe { (*self.public.get()).ks_snaptime as u64 }
                }
                None => {
                    // SAFETY: By the type invariant there are `bytes` bytes at `data`, or `bytes` is 0.
                    unsafe { room.take(data, bytes, callbacks.spinlock) };
                    let now = clock::now_ns();
                    // SAFETY: `public` is valid as long as `self`; it is only written to.
                    unsafe { (*self.public.get()).ks_snaptime = now as i64 };
                    now
                }
            };
            let mut copy = KstatCopy::new(self.kind, ndata, bytes, snaptime, room);
            if callbacks.snapshot.is_none() {
                copy.extrapolate();
            }
            let missing = match self.installed {
                // SAFETY: By the type invariant the strings are valid, and the mutex that protects them is
                // held. A client without a mutex does not change them.
                Some(_) => unsafe { copy.take_strings() },
                // A dormant kstat that is created again: its client is still initialising it.
                None => {
                    copy.forget_strings();
                    0
                }
            };
            drop(locked);
            match missing {
                0 => return Ok(copy),
                missing => room = copy.with_room_for_strings(missing)?,
            }
        }
        Err(EAGAIN)
    }
}
