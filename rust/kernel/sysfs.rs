// SPDX-License-Identifier: GPL-2.0

//! Sysfs attributes: files with one value each.
//!
//! C header: [`include/linux/sysfs.h`](srctree/include/linux/sysfs.h).
//!
//! An attribute is a `static` [`Attribute<A>`] with a value of its own type `A: Show`. The type selects what is
//! shown: attributes have no numbers.

use core::{
    ffi::CStr,
    fmt,
    marker::PhantomData,
    ptr::NonNull, //
};
use kernel::{
    bindings,
    ffi::c_char,
    page::PAGE_SIZE,
    prelude::*,
    str::as_char_ptr_in_const_context, //
};

/// The page for the text of an attribute. Text that does not fit is an error. There is no room for a full page,
/// which sysfs would report as an overflow.
pub(crate) struct AttributePage<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl AttributePage<'_> {
    /// # Safety
    ///
    /// `buf` is the buffer of a sysfs `show` call: a page that no other thread uses until the call returns.
    unsafe fn from_raw<'a>(buf: *mut c_char) -> AttributePage<'a> {
        // SAFETY: sysfs passes a whole, initialised page.
        let bytes = unsafe { core::slice::from_raw_parts_mut(buf.cast(), PAGE_SIZE - 1) };
        AttributePage { bytes, len: 0 }
    }

    /// Returns the bytes that have no text yet.
    pub(crate) fn unused(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.len..).unwrap_or_default()
    }

    /// The first `len` bytes of [`AttributePage::unused`] have text now.
    pub(crate) fn advance(&mut self, len: usize) {
        self.len = self.len.saturating_add(len).min(self.bytes.len());
    }
}

impl fmt::Write for AttributePage<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = self.unused().get_mut(..text.len()).ok_or(fmt::Error)?;
        bytes.copy_from_slice(text.as_bytes());
        self.advance(text.len());
        Ok(())
    }
}

/// The contents of an attribute.
pub(crate) trait Show: Sync + 'static {
    /// The type of the object that is shown.
    type Of;

    /// Writes the value and a newline. May sleep.
    fn show(&self, of: &Self::Of, page: &mut AttributePage<'_>) -> fmt::Result;
}

/// A read-only file.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Attribute<A> {
    raw: bindings::attribute,
    inner: A,
}

// SAFETY: The raw part is a pointer to a `'static` name and a mode; both are only read.
unsafe impl<A: Sync> Sync for Attribute<A> {}

impl<A> Attribute<A> {
    /// Creates a file of this name that all users may read.
    pub(crate) const fn new(name: &'static CStr, inner: A) -> Self {
        Self::with_mode(name, 0o444, inner)
    }

    /// Creates a file of this name that only root may read.
    pub(crate) const fn private(name: &'static CStr, inner: A) -> Self {
        Self::with_mode(name, 0o400, inner)
    }

    const fn with_mode(name: &'static CStr, mode: u16, inner: A) -> Self {
        // SAFETY: All zeros are valid for `struct attribute`, with or without lock debugging.
        let mut raw: bindings::attribute = unsafe { core::mem::zeroed() };
        raw.name = as_char_ptr_in_const_context(name);
        raw.mode = mode;
        Attribute { raw, inner }
    }
}

impl<A: Show> Attribute<A> {
    /// Writes the attribute `raw` of `of` to `buf`. Returns what a `show` callback must return.
    ///
    /// # Safety
    ///
    /// `raw` is the first member of an `Attribute<A>`, and `buf` is the buffer of a `show` call.
    pub(crate) unsafe fn show(
        raw: *mut bindings::attribute,
        of: &A::Of,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: By the requirement of this function it is an `Attribute<A>`; attributes are `'static`.
        let attribute = unsafe { &*raw.cast::<Attribute<A>>() };
        // SAFETY: By the requirement of this function it is the buffer of a `show` call.
        unsafe { show(&attribute.inner, of, buf) }
    }
}

