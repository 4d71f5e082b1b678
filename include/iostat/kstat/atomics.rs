// SPDX-License-Identifier: GPL-2.0

//! Kstats of which each number is by itself, and is counted without a lock.

use super::{
    abi::{
        self,
        flag,
        kind, //
    },
    Id,
    Kstat, //
};
use core::{
    ffi::CStr,
    marker::PhantomData,
    ptr::addr_of_mut,
    sync::atomic::{
        AtomicI32,
        AtomicI64,
        AtomicU32,
        AtomicU64,
        Ordering::Relaxed, //
    }, //
};
use kernel::{
    error::to_result,
    prelude::*, //
};

/// A type of numbers in a kstat.
///
/// # Safety
///
/// It is an atomic of at most 8 bytes, of any bits, and `DATA_TYPE` is that of its bits.
pub(crate) unsafe trait Number: Send + Sync {
    /// `KSTAT_DATA_*`.
    const DATA_TYPE: u8;
}

// SAFETY: Four bytes, atomic, of any bits; its bits are those of `INT32`.
unsafe impl Number for AtomicI32 {
    const DATA_TYPE: u8 = abi::data_type::INT32;
}

// SAFETY: Four bytes, atomic, of any bits; its bits are those of `UINT32`.
unsafe impl Number for AtomicU32 {
    const DATA_TYPE: u8 = abi::data_type::UINT32;
}

// SAFETY: Eight bytes, atomic, of any bits; its bits are those of `INT64`.
unsafe impl Number for AtomicI64 {
    const DATA_TYPE: u8 = abi::data_type::INT64;
}

// SAFETY: Eight bytes, atomic, of any bits; its bits are those of `UINT64`.
unsafe impl Number for AtomicU64 {
    const DATA_TYPE: u8 = abi::data_type::UINT64;
}

fn named<T: Number>(name: &CStr) -> Result<abi::Named> {
    let mut named = abi::Named::NONE;
    // SAFETY: There is one; the string is NUL-terminated and copied.
    let result =
        unsafe { abi::iostat_kstat_named_init(&mut named, name.as_char_ptr(), T::DATA_TYPE) };
    to_result(result)?;
    Ok(named)
}

/// `N` numbers with names, all of a type: [`AtomicU64`] or one of its like.
pub(crate) struct Counters<T: Number, const N: usize> {
    kstat: Kstat,
    _numbers: PhantomData<T>,
}

impl<T: Number, const N: usize> Counters<T, N> {
    /// Makes and installs it. May sleep. `EEXIST` if there is one of that name, `EINVAL` if something cannot be,
    /// `ENAMETOOLONG`, `ENODEV` if the module goes, which the kernel's log tells; `ENOMEM`.
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N]) -> Result<Self> {
        Self::with(owner, id, names, 0)
    }

    /// The same of one that is kept when it is dropped, and is taken again with its numbers by who makes the like
    /// once more. `EINVAL` also if what was kept has other names or another type.
    pub(crate) fn persistent(
        owner: &'static ThisModule,
        id: &Id<'_>,
        names: [&CStr; N],
    ) -> Result<Self> {
        Self::with(owner, id, names, flag::PERSISTENT)
    }

    fn with(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N], flags: u8) -> Result<Self> {
        // A persistent one is not made if it cannot be: it would be kept.
        for name in names {
            named::<T>(name)?;
        }
        let kstat = Kstat::new(owner, id, (kind::NAMED, N), flags, ())?;
        // SAFETY: By the type invariant of `Kstat`; iostat writes it in calls of ours only.
        let was_kept = unsafe { (*kstat.raw.as_ptr()).flags } & flag::DORMANT != 0;
        for (index, name) in names.into_iter().enumerate() {
            let new = named::<T>(name)?;
            let at = kstat.data::<abi::Named>().wrapping_add(index);
            if !was_kept {
                // SAFETY: There are `N`, and nobody sees them yet.
                unsafe { at.write(new) };
                continue;
            }
            // SAFETY: There are `N`, which all others only read.
            let (name, data_type) = unsafe { ((*at).name, (*at).data_type) };
            if (name, data_type) != (new.name, new.data_type) {
                return Err(EINVAL);
            }
        }
        kstat.install()?;
        Ok(Counters {
            kstat,
            _numbers: PhantomData,
        })
    }

    /// One of the numbers; the last if there are not so many. In any context.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &T {
        const { assert!(N != 0) };
        let at = self
            .kstat
            .data::<abi::Named>()
            .wrapping_add(index.min(N - 1));
        // SAFETY: There are `N`, for as long as `self`; the value is 8 bytes or more, aligned, and of this type's
        // bits. All others only read it: it is not writable.
        unsafe { &*addr_of_mut!((*at).value).cast::<T>() }
    }
}

impl<const N: usize> Counters<AtomicU64, N> {
    /// Counts `n` of what has this index. In any context.
    #[inline]
    pub(crate) fn add(&self, index: usize, n: u64) {
        self.at(index).fetch_add(n, Relaxed);
    }
}

/// `KSTAT_INTR_*`.
#[derive(Clone, Copy)]
pub(crate) enum Interrupt {
    /// From a device.
    Hard = 0,
    /// From software.
    Soft = 1,
    /// From a timer that watches.
    Watchdog = 2,
    /// For nobody.
    Spurious = 3,
    /// For several.
    MultipleService = 4,
}

/// Interrupts.
pub(crate) struct Intr {
    kstat: Kstat,
}

impl Intr {
    /// Makes and installs it. May sleep. Errors as of [`Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>) -> Result<Self> {
        let kstat = Kstat::new(owner, id, (kind::INTR, 1), 0, ())?;
        kstat.install()?;
        Ok(Intr { kstat })
    }

    /// How many there were. In any context.
    #[inline]
    pub(crate) fn at(&self, interrupt: Interrupt) -> &AtomicU32 {
        let at = self.kstat.data::<u32>().wrapping_add(interrupt as usize);
        // SAFETY: There are five, for as long as `self`, zeroed at first. All others only read them.
        unsafe { AtomicU32::from_ptr(at) }
    }

    /// Counts one. In any context.
    #[inline]
    pub(crate) fn inc(&self, interrupt: Interrupt) {
        self.at(interrupt).fetch_add(1, Relaxed);
    }
}
