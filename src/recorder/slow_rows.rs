// SPDX-License-Identifier: GPL-2.0

//! The reply to `@slow`: a line for each slow I/O that is kept, by disk in the order of the list, the newest first.

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
        slow_text, //
    },
    acct::slow::SlowIo,
    kernel_ext::task, //
};
use kernel::prelude::*;

/// The I/Os to list.
#[derive(Clone, Copy)]
pub(crate) enum SlowDevice {
    /// The slow I/Os of all disks.
    All,
    /// The slow I/Os of the disk at this position, or only those of its partition with this number.
    Disk(Position, Option<u32>),
}

/// The reply to `@slow`.
pub(crate) struct SlowRows {
    device: SlowDevice,
    /// Whether all columns are shown.
    has_targets: bool,
    /// The next disk, and the largest number that its next I/O may have; [`None`] before the heading.
    next: Option<(Position, u64)>,
}

impl SlowDevice {
    fn has(self, disk: Position, io: &SlowIo) -> bool {
        match self {
            SlowDevice::All => true,
            SlowDevice::Disk(position, partition) => {
                position == disk && partition.is_none_or(|number| number == io.device)
            }
        }
    }
}

impl SlowRows {
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
        let (from, mut most) = match (self.next, self.device) {
            (Some(next), _) => next,
            (None, _) if !piece.record(slow_text::header) => return Ok(Filled::Full),
            (None, SlowDevice::All) => (Position::FIRST, u64::MAX),
            (None, SlowDevice::Disk(position, _)) => (position, u64::MAX),
        };
        for disk in state.walk(from) {
            task::check_fatal_signal()?;
            let position = Position::of(disk.identity());
            if position != from {
                most = u64::MAX;
            }
            while let Some((number, io)) = disk.newest_slow(most) {
                if self.device.has(position, &io) && !self.write(state, piece, &disk, &io) {
                    self.next = Some((position, number));
                    return Ok(Filled::Full);
                }
                most = number.wrapping_sub(1);
            }
            self.next = Some((position.next(), u64::MAX));
            if matches!(self.device, SlowDevice::Disk(..)) {
                break;
            }
        }
        Ok(Filled::End)
    }

    /// Writes a line; false if there is no room for it.
    fn write<L: Listener>(
        &self,
        state: &State<L>,
        piece: &mut Piece<'_>,
        disk: &Account,
        io: &SlowIo,
    ) -> bool {
        // The partition may have left since.
        let partition = match io.device == disk.identity().number {
            true => None,
            false => state.numbered(io.device),
        };
        let device = match &partition {
            Some(partition) => Some(partition.identity()),
            None => Some(disk.identity()).filter(|disk| disk.number == io.device),
        };
        piece.record(|out| slow_text::line(out, device, io, self.has_targets))
    }
}

impl<L: Listener> State<L> {
    /// The slow I/Os of a disk and its partitions, of a partition, or of all disks. `ENXIO` if there is no such disk. May
    /// sleep.
    pub(crate) fn slow_rows<'a>(
        &self,
        device: Option<Word<'a>>,
        has_targets: bool,
    ) -> Result<SlowRows, Wrong<'a>> {
        let device = match device {
            None => SlowDevice::All,
            Some(word) => {
                let (account, _) = self.registry.find(word)?;
                let number = account.identity().number;
                match account.disk() {
                    None => SlowDevice::Disk(Position::of(account.identity()), None),
                    Some(disk) => SlowDevice::Disk(Position::of(disk.identity()), Some(number)),
                }
            }
        };
        Ok(SlowRows {
            device,
            has_targets,
            next: None,
        })
    }
}
