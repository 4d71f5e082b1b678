// SPDX-License-Identifier: GPL-2.0

//! Kstats of which all is behind a mutex, `ks_lock`, that can change their size and have an update.

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

/// What such a kstat counts in: [`Values`], or bytes.
///
/// # Safety
///
/// What `parts` returns is there, initialised and of `KIND`, until the value changes or is dropped, wherever the value
/// itself is moved.
pub(crate) unsafe trait Data: Send + 'static {
    /// `KSTAT_TYPE_*`.
    const KIND: u8;

    /// Where the data is, how many there are, and how many bytes.
    fn parts(&mut self) -> (*mut c_void, usize, usize);
}

// SAFETY: The bytes of a vector stay where they are until it changes or is dropped, also when it is moved.
unsafe impl Data for KVVec<u8> {
    const KIND: u8 = kind::RAW;

    fn parts(&mut self) -> (*mut c_void, usize, usize) {
        (self.as_mut_ptr().cast(), self.len(), self.len())
    }
}

// SAFETY: It has `kstat_named_t`, with strings that are there as long as itself, by its invariant.
unsafe impl Data for Values {
    const KIND: u8 = kind::NAMED;

    fn parts(&mut self) -> (*mut c_void, usize, usize) {
        let named = self.named();
        (named.as_mut_ptr().cast(), named.len(), size_of_val(named))
    }
}

/// What a client does when somebody reads its kstat or has written it: `ks_update()`. `()` does nothing.
///
/// It may sleep, for which the reader waits. It is called with the kstat's mutex held, and must neither take that again
/// nor wait for who drops the kstat. Errors are `EACCES`, `EAGAIN`, `ENOMEM` or `EIO`, which any other becomes.
pub(crate) trait Update<D: Data>: Send + Sync + 'static {
    /// Brings the data up to date.
    fn read(&self, _data: &mut D) -> Result {
        Ok(())
    }

    /// Takes what was written, or, with an error, puts back what was there.
    fn written(&self, _data: &mut D) -> Result {
        Ok(())
    }
}

impl<D: Data> Update<D> for () {}

/// What readers are told of. At one address.
struct Shared<D, U> {
    lock: Opaque<bindings::mutex>,
    /// With `lock` held.
    data: UnsafeCell<D>,
    update: U,
}

// SAFETY: The lock may be used by any thread, the rest by its own type.
unsafe impl<D: Send, U: Send> Send for Shared<D, U> {}
// SAFETY: The data is given to one thread at a time.
unsafe impl<D: Send, U: Sync> Sync for Shared<D, U> {}

/// A kstat with a mutex around its data, and what is to be done when it is read.
pub(crate) struct Locked<D: Data, U: Update<D>> {
    kstat: Kstat<KBox<Shared<D, U>>>,
}

/// Values with names, of all types: see [`Values`].
pub(crate) type Named<U = ()> = Locked<Values, U>;

/// Bytes.
pub(crate) type Raw<U = ()> = Locked<KVVec<u8>, U>;

impl<D: Data, U: Update<D>> Locked<D, U> {
    /// Makes and installs it. May sleep. Errors as of [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, data: D, update: U) -> Result<Self> {
        let locked = Self::unseen(owner, id, 0, (data, update))?;
        locked.kstat.install()?;
        Ok(locked)
    }

    /// One that nobody sees yet.
    fn unseen(
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
        // SAFETY: The memory is the lock's own, at one address; the name is static.
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
        // SAFETY: By the type invariant of `Kstat` it is there, and nobody sees it nor the data yet.
        unsafe {
            (*raw).lock = shared.lock.get();
            (*raw).private = core::ptr::from_ref(shared).cast_mut().cast();
            (*raw).update = Some(update_of::<D, U>);
            publish(raw, &mut *shared.data.get());
        }
        Ok(Locked { kstat })
    }

    /// Holds the data, which readers wait for. May sleep. Not by its own [`Update`]; and, as text and more values
    /// are allocated under it, not where I/O of the kernel's own waits for it.
    pub(crate) fn lock(&self) -> Guard<'_, D, U> {
        // SAFETY: Initialised in `unseen`, and there as long as `self`.
        unsafe { bindings::mutex_lock(self.kstat.memory.lock.get()) };
        Guard {
            kstat: &self.kstat,
            _not_send: PhantomData,
        }
    }
}

