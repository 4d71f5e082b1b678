// SPDX-License-Identifier: GPL-2.0

//! Walks over the list of disks and partitions, which may change in between.
//!
//! A walk holds neither the list nor memory for all of it: it keeps a [`Position`], and looks the next accounts up
//! each time it goes on. An account that is in the list during the whole walk is found exactly once.

use super::{
    account::Account,
    listener::Listener,
    position::Position,
    registry::Registry, //
};
use kernel::sync::Arc;

/// Accounts taken from the list at a time.
const BATCH: usize = 8;

/// Some accounts of the list.
pub(super) type Batch = [Option<Arc<Account>>; BATCH];

/// See the module's documentation.
pub(crate) struct Walk<'a, L: Listener> {
    registry: &'a Registry<L>,
    next: Position,
    batch: Batch,
    taken: usize,
}

impl<'a, L: Listener> Walk<'a, L> {
    pub(super) fn new(registry: &'a Registry<L>, from: Position) -> Self {
        Walk {
            registry,
            next: from,
            batch: [const { None }; BATCH],
            taken: BATCH,
        }
    }
}

impl<L: Listener> Iterator for Walk<'_, L> {
    type Item = Arc<Account>;

    /// May sleep.
    fn next(&mut self) -> Option<Arc<Account>> {
        if self.taken == BATCH {
            self.registry.batch(self.next, &mut self.batch);
            self.taken = 0;
        }
        let account = self.batch.get_mut(self.taken)?.take()?;
        self.taken = self.taken.saturating_add(1);
        self.next = Position::of(account.identity()).next();
        Some(account)
    }
}
