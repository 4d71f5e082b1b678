// SPDX-License-Identifier: GPL-2.0

//! The age of the oldest I/O in flight, of one account or of each in a list.
//!
//! Recording does no work for this: a reader visits each entry of the table of I/Os in flight, once for any
//! number of accounts. No lock of a disk is taken.

use super::{
    account::{
        id::AccountId,
        Account, //
    },
    found::Found,
    tracker::Tracker, //
};
use crate::{
    acct::inflight::{
        ObservedIn,
        ObservedIo,
        Oldest, //
    },
    kernel_ext::{
        task,
        zeroed::zeroed_vec_charged, //
    },
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};

/// Entries that are visited without a pause.
const BATCH: usize = 1 << 10;

/// Looks for the oldest I/Os in flight.
#[derive(Clone)]
pub(crate) struct OldestFinder(Arc<Tracker>);

impl OldestFinder {
    pub(super) fn new(tracker: Arc<Tracker>) -> Self {
        OldestFinder(tracker)
    }

    /// The oldest I/O of an account; for a disk, I/Os of its partitions are included. May sleep;
    /// `EINTR`.
    pub(crate) fn of(&self, account: &Account) -> Result<Oldest> {
        let mut oldest = Oldest::default();
        self.each(|io| {
            if self.is_in(io, account) {
                oldest.see(io.start_ns);
            }
        })?;
        Ok(oldest)
    }

    /// The oldest I/O of each account of a list, in the order of the list. May sleep; `ENOMEM`, `EINTR`.
    pub(crate) fn of_each(&self, accounts: &[Arc<Account>]) -> Result<KVVec<Oldest>> {
        let found = Found::new(accounts)?;
        let mut oldest: KVVec<Oldest> = zeroed_vec_charged(accounts.len())?;
        self.each(|io| {
            for index in found.indices_of(io).into_iter().flatten() {
                if let Some(oldest) = oldest.get_mut(index) {
                    oldest.see(io.start_ns);
                }
            }
        })?;
        Ok(oldest)
    }

    /// Calls `see` with each I/O in flight. May sleep; `EINTR`.
    fn each(&self, mut see: impl FnMut(&ObservedIo)) -> Result {
        for part in self.0.entries().parts() {
            for entries in part.entries().chunks(BATCH) {
                task::check_fatal_signal()?;
                let ios = entries.iter().filter_map(|entry| entry.observe(|_| ()));
                ios.for_each(|(io, ())| see(&io));
            }
        }
        Ok(())
    }

    /// Whether an I/O is recorded in an account, or in one of its partitions. May sleep.
    fn is_in(&self, io: &ObservedIo, account: &Account) -> bool {
        match io.account {
            ObservedIn::Memory(memory) => account.has_records(memory.records),
            ObservedIn::Account(bits) => {
                let id = AccountId::from_bits(bits);
                id == account.handle() || self.0.accounts().disk_of(id) == Some(account.handle())
            }
        }
    }
}
