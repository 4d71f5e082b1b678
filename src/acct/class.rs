// SPDX-License-Identifier: GPL-2.0

//! What kind of transaction an I/O is, in devstat(9)'s terms.

/// `devstat_trans_flags`: the index of `bytes`, `operations` and `duration`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// `DEVSTAT_NO_DATA`: flushes, zone management, passthrough.
    NoData = 0,
    /// `DEVSTAT_READ`.
    Read = 1,
    /// `DEVSTAT_WRITE`: writes, zone appends, write-zeroes.
    Write = 2,
    /// `DEVSTAT_FREE`: discards and secure erases.
    Free = 3,
}

/// `DEVSTAT_N_TRANS_FLAGS`.
pub const CLASSES: usize = 4;

/// `REQ_OP_*` of `include/linux/blk_types.h`, as far as they have a class of their own. The
/// recorder asserts at compile time that they are the kernel's.
pub mod op {
    /// Read sectors from the device.
    pub const READ: u8 = 0;
    /// Write sectors to the device.
    pub const WRITE: u8 = 1;
    /// Flush the volatile write cache.
    pub const FLUSH: u8 = 2;
    /// Discard sectors.
    pub const DISCARD: u8 = 3;
    /// Securely erase sectors.
    pub const SECURE_ERASE: u8 = 5;
    /// Write data at the zone's write pointer.
    pub const ZONE_APPEND: u8 = 7;
    /// Write zeroes without a data transfer.
    pub const WRITE_ZEROES: u8 = 9;
}

impl Class {
    /// All classes in the order of their numbers.
    pub const ALL: [Class; CLASSES] = [Class::NoData, Class::Read, Class::Write, Class::Free];

    /// The class of an I/O with operation `op` (`REQ_OP_*`) over `bytes` bytes.
    ///
    /// A flush on Linux arrives as an empty write with `REQ_PREFLUSH`: it moves no data and is
    /// counted as such, as FreeBSD counts `BIO_FLUSH`.
    #[inline]
    pub const fn of(op: u8, bytes: u32) -> Class {
        match op {
            op::READ => Class::Read,
            op::WRITE if bytes == 0 => Class::NoData,
            op::WRITE | op::ZONE_APPEND | op::WRITE_ZEROES => Class::Write,
            op::DISCARD | op::SECURE_ERASE => Class::Free,
            _ => Class::NoData,
        }
    }

    /// The class whose number is the low two bits of `number`.
    #[inline]
    pub const fn from_number(number: u8) -> Class {
        match number & 3 {
            0 => Class::NoData,
            1 => Class::Read,
            2 => Class::Write,
            _ => Class::Free,
        }
    }

    /// The word used in file names and text.
    pub const fn name(self) -> &'static str {
        match self {
            Class::NoData => "none",
            Class::Read => "read",
            Class::Write => "write",
            Class::Free => "free",
        }
    }
}

/// `devstat_tag_type`, as far as it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    /// `DEVSTAT_TAG_SIMPLE`: no ordering asked for.
    Simple = 0,
    /// `DEVSTAT_TAG_HEAD`: to be served before what is queued. The block layer does not say so
    /// of a request, so it stays zero; the index is devstat's.
    Head = 1,
    /// `DEVSTAT_TAG_ORDERED`: a flush or forced unit access comes with it.
    Ordered = 2,
}

/// Tag types that are counted.
pub const TAGS: usize = 3;

#[cfg(any(test, CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_class))]
mod tests {
    use super::*;

    #[test]
    fn operations_have_devstat_classes() {
        let table = [
            (op::READ, 4096, Class::Read),
            (op::WRITE, 4096, Class::Write),
            (op::WRITE, 0, Class::NoData),
            (op::FLUSH, 0, Class::NoData),
            (op::DISCARD, 4096, Class::Free),
            (op::SECURE_ERASE, 4096, Class::Free),
            (op::ZONE_APPEND, 4096, Class::Write),
            (op::WRITE_ZEROES, 4096, Class::Write),
            (17, 0, Class::NoData),
            (34, 512, Class::NoData),
        ];
        for (op, bytes, class) in table {
            assert!(Class::of(op, bytes) == class);
        }
    }

    #[test]
    fn numbers_round_trip() {
        for class in Class::ALL {
            assert!(Class::from_number(class as u8) == class);
        }
    }
}
