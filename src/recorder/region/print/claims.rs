// SPDX-License-Identifier: GPL-2.0

//! The values that `@stats_print_clear` has cleared and the reader has not read yet.
//!
//! Writing a line to the buffer clears its values, so that no other print has the same counts. If the buffer is
//! dropped before the line was read to its end, these values are counted again: a reader that stops loses nothing.

use super::super::{
    baseline::Baseline,
    Region, //
};
use crate::acct::region::columns::{
    Classes,
    Columns,
    Totals, //
};
use core::ops::Range;
use kernel::{
    alloc::flags::GFP_KERNEL_ACCOUNT,
    prelude::*, //
};

/// The values that a line, or a part of it, has cleared.
struct LineClaim {
    /// The sector at which its area begins; [`None`] for the line of the region as a whole.
    sector: Option<u64>,
    /// The offset of its end in the buffer.
    end: usize,
    is_read: bool,
    columns: Columns,
    classes: Classes,
    /// The index of the first of its counts, and their number.
    first: usize,
    counts: usize,
    /// [`Baseline::clears`] at that time: if the whole region was cleared since, the values are not counted
    /// again.
    clears: u32,
}

/// The maximum number of lines written at a time.
const LINES: usize = 16;

/// The values that the lines of the buffer have cleared.
#[derive(Default)]
pub(super) struct Claims {
    claims: KVec<LineClaim>,
    /// The counts of all lines: no more than there is text in the buffer.
    counts: KVec<u64>,
    /// How many of the counts belong to a claim.
    claimed: usize,
}

impl Claims {
    /// Makes room for one more line with so many counts. No more counts are written than a buffer has room
    /// for. May sleep. False if there are [`LINES`] lines already; `ENOMEM`.
    pub(super) fn reserve(&mut self, buckets: usize) -> Result<bool> {
        if self.claims.len() >= LINES {
            return Ok(false);
        }
        let counts = buckets.min(crate::abi::pager::BUFFER / 2);
        self.claims.reserve(1, GFP_KERNEL_ACCOUNT)?;
        self.counts.reserve(counts, GFP_KERNEL_ACCOUNT)?;
        Ok(true)
    }

    /// Adds a count that was written. There is room for it: see [`Claims::reserve`].
    pub(super) fn count(&mut self, count: u64) {
        let _ = self.counts.push_within_capacity(count);
    }

    /// Drops the counts that were added last.
    pub(super) fn forget_counts(&mut self) {
        self.counts.truncate(self.claimed);
    }

    /// Clears these parts of the line of an area, and the counts since the last line.
    pub(super) fn area(
        &mut self,
        region: &Region,
        baseline: &mut Baseline,
        (area, sector): (usize, u64),
        shown: &Totals,
        parts: Range<usize>,
        end: usize,
    ) {
        let buckets = region.plan.buckets();
        let mut claim = LineClaim {
            sector: Some(sector),
            end,
            is_read: false,
            columns: Columns::default(),
            classes: Classes::default(),
            first: parts.start.saturating_sub(1),
            counts: self.counts.len().saturating_sub(self.claimed),
            clears: baseline.clears,
        };
        if parts.start == 0 {
            claim.columns = shown.columns;
        }
        if parts.end > buckets.saturating_add(1) {
            claim.classes = shown.classes;
        }
        let counts = self.counts.get(self.claimed..).unwrap_or(&[]);
        baseline.take(region, Some(area), &claim, counts);
        self.claimed = self.counts.len();
        let _ = self.claims.push_within_capacity(claim);
    }

    /// Clears the line of the region as a whole.
    pub(super) fn total(
        &mut self,
        region: &Region,
        baseline: &mut Baseline,
        shown: &Totals,
        end: usize,
    ) {
        let claim = LineClaim {
            sector: None,
            end,
            is_read: false,
            columns: shown.columns,
            classes: shown.classes,
            first: 0,
            counts: 0,
            clears: baseline.clears,
        };
        baseline.take(region, None, &claim, &[]);
        let _ = self.claims.push_within_capacity(claim);
    }

    /// The reader has taken these bytes of the buffer.
    pub(super) fn was_read(&mut self, bytes: &Range<usize>) {
        for claim in self.claims.iter_mut() {
            claim.is_read |= bytes.start < claim.end && claim.end <= bytes.end;
        }
    }

    /// Whether there are lines that have not been read to their end.
    pub(super) fn has_unread(&self) -> bool {
        self.claims.iter().any(|claim| !claim.is_read)
    }

    /// Drops all claims: nothing is counted again.
    pub(super) fn clear(&mut self) {
        self.claims.clear();
        self.counts.clear();
        self.claimed = 0;
    }

    /// Takes back the clearing of values that were not read, in areas that still exist. False if the region was
    /// replaced by a resized one. May sleep.
    pub(super) fn restore(&self, region: &Region) -> bool {
        let mut baseline = region.lock();
        if baseline.is_replaced {
            return false;
        }
        let geometry = &region.plan.geometry;
        let mut counts = self.counts.as_slice();
        for claim in &self.claims {
            let (own, rest) = counts.split_at_checked(claim.counts).unwrap_or((&[], &[]));
            counts = rest;
            if claim.is_read || claim.clears != baseline.clears {
                continue;
            }
            let Some(sector) = claim.sector else {
                baseline.restore(region, None, claim, own);
                continue;
            };
            let area = geometry.first_from(sector);
            if area < geometry.areas() && geometry.area(area).0 == sector {
                baseline.restore(region, Some(area), claim, own);
            }
        }
        true
    }
}

impl Baseline {
    /// Returns the columns that were cleared in an area, or in the region as a whole.
    fn cleared(&mut self, area: Option<usize>) -> (Option<&mut Columns>, Option<&mut Classes>) {
        match area {
            Some(area) => (self.columns.get_mut(area), self.classes.get_mut(area)),
            None => (Some(&mut self.total.0), Some(&mut self.total.1)),
        }
    }

    fn cleared_counts(
        &mut self,
        region: &Region,
        area: Option<usize>,
        claim: &LineClaim,
    ) -> impl Iterator<Item = &mut u64> {
        let first = area.unwrap_or(0).saturating_mul(region.plan.buckets());
        let first = first.saturating_add(claim.first);
        self.counts.iter_mut().skip(first)
    }

    fn take(&mut self, region: &Region, area: Option<usize>, claim: &LineClaim, counts: &[u64]) {
        let (columns, classes) = self.cleared(area);
        if let Some(columns) = columns {
            columns.clear_printed(&claim.columns, region.plan.unit);
        }
        if let Some(classes) = classes {
            classes.fold(&claim.classes);
        }
        let cleared = self.cleared_counts(region, area, claim);
        for (cleared, printed) in cleared.zip(counts) {
            *cleared = cleared.wrapping_add(*printed);
        }
    }

    fn restore(&mut self, region: &Region, area: Option<usize>, claim: &LineClaim, counts: &[u64]) {
        let (columns, classes) = self.cleared(area);
        if let Some(columns) = columns {
            columns.restore(&claim.columns, region.plan.unit);
        }
        if let Some(classes) = classes {
            *classes = classes.since(&claim.classes);
        }
        let cleared = self.cleared_counts(region, area, claim);
        for (cleared, printed) in cleared.zip(counts) {
            *cleared = cleared.wrapping_sub(*printed);
        }
    }
}
