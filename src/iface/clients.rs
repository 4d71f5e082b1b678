// SPDX-License-Identifier: GPL-2.0

//! `/sys/class/misc/iostat/devstat/`: a directory for each entry of another module, with the files that disks
//! have.

use super::{
    sysfs::DiskObject,
    Interfaces, //
};
use crate::{
    abi::identity::Identity,
    kernel_ext::{
        kobject::{
            Directory,
            Object,
            ObjectType, //
        },
        sysfs::{
            AttributePage,
            Groups,
            Show, //
        },
    },
};
use core::fmt;
use kernel::{
    new_mutex,
    prelude::*,
    str::CString,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// The object of the directory that has all of these.
pub(super) struct ClientsObject;

/// The attributes of that directory, which has no files.
pub(super) enum NoFile {}

impl Show for NoFile {
    type Of = ClientsObject;

    fn show(&self, _of: &ClientsObject, _page: &mut AttributePage<'_>) -> fmt::Result {
        match *self {}
    }
}

static GROUPS: Groups<NoFile, 0> = Groups::new([]);

impl Object for ClientsObject {
    type Attribute = NoFile;

    const TYPE: ObjectType<Self> = ObjectType::new(&GROUPS);
}

/// The directory, while it exists.
#[pin_data]
pub(super) struct ClientsDirectory {
    #[pin]
    directory: Mutex<Option<Directory<ClientsObject>>>,
}

impl ClientsDirectory {
    pub(super) fn new() -> impl PinInit<Self> {
        pin_init!(ClientsDirectory { directory <- new_mutex!(None) })
    }

    /// Makes the directory of an account. May sleep. `EEXIST`, `ENOMEM`, also if there was no memory for the directory that
    /// has all of them.
    pub(super) fn directory(
        &self,
        identity: &Identity,
        object: DiskObject,
    ) -> Result<Directory<DiskObject>> {
        // Not escaped, as in the kernel's names of the directories of disks. The name is ASCII
        // without a slash.
        let name = identity.name;
        let name = core::str::from_utf8(name.bytes()).map_err(|_| EINVAL)?;
        let name = CString::try_from_fmt(fmt!("{name}"))?;
        let parent = self.directory.lock();
        let parent = parent.as_ref().ok_or(ENOMEM)?;
        parent.directory(&name, object)
    }
}

/// Keeps the directory.
pub(crate) struct ShownDirectory(Arc<Interfaces>);

impl ShownDirectory {
    pub(super) fn new(interfaces: Arc<Interfaces>, directory: Directory<ClientsObject>) -> Self {
        *interfaces.clients.directory.lock() = Some(directory);
        ShownDirectory(interfaces)
    }
}

impl Drop for ShownDirectory {
    fn drop(&mut self) {
        let directory = self.0.clients.directory.lock().take();
        // Dropped without the mutex.
        drop(directory);
    }
}
