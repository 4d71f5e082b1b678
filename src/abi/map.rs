// SPDX-License-Identifier: GPL-2.0

//! What `mmap()` of `/dev/iostat` shows besides [`crate::acct::record::CpuRecord`].
//!
//! `include/uapi/linux/iostat.h` says what each member is; `rust/kernel/uapi.rs` asserts that the
//! layout here is that one.

use super::binary::{
    Device,
    VERSION, //
};
use crate::{
    acct::{
        class::CLASSES,
        histogram::{
            Histogram,
            BOUNDS,
            BOUNDS_NS,
            BUCKETS,
            PHASES, //
        },
        record::CpuRecord,
    },
    sync::{
        AtomicU32,
        AtomicU64,
        Ordering::{
            Relaxed,
            Release, //
        }, //
    }, //
};
use core::mem::size_of;

/// `IOSTAT_MAP_GONE`.
pub const GONE: u64 = 1;

/// `IOSTAT_MAP_MAGIC`.
pub const MAGIC: u64 = u64::from_le_bytes(*b"istatmap");

/// Where everything is in the file.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Of a page, bytes.
    pub page: usize,
    /// Records of each device.
    pub cpus: usize,
    /// From one of them to the next, bytes.
    pub stride: usize,
    /// Of each device, bytes.
    pub block: usize,
}

/// What a page of the file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A page of the header.
    Header(usize),
    /// A page of the device of this number.
    Device(u32, usize),
}

impl Layout {
    /// Pages of the header.
    fn header_pages(&self) -> usize {
        size_of::<Header>().div_ceil(self.page.max(1))
    }

    /// Where in the file the memory of a device begins, bytes. No two are at the same place, ever: numbers
    /// are not used twice.
    pub fn offset(&self, number: u32) -> u64 {
        let blocks = u64::from(number).wrapping_mul(self.block as u64);
        blocks.wrapping_add(self.blocks())
    }

    fn blocks(&self) -> u64 {
        (self.header_pages() as u64).wrapping_mul(self.page as u64)
    }

    /// What is on a page of the file; [`None`] if nothing can be.
    pub fn place(&self, page: usize) -> Option<Place> {
        let header = self.header_pages();
        let Some(page) = page.checked_sub(header) else {
            return Some(Place::Header(page));
        };
        let pages = self.block.checked_div(self.page)?;
        let number = u32::try_from(page.checked_div(pages)?).ok()?;
        Some(Place::Device(number, page.checked_rem(pages)?))
    }
}

/// `struct iostat_map_clock`, which C writes.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Clock([AtomicU64; 5]);

/// `struct iostat_map_header`.
#[derive(Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    pub header_bytes: u32,
    pub page_bytes: u32,
    pub cpus: u32,
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
    pub reserved: [u64; 8],
    pub bounds: [u64; BOUNDS],
}

/// A length or number of which there is no telling that it is short, but it is.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Header {
    /// Of a file laid out so.
    pub fn new(layout: &Layout) -> Self {
        Header {
            magic: MAGIC,
            version: VERSION,
            header_bytes: short(size_of::<Header>()),
            page_bytes: short(layout.page),
            cpus: short(layout.cpus),
            blocks_offset: layout.blocks(),
            block_bytes: layout.block as u64,
            record_offset: short(layout.page),
            record_stride: short(layout.stride),
            record_bytes: short(size_of::<CpuRecord>()),
            latency_offset: short(CpuRecord::LATENCY_OFFSET),
            classes: short(CLASSES),
            phases: short(PHASES),
            buckets: short(BUCKETS),
            histogram_bytes: short(size_of::<Histogram>()),
            generation: AtomicU64::new(1),
            clock: Clock::default(),
            reserved: [0; 8],
            bounds: BOUNDS_NS,
        }
    }

    /// The list has changed.
    pub fn set_generation(&self, generation: u64) {
        self.generation.store(generation, Release);
    }
}

/// `struct iostat_map_device`.
#[derive(Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct Owner {
    pub magic: u64,
    pub state: AtomicU64,
    pub device: Device<AtomicU32>,
}

impl Owner {
    /// Of a device that is there.
    pub fn new(device: Device) -> Self {
        Owner {
            magic: MAGIC,
            state: AtomicU64::new(0),
            device: device.with_block_size(AtomicU32::new(device.block_size)),
        }
    }

    /// The device as it is now.
    pub fn device(&self) -> Device {
        let block_size = self.device.block_size.load(Relaxed);
        self.device.with_block_size(block_size)
    }

    /// Its block size has changed.
    pub fn set_block_size(&self, block_size: u32) {
        self.device.block_size.store(block_size, Relaxed);
    }

    /// It has left.
    pub fn set_gone(&self) {
        self.state.store(GONE, Release);
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_map))]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        page: 4096,
        cpus: 3,
        stride: 12288,
        block: 4096 + 3 * 12288,
    };

    #[test]
    fn each_page_of_the_file_is_of_one_device() {
        assert_eq!(LAYOUT.place(0), Some(Place::Header(0)));
        assert_eq!(LAYOUT.place(1), Some(Place::Device(0, 0)));
        assert_eq!(LAYOUT.place(10), Some(Place::Device(0, 9)));
        assert_eq!(LAYOUT.place(11), Some(Place::Device(1, 0)));
        assert_eq!(LAYOUT.place(usize::MAX), None);
        for number in [0, 1, 77, u32::MAX] {
            let page = LAYOUT.offset(number) / 4096;
            let found = LAYOUT.place(page as usize);
            assert_eq!(found, Some(Place::Device(number, 0)));
        }
    }

    #[test]
    fn the_header_says_where_things_are() {
        let header = Header::new(&LAYOUT);
        assert_eq!(header.blocks_offset, LAYOUT.offset(0));
        assert_eq!(
            header.block_bytes,
            LAYOUT.offset(8).wrapping_sub(LAYOUT.offset(7))
        );
        assert_eq!((header.record_offset, header.cpus), (4096, 3));
        assert_eq!((header.record_bytes, header.latency_offset), (11200, 432));
        assert_eq!(header.histogram_bytes, 896);
        assert_eq!(size_of::<Header>(), 1056);
        assert_eq!(size_of::<Owner>(), 208);
    }
}
