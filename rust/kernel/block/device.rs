// SPDX-License-Identifier: GPL-2.0

//! Disks and partitions, as they arrive.
//!
//! C header: [`include/linux/blkdev.h`](srctree/include/linux/blkdev.h).

use crate::{
    abi::name::{
        keep_end,
        Name, //
    },
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

/// Bytes of a path below `/sys`, with a NUL.
// CAST: A small number.
pub(crate) const PATH_LEN: usize = crate::kernel_ext::bindings::IOSTAT_DEV_PATH_LEN as usize;

/// Requests of a scheduler for each hardware queue, unless its driver has fewer: half of these
/// (`BLKDEV_DEFAULT_RQ`).
const SCHEDULED: u32 = 128;

/// A `struct block_device` that is in sysfs: a whole disk or a partition of one.
///
/// # Invariants
///
/// `ptr` is a block device of a disk with `queue` and operations, alive for `'a`.
pub(crate) struct BlockDevice<'a> {
    ptr: NonNull<bindings::block_device>,
    _alive: PhantomData<&'a bindings::block_device>,
}

impl<'a> BlockDevice<'a> {
    /// The block device that `dev` is; [`None`] if that is null.
    ///
    /// # Safety
    ///
    /// `dev` is null or a device of the block class, alive and in sysfs for `'a`.
    pub(crate) unsafe fn from_device(dev: *mut bindings::device) -> Option<Self> {
        let dev = NonNull::new(dev)?.as_ptr();
        // SAFETY: Devices of the block class are the `bd_device` of a block device.
        let bdev = unsafe { kernel::container_of!(dev, bindings::block_device, bd_device) };
        // INVARIANT: A partition in sysfs holds its disk, and a disk in sysfs has both.
        NonNull::new(bdev).map(|ptr| BlockDevice {
            ptr,
            _alive: PhantomData,
        })
    }

    fn gendisk(&self) -> &bindings::gendisk {
        // SAFETY: Valid by the type invariant; the fields read below are set before the disk is
        // in sysfs and constant while it is.
        unsafe { &*(*self.ptr.as_ptr()).bd_disk }
    }

    fn queue(&self) -> &bindings::request_queue {
        // SAFETY: By the type invariant the disk has a queue for as long. The driver may change its
        // limits meanwhile: each is an integer, and either value will do.
        unsafe { &*self.gendisk().queue }
    }

    fn device(&self) -> &bindings::device {
        // SAFETY: Valid by the type invariant; the fields read below are set before the device is in
        // sysfs and constant while it is.
        unsafe { &(*self.ptr.as_ptr()).bd_device }
    }

    fn disk_device(&self) -> &bindings::device {
        // SAFETY: A disk in sysfs has a block device of its own; fields as above.
        unsafe { &(*self.gendisk().part0).bd_device }
    }

    /// Whether it is a partition and no whole disk.
    pub(crate) fn is_partition(&self) -> bool {
        self.ptr.as_ptr() != self.gendisk().part0
    }

    /// Address of the disk: what requests know.
    pub(crate) fn disk_key(&self) -> u64 {
        core::ptr::from_ref(self.gendisk()) as u64
    }

    /// What probes look it up by: the address of a disk, or that of a partition's block device.
    pub(crate) fn key(&self) -> u64 {
        if self.is_partition() {
            self.ptr.as_ptr() as u64
        } else {
            self.disk_key()
        }
    }

    /// The kernel's name: `sda`, `sda1`.
    pub(crate) fn name(&self) -> Name {
        // SAFETY: A device in sysfs has a name, which is constant.
        Name::new(unsafe { CStr::from_char_ptr(self.device().kobj.name) }.to_bytes())
    }

    /// Its `dev_t`. The device's: a block device that arrives has no `bd_dev` yet.
    pub(crate) fn dev(&self) -> u32 {
        self.device().devt
    }

    /// First sector on the whole disk.
    pub(crate) fn start_sector(&self) -> u64 {
        // SAFETY: Valid by the type invariant; a partition stays where it is.
        unsafe { core::ptr::addr_of!((*self.ptr.as_ptr()).bd_start_sect).read() }
    }

