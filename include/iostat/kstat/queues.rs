// SPDX-License-Identifier: GPL-2.0

//! Kstats of which several numbers change together, in any context: with a spinlock.

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
    ffi::c_ulong,
    prelude::*,
    types::Opaque, //
};

// There a spinlock is another thing, and its functions are inlines of C.
#[cfg(CONFIG_PREEMPT_RT)]
compile_error!("kstats of queues and timers are not for PREEMPT_RT");

/// `ks_spinlock`.
struct SpinLock(Opaque<bindings::spinlock_t>);

// SAFETY: A spinlock may be taken, and its memory freed, by any thread.
unsafe impl Send for SpinLock {}
// SAFETY: A spinlock is made to be used by several threads at once.
unsafe impl Sync for SpinLock {}

/// A kstat with a spinlock, with which all is done to its data.
struct Spinning(Kstat<KBox<SpinLock>>);

impl Spinning {
    /// One that nobody sees yet. May sleep.
    fn new(owner: &'static ThisModule, id: &Id<'_>, what: (u8, usize)) -> Result<Self> {
        let lock = KBox::new(SpinLock(Opaque::uninit()), GFP_KERNEL)?;
        // SAFETY: The memory is the lock's own, at one address; the name is static.
        unsafe {
            bindings::__spin_lock_init(
                lock.0.get(),
                c"kstat".as_char_ptr(),
                kernel::static_lock_class!().as_ptr(),
            )
        };
        let kstat = Kstat::new(owner, id, what, 0, lock)?;
        // SAFETY: By the type invariant it is there, and nobody sees it yet.
        unsafe { (*kstat.raw.as_ptr()).spinlock = kstat.memory.0.get() };
        Ok(Spinning(kstat))
    }

    /// Does something to the data, with the spinlock held and interrupts off.
    fn locked<T>(&self, act: impl FnOnce(*mut T)) {
        let lock = self.0.memory.0.get().cast::<bindings::raw_spinlock_t>();
        // SAFETY: Initialised in `new`.
        let flags: c_ulong = unsafe { bindings::_raw_spin_lock_irqsave(lock) };
        act(self.0.data());
        // SAFETY: Locked right above.
        unsafe { bindings::_raw_spin_unlock_irqrestore(lock, flags) };
    }
}

/// I/Os of a disk or the like: kstat_queue(9F).
pub(crate) struct Io(Spinning);

macro_rules! queue_functions {
    ($($(#[$doc:meta])* $name:ident: $function:ident;)*) => {
        $($(#[$doc])*
        pub(crate) fn $name(&self) {
            // SAFETY: The data of an I/O kstat is one such; the spinlock with which all change it is held.
            self.0.locked(|io| unsafe { abi::$function(io) });
        })*
    };
}

impl Io {
    /// Makes and installs it. May sleep. Errors as of [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>) -> Result<Self> {
        let spinning = Spinning::new(owner, id, (kind::IO, 1))?;
        spinning.0.install()?;
        Ok(Io(spinning))
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
        self.0.locked(|io: *mut abi::Io| {
            // SAFETY: As above.
            let io = unsafe { &mut *io };
            io.nread = io.nread.wrapping_add(bytes);
            io.reads = io.reads.wrapping_add(1);
        });
    }

    /// A write of so many bytes is done. Likewise.
    pub(crate) fn written(&self, bytes: u64) {
        self.0.locked(|io: *mut abi::Io| {
            // SAFETY: As above.
            let io = unsafe { &mut *io };
            io.nwritten = io.nwritten.wrapping_add(bytes);
            io.writes = io.writes.wrapping_add(1);
        });
    }
}

/// `N` timers with names, each of one event at a time.
pub(crate) struct Timers<const N: usize>(Spinning);

impl<const N: usize> Timers<N> {
    /// Makes and installs it. May sleep. Errors as of [`super::Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N]) -> Result<Self> {
        let spinning = Spinning::new(owner, id, (kind::TIMER, N))?;
        for (index, name) in names.into_iter().enumerate() {
            let at = spinning.0.data::<abi::Timer>().wrapping_add(index);
            // SAFETY: There are `N`; the string is NUL-terminated and copied.
            to_result(unsafe { abi::iostat_kstat_timer_init(at, name.as_char_ptr()) })?;
        }
        spinning.0.install()?;
        Ok(Timers(spinning))
    }

    fn act(&self, index: usize, act: unsafe extern "C" fn(*mut abi::Timer)) {
        const { assert!(N != 0) };
        // SAFETY: There are `N`, and nobody else changes them now.
        self.0.locked(|timers: *mut abi::Timer| unsafe {
            act(timers.wrapping_add(index.min(N - 1)))
        });
    }

    /// An event begins, of the last timer if there are not so many. In any context but an NMI's.
    pub(crate) fn start(&self, index: usize) {
        self.act(index, abi::iostat_kstat_timer_start);
    }

    /// It ends. Likewise.
    pub(crate) fn stop(&self, index: usize) {
        self.act(index, abi::iostat_kstat_timer_stop);
    }
}
