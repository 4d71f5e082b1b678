// SPDX-License-Identifier: GPL-2.0

//! NFS file systems, each with an account, for as long as they are mounted.

use super::{
    listener::Listener,
    probe,
    tracker::Tracker,
    State, //
};
use crate::{
    abi::{
        identity::{
            device_type,
            priority,
            support_flags,
            Identity, //
        },
        name::Name, //
    },
    glue::{
        clock,
        nfs::{
            Mounts,
            NfsHooks, //
        }, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The driver, and the prefix of the names of its file systems.
const NFS: &[u8] = b"nfs";

/// Records NFS file systems. To be dropped before the recorder.
pub(crate) struct Nfs<L: Listener>(
    #[allow(dead_code, reason = "it is held")] NfsHooks<State<L>, Tracker>,
);

impl<L: Listener> Nfs<L> {
    /// Starts to record NFS file systems while `nfs.ko` is loaded. May sleep; `ENOMEM`.
    pub(crate) fn new(state: Arc<State<L>>) -> Result<Self> {
        let tracker = state.tracker.clone();
        Ok(Nfs(probe::nfs::hooks(state, tracker)?))
    }
}

impl<L: Listener> Mounts for State<L> {
    fn mounted(&self, key: u64, dev: u32) {
        if let Err(error) = self.registry.add_mount(key, identity(dev)) {
            pr_warn!("nfs: a file system is not recorded: {error:?}\n");
        }
    }

    fn unmounted(&self, key: u64) {
        self.registry.remove_mount(key);
    }
}

/// The identity of a file system, without its number.
fn identity(dev: u32) -> Identity {
    let device_name = Name::new(NFS);
    Identity {
        name: device_name,
        device_name,
        unit_number: 0,
        driver: device_name,
        number: u32::MAX,
        dev,
        is_partition: false,
        diskseq: 0,
        crtime: clock::now_ns(),
        priority: priority::OTHER,
        device_type: device_type::DIRECT | device_type::IF_OTHER,
        flags: support_flags::NO_BLOCKSIZE | support_flags::NO_ORDERED_TAGS,
        block_size: 0,
    }
}
