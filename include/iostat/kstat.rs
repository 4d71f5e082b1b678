// SPDX-License-Identifier: GPL-2.0

//! Kstats of iostat for modules in Rust: see `Documentation/kstat.rst`.
//!
//! A module has this file as one of its own, `#[path = ".../include/iostat/kstat.rs"] mod kstat;`, and
//! is built with iostat's `Module.symvers`. C header: `include/iostat/kstat.h`.

#![allow(dead_code, reason = "a client need not use all of it")]

use core::{
    ffi::CStr,
    marker::PhantomData,
    mem::size_of,
    ptr::{
        addr_of_mut,
        NonNull, //
    },
    sync::atomic::{
        AtomicI64,
        AtomicU64,
        Ordering::Relaxed, //
    }, //
};
use kernel::{
    bindings,
    error::to_result,
    ffi::{
        c_char,
        c_int,
        c_uint,
        c_ulong,
        c_void, //
    },
    prelude::*,
    types::Opaque, //
};

/// `KSTAT_STRLEN`.
const STRLEN: usize = 31;

/// `kstat_t`.
#[repr(C)]
struct Raw {
    crtime: i64,
    kid: c_int,
    module: [c_char; STRLEN],
    instance: c_int,
    name: [c_char; STRLEN],
    class: [c_char; STRLEN],
    kind: u8,
    flags: u8,
    data: *mut c_void,
    ndata: c_uint,
    data_size: usize,
    snaptime: i64,
    update: *const c_void,
    private: *mut c_void,
    snapshot: *const c_void,
    lock: *mut c_void,
    spinlock: *mut bindings::spinlock_t,
}

/// `kstat_named_t`.
#[repr(C)]
struct RawNamed {
    name: [c_char; STRLEN],
    data_type: u8,
    value: [u64; 2],
}

/// `kstat_io_t`.
#[repr(C)]
struct RawIo {
    nread: u64,
    nwritten: u64,
    reads: c_uint,
    writes: c_uint,
    times: [i64; 6],
    wcnt: c_uint,
    rcnt: c_uint,
}

extern "C" {
    fn iostat_kstat_create(
        module: *const c_char,
        instance: c_int,
        name: *const c_char,
        class: *const c_char,
        kind: u8,
        ndata: c_uint,
        flags: u8,
        owner: *mut c_void,
    ) -> *mut Raw;
    fn iostat_kstat_install(ksp: *mut Raw, owner: *mut c_void) -> c_int;
    fn iostat_kstat_delete(ksp: *mut Raw, owner: *mut c_void) -> c_int;
    fn iostat_kstat_named_init(knp: *mut RawNamed, name: *const c_char, data_type: u8) -> c_int;
    fn iostat_kstat_waitq_enter(kiop: *mut RawIo);
    fn iostat_kstat_waitq_exit(kiop: *mut RawIo);
    fn iostat_kstat_runq_enter(kiop: *mut RawIo);
    fn iostat_kstat_runq_exit(kiop: *mut RawIo);
    fn iostat_kstat_waitq_to_runq(kiop: *mut RawIo);
    fn iostat_kstat_runq_back_to_waitq(kiop: *mut RawIo);
}

const TYPE_NAMED: u8 = 1;
const TYPE_IO: u8 = 3;

/// What a kstat is called, and with what it is listed.
#[derive(Clone, Copy)]
pub(crate) struct Id<'a> {
    /// What provides it.
    pub(crate) module: &'a CStr,
    /// Which one of those.
    pub(crate) instance: i32,
    /// Its name; `None` for module and instance.
    pub(crate) name: Option<&'a CStr>,
    /// Its class.
    pub(crate) class: &'a CStr,
}

/// A kstat that there is; dropping it deletes it, and may sleep.
///
/// # Invariants
///
/// `raw` was created and is not deleted.
struct Kstat {
    raw: NonNull<Raw>,
    owner: &'static ThisModule,
}

// SAFETY: It may be deleted by any thread; there are no other functions of it.
unsafe impl Send for Kstat {}
// SAFETY: Likewise.
unsafe impl Sync for Kstat {}

impl Kstat {
    fn new(owner: &'static ThisModule, id: &Id<'_>, kind: u8, ndata: u32) -> Result<Self> {
        let name = id.name.map_or(core::ptr::null(), |name| name.as_char_ptr());
        // SAFETY: The strings are NUL-terminated and copied, the module is this one. What is set there, by
        // the types below, is valid for as long as they are there.
        let raw = unsafe {
            iostat_kstat_create(
                id.module.as_char_ptr(),
                id.instance,
                name,
                id.class.as_char_ptr(),
                kind,
                ndata,
                0,
                owner.as_ptr().cast(),
            )
        };
        // INVARIANT: Right now.
        Ok(Kstat {
            raw: NonNull::new(raw).ok_or(EINVAL)?,
            owner,
        })
    }

    fn install(&self) -> Result {
        // SAFETY: By the type invariant.
        to_result(unsafe { iostat_kstat_install(self.raw.as_ptr(), self.owner.as_ptr().cast()) })
    }

    fn data<T>(&self) -> *mut T {
        // SAFETY: By the type invariant; not virtual, so it never changes.
        unsafe { (*self.raw.as_ptr()).data.cast() }
    }
}

impl Drop for Kstat {
    fn drop(&mut self) {
        // SAFETY: By the type invariant. Nobody looks at it when this returns.
        unsafe { iostat_kstat_delete(self.raw.as_ptr(), self.owner.as_ptr().cast()) };
    }
}

