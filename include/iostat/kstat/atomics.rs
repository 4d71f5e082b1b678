// SPDX-License-Identifier: GPL-2.0

//! Kstats whose numbers are independent of each other and are updated without a lock.

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

/// A type of the numbers of a kstat.
///
/// # Safety
///
/// It is an atomic of at most 8 bytes, every bit pattern of it is valid, and `DATA_TYPE` is the type of its
/// bits.
pub(crate) unsafe trait Number: Send + Sync {
    /// `KSTAT_DATA_*`.
    const DATA_TYPE: u8;
}

// SAFETY: An atomic of four bytes; every bit pattern is valid; its type is `INT32`.
unsafe impl Number for AtomicI32 {
    const DATA_TYPE: u8 = abi::data_type::INT32;
}

// SAFETY: An atomic of four bytes; every bit pattern is valid; its type is `UINT32`.
unsafe impl Number for AtomicU32 {
    const DATA_TYPE: u8 = abi::data_type::UINT32;
}

// SAFETY: An atomic of eight bytes; every bit pattern is valid; its type is `INT64`.
unsafe impl Number for AtomicI64 {
    const DATA_TYPE: u8 = abi::data_type::INT64;
}

// SAFETY: An atomic of eight bytes; every bit pattern is valid; its type is `UINT64`.
unsafe impl Number for AtomicU64 {
    const DATA_TYPE: u8 = abi::data_type::UINT64;
}

fn named<T: Number>(name: &CStr) -> Result<abi::Named> {
    let mut named = abi::Named::NONE;
    // SAFETY: `named` is valid for writes; the string is NUL-terminated and copied.
    let result =
        unsafe { abi::iostat_kstat_named_init(&mut named, name.as_char_ptr(), T::DATA_TYPE) };
    to_result(result)?;
    Ok(named)
}

/// `N` numbers with names, all of the same type: [`AtomicU64`], [`AtomicI64`], [`AtomicU32`] or [`AtomicI32`].
pub(crate) struct Counters<T: Number, const N: usize> {
    kstat: Kstat,
    _numbers: PhantomData<T>,
}

impl<T: Number, const N: usize> Counters<T, N> {
    /// Creates and installs the kstat. May sleep.
    ///
    /// # Errors
    ///
    /// `EEXIST` if there is a kstat of that name, `EINVAL` or `ENAMETOOLONG` if a name is invalid, `ENODEV` if
    /// the module is being unloaded (with a message in the kernel log), `ENOMEM`.
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N]) -> Result<Self> {
        Self::with(owner, id, names, 0)
    }

    /// Creates and installs a persistent kstat: dropping it keeps the kstat and its numbers, and a later call
    /// with the same `id` takes them over. May sleep.
    ///
    /// # Errors
    ///
    /// As [`Counters::new`], and `EINVAL` if the kept kstat has other names or another type of numbers.
    pub(crate) fn persistent(
        owner: &'static ThisModule,
        id: &Id<'_>,
        names: [&CStr; N],
    ) -> Result<Self> {
        Self::with(owner, id, names, flag::PERSISTENT)
    }

    fn with(owner: &'static ThisModule, id: &Id<'_>, names: [&CStr; N], flags: u8) -> Result<Self> {
        // Check the names first: a persistent kstat, once created, would be kept although this function fails.
        for name in names {
            named::<T>(name)?;
        }
        let kstat = Kstat::new(owner, id, (kind::NAMED, N), flags, ())?;
        // SAFETY: By the type invariant of `Kstat` it is not deleted yet. iostat writes the flags only in calls
        // that this module makes.
        let was_kept = unsafe { (*kstat.raw.as_ptr()).flags } & flag::DORMANT != 0;
        for (index, name) in names.into_iter().enumerate() {
            let new = named::<T>(name)?;
            let at = kstat.data::<abi::Named>().wrapping_add(index);
            if !was_kept {
                // SAFETY: There are `N` statistics, and the kstat is not installed yet, so no other thread
                // accesses them.
                unsafe { at.write(new) };
                continue;
            }
            // SAFETY: There are `N` statistics, and all other threads only read them.
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

    /// Returns a number, or the last one if `index` is too large. Any context.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &T {
        const { assert!(N != 0) };
        let at = self
            .kstat
            .data::<abi::Named>()
            .wrapping_add(index.min(N - 1));
        // SAFETY: There are `N` statistics, for as long as `self` exists. The value has 8 bytes or more, is
        // aligned, and has this type. The kstat is not writable, so all other threads only read the value.
        unsafe { &*addr_of_mut!((*at).value).cast::<T>() }
    }
}

impl<const N: usize> Counters<AtomicU64, N> {
    /// Adds `n` to the number with this index. Any context.
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
    /// From a watchdog timer.
    Watchdog = 2,
    /// Without a known source.
    Spurious = 3,
    /// Several interrupts serviced at once.
    MultipleService = 4,
}

/// An interrupt kstat.
pub(crate) struct Intr {
    kstat: Kstat,
}

impl Intr {
    /// Creates and installs the kstat. May sleep. Errors as [`Counters::new`].
    pub(crate) fn new(owner: &'static ThisModule, id: &Id<'_>) -> Result<Self> {
        let kstat = Kstat::new(owner, id, (kind::INTR, 1), 0, ())?;
        kstat.install()?;
        Ok(Intr { kstat })
    }

    /// Returns the number of interrupts of this kind. Any context.
    #[inline]
    pub(crate) fn at(&self, interrupt: Interrupt) -> &AtomicU32 {
        let at = self.kstat.data::<u32>().wrapping_add(interrupt as usize);
        // SAFETY: There are five numbers, zero at first, for as long as `self` exists. All other threads only
        // read them.
        unsafe { AtomicU32::from_ptr(at) }
    }

    /// Counts one interrupt. Any context.
    #[inline]
    pub(crate) fn inc(&self, interrupt: Interrupt) {
        self.at(interrupt).fetch_add(1, Relaxed);
    }
}
