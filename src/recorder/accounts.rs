// SPDX-License-Identifier: GPL-2.0

//! How probes find the account of a disk or partition: by an address when an I/O starts, by a
//! [`AccountId`] from then on.
//!
//! Removing an account needs no memory: see [`Lookup`].

use super::account::{
    id::AccountId,
    Account, //
};
use crate::{
    glue::lookup::{
        Lookup,
        Reservation, //
    },
    kernel_ext::published::InProbe, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A reference of [`Accounts`] to an account: while it is held, I/Os may be recorded in the account.
pub(crate) struct FoundAccount(Arc<Account>);

impl FoundAccount {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        account.hold();
        FoundAccount(account.clone())
    }
}

impl core::ops::Deref for FoundAccount {
    type Target = Account;

    #[inline(always)]
    fn deref(&self) -> &Account {
        &self.0
    }
}

impl Drop for FoundAccount {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// All accounts that probes find.
#[pin_data]
pub(super) struct Accounts {
    #[pin]
    lookup: Lookup<FoundAccount>,
}

impl Accounts {
    /// Creates an empty table that probes do not use yet. May sleep; `ENOMEM`.
    pub(super) fn new() -> impl PinInit<Self, Error> {
        try_pin_init!(Accounts { lookup <- Lookup::new() })
    }

    /// Lets probes find present and future accounts. May sleep.
    pub(super) fn open(&self) {
        self.lookup.open();
    }

    /// Probes find no account after this. May sleep.
    pub(super) fn close(&self) {
        self.lookup.close();
    }

    /// Allocates an index and all memory that adding and removing an account needs. May sleep; `ENOMEM`.
    pub(super) fn reserve(&self) -> Result<Reservation<'_, FoundAccount>> {
        self.lookup.reserve()
    }

    /// Removes the account with this id: probes do not find it after this. Needs no memory; may sleep.
    pub(super) fn remove(&self, handle: AccountId) {
        self.lookup.remove(handle.place());
    }

    /// The device number of the disk, or of the partition's block device, at an address. May sleep.
    pub(super) fn number_at(&self, address: u64) -> Option<u32> {
        self.lookup
            .peek(address, |account| account.handle().number())
    }

    /// The disk of the account with this id, if it is that of a partition. May sleep.
    pub(super) fn disk_of(&self, id: AccountId) -> Option<AccountId> {
        let disk = |account: &Account| {
            let disk = account.disk()?.handle();
            (account.handle() == id).then_some(disk)
        };
        self.lookup.peek_at(id.place(), disk).flatten()
    }

    /// The account of the disk at an address, and whether a partition of it has an account. Looks at the first cell
    /// only.
    #[inline(always)]
    pub(super) fn of_disk_at_home<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
    ) -> Option<(&'a Account, bool)> {
        let disk = self.lookup.find_home(probe, disk)?;
        Some((disk, disk.partitions.is_any()))
    }

    /// The account in which an I/O to the disk at an address is recorded: that of the partition if `block_device` is
    /// the address of one that has an account, else that of the disk.
    pub(super) fn of<'a>(
        &'a self,
        probe: InProbe<'a>,
        disk: u64,
        block_device: u64,
    ) -> Option<&'a Account> {
        let disk = self.lookup.find(probe, disk)?;
        if !disk.partitions.is_any() {
            return Some(disk);
        }
        let partition = self.lookup.find(probe, block_device);
        // A partition that is found belongs to this disk: a bio refers to the device that it was submitted to, and a
        // driver that passes the bio on to the queue of another disk (clones of dm, nvme multipath) makes it refer
        // to that whole disk.
        Some(partition.unwrap_or(disk))
    }

    /// The account with this id; [`None`] if it was removed.
    #[inline(always)]
    pub(super) fn get<'a>(&'a self, probe: InProbe<'a>, handle: AccountId) -> Option<&'a Account> {
        let account = self.lookup.at(probe, handle.place())?;
        (account.handle() == handle).then_some(account)
    }
}
