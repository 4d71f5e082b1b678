// SPDX-License-Identifier: GPL-2.0

//! The text of an open `/dev/iostat`: of all devices, or the reply to a message.
//!
//! It is made while it is read, see [`crate::abi::pager`]: an open file has one buffer, and no reference to a
//! device, region, counter or kstat.

use super::{
    cache::Cache,
    events::CounterRows,
    kstats,
    listing::Listing,
    ChardevContext, //
};
use crate::{
    abi::pager::{
        self,
        Filled,
        Next,
        Paged,
        Pager,
        Piece,
        BUFFER, //
    },
    kernel_ext::task,
    recorder::{
        cgroup_rows::CgroupRows,
        inflight::InFlightRows,
        region::{
            print::PrintReply,
            rows::RegionRows, //
        },
        size_rows::SizeRows,
        slow_rows::SlowRows,
    },
};
use core::ops::Range;
use kernel::{
    alloc::flags::GFP_KERNEL_ACCOUNT,
    prelude::*, //
};

/// The source of the text, and the position in it.
pub(super) enum TextSource {
    /// All devices.
    Listing(Listing),
    /// A reply that is in the buffer.
    Written,
    /// The reply to `@stats_list`.
    Rows(RegionRows),
    /// The reply to `@stats_print` or `@stats_print_clear`.
    Print(PrintReply),
    /// The reply to `@inflight`.
    InFlight(InFlightRows),
    /// The reply to `@slow`.
    Slow(SlowRows),
    /// The reply to `@sizes`.
    Sizes(SizeRows),
    /// The reply to `@cgroups_list`.
    Cgroups(CgroupRows),
    /// The reply to `@evcnt_list`.
    Counters(CounterRows),
    /// The reply to `@kstat_list`.
    KstatRows(kstats::KstatRows),
    /// The reply to `@kstat`.
    Kstats(kstats::Values),
}

impl TextSource {
    fn restart(&mut self) {
        match self {
            TextSource::Listing(listing) => *listing = Listing::default(),
            TextSource::Written => {}
            TextSource::Rows(rows) => rows.restart(),
            TextSource::Print(print) => print.restart(),
            TextSource::InFlight(rows) => rows.restart(),
            TextSource::Slow(rows) => rows.restart(),
            TextSource::Sizes(rows) => rows.restart(),
            TextSource::Cgroups(rows) => rows.restart(),
            TextSource::Counters(counters) => counters.restart(),
            TextSource::KstatRows(rows) => rows.restart(),
            TextSource::Kstats(values) => values.restart(),
        }
    }

    /// Writes the next part of the text. May sleep. Returns the errors of the source, unless it has
    /// written text before.
    pub(super) fn fill(
        &mut self,
        global: &ChardevContext,
        piece: &mut Piece<'_>,
        cache: &mut Cache,
    ) -> Result<Filled> {
        let len = piece.len();
        let filled = match self {
            TextSource::Listing(listing) => listing.fill(&global.recording, piece),
            TextSource::Written => Ok(Filled::End),
            TextSource::Rows(rows) => rows.fill(&global.recording, piece),
            TextSource::Print(print) => print.fill(&global.recording, piece),
            TextSource::InFlight(rows) => rows.fill(&global.recording, piece),
            TextSource::Slow(rows) => rows.fill(&global.recording, piece),
            TextSource::Sizes(rows) => rows.fill(&global.recording, piece),
            TextSource::Cgroups(rows) => rows.fill(&global.recording, piece),
            TextSource::Counters(counters) => counters.fill(&global.events, piece, cache),
            TextSource::KstatRows(rows) => rows.fill(&global.kstats, piece),
            TextSource::Kstats(values) => values.fill(&global.kstats, piece, cache),
        };
        match filled {
            // The error is returned again when the text before it has been read.
            Err(_) if piece.len() != len => Ok(Filled::More),
            // A record that is longer than the buffer is written in parts, so a part of it must fit.
            Ok(Filled::Full) if piece.is_empty() => Err(EIO),
            filled => filled,
        }
    }
}

/// The text of an open file: see the documentation of this module.
pub(super) struct Text {
    buffer: KVec<u8>,
    pager: Pager,
    source: TextSource,
}

impl Text {
    /// The text of all devices.
    pub(super) const fn new() -> Self {
        Text {
            buffer: KVec::new(),
            pager: Pager::new(),
            source: TextSource::Listing(Listing::new()),
        }
    }

    /// The generation of the list at the start of the text of all devices.
    pub(super) fn generation(&self) -> Option<u64> {
        match &self.source {
            TextSource::Listing(listing) => listing.generation(),
            _ => None,
        }
    }

