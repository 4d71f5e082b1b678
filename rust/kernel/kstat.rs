// SPDX-License-Identifier: GPL-2.0

//! Kstats of other modules: memory that they write, and functions of theirs.
//!
//! What is in it is looked at, never believed: types, sizes and callbacks are known from when the kstat
//! was made and installed.
//!
//! C header: `include/iostat/kstat.h`.

mod copy;
mod named;
mod public;
mod write;

pub(crate) use copy::Copy;
pub(crate) use named::Written;
pub(crate) use public::Header;
pub(crate) use write::Change;

use super::{
    bindings as own,
    class::NoIo,
    clock,
    zeroed::zeroed_vec, //
};
use crate::acct::kstat::{
    flags,
    Type, //
};
use copy::Room;
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

/// What the client said when it installed the kstat.
#[derive(Default)]
struct Callbacks {
    update: Option<unsafe extern "C" fn(*mut own::iostat_kstat, c_int) -> c_int>,
    snapshot: Option<unsafe extern "C" fn(*mut own::iostat_kstat, *mut c_void, c_int) -> c_int>,
    lock: Option<*mut bindings::mutex>,
    spinlock: Option<*mut bindings::spinlock_t>,
}

/// A kstat of another module's, at one address.
///
/// # Invariants
///
/// `public` and what `data` allocated are the client's to change at any time, by the address it was given.
/// From `install` to `retire` or the drop, what the client set in `public` is valid, callbacks, locks and
/// data, as are the strings of named data.
pub(crate) struct Client {
    public: KBox<UnsafeCell<own::iostat_kstat>>,
    data: KVVec<u64>,
    kind: Type,
    ndata: u32,
    flags: u8,
    installed: Option<Callbacks>,
}

// SAFETY: Callbacks and locks are used from any thread.
unsafe impl Send for Client {}

/// A client's mutex, held.
struct Locked(Option<*mut bindings::mutex>);

impl Drop for Locked {
    fn drop(&mut self) {
        if let Some(lock) = self.0 {
            // SAFETY: Whoever made this has locked it, and it is still valid.
            unsafe { bindings::mutex_unlock(lock) };
        }
    }
}

/// Bytes of one of a kstat's data.
const fn size(kind: Type) -> usize {
    match kind {
        Type::Raw => 1,
        Type::Named => size_of::<own::iostat_kstat_named>(),
        Type::Intr => size_of::<own::iostat_kstat_intr>(),
        Type::Io => size_of::<own::iostat_kstat_io>(),
        Type::Timer => size_of::<own::iostat_kstat_timer>(),
    }
}

/// The largest data that is copied.
const MOST: usize = 1 << 30;

/// How often to try again when the size changes meanwhile.
const TRIES: usize = 8;

/// What a callback returned: illumos' errnos are positive.
fn result(returned: c_int) -> Result {
    match returned.unsigned_abs() {
        0 => Ok(()),
        bindings::EACCES => Err(EACCES),
        bindings::ENOMEM => Err(ENOMEM),
        bindings::EAGAIN => Err(EAGAIN),
        _ => Err(EIO),
    }
}

const READ: c_int = own::KSTAT_READ as c_int;
const WRITE: c_int = own::KSTAT_WRITE as c_int;