impl<U: Update<Values>> Named<U> {
    /// The same as `new()` of one that users with CAP_SYS_ADMIN may write.
    pub(crate) fn writable(
        owner: &'static ThisModule,
        id: &Id<'_>,
        values: Values,
        update: U,
    ) -> Result<Self> {
        let locked = Self::unseen(owner, id, flag::WRITABLE, (values, update))?;
        // SAFETY: By the type invariant of `Kstat` it is there, and nobody sees it yet.
        unsafe { (*locked.kstat.raw.as_ptr()).snapshot = Some(snapshot_of::<U>) };
        locked.kstat.install()?;
        Ok(locked)
    }
}

/// A kstat's data, held.
pub(crate) struct Guard<'a, D: Data, U: Update<D>> {
    kstat: &'a Kstat<KBox<Shared<D, U>>>,
    /// Who locks a mutex unlocks it.
    _not_send: PhantomData<*mut ()>,
}

impl<D: Data, U: Update<D>> Deref for Guard<'_, D, U> {
    type Target = D;

    fn deref(&self) -> &D {
        // SAFETY: A guard holds the mutex, so no other thread has the data.
        unsafe { &*self.kstat.memory.data.get() }
    }
}

impl<D: Data, U: Update<D>> DerefMut for Guard<'_, D, U> {
    fn deref_mut(&mut self) -> &mut D {
        // SAFETY: A guard holds the mutex, so no other thread has the data; and it is borrowed mutably.
        unsafe { &mut *self.kstat.memory.data.get() }
    }
}

impl<D: Data, U: Update<D>> Drop for Guard<'_, D, U> {
    fn drop(&mut self) {
        let raw = self.kstat.raw.as_ptr();
        // SAFETY: The kstat is there, and the mutex held, by this thread.
        unsafe {
            publish(raw, &mut **self);
            bindings::mutex_unlock(self.kstat.memory.lock.get());
        }
    }
}

/// Says where the data is. Whenever the mutex is free, that is right.
///
/// # Safety
///
/// The kstat is there, `data` is its own, and the mutex held, or nobody sees it.
unsafe fn publish<D: Data>(raw: *mut abi::Kstat, data: &mut D) {
    let (at, ndata, bytes) = data.parts();
    // SAFETY: By this function's requirement.
    unsafe {
        (*raw).data = if bytes == 0 { null_mut() } else { at };
        // More than there may be becomes more than iostat takes.
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
/// Called by iostat, of a kstat of these types, with its mutex held.
unsafe extern "C" fn update_of<D: Data, U: Update<D>>(ksp: *mut abi::Kstat, rw: c_int) -> c_int {
    // SAFETY: By this function's requirement `unseen` has set it, and it is there until the kstat is deleted.
    let shared = unsafe { &*(*ksp).private.cast::<Shared<D, U>>() };
    // SAFETY: The mutex is held.
    let data = unsafe { &mut *shared.data.get() };
    let result = if rw == abi::READ {
        shared.update.read(data)
    } else {
        shared.update.written(data)
    };
    // SAFETY: The kstat is there, and the mutex held.
    unsafe { publish(ksp, data) };
    errno(result)
}

/// `ks_snapshot`: what is written are the same values, with another for one of them.
///
/// # Safety
///
/// As of [`update_of`]; at `buf` there is room for what was published, and, if it is written, what was read.
unsafe extern "C" fn snapshot_of<U: Update<Values>>(
    ksp: *mut abi::Kstat,
    buf: *mut c_void,
    rw: c_int,
) -> c_int {
    // SAFETY: By this function's requirement, as in `update_of`.
    let shared = unsafe { &*(*ksp).private.cast::<Shared<Values, U>>() };
    // SAFETY: The mutex is held.
    let values = unsafe { &mut *shared.data.get() };
    let buf = buf.cast::<abi::Named>();
    let len = values.len();
    if rw == abi::READ {
        // SAFETY: There is room for so many. The kstat is there.
        unsafe {
            core::ptr::copy_nonoverlapping(values.named().as_ptr(), buf, len);
            // CAST: Below 2^63 for 292 years.
            (*ksp).snaptime = abi::iostat_clock_read() as i64;
        }
        return 0;
    }
    // SAFETY: So many were read there; what has changed since is a value of its type.
    errno(unsafe { values.take(core::slice::from_raw_parts(buf, len)) })
}
