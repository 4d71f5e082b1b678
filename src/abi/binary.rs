// SPDX-License-Identifier: GPL-2.0

//! The structures of the ioctls of `/dev/iostat`.
//!
//! `include/uapi/linux/iostat.h` describes each member; `src/glue/uapi.rs` checks that the layouts are
//! equal.

pub mod cgroup;
pub mod histograms;
pub mod kstat;
pub mod slow;

use super::{
    identity::{
        major_minor,
        Identity, //
    },
    name::NAME_LEN, //
};
use crate::acct::{
    class::{
        Class,
        Tag,
        CLASSES,
        TAGS, //
    },
    counts::Counts,
    inflight::Oldest,
    snapshot::Snapshot, //
};

/// `IOSTAT_ABI_VERSION`.
pub const VERSION: u32 = 1;

/// `IOSTAT_NO_DEVICE`.
pub const NO_DEVICE: u32 = u32::MAX;

/// `IOSTAT_FEATURE_MMAP`.
pub const FEATURE_MMAP: u64 = 1;

/// `IOSTAT_FEATURE_KSTAT`.
pub const FEATURE_KSTAT: u64 = 2;

/// `IOSTAT_GET_ALL`.
pub const GET_ALL: u32 = 1;

/// `IOSTAT_GET_OLDEST`.
pub const GET_OLDEST: u32 = 2;

/// `IOSTAT_IOC_*`.
pub mod call {
    const fn number(nr: u32) -> u32 {
        0xa8 << 8 | nr
    }

    /// `IOSTAT_IOC_INFO`.
    pub const INFO: u32 = number(0);
    /// `IOSTAT_IOC_LIST`.
    pub const LIST: u32 = number(1);
    /// `IOSTAT_IOC_SNAPSHOT`.
    pub const SNAPSHOT: u32 = number(2);
    /// `IOSTAT_IOC_HISTOGRAM`.
    pub const HISTOGRAM: u32 = number(3);
    /// `IOSTAT_IOC_MESSAGE`.
    pub const MESSAGE: u32 = number(4);
    /// `IOSTAT_IOC_HISTOGRAMS`.
    pub const HISTOGRAMS: u32 = number(5);
    /// `IOSTAT_IOC_SLOW`.
    pub const SLOW: u32 = number(6);
    /// `IOSTAT_IOC_CGROUPS`.
    pub const CGROUPS: u32 = number(7);
    /// `IOSTAT_IOC_KSTAT_LIST`.
    pub const KSTAT_LIST: u32 = number(0x10);
    /// `IOSTAT_IOC_KSTAT_READ`.
    pub const KSTAT_READ: u32 = number(0x11);
    /// `IOSTAT_IOC_KSTAT_WRITE`.
    pub const KSTAT_WRITE: u32 = number(0x12);
}

/// `struct iostat_info`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Info {
    pub size: u32,
    pub flags: u32,
    pub version: u32,
    pub numdevs: u32,
    pub generation: u64,
    pub features: u64,
    pub now: u64,
    pub buckets: u32,
    pub message_bytes: u32,
    pub reserved: [u64; 2],
}

/// `struct iostat_list`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceList {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub generation: u64,
    pub devices: u64,
}

/// `struct iostat_device`. Its block size may change; in mapped memory it is an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Device<B = u32> {
    pub number: u32,
    pub kind: u32,
    pub diskseq: u64,
    pub crtime: u64,
    pub map_offset: u64,
    pub dev_major: u32,
    pub dev_minor: u32,
    pub parent: u32,
    pub device_type: u32,
    pub priority: u32,
    pub block_size: B,
    pub name: [u8; NAME_LEN],
    pub driver: [u8; NAME_LEN],
    pub reserved: u64,
}

impl Default for Device {
    fn default() -> Self {
        Device {
            number: 0,
            kind: 0,
            diskseq: 0,
            crtime: 0,
            map_offset: 0,
            dev_major: 0,
            dev_minor: 0,
            parent: 0,
            device_type: 0,
            priority: 0,
            block_size: 0,
            name: [0; NAME_LEN],
            driver: [0; NAME_LEN],
            reserved: 0,
        }
    }
}

impl Device {
    /// Describes a disk, or a partition of the disk `parent`. `map_offset` is the offset of its records.
    pub fn new(identity: &Identity, parent: Option<u32>, map_offset: u64) -> Self {
        let (dev_major, dev_minor) = major_minor(identity.dev);
        Device {
            number: identity.number,
            // CAST: `repr(u32)`.
            kind: identity.kind() as u32,
            diskseq: identity.diskseq,
            crtime: identity.crtime,
            map_offset,
            dev_major,
            dev_minor,
            parent: parent.unwrap_or(NO_DEVICE),
            device_type: identity.device_type,
            priority: identity.priority,
            block_size: identity.block_size,
            name: *identity.name.as_array(),
            driver: *identity.driver.as_array(),
            reserved: 0,
        }
    }
}

impl<B> Device<B> {
    /// Returns the structure with another block size.
    pub fn with_block_size<C>(&self, block_size: C) -> Device<C> {
        Device {
            number: self.number,
            kind: self.kind,
            diskseq: self.diskseq,
            crtime: self.crtime,
            map_offset: self.map_offset,
            dev_major: self.dev_major,
            dev_minor: self.dev_minor,
            parent: self.parent,
            device_type: self.device_type,
            priority: self.priority,
            block_size,
            name: self.name,
            driver: self.driver,
            reserved: self.reserved,
        }
    }
}

/// `struct iostat_get`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Get {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub generation: u64,
    pub snapshots: u64,
    pub number: u32,
    pub reserved: u32,
}

