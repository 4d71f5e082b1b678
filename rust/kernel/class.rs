// SPDX-License-Identifier: GPL-2.0

//! Notifications of disks and partitions: of those that exist, and of those that are added and removed later.
//!
//! C header: [`include/linux/device/class.h`](srctree/include/linux/device/class.h).

use super::{
    bindings,
    block::device::BlockDevice, //
};
use core::{
    cell::UnsafeCell,
    marker::PhantomData,
    sync::atomic::{
        AtomicPtr,
        Ordering, //
    }, //
};
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc,
    types::NotThreadSafe, //
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

/// The callbacks of a class interface do not get the interface as an argument, so there can be only one
/// listener.
static LISTENER: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// A registration of a listener. Dropping it calls `leaves` for all present devices.
pub(crate) struct ClassRegistration<T: Devices> {
    interface: KBox<UnsafeCell<bindings::class_interface>>,
    _listener: Arc<T>,
    _calls: PhantomData<fn(&T)>,
}

// SAFETY: The interface is only passed to functions that may be called from any thread.
unsafe impl<T: Devices> Send for ClassRegistration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Devices> Sync for ClassRegistration<T> {}

impl<T: Devices> ClassRegistration<T> {
    /// Registers a listener, and calls `arrived` for all present devices. May sleep. `EBUSY` if there is a
    /// registration already.
    pub(crate) fn new(listener: Arc<T>) -> Result<Self> {
        let mut class: *const bindings::class = core::ptr::null();
        // SAFETY: The pointer is valid for writes.
        to_result(unsafe { bindings::block_class(&mut class) })?;
        let data = Arc::as_ptr(&listener).cast_mut().cast();
        LISTENER
            .compare_exchange(
                core::ptr::null_mut(),
                data,
                Ordering::AcqRel,
                Ordering::Relaxed,
            )
            .map_err(|_| EBUSY)?;

        let interface = bindings::class_interface {
            class,
            add_dev: Some(Self::add_dev),
            remove_dev: Some(Self::remove_dev),
            ..Default::default()
        };
        let interface = match KBox::new(UnsafeCell::new(interface), GFP_KERNEL) {
            Ok(interface) => interface,
            Err(error) => {
                LISTENER.store(core::ptr::null_mut(), Ordering::Release);
                return Err(error.into());
            }
        };
        // SAFETY: The interface stays at its address until `drop` has unregistered it.
        let registered = unsafe { bindings::class_interface_register(interface.get()) };
        if let Err(error) = to_result(registered) {
            LISTENER.store(core::ptr::null_mut(), Ordering::Release);
            return Err(error);
        }
        Ok(ClassRegistration {
            interface,
            _listener: listener,
            _calls: PhantomData,
        })
    }

    /// Returns the listener and the device of a callback.
    ///
    /// # Safety
    ///
    /// The caller is a callback of the registered interface and passes its device. The results are not used
    /// after the callback returns.
    unsafe fn resolve<'a>(dev: *mut bindings::device) -> Option<(&'a T, BlockDevice<'a>)> {
        let listener = LISTENER.load(Ordering::Acquire).cast::<T>();
        // SAFETY: Callbacks run only between `new` and `drop` of the registration, which holds a reference to
        // the listener. It was stored as a `T`: there is only one registration.
        let listener = unsafe { listener.as_ref() }?;
        // SAFETY: By the requirement of this function `dev` is a device of the block class; it is alive and in
        // sysfs until the callback returns.
        let device = unsafe { BlockDevice::from_device(dev) }?;
        Some((listener, device))
    }

    /// # Safety
    ///
    /// Called by the driver core as `add_dev` of the registered interface.
    unsafe extern "C" fn add_dev(dev: *mut bindings::device) -> i32 {
        // The mutex of the class is held. Threads that add and remove disks wait for it, some of them with
        // frozen queues, so reclaim must not wait for I/O.
        let _noio = NoIo::new();
        // SAFETY: This is a callback, and the results do not outlive it.
        if let Some((listener, device)) = unsafe { Self::resolve(dev) } {
            listener.arrived(&device);
        }
        0
    }

    /// # Safety
    ///
    /// Called by the driver core as `remove_dev` of the registered interface.
    unsafe extern "C" fn remove_dev(dev: *mut bindings::device) {
        let _noio = NoIo::new();
        // SAFETY: This is a callback, and the results do not outlive it.
        if let Some((listener, device)) = unsafe { Self::resolve(dev) } {
            listener.leaves(&device);
        }
    }
}

/// While this value exists, allocations of this thread do not start I/O: `memalloc_noio_save()`.
pub(crate) struct NoIo {
    flags: u32,
    _not_send: NotThreadSafe,
}

impl NoIo {
    /// Disables I/O by allocations of this thread.
    pub(crate) fn new() -> Self {
        NoIo {
            // SAFETY: It changes a flag of the current thread, which `drop` restores.
            flags: unsafe { bindings::memalloc_noio_save() },
            _not_send: NotThreadSafe,
        }
    }
}

impl Drop for NoIo {
    fn drop(&mut self) {
        // SAFETY: The flags were saved by this thread.
        unsafe { bindings::memalloc_noio_restore(self.flags) };
    }
}

impl<T: Devices> Drop for ClassRegistration<T> {
    fn drop(&mut self) {
        // SAFETY: `new` registered the interface. When this returns, no callback is running or will be called.
        unsafe { bindings::class_interface_unregister(self.interface.get()) };
        LISTENER.store(core::ptr::null_mut(), Ordering::Release);
    }
}
