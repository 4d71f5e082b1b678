// SPDX-License-Identifier: GPL-2.0

//! Accounts of entries of other modules, for the API. They do not depend on the type of the listener.

use super::{
    account::Account,
    listener::Listener,
    State, //
};
use crate::abi::identity::Identity;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Who keeps the list.
pub(crate) trait ClientAccounts: Send + Sync {
    /// Opens an account. Its number is given, that in `identity` ignored. May sleep. `EEXIST`, if there is
    /// something of that name; `ENOMEM`.
    fn add(&self, identity: Identity) -> Result<Arc<Account>>;

    /// Closes it. May sleep.
    fn remove(&self, account: &Account);

    /// Something of an account has changed that the list shows. May sleep.
    fn changed(&self);

    /// Opens an account that is in no list. May sleep; `ENOMEM`.
    fn add_unlisted(&self, identity: Identity) -> Result<Arc<Account>>;

    /// It is closed. May sleep.
    fn remove_unlisted(&self, account: &Account);
}

impl<L: Listener> ClientAccounts for State<L> {
    fn add(&self, identity: Identity) -> Result<Arc<Account>> {
        self.registry.add_client(identity)
    }

    fn remove(&self, account: &Account) {
        self.registry.remove_client(account);
    }

    fn changed(&self) {
        self.registry.change_unlisted();
    }

    fn add_unlisted(&self, identity: Identity) -> Result<Arc<Account>> {
        let account = self.registry.unlisted_client(identity)?;
        self.registry.change_unlisted();
        Ok(account)
    }

    fn remove_unlisted(&self, account: &Account) {
        self.registry.remove_unlisted(account);
        self.registry.change_unlisted();
    }
}
