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

    /// Returns whether it is a partition.
    pub(crate) fn is_partition(&self) -> bool {
        self.ptr.as_ptr() != read!(self, disk part0)
    }

    /// Returns the address of the disk, which requests have.
    pub(crate) fn disk_key(&self) -> u64 {
        read!(self, bd_disk) as u64
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
        let name = read!(self, bd_device.kobj.name);
        // SAFETY: A device in sysfs has a name, which is constant.
        unsafe { CStr::from_char_ptr(name) }.to_bytes()
    }

    /// Returns the `dev_t` of the device: a block device that is being added has no `bd_dev` yet.
    pub(crate) fn dev(&self) -> u32 {
        read!(self, bd_device.devt)
    }

    /// Returns the first sector on the whole disk.
    pub(crate) fn start_sector(&self) -> u64 {
        read!(self, bd_start_sect)
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
        read!(self, disk diskseq)
    }

    /// Returns the logical block size, bytes.
    pub(crate) fn logical_block_size(&self) -> u32 {
        read!(self, queue limits.logical_block_size)
    }

    /// Returns whether its driver is bio-based: device-mapper, md, brd, zram.
    pub(crate) fn is_bio_based(&self) -> bool {
        let operations = read!(self, disk fops);
        // SAFETY: A disk in sysfs has operations, which do not change.
        unsafe { (*operations).submit_bio }.is_some()
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
        match read!(self, queue nr_hw_queues) as usize {
            0 => cpus,
            queues => queues.min(cpus),
        }
    }

    /// Returns the maximum number of requests, with or without a scheduler; with a scheduler it is up to twice
    /// that of the driver. [`None`] if the driver is bio-based: then there is no limit.
    pub(crate) fn max_requests(&self) -> Option<usize> {
        let tags = NonNull::new(read!(self, queue tag_set)).filter(|_| !self.is_bio_based())?;
        // SAFETY: A queue with requests has the tags of its driver as long as it exists. The driver may change the depth at
        // the same time.
        let depth = unsafe { core::ptr::addr_of!((*tags.as_ptr()).queue_depth).read_volatile() };
        let scheduled = depth.min(SCHEDULED).saturating_mul(2);
        let requests = read!(self, queue nr_requests).max(depth).max(scheduled);
        // CAST: Counts.
        Some((requests as usize).saturating_mul(read!(self, queue nr_hw_queues) as usize))
    }

    /// Returns the name of the driver: of the nearest ancestor with a driver, or else of the module with the
    /// operations of the disk, or else the name of the disk up to its first digit.
    pub(crate) fn driver(&self) -> &[u8] {
        let whole = read!(self, disk part0);
        // SAFETY: A disk in sysfs has a block device of its own, whose parent does not change.
        let mut ancestor = unsafe { core::ptr::addr_of!((*whole).bd_device.parent).read() };
        while !ancestor.is_null() {
            // SAFETY: A device in sysfs holds its parent, which holds its own parent. A driver may be bound at the same
            // time.
            let driver = unsafe { core::ptr::addr_of!((*ancestor).driver).read_volatile() };
            if !driver.is_null() {
                // SAFETY: The driver of an ancestor cannot be unbound or freed while the disk that it created is in
                // sysfs: it must remove the disk first. A driver has a name, which does not change.
                return unsafe { CStr::from_char_ptr((*driver).name) }.to_bytes();
            }
            // SAFETY: As above.
            ancestor = unsafe { core::ptr::addr_of!((*ancestor).parent).read() };
        }
        let operations = read!(self, disk fops);
        // SAFETY: A disk in sysfs has operations, which do not change.
        let owner = unsafe { (*operations).owner };
        if !owner.is_null() {
            // SAFETY: The disk holds the module of its operations, whose name does not change.
            return until_nul(unsafe { &*core::ptr::addr_of!((*owner).name) });
        }
        let disk = read!(self, bd_disk);
        // SAFETY: By the type invariant the disk is alive. Its name does not change while it is in sysfs.
        let name = unsafe { &*core::ptr::addr_of!((*disk).disk_name) };
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        until_nul(name).split(is_digit).next().unwrap_or(&[])
    }

    /// Returns its path below `/sys`. May sleep; `ENOMEM`.
    pub(crate) fn path(&self) -> Result<SysfsPath> {
        // SAFETY: By the type invariant it is alive; only the address is computed.
        let kobject = unsafe { core::ptr::addr_of!((*self.ptr.as_ptr()).bd_device.kobj) };
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
