// SPDX-License-Identifier: GPL-2.0

//! A character device that is read as text, and written messages to.
//!
//! C header: [`include/linux/miscdevice.h`](srctree/include/linux/miscdevice.h).
//!
//! `kernel::miscdevice` gives a device neither its mode nor attributes, and that of 7.2 not even
//! an owner, so that a module could go while its device is open.

mod attributes;

use super::{
    bindings as own,
    ioctl::{
        Access,
        Argument, //
    },
    kobject::{
        Directory,
        Object, //
    },
    mmap::NewMapping,
    poll::{
        event,
        Poller, //
    },
    sysfs::Node, //
};
pub(crate) use attributes::{
    Attribute,
    Attributes,
    DeviceGroups, //
};
use core::{
    cell::UnsafeCell,
    ffi::CStr, //
};
use kernel::{
    alloc::flags::GFP_KERNEL_ACCOUNT,
    bindings,
    error::to_result,
    iov::{
        IovIterDest,
        IovIterSource, //
    },
    prelude::*, //
};

/// One open file of a device.
pub(crate) trait OpenFile: Send + Sync + Sized + 'static {
    /// What the device is about.
    type Context: Send + Sync + 'static;

    /// Opens the device. May sleep.
    fn open(context: &Self::Context) -> Result<KBox<Self>>;

    /// Copies to `to` what stands at `position`, moves that on, and tells how many bytes; 0 is the
    /// end. May sleep. Calls may come at the same time.
    fn read(
        &self,
        context: &Self::Context,
        position: &mut i64,
        to: &mut IovIterDest<'_>,
    ) -> Result<usize>;

    /// Takes all of `from`, or refuses it, and says where the next read is to begin in either case. May sleep. Calls
    /// may come at the same time.
    fn write(
        &self,
        context: &Self::Context,
        position: &mut i64,
        from: &mut IovIterSource<'_>,
    ) -> Result;

    /// The file is closed: no other call comes. May sleep.
    fn release(&self, _context: &Self::Context) {}

    /// Answers the call of a number. May sleep. `ENOTTY` if there is none; calls may come at the same
    /// time.
    fn ioctl(
        &self,
        _context: &Self::Context,
        _number: u32,
        _argument: Argument,
        _access: Access,
    ) -> Result {
        Err(ENOTTY)
    }

    /// Lets a program see memory. May sleep. `ENODEV` if there is none to see.
    fn mmap(&self, _context: &Self::Context, _mapping: &NewMapping<'_>) -> Result {
        Err(ENODEV)
    }

    /// What can be done without waiting, as [`event`]s. Of who may want to wait, `poller` is to be told
    /// for what. May sleep.
    fn poll(&self, _context: &Self::Context, _poller: &Poller<'_>) -> u32 {
        event::IN | event::OUT
    }
}

#[repr(C)]
struct Inner<C> {
    device: UnsafeCell<bindings::miscdevice>,
    fops: bindings::file_operations,
    context: C,
}

/// A device in `/dev`; dropping it takes it away. The module cannot be unloaded while it is open.
pub(crate) struct Registration<T: OpenFile> {
    inner: KBox<Inner<T::Context>>,
}

// SAFETY: The device is only handed to functions that may be called from any thread, and the context
// is `Send` and `Sync`.
unsafe impl<T: OpenFile> Send for Registration<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: OpenFile> Sync for Registration<T> {}

impl<T: OpenFile> Registration<T> {
    /// Registers `/dev/<name>` with a mode and with attributes in `/sys/class/misc/<name>/`. May
    /// sleep. `EEXIST` if there is a device of that name.
    pub(crate) fn new(
        name: &'static CStr,
        mode: u16,
        groups: &'static DeviceGroups<T::Context>,
        context: T::Context,
    ) -> Result<Self> {
        let fops = bindings::file_operations {
            // SAFETY: Merely an address.
            owner: unsafe { own::iostat_this_module() }.cast(),
            open: Some(Self::open),
            release: Some(Self::release),
            read_iter: Some(Self::read_iter),
            write_iter: Some(Self::write_iter),
            unlocked_ioctl: Some(Self::ioctl),
            // The arguments are addresses, and what they point to is laid out the same for all.
            compat_ioctl: bindings::compat_ptr_ioctl,
            poll: Some(Self::poll),
            mmap: Some(Self::mmap),
            llseek: Some(bindings::generic_file_llseek),
            ..Default::default()
        };
        let device = bindings::miscdevice {
            minor: bindings::MISC_DYNAMIC_MINOR as i32,
            name: name.as_char_ptr(),
            groups: groups.groups.as_raw(),
            mode,
            ..Default::default()
        };
        let mut inner = KBox::new(
            Inner {
                device: UnsafeCell::new(device),
                fops,
                context,
            },
            GFP_KERNEL,
        )?;
        inner.device.get_mut().fops = &inner.fops;
        // SAFETY: The device and its operations live, at their addresses, until `drop` has taken
        // the device away; open files hold the module, and with it the registration.
        to_result(unsafe { bindings::misc_register(inner.device.get()) })?;
        Ok(Registration { inner })
    }

    /// The file `name` in `/sys/class/misc/<device>/`. May sleep. `ENOENT`.
    pub(crate) fn file(&self, name: &CStr) -> Result<Node> {
        // SAFETY: The device is registered, hence `this_device` is one that is in sysfs.
        unsafe {
            let device = (*self.inner.device.get()).this_device;
            Node::new(core::ptr::addr_of_mut!((*device).kobj), name)
        }
    }

