// SPDX-License-Identifier: GPL-2.0

//! Floor 2: records the block layer's events as statistics.
//!
//! [`Recorder::new`] puts the probes in place; from then on every I/O is tracked by `transactions.rs` and
//! recorded in the [`account::Account`] of its disk. The [`registry::Registry`] lists the disks; probes look
//! them up in `accounts.rs`. Dropping the recorder removes the probes and frees the accounts.
//!
//! Order matters. At start, disks are listed before the first event, the ends of I/Os are probed before their starts, and
//! probes find accounts only once all probes are registered: registering a probe takes up to 100 ms, and an end that is
//! missed would leave an I/O in its queue for ever. At stop, the order is reversed; I/Os that are still in
//! flight are dropped with the table.

pub(crate) mod account;
pub(crate) mod accounts;
pub(crate) mod cgroup_control;
pub(crate) mod cgroup_rows;
mod cgroups;
pub(crate) mod clients;
mod context;
mod entries;
mod events;
mod found;
pub(crate) mod inflight;
pub(crate) mod listener;
pub(crate) mod messages;
pub(crate) mod nfs;
pub(crate) mod oldest;
pub(crate) mod position;
mod probe;
mod promise;
mod provider;
pub(crate) mod region;
mod registry;
pub(crate) mod size_rows;
pub(crate) mod slow;
pub(crate) mod slow_rows;
mod tracker;
mod transactions;
mod waits;
pub(crate) mod walk;

use crate::{
    abi::{
        identity::DeviceKind,
        map::{
            MapHeader,
            MapTarget, //
        },
        name::Name, //
    },
    evcnt::{
        EventCounter,
        Events, //
    },
    glue::{
        clock,
        records,
        upkeep,
        waits::WaitHooks, //
    },
    kernel_ext::{
        block::device::BlockDevice,
        class,
        memory::NoIo,
        mmap::NewMapping,
        pages::PageOf,
        percpu::with_interrupts_off,
        published, //
    },
};
use account::id::AccountId;
use account::Account;
use cgroup_control::CgroupControl;
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        poll::PollCondVar,
        Arc,
        Mutex, //
    }, //
};
use listener::Listener;
use oldest::OldestFinder;
use position::Position;
use registry::{
    DiskList,
    Registry, //
};
use tracker::Tracker;
use walk::Walk;

/// The state of the recorder that readers and the listener to the block class use.
#[pin_data]
pub(crate) struct State<L: Listener> {
    tracker: Arc<Tracker>,
    #[pin]
    probes: Mutex<probe::Probes>,
    #[pin]
    registry: Registry<L>,
    #[pin]
    cgroup_control: Mutex<CgroupControl>,
    header: Arc<PageOf<MapHeader>>,
}

/// The running recorder.
pub(crate) struct Recorder<L: Listener> {
    waits: Option<WaitHooks<Tracker>>,
    timeouts: Option<probe::Timeouts>,
    class: Option<class::ClassRegistration<State<L>>>,
    _upkeep: upkeep::UpkeepRegistration,
    state: Arc<State<L>>,
    _clock: clock::Watch<EventCounter>,
}

