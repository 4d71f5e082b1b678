// SPDX-License-Identifier: GPL-2.0

//! Floor 2: what other modules call, beside the recorder, which is a client of it as well.
//!
//! Clients hand over addresses of memory of theirs, and names. Neither is trusted: what is
//! attached is found in tables of ours, and nothing of a client's is looked at between its calls.
//! What it attached and did not detach is detached when it goes.

mod cells;
pub(crate) mod devstat;
pub(crate) mod evcnt;
mod exports;
pub(crate) mod kstat;

#[cfg(CONFIG_KUNIT = "y")]
#[path = "../tests/kunit/kapi/mod.rs"]
mod kunit;

use crate::{
    kernel_ext::{
        global,
        module, //
    },
    recorder::clients::Clients, //
};
use devstat::Entries;
use evcnt::Events;
use kernel::{
    prelude::*,
    sync::Arc, //
};
use kstat::Chain;

/// The API, ready to be called for as long as the value is there: as long as the module, without which no
/// client can be.
pub(crate) struct Api {
    _going: module::Registration<Events>,
    _published: global::Guard<Events>,
    events: Arc<Events>,
    _kstats_going: module::Registration<Chain>,
    _kstats_published: global::Guard<Chain>,
    kstats: Arc<Chain>,
}

impl Api {
    /// May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Self> {
        let events = Events::new()?;
        let kstats = Chain::new()?;
        Ok(Api {
            _going: module::Registration::new(events.clone())?,
            _published: exports::EVENTS.publish(events.clone())?,
            events,
            _kstats_going: module::Registration::new(kstats.clone())?,
            _kstats_published: exports::kstat::CHAIN.publish(kstats.clone())?,
            kstats,
        })
    }

    /// All event counters.
    pub(crate) fn events(&self) -> Arc<Events> {
        self.events.clone()
    }

    /// All kstats.
    pub(crate) fn kstats(&self) -> Arc<Chain> {
        self.kstats.clone()
    }
}

/// devstat(9) for other modules, likewise.
pub(crate) struct DevstatApi {
    _going: module::Registration<Entries>,
    _published: global::Guard<Entries>,
}

impl DevstatApi {
    /// Accounts are opened with `clients`. May sleep; `ENOMEM`.
    pub(crate) fn new(clients: Arc<dyn Clients>) -> Result<Self> {
        let entries = Entries::new(clients)?;
        Ok(DevstatApi {
            _going: module::Registration::new(entries.clone())?,
            _published: exports::devstat::ENTRIES.publish(entries)?,
        })
    }
}