    /// Makes a directory in that of the device, to be dropped before it. Errors as of
    /// [`Directory::new`].
    pub(crate) fn directory<O: Object>(&self, name: &CStr, object: O) -> Result<Directory<O>> {
        // SAFETY: As in `file`.
        unsafe {
            let device = (*self.inner.device.get()).this_device;
            Directory::new(core::ptr::addr_of_mut!((*device).kobj), name, object)
        }
    }

    /// # Safety
    ///
    /// Called by the VFS as `open` of a device registered here.
    unsafe extern "C" fn open(_inode: *mut bindings::inode, file: *mut bindings::file) -> i32 {
        // SAFETY: `file` is being opened, and nobody else has it yet. The misc core left the
        // `miscdevice` there, which is the first field of an `Inner` that outlives the file.
        let inner = unsafe { &*(*file).private_data.cast::<Inner<T::Context>>() };
        match T::open(&inner.context).and_then(|file| {
            let context = core::ptr::from_ref(&inner.context);
            // Charged: any user may open the device many times.
            Ok(KBox::new(Opened { file, context }, GFP_KERNEL_ACCOUNT)?)
        }) {
            Ok(opened) => {
                // SAFETY: As above.
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
        // SAFETY: `open` put a box there, and this is the last call for the file.
        let opened = unsafe { KBox::from_raw((*file).private_data.cast::<Opened<T>>()) };
        // SAFETY: The context outlives the file, see `open`.
        opened.file.release(unsafe { &*opened.context });
        0
    }

    /// # Safety
    ///
    /// Called by the VFS as `read_iter` of a file that `open` opened.
    unsafe extern "C" fn read_iter(
        iocb: *mut bindings::kiocb,
        iter: *mut bindings::iov_iter,
    ) -> isize {
        // SAFETY: By this function's requirement.
        let (opened, context, position) = unsafe { Self::opened(iocb) };
        // SAFETY: The iterator is this call's own, and a destination since the call is a read.
        let to = unsafe { IovIterDest::from_raw(iter) };
        match opened.file.read(context, position, to) {
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
        // SAFETY: By this function's requirement.
        let (opened, context, position) = unsafe { Self::opened(iocb) };
        // SAFETY: The iterator is this call's own, and a source since the call is a write.
        let from = unsafe { IovIterSource::from_raw(iter) };
        let len = from.len();
        match opened.file.write(context, position, from) {
            // CAST: No write is longer than `isize::MAX`.
            Ok(()) => len as isize,
            Err(error) => {
                // After a write that failed the VFS leaves the position of the file as it was.
                // SAFETY: The file is open. Who reads from it at the same time reads from here or there.
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
        // SAFETY: By this function's requirement.
        let (opened, context) = unsafe { Self::of_file(file) };
        // SAFETY: The file is open, and what it was opened for does not change.
        let access = Access::new(unsafe { (*file).f_flags });
        match opened
            .file
            .ioctl(context, number, Argument::new(argument), access)
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
        // SAFETY: By this function's requirement.
        let (opened, context) = unsafe { Self::of_file(file) };
        // SAFETY: Likewise; the value does not outlive this call.
        let poller = unsafe { Poller::new(file, table) };
        opened.file.poll(context, &poller)
    }

    /// # Safety
    ///
    /// Called by the VFS as `mmap` of a file that `open` opened.
    unsafe extern "C" fn mmap(
        file: *mut bindings::file,
        area: *mut bindings::vm_area_struct,
    ) -> i32 {
        // SAFETY: By this function's requirement.
        let (opened, context) = unsafe { Self::of_file(file) };
        // SAFETY: Likewise; the value does not outlive this call.
        let mapping = unsafe { NewMapping::new(area) };
        match opened.file.mmap(context, &mapping) {
            Ok(()) => 0,
            Err(error) => error.to_errno(),
        }
    }

    /// The file and the context of a call.
    ///
    /// # Safety
    ///
    /// `file` is one that `open` opened, and what is returned does not outlive an operation that the VFS
    /// called with it.
    unsafe fn of_file<'a>(file: *mut bindings::file) -> (&'a Opened<T>, &'a T::Context) {
        // SAFETY: `open` put a box there; it is dropped only by `release`, after the last call.
        let opened = unsafe { &*(*file).private_data.cast::<Opened<T>>() };
        // SAFETY: The context outlives the file, see `open`.
        (opened, unsafe { &*opened.context })
    }

    /// The file, the context and the position of a call.
    ///
    /// # Safety
    ///
    /// `iocb` is what the VFS called an operation of a file with that `open` opened; what is returned
    /// does not outlive that call.
    unsafe fn opened<'a>(
        iocb: *mut bindings::kiocb,
    ) -> (&'a Opened<T>, &'a T::Context, &'a mut i64) {
        // SAFETY: By this function's requirement.
        let (opened, context) = unsafe { Self::of_file((*iocb).ki_filp) };
        // SAFETY: The position is this call's own.
        (opened, context, unsafe { &mut (*iocb).ki_pos })
    }
}

/// What an open file's `private_data` points to.
struct Opened<T: OpenFile> {
    file: KBox<T>,
    context: *const T::Context,
}

impl<T: OpenFile> Drop for Registration<T> {
    fn drop(&mut self) {
        // SAFETY: Registered in `new`.
        unsafe { bindings::misc_deregister(self.inner.device.get()) };
    }
}