impl<L: Listener> Recorder<L> {
    /// Starts recording on all present and future disks. May sleep, for up to some seconds.
    ///
    /// Tracks at least `inflight` I/Os at a time, or a number that depends on the memory of the machine if that is 0,
    /// and for each disk also the I/Os reserved for it. `EINVAL` if `inflight` is out of range, `ENOENT` if the
    /// kernel lacks one of the tracepoints, `ENOMEM`.
    ///
    /// Attaches event counters to `events`. Events that most I/Os cause are counted only with `frequent_events`.
    pub(crate) fn new(
        listener: Arc<L>,
        events: Arc<Events>,
        inflight: u32,
        frequent_events: bool,
        cgroup_rows: u32,
    ) -> Result<Self> {
        if !cgroups::ROWS.contains(&cgroup_rows) {
            let (least, most) = cgroups::ROWS.into_inner();
            pr_err!("cgroup_rows={cgroup_rows} is not from {least} to {most}\n");
            return Err(EINVAL);
        }
        if inflight != 0 && !entries::IOS.contains(&inflight) {
            let (least, most) = entries::IOS.into_inner();
            pr_err!("inflight={inflight} is not from {least} to {most}\n");
            return Err(EINVAL);
        }
        let header = PageOf::new(MapHeader::new(&records::layout()))?;
        let header = Arc::new(header, GFP_KERNEL)?;
        let clock = clock::Watch::new(header.clone(), events::clock_resyncs(&events)?)?;
        // CAST: 23 bits at most.
        let tracker = Tracker::new(inflight as usize)?;
        let common = events::Common::new(events)?;
        let registry = Registry::new(listener, tracker.clone(), common, header.clone());
        let mut probes = probe::Probes::new(tracker.clone());
        if frequent_events {
            probes.need(probe::OptionalProbes::FrequentEvents)?;
        }
        let probes = new_mutex!(probes);
        let state = Arc::pin_init(
            pin_init!(State {
                tracker,
                probes <- probes,
                registry <- registry,
                cgroup_control <- new_mutex!(CgroupControl::new(cgroup_rows)),
                header,
            }),
            GFP_KERNEL,
        )?;
        let mut recorder = Recorder {
            waits: None,
            timeouts: None,
            class: None,
            _upkeep: upkeep::UpkeepRegistration::new(state.clone())?,
            state,
            _clock: clock,
        };
        recorder.class = Some(class::ClassRegistration::new(recorder.state.clone())?);
        recorder.state.probes.lock().start()?;
        recorder.state.registry.open();
        recorder.waits = Some(WaitHooks::new(recorder.state.tracker.clone())?);
        recorder.timeouts = Some(probe::Timeouts::new(recorder.state.tracker.clone())?);
        Ok(recorder)
    }

    /// The state, for readers.
    pub(crate) fn state(&self) -> Arc<State<L>> {
        self.state.clone()
    }
}

impl<L: Listener> Drop for Recorder<L> {
    fn drop(&mut self) {
        self.waits = None;
        self.timeouts = None;
        self.state.cgroup_control.lock().stop(&self.state.tracker);
        // First the probes, then the disks, then the state.
        self.state.registry.close();
        self.state.probes.lock().stop();
        self.class = None;
        // RCU callbacks that drop published values are code of this module.
        published::wait_for_drops();
    }
}

impl<L: Listener> upkeep::Upkeep for State<L> {
    fn upkeep(&self) {
        // Without memory, it is tried again the next time.
        let _ = self.tracker.spare_rings().refill();
        for account in self.walk(Position::FIRST) {
            account.upkeep();
            self.registry.follow_use(&account);
            self.registry.notify_slow(&account);
        }
        self.registry.absorb_partitions();
        self.remove_tag_waits();
        self.registry.upkeep_unlisted();
        // The mutex is held meanwhile: see `Registry::add_client`.
        let _noio = NoIo::new();
        self.cgroup_control.lock().upkeep();
    }
}

impl<L: Listener> class::Devices for State<L> {
    fn arrived(&self, device: &BlockDevice<'_>) {
        if let Err(error) = self.record(device) {
            let name = Name::new(device.name());
            pr_warn!("{name}: not recorded: {error:?}\n");
        }
    }

    fn leaves(&self, device: &BlockDevice<'_>) {
        let number = self.registry.remove(device);
        if let (false, Some(number)) = (device.is_partition(), number) {
            self.cgroup_control.lock().remove_device(number);
        }
    }
}

impl<L: Listener> State<L> {
    /// Begins to record a disk or partition. May sleep.
    fn record(&self, device: &BlockDevice<'_>) -> Result {
        if device.is_bio_based() {
            self.probes.lock().need(probe::OptionalProbes::Bios)?;
        } else if device.sends_clones() {
            self.probes.lock().need(probe::OptionalProbes::Clones)?;
        }
        self.registry.add(device)
    }

