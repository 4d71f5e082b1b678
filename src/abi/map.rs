// SPDX-License-Identifier: GPL-2.0

//! The layout of the memory that `mmap()` of `/dev/iostat` maps, and its structures besides
//! [`crate::acct::record::CpuRecord`].
//!
//! `include/uapi/linux/iostat.h` describes each member; `src/glue/uapi.rs` asserts that the layouts
//! are equal.

use super::binary::{
    Device,
    VERSION, //
};
use crate::{
    acct::{
        base::Base,
        counter::Low,
        histogram::{
            Histogram,
            BOUNDS,
            BOUNDS_NS,
            BUCKETS,
            PAIR,
            PHASES, //
        },
        record::{
            CpuRecord,
            Rare, //
        },
    },
    sync::{
        AtomicU32,
        AtomicU64,
        Ordering::{
            Acquire,
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

/// The layout of the file.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Size of a page, bytes.
    pub page: usize,
    /// Records that each device may have: the one that CPUs share, and one for each CPU.
    pub records: usize,
}

/// The content of a page of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DevicePage {
    /// A [`MapDevice`].
    Owner,
    /// The record of this index.
    Record(usize),
    /// The bases of the histograms on the page of this number.
    Bases(usize),
}

/// Pages of each record, and of the [`MapDevice`]: its own page, and that of the bases of its
/// histograms.
const EACH: usize = 2;

/// The content of a page of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapTarget {
    /// A page of the header.
    Header(usize),
    /// A page of the device of this number.
    Device(u32, usize),
}

impl Layout {
    /// Pages of the header.
    fn header_pages(&self) -> usize {
        size_of::<MapHeader>().div_ceil(self.page.max(1))
    }

    /// The offset in the file of the memory of a device, bytes. No other device ever has the same offset, as
    /// numbers are not reused.
    pub fn offset(&self, number: u32) -> u64 {
        let blocks = u64::from(number).wrapping_mul(self.block() as u64);
        blocks.wrapping_add(self.blocks())
    }

    fn blocks(&self) -> u64 {
        (self.header_pages() as u64).wrapping_mul(self.page as u64)
    }

    /// Pages of each device.
    pub fn pages_of_device(&self) -> usize {
        self.records.saturating_add(1).saturating_mul(EACH)
    }

    fn block(&self) -> usize {
        self.pages_of_device().saturating_mul(self.page)
    }

    /// The page of a device that the record of this index is on.
    pub fn page_of_record(&self, index: usize) -> usize {
        index.saturating_add(1).saturating_mul(EACH)
    }

    /// The content of a page of a device; [`None`] if it has no page with this number.
    pub fn page(&self, number: usize) -> Option<DevicePage> {
        if number >= self.pages_of_device() {
            return None;
        }
        Some(match number.checked_rem(EACH)? {
            0 => (number / EACH)
                .checked_sub(1)
                .map_or(DevicePage::Owner, DevicePage::Record),
            _ => DevicePage::Bases(number.checked_sub(1)?),
        })
    }

