// SPDX-License-Identifier: GPL-2.0

//! Periodic work that sleeps, which code in atomic context can also request.

use crate::kernel_ext::{
    global::{
        Global,
        Guard, //
    },
    work::{
        DelayedWork,
        Work, //
    }, //
};
use kernel::{
    prelude::*,
    sync::{
        rcu,
        Arc, //
    },
    time::{
        msecs_to_jiffies,
        Jiffies, //
    }, //
};

/// How often the work is done without a request: so often that no CPU completes 2^30 I/Os on one disk meanwhile. See
/// `src/acct/histogram.rs`.
const PERIOD_MS: u32 = 10_000;

/// How long [`wake_soon`] waits.
const SOON_MS: u32 = 100;

/// A type with periodic work.
pub(crate) trait Upkeep: Send + Sync + 'static {
    /// Does the work. Calls do not overlap. May sleep.
    fn upkeep(&self);
}

/// The only work item that calls [`Upkeep::upkeep`].
struct Now(Arc<dyn Upkeep>);

impl Work for Now {
    fn run(&self) {
        self.0.upkeep();
    }
}

/// Queues [`Now`] some time later.
struct Soon;

impl Work for Soon {
    fn run(&self) {
        wake();
    }
}

/// Queues [`Now`] in each period.
struct Again;

impl Work for Again {
    fn run(&self) {
        wake();
        with_items(|items| items.again.queue_after(msecs_to_jiffies(PERIOD_MS)));
    }
}

/// Dropped in this order: an item that queues another one is cancelled before that.
struct Items {
    again: DelayedWork<Again>,
    soon: DelayedWork<Soon>,
    now: DelayedWork<Now>,
}

static ITEMS: Global<Items> = Global::new();

fn with_items(queue: impl FnOnce(&Items)) {
    if let Some(items) = ITEMS.borrow(&rcu::read_lock()) {
        queue(&items);
    }
}

/// Calls [`Upkeep::upkeep`] every ten seconds, and after each [`wake`]. Dropping it waits for the last call and may
/// sleep. At most one registration exists at a time.
pub(crate) struct UpkeepRegistration(#[allow(dead_code, reason = "it is held")] Guard<Items>);

impl UpkeepRegistration {
    /// May sleep; `ENOMEM`, `EBUSY` if there is a registration.
    pub(crate) fn new(of: Arc<dyn Upkeep>) -> Result<Self> {
        let items = Items {
            again: DelayedWork::new(Again)?,
            soon: DelayedWork::new(Soon)?,
            now: DelayedWork::new(Now(of))?,
        };
        let guard = ITEMS.publish(Arc::new(items, GFP_KERNEL)?)?;
        with_items(|items| items.again.queue_after(msecs_to_jiffies(PERIOD_MS)));
        Ok(UpkeepRegistration(guard))
    }
}

/// Requests a call of [`Upkeep::upkeep`] soon. Any context but NMI. Without an [`UpkeepRegistration`] it does nothing.
pub(crate) fn wake() {
    const AT_ONCE: Jiffies = 0;
    with_items(|items| items.now.queue_after(AT_ONCE));
}

/// As [`wake`], but some time later, so that many requests are one call.
pub(crate) fn wake_soon() {
    with_items(|items| items.soon.queue_after(msecs_to_jiffies(SOON_MS)));
}
