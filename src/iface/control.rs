// SPDX-License-Identifier: GPL-2.0

//! `/sys/class/misc/iostat/`: what concerns all disks. See
//! `Documentation/ABI/testing/sysfs-class-misc-iostat`.

use super::Recording;
use crate::{
    abi::text,
    kernel_ext::{
        miscdevice::{
            Attribute,
            Attributes,
            DeviceGroups, //
        },
        sysfs::{
            Group,
            Page,
            Show, //
        },
    },
};
use core::fmt::{
    self,
    Write, //
};
use kernel::sync::Arc;

/// A file: how its number is found.
struct Number(fn(&Recording) -> u64);

impl Show for Number {
    type Of = Arc<Recording>;

    fn show(&self, of: &Arc<Recording>, page: &mut Page<'_>) -> fmt::Result {
        writeln!(page, "{}", (self.0)(of))
    }
}

static FILES: [Attribute<Number>; 6] = [
    Attribute::new(c"version", Number(|_| u64::from(text::VERSION))),
    Attribute::new(c"generation", Number(|state| state.generation())),
    Attribute::new(c"numdevs", Number(|state| state.numdevs() as u64)),
    Attribute::new(c"tracked", Number(|state| state.tracked() as u64)),
    Attribute::new(c"untracked", Number(|state| state.untracked())),
    Attribute::new(c"abandoned", Number(|state| state.abandoned())),
];
static ATTRIBUTES: Attributes<Arc<Recording>, 6> = Attributes::new(&FILES);
static GROUP: Group = DeviceGroups::group(&ATTRIBUTES);

/// The groups of the device `/dev/iostat`.
pub(crate) static GROUPS: DeviceGroups<Arc<Recording>> = DeviceGroups::new(&GROUP);