/// `struct device_attribute`. Since 7.2 its callbacks are in unions, so that their names in the bindings depend on the kernel.
/// Their offsets do not: `rust/helpers/helpers.c` checks them.
#[repr(C)]
struct RawDeviceAttribute {
    attr: bindings::attribute,
    show: Option<
        unsafe extern "C" fn(
            *mut bindings::device,
            *mut bindings::device_attribute,
            *mut c_char,
        ) -> isize,
    >,
    store: Option<unsafe extern "C" fn()>,
}
const _: () = assert!(
    size_of::<RawDeviceAttribute>() == size_of::<bindings::device_attribute>()
        && align_of::<RawDeviceAttribute>() == align_of::<bindings::device_attribute>()
);

/// A read-only file of a device whose driver data is an `A::Of`.
#[repr(C)]
pub(crate) struct DeviceAttribute<A> {
    raw: RawDeviceAttribute,
    inner: A,
}

// SAFETY: As for `Attribute`; the callback is only called.
unsafe impl<A: Sync> Sync for DeviceAttribute<A> {}

impl<A: Show> DeviceAttribute<A> {
    /// Creates a file of this name that all users may read.
    ///
    /// # Safety
    ///
    /// It is used only for devices whose driver data points to an `A::Of` as long as they have attributes.
    pub(super) const unsafe fn new(name: &'static CStr, inner: A) -> Self {
        let raw = RawDeviceAttribute {
            attr: Attribute::new(name, ()).raw,
            show: Some(Self::show),
            store: None,
        };
        DeviceAttribute { raw, inner }
    }

    /// # Safety
    ///
    /// Called by the driver core for a file of a `DeviceAttribute<A>`.
    unsafe extern "C" fn show(
        dev: *mut bindings::device,
        raw: *mut bindings::device_attribute,
        buf: *mut c_char,
    ) -> isize {
        // SAFETY: `raw` is the first member of a `DeviceAttribute<A>`; attributes are `'static`.
        let attribute = unsafe { &*raw.cast::<DeviceAttribute<A>>() };
        // SAFETY: By the requirement of `new` the driver data is an `A::Of`; sysfs passes its buffer.
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
    // SAFETY: By the requirement of this function it is the buffer of a `show` call.
    let mut page = unsafe { AttributePage::from_raw(buf) };
    match attribute.show(of, &mut page) {
        // CAST: At most a page.
        Ok(()) => page.len as isize,
        Err(fmt::Error) => EIO.to_errno() as isize,
    }
}

/// A reference to a file, to notify threads that wait in `poll()` for a change of it.
///
/// # Invariants
///
/// `ptr` is a node of sysfs, to which this value holds a reference.
pub(crate) struct SysfsNode {
    ptr: NonNull<bindings::kernfs_node>,
}

// SAFETY: Any thread may use and drop it.
unsafe impl Send for SysfsNode {}
// SAFETY: The functions that are called with it use the locks of sysfs.
unsafe impl Sync for SysfsNode {}

impl SysfsNode {
    /// Returns the file `name` in the directory of `kobj`. May sleep. `ENOENT`.
    ///
    /// # Safety
    ///
    /// `kobj` has a directory during this call.
    pub(super) unsafe fn new(kobj: *mut bindings::kobject, name: &CStr) -> Result<Self> {
        // SAFETY: By the requirement of this function the directory exists; the result is checked.
        let ptr = unsafe {
            bindings::kernfs_find_and_get_ns((*kobj).sd, name.as_char_ptr(), core::ptr::null())
        };
        // INVARIANT: The reference was just taken.
        NonNull::new(ptr).map(|ptr| SysfsNode { ptr }).ok_or(ENOENT)
    }

