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

/// An area as one CPU counts in it. The functions do what a [`super::CpuRegion`] does with an I/O that is in
/// this area only, if the region has neither the option `classes` nor a histogram.
#[derive(Clone, Copy, Debug)]
pub struct AreaRef<'a> {
    /// This CPU's share.
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

    /// The I/O of an entry, which started under `list_tag`, ends at `now`.
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{
        super::{
            area::Completed,
            columns::collect, //
        },
        *,
    };
    use crate::acct::{
        class::{
            Class,
            Tag, //
        },
        entry::Start,
    };

    #[test]
    fn an_io_is_counted_as_its_entry_has_it() {
        let (area, in_flight) = (Area::default(), InFlight::default());
        let place = AreaRef {
            area: &area,
            in_flight: &in_flight,
        };
        let totals = || collect(&in_flight, || [&area].into_iter(), || 5000);
        let entry = Entry::default();
        let start = Start {
            account: 1,
            hctx: 0,
            class: Class::Free,
            tag: Tag::Simple,
            sector: 2048,
            pid: 31,
        };
        entry.start_waiting(&start, 900);
        entry.start_in_regions(2048, 8, 1000);
        place.start(entry.kind(), 1000);
        assert_eq!(totals().in_flight, 1);
        place.end(&entry, ListTag::list(7).merged_or_not(true), 1040);
        let (totals, free) = (
            totals(),
            Completed {
                ios: 1,
                sectors: 8,
                ticks_ns: 40,
                merges: 1,
            },
        );
        assert_eq!((totals.in_flight, totals.classes.free), (0, free));
        let columns = totals.columns;
        assert_eq!(
            (columns.io_ticks_write_ns, columns.time_in_queue_ns),
            (40, 40)
        );
    }
}
