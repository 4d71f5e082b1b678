// SPDX-License-Identifier: GPL-2.0

//! Accounts of NFS file systems.

use super::{
    Account,
    AccountId, //
    Block,
};
use crate::{
    abi::{
        identity::{
            major_minor,
            Identity, //
        },
        name::array, //
    },
    glue::{
        io_events::{
            devinfo,
            PATH_LEN, //
        },
        records::Absent, //
    },
    kernel_ext::percpu::PerCpu, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

impl Account {
    /// Creates an account of the file system with this identity, which probes find by `handle`. May sleep;
    /// `ENOMEM`.
    pub(in crate::recorder) fn of_mount(
        identity: Identity,
        handle: AccountId,
        absent: Arc<PerCpu<Absent>>,
    ) -> Result<Arc<Self>> {
        let (major, minor) = major_minor(identity.dev);
        let path = array(format_args!("/devices/virtual/bdi/{major}:{minor}"));
        let block = Block {
            devinfo: devinfo(&identity, &identity.name, &path.unwrap_or([0; PATH_LEN])),
            disk: None,
            has_events: false,
            start_sector: 0,
            disk_key: 0,
            tag_waits: None,
            spares: None,
            leaves: KVec::new(),
        };
        Self::with(identity, handle, block, absent)
    }
}