    /// Wakes the threads that wait. Process context: on `PREEMPT_RT` it takes locks that sleep.
    pub(crate) fn notify(&self) {
        // SAFETY: By the type invariant the node is valid. The file may have been removed: then no thread
        // waits.
        unsafe { bindings::kernfs_notify(self.ptr.as_ptr()) };
    }
}

impl Drop for SysfsNode {
    fn drop(&mut self) {
        // SAFETY: Puts the reference of the type invariant.
        unsafe { bindings::kernfs_put(self.ptr.as_ptr()) };
    }
}

/// In place of the type of the attributes of a list: each is a [`DeviceAttribute`] of any type that shows a `D`. This is
/// not an attribute itself.
pub(super) struct OfDevice<D>(PhantomData<D>);

/// The `attribute *[]` of a group: pointers to `N` attributes of the type `A`, followed by NULL.
///
/// # Invariants
///
/// Each of `attributes` points to an `Attribute<A>`; if `A` is an `OfDevice<D>`, to a `DeviceAttribute` of a type that shows
/// a `D`. `end` is null.
#[repr(C)]
pub(crate) struct AttributeList<A, const N: usize> {
    attributes: [*const bindings::attribute; N],
    end: *const bindings::attribute,
    _type: PhantomData<fn(A) -> A>,
}

// SAFETY: Pointers to `'static`, `Sync` attributes, which are only read.
unsafe impl<A, const N: usize> Sync for AttributeList<A, N> {}

impl<A: Show, const N: usize> AttributeList<A, N> {
    /// Creates a list of all attributes in a table.
    pub(crate) const fn new(table: &'static [Attribute<A>; N]) -> Self {
        // INVARIANT: A `Show` is not an `OfDevice`.
        Self::of(table)
    }
}

impl<D, const N: usize> AttributeList<OfDevice<D>, N> {
    /// Creates a list of all device attributes in a table.
    pub(super) const fn of_device<A: Show<Of = D>>(
        table: &'static [DeviceAttribute<A>; N],
    ) -> Self {
        // INVARIANT: By the bound they show a `D`.
        Self::of(table)
    }
}

impl<A, const N: usize> AttributeList<A, N> {
    /// Creates a list of structures whose first member is an attribute. The caller ensures the type invariant.
    const fn of<T>(table: &'static [T; N]) -> Self {
        let mut attributes = [core::ptr::null(); N];
        let mut index = 0;
        while index < N {
            // CAST: These structures are `repr(C)`, with the attribute at their start.
            attributes[index] = core::ptr::from_ref(&table[index]).cast();
            index += 1;
        }
        AttributeList {
            attributes,
            end: core::ptr::null(),
            _type: PhantomData,
        }
    }
}

/// A directory of attributes of the type `A`. Without a name, the files are in the directory of the object itself.
///
/// # Invariants
///
/// The attributes are those of an [`AttributeList`] of `A`.
#[repr(transparent)]
pub(crate) struct Group<A>(bindings::attribute_group, PhantomData<fn(A) -> A>);

// SAFETY: Pointers to `'static` data, which is only read.
unsafe impl<A> Sync for Group<A> {}

impl<A> Group<A> {
    /// Creates a group of all attributes in a list.
    pub(crate) const fn new<const N: usize>(
        name: Option<&'static CStr>,
        list: &'static AttributeList<A, N>,
    ) -> Self {
        // SAFETY: All zeros are valid for `struct attribute_group`: no callbacks, no attributes.
        let mut raw: bindings::attribute_group = unsafe { core::mem::zeroed() };
        if let Some(name) = name {
            raw.name = as_char_ptr_in_const_context(name);
        }
        // CAST: `attributes` and `end` are adjacent: a NULL-terminated array.
        raw.__bindgen_anon_2.attrs = core::ptr::from_ref(list).cast_mut().cast();
        Group(raw, PhantomData)
    }
}

/// The `attribute_group *[]` of an object: pointers to `N` groups of attributes of the type `A`, followed by NULL.
#[repr(C)]
pub(crate) struct Groups<A, const N: usize> {
    groups: [*const Group<A>; N],
    end: *const Group<A>,
}

// SAFETY: Pointers to `'static`, `Sync` groups, which are only read.
unsafe impl<A, const N: usize> Sync for Groups<A, N> {}

impl<A, const N: usize> Groups<A, N> {
    /// Creates a list of these groups.
    pub(crate) const fn new(groups: [&'static Group<A>; N]) -> Self {
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

    /// Returns the array for C.
    pub(crate) const fn as_raw(&'static self) -> *mut *const bindings::attribute_group {
        // CAST: `Group` is transparent, and the array is followed by NULL.
        core::ptr::from_ref(self).cast_mut().cast()
    }
}
