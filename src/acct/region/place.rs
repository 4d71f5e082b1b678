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
    pending::Under,
    Ended, //
};
use crate::acct::{
    class::Kind,
    entry::Entry, //
};

/// An area as the CPU that counts has it. What is done with it is what a [`super::Region`] does with an I/O
/// that is in this area alone, if the region has no additional output and no histogram.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// This CPU's.
    pub area: &'a Area,
    /// For all CPUs.
    pub in_flight: &'a InFlight,
}

impl Place<'_> {
    /// An I/O starts at `now`.
    #[inline(always)]
    pub fn start(&self, kind: Kind, now: u64) {
        enter(self.area, self.in_flight, Direction::of(kind.class()), now);
    }

    /// It ends at `now`, having started under `under`.
    #[inline(always)]
    pub fn end(&self, entry: &Entry, under: Under, now: u64) {
        let (class, pending) = (entry.kind().class(), &entry.pending);
        end(self.area, self.in_flight, class, now, |done| {
            let ended = Ended {
                duration_ns: now.wrapping_sub(pending.start_ns()),
                merged: under.merged(),
            };
            done.count(pending.sectors(), &ended);
        });
    }
}
