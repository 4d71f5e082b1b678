// SPDX-License-Identifier: GPL-2.0

//! devstat(9)'s counters: those that grow with every transaction.

use super::{
    class::{
        Class,
        Kind,
        Tag,
        CLASSES,
        KINDS, //
    },
    counter::{
        add,
        fold,
        Counter,
        Load, //
    },
    counts::Counts, //
};
use crate::below::Bit;

/// Transactions of one disk, as seen by one CPU (`W` = [`Counter`]) or added up (`W` = `u64`).
///
/// Sums that a reader can compute have no counter: the transactions ended are those completed, of
/// any kind, merged, refused, and abandoned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Devstat<W = Counter> {
    /// Transactions started.
    pub start_count: W,
    /// The other counters that are one number each.
    pub counts: Counts<W>,
    /// Bytes transferred without error, by class.
    pub bytes: [W; CLASSES],
    /// Time from start to end of the completed ones, by class, ns.
    pub duration: [W; CLASSES],
    /// The part of `duration` at the device, by class, ns.
    pub service: [W; CLASSES],
    /// Transactions completed, with or without error, by [`Kind`].
    pub completed: [W; KINDS],
}

impl Devstat<Counter> {
    /// Adds what was counted elsewhere.
    pub(super) fn add(&self, other: &Devstat<u64>) {
        self.start_count.add(other.start_count);
        for (count, more) in self.counts.each().zip(other.counts.each()) {
            count.add(*more);
        }
        add(&self.bytes, &other.bytes);
        add(&self.duration, &other.duration);
        add(&self.service, &other.service);
        add(&self.completed, &other.completed);
    }

    /// `devstat_start_transaction()`.
    #[inline(always)]
    pub fn start_transaction(&self) {
        self.start_count.add(1);
    }

    /// `devstat_end_transaction()` of a transaction that took `duration_ns`, of which it was at the device for
    /// `service_ns`.
    #[inline(always)]
    pub fn end_transaction(&self, kind: Kind, bytes: u64, duration_ns: u64, service_ns: u64) {
        if let Some(word) = self.bytes.get(kind.class()) {
            word.add(bytes);
        }
        if let Some(word) = self.duration.get(kind.class()) {
            word.add(duration_ns);
        }
        if let Some(word) = self.service.get(kind.class()) {
            word.add(service_ns);
        }
        if let Some(word) = self.completed.get(usize::from(kind.number())) {
            word.add(1);
        }
    }

    /// `devstat_end_transaction()` of a read or write with [`Tag::Simple`], as far as its bytes go.
    #[inline(always)]
    pub(super) fn end_bytes(&self, is_write: Bit, bytes: u64) {
        let [_, read_write @ .., _] = &self.bytes;
        is_write.half(read_write).add(bytes);
    }

    /// The rest of that `devstat_end_transaction()`: all but the bytes.
    #[inline(always)]
    pub(super) fn end_but_bytes(&self, is_write: Bit, duration_ns: u64, service_ns: u64) {
        let [_, read_write @ .., _] = &self.duration;
        is_write.half(read_write).add(duration_ns);
        let [_, read_write @ .., _] = &self.service;
        is_write.half(read_write).add(service_ns);
        // The first row, by class, is that of `Tag::Simple`.
        if let Some(([_, read_write @ .., _], _)) = self.completed.split_first_chunk::<CLASSES>() {
            const { assert!(Tag::Simple as usize == 0) };
            is_write.half(read_write).add(1);
        }
    }

    /// The end of a transaction that another one took over.
    #[inline(always)]
    pub fn merge_transaction(&self) {
        self.counts.merged.add(1);
    }

    /// The end of a transaction that is submitted again as another.
    #[inline(always)]
    pub fn refuse_transaction(&self) {
        self.counts.refused.add(1);
    }

    /// The end of a transaction that ended without an event.
    #[inline(always)]
    pub fn abandon_transaction(&self) {
        self.counts.abandoned.add(1);
    }
}

impl Load for Devstat<Counter> {
    type Plain = Devstat<u64>;

    fn load(&self) -> Devstat<u64> {
        Devstat {
            start_count: self.start_count.load(),
            counts: self.counts.map(Counter::load),
            bytes: self.bytes.load(),
            duration: self.duration.load(),
            service: self.service.load(),
            completed: self.completed.load(),
        }
    }
}

impl Devstat<u64> {
    /// Adds another CPU's share.
    pub fn fold(&mut self, other: &Self) {
        self.start_count = self.start_count.wrapping_add(other.start_count);
        for (count, more) in self.counts.each_mut().zip(other.counts.each()) {
            *count = count.wrapping_add(*more);
        }
        fold(&mut self.bytes, &other.bytes);
        fold(&mut self.duration, &other.duration);
        fold(&mut self.service, &other.service);
        fold(&mut self.completed, &other.completed);
    }

    /// Transactions completed, of the kinds that `which` picks.
    fn completed(&self, which: impl Fn(Kind) -> bool) -> u64 {
        let kinds = (0..).map(Kind::from_number).zip(&self.completed);
        kinds
            .filter(|(kind, _)| which(*kind))
            .fold(0, |sum, (_, count)| sum.wrapping_add(*count))
    }

    /// Transactions completed, of one class: `operations[]`.
    pub fn operations(&self, class: Class) -> u64 {
        self.completed(|kind| kind.class() == class as usize)
    }

    /// Transactions completed, of one tag type: `tag_types[]`.
    pub fn tag_types(&self, tag: Tag) -> u64 {
        self.completed(|kind| kind.tag() == tag as usize)
    }

    /// Transactions ended, one way or the other.
    pub fn end_count(&self) -> u64 {
        self.completed(|_| true)
            .wrapping_add(self.counts.merged)
            .wrapping_add(self.counts.refused)
            .wrapping_add(self.counts.abandoned)
    }
}
