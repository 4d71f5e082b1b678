// SPDX-License-Identifier: GPL-2.0

//! The identity of a device, as users see it: of a disk, a partition, or an entry of another module. Nothing of
//! it changes while the device exists.

use super::{
    decimal,
    name::{
        array,
        Name, //
    },
};

/// The devstat priorities of `sys/devicestat.h`, by which the list of devices is sorted in descending order.
pub mod priority {
    /// `DEVSTAT_PRIORITY_OTHER`: not a disk.
    pub const OTHER: u32 = 0x020;
    /// `DEVSTAT_PRIORITY_FD`: floppy disks.
    pub const FD: u32 = 0x040;
    /// `DEVSTAT_PRIORITY_CD`: optical discs.
    pub const CD: u32 = 0x090;
    /// `DEVSTAT_PRIORITY_DISK`.
    pub const DISK: u32 = 0x110;
    /// `DEVSTAT_PRIORITY_ARRAY`: a device that consists of several disks.
    pub const ARRAY: u32 = 0x120;
    /// `DEVSTAT_PRIORITY_MAX`.
    pub const MAX: u32 = 0xfff;
}

/// `devstat_support_flags` of `sys/devicestat.h`.
pub mod support_flags {
    /// `DEVSTAT_ALL_SUPPORTED`: the block size is known, and tag types are counted.
    pub const ALL_SUPPORTED: u32 = 0;
    /// `DEVSTAT_NO_BLOCKSIZE`: the device has no block size.
    pub const NO_BLOCKSIZE: u32 = 1;
    /// `DEVSTAT_NO_ORDERED_TAGS`: the device has no tags, and tag types are not counted.
    pub const NO_ORDERED_TAGS: u32 = 2;
    /// `DEVSTAT_BS_UNAVAILABLE`: the block size is not known at the moment, for example without a medium.
    pub const BS_UNAVAILABLE: u32 = 4;
    /// All flags.
    pub const MASK: u32 = 7;
}

/// `devstat_type_flags` of `sys/devicestat.h`: a type and an interface.
pub mod device_type {
    /// `DEVSTAT_TYPE_DIRECT`: a disk.
    pub const DIRECT: u32 = 0x000;
    /// `DEVSTAT_TYPE_SEQUENTIAL`: a tape.
    pub const SEQUENTIAL: u32 = 0x001;
    /// `DEVSTAT_TYPE_CDROM`.
    pub const CDROM: u32 = 0x005;
    /// `DEVSTAT_TYPE_STORARRAY`.
    pub const STORARRAY: u32 = 0x00c;
    /// `DEVSTAT_TYPE_FLOPPY`: the largest number.
    pub const FLOPPY: u32 = 0x00e;
    /// `DEVSTAT_TYPE_MASK`.
    pub const MASK: u32 = 0x00f;
    /// `DEVSTAT_TYPE_IF_SCSI`: a device whose driver uses SCSI commands.
    pub const IF_SCSI: u32 = 0x010;
    /// `DEVSTAT_TYPE_IF_OTHER`.
    pub const IF_OTHER: u32 = 0x030;
    /// `DEVSTAT_TYPE_IF_NVME`.
    pub const IF_NVME: u32 = 0x040;
    /// `DEVSTAT_TYPE_IF_MASK`.
    pub const IF_MASK: u32 = 0x0f0;
    /// `DEVSTAT_TYPE_PASS`: a pass-through device.
    pub const PASS: u32 = 0x100;

    /// Returns whether the type and the interface are defined.
    pub fn is_any(device_type: u32) -> bool {
        device_type & MASK <= FLOPPY
            && device_type & IF_MASK <= IF_NVME
            && device_type & !(MASK | IF_MASK | PASS) == 0
    }
}

/// Returns the [`device_type`] and the [`priority`] of a disk, derived from the name that the kernel gave it.
///
/// The kernel has no such classes, but the names of disks are ABI and depend on the driver. On Linux, tapes are
/// not block devices.
pub fn classify(name: &Name) -> (u32, u32) {
    use device_type::*;
    let named = |prefix: &str| {
        let rest = name.bytes().strip_prefix(prefix.as_bytes())?;
        rest.first().map(u8::is_ascii_digit)
    };
    let numbered = |prefix| named(prefix) == Some(true);
    let lettered = |prefix| named(prefix) == Some(false);
    if lettered("sd") {
        (DIRECT | IF_SCSI, priority::DISK)
    } else if numbered("sr") {
        (CDROM | IF_SCSI, priority::CD)
    } else if numbered("nvme") {
        (DIRECT | IF_NVME, priority::DISK)
    } else if numbered("md") || lettered("md_") {
        (STORARRAY | IF_OTHER, priority::ARRAY)
    } else if numbered("fd") {
        (FLOPPY | IF_OTHER, priority::FD)
    } else if numbered("pktcdvd") {
        (CDROM | IF_OTHER, priority::CD)
    } else {
        (DIRECT | IF_OTHER, priority::DISK)
    }
}

/// The identity of a disk, a partition, or an entry of another module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity {
    /// The kernel's name: `nvme0n1`, `nvme0n1p2`.
    pub name: Name,
    /// devstat's `device_name`: the name without `unit_number` at its end.
    pub device_name: Name,
    /// devstat's `unit_number`.
    pub unit_number: u32,
    /// The driver's name: `nvme`.
    pub driver: Name,
    /// devstat's device number: starts at 0, never reused.
    pub number: u32,
    /// The kernel's `dev_t`: 12 bits of major, 20 of minor. For an NFS file system, `st_dev` of its files. 0
    /// for all other entries that are not block devices.
    pub dev: u32,
    /// Whether it is a partition.
    pub is_partition: bool,
    /// The kernel's disk sequence number, never reused until the next boot. 0 if it is not a block device.
    pub diskseq: u64,
    /// The time at which counting began, ns, on the clock of the recorder: devstat's `creation_time`, kstat's
    /// `crtime`.
    pub crtime: u64,
    /// [`priority`]: the sort key of the list of devices.
    pub priority: u32,
    /// [`device_type`].
    pub device_type: u32,
    /// [`support_flags`] at the time when it was added.
    pub flags: u32,
    /// The logical block size in bytes at the time when the device was added; 0 if it has no block size.
    pub block_size: u32,
}

