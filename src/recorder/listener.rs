// SPDX-License-Identifier: GPL-2.0

//! Events that the recorder reports to the floor above. That floor implements the trait, so that imports go
//! downward only.

use super::{
    account::Account,
    oldest::OldestFinder, //
};
use crate::kernel_ext::block::device::BlockDevice;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Receives the events.
pub(crate) trait Listener: Send + Sync + Sized + 'static {
    /// The object that represents an account on the floor above, until its disk or partition is removed.
    type Presence: Send + Unpin;

    /// An account of a disk or partition was added, whose oldest I/O `oldest` finds. May sleep.
    fn arrived(
        &self,
        device: &BlockDevice<'_>,
        account: &Arc<Account>,
        oldest: OldestFinder,
    ) -> Result<Self::Presence>;

    /// The account of this presence is used for the first time. May sleep. If it fails, it is called again later.
    fn used(&self, presence: &Self::Presence, account: &Account) -> Result;

    /// The disk of this presence has new slow I/Os. May sleep.
    fn slow(&self, presence: &Self::Presence);

    /// An account of another module, or of an NFS file system, was added. May sleep. `EEXIST` if the name is in use.
    fn attached(&self, account: &Arc<Account>, oldest: OldestFinder) -> Result<Self::Presence>;

    /// Regions were deleted with their disk or partition. May sleep.
    fn regions_gone(&self);
}
