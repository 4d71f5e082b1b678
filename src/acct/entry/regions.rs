// SPDX-License-Identifier: GPL-2.0

//! The state of an entry that regions use.

use super::{
    Entry,
    IN_REGIONS, //
};
use crate::acct::region::Io;

impl Entry {
    /// Whether regions count the I/O.
    #[inline(always)]
    pub fn is_in_regions(&self) -> bool {
        self.state.get() & IN_REGIONS != 0
    }

    /// Regions count the I/O from now on. `sector` is on the whole disk; `sectors` has no meaning
    /// without data.
    #[inline(always)]
    pub fn start_in_regions(&self, sector: u64, sectors: u32, now: u64) {
        self.pending.start(sector, sectors, now);
        self.state.set(self.state.get() | IN_REGIONS);
    }

    /// Regions have recorded the end of the I/O, which is still in flight.
    pub fn end_in_regions(&self) {
        self.state.set(self.state.get() & !IN_REGIONS);
    }

    /// The I/O as regions recorded its start, for an account whose first sector is `first` on the
    /// whole disk.
    pub fn io(&self, first: u64) -> Io {
        let kind = self.kind();
        Io {
            sector: self.pending.sector().wrapping_sub(first),
            // CAST: It was set from 32 bits.
            sectors: if kind.has_data() {
                self.pending.sectors() as u32
            } else {
                0
            },
            class: kind.class_of(),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{
        super::Start,
        *, //
    };
    use crate::acct::class::{
        Class,
        Kind,
        Tag, //
    };

    #[test]
    fn an_io_that_leaves_its_regions_stays_in_flight() {
        let entry = Entry::default();
        let start = Start {
            account: 1,
            hctx: 7,
            class: Class::Write,
            tag: Tag::Ordered,
            sector: 2048,
            pid: 31,
        };
        entry.start_waiting(&start, 0);
        entry.issue(10);
        entry.start_in_regions(2048, 8, 10);
        assert!(entry.is_in_regions());
        entry.end_in_regions();
        assert!(!entry.is_in_regions() && entry.is_plain());
        let kind = Kind::new(Class::Write, Tag::Ordered);
        assert_eq!((entry.kind(), entry.hctx()), (kind, 7));
    }
}
