// SPDX-License-Identifier: GPL-2.0

//! Floor 2: the functions that other modules call. They use [`crate::evcnt`] and [`crate::recorder`], which do not
//! use them.
//!
//! Clients pass addresses of their own memory, and names. Neither is trusted: attached objects are looked up in
//! tables of this module, and no memory of a client is accessed between its calls, except that of installed
//! kstats. Objects that a client has not detached are detached when it is unloaded.

pub(crate) mod devstat;
mod exports;
pub(crate) mod kstat;

#[cfg(CONFIG_KUNIT = "y")]
#[path = "../tests/kunit/kapi/mod.rs"]
mod kunit;

use crate::{
    evcnt::Events,
    kernel_ext::{
        global,
        module, //
    },
    recorder::clients::ClientAccounts, //
};
use devstat::DevstatEntries;
use kernel::{
    prelude::*,
    sync::Arc, //
};
use kstat::Chain;

/// Publishes the tables of event counters and kstats to the exported functions, until it is dropped. A client
/// cannot outlive this value: it depends on this module.
pub(crate) struct Api {
    _listener: module::ModuleRegistration<Events>,
    _published: global::Guard<Events>,
    events: Arc<Events>,
    _kstats_listener: module::ModuleRegistration<Chain>,
    _kstats_published: global::Guard<Chain>,
    kstats: Arc<Chain>,
}

impl Api {
    /// Creates and publishes the tables. May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Self> {
        let events = Events::new()?;
        let kstats = Chain::new()?;
        Ok(Api {
            _listener: module::ModuleRegistration::new(events.clone())?,
            _published: exports::EVENTS.publish(events.clone())?,
            events,
            _kstats_listener: module::ModuleRegistration::new(kstats.clone())?,
            _kstats_published: exports::kstat::CHAIN.publish(kstats.clone())?,
            kstats,
        })
    }

    /// Returns all event counters.
    pub(crate) fn events(&self) -> Arc<Events> {
        self.events.clone()
    }

    /// Returns all kstats.
    pub(crate) fn kstats(&self) -> Arc<Chain> {
        self.kstats.clone()
    }
}

/// Publishes the table of devstat(9) entries to the exported functions, until it is dropped.
pub(crate) struct DevstatApi {
    _listener: module::ModuleRegistration<DevstatEntries>,
    _published: global::Guard<DevstatEntries>,
}

impl DevstatApi {
    /// Creates and publishes the table. The accounts of entries are created with `clients`. May sleep;
    /// `ENOMEM`.
    pub(crate) fn new(clients: Arc<dyn ClientAccounts>) -> Result<Self> {
        let entries = DevstatEntries::new(clients)?;
        Ok(DevstatApi {
            _listener: module::ModuleRegistration::new(entries.clone())?,
            _published: exports::devstat::ENTRIES.publish(entries)?,
        })
    }
}
