// SPDX-License-Identifier: GPL-2.0

//! Kstats of clients come.

use super::{
    entry::{
        Body,
        Entry, //
    },
    Chain,
    Key, //
};
use crate::{
    abi::name::Name,
    acct::kstat::{
        flags,
        Type, //
    },
    kernel_ext::{
        error::would_deadlock,
        kstat::{
            Client,
            Header, //
        },
        module::Owner, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// What is to be made.
pub(crate) struct New {
    pub(crate) key: Key,
    pub(crate) class: Name,
    pub(crate) kind: Type,
    pub(crate) ndata: u32,
    pub(crate) flags: u8,
    pub(crate) crtime_ns: u64,
}

impl New {
    /// As its client sees it.
    pub(crate) fn header(&self) -> Header<'_> {
        let (module, instance, name) = self.key.parts();
        Header {
            module,
            instance,
            name,
            class: self.class.bytes(),
            kind: self.kind,
            ndata: self.ndata,
            flags: self.flags | flags::INVALID,
            crtime_ns: self.crtime_ns,
        }
    }
}

impl Chain {
    /// Makes a kstat that nobody sees, or takes again one that is dormant, which is seen. Its address. May
    /// sleep. `EEXIST` if there is one of this name; `ENOMEM`.
    ///
    /// `client` makes what is needed for a new one.
    pub(crate) fn create(
        &self,
        new: &mut New,
        owner: Owner,
        client: impl FnOnce(&Header<'_>) -> Result<Client>,
    ) -> Result<usize> {
        if let Some((entry, address)) = self.wake(new, owner) {
            let flags = entry.flags();
            if let Body::Client(client) = &mut entry.hold().body as &mut Body {
                client.revive(new.flags);
                client.tell(flags, entry.kid());
            }
            return Ok(address);
        }
        let client = client(&new.header())?;
        let address = client.address();
        new.flags |= flags::INVALID;
        let entry = self.add(new, Body::Client(client), Some(owner))?;
        if let Body::Client(client) = &entry.hold().body as &Body {
            client.tell(entry.flags(), entry.kid());
        }
        Ok(address)
    }

    /// The dormant one of this name, if it is like what is to be made. Now it is this client's.
    fn wake(&self, new: &New, owner: Owner) -> Option<(Arc<Entry>, usize)> {
        let mut guard = self.table.lock();
        let table = &mut *guard;
        let kid = table.by_name.get(&new.key)?;
        let row = table.by_kid.get_mut(kid)?;
        if row.owner.is_some() || !row.entry.is_dormant_for(new) {
            return None;
        }
        row.owner = Some(owner);
        let kept = row.entry.flags() & (flags::DORMANT | flags::INVALID);
        row.entry.set_flags(new.flags | kept);
        Some((row.entry.clone(), row.address))
    }

    /// The kstat at a client's address.
    pub(super) fn at(&self, address: usize) -> Option<Arc<Entry>> {
        let table = self.table.lock();
        let kid = table.by_address.get(&address)?;
        let row = table.by_kid.get(kid)?;
        row.owner.is_some().then(|| row.entry.clone())
    }

    /// From here on it is seen. May sleep. `ENOENT` if there is no such kstat, `EEXIST` if it is installed;
    /// `EDEADLK` if itself asks; `EINVAL`, see [`Client::install`].
    pub(crate) fn install(&self, address: usize) -> Result {
        let entry = self.at(address).ok_or(ENOENT)?;
        if entry.is_held_here() {
            return Err(would_deadlock());
        }
        let mut held = entry.hold();
        let Body::Client(client) = &mut *held.body else {
            return Err(ENOENT);
        };
        if !entry.has(flags::INVALID | flags::DORMANT) {
            return Err(EEXIST);
        }
        let has_strings = client.install(entry.has(flags::DORMANT))?;
        let strings = if has_strings { flags::LONGSTRINGS } else { 0 };
        let flags = entry.flags() & !(flags::INVALID | flags::DORMANT) | strings;
        client.tell(flags, entry.kid());
        let mut table = self.table.lock();
        if !entry.is_visible() {
            table.bump();
        }
        entry.set_flags(flags);
        Ok(())
    }
}
