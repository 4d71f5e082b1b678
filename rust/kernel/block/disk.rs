// SPDX-License-Identifier: GPL-2.0

//! Whole disks.
//!
//! C header: [`include/linux/blkdev.h`](srctree/include/linux/blkdev.h).

use crate::{
    abi::identity::Name,
    kernel_ext::kobject::{
        Directory,
        Object, //
    },
};
use core::{
    ffi::CStr,
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    prelude::*, //
};

/// A `struct gendisk` that is in sysfs.
///
/// # Invariants
///
/// `ptr` is a disk with `part0` and `queue`, alive for `'a`.
pub(crate) struct Disk<'a> {
    ptr: NonNull<bindings::gendisk>,
    _alive: PhantomData<&'a bindings::gendisk>,
}

impl<'a> Disk<'a> {
    /// The disk that `dev` is, if its type is `disk_type`; [`None`] for a partition.
    ///
    /// # Safety
    ///
    /// `dev` is a device of the block class, alive and in sysfs for `'a`.
    pub(crate) unsafe fn from_device(
        dev: *mut bindings::device,
        disk_type: *const bindings::device_type,
    ) -> Option<Self> {
        // SAFETY: `dev` is valid.
        if unsafe { (*dev).type_ } != disk_type {
            return None;
        }
        // SAFETY: Devices of the block class are the `bd_device` of a block device; that of a
        // whole disk is its `part0`, which points back to the disk.
        let ptr = unsafe {
            let bdev = kernel::container_of!(dev, bindings::block_device, bd_device);
            (*bdev).bd_disk
        };
        // INVARIANT: The disk owns the device, so it lives as long.
        NonNull::new(ptr).map(|ptr| Disk {
            ptr,
            _alive: PhantomData,
        })
    }

    fn raw(&self) -> &bindings::gendisk {
        // SAFETY: Valid by the type invariant; the fields read below are set before the disk is
        // in sysfs and constant while it is.
        unsafe { self.ptr.as_ref() }
    }

    fn queue(&self) -> &bindings::request_queue {
        // SAFETY: Valid by the type invariant.
        unsafe { &*self.raw().queue }
    }

    fn device(&self) -> &bindings::device {
        // SAFETY: Valid by the type invariant.
        unsafe { &(*self.raw().part0).bd_device }
    }

    /// What the disk is looked up by: its address.
    pub(crate) fn key(&self) -> u64 {
        self.ptr.as_ptr() as u64
    }

    /// The kernel's name: `sda`.
    pub(crate) fn name(&self) -> Name {
        Name::new(&self.raw().disk_name)
    }

    /// Major number. The disk's own: a disk that arrives has no `bd_dev` yet.
    pub(crate) fn major(&self) -> u32 {
        // CAST: Major numbers are positive.
        self.raw().major as u32
    }

    /// Minor number.
    pub(crate) fn minor(&self) -> u32 {
        // CAST: Minor numbers are positive.
        self.raw().first_minor as u32
    }

    /// Sequence number of the disk, never used twice since boot.
    pub(crate) fn diskseq(&self) -> u64 {
        self.raw().diskseq
    }

    /// Logical block size, bytes.
    pub(crate) fn logical_block_size(&self) -> u32 {
        self.queue().limits.logical_block_size
    }

    /// Whether its driver takes bios as they are: device-mapper, md, brd, zram.
    pub(crate) fn takes_bios(&self) -> bool {
        // SAFETY: A disk in sysfs has operations.
        unsafe { (*self.raw().fops).submit_bio }.is_some()
    }

    /// How many CPUs can be in the disk at the same time without a queue in common: as many as it has
    /// hardware queues, or all if its driver takes bios as they are.
    pub(crate) fn ways_in(&self) -> usize {
        // CAST: Counts.
        let cpus = kernel::cpu::nr_cpu_ids() as usize;
        match self.queue().nr_hw_queues as usize {
            0 => cpus,
            queues => queues.min(cpus),
        }
    }

    /// The driver's name: that of the parent device's driver, or of the module the disk's
    /// operations are in, or the disk's name without its number.
    pub(crate) fn driver(&self) -> Name {
        // SAFETY: A device in sysfs holds its parent.
        let driver = unsafe { self.device().parent.as_ref() }.map(|parent| parent.driver);
        // SAFETY: The parent's driver cannot be unbound, let alone freed, while the disk it made
        // is in sysfs: it would first have to remove the disk.
        if let Some(driver) = driver.and_then(|driver| unsafe { driver.as_ref() }) {
            // SAFETY: Drivers have a name.
            return Name::new(unsafe { CStr::from_char_ptr(driver.name) }.to_bytes());
        }
        // SAFETY: A disk in sysfs has operations, in a module that is held by the disk or built in.
        if let Some(owner) = unsafe { (*self.raw().fops).owner.as_ref() } {
            return Name::new(&owner.name);
        }
        Name::new(self.name().unit().0.as_bytes())
    }

    /// Makes a directory in the disk's own.
    pub(crate) fn directory<T: Object>(&self, name: &CStr, object: T) -> Result<Directory<T>> {
        // SAFETY: Valid by the type invariant; only addresses are taken.
        let parent = unsafe {
            let part0 = (*self.ptr.as_ptr()).part0;
            core::ptr::addr_of_mut!((*part0).bd_device.kobj)
        };
        // SAFETY: The disk is in sysfs for as long as `self` is there.
        unsafe { Directory::new(parent, name, object) }
    }
}