/// `enum iostat_kind`: what a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[expect(missing_docs, reason = "in the C header")]
pub enum DeviceKind {
    Disk = 0,
    Partition = 1,
    Nfs = 2,
    Tape = 3,
    Misc = 4,
}

impl Identity {
    /// Returns what it is.
    pub fn kind(&self) -> DeviceKind {
        if self.is_partition {
            DeviceKind::Partition
        } else if self.diskseq != 0 {
            // The sequence number of a disk is not 0. Hidden disks, such as the paths of nvme, have no `dev_t`.
            DeviceKind::Disk
        } else if self.dev != 0 {
            // It has the `dev_t` of a file system.
            DeviceKind::Nfs
        } else if self.device_type & device_type::MASK == device_type::SEQUENTIAL {
            DeviceKind::Tape
        } else {
            DeviceKind::Misc
        }
    }

    /// Returns kstat's `ks_class`.
    pub fn class(&self) -> &'static str {
        match self.kind() {
            DeviceKind::Disk => "disk",
            DeviceKind::Partition => "partition",
            DeviceKind::Nfs => "nfs",
            DeviceKind::Tape => "tape",
            DeviceKind::Misc => "misc",
        }
    }
}

/// `MINORBITS`.
const MINOR_BITS: u32 = 20;

/// Returns the major and minor number of a kernel's `dev_t`.
pub fn major_minor(dev: u32) -> (u32, u32) {
    (dev >> MINOR_BITS, dev & !(u32::MAX << MINOR_BITS))
}

/// Returns the escaped name of a disk or partition as a C array of `N` bytes, or `MAJOR:MINOR` if the name is
/// too long.
pub fn statname<const N: usize>(name: &Name, dev: u32) -> [u8; N] {
    array(name).unwrap_or_else(|| numbers(dev))
}

/// Returns `MAJOR:MINOR` as a C array of `N` bytes; only NULs, if that is too long. Without `core::fmt`, which has code that
/// panics: a probe calls this.
pub fn numbers<const N: usize>(dev: u32) -> [u8; N] {
    let (major, minor) = major_minor(dev);
    let (major, minor) = (u64::from(major), u64::from(minor));
    let mut array = [0; N];
    let colon = decimal::len(major);
    let end = colon.wrapping_add(1).wrapping_add(decimal::len(minor));
    // The last byte stays a NUL.
    let text = array.get_mut(..end).filter(|_| end < N);
    if let Some((before, [at, after @ ..])) = text.and_then(|text| text.split_at_mut_checked(colon))
    {
        decimal::fill(before, major);
        *at = b':';
        decimal::fill(after, minor);
    }
    array
}

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_identity))]
mod tests {
    use super::*;

    #[test]
    fn only_defined_types_are_valid() {
        for there_is in [0, 0x1, 0xe, 0x3c, 0x40, 0x14e] {
            assert!(device_type::is_any(there_is));
        }
        for there_is_none in [0xf, 0x50, 0xf0, 0x200, u32::MAX] {
            assert!(!device_type::is_any(there_is_none));
        }
    }

    #[test]
    fn names_that_do_not_fit_become_numbers() {
        let name = |name: &[u8]| statname::<16>(&Name::new(name), 259 << MINOR_BITS | 7);
        assert_eq!(name(b"fifteen-bytes-p"), *b"fifteen-bytes-p\0");
        assert_eq!(name(b"sixteen-bytes-p1"), *b"259:7\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(name(b"a\n\n\n"), *b"a\\012\\012\\012\0\0\0");
        assert_eq!(name(b"\n\n\n\n"), numbers(259 << MINOR_BITS | 7));
        assert_eq!(numbers::<4>(1 << MINOR_BITS), *b"1:0\0");
        assert_eq!(numbers::<3>(1 << MINOR_BITS), [0; 3]);
        assert_eq!(numbers::<13>(u32::MAX), *b"4095:1048575\0");
    }

    #[test]
    fn a_tape_is_one_by_its_type_alone() {
        let mut entry = Identity {
            device_type: device_type::SEQUENTIAL | device_type::IF_SCSI | device_type::PASS,
            ..Identity::default()
        };
        assert_eq!(entry.class(), "tape");
        entry.device_type = device_type::IF_SCSI;
        assert_eq!(entry.class(), "misc");
    }

    #[test]
    fn the_type_follows_from_the_name() {
        let table = [
            ("sda", (0x010, 0x110)),
            ("sdaa", (0x010, 0x110)),
            ("sr0", (0x015, 0x090)),
            ("nvme0n1", (0x040, 0x110)),
            ("md127", (0x03c, 0x120)),
            ("md_root", (0x03c, 0x120)),
            ("fd0", (0x03e, 0x040)),
            ("pktcdvd0", (0x035, 0x090)),
            ("vda", (0x030, 0x110)),
            ("loop0", (0x030, 0x110)),
            ("dm-0", (0x030, 0x110)),
            ("sd", (0x030, 0x110)),
            ("mdev0", (0x030, 0x110)),
            ("", (0x030, 0x110)),
        ];
        for (name, expected) in table {
            assert_eq!(classify(&Name::new(name.as_bytes())), expected);
        }
    }
}
