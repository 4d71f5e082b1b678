// SPDX-License-Identifier: GPL-2.0

//! Floor 2: the block layer's events become statistics.
//!
//! [`Recorder::new`] puts the probes in place; from then on every I/O is followed by
//! `transactions.rs` and recorded in the [`account::Account`] of its disk, which the
//! [`registry::Registry`] finds. Dropping the recorder takes everything away.
//!
//! Order matters. On the way in, disks are known before the first event, exits are probed before
//! entries, and entries are acted on only once all probes are in place ("armed"): registering
//! takes up to 100 ms each, and an exit that is missed would leave an I/O in its queue for ever. On
//! the way out the reverse; what is still in flight then is forgotten with the table.

pub(crate) mod account;
pub(crate) mod listener;
mod probe;
pub(crate) mod registry;
mod transactions;

use crate::{
    acct::inflight::{
        Entries,
        Keys,
        Table, //
    },
    kernel_ext::{
        class,
        published,
        zeroed::zeroed_vec, //
    },
};
use core::sync::atomic::{
    AtomicBool,
    AtomicU64,
    Ordering::{
        Relaxed,
        Release, //
    }, //
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};
use listener::Listener;
use registry::{
    List,
    Registry, //
};

/// Buckets of the in-flight table: 4,096 of 8 I/Os each, 2.3 MiB.
const BUCKETS: usize = 4096;

/// What the probes work on.
#[pin_data]
pub(crate) struct State<L: Listener> {
    armed: AtomicBool,
    keys: KVVec<Keys>,
    entries: KVVec<Entries>,
    /// I/Os that found no room in the table.
    untracked: AtomicU64,
    /// I/Os whose end nobody told of.
    abandoned: AtomicU64,
    /// The latest id given to a start event.
    last_id: AtomicU64,
    #[pin]
    registry: Registry<L>,
}

/// The recorder at work.
pub(crate) struct Recorder<L: Listener> {
    // Dropped in this order: no events, then no disks, then no state.
    probes: Option<probe::Probes<L>>,
    class: Option<class::Registration<State<L>>>,
    state: Arc<State<L>>,
}

impl<L: Listener> Recorder<L> {
    /// Starts recording on every disk there is and is to come. May sleep, for up to some seconds.
    ///
    /// `ENOENT` if the kernel lacks one of the tracepoints, `ENOMEM`.
    pub(crate) fn new(listener: Arc<L>) -> Result<Self> {
        let state = Arc::pin_init(
            try_pin_init!(State {
                armed: AtomicBool::new(false),
                keys: zeroed_vec(BUCKETS)?,
                entries: zeroed_vec(BUCKETS)?,
                untracked: AtomicU64::new(0),
                abandoned: AtomicU64::new(0),
                last_id: AtomicU64::new(0),
                registry <- Registry::new(listener),
            }),
            GFP_KERNEL,
        )?;
        let mut recorder = Recorder {
            probes: None,
            class: None,
            state,
        };
        recorder.class = Some(class::Registration::new(recorder.state.clone())?);
        recorder.probes = Some(probe::Probes::new(recorder.state.clone())?);
        recorder.state.armed.store(true, Release);
        Ok(recorder)
    }

    /// What readers need, for as long as they need it.
    pub(crate) fn state(&self) -> Arc<State<L>> {
        self.state.clone()
    }
}

impl<L: Listener> Drop for Recorder<L> {
    fn drop(&mut self) {
        self.state.armed.store(false, Relaxed);
        self.probes = None;
        self.class = None;
        self.state.registry.clear();
        // What was published is dropped by code of this module.
        published::wait_for_drops();
    }
}

impl<L: Listener> State<L> {
    #[inline(always)]
    fn inflight(&self) -> Table<'_> {
        Table::new(&self.keys, &self.entries)
    }

    /// All accounts, by priority and then in order of arrival. May sleep; `ENOMEM`.
    pub(crate) fn list(&self) -> Result<List> {
        self.registry.list()
    }

    /// How often the list has changed. Starts at 1.
    pub(crate) fn generation(&self) -> u64 {
        self.registry.generation()
    }

    /// How many accounts there are.
    pub(crate) fn numdevs(&self) -> usize {
        self.registry.numdevs()
    }

    /// I/Os that could not be followed because the in-flight table had no room.
    pub(crate) fn untracked(&self) -> u64 {
        self.untracked.load(Relaxed)
    }

    /// I/Os that vanished without an end and were closed when their memory was used again.
    pub(crate) fn abandoned(&self) -> u64 {
        self.abandoned.load(Relaxed)
    }

    /// I/Os in flight as the table has them.
    pub(crate) fn tracked(&self) -> usize {
        self.inflight().in_use()
    }
}