    /// Holds it, for as long as it is in sysfs.
    pub(crate) fn hold(&self) -> Held {
        // SAFETY: By the type invariant it is alive, so it has a reference that another can be added to.
        unsafe { bindings::get_device(core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device)) };
        // INVARIANT: The reference was just taken.
        Held { ptr: self.ptr }
    }

    /// Sequence number of the disk, never used twice since boot.
    pub(crate) fn diskseq(&self) -> u64 {
        self.gendisk().diskseq
    }

    /// Logical block size, bytes.
    pub(crate) fn logical_block_size(&self) -> u32 {
        self.queue().limits.logical_block_size
    }

    /// Whether its driver takes bios as they are: device-mapper, md, brd, zram.
    pub(crate) fn takes_bios(&self) -> bool {
        // SAFETY: A disk in sysfs has operations.
        unsafe { (*self.gendisk().fops).submit_bio }.is_some()
    }

    /// Whether it takes requests and sends clones of them to other disks: device-mapper's multipath.
    pub(crate) fn sends_clones(&self) -> bool {
        !self.takes_bios() && self.name().bytes().starts_with(b"dm-")
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

    /// How many requests it can have at a time, with a scheduler or without: with one, twice as many as its
    /// driver has, if these are few. [`None`] if its driver takes bios as they are, which it can without end.
    pub(crate) fn requests(&self) -> Option<usize> {
        let queue = self.queue();
        // SAFETY: A queue of requests has its driver's tags for as long as it is there.
        let tags = unsafe { queue.tag_set.as_ref() }.filter(|_| !self.takes_bios())?;
        let scheduled = tags.queue_depth.min(SCHEDULED).saturating_mul(2);
        let requests = queue.nr_requests.max(tags.queue_depth).max(scheduled);
        // CAST: Counts.
        Some((requests as usize).saturating_mul(queue.nr_hw_queues as usize))
    }

    /// The driver's name: that of the driver of the nearest ancestor that has one, or of the module the disk's
    /// operations are in, or the disk's name up to its first digit.
    pub(crate) fn driver(&self) -> Name {
        let mut ancestor = self.disk_device().parent;
        // SAFETY: A device in sysfs holds its parent, and that its own.
        while let Some(device) = unsafe { ancestor.as_ref() } {
            // SAFETY: The driver of an ancestor cannot be unbound, let alone freed, while the disk it made
            // is in sysfs: it would first have to remove the disk.
            if let Some(driver) = unsafe { device.driver.as_ref() } {
                // SAFETY: Drivers have a name.
                return Name::new(unsafe { CStr::from_char_ptr(driver.name) }.to_bytes());
            }
            ancestor = device.parent;
        }
        // SAFETY: A disk in sysfs has operations, in a module that is held by the disk or built in.
        if let Some(owner) = unsafe { (*self.gendisk().fops).owner.as_ref() } {
            return Name::new(&owner.name);
        }
        let name = Name::new(&self.gendisk().disk_name);
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        Name::new(name.bytes().split(is_digit).next().unwrap_or(&[]))
    }

    /// Its place below `/sys`. May sleep; empty if there is no memory to find out.
    pub(crate) fn path(&self) -> [u8; PATH_LEN] {
        let kobject = core::ptr::addr_of!(self.device().kobj);
        // SAFETY: The kobject of a device in sysfs, which holds its parents.
        let path = unsafe { bindings::kobject_get_path(kobject, bindings::GFP_KERNEL) };
        if path.is_null() {
            return [0; PATH_LEN];
        }
        // SAFETY: It is a text, and ours until it is freed below.
        let end = keep_end(unsafe { CStr::from_char_ptr(path) }.to_bytes());
        // SAFETY: `kobject_get_path()` allocated it, and nobody else has it.
        unsafe { bindings::kfree(path.cast()) };
        end
    }

    /// Makes a directory in its own.
    pub(crate) fn directory<T: Object>(&self, name: &CStr, object: T) -> Result<Directory<T>> {
        // SAFETY: Valid by the type invariant; only the address is taken.
        let parent = unsafe { core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device.kobj) };
        // SAFETY: The device is in sysfs for as long as `self` is there.
        unsafe { Directory::new(parent, name, object) }
    }
}

/// A disk or partition that is held. To be dropped before it has left sysfs: its driver may be gone
/// then.
///
/// # Invariants
///
/// `ptr` is a block device, to which this is a reference.
pub(crate) struct Held {
    ptr: NonNull<bindings::block_device>,
}

// SAFETY: May be used and dropped by any thread.
unsafe impl Send for Held {}

impl Held {
    /// How many sectors it has now.
    pub(crate) fn sectors(&self) -> u64 {
        // SAFETY: Valid by the type invariant. It may change at this moment: then either is true.
        unsafe { core::ptr::addr_of!((*self.ptr.as_ptr()).bd_nr_sectors).read_volatile() }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: The reference is given back, by the type invariant.
        unsafe { bindings::put_device(core::ptr::addr_of_mut!((*self.ptr.as_ptr()).bd_device)) };
    }
}
