// SPDX-License-Identifier: GPL-2.0 OR MIT

//! The structures of `include/uapi/linux/iostat.h`, of version 1; their members are described there.

#![allow(missing_docs)]

use crate::counts::Counts;
use std::mem::{offset_of, size_of};
use std::sync::atomic::{AtomicU32, AtomicU64};

pub const VERSION: u32 = 1;
pub const MAGIC: u64 = u64::from_le_bytes(*b"istatmap");
pub const BUCKETS: usize = 110;
/// `IOSTAT_SIZES`.
pub const SIZES: usize = 23;
/// `IOSTAT_PHASE_OF_SIZES`.
pub const PHASE_OF_SIZES: u32 = 3;
/// `IOSTAT_IOC_LIST`.
pub const IOC_LIST: std::ffi::c_ulong = 0xa801;
/// `IOSTAT_IOC_SNAPSHOT`.
pub const IOC_SNAPSHOT: std::ffi::c_ulong = 0xa802;
/// `IOSTAT_IOC_HISTOGRAM`.
pub const IOC_HISTOGRAM: std::ffi::c_ulong = 0xa803;
/// `IOSTAT_IOC_MESSAGE`.
pub const IOC_MESSAGE: std::ffi::c_ulong = 0xa804;
/// `IOSTAT_IOC_HISTOGRAMS`.
pub const IOC_HISTOGRAMS: std::ffi::c_ulong = 0xa805;
/// `IOSTAT_IOC_SLOW`.
pub const IOC_SLOW: std::ffi::c_ulong = 0xa806;
/// `IOSTAT_IOC_CGROUPS`.
pub const IOC_CGROUPS: std::ffi::c_ulong = 0xa807;
/// `IOSTAT_NO_DEVICE`.
pub const NO_DEVICE: u32 = u32::MAX;
/// `IOSTAT_IOC_KSTAT_LIST`.
pub const IOC_KSTAT_LIST: std::ffi::c_ulong = 0xa810;
/// `IOSTAT_IOC_KSTAT_READ`.
pub const IOC_KSTAT_READ: std::ffi::c_ulong = 0xa811;
/// `IOSTAT_GET_ALL`.
pub const GET_ALL: u32 = 1;
/// `IOSTAT_GET_OLDEST`.
pub const GET_OLDEST: u32 = 2;
/// `IOSTAT_KIND_DISK`.
pub const KIND_DISK: u32 = 0;
/// `IOSTAT_KIND_PARTITION`.
pub const KIND_PARTITION: u32 = 1;
/// `IOSTAT_KIND_NFS`.
pub const KIND_NFS: u32 = 2;
/// `IOSTAT_KIND_TAPE`.
pub const KIND_TAPE: u32 = 3;
/// `IOSTAT_KIND_MISC`.
pub const KIND_MISC: u32 = 4;
/// `IOSTAT_MAP_GONE`.
pub const GONE: u64 = 1;
/// `IOSTAT_CLOCK_RAW`. With any other source the counter of the CPU is read.
pub const CLOCK_RAW: u64 = 0;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Device {
    pub number: u32,
    /// `KIND_*`; a later version of the module may have others.
    pub kind: u32,
    pub diskseq: u64,
    pub crtime: u64,
    pub map_offset: u64,
    pub dev_major: u32,
    pub dev_minor: u32,
    pub parent: u32,
    pub device_type: u32,
    pub priority: u32,
    pub block_size: u32,
    pub name: [u8; 64],
    pub driver: [u8; 64],
    pub reserved: u64,
}

impl Default for Device {
    fn default() -> Self {
        Device {
            number: 0,
            kind: KIND_DISK,
            diskseq: 0,
            crtime: 0,
            map_offset: 0,
            dev_major: 0,
            dev_minor: 0,
            parent: 0,
            device_type: 0,
            priority: 0,
            block_size: 0,
            name: [0; 64],
            driver: [0; 64],
            reserved: 0,
        }
    }
}

impl Device {
    /// The kernel's name: `nvme0n1p2`. Any bytes but NUL.
    pub fn name(&self) -> &[u8] {
        until_nul(&self.name)
    }

    /// The name as `/dev/iostat` has it: one word. What is not printable ASCII, blanks and backslashes are a
    /// backslash and three octal digits.
    pub fn written_name(&self) -> String {
        written(self.name())
    }

    /// The name of the driver, written so too.
    pub fn written_driver(&self) -> String {
        written(until_nul(&self.driver))
    }
}

