// SPDX-License-Identifier: GPL-2.0

//! The reply to `@evcnt_list`, which has the event counters of all modules.

use super::cache::Cache;
use crate::{
    abi::{
        event_text,
        message::evcnt::EvcntList as Asked,
        pager::{
            Filled,
            Piece, //
        }, //
    },
    evcnt::{
        CounterId,
        Events,
        FoundCounter, //
    },
    glue::clock,
    kernel_ext::task, //
};
use kernel::prelude::*;

/// Counters looked for at a time.
const BATCH: usize = 16;

/// The reply to `@evcnt_list`.
pub(super) struct CounterRows {
    asked: Asked,
    /// The first counter that may be next; [`None`] before the heading.
    next: Option<CounterId>,
}

impl CounterRows {
    pub(super) fn new(asked: Asked) -> Self {
        CounterRows { asked, next: None }
    }

    /// Starts the reply again.
    pub(super) fn restart(&mut self) {
        self.next = None;
    }

    /// Writes the next lines. May sleep; `ENOMEM`, `EINTR`.
    pub(super) fn fill(
        &mut self,
        events: &Events,
        piece: &mut Piece<'_>,
        cache: &mut Cache,
    ) -> Result<Filled> {
        let mut next = match self.next {
            Some(next) => next,
            None if piece.record(event_text::header) => CounterId::NONE,
            None => return Ok(Filled::Full),
        };
        self.next = Some(next);
        if self.asked.rollup {
            return self.fill_rolled_up(events, piece, cache);
        }
        loop {
            task::check_fatal_signal()?;
            let mut batch = [const { None }; BATCH];
            events.batch(next, &mut batch);
            for counter in batch.iter().flatten() {
                let total = events.count(counter);
                if !self.write(piece, counter, total) {
                    return Ok(Filled::Full);
                }
                next = counter.handle.after();
                self.next = Some(next);
            }
            if batch.last().is_some_and(Option::is_none) {
                return Ok(Filled::End);
            }
        }
    }

    /// Writes the counters, with the sums of their descendants.
    fn fill_rolled_up(
        &mut self,
        events: &Events,
        piece: &mut Piece<'_>,
        cache: &mut Cache,
    ) -> Result<Filled> {
        let list = match &mut cache.counters {
            Some(list) => list,
            none => none.insert(events.rolled_up()?),
        };
        let first = list.partition_point(|listed| Some(listed.found.handle) < self.next);
        for listed in list.iter().skip(first) {
            if !self.write(piece, &listed.found, Some(listed.total)) {
                return Ok(Filled::Full);
            }
            self.next = Some(listed.found.handle.after());
        }
        Ok(Filled::End)
    }

    /// Writes the line of a counter, if it is selected and still attached; false if there is no room for the
    /// line.
    fn write(&self, piece: &mut Piece<'_>, counter: &FoundCounter, total: Option<u64>) -> bool {
        let Some(total) = total.filter(|total| self.asked.has(counter.kind(), *total)) else {
            return true;
        };
        let age_ns = clock::now_ns().saturating_sub(counter.since_ns());
        piece.record(|out| event_text::event(out, counter.name(), total, age_ns, counter.kind()))
    }
}
