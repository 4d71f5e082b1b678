// SPDX-License-Identifier: GPL-2.0

//! Floor 2: the block layer's events become statistics.
//!
//! [`Recorder::new`] puts the probes in place; from then on every I/O is followed by
//! `transactions.rs` and recorded in the [`account::Account`] of its disk. Which disks there are is
//! the [`registry::Registry`]'s to know; what it knows reaches the probes as `accounts.rs`. Dropping
//! the recorder takes everything away.
//!
//! Order matters. On the way in, disks are known before the first event, exits are probed before
//! entries, and probes find accounts only once all of them are in place: registering
//! takes up to 100 ms each, and an exit that is missed would leave an I/O in its queue for ever. On
//! the way out the reverse; what is still in flight then is forgotten with the table.

pub(crate) mod account;
pub(crate) mod accounts;
pub(crate) mod clients;
mod entries;
mod events;
pub(crate) mod listener;
pub(crate) mod messages;
pub(crate) mod nfs;
mod probe;
mod provider;
pub(crate) mod region;
mod registry;
mod tracker;
mod transactions;
mod waits;
pub(crate) mod walk;

use crate::{
    abi::map::{
        MapHeader,
        MapTarget, //
    },
    kapi::evcnt::{
        EventCounter,
        Events, //
    },
    kernel_ext::{
        block::device::BlockDevice,
        class,
        clock,
        mmap::NewMapping,
        pages::PageOf,
        percpu::with_interrupts_off,
        published,
        records,
        upkeep,
        waits::WaitHooks, //
    }, //
};
use account::Account;
use accounts::AccountId;
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
use registry::{
    DiskList,
    Registry, //
};
use tracker::Tracker;
use walk::{
    Position,
    Walk, //
};

/// What readers and the class of block devices need.
#[pin_data]
pub(crate) struct State<L: Listener> {
    tracker: Arc<Tracker>,
    #[pin]
    probes: Mutex<probe::Probes>,
    #[pin]
    registry: Registry<L>,
    header: Arc<PageOf<MapHeader>>,
}

/// The recorder at work.
pub(crate) struct Recorder<L: Listener> {
    waits: Option<WaitHooks<Tracker>>,
    timeouts: Option<probe::Timeouts>,
    class: Option<class::ClassRegistration<State<L>>>,
    _upkeep: upkeep::UpkeepRegistration<State<L>>,
    state: Arc<State<L>>,
    _clock: clock::Watch<EventCounter>,
}

impl<L: Listener> Recorder<L> {
    /// Starts recording on every disk there is and is to come. May sleep, for up to some seconds.
    ///
    /// Follows at least `inflight` I/Os at a time, or as many as suit the machine if that is 0; of each
    /// disk besides what it is promised. `EINVAL` if that is too few or too many, `ENOENT` if the
    /// kernel lacks one of the tracepoints, `ENOMEM`.
    ///
    /// Event counters are attached to `events`; those of what comes with most I/Os count only with
    /// `frequent_events`.
    pub(crate) fn new(
        listener: Arc<L>,
        events: Arc<Events>,
        inflight: u32,
        frequent_events: bool,
    ) -> Result<Self> {
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
                header,
            }),
            GFP_KERNEL,
        )?;
        let mut recorder = Recorder {
            waits: None,
            timeouts: None,
            class: None,
            _upkeep: upkeep::UpkeepRegistration::new(state.clone()),
            state,
            _clock: clock,
        };
        recorder.class = Some(class::ClassRegistration::new(recorder.state.clone())?);
        recorder.state.probes.lock().start()?;
        recorder.state.registry.open();
        recorder.waits = Some(WaitHooks::new(recorder.state.tracker.clone())?);
        recorder.timeouts = Some(probe::Timeouts::new(recorder.state.tracker.clone()));
        Ok(recorder)
    }

    /// What readers need, for as long as they need it.
    pub(crate) fn state(&self) -> Arc<State<L>> {
        self.state.clone()
    }
}

impl<L: Listener> Drop for Recorder<L> {
    fn drop(&mut self) {
        self.waits = None;
        self.timeouts = None;
        // No events, then no disks, then no state.
        self.state.registry.close();
        self.state.probes.lock().stop();
        self.class = None;
        // What was published is dropped by code of this module.
        published::wait_for_drops();
    }
}

impl<L: Listener> upkeep::Upkeep for State<L> {
    fn upkeep(&self) {
        for account in self.walk(Position::FIRST) {
            account.upkeep();
            self.registry.follow_use(&account);
        }
        self.remove_tag_waits();
        self.registry.upkeep_unlisted();
    }
}

impl<L: Listener> class::Devices for State<L> {
    fn arrived(&self, device: &BlockDevice<'_>) {
        if let Err(error) = self.record(device) {
            let name = device.name();
            pr_warn!("{name}: not recorded: {error:?}\n");
        }
    }

    fn leaves(&self, device: &BlockDevice<'_>) {
        self.registry.remove(device);
    }
}

impl<L: Listener> State<L> {
    /// Begins to record a disk or partition. May sleep.
    fn record(&self, device: &BlockDevice<'_>) -> Result {
        if device.takes_bios() {
            self.probes.lock().need(probe::OptionalProbes::Bios)?;
        } else if device.sends_clones() {
            self.probes.lock().need(probe::OptionalProbes::Clones)?;
        }
        self.registry.add(device)
    }

    /// Removes tasks from wait queues that do not wait for a tag any more, though no I/O of theirs has started. May sleep.
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

    /// The account at a position, unless it has left. May sleep.
    fn at(&self, position: Position) -> Option<Arc<Account>> {
        self.registry.at(position)
    }

    /// How often the list has changed. Starts at 1.
    pub(crate) fn generation(&self) -> u64 {
        self.registry.generation()
    }

    /// Notified when that changes.
    pub(crate) fn changed(&self) -> &PollCondVar {
        self.registry.changed()
    }

    /// The account of this device number, unless it has left. May sleep.
    pub(crate) fn numbered(&self, number: u32) -> Option<Arc<Account>> {
        self.registry.numbered(number)
    }

    /// Shows what is in the file at the place a program asks for. May sleep. `ENXIO` if there is nothing, or no
    /// longer; else as [`NewMapping::show`].
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

    /// How many of them are of disks, and how many of partitions. May sleep.
    pub(crate) fn disks_and_partitions(&self) -> (usize, usize) {
        self.registry.disks_and_partitions()
    }

    /// I/Os that could not be followed because the in-flight table had no room.
    pub(crate) fn untracked(&self) -> u64 {
        self.tracker.untracked()
    }

    /// I/Os that vanished without an end and were closed when their memory was used again.
    pub(crate) fn abandoned(&self) -> u64 {
        self.tracker.abandoned()
    }

    /// Completions of requests that are not followed.
    pub(crate) fn unmarked(&self) -> u64 {
        self.tracker.unmarked()
    }

    /// I/Os that all disks together can have in flight without any being lost.
    pub(crate) fn inflight(&self) -> usize {
        self.tracker.entries().ios()
    }

    /// I/Os that are promised room besides, each disk its own. May sleep.
    pub(crate) fn promised(&self) -> usize {
        self.tracker.entries().promised()
    }

    /// I/Os in flight as the table has them.
    pub(crate) fn tracked(&self) -> usize {
        self.tracker.tracked()
    }
}