    /// The content of a page of the file; [`None`] if the page cannot exist.
    pub fn place(&self, page: usize) -> Option<MapTarget> {
        let header = self.header_pages();
        let Some(page) = page.checked_sub(header) else {
            return Some(MapTarget::Header(page));
        };
        let pages = self.pages_of_device();
        let number = u32::try_from(page.checked_div(pages)?).ok()?;
        Some(MapTarget::Device(number, page.checked_rem(pages)?))
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
pub struct MapHeader {
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
    pub bounds: [u64; BOUNDS],
}

/// Narrows a length or number that always fits; saturates if it ever does not.
fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl MapHeader {
    /// The header of a file with this layout.
    pub fn new(layout: &Layout) -> Self {
        MapHeader {
            magic: MAGIC,
            version: VERSION,
            header_bytes: short(size_of::<MapHeader>()),
            page_bytes: short(layout.page),
            records: short(layout.records),
            blocks_offset: layout.blocks(),
            block_bytes: layout.block() as u64,
            record_offset: short(layout.page.saturating_mul(EACH)),
            record_stride: short(layout.page.saturating_mul(EACH)),
            record_bytes: short(size_of::<CpuRecord>()),
            latency_offset: short(CpuRecord::LATENCY_OFFSET),
            classes: short(PAIR),
            phases: short(PHASES),
            buckets: short(BUCKETS),
            histogram_bytes: short(size_of::<Histogram<Low>>()),
            generation: AtomicU64::new(1),
            clock: Clock::default(),
            bases_offset: short(layout.page),
            base_shift: Base::SHIFT,
            reserved: [0; 7],
            bounds: BOUNDS_NS,
        }
    }

    /// Publishes the generation of the list of devices, which has changed.
    pub fn set_generation(&self, generation: u64) {
        self.generation.store(generation, Release);
    }
}

/// `struct iostat_map_device`.
#[derive(Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "in the C header")]
pub struct MapDevice {
    pub magic: u64,
    pub state: AtomicU64,
    pub device: Device<AtomicU32>,
    pub rare: Rare,
    pub partitions: PartitionChanges,
    pub present: Present,
}

impl MapDevice {
    /// Sets up zeroed memory for a device that is present.
    pub fn set(&mut self, device: Device) {
        self.magic = MAGIC;
        self.device = device.with_block_size(AtomicU32::new(device.block_size));
    }

    /// The device as it is now.
    pub fn device(&self) -> Device {
        let block_size = self.device.block_size.load(Relaxed);
        self.device.with_block_size(block_size)
    }

    /// Publishes the block size of the device, which has changed.
    pub fn set_block_size(&self, block_size: u32) {
        self.device.block_size.store(block_size, Relaxed);
    }

    /// Publishes that the device was removed.
    pub fn set_gone(&self) {
        self.state.store(GONE, Release);
    }

    /// Whether the device was removed.
    pub fn is_gone(&self) -> bool {
        self.state.load(Acquire) == GONE
    }
}

/// Changes of the partitions of a disk, whose records a reader of mapped memory has to add to those of the disk. The
/// upper half is the number of changes. The lower half is the number of partitions that have left, but whose records
/// still have to be added: a program that has not mapped them before cannot read them.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct PartitionChanges(AtomicU64);

impl PartitionChanges {
    const CHANGE: u64 = 1 << 32;

    /// A partition was added, in which nothing is recorded yet.
    pub fn arrives(&self) {
        self.0.fetch_add(Self::CHANGE, Release);
    }

    /// A partition leaves, and has not left the list yet.
    pub fn leaves(&self) {
        self.0.fetch_add(1, Release);
    }

    /// The counts of a partition are about to be added to those of the disk. A reader that finds any of them there, and
    /// then reads this word, finds the change, as the counts are released after it.
    pub fn begins_to_absorb(&self) {
        self.0.fetch_add(Self::CHANGE, Release);
    }

    /// The counts of a partition were added to those of the disk.
    pub fn has_absorbed(&self) {
        // Release: a reader that finds no partition missing finds all their counts in the disk.
        self.0.fetch_sub(1, Release);
    }

    /// The word, for tests of readers.
    pub fn get(&self) -> u64 {
        self.0.load(Acquire)
    }
}

/// Words of 64 bits each, up to the end of a page of 4 KiB.
const WORDS: usize = if cfg!(loom) { 1 } else { 130 };

/// Which records of a device exist.
#[derive(Debug)]
#[repr(transparent)]
pub struct Present([AtomicU64; WORDS]);

impl Default for Present {
    fn default() -> Self {
        Present(core::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl Present {
    /// Publishes that the record of this index exists. All of it was written before.
    pub fn set(&self, index: usize) {
        if let Some(word) = self.0.get(index / 64) {
            word.fetch_or(1 << (index % 64), Release);
        }
    }

    /// Whether the record of this index exists.
    pub fn has(&self, index: usize) -> bool {
        let word = self.0.get(index / 64);
        word.is_some_and(|word| word.load(Acquire) >> (index % 64) & 1 != 0)
    }

    /// The indices of the records that exist, of the `records` that a device may have.
    pub fn iter(&self, records: usize) -> Indices<'_> {
        let words = self.0.get(..records.div_ceil(64)).unwrap_or(&self.0);
        Indices {
            words: words.iter(),
            first: 0usize.wrapping_sub(64),
            bits: 0,
        }
    }
}

/// See [`Present::iter`].
#[derive(Debug)]
pub struct Indices<'a> {
    words: core::slice::Iter<'a, AtomicU64>,
    /// The index of the lowest bit of `bits`.
    first: usize,
    /// The bits of the last word that were not returned yet.
    bits: u64,
}

impl Iterator for Indices<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.bits = self.words.next()?.load(Acquire);
            self.first = self.first.wrapping_add(64);
        }
        // CAST: Not above 63.
        let index = self.first.wrapping_add(self.bits.trailing_zeros() as usize);
        self.bits &= self.bits.wrapping_sub(1);
        Some(index)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_map))]
mod tests {
    use super::*;

    const LAYOUT: Layout = Layout {
        page: 4096,
        records: 4,
    };

