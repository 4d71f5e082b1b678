// SPDX-License-Identifier: GPL-2.0

//! Being told of all disks and partitions, those there are and those to come.
//!
//! C header: [`include/linux/device/class.h`](srctree/include/linux/device/class.h).

use super::{
    bindings as own,
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
    bindings,
    error::to_result,
    ffi::c_void,
    prelude::*,
    sync::Arc,
    types::NotThreadSafe, //
};

/// Who is told. Calls come one at a time, may sleep, and hold the class's mutex: they
/// must not wait for anything that needs a disk to come or go.
pub(crate) trait Devices: Send + Sync + 'static {
    /// A disk or partition is there; of a disk's partitions none was before it. It has done no I/O,
    /// and a disk has no `queue` directory yet, unless it was there before the registration.
    fn arrived(&self, device: &BlockDevice<'_>);

    /// What arrived is about to go, a disk after its partitions. Its I/O may not be over.
    fn leaves(&self, device: &BlockDevice<'_>);
}

/// The class interface's callbacks are not told which interface they are called for, so there is
/// one listener.
static LISTENER: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// A registration of a listener; dropping it says goodbye for all that are there.
pub(crate) struct Registration<T: Devices> {
    interface: KBox<UnsafeCell<bindings::class_interface>>,
    _listener: Arc<T>,
    _calls: PhantomData<fn(&T)>,
}

// SAFETY: The interface is only handed to functions that may be called from any thread.
unsafe impl<T: Devices> Send for Registration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Devices> Sync for Registration<T> {}

impl<T: Devices> Registration<T> {
    /// Registers, and calls `arrived` for all there are. May sleep. `EBUSY` if there is a
    /// registration already.
    pub(crate) fn new(listener: Arc<T>) -> Result<Self> {
        let mut class: *const bindings::class = core::ptr::null();
        // SAFETY: The pointer is valid for writes.
        to_result(unsafe { own::iostat_block_class(core::ptr::addr_of_mut!(class).cast()) })?;
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
        // SAFETY: The interface lives until `drop` has unregistered it, at one address.
        let registered = unsafe { bindings::class_interface_register(interface.get()) };
        if let Err(error) = to_result(registered) {
            LISTENER.store(core::ptr::null_mut(), Ordering::Release);
            return Err(error);
        }
        Ok(Registration {
            interface,
            _listener: listener,
            _calls: PhantomData,
        })
    }

    /// The listener and the device of a callback.
    ///
    /// # Safety
    ///
    /// Called from a callback of the registered interface with its device, and the results are
    /// not used after it returns.
    unsafe fn resolve<'a>(dev: *mut bindings::device) -> Option<(&'a T, BlockDevice<'a>)> {
        let listener = LISTENER.load(Ordering::Acquire).cast::<T>();
        // SAFETY: Callbacks come only between `new` and `drop` of the registration, which holds a
        // reference to the listener: one that was stored as a `T`, since there is only one.
        let listener = unsafe { listener.as_ref() }?;
        // SAFETY: By this function's requirement `dev` is a device of the block class; it is alive and
        // in sysfs until the callback returns.
        let device = unsafe { BlockDevice::from_device(dev) }?;
        Some((listener, device))
    }

    /// # Safety
    ///
    /// Called by the driver core as `add_dev` of the registered interface.
    unsafe extern "C" fn add_dev(dev: *mut bindings::device) -> i32 {
        // The class's mutex is held, and those who add and remove disks wait for it, some with queues frozen:
        // reclaim must not wait for I/O.
        let _noio = NoIo::new();
        // SAFETY: This is a callback, and the results stay in it.
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
        // SAFETY: This is a callback, and the results stay in it.
        if let Some((listener, device)) = unsafe { Self::resolve(dev) } {
            listener.leaves(&device);
        }
    }
}

/// Allocations of this thread start no I/O while the value lives: `memalloc_noio_save()`.
pub(crate) struct NoIo {
    flags: u32,
    _not_send: NotThreadSafe,
}

impl NoIo {
    /// From here on.
    pub(crate) fn new() -> Self {
        NoIo {
            // SAFETY: Changes a flag of the current thread, which `drop` puts back.
            flags: unsafe { own::iostat_memalloc_noio_save() },
            _not_send: NotThreadSafe,
        }
    }
}

impl Drop for NoIo {
    fn drop(&mut self) {
        // SAFETY: What was saved on this thread.
        unsafe { own::iostat_memalloc_noio_restore(self.flags) };
    }
}

impl<T: Devices> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: It was registered in `new`. When this returns, no callback is running or to come.
        unsafe { bindings::class_interface_unregister(self.interface.get()) };
        LISTENER.store(core::ptr::null_mut(), Ordering::Release);
    }
}
