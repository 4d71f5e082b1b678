// SPDX-License-Identifier: GPL-2.0

//! One area, for I/Os that are in no other.

use super::{
    area::{
        Area,
        Completed, //
    },
    end,
    enter,
    flight::{
        Direction,
        InFlight, //
    },
    pending::ListTag,
    Ended, //
};
use crate::acct::{
    class::{
        Class,
        Kind, //
    },
    entry::Entry, //
};

/// An area as the CPU that counts has it. What is done with it is what a [`super::CpuRegion`] does with an I/O
/// that is in this area alone, if the region has no additional output and no histogram.
#[derive(Clone, Copy, Debug)]
pub struct AreaRef<'a> {
    /// This CPU's.
    pub area: &'a Area,
    /// For all CPUs.
    pub in_flight: &'a InFlight,
}

impl AreaRef<'_> {
    /// An I/O starts at `now`.
    #[inline(always)]
    pub fn start(&self, kind: Kind, now: u64) {
        enter(self.area, self.in_flight, Direction::of(kind.class()), now);
    }

    /// A read or write starts at `now`.
    #[inline(always)]
    pub fn start_data(&self, is_write: bool, now: u64) {
        let direction = if is_write {
            Direction::Write
        } else {
            Direction::Read
        };
        enter(self.area, self.in_flight, direction, now);
    }

    /// A read or write of so many sectors ends at `now`.
    #[inline(always)]
    pub fn end_data(&self, is_write: bool, sectors: u64, ended: &Ended, now: u64) {
        let count = |done: &Completed| done.count(sectors, ended);
        if is_write {
            end(self.area, self.in_flight, Class::Write as usize, now, count);
        } else {
            end(self.area, self.in_flight, Class::Read as usize, now, count);
        }
    }

    /// It ends at `now`, having started under `under`.
    #[inline(always)]
    pub fn end(&self, entry: &Entry, list_tag: ListTag, now: u64) {
        let (class, pending) = (entry.kind().class(), &entry.pending);
        end(self.area, self.in_flight, class, now, |done| {
            let ended = Ended {
                duration_ns: now.wrapping_sub(pending.start_ns()),
                merged: list_tag.merged(),
            };
            done.count(pending.sectors(), &ended);
        });
    }
}