    #[test]
    fn each_page_of_the_file_is_of_one_device() {
        assert_eq!(LAYOUT.place(0), Some(MapTarget::Header(0)));
        assert_eq!(LAYOUT.place(1), Some(MapTarget::Device(0, 0)));
        assert_eq!(LAYOUT.place(10), Some(MapTarget::Device(0, 9)));
        assert_eq!(LAYOUT.place(11), Some(MapTarget::Device(1, 0)));
        assert_eq!(LAYOUT.place(usize::MAX), None);
        for number in [0, 1, 77, u32::MAX] {
            let page = LAYOUT.offset(number) / 4096;
            let found = LAYOUT.place(page as usize);
            assert_eq!(found, Some(MapTarget::Device(number, 0)));
        }
    }

    #[test]
    fn a_header_may_have_several_pages() {
        let layout = Layout {
            page: 512,
            records: 1,
        };
        assert_eq!(layout.offset(0), 1536);
        assert_eq!(layout.place(2), Some(MapTarget::Header(2)));
        assert_eq!(layout.place(3), Some(MapTarget::Device(0, 0)));
    }

    #[test]
    fn the_header_says_where_things_are() {
        let header = MapHeader::new(&LAYOUT);
        assert_eq!(header.blocks_offset, LAYOUT.offset(0));
        assert_eq!(header.bases_offset, 4096);
        assert_eq!(
            header.block_bytes,
            LAYOUT.offset(8).wrapping_sub(LAYOUT.offset(7))
        );
        assert_eq!((header.record_offset, header.records), (8192, 4));
        assert_eq!((header.record_bytes, header.latency_offset), (3584, 608));
        assert_eq!(header.histogram_bytes, 456);
        assert_eq!(size_of::<MapHeader>(), 1056);
        assert_eq!(size_of::<MapDevice>(), 4096);
    }

    #[test]
    fn pages_of_a_device_are_of_its_owner_and_of_its_records() {
        let pages = [0, 1, 2, 3, 4, 9, 10].map(|page| LAYOUT.page(page));
        let expected = [
            Some(DevicePage::Owner),
            Some(DevicePage::Bases(0)),
            Some(DevicePage::Record(0)),
            Some(DevicePage::Bases(2)),
            Some(DevicePage::Record(1)),
            Some(DevicePage::Bases(8)),
            None,
        ];
        assert_eq!(pages, expected);
        for index in 0..4 {
            let page = LAYOUT.page_of_record(index);
            assert_eq!(LAYOUT.page(page), Some(DevicePage::Record(index)));
        }
    }

    #[test]
    fn indices_are_those_of_the_records_a_device_may_have() {
        let present = Present::default();
        assert_eq!(present.iter(300).next(), None);
        for index in [0, 1, 2, 63, 64, 200, 300] {
            present.set(index);
            assert!(present.has(index) && !present.has(index.wrapping_add(5)));
        }
        assert!(present.iter(300).eq([0, 1, 2, 63, 64, 200, 300]));
        assert!(present.iter(256).eq([0, 1, 2, 63, 64, 200]));
        assert!(present.iter(3).eq([0, 1, 2, 63]));
        assert_eq!(present.iter(usize::MAX).count(), 7);
    }
}

// A [`MapDevice`] is too large for the stack of a kernel.
#[cfg(all(test, not(loom)))]
mod device_tests {
    use super::*;

    #[test]
    fn what_changes_is_seen() {
        let header = MapHeader::new(&Layout {
            page: 4096,
            records: 1,
        });
        header.set_generation(7);
        assert_eq!(header.generation.load(Acquire), 7);
        let device = Device {
            number: 3,
            block_size: 512,
            ..Device::default()
        };
        let mut owner = MapDevice {
            magic: 0,
            state: AtomicU64::new(0),
            device: Device::default().with_block_size(AtomicU32::new(0)),
            partitions: PartitionChanges::default(),
            rare: Rare::default(),
            present: Present::default(),
        };
        owner.set(device);
        assert_eq!((owner.magic, owner.device()), (MAGIC, device));
        owner.set_block_size(4096);
        let device = Device {
            block_size: 4096,
            ..device
        };
        assert_eq!(owner.device(), device);
        assert_eq!(owner.state.load(Acquire), 0);
        owner.set_gone();
        assert_eq!(owner.state.load(Acquire), GONE);
    }

    #[test]
    fn a_device_is_there_until_it_is_gone() {
        let device = MapDevice {
            magic: MAGIC,
            state: AtomicU64::new(0),
            device: Device::default().with_block_size(AtomicU32::new(512)),
            rare: Rare::default(),
            partitions: PartitionChanges::default(),
            present: Present::default(),
        };
        assert!(!device.is_gone());
        device.set_gone();
        assert!(device.is_gone());
    }
}
