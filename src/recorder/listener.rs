// SPDX-License-Identifier: GPL-2.0

//! What the recorder tells the floor above. That floor implements it, so that imports go
//! downward only.

use super::account::Account;
use crate::kernel_ext::block::disk::Disk;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// Who is told.
pub(crate) trait Listener: Send + Sync + Sized + 'static {
    /// What stands for an account on the floor above, until its disk leaves.
    type Presence: Send;

    /// A disk has an account. May sleep.
    fn arrived(&self, disk: &Disk<'_>, account: &Arc<Account>) -> Result<Self::Presence>;
}
