// SPDX-License-Identifier: GPL-2.0

//! `/sys/class/misc/iostat/`: what concerns all disks. See
//! `Documentation/ABI/testing/sysfs-class-misc-iostat`.

use super::{
    Global,
    Recording, //
};
use crate::{
    abi::{
        latency,
        text, //
    },
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
    recorder::region::memory::allocated_bytes,
};
use core::{
    ffi::CStr,
    fmt::{
        self,
        Write, //
    }, //
};

/// A file.
enum File {
    /// One number, and how it is found.
    Number(fn(&Recording) -> u64),
    /// The bounds of all histograms.
    Bounds,
}

impl Show for File {
    type Of = Global;

    fn show(&self, of: &Global, page: &mut Page<'_>) -> fmt::Result {
        match self {
            File::Number(number) => write!(page, "{}", number(&of.recording)),
            File::Bounds => latency::bounds(page),
        }?;
        page.write_char('\n')
    }
}

const fn number(name: &'static CStr, number: fn(&Recording) -> u64) -> Attribute<File> {
    Attribute::new(name, File::Number(number))
}

static FILES: [Attribute<File>; 12] = [
    number(c"version", |_| u64::from(text::VERSION)),
    number(c"generation", |state| state.generation()),
    number(c"numdevs", |state| state.numdevs() as u64),
    number(c"inflight", |state| state.inflight() as u64),
    number(c"inflight_promised", |state| state.promised() as u64),
    number(c"tracked", |state| state.tracked() as u64),
    number(c"untracked", |state| state.untracked()),
    number(c"abandoned", |state| state.abandoned()),
    number(c"unmarked", |state| state.unmarked()),
    number(c"regions_gone", |state| state.regions_gone()),
    number(c"stats_current_allocated_bytes", |_| allocated_bytes()),
    Attribute::new(c"latency_bounds_ns", File::Bounds),
];
static ATTRIBUTES: Attributes<Global, 12> = Attributes::new(&FILES);
static GROUP: Group = DeviceGroups::group(&ATTRIBUTES);

/// The groups of the device `/dev/iostat`.
pub(crate) static GROUPS: DeviceGroups<Global> = DeviceGroups::new(&GROUP);
