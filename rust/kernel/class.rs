// SPDX-License-Identifier: GPL-2.0

//! Class interfaces: notifications of the disks and partitions that exist, and of those that are added and removed later.
//!
//! C header: [`include/linux/device/class.h`](srctree/include/linux/device/class.h).
//!
//! # Examples
//!
//! ```
#![doc = include_str!("examples/class.rs")]
//! ```

use super::{
    bindings,
    block::device::BlockDevice,
    memory::NoIo, //
};
use core::{
    cell::UnsafeCell,
    sync::atomic::{
        AtomicPtr,
        Ordering, //
    }, //
};
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc, //
};

/// A listener for disks and partitions. The calls are serialised, may sleep, and hold the mutex of the class:
/// they must not wait for anything that waits for a disk to be added or removed.
pub(crate) trait Devices: Send + Sync + 'static {
    /// A disk or partition was added; a disk before its partitions. It has done no I/O, and a disk has no
    /// `queue` directory yet, unless it existed before the registration.
    fn arrived(&self, device: &BlockDevice<'_>);

    /// A disk or partition is about to be removed; a disk after its partitions. I/O may still be in flight.
    fn leaves(&self, device: &BlockDevice<'_>);
}

/// How many registrations there can be at a time.
const REGISTRATIONS: usize = 4;

/// The listeners of the registrations. The callbacks of a class interface do not get the interface as an argument: hence each
/// registration has callbacks of its own, which know their index here.
static LISTENERS: [AtomicPtr<c_void>; REGISTRATIONS] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; REGISTRATIONS];

/// The place of a listener in [`LISTENERS`].
///
/// # Invariants
///
/// No other value has this index.
struct ListenerIndex(usize);

impl ListenerIndex {
    /// Takes a free place. `EBUSY` if all are in use.
    fn new(listener: *mut c_void) -> Result<Self> {
        let is_taken = |place: &AtomicPtr<c_void>| {
            let free = core::ptr::null_mut();
            place
                .compare_exchange(free, listener, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        // INVARIANT: The place was null, which it is only while no value has its index.
        let index = LISTENERS.iter().position(is_taken);
        index.map(ListenerIndex).ok_or(EBUSY)
    }
}

impl Drop for ListenerIndex {
    fn drop(&mut self) {
        LISTENERS[self.0].store(core::ptr::null_mut(), Ordering::Release);
    }
}

/// A registration of a listener. Dropping it calls `leaves` for all present devices.
///
/// # Invariants
///
/// `interface` is registered, with the callbacks of `index`. The place of `index` points to `listener`.
pub(crate) struct ClassRegistration<T: Devices> {
    interface: KBox<UnsafeCell<bindings::class_interface>>,
    _index: ListenerIndex,
    _listener: Arc<T>,
}

// SAFETY: The interface is only passed to functions that may be called from any thread.
unsafe impl<T: Devices> Send for ClassRegistration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Devices> Sync for ClassRegistration<T> {}

type AddDev = unsafe extern "C" fn(*mut bindings::device) -> i32;
type RemoveDev = unsafe extern "C" fn(*mut bindings::device);

impl<T: Devices> ClassRegistration<T> {
    const CALLBACKS: [(AddDev, RemoveDev); REGISTRATIONS] = [
        (Self::add_dev::<0>, Self::remove_dev::<0>),
        (Self::add_dev::<1>, Self::remove_dev::<1>),
        (Self::add_dev::<2>, Self::remove_dev::<2>),
        (Self::add_dev::<3>, Self::remove_dev::<3>),
    ];

    /// Registers a listener, and calls `arrived` for all present devices. May sleep. `EBUSY` if there are too many
    /// registrations.
    pub(crate) fn new(listener: Arc<T>) -> Result<Self> {
        let mut class: *const bindings::class = core::ptr::null();
        // SAFETY: The pointer is valid for writes.
        to_result(unsafe { bindings::block_class(&mut class) })?;
        let index = ListenerIndex::new(Arc::as_ptr(&listener).cast_mut().cast())?;
        let (add_dev, remove_dev) = Self::CALLBACKS[index.0];
        let interface = bindings::class_interface {
            class,
            add_dev: Some(add_dev),
            remove_dev: Some(remove_dev),
            ..Default::default()
        };
        let interface = KBox::new(UnsafeCell::new(interface), GFP_KERNEL)?;
        // SAFETY: The interface stays at its address until `drop` has unregistered it.
        to_result(unsafe { bindings::class_interface_register(interface.get()) })?;
        // INVARIANT: Just registered.
        Ok(ClassRegistration {
            interface,
            _index: index,
            _listener: listener,
        })
    }

    /// Returns the listener and the device of a callback.
    ///
    /// # Safety
    ///
    /// The caller is a callback, of this index, of a registered interface and passes its device. The results are not used
    /// after the callback returns.
    unsafe fn resolve<'a>(
        index: usize,
        dev: *mut bindings::device,
    ) -> Option<(&'a T, BlockDevice<'a>)> {
        let listener = LISTENERS[index].load(Ordering::Acquire).cast::<T>();
        // SAFETY: Callbacks run only between `new` and `drop` of the registration, which holds a reference to
        // the listener. It was stored as a `T`: by the type invariant of `ListenerIndex` no other registration has this
        // index.
        let listener = unsafe { listener.as_ref() }?;
        // SAFETY: By the requirement of this function `dev` is a device of the block class; it is alive and in
        // sysfs until the callback returns.
        let device = unsafe { BlockDevice::from_device(dev) }?;
        Some((listener, device))
    }

    /// # Safety
    ///
    /// Called by the driver core as `add_dev` of the registered interface.
    unsafe extern "C" fn add_dev<const INDEX: usize>(dev: *mut bindings::device) -> i32 {
        // The mutex of the class is held. Threads that add and remove disks wait for it, some of them with
        // frozen queues, so reclaim must not wait for I/O.
        let _noio = NoIo::new();
        // SAFETY: This is a callback, and the results do not outlive it.
        if let Some((listener, device)) = unsafe { Self::resolve(INDEX, dev) } {
            listener.arrived(&device);
        }
        0
    }

    /// # Safety
    ///
    /// Called by the driver core as `remove_dev` of the registered interface.
    unsafe extern "C" fn remove_dev<const INDEX: usize>(dev: *mut bindings::device) {
        let _noio = NoIo::new();
        // SAFETY: This is a callback, and the results do not outlive it.
        if let Some((listener, device)) = unsafe { Self::resolve(INDEX, dev) } {
            listener.leaves(&device);
        }
    }
}

impl<T: Devices> Drop for ClassRegistration<T> {
    fn drop(&mut self) {
        // SAFETY: `new` registered the interface. When this returns, no callback is running or will be called.
        unsafe { bindings::class_interface_unregister(self.interface.get()) };
    }
}
