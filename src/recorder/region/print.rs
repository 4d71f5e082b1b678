// SPDX-License-Identifier: GPL-2.0

//! The replies to `@stats_print` and `@stats_print_clear`, made while they are read.
//!
//! An open file with such a reply holds neither the region nor its text: each read looks the region up and goes on
//! at the sector where the last one stopped. So an area that exists all the time is printed exactly once, also if
//! the region is resized in between.

mod claims;

use super::{
    super::{
        listener::Listener,
        position::Position,
        State, //
    },
    baseline::Baseline,
    set::RegionSet,
    Plan,
    Region, //
};
use crate::{
    abi::{
        message,
        pager::{
            Filled,
            Piece, //
        },
        region_text::{
            self,
            AreaLine,
            Printed, //
        }, //
    },
    acct::region::columns::Totals,
    kernel_ext::{
        error::stale,
        task, //
    }, //
};
use claims::Claims;
use core::ops::Range;
use kernel::prelude::*;

impl RegionSet {
    /// `@stats_print` and `@stats_print_clear`, of the disk or partition at this position of the list. May
    /// sleep. `ENOENT`.
    pub(in crate::recorder) fn print(
        &self,
        device: Position,
        what: &message::PrintAreas,
    ) -> Result<PrintReply> {
        let region = self.get(what.id)?;
        Ok(PrintReply::new(device, &region.plan, what))
    }
}

/// The next line to print.
#[derive(Clone, Copy)]
enum PrintCursor {
    /// The line of the first area that begins at this sector or after it, from this part on.
    Area(u64, usize),
    /// The line of the region as a whole.
    Total,
    End,
}

/// A reply to `@stats_print` or `@stats_print_clear`.
pub(crate) struct PrintReply {
    device: Position,
    id: u32,
    born: u32,
    /// Whether there is a line of the region as a whole.
    has_total: bool,
    /// The sector at which the first area begins, and the sector from which on nothing is printed.
    from: u64,
    until: u64,
    at: PrintCursor,
    /// For `@stats_print_clear`: the values that the lines have cleared.
    claims: Option<Claims>,
}

impl PrintReply {
    /// Creates a reply that prints the region with this plan.
    pub(super) fn new(device: Position, plan: &Plan, what: &message::PrintAreas) -> Self {
        let geometry = &plan.geometry;
        let areas = what.areas(geometry.areas());
        let sector = |area| match area == geometry.areas() {
            // Areas that a resize adds are printed only if the message names no areas.
            true if what.count == u64::MAX => u64::MAX,
            _ => {
                let sectors = geometry.step().saturating_mul(area as u64);
                geometry.start().saturating_add(sectors)
            }
        };
        let (from, until) = (sector(areas.start), sector(areas.end));
        PrintReply {
            device,
            id: plan.id,
            born: plan.born,
            has_total: plan.classes && what.is_whole(),
            from,
            until,
            at: PrintCursor::Area(from, 0),
            claims: what.clear.then(Claims::default),
        }
    }

    /// Starts the reply again.
    pub(crate) fn restart(&mut self) {
        self.at = PrintCursor::Area(self.from, 0);
    }

    /// Writes the next lines. May sleep. `ENXIO` if the disk was removed, `ENOENT` if the region was deleted,
    /// `ESTALE` if a resize has removed an area of which a part was written; `ENOMEM`, `EINTR`.
    pub(crate) fn fill<L: Listener>(
        &mut self,
        state: &State<L>,
        piece: &mut Piece<'_>,
    ) -> Result<Filled> {
        let account = state.at(self.device).ok_or(ENXIO)?;
        loop {
            let region = account.regions().born(self.id, self.born)?;
            if let Some(filled) = region.print(self, piece)? {
                return Ok(filled);
            }
        }
    }

    /// The reader has taken these bytes of the buffer.
    pub(crate) fn was_read(&mut self, bytes: &Range<usize>) {
        if let Some(claims) = &mut self.claims {
            claims.was_read(bytes);
        }
    }

