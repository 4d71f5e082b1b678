// SPDX-License-Identifier: GPL-2.0

//! Kstats with several numbers that change together, in any context: protected by a spinlock. With PREEMPT_RT it sleeps,
//! as all spinlocks do, so that the functions of these kstats may not be called in a hard interrupt handler there.

use super::{
    abi::{
        self,
        kind, //
    },
    Id,
    Kstat, //
};
use core::ffi::CStr;
use kernel::{
    bindings,
    error::to_result,
    prelude::*,
    types::Opaque, //
};

/// `ks_spinlock`.
struct SpinLock(Opaque<bindings::spinlock_t>);

// SAFETY: A spinlock may be taken, and its memory freed, by any thread.
unsafe impl Send for SpinLock {}
// SAFETY: A spinlock may be used by several threads at the same time.
unsafe impl Sync for SpinLock {}

/// A kstat whose data is accessed only with its spinlock held.
struct Spinning(Kstat<KBox<SpinLock>>);

impl Spinning {
    /// Creates the kstat without installing it. May sleep.
    fn new(owner: &'static ThisModule, id: &Id<'_>, what: (u8, usize)) -> Result<Self> {
        let lock = KBox::new(SpinLock(Opaque::uninit()), GFP_KERNEL)?;
        // SAFETY: The memory is for this lock only and has a fixed address; the name is static.
        unsafe {
            bindings::__spin_lock_init(
                lock.0.get(),
                c"kstat".as_char_ptr(),
                kernel::static_lock_class!().as_ptr(),
            )
        };
        let kstat = Kstat::new(owner, id, what, 0, lock)?;
        // SAFETY: By the type invariant of `Kstat` it is not deleted yet. It is not installed yet, so no other
        // thread accesses it.
        unsafe { (*kstat.raw.as_ptr()).spinlock = kstat.memory.0.get() };
        Ok(Spinning(kstat))
    }

    /// Calls `act` with the data, with the spinlock held and interrupts disabled: `spin_lock_irqsave()`.
    #[cfg(not(CONFIG_PREEMPT_RT))]
    fn locked<T>(&self, act: impl FnOnce(*mut T)) {
        let lock = self.0.memory.0.get().cast::<bindings::raw_spinlock_t>();
        // SAFETY: `new` initialised the lock.
        let flags = unsafe { bindings::_raw_spin_lock_irqsave(lock) };
        act(self.0.data());
        // SAFETY: This function took the lock above; `flags` are of that call.
        unsafe { bindings::_raw_spin_unlock_irqrestore(lock, flags) };
    }

    /// Calls `act` with the data, with the spinlock held. With PREEMPT_RT `spin_lock_irqsave()` leaves interrupts enabled, and
    /// the lock sleeps.
    #[cfg(CONFIG_PREEMPT_RT)]
    fn locked<T>(&self, act: impl FnOnce(*mut T)) {
        let lock = self.0.memory.0.get();
        // SAFETY: `new` initialised the lock.
        unsafe { bindings::spin_lock(lock) };
        act(self.0.data());
        // SAFETY: This function took the lock above.
        unsafe { bindings::spin_unlock(lock) };
    }
}

/// I/O of a disk or a similar device: kstat_queue(9F).
pub(crate) struct Io(Spinning);

macro_rules! queue_functions {
    ($($(#[$doc:meta])* $name:ident: $function:ident;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(&self) {
            // SAFETY: The data of an I/O kstat is a `kstat_io_t`, and the spinlock that protects it is held.
            self.0.locked(|io| unsafe { abi::$function(io) });
        })*
    };
}

impl Io {
    /// Creates and installs the kstat. May sleep. Errors as [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>) -> Result<Self> {
        let spinning = Spinning::new(owner, id, (kind::IO, 1))?;
        spinning.0.install()?;
        Ok(Io(spinning))
    }

    queue_functions! {
        /// An I/O enters the wait queue. Any context but NMI.
        waitq_enter: iostat_kstat_waitq_enter;
        /// An I/O leaves the wait queue without being started. Any context but NMI.
        waitq_exit: iostat_kstat_waitq_exit;
        /// An I/O enters the run queue: the device starts on it. Any context but NMI.
        runq_enter: iostat_kstat_runq_enter;
        /// An I/O leaves the run queue: it is completed. Any context but NMI.
        runq_exit: iostat_kstat_runq_exit;
        /// An I/O moves from the wait queue to the run queue. Any context but NMI.
        waitq_to_runq: iostat_kstat_waitq_to_runq;
        /// An I/O moves from the run queue back to the wait queue. Any context but NMI.
        runq_back_to_waitq: iostat_kstat_runq_back_to_waitq;
    }

    /// Counts a completed read of this many bytes. Any context but NMI.
    pub(crate) fn read(&self, bytes: u64) {
        self.0.locked(|io: *mut abi::Io| {
            // SAFETY: The data of an I/O kstat is a `kstat_io_t`, and the spinlock that protects it is held.
            let io = unsafe { &mut *io };
            io.nread = io.nread.wrapping_add(bytes);
            io.reads = io.reads.wrapping_add(1);
        });
    }

    /// Counts a completed write of this many bytes. Any context but NMI.
    pub(crate) fn written(&self, bytes: u64) {
        self.0.locked(|io: *mut abi::Io| {
            // SAFETY: The data of an I/O kstat is a `kstat_io_t`, and the spinlock that protects it is held.
            let io = unsafe { &mut *io };
            io.nwritten = io.nwritten.wrapping_add(bytes);
            io.writes = io.writes.wrapping_add(1);
        });
    }
}

/// `N` timers with names, each for one event at a time.
pub(crate) struct Timers<const N: usize>(Spinning);

impl<const N: usize> Timers<N> {
    /// Creates and installs the kstat. May sleep. Errors as [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N]) -> Result<Self> {
        let spinning = Spinning::new(owner, id, (kind::TIMER, N))?;
        for (index, name) in names.into_iter().enumerate() {
            let at = spinning.0.data::<abi::Timer>().wrapping_add(index);
            // SAFETY: There are `N` timers; the string is NUL-terminated and copied.
            to_result(unsafe { abi::iostat_kstat_timer_init(at, name.as_char_ptr()) })?;
        }
        spinning.0.install()?;
        Ok(Timers(spinning))
    }

    fn act(&self, index: usize, act: unsafe extern "C" fn(*mut abi::Timer)) {
        const { assert!(N != 0) };
        // SAFETY: There are `N` timers, and the spinlock that protects them is held.
        self.0.locked(|timers: *mut abi::Timer| unsafe {
            act(timers.wrapping_add(index.min(N - 1)))
        });
    }

    /// Records the start of an event, with the last timer if `index` is too large. Any context but NMI.
    pub(crate) fn start(&self, index: usize) {
        self.act(index, abi::iostat_kstat_timer_start);
    }

    /// Records the end of the event, with the last timer if `index` is too large. Any context but NMI.
    pub(crate) fn stop(&self, index: usize) {
        self.act(index, abi::iostat_kstat_timer_stop);
    }
}
