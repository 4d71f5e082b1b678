// SPDX-License-Identifier: GPL-2.0

//! The reply to `@inflight`: a line for each I/O in the table.
//!
//! The owner of an I/O writes its entry and does not wait for readers: [`Entry::observe`] returns the state of one I/O
//! at one instant. It takes no lock and needs nothing from the disk, so the list can be read while the disk hangs.
//!
//! An entry has times; on the general path it also has class, sector and bytes. On the fast path these are in the
//! request, which a reader does not own, and for which it cannot take a reference: the block layer iterates only over
//! requests that have a driver tag. So the members are read from the address that is the key of the entry, in a way
//! that does not fault if the memory is gone, while the entry is observed. An I/O that was in flight before and after
//! was in flight in between, and so its request was not freed. For an I/O whose end was not reported, the memory at the
//! address counts as a request only if it leads to the address of the disk. Otherwise only the values of the entry are
//! shown.

use super::{
    found::Found,
    listener::Listener,
    State, //
};
use crate::{
    abi::{
        inflight_text::{
            self,
            Operation,
            Submitter,
            Target, //
        },
        message::{
            error::Error as Wrong,
            word::Word, //
        },
        pager::{
            Filled,
            Piece, //
        },
    },
    acct::{
        entry::Entry,
        inflight::ObservedIo, //
    },
    glue::{
        clock,
        peek::{
            self,
            Peeked, //
        },
        submitter::comm_of, //
    },
    kernel_ext::task,
};
use kernel::prelude::*;

/// Entries that are visited without a pause.
const BATCH: usize = 1 << 10;

/// The reply to `@inflight`.
pub(crate) struct InFlightRows {
    /// The number of the only disk or partition; [`None`] for all I/Os.
    device: Option<u32>,
    /// Whether operations, sectors, bytes and submitters are shown.
    has_targets: bool,
    /// The next part of the table, and the next entry in it; [`None`] before the heading.
    next: Option<(usize, usize)>,
}

/// The values read from the address of an I/O, which may be a request or a bio.
#[derive(Clone, Copy)]
struct Looked {
    request: Option<Peeked>,
    bio: Option<Peeked>,
}

impl InFlightRows {
    /// Starts the reply again.
    pub(crate) fn restart(&mut self) {
        self.next = None;
    }

    /// Writes the next lines. May sleep; `ENOMEM`, `EINTR`.
    pub(crate) fn fill<L: Listener>(
        &mut self,
        state: &State<L>,
        piece: &mut Piece<'_>,
    ) -> Result<Filled> {
        let (part, first) = match self.next {
            Some(next) => next,
            None if piece.record(inflight_text::header) => (0, 0),
            None => return Ok(Filled::Full),
        };
        self.next = Some((part, first));
        let list = state.list()?;
        let found = Found::new(&list.accounts)?;
        for (part, table) in state.tracker.entries().parts().enumerate().skip(part) {
            let first = if self.next.is_some_and(|next| next.0 == part) {
                self.next.map_or(0, |next| next.1)
            } else {
                0
            };
            let entries = table.entries();
            let rest = entries.get(first..).unwrap_or_default();
            for (index, entry) in (first..entries.len()).zip(rest) {
                if index % BATCH == 0 {
                    task::check_fatal_signal()?;
                }
                if !self.write(state, piece, &found, entry) {
                    self.next = Some((part, index));
                    return Ok(Filled::Full);
                }
            }
            self.next = Some((part.saturating_add(1), 0));
        }
        Ok(Filled::End)
    }

    /// Writes the line of an entry, if there is an I/O to be listed; false if there is no room for it.
    fn write<L: Listener>(
        &self,
        state: &State<L>,
        piece: &mut Piece<'_>,
        found: &Found<'_>,
        entry: &Entry,
    ) -> bool {
        let look = |address| match self.has_targets {
            false => None,
            true => Some(Looked {
                request: peek::request(address),
                bio: peek::bio(address),
            }),
        };
        let Some((io, looked)) = entry.observe(look) else {
            return true;
        };
        let Some(account) = found.of(&io) else {
            return true;
        };
        let disk = account.disk().unwrap_or(account);
        let (number, of_disk) = (account.identity().number, disk.identity().number);
        if self
            .device
            .is_some_and(|device| device != number && device != of_disk)
        {
            return true;
        }
        let times = io.times(clock::now_ns());
        let target = looked.and_then(|looked| {
            let is_of_disk =
                |peeked: &Peeked| state.tracker.accounts().number_at(peeked.disk) == Some(of_disk);
            target(&io, looked.request.filter(is_of_disk), || {
                looked.bio.filter(is_of_disk)
            })
        });
        let submitter = self.has_targets.then(|| Submitter {
            pid: io.pid,
            comm: comm_of(io.pid, times.wait_ns.wrapping_add(times.service_ns)),
        });
        piece.record(|out| {
            inflight_text::line(
                out,
                account.identity(),
                io.is_running,
                times,
                target.as_ref(),
                submitter.as_ref(),
            )
        })
    }
}

/// The target of an I/O: from its request, else from its entry, with the operation of its bio if there is one.
fn target(
    io: &ObservedIo,
    request: Option<Peeked>,
    bio: impl FnOnce() -> Option<Peeked>,
) -> Option<Target> {
    match (request, io.what) {
        (Some(request), _) => Some(Target {
            operation: Operation::Op(request.op),
            sector: request.sector,
            bytes: request.bytes,
        }),
        (None, Some((class, sector, bytes))) => Some(Target {
            operation: bio().map_or(Operation::Class(class), |bio| Operation::Op(bio.op)),
            sector,
            bytes,
        }),
        (None, None) => None,
    }
}

impl<L: Listener> State<L> {
    /// The I/Os in flight of a disk and its partitions, or of all. `ENXIO` if there is no such disk. May sleep.
    pub(crate) fn in_flight<'a>(
        &self,
        device: Option<Word<'a>>,
        has_targets: bool,
    ) -> Result<InFlightRows, Wrong<'a>> {
        let device = match device {
            None => None,
            Some(word) => Some(self.registry.find(word)?.0.identity().number),
        };
        Ok(InFlightRows {
            device,
            has_targets,
            next: None,
        })
    }
}
