// SPDX-License-Identifier: GPL-2.0

//! Floor 3: the interfaces for users: sysfs and `/dev/iostat`.

mod cache;
pub(crate) mod chardev;
mod clients;
pub(crate) mod control;
mod events;
mod ioctls;
mod kstats;
mod listing;
mod messages;
pub(crate) mod reader;
pub(crate) mod sysfs;
mod text;

use crate::{
    evcnt::Events,
    kapi::kstat::{
        Chain,
        Disk, //
    },
    kernel_ext::{
        block::device::BlockDevice,
        kobject::Directory,
        miscdevice::MiscDeviceRegistration,
        once::OnceBox,
        sysfs::SysfsNode, //
    },
    recorder::{
        account::Account,
        listener::Listener,
        oldest::OldestFinder,
        State, //
    },
};
pub(crate) use clients::ShownDirectory;
use clients::{
    ClientsDirectory,
    ClientsObject, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The interfaces, as the recorder's listener.
#[pin_data]
pub(crate) struct Interfaces {
    /// The file `regions_gone`, once it exists.
    regions_gone: OnceBox<SysfsNode>,
    #[pin]
    clients: ClientsDirectory,
    kstats: Arc<Chain>,
}

impl Interfaces {
    /// Creates the interfaces. Disks, partitions and entries are added to this chain. May sleep;
    /// `ENOMEM`.
    pub(crate) fn new(kstats: Arc<Chain>) -> Result<Arc<Self>> {
        Arc::pin_init(
            pin_init!(Interfaces {
                regions_gone: OnceBox::new(),
                clients <- ClientsDirectory::new(),
                kstats,
            }),
            GFP_KERNEL,
        )
    }

    /// Wakes those who poll the file `regions_gone` of the device, and shows the entries of clients in its directory
    /// `devstat`, until the returned value is dropped. What there is no memory for is left out. May sleep.
    pub(crate) fn show_in(
        self: &Arc<Self>,
        device: &MiscDeviceRegistration<reader::Reader>,
    ) -> Option<ShownDirectory> {
        let file = device.file(c"regions_gone");
        match file.and_then(|file| Ok(KBox::new(file, GFP_KERNEL)?)) {
            Ok(file) => drop(self.regions_gone.set(file)),
            Err(error) => pr_warn!("regions_gone: poll() is not supported: {error:?}\n"),
        }
        let directory = device.directory(c"devstat", ClientsObject);
        let directory = directory.inspect_err(|error| {
            pr_warn!("devstat: entries of other modules are not supported: {error:?}\n");
        });
        Some(ShownDirectory::new(self.clone(), directory.ok()?))
    }

    fn kstat(&self, account: &Arc<Account>) -> Option<Disk> {
        let kstat = self.kstats.add_disk(account).inspect_err(|error| {
            let name = account.identity().name;
            pr_warn!("{name}: not among the kstats: {error:?}\n");
        });
        kstat.ok()
    }
}

/// The recorder's state with these interfaces on top.
pub(crate) type Recording = State<Interfaces>;

/// The data that `/dev/iostat` shows.
pub(crate) struct ChardevContext {
    pub(crate) recording: Arc<Recording>,
    pub(crate) events: Arc<Events>,
    pub(crate) kstats: Arc<Chain>,
}

impl Listener for Interfaces {
    /// The directory in sysfs; its kstat, unless a client has one of that name.
    type Presence = (Directory<sysfs::DiskObject>, Option<Disk>);

    fn arrived(
        &self,
        device: &BlockDevice<'_>,
        account: &Arc<Account>,
        oldest: OldestFinder,
    ) -> Result<Self::Presence> {
        let object = sysfs::DiskObject::new(account.clone(), oldest);
        let directory = device.directory(c"iostat", object)?;
        Ok((directory, self.kstat(account)))
    }

    fn used(&self, (directory, _): &Self::Presence, account: &Account) -> Result {
        sysfs::add_files(directory, account)
    }

    fn slow(&self, (directory, _): &Self::Presence) {
        directory.notify(sysfs::SLOW_NAME);
    }

    fn attached(&self, account: &Arc<Account>, oldest: OldestFinder) -> Result<Self::Presence> {
        let object = sysfs::DiskObject::new(account.clone(), oldest);
        let directory = self.clients.directory(account.identity(), object)?;
        sysfs::add_files(&directory, account)?;
        Ok((directory, self.kstat(account)))
    }

    fn regions_gone(&self) {
        if let Some(file) = self.regions_gone.get() {
            file.notify();
        }
    }
}
