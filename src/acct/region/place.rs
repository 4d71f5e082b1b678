// SPDX-License-Identifier: GPL-2.0

//! One area, for I/Os that are in no other.

use super::{
    area::Area,
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
    class::Kind,
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

#[inline(always)]
const fn direction<const WRITE: bool>() -> Direction {
    if WRITE {
        Direction::Write
    } else {
        Direction::Read
    }
}

impl AreaRef<'_> {
    /// An I/O starts at `now`.
    #[inline(always)]
    pub fn start(&self, kind: Kind, now: u64) {
        enter(self.area, self.in_flight, Direction::of(kind.class()), now);
    }

    /// A write, or else a read, starts at `now`.
    #[inline(always)]
    pub fn start_data<const WRITE: bool>(&self, now: u64) {
        enter(self.area, self.in_flight, direction::<WRITE>(), now);
    }

    /// A write, or else a read, of so many sectors ends at `now`.
    #[inline(always)]
    pub fn end_data<const WRITE: bool>(&self, sectors: u64, ended: &Ended, now: u64) {
        let words = self.area.write();
        words.left_ns.add(now);
        let [read, write, ..] = &words.done;
        if WRITE { write } else { read }.count(sectors, ended);
        self.in_flight.leave(direction::<WRITE>(), now);
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
