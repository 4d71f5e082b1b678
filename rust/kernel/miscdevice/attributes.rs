// SPDX-License-Identifier: GPL-2.0

//! The sysfs files of a character device.

use super::{
    super::sysfs::{
        AttributeList,
        AttributePage,
        DeviceAttribute,
        Group,
        Groups,
        Show, //
    },
    MiscDeviceInner, //
};
use core::{
    ffi::CStr,
    marker::PhantomData, //
};

/// A read-only file in the device's directory, `/sys/class/misc/<name>/`.
#[repr(transparent)]
pub(crate) struct MiscAttribute<A>(DeviceAttribute<InnerShow<A>>);

struct InnerShow<A>(A);

impl<A: Show<Of: Send + Sync>> Show for InnerShow<A> {
    type Of = MiscDeviceInner<A::Of>;

    fn show(&self, of: &Self::Of, page: &mut AttributePage<'_>) -> core::fmt::Result {
        self.0.show(&of.context, page)
    }
}

impl<A: Show<Of: Send + Sync>> MiscAttribute<A> {
    /// Creates a file of this name that all users may read.
    pub(crate) const fn new(name: &'static CStr, inner: A) -> Self {
        // SAFETY: The attribute is added to a device only by `MiscDeviceRegistration::new`, as part of `Attributes` of
        // the right context. The misc core sets the driver data to the `miscdevice`, which is the first member
        // of a `MiscDeviceInner` that outlives the device.
        MiscAttribute(unsafe { DeviceAttribute::new(name, InnerShow(inner)) })
    }
}

/// A list of the attributes of a device.
pub(crate) struct Attributes<C, const N: usize> {
    list: AttributeList<N>,
    _context: PhantomData<fn(&C)>,
}

impl<C, const N: usize> Attributes<C, N> {
    /// Creates a list of all attributes in a table.
    pub(crate) const fn new<A: Show<Of = C>>(table: &'static [MiscAttribute<A>; N]) -> Self {
        // SAFETY: `MiscAttribute` is transparent.
        let table: &'static [DeviceAttribute<InnerShow<A>>; N] =
            unsafe { &*core::ptr::from_ref(table).cast() };
        Attributes {
            list: AttributeList::of_device(table),
            _context: PhantomData,
        }
    }
}

/// The attribute groups of a device.
pub(crate) struct DeviceGroups<C> {
    pub(super) groups: Groups<1>,
    _context: PhantomData<fn(&C)>,
}

impl<C> DeviceGroups<C> {
    /// Creates a group without a name.
    pub(crate) const fn group<const N: usize>(attributes: &'static Attributes<C, N>) -> Group {
        Group::new(None, &attributes.list)
    }

    /// Creates the groups of a device from the group of [`DeviceGroups::group`].
    pub(crate) const fn new(group: &'static Group) -> Self {
        DeviceGroups {
            groups: Groups::new([group]),
            _context: PhantomData,
        }
    }
}
