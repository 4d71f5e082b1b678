// SPDX-License-Identifier: GPL-2.0

//! The sysfs files of a character device.

use super::{
    super::sysfs::{
        AttributeList,
        AttributePage,
        DeviceAttribute,
        Group,
        Groups,
        OfDevice,
        Show, //
    },
    MiscDeviceInner, //
};
use core::ffi::CStr;

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

/// A list of `N` attributes of a device with the context `C`.
pub(crate) struct Attributes<C, const N: usize>(AttributeList<OfDevice<MiscDeviceInner<C>>, N>);

impl<C: Send + Sync, const N: usize> Attributes<C, N> {
    /// Creates a list of all attributes in a table.
    pub(crate) const fn new<A: Show<Of = C>>(table: &'static [MiscAttribute<A>; N]) -> Self {
        // SAFETY: `MiscAttribute` is transparent.
        let table: &'static [DeviceAttribute<InnerShow<A>>; N] =
            unsafe { &*core::ptr::from_ref(table).cast() };
        Attributes(AttributeList::of_device(table))
    }
}

/// A group without a name of attributes of a device with the context `C`.
pub(crate) struct DeviceGroup<C>(Group<OfDevice<MiscDeviceInner<C>>>);

impl<C> DeviceGroup<C> {
    /// Creates a group of all attributes in a list.
    pub(crate) const fn new<const N: usize>(attributes: &'static Attributes<C, N>) -> Self {
        DeviceGroup(Group::new(None, &attributes.0))
    }
}

/// The attribute groups of a device with the context `C`.
pub(crate) struct DeviceGroups<C>(pub(super) Groups<OfDevice<MiscDeviceInner<C>>, 1>);

impl<C> DeviceGroups<C> {
    /// Creates the groups of a device that has one.
    pub(crate) const fn new(group: &'static DeviceGroup<C>) -> Self {
        DeviceGroups(Groups::new([&group.0]))
    }
}
