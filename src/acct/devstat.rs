// SPDX-License-Identifier: GPL-2.0

//! The counters of `struct devstat` (FreeBSD `sys/devicestat.h`) that grow with every transaction.

use super::{
    class::{
        Class,
        Tag,
        CLASSES,
        TAGS, //
    },
    counter::{
        fold,
        Counter,
        Load, //
    },
};

/// Transactions of one disk, as seen by one CPU (`W` = [`Counter`]) or added up (`W` = `u64`).
///
/// At any instant `start_count - end_count` transactions are in flight, and
/// `end_count = operations[0] + .. + operations[3] + merged`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Devstat<W = Counter> {
    /// Transactions started.
    pub start_count: W,
    /// Transactions ended, one way or the other.
    pub end_count: W,
    /// Transactions that ended by being merged into another request: they have no completion,
    /// and their bytes are counted with the request that took them.
    pub merged: W,
    /// Bytes transferred without error, by class.
    pub bytes: [W; CLASSES],
    /// Transactions completed, with or without error, by class.
    pub operations: [W; CLASSES],
    /// Time from start to end of the completed ones, by class, ns.
    pub duration: [W; CLASSES],
    /// Transactions completed, by tag type.
    pub tag_types: [W; TAGS],
}

/// `array[index]` where `index` is known to be in range: the enums below count their arrays.
#[inline(always)]
fn at<const N: usize>(array: &[Counter; N], index: usize) -> Option<&Counter> {
    array.get(index)
}

impl Devstat<Counter> {
    /// `devstat_start_transaction()`.
    #[inline(always)]
    pub fn start_transaction(&self) {
        self.start_count.add(1);
    }

    /// `devstat_end_transaction()` of a transaction that took `duration_ns`.
    #[inline(always)]
    pub fn end_transaction(&self, class: Class, tag: Tag, bytes: u64, duration_ns: u64) {
        let class = class as usize;
        if let Some(word) = at(&self.bytes, class) {
            word.add(bytes);
        }
        if let Some(word) = at(&self.operations, class) {
            word.add(1);
        }
        if let Some(word) = at(&self.duration, class) {
            word.add(duration_ns);
        }
        if let Some(word) = at(&self.tag_types, tag as usize) {
            word.add(1);
        }
        self.end_count.add(1);
    }

    /// The end of a transaction that another one took over.
    #[inline(always)]
    pub fn merge_transaction(&self) {
        self.merged.add(1);
        self.end_count.add(1);
    }
}

impl Load for Devstat<Counter> {
    type Plain = Devstat<u64>;

    fn load(&self) -> Devstat<u64> {
        Devstat {
            start_count: self.start_count.load(),
            end_count: self.end_count.load(),
            merged: self.merged.load(),
            bytes: self.bytes.load(),
            operations: self.operations.load(),
            duration: self.duration.load(),
            tag_types: self.tag_types.load(),
        }
    }
}

impl Devstat<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        self.start_count = self.start_count.wrapping_add(other.start_count);
        self.end_count = self.end_count.wrapping_add(other.end_count);
        self.merged = self.merged.wrapping_add(other.merged);
        fold(&mut self.bytes, &other.bytes);
        fold(&mut self.operations, &other.operations);
        fold(&mut self.duration, &other.duration);
        fold(&mut self.tag_types, &other.tag_types);
    }
}
