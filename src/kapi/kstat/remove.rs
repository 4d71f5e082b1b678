// SPDX-License-Identifier: GPL-2.0

//! Deletes the kstats of other modules.

use super::{
    entry::{
        Body,
        KstatEntry, //
    },
    Chain,
    Row, //
};
use crate::{
    abi::name::Name,
    acct::kstat::flags,
    kernel_ext::{
        error::would_deadlock,
        module::{
            ModuleListener,
            Owner, //
        }, //
    },
};
use kernel::prelude::*;

impl Chain {
    /// Deletes a kstat. When this returns, no thread uses anything of the client any more. A persistent kstat
    /// becomes dormant: it keeps its data. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOENT` if there is no such kstat, `EDEADLK` if it is called by a callback of this kstat.
    pub(crate) fn delete(&self, address: usize) -> Result {
        let entry = self.at(address).ok_or(ENOENT)?;
        if entry.is_held_here() {
            return Err(would_deadlock());
        }
        self.remove(&entry, true)
    }

    fn remove(&self, entry: &KstatEntry, is_updated: bool) -> Result {
        // A kstat that was never installed has no data worth keeping.
        if entry.has(flags::PERSISTENT) && entry.is_visible() {
            return self.make_dormant(entry, is_updated);
        }
        let removed = self.table.lock().remove(entry.kid());
        // Another thread may have removed it first.
        let (entry, nodes) = removed.ok_or(ENOENT)?;
        entry.end();
        drop(nodes);
        Ok(())
    }

    fn make_dormant(&self, entry: &KstatEntry, is_updated: bool) -> Result {
        let mut held = entry.hold();
        let Body::Client(client) = &mut *held.body else {
            return Err(ENOENT);
        };
        let flags = entry.flags() | flags::DORMANT;
        client.retire(is_updated);
        client.publish(flags, entry.kid());
        drop(held);
        let mut table = self.table.lock();
        let row: &mut Row = table.by_kid.get_mut(&entry.kid()).ok_or(ENOENT)?;
        entry.set_flags(flags);
        row.owner = None;
        Ok(())
    }

    fn any_of(&self, owner: Owner) -> Option<kernel::sync::Arc<KstatEntry>> {
        let table = self.table.lock();
        let mut rows = table.by_kid.values();
        let row = rows.find(|row| row.owner == Some(owner.id()))?;
        Some(row.entry.clone())
    }
}

impl ModuleListener for Chain {
    fn unloading(&self, module: Owner) {
        let mut left = 0usize;
        while let Some(entry) = self.any_of(module) {
            if self.remove(&entry, false).is_err() {
                // Another thread has removed it first.
                continue;
            }
            left = left.saturating_add(1);
        }
        if left != 0 {
            let name = Name::new(module.name());
            pr_warn!("kstat: module {name} unloaded with {left} kstats left; deleted\n");
        }
    }
}
