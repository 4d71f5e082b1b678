// SPDX-License-Identifier: GPL-2.0

//! `/sys/class/misc/iostat/`: the files that concern all disks. See
//! `Documentation/ABI/testing/sysfs-class-misc-iostat`.

use super::{
    ChardevContext,
    Recording, //
};
use crate::{
    abi::{
        latency,
        size,
        text, //
    },
    kernel_ext::{
        miscdevice::{
            Attributes,
            DeviceGroup,
            DeviceGroups,
            MiscAttribute, //
        },
        sysfs::{
            AttributePage,
            Show, //
        },
    },
    recorder::{
        region::memory::allocated_bytes,
        slow, //
    },
};
use core::{
    ffi::CStr,
    fmt::{
        self,
        Write, //
    }, //
};

/// A file.
enum ControlFile {
    /// One number, and how it is found.
    Number(fn(&Recording) -> u64),
    /// The bounds of all histograms of times.
    Bounds,
    /// The bounds of all histograms of sizes.
    SizeBounds,
}

impl Show for ControlFile {
    type Of = ChardevContext;

    fn show(&self, of: &ChardevContext, page: &mut AttributePage<'_>) -> fmt::Result {
        match self {
            ControlFile::Number(number) => write!(page, "{}", number(&of.recording)),
            ControlFile::Bounds => latency::bounds(page),
            ControlFile::SizeBounds => size::bounds(page),
        }?;
        page.write_char('\n')
    }
}

const fn number(name: &'static CStr, number: fn(&Recording) -> u64) -> MiscAttribute<ControlFile> {
    MiscAttribute::new(name, ControlFile::Number(number))
}

static FILES: [MiscAttribute<ControlFile>; 16] = [
    number(c"version", |_| u64::from(text::VERSION)),
    number(c"generation", |state| state.generation()),
    number(c"numdevs", |state| state.numdevs() as u64),
    number(c"inflight_max", |state| state.inflight() as u64),
    number(c"inflight_promised", |state| state.promised() as u64),
    number(c"tracked", |state| state.tracked() as u64),
    number(c"untracked", |state| state.untracked()),
    number(c"abandoned", |state| state.abandoned()),
    number(c"unmarked", |state| state.unmatched_completions()),
    number(c"regions_gone", |state| state.regions_gone()),
    number(c"stats_current_allocated_bytes", |_| allocated_bytes()),
    number(c"slow_threshold_ns", |_| slow::threshold_ns()),
    number(c"cgroup_rows", |state| state.cgroup_rows_used().1 as u64),
    number(c"cgroup_rows_used", |state| {
        state.cgroup_rows_used().0 as u64
    }),
    MiscAttribute::new(c"latency_bounds_ns", ControlFile::Bounds),
    MiscAttribute::new(c"size_bounds_bytes", ControlFile::SizeBounds),
];
static ATTRIBUTES: Attributes<ChardevContext, 16> = Attributes::new(&FILES);
static GROUP: DeviceGroup<ChardevContext> = DeviceGroup::new(&ATTRIBUTES);

/// The groups of the device `/dev/iostat`.
pub(crate) static GROUPS: DeviceGroups<ChardevContext> = DeviceGroups::new(&GROUP);
