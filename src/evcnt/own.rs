// SPDX-License-Identifier: GPL-2.0

//! Event counters of iostat itself.

use super::{
    CounterId, //
    EventDescription,
    Events,
};
use crate::acct::evcnt::EvcntType;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// An event counter of iostat itself. Dropping it detaches it. May sleep.
pub(crate) struct EventCounter {
    events: Arc<Events>,
    handle: CounterId,
}

impl EventCounter {
    /// Attaches a counter. May sleep. Errors as [`EventDescription::new`] and [`Events::attach`].
    pub(crate) fn new(events: &Arc<Events>, group: &[u8], name: &[u8]) -> Result<Self> {
        let event = EventDescription::new(EvcntType::Misc, group, name)?;
        let handle = events.attach(event, None, None, 0)?;
        let events = events.clone();
        Ok(EventCounter { events, handle })
    }

    /// Adds to the count. Any context but NMI.
    pub(crate) fn add(&self, value: u64) {
        self.events.add(self.handle, value);
    }

    /// Returns the count. Any context.
    pub(crate) fn get(&self) -> u64 {
        self.events.get(self.handle).unwrap_or(0)
    }
}

impl Drop for EventCounter {
    fn drop(&mut self) {
        let _ = self.events.detach(self.handle);
    }
}
