// SPDX-License-Identifier: GPL-2.0

//! Floor 3: what users see: sysfs, `/dev/iostat`, events.

pub(crate) mod chardev;
pub(crate) mod control;
pub(crate) mod sysfs;
pub(crate) mod trace;

use crate::{
    kernel_ext::{
        block::disk::Disk,
        io_events,
        kobject::Directory, //
    },
    recorder::{
        account::Account,
        listener::{
            Event,
            Listener, //
        },
        State,
    }, //
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
    /// The disk's directory in sysfs.
    type Presence = Directory<sysfs::DiskObject>;

    fn arrived(&self, disk: &Disk<'_>, account: &Arc<Account>) -> Result<Self::Presence> {
        disk.directory(c"iostat", sysfs::DiskObject::new(account.clone()))
    }

    #[inline(always)]
    fn watches_start() -> bool {
        io_events::start_enabled()
    }

    #[inline(always)]
    fn watches_done() -> bool {
        io_events::done_enabled()
    }

    #[cold]
    fn start(event: &Event<'_>) {
        io_events::start(&trace::io(event));
    }

    #[cold]
    fn done(event: &Event<'_>) {
        io_events::done(&trace::io(event));
    }
}
