// SPDX-License-Identifier: GPL-2.0

//! NFS file systems in the list.

use super::{
    AccountId,
    FoundAccount,
    Listener,
    Member,
    MemberNodes,
    Registry,
    BIOS, //
};
use crate::{
    abi::identity::Identity,
    recorder::account::Account, //
};
use kernel::prelude::*;

impl<L: Listener> Registry<L> {
    /// Opens an account for a file system that probes know by `key`. Assigns its numbers; those in `identity`
    /// are ignored. Its name is the device name and a unit number that no file system had before. May sleep;
    /// `ENOMEM`.
    pub(in crate::recorder) fn add_mount(&self, key: u64, mut identity: Identity) -> Result {
        let mut members = self.members.lock();
        let nodes = MemberNodes::new()?;
        let place = self.accounts().reserve()?;
        let handle = AccountId::new(place.place(), members.next_number);
        identity.number = handle.number();
        // A client may have an entry with such a name.
        loop {
            identity.unit_number = members.next_unit;
            identity.name = identity.device_name.with_unit(identity.unit_number);
            members.next_unit = members.next_unit.wrapping_add(1);
            if !members.has_name(identity.name) {
                break;
            }
        }
        let account = Account::of_mount(identity, handle, self.absent())?;
        let member = Member {
            presence: self.listener.attached(&account, self.oldest())?,
            account: account.clone(),
            device: None,
            ios: Some(BIOS),
            promise: None,
            _events: None,
        };
        // From here on nothing can fail.
        members.insert(nodes, member);
        place.insert(key, FoundAccount::new(&account));
        self.change(members);
        Ok(())
    }

    /// Closes the account of the file system at `key`, if there is one. Needs no memory, and cannot fail; may sleep.
    pub(in crate::recorder) fn remove_mount(&self, key: u64) {
        let mut members = self.members.lock();
        let number = self.accounts().number_at(key);
        let Some(member) = number.and_then(|number| members.remove(number)) else {
            return;
        };
        self.accounts().remove(member.account.handle());
        member.account.leave();
        self.change(members);
        // Waits for readers of its files, so the mutex must not be held.
        drop(member);
    }
}
