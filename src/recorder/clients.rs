// SPDX-License-Identifier: GPL-2.0

//! Object-safe interface through which kapi adds and removes entries of other modules; hides the type parameter of
//! [`State`](super::State).

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

/// Adds and removes accounts of other modules.
pub(crate) trait ClientAccounts: Send + Sync {
    /// Adds an account. Assigns its number; the number in `identity` is ignored. May sleep. `EEXIST` if the name is in
    /// use; `ENOMEM`.
    fn add(&self, identity: Identity) -> Result<Arc<Account>>;

    /// Removes an account. May sleep.
    fn remove(&self, account: &Account);

    /// An account has changed in a value that the list shows. May sleep.
    fn changed(&self);

    /// Adds an account that no list contains. May sleep; `ENOMEM`.
    fn add_unlisted(&self, identity: Identity) -> Result<Arc<Account>>;

    /// Removes an account that no list contains. May sleep.
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
