// SPDX-License-Identifier: GPL-2.0

//! Creates and installs the kstats of other modules.

use super::{
    entry::{
        Body,
        KstatEntry,
        New, //
    },
    Chain, //
};
use crate::{
    acct::kstat::flags,
    glue::kstat::{
        ClientKstat,
        KstatDescription, //
    },
    kernel_ext::{
        error::would_deadlock,
        module::Owner, //
    },
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

impl Chain {
    /// Creates a kstat that is not visible yet, or reuses a dormant kstat, which is visible. Returns its
    /// address. `client` allocates the memory for a new one. May sleep.
    ///
    /// # Errors
    ///
    /// `EEXIST` if there is a kstat of this name, `ENOMEM`, and the errors of `client`.
    pub(crate) fn create(
        &self,
        new: &mut New,
        owner: Owner,
        client: impl FnOnce(&KstatDescription<'_>) -> Result<ClientKstat>,
    ) -> Result<usize> {
        if let Some((entry, address)) = self.reuse(new, owner) {
            let flags = entry.flags();
            if let Body::Client(client) = &mut entry.hold().body as &mut Body {
                client.revive(new.flags);
                client.publish(flags, entry.kid());
            }
            return Ok(address);
        }
        let client = client(&new.header())?;
        let address = client.address();
        new.flags |= flags::INVALID;
        let entry = self.add(
            new,
            Body::Client(KBox::new(client, GFP_KERNEL)?),
            Some(owner.id()),
        )?;
        if let Body::Client(client) = &entry.hold().body as &Body {
            client.publish(entry.flags(), entry.kid());
        }
        Ok(address)
    }

    /// Returns the dormant kstat of this name, if it has the same properties as the one to create. It then
    /// belongs to this client.
    fn reuse(&self, new: &New, owner: Owner) -> Option<(Arc<KstatEntry>, usize)> {
        let mut guard = self.table.lock();
        let table = &mut *guard;
        let kid = table.by_name.get(&new.key)?;
        let row = table.by_kid.get_mut(kid)?;
        if row.owner.is_some() || !row.entry.can_be_reused_for(new) {
            return None;
        }
        row.owner = Some(owner.id());
        let kept = row.entry.flags() & (flags::DORMANT | flags::INVALID);
        row.entry.set_flags(new.flags | kept);
        Some((row.entry.clone(), row.address))
    }

    /// Returns the kstat at an address of a client.
    pub(super) fn at(&self, address: usize) -> Option<Arc<KstatEntry>> {
        let table = self.table.lock();
        let kid = table.by_address.get(&address)?;
        let row = table.by_kid.get(kid)?;
        row.owner.is_some().then(|| row.entry.clone())
    }

    /// Makes a kstat visible. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOENT` if there is no such kstat, `EEXIST` if it is installed already, `EDEADLK` if it is called by a
    /// callback of this kstat, `EINVAL` as [`ClientKstat::install`].
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
        client.publish(flags, entry.kid());
        let mut table = self.table.lock();
        if !entry.is_visible() {
            table.bump();
        }
        entry.set_flags(flags);
        Ok(())
    }
}
