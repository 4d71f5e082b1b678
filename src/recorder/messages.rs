// SPDX-License-Identifier: GPL-2.0

//! What messages do.

use super::{
    listener::Listener,
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
        region_text::{
            created,
            Reply, //
        },
    },
    kernel_ext::published, //
};
use kernel::prelude::*;

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
    /// Does what a message to a disk or partition says, and writes the reply. May sleep.
    ///
    /// `ENXIO` if there is no such disk, `ENOENT` if no such region; `ENOMEM`, also if all regions
    /// together would take more than a quarter of the memory; `ENFILE` if there are no ids left; `EBUSY`
    /// for a resize so soon after another that there are still I/Os from before that; `EAGAIN`
    /// for a print during a resize; `EINTR`.
    pub(crate) fn message<'a>(
        &self,
        disk: Word<'a>,
        message: &Message<'a>,
        reply: &mut impl Reply,
    ) -> Result<(), Refusal<'a>> {
        let (account, sectors) = self
            .registry
            .find(disk)
            .ok_or(Wrong::wrong(Reason::NoSuchDisk, disk))?;
        let regions = account.regions();
        match message {
            Message::Create(create) => {
                let geometry = create.geometry(sectors)?;
                let id = regions.create(create, geometry)?;
                let told = created(reply, id).and_then(|()| reply.write_char('\n'));
                if told.is_err() {
                    // Nobody would know of it.
                    regions.delete(id)?;
                    return Err(ENOMEM.into());
                }
            }
            Message::Delete(id) => {
                regions.delete(*id)?;
                // Its memory is free when the reply is there.
                published::wait_for_drops();
            }
            Message::Resize(resize) => {
                regions.resize(resize.id, |old, buckets| {
                    Ok::<_, Refusal<'a>>(resize.geometry(old, buckets, sectors)?)
                })?;
                // So is what was before the resize before.
                published::wait_for_drops();
            }
            Message::Clear(id) => regions.clear(*id)?,
            Message::List(program) => regions.show(*program, reply)?,
            Message::Print(print) => regions.print(print, reply)?,
            Message::SetAux(id, aux) => regions.set_aux(*id, *aux)?,
        }
        Ok(())
    }

    /// Regions that went with their disk or partition.
    pub(crate) fn regions_gone(&self) -> u64 {
        self.registry.regions_gone()
    }
}
