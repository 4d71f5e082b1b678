// SPDX-License-Identifier: GPL-2.0

//! Attributes: files in sysfs with one value each.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h).
//!
//! An attribute is a `static` [`Attribute`] that carries a value of the type it belongs to, an
//! [`Attribute<A>`] for an `A: Show`. It is never known by a number.

use crate::abi::out::{
    Buffer,
    Out, //
};
use core::{
    ffi::CStr,
    fmt,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    ffi::c_char,
    page::PAGE_SIZE,
    prelude::*,
    str::as_char_ptr_in_const_context, //
};

/// The page an attribute's text goes to. What does not fit is an error; a text must leave room for
/// a NUL, because sysfs takes a full page for an overflow and warns.
pub(crate) struct Page<'a>(Buffer<'a>);

impl Page<'_> {
    /// # Safety
    ///
    /// `buf` is the buffer of a sysfs `show` call: a page that is ours until the call returns.
    unsafe fn from_raw<'a>(buf: *mut c_char) -> Page<'a> {
        // SAFETY: sysfs passes a whole, initialised page.
        let bytes = unsafe { core::slice::from_raw_parts_mut(buf.cast(), PAGE_SIZE - 1) };
        Page(Buffer::new(bytes, 0))
    }
}

impl fmt::Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }

    fn write_char(&mut self, letter: char) -> fmt::Result {
        self.0.write_char(letter)
    }
}

impl Out for Page<'_> {
    fn write_number(&mut self, number: u64) -> fmt::Result {
        self.0.write_number(number)
    }
}

/// What an attribute shows.
pub(crate) trait Show: Sync + 'static {
    /// What it shows something of.
    type Of;

    /// Writes the value, with a newline. May sleep.
    fn show(&self, of: &Self::Of, page: &mut Page<'_>) -> fmt::Result;
}

/// One read-only file.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Attribute<A> {
    raw: bindings::attribute,
    inner: A,
}

// SAFETY: The raw part is a pointer to a `'static` name and a mode; both are only read.
unsafe impl<A: Sync> Sync for Attribute<A> {}

impl<A> Attribute<A> {
    /// A file of this name that everybody may read.
    pub(crate) const fn new(name: &'static CStr, inner: A) -> Self {
        // SAFETY: All zero is valid for `struct attribute`, with lock debugging or without.
        let mut raw: bindings::attribute = unsafe { core::mem::zeroed() };
        raw.name = as_char_ptr_in_const_context(name);
        raw.mode = 0o444;
        Attribute { raw, inner }
    }
}

impl<A: Show> Attribute<A> {
    /// Shows the attribute `raw` of `of` in `buf`; what a `show` callback returns.
    ///
    /// # Safety
    ///
    /// `raw` is the first field of an `Attribute<A>`, and `buf` the buffer of a `show` call.
    pub(crate) unsafe fn show(
        raw: *mut bindings::attribute,
        of: &A::Of,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: By this function's requirement; attributes are `'static`.
        let attribute = unsafe { &*raw.cast::<Attribute<A>>() };
        // SAFETY: As above.
        unsafe { show(&attribute.inner, of, buf) }
    }
}

/// One read-only file of a device whose driver data is an `A::Of`.
#[repr(C)]
pub(crate) struct DeviceAttribute<A> {
    raw: bindings::device_attribute,
    inner: A,
}

// SAFETY: As for `Attribute`; the callback is only called.
unsafe impl<A: Sync> Sync for DeviceAttribute<A> {}

impl<A: Show> DeviceAttribute<A> {
    /// A file of this name that everybody may read.
    ///
    /// # Safety
    ///
    /// Used only for devices whose driver data points to an `A::Of` for as long as they have
    /// attributes.
    pub(super) const unsafe fn new(name: &'static CStr, inner: A) -> Self {
        // SAFETY: All zero is valid: no callbacks.
        let mut raw: bindings::device_attribute = unsafe { core::mem::zeroed() };
        raw.attr = Attribute::new(name, ()).raw;
        raw.__bindgen_anon_1.show = Some(Self::show);
        DeviceAttribute { raw, inner }
    }

    /// # Safety
    ///
    /// Called by the driver core for a file made of a `DeviceAttribute<A>`.
    unsafe extern "C" fn show(
        dev: *mut bindings::device,
        raw: *mut bindings::device_attribute,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: `raw` is the first field of one of ours; attributes are `'static`.
        let attribute = unsafe { &*raw.cast::<DeviceAttribute<A>>() };
        // SAFETY: By the requirement of `new`, and sysfs passes its buffer.
        unsafe {
            show(
                &attribute.inner,
                &*bindings::dev_get_drvdata(dev).cast::<A::Of>(),
                buf,
            )
        }
    }
}

