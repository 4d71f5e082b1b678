// SPDX-License-Identifier: GPL-2.0

//! Disks and partitions, when they are added.
//!
//! C header: [`include/linux/blkdev.h`](srctree/include/linux/blkdev.h).

use crate::kernel_ext::{
    kobject::{
        Directory,
        Object, //
    },
    percpu::nr_cpu_ids, //
};
use core::{
    ffi::CStr,
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    ffi::c_char,
    prelude::*, //
};

/// Half the number of requests of a scheduler for each hardware queue, unless the queue depth of the driver is
/// smaller (`BLKDEV_DEFAULT_RQ`).
const SCHEDULED: u32 = 128;

/// A `struct block_device` in sysfs: a whole disk or a partition.
///
/// # Invariants
///
/// `ptr` is a block device of a disk with a queue and operations, alive for `'a`.
pub(crate) struct BlockDevice<'a> {
    ptr: NonNull<bindings::block_device>,
    _alive: PhantomData<&'a bindings::block_device>,
}

impl<'a> BlockDevice<'a> {
    /// Returns the block device of `dev`; [`None`] if that is null.
    ///
    /// # Safety
    ///
    /// `dev` is null or a device of the block class, alive and in sysfs for `'a`.
    pub(crate) unsafe fn from_device(dev: *mut bindings::device) -> Option<Self> {
        let dev = NonNull::new(dev)?.as_ptr();
        // SAFETY: A device of the block class is the `bd_device` of a block device.
        let bdev = unsafe { kernel::container_of!(dev, bindings::block_device, bd_device) };
        // INVARIANT: A partition in sysfs holds its disk, and a disk in sysfs has a queue and operations.
        NonNull::new(bdev).map(|ptr| BlockDevice {
            ptr,
            _alive: PhantomData,
        })
    }

    fn gendisk(&self) -> &bindings::gendisk {
        // SAFETY: By the type invariant it is alive. The members that are read below are set before the disk is
        // in sysfs and constant while it is.
        unsafe { &*(*self.ptr.as_ptr()).bd_disk }
    }

    fn queue(&self) -> &bindings::request_queue {
        // SAFETY: By the type invariant the disk has a queue for as long. The driver may change its limits at
        // the same time: each is an integer, and both values are right.
        unsafe { &*self.gendisk().queue }
    }

    fn device(&self) -> &bindings::device {
        // SAFETY: By the type invariant it is alive. The members that are read below are set before the device
        // is in sysfs and constant while it is.
        unsafe { &(*self.ptr.as_ptr()).bd_device }
    }

    fn disk_device(&self) -> &bindings::device {
        // SAFETY: A disk in sysfs has a block device of its own; members as above.
        unsafe { &(*self.gendisk().part0).bd_device }
    }

    /// Returns whether it is a partition.
    pub(crate) fn is_partition(&self) -> bool {
        self.ptr.as_ptr() != self.gendisk().part0
    }

    /// Returns the address of the disk, which requests have.
    pub(crate) fn disk_key(&self) -> u64 {
        core::ptr::from_ref(self.gendisk()) as u64
    }

    /// Returns the key for lookups by probes: the address of a disk, or of the block device of a partition.
    pub(crate) fn key(&self) -> u64 {
        if self.is_partition() {
            self.ptr.as_ptr() as u64
        } else {
            self.disk_key()
        }
    }

    /// Returns the kernel's name: `sda`, `sda1`.
    pub(crate) fn name(&self) -> &[u8] {
        // SAFETY: A device in sysfs has a name, which is constant.
        unsafe { CStr::from_char_ptr(self.device().kobj.name) }.to_bytes()
    }

    /// Returns the `dev_t` of the device: a block device that is being added has no `bd_dev` yet.
    pub(crate) fn dev(&self) -> u32 {
        self.device().devt
    }

    /// Returns the first sector on the whole disk.
    pub(crate) fn start_sector(&self) -> u64 {
        // SAFETY: By the type invariant it is alive; the start of a partition does not change.
        unsafe { core::ptr::addr_of!((*self.ptr.as_ptr()).bd_start_sect).read() }
    }

