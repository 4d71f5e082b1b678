// SPDX-License-Identifier: GPL-2.0

//! A character device that can be read as text, and to which messages can be written.
//!
//! C header: [`include/linux/miscdevice.h`](srctree/include/linux/miscdevice.h).
//!
//! `kernel::miscdevice` supports neither a mode nor attributes. In 7.2 it does not set an owner either, so a
//! module could be unloaded while its device is open.

mod attributes;

use super::{
    bindings,
    ioctl::{
        Access,
        Argument, //
    },
    kobject::{
        Directory,
        Object, //
    },
    mmap::NewMapping,
    module::this_module,
    poll::{
        event,
        Poller, //
    },
    sysfs::SysfsNode, //
};
pub(crate) use attributes::{
    Attributes,
    DeviceGroup,
    DeviceGroups,
    MiscAttribute, //
};
use core::{
    cell::UnsafeCell,
    ffi::CStr, //
};
use kernel::{
    alloc::flags::GFP_KERNEL_ACCOUNT,
    error::to_result,
    iov::{
        IovIterDest,
        IovIterSource, //
    },
    prelude::*,
    sync::Arc, //
};

/// An open file of a device.
pub(crate) trait OpenFile: Send + Sync + Sized + 'static {
    /// The data of the device.
    type Context: Send + Sync + 'static;

    /// Opens the device. May sleep.
    fn open(context: &Self::Context) -> Result<KBox<Self>>;

    /// Copies the data at `position` to `to`, advances `position`, and returns the number of bytes; 0 at the
    /// end. May sleep. Several calls may run at the same time.
    fn read(
        &self,
        context: &Self::Context,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize>;

    /// Takes all of `from`, or returns an error. In both cases sets `position` to where the next read begins.
    /// May sleep. Several calls may run at the same time.
    fn write(
        &self,
        context: &Self::Context,
        position: &mut i64,
        from: &mut IovIterSource<'_>,
    ) -> Result;

    /// Called when the file is closed, after all other calls have returned. May sleep.
    fn release(&self, _context: &Self::Context) {}

    /// Executes the ioctl `number`. `ENOTTY` if it is not supported. May sleep. Several calls may run at the
    /// same time.
    fn ioctl(
        &self,
        _context: &Self::Context,
        _number: u32,
        _argument: Argument,
        _access: Access,
    ) -> Result {
        Err(ENOTTY)
    }

    /// Maps memory into a process. `ENODEV` if mapping is not supported. May sleep.
    fn mmap(&self, _context: &Self::Context, _mapping: &NewMapping<'_>) -> Result {
        Err(ENODEV)
    }

    /// Returns what can be done without blocking, as [`event`]s, after registering with `poller` what the
    /// caller may wait for. May sleep.
    fn poll(&self, _context: &Self::Context, _poller: &Poller<'_>) -> u32 {
        event::IN | event::OUT
    }
}

#[repr(C)]
struct MiscDeviceInner<C> {
    device: UnsafeCell<bindings::miscdevice>,
    context: Arc<C>,
}

/// A device in `/dev`. Dropping it removes the device. Programs that have it open can use it until they close it: each open
/// file holds a reference to the context, and to the module, which cannot be unloaded meanwhile.
pub(crate) struct MiscDeviceRegistration<T: OpenFile> {
    inner: KBox<MiscDeviceInner<T::Context>>,
}

// SAFETY: The device is only passed to functions that may be called from any thread, and the context is `Send`
// and `Sync`.
unsafe impl<T: OpenFile> Send for MiscDeviceRegistration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: OpenFile> Sync for MiscDeviceRegistration<T> {}