    /// Removes tasks from wait queues that stopped waiting for a tag without starting an I/O. May sleep.
    fn remove_tag_waits(&self) {
        let tag_waits = self.tracker.tag_waits();
        tag_waits.remove_gone(clock::now_ns(), |disk| {
            if let Some(account) = self.numbered(AccountId::from_bits(disk).number()) {
                with_interrupts_off(|cpu| account.leave_tag_wait(clock::now_ns(), cpu));
            }
        });
    }

    /// All accounts, by priority and then in order of arrival. May sleep; `ENOMEM`.
    pub(crate) fn list(&self) -> Result<DiskList> {
        self.registry.list()
    }

    /// The generation of the list, and how many accounts it has. May sleep.
    pub(crate) fn heading(&self) -> (u64, usize) {
        self.registry.heading()
    }

    /// All accounts of the list from a position on. May sleep.
    pub(crate) fn walk(&self, from: Position) -> Walk<'_, L> {
        Walk::new(&self.registry, from)
    }

    /// The account at a position; [`None`] if it was removed. May sleep.
    fn at(&self, position: Position) -> Option<Arc<Account>> {
        self.registry.at(position)
    }

    /// How often the list has changed. Starts at 1.
    pub(crate) fn generation(&self) -> u64 {
        self.registry.generation()
    }

    /// Notified when the generation changes.
    pub(crate) fn changed(&self) -> &PollCondVar {
        self.registry.changed()
    }

    /// The account of this device number; [`None`] if it was removed. May sleep.
    pub(crate) fn numbered(&self, number: u32) -> Option<Arc<Account>> {
        self.registry.numbered(number)
    }

    /// The account of the disk with this device number; [`None`] if it was removed, or is not a disk. May sleep.
    pub(crate) fn numbered_disk(&self, number: u32) -> Option<Arc<Account>> {
        let account = self.numbered(number)?;
        (account.identity().kind() == DeviceKind::Disk).then_some(account)
    }

    /// Maps the pages that a program asks for. May sleep. `ENXIO` if there is no device at this offset; else as
    /// [`NewMapping::show`].
    pub(crate) fn map(&self, mapping: &NewMapping<'_>) -> Result {
        match records::layout().place(mapping.first_page()) {
            Some(MapTarget::Header(_)) => mapping.show(self.header.clone()),
            Some(MapTarget::Device(number, _)) => {
                let account = self.numbered(number).ok_or(ENXIO)?;
                mapping.show(account.records())
            }
            None => Err(ENXIO),
        }
    }

    /// How many accounts there are.
    pub(crate) fn numdevs(&self) -> usize {
        self.registry.numdevs()
    }

    /// The number of disks, and of partitions. May sleep.
    pub(crate) fn disks_and_partitions(&self) -> (usize, usize) {
        self.registry.disks_and_partitions()
    }

    /// I/Os that were not tracked because the in-flight table was full.
    pub(crate) fn untracked(&self) -> u64 {
        self.tracker.untracked()
    }

    /// I/Os that ended without an event, found when the memory of the request was reused.
    pub(crate) fn abandoned(&self) -> u64 {
        self.tracker.abandoned()
    }

    /// Completions of requests that are not in the in-flight table.
    pub(crate) fn unmatched_completions(&self) -> u64 {
        self.tracker.unmatched_completions()
    }

    /// I/Os that all disks together can have in flight before one is not tracked.
    pub(crate) fn inflight(&self) -> usize {
        self.tracker.entries().ios()
    }

    /// I/Os reserved for single disks, in addition. May sleep.
    pub(crate) fn promised(&self) -> usize {
        self.tracker.entries().promised()
    }

    /// Looks for the oldest I/Os in flight.
    pub(crate) fn oldest(&self) -> OldestFinder {
        OldestFinder::new(self.tracker.clone())
    }

    /// I/Os in the in-flight table.
    pub(crate) fn tracked(&self) -> usize {
        self.tracker.tracked()
    }
}
