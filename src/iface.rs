// SPDX-License-Identifier: GPL-2.0

//! Floor 3: what users see: sysfs, `/dev/iostat`.

pub(crate) mod chardev;
pub(crate) mod control;
mod messages;
pub(crate) mod sysfs;

use crate::{
    kernel_ext::{
        block::device::BlockDevice,
        kobject::Directory, //
    },
    recorder::{account::Account, listener::Listener, State}, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The interfaces, as the recorder's listener.
pub(crate) struct Interfaces;

/// The recorder's state with these interfaces on top.
pub(crate) type Recording = State<Interfaces>;

impl Listener for Interfaces {
    /// The directory of the disk or partition in sysfs.
    type Presence = Directory<sysfs::DiskObject>;

    fn arrived(&self, device: &BlockDevice<'_>, account: &Arc<Account>) -> Result<Self::Presence> {
        device.directory(c"iostat", sysfs::DiskObject::new(account.clone()))
    }
}