/// `struct iostat_snapshot`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceSnapshot {
    pub number: u32,
    pub reserved: u32,
    pub snaptime: u64,
    pub start_count: u64,
    pub end_count: u64,
    pub counts: Counts<u64>,
    pub bytes: [u64; CLASSES],
    pub operations: [u64; CLASSES],
    pub duration: [u64; CLASSES],
    pub service: [u64; CLASSES],
    pub busy_time: u64,
    pub tag_types: [u64; TAGS],
    pub wtime: u64,
    pub wlentime: u64,
    pub wlastupdate: u64,
    pub rtime: u64,
    pub rlentime: u64,
    pub rlastupdate: u64,
    pub wcnt: u64,
    pub rcnt: u64,
    pub oldest_age: u64,
}

impl DeviceSnapshot {
    /// Converts a snapshot of the device `number`. `oldest` is its oldest I/O in flight, which was determined before
    /// the snapshot.
    pub fn new(number: u32, snapshot: &Snapshot, oldest: Oldest) -> Self {
        let devstat = &snapshot.record.devstat;
        let (wcnt, rcnt) = (snapshot.record.waitq.len(), snapshot.record.runq.len());
        // The oldest I/O may have ended meanwhile.
        let oldest_age = match wcnt | rcnt {
            0 => 0,
            _ => oldest.age_ns(snapshot.now),
        };
        DeviceSnapshot {
            number,
            reserved: 0,
            snaptime: snapshot.now,
            start_count: devstat.start_count,
            end_count: devstat.end_count(),
            counts: devstat.counts,
            bytes: devstat.bytes,
            operations: Class::ALL.map(|class| devstat.operations(class)),
            duration: devstat.duration,
            service: devstat.service,
            busy_time: snapshot.busy_time,
            tag_types: [Tag::Simple, Tag::Head, Tag::Ordered].map(|tag| devstat.tag_types(tag)),
            wtime: snapshot.wtime,
            wlentime: snapshot.wlentime,
            wlastupdate: snapshot.wlastupdate(),
            rtime: snapshot.rtime,
            rlentime: snapshot.rlentime,
            rlastupdate: snapshot.rlastupdate(),
            wcnt,
            rcnt,
            oldest_age,
        }
    }
}

/// `struct iostat_histogram`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct DeviceHistogram {
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

/// `struct iostat_message`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct MessageCall {
    pub size: u32,
    pub flags: u32,
    pub from: u64,
    pub to: u64,
    pub in_bytes: u32,
    pub out_bytes: u32,
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_binary))]
mod tests {
    use super::*;
    use core::mem::size_of;

    #[test]
    fn calls_have_the_numbers_of_the_header() {
        let calls = [call::INFO, call::LIST, call::SNAPSHOT, call::HISTOGRAM];
        assert_eq!(calls, [0xa800, 0xa801, 0xa802, 0xa803]);
        let calls = [call::KSTAT_LIST, call::KSTAT_READ, call::KSTAT_WRITE];
        assert_eq!(calls, [0xa810, 0xa811, 0xa812]);
        let calls = [call::MESSAGE, call::HISTOGRAMS, call::SLOW, call::CGROUPS];
        assert_eq!(calls, [0xa804, 0xa805, 0xa806, 0xa807]);
    }

    #[test]
    fn structures_have_the_sizes_of_version_1() {
        let sizes = [
            (size_of::<Info>(), 64),
            (size_of::<DeviceList>(), 32),
            (size_of::<Device>(), 192),
            (size_of::<Get>(), 40),
            (size_of::<DeviceSnapshot>(), 304),
            (size_of::<DeviceHistogram>(), 48),
            (size_of::<MessageCall>(), 32),
        ];
        for (size, expected) in sizes {
            assert_eq!(size, expected);
        }
    }

    #[test]
    fn counters_come_from_their_fields() {
        let mut snapshot = Snapshot {
            now: 1000,
            wtime: 2,
            rlentime: 3,
            ..Snapshot::default()
        };
        snapshot.record.runq.n_in = 9;
        snapshot.record.runq.n_out = 4;
        // 16 kinds: four classes for each of four tag types.
        snapshot.record.devstat.completed = core::array::from_fn(|kind| 1 << kind);
        let counters = DeviceSnapshot::new(7, &snapshot, Oldest::default());
        assert_eq!((counters.number, counters.snaptime), (7, 1000));
        assert_eq!((counters.wtime, counters.rlentime), (2, 3));
        assert_eq!(counters.operations, [0x1111, 0x2222, 0x4444, 0x8888]);
        assert_eq!(counters.tag_types[2], 0xf00);
        assert_eq!(counters.end_count, 0xffff);
        assert_eq!((counters.rcnt, counters.rlastupdate), (5, 1000));
        assert_eq!(counters.oldest_age, 0);
    }

    #[test]
    fn the_age_is_that_at_the_time_of_the_snapshot() {
        let mut snapshot = Snapshot {
            now: 1000,
            ..Snapshot::default()
        };
        let mut oldest = Oldest::default();
        oldest.see(400);
        assert_eq!(DeviceSnapshot::new(7, &snapshot, oldest).oldest_age, 0);
        snapshot.record.waitq.n_in = 1;
        assert_eq!(DeviceSnapshot::new(7, &snapshot, oldest).oldest_age, 600);
        snapshot.record.waitq.n_out = 1;
        snapshot.record.runq.n_in = 1;
        assert_eq!(DeviceSnapshot::new(7, &snapshot, oldest).oldest_age, 600);
    }
}
