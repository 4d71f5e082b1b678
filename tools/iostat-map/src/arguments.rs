// SPDX-License-Identifier: GPL-2.0 OR MIT

//! What the calls take, by `include/uapi/linux/iostat.h` and `iostat_kstat.h`.

#![allow(missing_docs)]

use crate::layout::{BUCKETS, NO_DEVICE};
use std::mem::size_of;

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct HistogramCall {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub class: u32,
    pub phase: u32,
    pub buckets: u32,
    pub counts: u64,
    pub min: u64,
    pub max: u64,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct GetHistograms {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub which: u32,
    pub snapshot_size: u32,
    pub snapshot_count: u32,
    pub latency_size: u32,
    pub latency_count: u32,
    pub count_count: u32,
    pub reserved: u32,
    pub generation: u64,
    pub snapshots: u64,
    pub latencies: u64,
    pub counts: u64,
}

/// A histogram of a device: its buckets from the first that is not empty to the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Latency {
    pub number: u32,
    pub class: u32,
    pub phase: u32,
    pub first_bucket: u32,
    pub buckets: u32,
    pub first_count: u32,
    pub min: u64,
    pub max: u64,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct GetSlow {
    pub size: u32,
    pub flags: u32,
    pub number: u32,
    pub entry_size: u32,
    pub count: u32,
    pub reserved: u32,
    pub total: u64,
    pub threshold: u64,
    pub slow: u64,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct GetCgroups {
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

/// The account of a cgroup, disk and class: `struct iostat_cgroup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Cgroup {
    /// Its id; 0 in the accounts of what had no room.
    pub cgroup: u64,
    /// The number of the disk; [`NO_DEVICE`] in these.
    pub number: u32,
    pub class: u32,
    pub ios: u64,
    pub bytes: u64,
    pub operations: u64,
    pub duration: u64,
    pub service: u64,
    pub counts: [u64; BUCKETS],
}

impl Default for Cgroup {
    fn default() -> Self {
        Cgroup {
            cgroup: 0,
            number: NO_DEVICE,
            class: 0,
            ios: 0,
            bytes: 0,
            operations: 0,
            duration: 0,
            service: 0,
            counts: [0; BUCKETS],
        }
    }
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Message {
    pub size: u32,
    pub flags: u32,
    pub message: u64,
    pub reply: u64,
    pub message_bytes: u32,
    pub reply_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KstatHeader {
    pub kid: u32,
    pub kstat_type: u32,
    pub flags: u32,
    pub ndata: u32,
    pub instance: i32,
    pub reserved: u32,
    pub crtime: u64,
    pub module: [u8; 64],
    pub name: [u8; 64],
    pub class: [u8; 64],
}

impl Default for KstatHeader {
    fn default() -> Self {
        KstatHeader {
            kid: 0,
            kstat_type: 0,
            flags: 0,
            ndata: 0,
            instance: 0,
            reserved: 0,
            crtime: 0,
            module: [0; 64],
            name: [0; 64],
            class: [0; 64],
        }
    }
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct KstatList {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub chain_id: u32,
    pub reserved: u32,
    pub headers: u64,
}

/// A statistic. A number is in `value`; of text, where in the data it begins.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KstatValue {
    pub name: [u8; 48],
    pub value_type: u32,
    pub len: u32,
    pub value: u64,
}

impl Default for KstatValue {
    fn default() -> Self {
        KstatValue {
            name: [0; 48],
            value_type: 0,
            len: 0,
            value: 0,
        }
    }
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct KstatRead {
    pub size: u32,
    pub flags: u32,
    pub kid: u32,
    pub chain_id: u32,
    pub snaptime: u64,
    pub crtime: u64,
    pub kstat_type: u32,
    pub kstat_flags: u32,
    pub ndata: u32,
    pub entry_size: u32,
    pub count: u32,
    pub bytes: u32,
    pub values: u64,
    pub data: u64,
}

const _: () = {
    assert!(size_of::<HistogramCall>() == 48);
    assert!(size_of::<GetSlow>() == 48);
    assert!(size_of::<Message>() == 32);
    assert!(size_of::<KstatHeader>() == 224);
    assert!(size_of::<KstatList>() == 32);
    assert!(size_of::<KstatValue>() == 64);
    assert!(size_of::<KstatRead>() == 72);
    assert!(size_of::<GetCgroups>() == 40);
    assert!(size_of::<Cgroup>() == 936);
};
