// SPDX-License-Identifier: GPL-2.0

//! What messages do.

use super::{
    listener::Listener,
    region::{
        print::PrintReply,
        rows::RegionRows, //
    },
    walk::Position,
    State, //
};
use crate::{
    abi::{
        message::{
            error::{
                Error as Wrong,
                Reason, //
            },
            word::Word,
            Message, //
        },
        out::Out,
        region_text::created, //
    },
    kernel_ext::published, //
};
use kernel::prelude::*;

/// What the reply to a message is.
pub(crate) enum Reply {
    /// What was written meanwhile.
    Written,
    /// To `@stats_list`.
    Rows(RegionRows),
    /// To `@stats_print` and `@stats_print_clear`.
    Print(PrintReply),
}

/// Why a message was refused.
pub(crate) enum Refusal<'a> {
    /// Because of one of its words.
    Wrong(Wrong<'a>),
    /// Because of something else.
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
    /// Does what a message to a disk or partition says. The reply is written, or is to be made while it is
    /// read. May sleep.
    ///
    /// `ENXIO` if there is no such disk, `ENOENT` if no such region; `ENOMEM`, also if all regions
    /// together would take more than a quarter of the memory; `ENFILE` if there are no ids left; `EBUSY`
    /// for a resize so soon after another that there are still I/Os from before that.
    pub(crate) fn message<'a>(
        &self,
        disk: Word<'a>,
        message: &Message<'a>,
        written: &mut impl Out,
    ) -> Result<Reply, Refusal<'a>> {
        let (account, sectors) = self
            .registry
            .find(disk)
            .ok_or(Wrong::wrong(Reason::NoSuchDisk, disk))?;
        let (regions, gauge) = (account.regions(), account.gauge());
        let device = Position::of(account.identity());
        match message {
            Message::Create(create) => {
                let geometry = create.geometry(sectors)?;
                let id = regions.create(create, geometry, gauge)?;
                let told = created(written, id).and_then(|()| written.write_char('\n'));
                if told.is_err() {
                    // Nobody would know of it.
                    regions.delete(id, gauge)?;
                    return Err(ENOMEM.into());
                }
            }
            Message::Delete(id) => {
                regions.delete(*id, gauge)?;
                // Its memory is free when the reply is there.
                published::wait_for_drops();
            }
            Message::Resize(resize) => {
                regions.resize(resize.id, gauge, |old, buckets| {
                    Ok::<_, Refusal<'a>>(resize.geometry(old, buckets, sectors)?)
                })?;
                // So is what was before the resize before.
                published::wait_for_drops();
            }
            Message::Clear(id) => regions.clear(*id)?,
            Message::List(program) => return Ok(Reply::Rows(RegionRows::new(device, *program)?)),
            Message::Print(print) => return Ok(Reply::Print(regions.print(device, print)?)),
            Message::SetAux(id, aux) => regions.set_aux(*id, *aux)?,
        }
        Ok(Reply::Written)
    }

    /// Regions that went with their disk or partition.
    pub(crate) fn regions_gone(&self) -> u64 {
        self.registry.regions_gone()
    }
}
