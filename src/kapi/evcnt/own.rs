// SPDX-License-Identifier: GPL-2.0

//! Event counters of iostat itself.

use super::{
    Event,
    Events,
    Handle, //
};
use crate::acct::evcnt::Type;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// An event counter of iostat's own; dropping it detaches it, and may sleep.
pub(crate) struct EventCounter {
    events: Arc<Events>,
    handle: Handle,
}

impl EventCounter {
    /// Attaches a counter. Its parent, if it has one, is to be dropped after it. May sleep; errors as of
    /// [`Event::new`] and [`Events::attach`].
    pub(crate) fn new(
        events: &Arc<Events>,
        parent: Option<&EventCounter>,
        group: &[u8],
        name: &[u8],
    ) -> Result<Self> {
        let event = Event::new(Type::Misc, group, name)?;
        let parent = parent.map(|parent| parent.handle);
        let handle = events.attach(event, parent, None, 0)?;
        let events = events.clone();
        Ok(EventCounter { events, handle })
    }

    /// What counts with it in probes, which do not keep it attached.
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    /// Counts. In any context, NMIs excepted.
    pub(crate) fn add(&self, value: u64) {
        self.events.add(self.handle, value);
    }

    /// What it has counted. In any context.
    pub(crate) fn get(&self) -> u64 {
        self.events.get(self.handle).unwrap_or(0)
    }
}

impl Drop for EventCounter {
    fn drop(&mut self) {
        let _ = self.events.detach(self.handle);
    }
}
