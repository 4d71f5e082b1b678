// SPDX-License-Identifier: GPL-2.0

//! Event counters of the recorder's own: of each disk, with the disk's name, as it is written, for their group, and of all
//! of them together, in the group `iostat`, as the parents of those.
//!
//! They count what does not happen to most I/Os, in handlers that most I/Os do not come to.

use crate::{
    abi::name::Name,
    acct::disk_event::{
        DiskEvent,
        DISK_EVENTS, //
    },
    kapi::evcnt::{
        CounterId, //
        EventCounter,
        Events,
    },
    kernel_ext::clock, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

const GROUP: &[u8] = b"iostat";

/// How often the clock was set anew to where it was, as it is read another way from there on. May sleep; `ENOMEM`, `ENOSPC`.
pub(super) fn clock_resyncs(events: &Arc<Events>) -> Result<Arc<EventCounter>> {
    let counter = EventCounter::new(events, None, GROUP, b"clock_resyncs")?;
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
    /// By [`DiskEvent`].
    parents: KVec<EventCounter>,
    /// Regions whose disk or partition has left.
    pub(super) regions_gone: EventCounter,
}

impl Common {
    /// May sleep; `ENOMEM`, `ENOSPC`.
    pub(super) fn new(events: Arc<Events>) -> Result<Self> {
        let mut parents = KVec::with_capacity(DISK_EVENTS, GFP_KERNEL)?;
        for event in DiskEvent::ALL {
            let name = event.name().to_bytes();
            let parent = EventCounter::new(&events, None, GROUP, name)?;
            parents.push(parent, GFP_KERNEL)?;
        }
        Ok(Common {
            regions_gone: EventCounter::new(&events, None, GROUP, b"regions_gone")?,
            parents,
            events,
        })
    }

    /// Attaches the counters of a disk, until the value is dropped. [`None`] if they cannot be attached, which other
    /// modules may cause: this is logged, and the disk is recorded without them. May sleep.
    pub(super) fn of_disk(&self, disk: &Name) -> Option<Attached> {
        let counters = self.attach(disk);
        let counters = counters.inspect_err(|error| {
            pr_warn!("{disk}: no event counters: {error:?}\n");
        });
        counters.ok().map(Attached)
    }

    fn attach(&self, disk: &Name) -> Result<KVec<EventCounter>> {
        let group = disk.written();
        let mut counters = KVec::with_capacity(DISK_EVENTS, GFP_KERNEL)?;
        for (event, parent) in DiskEvent::ALL.iter().zip(&self.parents) {
            let name = event.name().to_bytes();
            let counter = EventCounter::new(&self.events, Some(parent), group.as_bytes(), name)?;
            counters.push(counter, GFP_KERNEL)?;
        }
        Ok(counters)
    }

    /// What counts with them.
    pub(super) fn handles(&self, attached: &Attached) -> Counters {
        let mut handles = [CounterId::NONE; DISK_EVENTS];
        for (handle, counter) in handles.iter_mut().zip(&attached.0) {
            *handle = counter.handle();
        }
        Counters {
            events: self.events.clone(),
            handles,
        }
    }
}

/// The counters of a disk. Dropping them may sleep.
pub(super) struct Attached(KVec<EventCounter>);

/// The same for those who count. They count nothing once the disk has left. Probes that are in the middle of
/// it at that moment are the one case of `Cells::add` that is our own.
pub(crate) struct Counters {
    events: Arc<Events>,
    handles: [CounterId; DISK_EVENTS],
}

impl Counters {
    fn handle(&self, event: DiskEvent) -> CounterId {
        let handle = self.handles.get(event as usize);
        handle.copied().unwrap_or(CounterId::NONE)
    }

    /// One more.
    pub(super) fn count(&self, event: DiskEvent) {
        self.events.add(self.handle(event), 1);
    }

    /// How many there were.
    pub(super) fn get(&self, event: DiskEvent) -> u64 {
        self.events.get(self.handle(event)).unwrap_or(0)
    }
}
