// SPDX-License-Identifier: GPL-2.0

//! Events that the recorder reports to the floor above. That floor implements the trait, so that imports go
//! downward only.

use super::account::Account;
use crate::kernel_ext::block::device::BlockDevice;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Who is told.
pub(crate) trait Listener: Send + Sync + Sized + 'static {
    /// What stands for an account on the floor above, until its disk or partition leaves.
    type Presence: Send + Unpin;

    /// A disk or partition has an account. May sleep.
    fn arrived(&self, device: &BlockDevice<'_>, account: &Arc<Account>) -> Result<Self::Presence>;

    /// A disk or partition whose presence this is has been used for the first time. May sleep, and is called again later if
    /// it fails.
    fn used(&self, presence: &Self::Presence, account: &Account) -> Result;

    /// A client has an account. May sleep. `EEXIST`, if there is one of that name.
    fn attached(&self, account: &Arc<Account>) -> Result<Self::Presence>;

    /// Regions went with their disk or partition. May sleep.
    fn regions_gone(&self);
}
