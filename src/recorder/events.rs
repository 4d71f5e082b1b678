// SPDX-License-Identifier: GPL-2.0

//! Event counters of the recorder's own: of each disk, with the disk's name, as it is written, for their group, and of all
//! of them together, in the group `iostat`, as the parents of those.
//!
//! They count what does not happen to most I/Os, in handlers that most I/Os do not come to.

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

/// How often the clock was set anew to where it was, as it is read another way from there on. May sleep; `ENOMEM`, `ENOSPC`.
pub(super) fn clock_resyncs(events: &Arc<Events>) -> Result<Arc<EventCounter>> {
    let counter = EventCounter::new(events, GROUP, b"clock_resyncs")?;
    Ok(Arc::new(counter, GFP_KERNEL)?)
}

impl clock::Exchanges for EventCounter {
    fn exchanged(&self) {
        self.add(1);
    }
}

/// What is of no disk in particular.
pub(super) struct Common {
    events: Arc<Events>,
    /// Of the counters of all disks.
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