/// A type of numbers in a kstat.
pub(crate) trait Number {
    /// `KSTAT_DATA_*`.
    const DATA_TYPE: u8;
}

impl Number for AtomicI64 {
    const DATA_TYPE: u8 = 3;
}

impl Number for AtomicU64 {
    const DATA_TYPE: u8 = 4;
}

/// `N` numbers with names, [`AtomicU64`] or [`AtomicI64`].
pub(crate) struct Named<T: Number, const N: usize> {
    kstat: Kstat,
    _numbers: PhantomData<T>,
}

impl<T: Number, const N: usize> Named<T, N> {
    /// Makes and installs it. May sleep. `EINVAL` if there is one of that name or something cannot be, which the
    /// kernel's log tells; `ENAMETOOLONG`.
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N]) -> Result<Self> {
        let ndata = u32::try_from(N).map_err(|_| EINVAL)?;
        let kstat = Kstat::new(owner, id, TYPE_NAMED, ndata)?;
        for (index, name) in names.into_iter().enumerate() {
            let at = kstat.data::<RawNamed>().wrapping_add(index);
            // SAFETY: There are `N`; the string is NUL-terminated and copied.
            let result = unsafe { iostat_kstat_named_init(at, name.as_char_ptr(), T::DATA_TYPE) };
            to_result(result)?;
        }
        kstat.install()?;
        Ok(Named {
            kstat,
            _numbers: PhantomData,
        })
    }

    /// One of the numbers; the last if there are not so many. In any context.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &T {
        const { assert!(N != 0) };
        let at = self.kstat.data::<RawNamed>().wrapping_add(index.min(N - 1));
        // SAFETY: There are `N`, for as long as `self`; the value is 8 bytes, aligned, and of this type's bits. All
        // others only read it.
        unsafe { &*addr_of_mut!((*at).value).cast::<T>() }
    }
}

impl<const N: usize> Named<AtomicU64, N> {
    /// Counts `n` of what has this index. In any context.
    #[inline]
    pub(crate) fn add(&self, index: usize, n: u64) {
        self.at(index).fetch_add(n, Relaxed);
    }
}

/// I/Os of a disk or the like: kstat_queue(9F).
pub(crate) struct Io {
    /// Before the lock, which readers take.
    kstat: Kstat,
    lock: KBox<Opaque<bindings::spinlock_t>>,
}

// SAFETY: All that is done to the data is done with the spinlock held.
unsafe impl Sync for Io {}
// SAFETY: Likewise.
unsafe impl Send for Io {}

macro_rules! queue_functions {
    ($($(#[$doc:meta])* $name:ident: $function:ident;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(&self) {
            // SAFETY: It is there, and nobody else changes it now.
            self.locked(|io| unsafe { $function(io) });
        })*
    };
}

impl Io {
    /// Makes and installs it. May sleep. `EINVAL` as of [`Named::new`]; `ENOMEM`.
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>) -> Result<Self> {
        let lock = KBox::new(Opaque::<bindings::spinlock_t>::uninit(), GFP_KERNEL)?;
        // SAFETY: The memory is the lock's own, at one address; the name is static.
        unsafe {
            bindings::__spin_lock_init(
                lock.get(),
                c"kstat_io".as_char_ptr(),
                kernel::static_lock_class!().as_ptr(),
            )
        };
        let kstat = Kstat::new(owner, id, TYPE_IO, 1)?;
        // SAFETY: By the type invariant it is there, and nobody sees it yet.
        unsafe { (*kstat.raw.as_ptr()).spinlock = lock.get() };
        kstat.install()?;
        Ok(Io { kstat, lock })
    }

    /// Does something to the data, with the spinlock held and interrupts off.
    fn locked(&self, act: impl FnOnce(*mut RawIo)) {
        let lock = self.lock.get().cast::<bindings::raw_spinlock_t>();
        // SAFETY: Initialised in `new`.
        let flags: c_ulong = unsafe { bindings::_raw_spin_lock_irqsave(lock) };
        act(self.kstat.data());
        // SAFETY: Locked right above.
        unsafe { bindings::_raw_spin_unlock_irqrestore(lock, flags) };
    }

    queue_functions! {
        /// An I/O is accepted. In any context but an NMI's, as all of these.
        waitq_enter: iostat_kstat_waitq_enter;
        /// It goes before it began.
        waitq_exit: iostat_kstat_waitq_exit;
        /// An I/O begins.
        runq_enter: iostat_kstat_runq_enter;
        /// It is done.
        runq_exit: iostat_kstat_runq_exit;
        /// One that was accepted begins.
        waitq_to_runq: iostat_kstat_waitq_to_runq;
        /// One that began has to wait again.
        runq_back_to_waitq: iostat_kstat_runq_back_to_waitq;
    }

    /// A read of so many bytes is done. Likewise.
    pub(crate) fn read(&self, bytes: u64) {
        self.locked(|io| {
            // SAFETY: It is there, and nobody else changes it now.
            let io = unsafe { &mut *io };
            io.nread = io.nread.wrapping_add(bytes);
            io.reads = io.reads.wrapping_add(1);
        });
    }

    /// A write of so many bytes is done. Likewise.
    pub(crate) fn written(&self, bytes: u64) {
        self.locked(|io| {
            // SAFETY: It is there, and nobody else changes it now.
            let io = unsafe { &mut *io };
            io.nwritten = io.nwritten.wrapping_add(bytes);
            io.writes = io.writes.wrapping_add(1);
        });
    }
}

const _: () = assert!(size_of::<RawNamed>() == 48 && size_of::<RawIo>() == 80);