/// # Safety
///
/// `buf` is the buffer of a `show` call.
unsafe fn show<A: Show>(attribute: &A, of: &A::Of, buf: *mut c_char) -> isize {
    // SAFETY: By this function's requirement.
    let mut page = unsafe { Page::from_raw(buf) };
    match attribute.show(of, &mut page) {
        // CAST: At most a page.
        Ok(()) => page.0.len() as isize,
        Err(fmt::Error) => EIO.to_errno() as isize,
    }
}

/// A file, held for those who wait in `poll()` until it changes.
///
/// # Invariants
///
/// `ptr` is a node of sysfs, to which this is a reference.
pub(crate) struct Node {
    ptr: NonNull<bindings::kernfs_node>,
}

// SAFETY: May be used and dropped by any thread.
unsafe impl Send for Node {}
// SAFETY: As above: telling is done under locks of sysfs's own.
unsafe impl Sync for Node {}

impl Node {
    /// The file `name` of the directory `kobj`. May sleep. `ENOENT`.
    ///
    /// # Safety
    ///
    /// `kobj` has a directory for the duration of this call.
    pub(super) unsafe fn new(kobj: *mut bindings::kobject, name: &CStr) -> Result<Self> {
        // SAFETY: By this function's requirement the directory is there; the result is checked.
        let ptr = unsafe {
            bindings::kernfs_find_and_get_ns((*kobj).sd, name.as_char_ptr(), core::ptr::null())
        };
        // INVARIANT: The reference is the one that was just taken.
        NonNull::new(ptr).map(|ptr| Node { ptr }).ok_or(ENOENT)
    }

    /// Wakes those who wait. In any context.
    pub(crate) fn notify(&self) {
        // SAFETY: By the type invariant; the file may have gone, and then nobody waits.
        unsafe { bindings::kernfs_notify(self.ptr.as_ptr()) };
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // SAFETY: The reference is given back, by the type invariant.
        unsafe { bindings::kernfs_put(self.ptr.as_ptr()) };
    }
}

/// The `attribute *[]` of a group: pointers to `N` attributes and the NULL that ends them.
#[repr(C)]
pub(crate) struct List<const N: usize> {
    attributes: [*const bindings::attribute; N],
    end: *const bindings::attribute,
}

// SAFETY: Pointers to `'static`, `Sync` attributes, only read.
unsafe impl<const N: usize> Sync for List<N> {}

impl<const N: usize> List<N> {
    /// Of all attributes of a table.
    pub(crate) const fn new<A>(table: &'static [Attribute<A>; N]) -> Self {
        Self::of(table)
    }

    /// Of all device attributes of a table.
    pub(crate) const fn of_device<A>(table: &'static [DeviceAttribute<A>; N]) -> Self {
        Self::of(table)
    }

    /// Of structures whose first field is an attribute.
    const fn of<T>(table: &'static [T; N]) -> Self {
        let mut attributes = [core::ptr::null(); N];
        let mut index = 0;
        while index < N {
            // CAST: The attribute is at the start of these `repr(C)` structures.
            attributes[index] = core::ptr::from_ref(&table[index]).cast();
            index += 1;
        }
        List {
            attributes,
            end: core::ptr::null(),
        }
    }
}

/// A directory of attributes; without a name, the files go into the object's own directory.
#[repr(transparent)]
pub(crate) struct Group(bindings::attribute_group);

// SAFETY: Pointers to `'static` data, only read.
unsafe impl Sync for Group {}

impl Group {
    /// A group of all attributes of a list.
    pub(crate) const fn new<const N: usize>(
        name: Option<&'static CStr>,
        list: &'static List<N>,
    ) -> Self {
        // SAFETY: All zero is valid for `struct attribute_group`: no callbacks, no attributes.
        let mut raw: bindings::attribute_group = unsafe { core::mem::zeroed() };
        if let Some(name) = name {
            raw.name = as_char_ptr_in_const_context(name);
        }
        // CAST: `attributes` and `end` lie behind each other: a NULL-terminated array.
        raw.__bindgen_anon_2.attrs = core::ptr::from_ref(list).cast_mut().cast();
        Group(raw)
    }
}

/// The `attribute_group *[]` of an object: pointers to `N` groups and the NULL that ends them.
#[repr(C)]
pub(crate) struct Groups<const N: usize> {
    groups: [*const Group; N],
    end: *const Group,
}

// SAFETY: Pointers to `'static`, `Sync` groups, only read.
unsafe impl<const N: usize> Sync for Groups<N> {}

impl<const N: usize> Groups<N> {
    /// Of these groups.
    pub(crate) const fn new(groups: [&'static Group; N]) -> Self {
        let mut pointers = [core::ptr::null(); N];
        let mut index = 0;
        while index < N {
            pointers[index] = core::ptr::from_ref(groups[index]);
            index += 1;
        }
        Groups {
            groups: pointers,
            end: core::ptr::null(),
        }
    }

    /// As C takes it.
    pub(crate) const fn as_raw(&'static self) -> *mut *const bindings::attribute_group {
        // CAST: `Group` is transparent, and the array is followed by its NULL.
        core::ptr::from_ref(self).cast_mut().cast()
    }
}
