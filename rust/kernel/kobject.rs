// SPDX-License-Identifier: GPL-2.0

//! Directories of our own in sysfs.
//!
//! C header: [`include/linux/kobject.h`](srctree/include/linux/kobject.h).

use super::sysfs::{
    Attribute,
    Groups,
    Show, //
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

/// What a directory's attributes show something of, and which they are.
pub(crate) trait Object: Send + Sync + Sized + 'static {
    /// The attributes' type.
    type Attribute: Show<Of = Self>;

    /// The directory's groups.
    const TYPE: Type<Self>;
}

/// The `kobj_type` of an object.
pub(crate) struct Type<T>(bindings::kobj_type, PhantomData<fn() -> T>);

impl<T: Object> Type<T> {
    const SYSFS_OPS: bindings::sysfs_ops = bindings::sysfs_ops {
        show: Some(Self::show),
        store: None,
    };

    /// A type whose directories hold `groups`.
    pub(crate) const fn new<const N: usize>(groups: &'static Groups<N>) -> Self {
        // SAFETY: All zero is valid for `struct kobj_type`: no callbacks.
        let mut raw: bindings::kobj_type = unsafe { core::mem::zeroed() };
        raw.release = Some(Self::release);
        raw.sysfs_ops = &Self::SYSFS_OPS;
        raw.default_groups = groups.as_raw();
        Type(raw, PhantomData)
    }

    /// # Safety
    ///
    /// Called by sysfs for a file of a directory whose kobject has this type.
    unsafe extern "C" fn show(
        kobj: *mut bindings::kobject,
        attribute: *mut bindings::attribute,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: The kobject is the first field of an `Inner<T>` that is alive: its file cannot
        // be read after `kobject_del`, and the directory's drop waits for that.
        let inner = unsafe { &*kobj.cast::<Inner<T>>() };
        // SAFETY: All files of this type are of `T::Attribute`, and sysfs passes its buffer.
        unsafe { Attribute::<T::Attribute>::show(attribute, &inner.object, buf) }
    }

    /// # Safety
    ///
    /// Called by the kobject core for a kobject of this type, once.
    unsafe extern "C" fn release(kobj: *mut bindings::kobject) {
        // SAFETY: As in `show`: the drop of the directory waits for this.
        let inner = unsafe { &*kobj.cast::<Inner<T>>() };
        inner.released.complete_all();
    }
}

#[repr(C)]
#[pin_data]
struct Inner<T> {
    kobj: UnsafeCell<bindings::kobject>,
    #[pin]
    released: Completion,
    object: T,
}

/// A directory that is there until it is dropped. Both making and dropping may sleep; a reader
/// in one of its files is waited for.
pub(crate) struct Directory<T: Object> {
    inner: Pin<KBox<Inner<T>>>,
}

// SAFETY: The kobject functions may be called from any thread; `T` is `Send` and `Sync`.
unsafe impl<T: Object> Send for Directory<T> {}
// SAFETY: There are no methods on a shared reference.
unsafe impl<T: Object> Sync for Directory<T> {}

impl<T: Object> Directory<T> {
    const TYPE: &'static Type<T> = &T::TYPE;

    /// Makes the directory `name` in that of `parent`. `EEXIST` if there is one.
    ///
    /// # Safety
    ///
    /// `parent` is a kobject with a directory, for the duration of this call.
    pub(crate) unsafe fn new(
        parent: *mut bindings::kobject,
        name: &CStr,
        object: T,
    ) -> Result<Self> {
        let inner = KBox::pin_init(
            pin_init!(Inner {
                // SAFETY: All zero is valid for a kobject before its init.
                kobj: UnsafeCell::new(unsafe { core::mem::zeroed() }),
                released <- Completion::new(),
                object,
            }),
            GFP_KERNEL,
        )?;
        let directory = Directory { inner };
        // SAFETY: The kobject is zeroed, pinned in its box and initialised once; its type is
        // `'static`; `parent` by this function's requirement. If it fails, the kobject still wants
        // its last put, which `drop` does.
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
    /// Makes a directory in this one, to be dropped before it. Errors as of [`Directory::new`].
    pub(crate) fn directory<U: Object>(&self, name: &CStr, object: U) -> Result<Directory<U>> {
        // SAFETY: The kobject was added in `new`, and has its directory until the drop of `self`.
        unsafe { Directory::new(self.inner.kobj.get(), name, object) }
    }
}

impl<T: Object> Drop for Directory<T> {
    fn drop(&mut self) {
        let kobj = self.inner.kobj.get();
        // SAFETY: The kobject was initialised in `new`, which is the only way to make `Self`.
        if unsafe { (*kobj).state_in_sysfs() } != 0 {
            // SAFETY: As above. One that could not be added must not be deleted: its groups would
            // be looked for in a directory it does not have.
            unsafe { bindings::kobject_del(kobj) };
        }
        // SAFETY: Gives up the reference of the init.
        unsafe { bindings::kobject_put(kobj) };
        // Somebody else may hold a reference: the memory, and the code of `release`, must stay
        // until the last is gone.
        self.inner.released.wait_for_completion();
    }
}