    /// Replaces the text with the reply to a message, which `make` begins to write to the buffer. May sleep; `ENOMEM`,
    /// or the error of `make`.
    pub(super) fn reply(
        &mut self,
        global: &ChardevContext,
        make: impl FnOnce(&mut Piece<'_>) -> (TextSource, Filled, Result),
    ) -> Result {
        self.empty(global);
        self.reserve()?;
        let mut piece = Piece::new(&mut self.buffer, 0);
        let (source, filled, result) = make(&mut piece);
        self.pager.filled(piece.len(), filled);
        self.source = source;
        if self.pager.next(0) == Next::End {
            self.buffer = KVec::new();
        }
        result
    }

    /// Replaces the text with a reply without text. May sleep.
    pub(super) fn empty(&mut self, global: &ChardevContext) {
        self.abandon(global);
        self.source = TextSource::Written;
        self.pager.restart();
        self.pager.filled(0, Filled::End);
    }

    /// Gives up the text in the buffer. May sleep. Returns whether it had values of `@stats_print_clear` that
    /// were not read, which now count again.
    pub(super) fn abandon(&mut self, global: &ChardevContext) -> bool {
        match &mut self.source {
            TextSource::Print(print) => print.restore(&global.recording),
            _ => false,
        }
    }

    fn reserve(&mut self) -> Result {
        if self.buffer.is_empty() {
            // Charged to the reader: all users may open the device.
            self.buffer = KVec::from_elem(0, BUFFER, GFP_KERNEL_ACCOUNT)?;
        }
        Ok(())
    }

    fn fill(&mut self, global: &ChardevContext, cache: &mut Cache) -> Result {
        task::check_fatal_signal()?;
        self.reserve()?;
        if self.abandon(global) {
            // The values that count again must not be read.
            self.pager.forget();
        }
        let mut piece = Piece::new(&mut self.buffer, self.pager.fill());
        let filled = self.source.fill(global, &mut piece, cache)?;
        self.pager.filled(piece.len(), filled);
        Ok(())
    }

    fn restart(&mut self, global: &ChardevContext) {
        self.abandon(global);
        self.pager.restart();
        self.source.restart();
    }

    /// Copies the bytes from a position on by `copy`, which returns how many it has copied; at most `most`.
    /// Returns how many were copied. May sleep.
    ///
    /// `EINVAL` for a negative position; `EFAULT` if nothing could be copied; errors of the source.
    pub(super) fn read(
        &mut self,
        global: &ChardevContext,
        position: i64,
        most: usize,
        copy: impl FnMut(&[u8]) -> usize,
    ) -> Result<usize> {
        let position = u64::try_from(position).map_err(|_| EINVAL)?;
        let is_listing = matches!(self.source, TextSource::Listing(_));
        if position == 0 && is_listing {
            self.restart(global);
        }
        let mut reading = Reading {
            text: self,
            global,
            cache: Cache::default(),
            copy,
        };
        let copied = pager::read(&mut reading, position, most);
        let copied = copied.map_err(|error| error.unwrap_or(EFAULT))?;
        if is_listing && most != 0 && copied == 0 {
            // The text was read to its end. The next read from its start makes a new text.
            self.pager.forget();
            self.buffer = KVec::new();
        }
        Ok(copied)
    }

    /// Whether there is text from a position on. May sleep; errors of the source.
    pub(super) fn has(&mut self, global: &ChardevContext, position: u64) -> Result<bool> {
        loop {
            match self.pager.next(position) {
                Next::Copy(_) => return Ok(true),
                Next::End => return Ok(false),
                Next::Fill => self.fill(global, &mut Cache::default())?,
                Next::Restart => self.restart(global),
            }
        }
    }
}

/// One call that reads.
struct Reading<'a, C> {
    text: &'a mut Text,
    global: &'a ChardevContext,
    cache: Cache,
    copy: C,
}

impl<C: FnMut(&[u8]) -> usize> Paged for Reading<'_, C> {
    type Error = Error;

    fn pager(&self) -> &Pager {
        &self.text.pager
    }

    fn fill(&mut self) -> Result {
        self.text.fill(self.global, &mut self.cache)
    }

    fn restart(&mut self) {
        self.text.restart(self.global);
    }

    fn copy(&mut self, bytes: Range<usize>) -> usize {
        let len = (self.copy)(self.text.buffer.get(bytes.clone()).unwrap_or(&[]));
        if let TextSource::Print(print) = &mut self.text.source {
            print.was_read(&(bytes.start..bytes.start.saturating_add(len)));
        }
        len
    }
}
