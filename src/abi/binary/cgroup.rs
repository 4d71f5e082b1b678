// SPDX-License-Identifier: GPL-2.0

//! The structures of `IOSTAT_IOC_CGROUPS`.

use crate::acct::{
    cgroup::{
        CgroupGroup,
        CgroupTotals, //
    },
    histogram::BUCKETS, //
};

/// `struct iostat_cgroup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceCgroup {
    pub cgroup: u64,
    pub number: u32,
    pub io_class: u32,
    pub ios: u64,
    pub bytes: u64,
    pub operations: u64,
    pub duration: u64,
    pub service: u64,
    pub counts: [u64; BUCKETS],
}

impl DeviceCgroup {
    /// Converts an account.
    pub fn new(group: &CgroupGroup, totals: &CgroupTotals) -> Self {
        DeviceCgroup {
            cgroup: group.owner,
            number: group.device,
            io_class: group.class,
            ios: totals.ios,
            bytes: totals.bytes,
            operations: totals.transactions(),
            duration: totals.total_ns,
            service: totals.service_ns,
            counts: totals.counts,
        }
    }
}

/// `struct iostat_get_cgroups`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct GetCgroups {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub entry_size: u32,
    pub count: u32,
    pub rows: u32,
    pub rows_used: u32,
    pub reserved: u32,
    pub cgroups: u64,
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_binary_cgroup))]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn structures_of_cgroups_have_the_sizes_of_version_1() {
        assert_eq!(size_of::<DeviceCgroup>(), 936);
        assert_eq!(size_of::<GetCgroups>(), 40);
    }
}
