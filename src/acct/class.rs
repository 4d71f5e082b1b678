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

/// `REQ_OP_*` of `include/linux/blk_types.h`, those that are counted differently.
/// `src/glue/numbers.rs` asserts at compile time that they have the kernel's values.
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
    /// Open a zone.
    pub const ZONE_OPEN: u8 = 11;
    /// Close a zone.
    pub const ZONE_CLOSE: u8 = 13;
    /// Make a zone full.
    pub const ZONE_FINISH: u8 = 15;
    /// Reset a zone's write pointer.
    pub const ZONE_RESET: u8 = 17;
    /// Reset the write pointers of all zones.
    pub const ZONE_RESET_ALL: u8 = 19;
    /// A driver's own command that reads.
    pub const DRV_IN: u8 = 34;
    /// A driver's own command that writes, or moves nothing.
    pub const DRV_OUT: u8 = 35;
}

/// The class of each operation when it moves data: a load instead of a chain of comparisons.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static OF_OP: [Class; 256] = {
    let mut table = [Class::NoData; 256];
    table[op::READ as usize] = Class::Read;
    table[op::WRITE as usize] = Class::Write;
    table[op::ZONE_APPEND as usize] = Class::Write;
    table[op::WRITE_ZEROES as usize] = Class::Write;
    table[op::DISCARD as usize] = Class::Free;
    table[op::SECURE_ERASE as usize] = Class::Free;
    table
};

impl Class {
    /// All classes in the order of their numbers.
    pub const ALL: [Class; CLASSES] = [Class::NoData, Class::Read, Class::Write, Class::Free];

    /// The class of an I/O with operation `op` (`REQ_OP_*`) over `bytes` bytes.
    ///
    /// A flush on Linux arrives as an empty write with `REQ_PREFLUSH`: it moves no data and is
    /// counted as such, as FreeBSD counts `BIO_FLUSH`.
    #[inline(always)]
    pub fn of(op: u8, bytes: u32) -> Class {
        if bytes == 0 {
            return Class::NoData;
        }
        OF_OP.get(usize::from(op)).copied().unwrap_or(Class::NoData)
    }

    /// The class with this number.
    pub fn from_number(number: u32) -> Option<Class> {
        let number = usize::try_from(number).ok()?;
        Class::ALL.get(number).copied()
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

/// `devstat_tag_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    /// `DEVSTAT_TAG_SIMPLE`: no ordering asked for.
    Simple = 0,
    /// `DEVSTAT_TAG_HEAD`: to be served before queued requests. The block layer does not report
    /// this of a request, so the count stays 0; devstat has this index.
    Head = 1,
    /// `DEVSTAT_TAG_ORDERED`: a flush or forced unit access comes with it.
    Ordered = 2,
    /// `DEVSTAT_TAG_NONE`: the device has no tags. In no count of tag types.
    None = 3,
}

/// Tag types that are counted.
pub const TAGS: usize = 3;

impl Tag {
    /// The tag type with this number.
    pub fn from_number(number: u32) -> Option<Tag> {
        match number {
            0 => Some(Tag::Simple),
            1 => Some(Tag::Head),
            2 => Some(Tag::Ordered),
            3 => Some(Tag::None),
            _ => None,
        }
    }
}

/// A class and a tag type in one number, as transactions are counted: one counter for each pair. The counters of reads and
/// writes with one tag type are next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(u8);

/// Number of kinds. Some of them never occur.
pub const KINDS: usize = CLASSES * TAG_TYPES;

/// Tag types, [`Tag::None`] included.
const TAG_TYPES: usize = 4;

const TAG_SHIFT: u32 = 2;
const KIND_MASK: u8 = 0xf;

impl Kind {
    /// The bits of its number that are its class.
    pub(super) const CLASS: u32 = (1 << TAG_SHIFT) - 1;

    /// The kind of this class and tag type.
    #[inline(always)]
    pub const fn new(class: Class, tag: Tag) -> Kind {
        Kind((tag as u8) << TAG_SHIFT | class as u8)
    }

    /// Its number, below [`KINDS`].
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The kind whose number is the low four bits of `number`.
    #[inline(always)]
    pub const fn from_number(number: u8) -> Kind {
        Kind(number & KIND_MASK)
    }

    /// The number of its class.
    #[inline(always)]
    pub const fn class(self) -> usize {
        // The mask lets the compiler know the range.
        self.0 as usize & (CLASSES - 1)
    }

    /// Whether its class is one of those that have data.
    #[inline(always)]
    pub const fn has_data(self) -> bool {
        self.class() != Class::NoData as usize
    }

    /// Its class.
    #[inline(always)]
    pub const fn class_of(self) -> Class {
        match self.class() {
            1 => Class::Read,
            2 => Class::Write,
            3 => Class::Free,
            _ => Class::NoData,
        }
    }

    /// The number of its tag type.
    #[inline(always)]
    pub const fn tag(self) -> usize {
        (self.0 >> TAG_SHIFT) as usize & (TAG_TYPES - 1)
    }
}

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
            (op::READ, 0, Class::NoData),
            (17, 4096, Class::NoData),
            (34, 512, Class::NoData),
        ];
        for (op, bytes, class) in table {
            assert!(Class::of(op, bytes) == class);
        }
    }

    #[test]
    fn kinds_are_their_class_and_tag() {
        for (number, class) in Class::ALL.into_iter().enumerate() {
            for tag in [Tag::Simple, Tag::Head, Tag::Ordered, Tag::None] {
                assert_eq!(Tag::from_number(tag as u32), Some(tag));
                let kind = Kind::new(class, tag);
                assert_eq!((kind.class(), kind.tag()), (number, tag as usize));
                assert_eq!(Kind::from_number(kind.number()), kind);
                assert_eq!(kind.class_of(), class);
                assert_eq!(kind.has_data(), class != Class::NoData);
                assert_eq!(usize::from(kind.number()), number + 4 * tag as usize);
            }
            assert_eq!(Class::from_number(number as u32), Some(class));
        }
        assert_eq!((Class::from_number(4), Tag::from_number(4)), (None, None));
    }
}
