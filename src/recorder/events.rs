// SPDX-License-Identifier: GPL-2.0

//! The recorder's own event counters: those of each disk, whose group is the escaped name of the disk, and, in the
//! group `iostat`, their parents, which count for all disks together.
//!
//! They count events that most I/Os do not cause, in handlers that most I/Os do not call.

use super::account::Account;
use crate::{
    evcnt::{
        AttachedGroup,
        EventCounter,
        Events, //
    },
    glue::clock, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

const GROUP: &[u8] = b"iostat";

/// Creates the counter of clock resyncs: how often the clock was adjusted to continue where it was, because the way it
/// is read has changed. May sleep; `ENOMEM`, `ENOSPC`.
pub(super) fn clock_resyncs(events: &Arc<Events>) -> Result<Arc<EventCounter>> {
    let counter = EventCounter::new(events, GROUP, b"clock_resyncs")?;
    Ok(Arc::new(counter, GFP_KERNEL)?)
}

impl clock::Exchanges for EventCounter {
    fn exchanged(&self) {
        self.add(1);
    }
}

/// The counters that belong to no particular disk.
pub(super) struct Common {
    events: Arc<Events>,
    /// The parents of the counters of all disks.
    parents: AttachedGroup,
    /// Regions whose disk or partition has left.
    pub(super) regions_gone: EventCounter,
}

impl Common {
    /// May sleep; `ENOMEM`, `ENOSPC`.
    pub(super) fn new(events: Arc<Events>) -> Result<Self> {
        Ok(Common {
            parents: AttachedGroup::new(&events, None, GROUP, None)?,
            regions_gone: EventCounter::new(&events, GROUP, b"regions_gone")?,
            events,
        })
    }

    /// Attaches the counters of a disk, until the value is dropped. May sleep; `ENOMEM`.
    pub(super) fn of_disk(&self, disk: &Account) -> Result<AttachedGroup> {
        let group = disk.identity().name.written();
        let records = Some(disk.records());
        AttachedGroup::new(&self.events, Some(&self.parents), group.as_bytes(), records)
    }
}
