// SPDX-License-Identifier: GPL-2.0

//! The reply to `@sizes`: a line for each device and class that has transactions, in the order of the list.

use super::{
    account::Account,
    listener::Listener,
    position::Position,
    State, //
};
use crate::{
    abi::{
        message::{
            error::Error as Wrong,
            word::Word, //
        },
        pager::{
            Filled,
            Piece, //
        },
        size, //
    },
    acct::class::Class,
    kernel_ext::task, //
};
use kernel::prelude::*;

/// The reply to `@sizes`.
pub(crate) struct SizeRows {
    /// The only device; [`None`] for all.
    device: Option<Position>,
    /// The next device, and how many of its classes are done; [`None`] before the heading.
    next: Option<(Position, usize)>,
}

impl SizeRows {
    /// Starts the reply again.
    pub(crate) fn restart(&mut self) {
        self.next = None;
    }

    /// Writes the next lines. May sleep; `EINTR`.
    pub(crate) fn fill<L: Listener>(
        &mut self,
        state: &State<L>,
        piece: &mut Piece<'_>,
    ) -> Result<Filled> {
        let (from, written) = match self.next {
            Some(next) => next,
            None if !piece.record(size::header) => return Ok(Filled::Full),
            None => (self.device.unwrap_or(Position::FIRST), 0),
        };
        for account in state.walk(from) {
            task::check_fatal_signal()?;
            let position = Position::of(account.identity());
            if self.device.is_some_and(|device| device != position) {
                break;
            }
            let written = if position == from { written } else { 0 };
            if let Some(written) = write(&account, piece, written) {
                self.next = Some((position, written));
                return Ok(Filled::Full);
            }
            self.next = Some((position.next(), 0));
        }
        Ok(Filled::End)
    }
}

/// Writes the lines of a device, without the first `written` classes. Returns the index of the next class if there is
/// no room for its line.
fn write(account: &Account, piece: &mut Piece<'_>, written: usize) -> Option<usize> {
    let sizes = account.sizes();
    let classes = Class::ALL.into_iter().zip(&sizes).enumerate();
    for (index, (class, counts)) in classes.skip(written) {
        if !piece.record(|out| size::line(out, account.identity(), class, counts)) {
            return Some(index);
        }
    }
    None
}

impl<L: Listener> State<L> {
    /// The sizes of the transactions of a device, or of all devices. `ENXIO` if there is no such device. May sleep.
    pub(crate) fn size_rows<'a>(&self, device: Option<Word<'a>>) -> Result<SizeRows, Wrong<'a>> {
        let device = match device {
            None => None,
            Some(word) => {
                let (account, _) = self.registry.find(word)?;
                Some(Position::of(account.identity()))
            }
        };
        Ok(SizeRows { device, next: None })
    }
}