impl<T: OpenFile> MiscDeviceRegistration<T> {
    /// In the module itself: the VFS uses it until it has put its reference to the module, after `release`.
    const FOPS: &'static bindings::file_operations = &bindings::file_operations {
        owner: this_module(),
        open: Some(Self::open),
        release: Some(Self::release),
        read_iter: Some(Self::read_iter),
        write_iter: Some(Self::write_iter),
        unlocked_ioctl: Some(Self::ioctl),
        // The argument is the address of a structure that has the same layout in 32-bit programs.
        compat_ioctl: bindings::compat_ptr_ioctl,
        poll: Some(Self::poll),
        mmap: Some(Self::mmap),
        llseek: Some(bindings::generic_file_llseek),
        // SAFETY: All zeros are valid for `struct file_operations`: no functions.
        ..unsafe { core::mem::MaybeUninit::zeroed().assume_init() }
    };

    /// Registers `/dev/<name>` with a mode, and with attributes in `/sys/class/misc/<name>/`. May sleep.
    /// `EEXIST` if there is a device of that name; `ENOMEM`.
    ///
    /// In the initialisation of a module this must be the last step that can fail: programs may open the device at once, and
    /// if the initialisation fails, the kernel frees the module although they hold references to it.
    pub(crate) fn new(
        name: &'static CStr,
        mode: u16,
        groups: &'static DeviceGroups<T::Context>,
        context: T::Context,
    ) -> Result<Self> {
        let device = bindings::miscdevice {
            minor: bindings::MISC_DYNAMIC_MINOR as i32,
            name: name.as_char_ptr(),
            fops: Self::FOPS,
            groups: groups.0.as_raw(),
            mode,
            ..Default::default()
        };
        let inner = KBox::new(
            MiscDeviceInner {
                device: UnsafeCell::new(device),
                context: Arc::new(context, GFP_KERNEL)?,
            },
            GFP_KERNEL,
        )?;
        // SAFETY: The device stays at its address until `drop` has removed it; its name, groups and operations are
        // `'static`. Open files do not refer to the device.
        to_result(unsafe { bindings::misc_register(inner.device.get()) })?;
        Ok(MiscDeviceRegistration { inner })
    }

    /// Returns the file `name` in `/sys/class/misc/<device>/`. May sleep. `ENOENT`.
    pub(crate) fn file(&self, name: &CStr) -> Result<SysfsNode> {
        // SAFETY: The device is registered, so `this_device` is a device in sysfs.
        unsafe {
            let device = (*self.inner.device.get()).this_device;
            SysfsNode::new(core::ptr::addr_of_mut!((*device).kobj), name)
        }
    }

    /// Creates a directory in that of the device. It must be dropped before the device. Errors as
    /// [`Directory::new`].
    pub(crate) fn directory<O: Object>(&self, name: &CStr, object: O) -> Result<Directory<O>> {
        // SAFETY: The device is registered, so `this_device` is a device in sysfs.
        unsafe {
            let device = (*self.inner.device.get()).this_device;
            Directory::new(core::ptr::addr_of_mut!((*device).kobj), name, object)
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `open` of a device registered here.
    unsafe extern "C" fn open(_inode: *mut bindings::inode, file: *mut bindings::file) -> i32 {
        // SAFETY: `file` is being opened, so no other thread accesses it. The misc core stored the address of
        // the `miscdevice` in it, which is the first member of a `MiscDeviceInner`. That exists until this returns: the
        // misc core holds a mutex during this call, for which `misc_deregister` in `drop` waits.
        let inner = unsafe { &*(*file).private_data.cast::<MiscDeviceInner<T::Context>>() };
        match T::open(&inner.context).and_then(|file| {
            let context = inner.context.clone();
            // Charged to the memory cgroup: any user may open the device many times.
            Ok(KBox::new(Opened { file, context }, GFP_KERNEL_ACCOUNT)?)
        }) {
            Ok(opened) => {
                // SAFETY: No other thread accesses the file yet.
                unsafe { (*file).private_data = KBox::into_raw(opened).cast() };
                0
            }
            Err(error) => error.to_errno(),
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `release` of a file that `open` opened.
    unsafe extern "C" fn release(_inode: *mut bindings::inode, file: *mut bindings::file) -> i32 {
        // SAFETY: `open` stored a box there, and this is the last call for the file.
        let opened = unsafe { KBox::from_raw((*file).private_data.cast::<Opened<T>>()) };
        opened.file.release(&opened.context);
        0
    }

    /// # Safety
    ///
    /// Called by the VFS as `read_iter` of a file that `open` opened.
    unsafe extern "C" fn read_iter(
        iocb: *mut bindings::kiocb,
        iter: *mut bindings::iov_iter,
    ) -> isize {
        // SAFETY: By the requirement of this function `open` opened the file; the references do not outlive
        // this call.
        let (opened, position) = unsafe { Self::opened(iocb) };
        // SAFETY: The iterator belongs to this call, and is a destination because the call is a read.
        let to = unsafe { IovIterDest::from_raw(iter) };
        match opened.file.read(&opened.context, position, to) {
            // CAST: No read is longer than `isize::MAX`.
            Ok(len) => len as isize,
            Err(error) => error.to_errno() as isize,
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `write_iter` of a file that `open` opened.
    unsafe extern "C" fn write_iter(
        iocb: *mut bindings::kiocb,
        iter: *mut bindings::iov_iter,
    ) -> isize {
        // SAFETY: By the requirement of this function `open` opened the file; the references do not outlive
        // this call.
        let (opened, position) = unsafe { Self::opened(iocb) };
        // SAFETY: The iterator belongs to this call, and is a source because the call is a write.
        let from = unsafe { IovIterSource::from_raw(iter) };
        let len = from.len();
        match opened.file.write(&opened.context, position, from) {
            // CAST: No write is longer than `isize::MAX`.
            Ok(()) => len as isize,
            Err(error) => {
                // The VFS does not change the position of the file after a failed write.
                // SAFETY: The file is open. A read at the same time uses the old or the new position.
                unsafe {
                    core::ptr::addr_of_mut!((*(*iocb).ki_filp).f_pos).write_volatile(*position)
                };
                error.to_errno() as isize
            }
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `unlocked_ioctl` of a file that `open` opened.
    unsafe extern "C" fn ioctl(file: *mut bindings::file, number: u32, argument: usize) -> isize {
        // SAFETY: By the requirement of this function `open` opened the file; the reference does not outlive
        // this call.
        let opened = unsafe { Self::of_file(file) };
        // SAFETY: The file is open, and its access mode does not change.
        let access = Access::new(unsafe { (*file).f_flags });
        match opened
            .file
            .ioctl(&opened.context, number, Argument::new(argument), access)
        {
            Ok(()) => 0,
            Err(error) => error.to_errno() as isize,
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `poll` of a file that `open` opened.
    unsafe extern "C" fn poll(
        file: *mut bindings::file,
        table: *mut bindings::poll_table_struct,
    ) -> u32 {
        // SAFETY: By the requirement of this function `open` opened the file; the reference does not outlive
        // this call.
        let opened = unsafe { Self::of_file(file) };
        // SAFETY: Both are the arguments of this call, and the value does not outlive it.
        let poller = unsafe { Poller::new(file, table) };
        opened.file.poll(&opened.context, &poller)
    }

    /// # Safety
    ///
    /// Called by the VFS as `mmap` of a file that `open` opened.
    unsafe extern "C" fn mmap(
        file: *mut bindings::file,
        area: *mut bindings::vm_area_struct,
    ) -> i32 {
        // SAFETY: By the requirement of this function `open` opened the file; the reference does not outlive
        // this call.
        let opened = unsafe { Self::of_file(file) };
        // SAFETY: It is the argument of this call, and the value does not outlive it.
        let mapping = unsafe { NewMapping::new(area) };
        match opened.file.mmap(&opened.context, &mapping) {
            Ok(()) => 0,
            Err(error) => error.to_errno(),
        }
    }

    /// Returns the open file.
    ///
    /// # Safety
    ///
    /// `open` opened `file`, and the reference does not outlive the file operation that the VFS called with it.
    unsafe fn of_file<'a>(file: *mut bindings::file) -> &'a Opened<T> {
        // SAFETY: `open` stored a box there; only `release` drops it, after the last call.
        unsafe { &*(*file).private_data.cast::<Opened<T>>() }
    }

    /// Returns the open file and the position.
    ///
    /// # Safety
    ///
    /// The VFS called a file operation with `iocb`, `open` opened its file, and the references do not outlive
    /// that operation.
    unsafe fn opened<'a>(iocb: *mut bindings::kiocb) -> (&'a Opened<T>, &'a mut i64) {
        // SAFETY: By the requirement of this function; the position belongs to this call.
        unsafe { (Self::of_file((*iocb).ki_filp), &mut (*iocb).ki_pos) }
    }
}

/// The target of `private_data` of an open file.
struct Opened<T: OpenFile> {
    file: KBox<T>,
    context: Arc<T::Context>,
}

impl<T: OpenFile> Drop for MiscDeviceRegistration<T> {
    fn drop(&mut self) {
        // SAFETY: `new` registered the device. When this returns, no file of it is being opened, and none of its attributes
        // is being read.
        unsafe { bindings::misc_deregister(self.inner.device.get()) };
    }
}
