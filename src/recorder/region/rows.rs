// SPDX-License-Identifier: GPL-2.0

//! The reply to `@stats_list`, made while it is read.

use super::{
    super::{
        listener::Listener,
        position::Position,
        State, //
    },
    Region, //
};
use crate::{
    abi::{
        message::word::{
            Word,
            Words, //
        },
        pager::{
            Filled,
            Piece, //
        },
        region_text::{
            listed,
            ListedRegion, //
        }, //
    },
    kernel_ext::{
        error::stale,
        task, //
    }, //
};
use kernel::{
    alloc::flags::GFP_KERNEL_ACCOUNT,
    prelude::*, //
};

/// A line that was written in part: its region, the state of that, and the number of bytes.
#[derive(Clone, Copy, Default)]
struct Begun {
    born: u32,
    changes: u32,
    bytes: usize,
}

/// A reply to `@stats_list`.
pub(crate) struct RegionRows {
    device: Position,
    /// The program whose regions are listed, as the message had it.
    program: KVec<u8>,
    /// The id from which on regions are to be listed; [`None`] at the end.
    next: Option<u32>,
    begun: Option<Begun>,
}

impl RegionRows {
    /// May sleep; `ENOMEM`.
    pub(in crate::recorder) fn new(device: Position, program: Option<Word<'_>>) -> Result<Self> {
        let mut kept = KVec::new();
        if let Some(program) = program {
            kept.extend_from_slice(program.as_written(), GFP_KERNEL_ACCOUNT)?;
        }
        Ok(RegionRows {
            device,
            program: kept,
            next: Some(0),
            begun: None,
        })
    }

    /// Starts the reply again.
    pub(crate) fn restart(&mut self) {
        self.next = Some(0);
        self.begun = None;
    }

    /// Writes the next lines. May sleep. `ENXIO` if the disk was removed; `ESTALE` if a part of the line of a
    /// region was written, and the region was changed or deleted since; `EINTR`.
    pub(crate) fn fill<L: Listener>(
        &mut self,
        state: &State<L>,
        piece: &mut Piece<'_>,
    ) -> Result<Filled> {
        let account = state.at(self.device).ok_or(ENXIO)?;
        while let Some(next) = self.next {
            task::check_fatal_signal()?;
            let Some(region) = account.regions().next_from(next) else {
                break;
            };
            let program = Words::of(&self.program).next();
            let is_asked = program.is_none_or(|program| program.is(&region.plan.program));
            if is_asked && !region.list(&mut self.begun, piece)? {
                self.next = Some(region.plan.id);
                return Ok(Filled::Full);
            }
            self.next = region.plan.id.checked_add(1);
        }
        match self.begun {
            Some(_) => Err(stale()),
            None => Ok(Filled::End),
        }
    }
}

impl Region {
    /// Writes the line of a region, or the rest of it; false if there is no room for all. May sleep. `ESTALE`.
    fn list(&self, begun: &mut Option<Begun>, piece: &mut Piece<'_>) -> Result<bool> {
        let baseline = self.lock();
        let line = ListedRegion {
            id: self.plan.id,
            geometry: &self.plan.geometry,
            program: &self.plan.program,
            aux: &baseline.aux,
            unit: self.plan.unit,
            bounds: &self.plan.bounds,
            classes: self.plan.classes,
        };
        let now = Begun {
            born: self.plan.born,
            changes: baseline.changes,
            bytes: 0,
        };
        let bytes = match begun {
            Some(part) if (part.born, part.changes) == (now.born, now.changes) => part.bytes,
            Some(_) => return Err(stale()),
            None if piece.record(|out| listed(out, &line)) => return Ok(true),
            None if !piece.is_empty() => return Ok(false),
            None => 0,
        };
        let (bytes, is_complete) = piece.part(bytes, |out| listed(out, &line));
        *begun = (!is_complete).then_some(Begun { bytes, ..now });
        Ok(is_complete)
    }
}