    /// Takes a reference to it.
    pub(crate) fn hold(&self) -> HeldDevice {
        // SAFETY: By the type invariant it is alive, so there is at least one reference.
        unsafe { bindings::get_device(core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device)) };
        // INVARIANT: The reference was just taken.
        HeldDevice { ptr: self.ptr }
    }

    /// Returns the sequence number of the disk, which is never reused until the next boot.
    pub(crate) fn diskseq(&self) -> u64 {
        self.gendisk().diskseq
    }

    /// Returns the logical block size, bytes.
    pub(crate) fn logical_block_size(&self) -> u32 {
        self.queue().limits.logical_block_size
    }

    /// Returns whether its driver is bio-based: device-mapper, md, brd, zram.
    pub(crate) fn is_bio_based(&self) -> bool {
        // SAFETY: A disk in sysfs has operations.
        unsafe { (*self.gendisk().fops).submit_bio }.is_some()
    }

    /// Returns whether it is request-based and sends clones of its requests to other disks: multipath of
    /// device-mapper.
    pub(crate) fn sends_clones(&self) -> bool {
        !self.is_bio_based() && self.name().starts_with(b"dm-")
    }

    /// Returns the number of CPUs that can use the disk at the same time without sharing a queue: the number of
    /// hardware queues, or of CPUs if the driver is bio-based.
    pub(crate) fn nr_queues(&self) -> usize {
        let cpus = nr_cpu_ids();
        // CAST: A count.
        match self.queue().nr_hw_queues as usize {
            0 => cpus,
            queues => queues.min(cpus),
        }
    }

    /// Returns the maximum number of requests, with or without a scheduler; with a scheduler it is up to twice
    /// that of the driver. [`None`] if the driver is bio-based: then there is no limit.
    pub(crate) fn max_requests(&self) -> Option<usize> {
        let queue = self.queue();
        // SAFETY: A queue with requests has the tags of its driver as long as it exists.
        let tags = unsafe { queue.tag_set.as_ref() }.filter(|_| !self.is_bio_based())?;
        let scheduled = tags.queue_depth.min(SCHEDULED).saturating_mul(2);
        let requests = queue.nr_requests.max(tags.queue_depth).max(scheduled);
        // CAST: Counts.
        Some((requests as usize).saturating_mul(queue.nr_hw_queues as usize))
    }

    /// Returns the name of the driver: of the nearest ancestor with a driver, or else of the module with the
    /// operations of the disk, or else the name of the disk up to its first digit.
    pub(crate) fn driver(&self) -> &[u8] {
        let mut ancestor = self.disk_device().parent;
        // SAFETY: A device in sysfs holds its parent, which holds its own parent.
        while let Some(device) = unsafe { ancestor.as_ref() } {
            // SAFETY: The driver of an ancestor cannot be unbound or freed while the disk that it created is in
            // sysfs: it must remove the disk first.
            if let Some(driver) = unsafe { device.driver.as_ref() } {
                // SAFETY: A driver has a name.
                return unsafe { CStr::from_char_ptr(driver.name) }.to_bytes();
            }
            ancestor = device.parent;
        }
        // SAFETY: A disk in sysfs has operations, in a module that the disk holds or in the kernel.
        if let Some(owner) = unsafe { (*self.gendisk().fops).owner.as_ref() } {
            return until_nul(&owner.name);
        }
        let name = until_nul(&self.gendisk().disk_name);
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        name.split(is_digit).next().unwrap_or(&[])
    }

    /// Returns its path below `/sys`. May sleep; `ENOMEM`.
    pub(crate) fn path(&self) -> Result<SysfsPath> {
        let kobject = core::ptr::addr_of!(self.device().kobj);
        // SAFETY: The kobject is of a device in sysfs, which holds its parents.
        let path = unsafe { bindings::kobject_get_path(kobject, bindings::GFP_KERNEL) };
        // INVARIANT: `kobject_get_path()` allocated it, and there is no other pointer to it.
        NonNull::new(path).map(SysfsPath).ok_or(ENOMEM)
    }

    /// Creates a directory in the directory of the device. May sleep. `EEXIST` if it exists; `ENOMEM`.
    pub(crate) fn directory<T: Object>(&self, name: &CStr, object: T) -> Result<Directory<T>> {
        // SAFETY: By the type invariant it is alive; only the address is computed.
        let parent = unsafe { core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device.kobj) };
        // SAFETY: The device is in sysfs as long as `self` exists.
        unsafe { Directory::new(parent, name, object) }
    }
}

/// Returns what is before the first NUL of an array.
fn until_nul(array: &[u8]) -> &[u8] {
    array.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// The path of a device below `/sys`.
///
/// # Invariants
///
/// The pointer is a NUL-terminated string of `kobject_get_path()`, which only this value has.
pub(crate) struct SysfsPath(NonNull<c_char>);

impl SysfsPath {
    /// Returns the path without the NUL.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        // SAFETY: By the type invariant it is NUL-terminated, and valid as long as this value.
        unsafe { CStr::from_char_ptr(self.0.as_ptr()) }.to_bytes()
    }
}

impl Drop for SysfsPath {
    fn drop(&mut self) {
        // SAFETY: By the type invariant it was allocated for this value, which is not used again.
        unsafe { bindings::kfree(self.0.as_ptr().cast()) };
    }
}

/// A reference to a disk or partition. It must be dropped before the device has been removed from sysfs: after
/// that, the driver may be unloaded.
///
/// # Invariants
///
/// `ptr` is a block device, to which this value holds a reference.
pub(crate) struct HeldDevice {
    ptr: NonNull<bindings::block_device>,
}

// SAFETY: Any thread may use and drop it.
unsafe impl Send for HeldDevice {}

impl HeldDevice {
    /// Returns the current number of sectors.
    pub(crate) fn sectors(&self) -> u64 {
        // SAFETY: By the type invariant it is alive. The size may change at the same time: both values are
        // right.
        unsafe { core::ptr::addr_of!((*self.ptr.as_ptr()).bd_nr_sectors).read_volatile() }
    }
}

impl Drop for HeldDevice {
    fn drop(&mut self) {
        // SAFETY: Puts the reference of the type invariant.
        unsafe { bindings::put_device(core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device)) };
    }
}