impl Client {
    /// A kstat that is not installed. May sleep; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// Whoever is told the address keeps what it sets there valid from [`Client::install`] on until
    /// [`Client::retire`] or the drop.
    pub(crate) unsafe fn new(header: &Header<'_>) -> Result<Self> {
        let bytes = (header.ndata as usize).saturating_mul(size(header.kind));
        let is_virtual = header.flags & flags::VIRTUAL != 0;
        if bytes > MOST && !is_virtual {
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
        // INVARIANT: Not installed.
        Ok(Client {
            public: KBox::new(UnsafeCell::new(header.public(pointer, bytes)), GFP_KERNEL)?,
            data,
            kind: header.kind,
            ndata: header.ndata,
            flags: header.flags,
            installed: None,
        })
    }

    /// What the client knows it by.
    pub(crate) fn address(&self) -> usize {
        self.public.get() as usize
    }

    /// Whether it is the client's memory that is counted in.
    pub(crate) fn is_virtual(&self) -> bool {
        self.flags & flags::VIRTUAL != 0
    }

    /// Tells the client its flags and number.
    pub(crate) fn tell(&self, flags: u8, kid: u32) {
        let public = self.public.get();
        // SAFETY: It is there, and only written to.
        unsafe {
            (*public).ks_flags = flags;
            // CAST: Below 2^31.
            (*public).ks_kid = kid as i32;
        }
    }

    /// The same one again, with other flags: the client begins anew with what is in it.
    pub(crate) fn revive(&mut self, flags: u8) {
        self.flags = flags;
    }

    /// From here on callbacks are called. If it was dormant, the client takes what is in it. Tells whether
    /// some of it are strings. May sleep. `EINVAL` if it needs a lock or a snapshot and has none.
    pub(crate) fn install(&mut self, was_dormant: bool) -> Result<bool> {
        let public = self.public.get();
        // SAFETY: It is there; the client has set it and now waits for us.
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
        let has_strings = self.kind == Type::Named && {
            // SAFETY: By the type invariant the data is valid.
            unsafe { named::has_strings(data, ndata) }
        };
        if has(flags::WRITABLE) && has_strings && snapshot.is_none() {
            return Err(EINVAL);
        }
        // INVARIANT: From here on what the client has set is valid, by the requirement of `new`.
        self.installed = Some(Callbacks {
            update,
            snapshot,
            lock: (!lock.is_null()).then_some(lock),
            spinlock: (!spinlock.is_null()).then_some(spinlock),
        });
        if was_dormant {
            let _locked = self.lock();
            // What the client says to that is its own concern, as on illumos.
            let _ = self.update(WRITE);
        }
        Ok(has_strings)
    }

    /// From here on nothing of the client's is called or looked at, but the data stays. With a
    /// last update, or, if its module is going, without. Of what is not virtual. May sleep.
    pub(crate) fn retire(&mut self, is_updated: bool) {
        if is_updated && self.installed.is_some() {
            let _locked = self.lock();
            let _ = self.update(READ);
        }
        let public = self.public.get();
        // SAFETY: It is there, and only written to.
        unsafe {
            (*public).ks_update = None;
            (*public).ks_snapshot = None;
            (*public).ks_lock = core::ptr::null_mut();
            (*public).ks_spinlock = core::ptr::null_mut();
            (*public).ks_private = core::ptr::null_mut();
        }
        let (data, ndata) = self.data();
        if self.kind == Type::Named {
            // SAFETY: Not virtual: our own memory, of which so many are there.
            unsafe { named::forget_strings(data, ndata) };
        }
        // INVARIANT: Nothing of the client's is left.
        self.installed = None;
    }

    /// Holds the client's mutex, if it has one. May sleep.
    fn lock(&self) -> Locked {
        let lock = self.installed.as_ref().and_then(|callbacks| callbacks.lock);
        if let Some(lock) = lock {
            // SAFETY: By the type invariant it is valid.
            unsafe { bindings::mutex_lock(lock) };
        }
        Locked(lock)
    }

    /// Calls `ks_update()`, with the mutex held. The default one allows what the flags allow.
    fn update(&self, rw: c_int) -> Result {
        match self
            .installed
            .as_ref()
            .and_then(|callbacks| callbacks.update)
        {
            // SAFETY: By the type invariant it is valid; the mutex is held.
            Some(update) => result(unsafe { update(self.public.get(), rw) }),
            None if rw == WRITE && self.flags & flags::WRITABLE == 0 => Err(EACCES),
            None => Ok(()),
        }
    }

    /// Where the data is, and how many.
    fn data(&self) -> (*mut u8, u32) {
        if !self.is_virtual() {
            return (self.data.as_ptr().cast_mut().cast(), self.ndata);
        }
        // SAFETY: It is there. Who changes it with a reader at work holds the mutex, as the reader does.
        let data = unsafe { (*self.public.get()).ks_data };
        // What a client says of its memory: the least of both.
        let room = self.data_size() / size(self.kind);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let ndata = match self.flags & flags::VAR_SIZE {
            0 => self.ndata,
            _ => self.count().min(room),
        };
        (data.cast(), if data.is_null() { 0 } else { ndata })
    }

    /// How many there are, wherever they are.
    fn count(&self) -> u32 {
        // SAFETY: It is there, see `data`.
        let ndata = unsafe { (*self.public.get()).ks_ndata };
        let is_variable = self.flags & flags::VAR_SIZE != 0 && self.kind.takes(ndata);
        if is_variable {
            ndata
        } else {
            self.ndata
        }
    }

    /// Bytes a `ks_snapshot()` may write.
    fn data_size(&self) -> usize {
        // SAFETY: It is there, see `data`.
        unsafe { (*self.public.get()).ks_data_size }
    }

    /// Takes a snapshot. May sleep, for as long as the callbacks do. What they return; `EAGAIN` if the size
    /// does not stay as it is, `EIO` if it cannot be, `ENOMEM`.
    pub(crate) fn copy(&self) -> Result<Copy> {
        // Drivers of disks may wait for the mutex.
        let _noio = NoIo::new();
        let mut room = Room::default();
        let default = Callbacks::default();
        let callbacks = self.installed.as_ref().unwrap_or(&default);
        // As far as one can know, so that callbacks are called once.
        if self.flags & flags::VAR_SIZE == 0 {
            let likely = (self.ndata as usize).saturating_mul(size(self.kind));
            if likely <= MOST {
                room.grow(likely)?;
            }
        }
        for _ in 0..TRIES {
            let locked = self.lock();
            self.update(READ)?;
            let (data, mut ndata) = self.data();
            let mut bytes = (ndata as usize).saturating_mul(size(self.kind));
            if callbacks.snapshot.is_some() {
                // Its data need not be anywhere.
                bytes = bytes.max(self.data_size());
                if !self.is_virtual() || data.is_null() {
                    ndata = self.count();
                }
            }
            if bytes > MOST {
                return Err(EIO);
            }
            if room.bytes() < bytes {
                drop(locked);
                room.grow(bytes)?;
                continue;
            }
            let snaptime = match callbacks.snapshot {
                Some(snapshot) => {
                    // SAFETY: By the type invariant it is valid; the mutex is held, and there is room for
                    // `ks_data_size`.
                    result(unsafe { snapshot(self.public.get(), room.as_mut_ptr(), READ) })?;
                    // SAFETY: It is there.
                    unsafe { (*self.public.get()).ks_snaptime as u64 }
                }
                None => {
                    // SAFETY: By the type invariant there are so many bytes at `data`, or none.
                    unsafe { room.take(data, bytes, callbacks.spinlock) };
                    let now = clock::now_ns();
                    // SAFETY: It is there, and only written to.
                    unsafe { (*self.public.get()).ks_snaptime = now as i64 };
                    now
                }
            };
            let mut copy = Copy::new(self.kind, ndata, bytes, snaptime, room);
            if callbacks.snapshot.is_none() {
                copy.extrapolate();
            }
            let missing = match self.installed {
                // SAFETY: By the type invariant strings are valid, and their mutex is held. Without one the
                // client does not change them.
                Some(_) => unsafe { copy.take_strings() },
                // One that wakes up: its client is at work on it.
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
