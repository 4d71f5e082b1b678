// SPDX-License-Identifier: GPL-2.0

//! Carries out messages.

use super::{
    listener::Listener,
    position::Position,
    region::{
        print::PrintReply,
        rows::RegionRows, //
    },
    State, //
};
use crate::{
    abi::{
        message::{
            error::Error as Wrong,
            word::Word,
            Message, //
        },
        out::Out,
        region_text::created, //
    },
    kernel_ext::published, //
};
use kernel::prelude::*;

/// The reply to a message.
pub(crate) enum Reply {
    /// It was written to the buffer of the caller.
    Written,
    /// The reply to `@stats_list`.
    Rows(RegionRows),
    /// The reply to `@stats_print` and `@stats_print_clear`.
    Print(PrintReply),
}

/// Why a message was refused.
pub(crate) enum Refusal<'a> {
    /// One of its words is invalid.
    Wrong(Wrong<'a>),
    /// Another error.
    Failed(Error),
}

impl<'a> From<Wrong<'a>> for Refusal<'a> {
    fn from(wrong: Wrong<'a>) -> Self {
        Refusal::Wrong(wrong)
    }
}

impl From<Error> for Refusal<'_> {
    fn from(error: Error) -> Self {
        Refusal::Failed(error)
    }
}

impl<L: Listener> State<L> {
    /// Carries out a message to a disk or partition. The reply is written now, or made while it is read. May sleep.
    ///
    /// `ENXIO` if there is no such disk, `ENOENT` if no such region; `ENOMEM`, also if all regions
    /// together would take more than a quarter of the memory; `ENFILE` if there are no ids left; `EBUSY`
    /// for a resize while I/Os are in flight that started before the previous resize.
    pub(crate) fn message<'a>(
        &self,
        disk: Word<'a>,
        message: &Message<'a>,
        written: &mut impl Out,
    ) -> Result<Reply, Refusal<'a>> {
        let (account, sectors) = self.registry.find(disk)?;
        let (regions, gauge) = (account.regions(), account.gauge());
        let device = Position::of(account.identity());
        match message {
            Message::Create(create) => {
                let geometry = create.geometry(sectors)?;
                let id = regions.create(create, geometry, gauge)?;
                let reply = created(written, id).and_then(|()| written.write_char('\n'));
                if reply.is_err() {
                    // The caller would not know its id.
                    regions.delete(id, gauge)?;
                    return Err(ENOMEM.into());
                }
            }
            Message::Delete(id) => {
                regions.delete(*id, gauge)?;
                // The memory of the region is free before the caller gets the reply.
                published::wait_for_drops();
            }
            Message::Resize(resize) => {
                regions.resize(resize.id, gauge, |old, buckets| {
                    Ok::<_, Refusal<'a>>(resize.geometry(old, buckets, sectors)?)
                })?;
                // The memory from before the previous resize is free before the caller gets the
                // reply.
                published::wait_for_drops();
            }
            Message::Clear(id) => regions.clear(*id)?,
            Message::List(program) => return Ok(Reply::Rows(RegionRows::new(device, *program)?)),
            Message::Print(print) => return Ok(Reply::Print(regions.print(device, print)?)),
            Message::SetAux(id, aux) => regions.set_aux(*id, *aux)?,
        }
        Ok(Reply::Written)
    }

    /// Regions that were deleted with their disk or partition.
    pub(crate) fn regions_gone(&self) -> u64 {
        self.registry.regions_gone()
    }
}