/// A name as `/dev/iostat` has it: see [`Device::written_name`].
pub fn written(name: &[u8]) -> String {
    let written = |byte: &u8| match byte {
        b'!'..=b'~' if *byte != b'\\' => char::from(*byte).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    name.iter().map(written).collect()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Snapshot {
    pub number: u32,
    pub reserved: u32,
    pub snaptime: u64,
    pub start_count: u64,
    pub end_count: u64,
    pub counts: Counts<u64>,
    pub bytes: [u64; 4],
    pub operations: [u64; 4],
    pub duration: [u64; 4],
    pub service: [u64; 4],
    pub busy_time: u64,
    pub tag_types: [u64; 3],
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

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct List {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub generation: u64,
    pub devices: u64,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Get {
    pub size: u32,
    pub flags: u32,
    pub entry_size: u32,
    pub count: u32,
    pub generation: u64,
    pub snapshots: u64,
    pub number: u32,
    pub reserved: u32,
}

#[repr(C)]
pub(crate) struct Clock {
    pub seq: AtomicU64,
    pub source: AtomicU64,
    pub mult: AtomicU64,
    pub tsc_offset: AtomicU64,
    pub raw_offset: AtomicU64,
}

#[repr(C)]
pub(crate) struct Header {
    pub magic: u64,
    pub version: u32,
    pub header_bytes: u32,
    pub page_bytes: u32,
    pub records: u32,
    pub blocks_offset: u64,
    pub block_bytes: u64,
    pub record_offset: u32,
    pub record_stride: u32,
    pub record_bytes: u32,
    pub latency_offset: u32,
    pub classes: u32,
    pub phases: u32,
    pub buckets: u32,
    pub histogram_bytes: u32,
    pub generation: AtomicU64,
    pub clock: Clock,
    pub bases_offset: u32,
    pub base_shift: u32,
    pub reserved: [u64; 7],
    pub bounds: [u64; BUCKETS - 1],
}

#[repr(C)]
pub(crate) struct Owner {
    pub magic: u64,
    pub state: AtomicU64,
    pub device: Device,
    pub has_bases: AtomicU64,
    pub latency: [[Times; PHASES]; 2],
    pub sizes: [AtomicU32; SIZES],
    pub padding: u32,
    /// Of a disk: above [`MISSING_BITS`] how often its partitions have changed, below how many cannot be mapped.
    pub partitions: AtomicU64,
    pub present: [AtomicU64; PRESENT_WORDS],
}

pub(crate) const MISSING_BITS: u32 = 32;

pub(crate) const PHASES: usize = 3;
pub(crate) const PRESENT_WORDS: usize = 130;

/// `struct iostat_cpu_histogram`.
#[repr(C)]
pub(crate) struct Times {
    pub counts: [AtomicU32; BUCKETS],
    pub shortest_negated: AtomicU64,
    pub span: AtomicU64,
}

/// `struct iostat_bases`.
#[repr(C)]
pub(crate) struct Bases {
    pub times: [[[AtomicU32; BUCKETS]; PHASES]; 2],
    pub sizes: [[AtomicU32; 2]; SIZES],
}

/// `struct iostat_cpu_record`.
#[repr(C)]
pub(crate) struct Record {
    pub seq: AtomicU64,
    pub counters: [AtomicU64; WORDS],
    pub difference: [AtomicU64; DIFFERENCE_WORDS],
    pub latency: [[Times; PHASES]; 2],
    pub has_bases: AtomicU64,
    pub sizes: [[AtomicU32; 2]; SIZES],
    pub padding: [u64; 6],
}

/// Of a record, up to what only a partition has.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Counters {
    pub start_count: u64,
    pub counts: Counts<u64>,
    pub bytes: [u64; 4],
    pub duration: [u64; 4],
    pub service: [u64; 4],
    pub completed: [u64; 16],
    /// waitq, runq, waitq_busy, runq_busy, both_busy
    pub queues: [Queue; 5],
}

/// Of a record of a partition: what its disk has besides.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Difference {
    /// waitq_busy, runq_busy, both_busy
    lines: [Queue; 3],
    /// Of the `t_in` of waitq.
    waited: u64,
}

impl Counters {
    /// All of them in their order.
    pub fn words(&self) -> &[u64; WORDS] {
        // SAFETY: It consists of so many words.
        unsafe { &*std::ptr::from_ref(self).cast() }
    }

    /// The same, to change them.
    pub fn words_mut(&mut self) -> &mut [u64; WORDS] {
        // SAFETY: As above; any words will do.
        unsafe { &mut *std::ptr::from_mut(self).cast() }
    }

    /// Makes those of a partition what its disk has of them.
    pub fn add_difference(&mut self, difference: &Difference) {
        let [waitq, _, lines @ ..] = &mut self.queues;
        waitq.t_in = waitq.t_in.wrapping_add(difference.waited);
        for (line, more) in lines.iter_mut().zip(difference.lines) {
            line.n_in = line.n_in.wrapping_add(more.n_in);
            line.t_in = line.t_in.wrapping_add(more.t_in);
            line.n_out = line.n_out.wrapping_add(more.n_out);
            line.t_out = line.t_out.wrapping_add(more.t_out);
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Queue {
    pub n_in: u64,
    pub t_in: u64,
    pub n_out: u64,
    pub t_out: u64,
    pub last: u64,
}

/// Times of one class and phase, of all CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub counts: [u64; BUCKETS],
    pub longest: u64,
    pub shortest_inverted: u64,
}

impl Histogram {
    /// How many there were.
    pub fn count(&self) -> u64 {
        self.counts
            .iter()
            .fold(0, |sum, one| sum.wrapping_add(*one))
    }

    /// The shortest, ns; 0 if there was none.
    pub fn min(&self) -> u64 {
        match self.shortest_inverted {
            0 => 0,
            inverted => !inverted,
        }
    }

    /// The longest, ns; 0 if there was none.
    pub fn max(&self) -> u64 {
        self.longest
    }
}

/// Bytes up to the first NUL.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    let text = bytes.split(|byte| *byte == 0).next();
    text.unwrap_or_default()
}

/// Words of [`Counters`].
pub(crate) const WORDS: usize = size_of::<Counters>() / 8;

/// Words of [`Difference`].
pub(crate) const DIFFERENCE_WORDS: usize = size_of::<Difference>() / 8;

const _: () = {
    assert!(size_of::<Device>() == 192);
    assert!(size_of::<Snapshot>() == 304);
    assert!(size_of::<List>() == 32);
    assert!(size_of::<Get>() == 40);
    assert!(size_of::<Histogram>() == 896);
    assert!(size_of::<Header>() == 1056);
    assert!(size_of::<Owner>() == 4096);
    assert!(size_of::<Times>() == 456);
    assert!(size_of::<Record>() == 3584);
    assert!(offset_of!(Header, generation) == 72);
    assert!(offset_of!(Header, bounds) == 184);
    assert!(WORDS == 59 && DIFFERENCE_WORDS == 16);
};
