// SPDX-License-Identifier: GPL-2.0

//! The text of all devices: a line for each, and then one for each of their histograms.

use super::Recording;
use crate::{
    abi::{
        latency,
        pager::{
            Filled,
            Piece, //
        },
        text, //
    },
    acct::{
        class::Class,
        histogram::{
            Histogram,
            Phase, //
        },
        snapshot::Snapshot, //
    },
    glue::clock,
    kernel_ext::task,
    recorder::{
        account::Account,
        position::Position, //
    }, //
};
use kernel::prelude::*;

/// The next part of the text.
#[derive(Clone, Copy)]
enum ListingCursor {
    Heading,
    /// The line of the first device at or after this position.
    Device(Position),
    TimesHeading,
    /// The histograms of the first device at or after this position; if it is at this position, so many of them are
    /// written already.
    Times(Position, usize),
}

/// How far the text has been made.
#[derive(Clone, Copy)]
pub(super) struct Listing {
    at: ListingCursor,
    generation: Option<u64>,
}

impl Default for Listing {
    fn default() -> Self {
        Listing::new()
    }
}

impl Listing {
    pub(super) const fn new() -> Self {
        Listing {
            at: ListingCursor::Heading,
            generation: None,
        }
    }

    /// The generation of the list at the start of the text; [`None`] before that.
    pub(super) fn generation(&self) -> Option<u64> {
        self.generation
    }

    /// Writes the next lines. May sleep; `EINTR`.
    pub(super) fn fill(&mut self, state: &Recording, piece: &mut Piece<'_>) -> Result<Filled> {
        loop {
            let is_written = match self.at {
                ListingCursor::Heading => {
                    let (generation, numdevs) = state.heading();
                    self.generation = Some(generation);
                    self.at = ListingCursor::Device(Position::FIRST);
                    piece.record(|out| text::header(out, generation, numdevs))
                }
                ListingCursor::Device(from) => self.devices(state, piece, from)?,
                ListingCursor::TimesHeading => {
                    let is_written = piece.record(latency::header);
                    if is_written {
                        self.at = ListingCursor::Times(Position::FIRST, 0);
                    }
                    is_written
                }
                ListingCursor::Times(from, written) => {
                    return match self.times(state, piece, from, written)? {
                        true => Ok(Filled::End),
                        false => Ok(Filled::Full),
                    };
                }
            };
            if !is_written {
                return Ok(Filled::Full);
            }
        }
    }

    /// Writes lines of devices; false if there is no room for the next.
    fn devices(
        &mut self,
        state: &Recording,
        piece: &mut Piece<'_>,
        from: Position,
    ) -> Result<bool> {
        clock::check();
        let mut snapshot = Snapshot::default();
        for account in state.walk(from) {
            task::check_fatal_signal()?;
            let identity = account.identity();
            account.next_snapshot(&mut snapshot);
            if !piece.record(|out| text::device(out, identity, &snapshot)) {
                return Ok(false);
            }
            self.at = ListingCursor::Device(Position::of(identity).next());
        }
        self.at = ListingCursor::TimesHeading;
        Ok(true)
    }

    /// Writes lines of histograms; false if there is no room for the next.
    fn times(
        &mut self,
        state: &Recording,
        piece: &mut Piece<'_>,
        from: Position,
        written: usize,
    ) -> Result<bool> {
        let mut times = Histogram::default();
        for account in state.walk(from) {
            task::check_fatal_signal()?;
            let position = Position::of(account.identity());
            let written = if position == from { written } else { 0 };
            self.at = ListingCursor::Times(position, written);
            if let Some(written) = times_of(&account, piece, written, &mut times) {
                self.at = ListingCursor::Times(position, written);
                return Ok(false);
            }
            self.at = ListingCursor::Times(position.next(), 0);
        }
        Ok(true)
    }
}

/// Writes the lines of a device's histograms, without the first `written`. If there is no room for the next line,
/// returns how many histograms are written now.
fn times_of(
    account: &Account,
    piece: &mut Piece<'_>,
    written: usize,
    times: &mut Histogram<u64>,
) -> Option<usize> {
    let phases = Phase::ALL.len();
    let with_times = account.classes_with_times();
    for ((index, class), has_times) in Class::ALL.into_iter().enumerate().zip(with_times) {
        let first = index.saturating_mul(phases);
        if written >= first.saturating_add(phases) || !has_times {
            continue;
        }
        for (index, phase) in Phase::ALL.into_iter().enumerate() {
            let line = first.saturating_add(index);
            if line < written {
                continue;
            }
            account.next_histogram(class, phase, times);
            if !piece.record(|out| latency::line(out, account.identity(), class, phase, times)) {
                return Some(line);
            }
        }
    }
    None
}