    /// Takes back the clearing of values that were not read, so that they count again. Returns
    /// whether there were any. May sleep.
    pub(crate) fn restore<L: Listener>(&mut self, state: &State<L>) -> bool {
        let Some(claims) = self.claims.as_mut().filter(|claims| claims.has_unread()) else {
            self.claims.iter_mut().for_each(Claims::clear);
            return false;
        };
        if let Some(account) = state.at(self.device) {
            while let Ok(region) = account.regions().born(self.id, self.born) {
                if claims.restore(&region) {
                    break;
                }
            }
        }
        claims.clear();
        true
    }
}

impl Region {
    /// Writes the next lines; [`None`] if the region was replaced by a resized one.
    fn print(&self, print: &mut PrintReply, piece: &mut Piece<'_>) -> Result<Option<Filled>> {
        loop {
            task::check_fatal_signal()?;
            let mut baseline = self.lock();
            if baseline.is_replaced {
                return Ok(None);
            }
            if let Some(claims) = &mut print.claims {
                baseline.reserve(&self.plan)?;
                if !claims.reserve(self.plan.buckets())? {
                    return Ok(Some(Filled::More));
                }
            }
            let is_written = match print.at {
                PrintCursor::Area(sector, part) => {
                    self.print_area(&mut baseline, print, piece, sector, part)?
                }
                PrintCursor::Total => self.print_total(&mut baseline, print, piece),
                PrintCursor::End => return Ok(Some(Filled::End)),
            };
            if !is_written {
                return Ok(Some(Filled::Full));
            }
        }
    }

    /// Writes the line of an area from one of its parts on; false if there is no room for all of it.
    fn print_area(
        &self,
        baseline: &mut Baseline,
        print: &mut PrintReply,
        piece: &mut Piece<'_>,
        sector: u64,
        first: usize,
    ) -> Result<bool> {
        let geometry = &self.plan.geometry;
        let area = geometry.first_from(sector);
        let (start, _) = geometry.area(area);
        let is_there = area < geometry.areas() && start < print.until;
        if first != 0 && !(is_there && start == sector) {
            return Err(stale());
        }
        if !is_there {
            print.at = if print.has_total {
                PrintCursor::Total
            } else {
                PrintCursor::End
            };
            return Ok(true);
        }
        let shown = self.shown(baseline, area);
        let line = AreaLine {
            geometry,
            area,
            printed: self.printed(&shown),
            buckets: self.plan.buckets(),
        };
        let len = piece.len();
        let mut claims = print.claims.as_mut();
        let next = line.write(piece, first, |bucket| {
            let count = self.shown_count(baseline, area, bucket);
            if let Some(claims) = &mut claims {
                claims.count(count);
            }
            count
        });
        let is_complete = next == line.parts();
        if !is_complete && len != 0 {
            // The line may fit into an empty buffer, so that all of it is of one moment.
            piece.truncate(len);
            if let Some(claims) = claims {
                claims.forget_counts();
            }
            return Ok(false);
        }
        if let Some(claims) = claims {
            let parts = first..next;
            claims.area(self, baseline, (area, start), &shown, parts, piece.len());
        }
        print.at = match is_complete {
            true => PrintCursor::Area(start.saturating_add(geometry.step()), 0),
            false => PrintCursor::Area(start, next),
        };
        Ok(is_complete)
    }

    /// Writes the line of the region as a whole; false if there is no room for all of it.
    fn print_total(
        &self,
        baseline: &mut Baseline,
        print: &mut PrintReply,
        piece: &mut Piece<'_>,
    ) -> bool {
        let shown = self.shown_whole(baseline);
        let printed = self.printed(&shown);
        if !piece.record(|out| region_text::total(out, &self.plan.geometry, &printed)) {
            return false;
        }
        if let Some(claims) = &mut print.claims {
            claims.total(self, baseline, &shown, piece.len());
        }
        print.at = PrintCursor::End;
        true
    }

    fn printed<'a>(&self, shown: &'a Totals) -> Printed<'a> {
        Printed {
            columns: &shown.columns,
            in_flight: shown.in_flight,
            classes: self.plan.classes.then_some(&shown.classes),
            unit: self.plan.unit,
        }
    }
}
