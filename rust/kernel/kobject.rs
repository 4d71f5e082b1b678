// SPDX-License-Identifier: GPL-2.0

//! Directories in sysfs.
//!
//! C header: [`include/linux/kobject.h`](srctree/include/linux/kobject.h).

use super::sysfs::{
    Attribute,
    Groups,
    Show,
    SysfsNode, //
};
use core::{
    cell::UnsafeCell,
    ffi::CStr,
    marker::PhantomData, //
};
use kernel::{
    bindings,
    error::to_result,
    ffi::c_char,
    prelude::*,
    sync::Completion, //
};

/// The object that the attributes of a directory show.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// The type of the attributes.
    type Attribute: Show<Of = Self>;

    /// The groups of the directory.
    const TYPE: ObjectType<Self>;
}

/// The `kobj_type` of an object.
pub(crate) struct ObjectType<T>(bindings::kobj_type, PhantomData<fn() -> T>);

impl<T: Object> ObjectType<T> {
    const SYSFS_OPS: bindings::sysfs_ops = bindings::sysfs_ops {
        show: Some(Self::show),
        store: None,
    };

    /// Creates a type whose directories contain `groups`.
    pub(crate) const fn new<const N: usize>(groups: &'static Groups<T::Attribute, N>) -> Self {
        // SAFETY: All zero is valid for `struct kobj_type`: no callbacks.
        let mut raw: bindings::kobj_type = unsafe { core::mem::zeroed() };
        raw.release = Some(Self::release);
        raw.sysfs_ops = &Self::SYSFS_OPS;
        raw.default_groups = groups.as_raw();
        ObjectType(raw, PhantomData)
    }

    /// # Safety
    ///
    /// Called by sysfs for a file of a directory whose kobject has this type.
    unsafe extern "C" fn show(
        kobj: *mut bindings::kobject,
        attribute: *mut bindings::attribute,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: The kobject is the first member of a `KobjectInner<T>` that is alive: its file cannot be read after
        // `kobject_del`, which the drop of the directory waits for.
        let inner = unsafe { &*kobj.cast::<KobjectInner<T>>() };
        // SAFETY: All files of this type are `Attribute<T::Attribute>`s, by the type of their groups, and sysfs passes its
        // buffer.
        unsafe { Attribute::<T::Attribute>::show(attribute, &inner.object, buf) }
    }

    /// # Safety
    ///
    /// Called by the kobject core for a kobject of this type, once.
    unsafe extern "C" fn release(kobj: *mut bindings::kobject) {
        // SAFETY: The kobject is the first member of a `KobjectInner<T>`, and the drop of the directory waits for
        // this call.
        let inner = unsafe { &*kobj.cast::<KobjectInner<T>>() };
        inner.released.complete_all();
    }
}

#[repr(C)]
#[pin_data]
struct KobjectInner<T> {
    kobj: UnsafeCell<bindings::kobject>,
    #[pin]
    released: Completion,
    object: T,
}

/// A directory, which is removed when this value is dropped. Creating and dropping it may sleep; dropping waits
/// for readers of its files.
pub(crate) struct Directory<T: Object> {
    inner: Pin<KBox<KobjectInner<T>>>,
}

// SAFETY: The kobject functions may be called from any thread; `T` is `Send` and `Sync`.
unsafe impl<T: Object> Send for Directory<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Object> Sync for Directory<T> {}

impl<T: Object> Directory<T> {
    const TYPE: &'static ObjectType<T> = &T::TYPE;

    /// Creates the directory `name` in the directory of `parent`. May sleep. `EEXIST` if it exists; `ENOMEM`.
    ///
    /// # Safety
    ///
    /// `parent` is a kobject that has a directory during this call.
    pub(crate) unsafe fn new(
        parent: *mut bindings::kobject,
        name: &CStr,
        object: T,
    ) -> Result<Self> {
        let inner = KBox::pin_init(
            pin_init!(KobjectInner {
                // SAFETY: All zero is valid for a kobject before its init.
                kobj: UnsafeCell::new(unsafe { core::mem::zeroed() }),
                released <- Completion::new(),
                object,
            }),
            GFP_KERNEL,
        )?;
        let directory = Directory { inner };
        // SAFETY: The kobject is zeroed, pinned in its box and initialised once; its type is `'static`; by the
        // requirement of this function `parent` is valid. If the call fails, the reference must still be put,
        // which `drop` does.
        to_result(unsafe {
            bindings::kobject_init_and_add(
                directory.inner.kobj.get(),
                &Self::TYPE.0,
                parent,
                c"%s".as_char_ptr(),
                name.as_char_ptr(),
            )
        })?;
        Ok(directory)
    }
}

impl<T: Object> Directory<T> {
    /// Adds `groups` of files to the directory, which are removed with it; all of them or none. May sleep. `EEXIST` if one
    /// exists, `ENOMEM`.
    pub(crate) fn add<const N: usize>(&self, groups: &'static Groups<T::Attribute, N>) -> Result {
        let kobj = self.inner.kobj.get();
        // SAFETY: `new` added the kobject, which has its directory until `self` is dropped; its removal removes all that
        // is in it. The groups are `'static`, and by their type their attributes are those of the object.
        to_result(unsafe { bindings::sysfs_create_groups(kobj, groups.as_raw()) })
    }

    /// Wakes the threads that wait for a change of the file `name`, if it is there. May sleep.
    pub(crate) fn notify(&self, name: &CStr) {
        // SAFETY: `new` added the kobject, which has its directory until `self` is dropped.
        if let Ok(file) = unsafe { SysfsNode::new(self.inner.kobj.get(), name) } {
            file.notify();
        }
    }

    /// Creates a directory in this one. It must be dropped before this one. Errors as [`Directory::new`].
    pub(crate) fn directory<U: Object>(&self, name: &CStr, object: U) -> Result<Directory<U>> {
        // SAFETY: `new` added the kobject, which has its directory until `self` is dropped.
        unsafe { Directory::new(self.inner.kobj.get(), name, object) }
    }
}

impl<T: Object> Drop for Directory<T> {
    fn drop(&mut self) {
        let kobj = self.inner.kobj.get();
        // SAFETY: `new` initialised the kobject, and only `new` creates a `Self`.
        if unsafe { (*kobj).state_in_sysfs() } != 0 {
            // SAFETY: The kobject is initialised, and in sysfs. A kobject that could not be added must not be
            // deleted: its groups would be looked up in a directory that does not exist.
            unsafe { bindings::kobject_del(kobj) };
        }
        // SAFETY: Puts the reference of the initialisation.
        unsafe { bindings::kobject_put(kobj) };
        // Other references may exist: the memory and the code of `release` must stay until the last one is put.
        self.inner.released.wait_for_completion();
    }
}
