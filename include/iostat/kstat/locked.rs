// SPDX-License-Identifier: GPL-2.0

//! Kstats whose data is protected by a mutex, `ks_lock`. The data may change its size, and an update function
//! may be called when it is read.

use super::{
    abi::{
        self,
        flag,
        kind, //
    },
    Id,
    Kstat,
    Values, //
};
use core::{
    cell::UnsafeCell,
    ffi::c_void,
    marker::PhantomData,
    mem::{
        size_of,
        size_of_val, //
    },
    ops::{
        Deref,
        DerefMut, //
    },
    ptr::null_mut, //
};
use kernel::{
    alloc::KVVec,
    bindings,
    ffi::c_int,
    prelude::*,
    types::Opaque, //
};

/// The data of a [`Locked`] kstat: [`Values`], or bytes.
///
/// # Safety
///
/// The memory that `parts` returns is valid, initialised and of the type `KIND` until the value changes or is
/// dropped. Moving the value does not move this memory.
pub(crate) unsafe trait Data: Send + 'static {
    /// `KSTAT_TYPE_*`.
    const KIND: u8;

    /// Returns the address of the data, the number of elements, and the number of bytes.
    fn parts(&mut self) -> (*mut c_void, usize, usize);
}

// SAFETY: The bytes of a vector stay at their address until the vector changes or is dropped, also when it is
// moved.
unsafe impl Data for KVVec<u8> {
    const KIND: u8 = kind::RAW;

    fn parts(&mut self) -> (*mut c_void, usize, usize) {
        (self.as_mut_ptr().cast(), self.len(), self.len())
    }
}

// SAFETY: It owns a vector of `kstat_named_t`; by its type invariant the strings live as long as the value.
unsafe impl Data for Values {
    const KIND: u8 = kind::NAMED;

    fn parts(&mut self) -> (*mut c_void, usize, usize) {
        let named = self.named();
        (named.as_mut_ptr().cast(), named.len(), size_of_val(named))
    }
}

/// The functions of a client that iostat calls before a kstat is read and after it was written: `ks_update()`.
/// `()` does nothing.
///
/// They may sleep; the reader waits. They are called with the mutex of the kstat held: they must not call
/// [`Locked::lock`] of this kstat, nor wait for a thread that drops it. They may return `EACCES`, `EAGAIN`,
/// `ENOMEM` or `EIO`; any other error is reported as `EIO`.
pub(crate) trait Update<D: Data>: Send + Sync + 'static {
    /// Updates the data before it is read.
    fn read(&self, _data: &mut D) -> Result {
        Ok(())
    }

    /// Applies the values that were written, or returns an error after restoring the former values.
    fn written(&self, _data: &mut D) -> Result {
        Ok(())
    }
}

impl<D: Data> Update<D> for () {}

/// The memory whose address iostat has. It has a fixed address.
struct Shared<D, U> {
    lock: Opaque<bindings::mutex>,
    /// Protected by `lock`.
    data: UnsafeCell<D>,
    update: U,
}

// SAFETY: Any thread may use the lock; the data and `update` are `Send`.
unsafe impl<D: Send, U: Send> Send for Shared<D, U> {}
// SAFETY: The lock gives the data to one thread at a time; `update` is `Sync`.
unsafe impl<D: Send, U: Sync> Sync for Shared<D, U> {}

/// A kstat whose data is protected by a mutex, with functions to call when it is read or written.
pub(crate) struct Locked<D: Data, U: Update<D>> {
    kstat: Kstat<KBox<Shared<D, U>>>,
}

/// Values with names, of any types: see [`Values`].
pub(crate) type Named<U = ()> = Locked<Values, U>;

/// Bytes.
pub(crate) type Raw<U = ()> = Locked<KVVec<u8>, U>;

impl<D: Data, U: Update<D>> Locked<D, U> {
    /// Creates and installs the kstat. May sleep. Errors as [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, data: D, update: U) -> Result<Self> {
        let locked = Self::create(owner, id, 0, (data, update))?;
        locked.kstat.install()?;
        Ok(locked)
    }

    /// Creates the kstat without installing it.
    fn create(
        owner: &'static ThisModule,
        id: &Id<'_>,
        flags: u8,
        (mut data, update): (D, U),
    ) -> Result<Self> {
        let (_, ndata, _) = data.parts();
        let shared = KBox::new(
            Shared {
                lock: Opaque::uninit(),
                data: UnsafeCell::new(data),
                update,
            },
            GFP_KERNEL,
        )?;
        // SAFETY: The memory is for this lock only and has a fixed address; the name is static.
        unsafe {
            bindings::__mutex_init(
                shared.lock.get(),
                c"kstat".as_char_ptr(),
                kernel::static_lock_class!().as_ptr(),
            )
        };
        let flags = flags | flag::VIRTUAL | flag::VAR_SIZE;
        let kstat = Kstat::new(owner, id, (D::KIND, ndata), flags, shared)?;
        let raw = kstat.raw.as_ptr();
        let shared: &Shared<D, U> = &kstat.memory;
        // SAFETY: By the type invariant of `Kstat` it is not deleted yet. It is not installed yet, so no other
        // thread accesses it or the data.
        unsafe {
            (*raw).lock = shared.lock.get();
            (*raw).private = core::ptr::from_ref(shared).cast_mut().cast();
            (*raw).update = Some(update_of::<D, U>);
            publish(raw, &mut *shared.data.get());
        }
        Ok(Locked { kstat })
    }

    /// Locks the data; readers wait until the guard is dropped. May sleep. Must not be called by the [`Update`]
    /// of this kstat. Strings and further values are allocated with the mutex held, so it must not be called
    /// where the I/O that an allocation may start could wait for the caller.
    pub(crate) fn lock(&self) -> Guard<'_, D, U> {
        // SAFETY: `create` initialised the mutex, which lives as long as `self`.
        unsafe { bindings::mutex_lock(self.kstat.memory.lock.get()) };
        Guard {
            kstat: &self.kstat,
            _not_send: PhantomData,
        }
    }
}

impl<U: Update<Values>> Named<U> {
    /// Creates and installs a kstat that users with `CAP_SYS_ADMIN` may write. May sleep. Errors as `new()`.
    pub(crate) fn writable(
        owner: &'static ThisModule,
        id: &Id<'_>,
        values: Values,
        update: U,
    ) -> Result<Self> {
        let locked = Self::create(owner, id, flag::WRITABLE, (values, update))?;
        // SAFETY: By the type invariant of `Kstat` it is not deleted yet. It is not installed yet, so no other
        // thread accesses it.
        unsafe { (*locked.kstat.raw.as_ptr()).snapshot = Some(snapshot_of::<U>) };
        locked.kstat.install()?;
        Ok(locked)
    }
}

/// The data of a kstat, with the mutex held.
pub(crate) struct Guard<'a, D: Data, U: Update<D>> {
    kstat: &'a Kstat<KBox<Shared<D, U>>>,
    /// The thread that locks a mutex must unlock it.
    _not_send: PhantomData<*mut ()>,
}

impl<D: Data, U: Update<D>> Deref for Guard<'_, D, U> {
    type Target = D;

    fn deref(&self) -> &D {
        // SAFETY: The guard holds the mutex, so no other thread accesses the data.
        unsafe { &*self.kstat.memory.data.get() }
    }
}

impl<D: Data, U: Update<D>> DerefMut for Guard<'_, D, U> {
    fn deref_mut(&mut self) -> &mut D {
        // SAFETY: The guard holds the mutex, so no other thread accesses the data, and the guard is borrowed
        // mutably.
        unsafe { &mut *self.kstat.memory.data.get() }
    }
}

impl<D: Data, U: Update<D>> Drop for Guard<'_, D, U> {
    fn drop(&mut self) {
        let raw = self.kstat.raw.as_ptr();
        // SAFETY: The kstat is not deleted yet, `data` is its own, and this thread holds the mutex.
        unsafe {
            publish(raw, &mut **self);
            bindings::mutex_unlock(self.kstat.memory.lock.get());
        }
    }
}

/// Sets the address and the size of the data in the kstat. They are right whenever the mutex is free.
///
/// # Safety
///
/// The kstat is not deleted yet, `data` is its own, and the caller holds the mutex or the kstat is not
/// installed yet.
unsafe fn publish<D: Data>(raw: *mut abi::Kstat, data: &mut D) {
    let (at, ndata, bytes) = data.parts();
    // SAFETY: By the requirement of this function, `raw` is valid and no other thread accesses it.
    unsafe {
        (*raw).data = if bytes == 0 { null_mut() } else { at };
        // A number that does not fit is stored as `u32::MAX`, which iostat refuses as too large.
        (*raw).ndata = u32::try_from(ndata).unwrap_or(u32::MAX);
        (*raw).data_size = bytes;
    }
}

fn errno(result: Result) -> c_int {
    result.map_or_else(|error| error.to_errno(), |()| 0)
}

/// `ks_update`.
///
/// # Safety
///
/// Only iostat calls it, for a kstat of this file, with the mutex of the kstat held.
unsafe extern "C" fn update_of<D: Data, U: Update<D>>(ksp: *mut abi::Kstat, rw: c_int) -> c_int {
    // SAFETY: By the requirement of this function, `create` set `private`, which is valid until the kstat is
    // deleted.
    let shared = unsafe { &*(*ksp).private.cast::<Shared<D, U>>() };
    // SAFETY: The caller holds the mutex, so no other thread accesses the data.
    let data = unsafe { &mut *shared.data.get() };
    let result = if rw == abi::READ {
        shared.update.read(data)
    } else {
        shared.update.written(data)
    };
    // SAFETY: The kstat is not deleted yet, `data` is its own, and the caller holds the mutex.
    unsafe { publish(ksp, data) };
    errno(result)
}

/// `ks_snapshot`. A write passes back the snapshot that was read, with one value changed.
///
/// # Safety
///
/// As [`update_of`]; and `buf` has room for the data that was published or, for a write, contains the snapshot
/// that was read.
unsafe extern "C" fn snapshot_of<U: Update<Values>>(
    ksp: *mut abi::Kstat,
    buf: *mut c_void,
    rw: c_int,
) -> c_int {
    // SAFETY: As in `update_of`.
    let shared = unsafe { &*(*ksp).private.cast::<Shared<Values, U>>() };
    // SAFETY: The caller holds the mutex, so no other thread accesses the data.
    let values = unsafe { &mut *shared.data.get() };
    let buf = buf.cast::<abi::Named>();
    let len = values.len();
    if rw == abi::READ {
        // SAFETY: By the requirement of this function `buf` has room for `len` statistics, and the kstat is
        // valid.
        unsafe {
            core::ptr::copy_nonoverlapping(values.named().as_ptr(), buf, len);
            // CAST: Below 2^63 ns for 292 years.
            (*ksp).snaptime = abi::iostat_clock_read() as i64;
        }
        return 0;
    }
    // SAFETY: By the requirement of this function `buf` contains the `len` statistics that were read; a value
    // that was changed since is of the same type.
    errno(unsafe { values.take(core::slice::from_raw_parts(buf, len)) })
}
