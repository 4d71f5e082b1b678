// SPDX-License-Identifier: GPL-2.0

//! Counts requests that time out. The kernel has no tracepoint for them.
//!
//! `blk_mq_timeout_work()` reads the time. If any request has timed out by then, it calls `blk_mq_handle_expired()` for each
//! request in flight, which passes those that have timed out to the driver. Both functions are hooked at their entry only: hooks
//! at exits would give every task a shadow stack for as long as the module is loaded.

use super::super::tracker::Tracker;
use crate::{
    acct::{
        disk_event::DiskEvent,
        timeout::{
            has_passed,
            TimeoutWorkers, //
        },
    },
    kernel_ext::{
        block::request::{
            disk_of_request,
            pending_deadline, //
        },
        fprobe::{
            Arguments,
            EntryHandler,
            Fprobe, //
        },
        once::OnceBox,
        published::as_probe,
        task,
        time::jiffies,
        work::{
            DelayedWork,
            Work, //
        }, //
    },
};
use core::ptr::NonNull;
use kernel::{
    prelude::*,
    sync::Arc,
    time::msecs_to_jiffies, //
};

/// To hook a function the kernel walks over all functions that it can trace. insmod does not wait for that: no recorded I/O
/// can time out before a second has passed.
const DELAY_MS: u32 = 100;

/// Called at the entry of `blk_mq_timeout_work()`, before it reads the time.
struct TimerEntry(Arc<TimeoutWorkers>);

impl EntryHandler for TimerEntry {
    fn entry(&self, _arguments: Arguments<'_>) {
        self.0.begin(task::current_pid(), jiffies() as u64);
    }
}

/// Called at the entry of `blk_mq_handle_expired()`, whose first argument is a request. Its caller holds a
/// reference to the request.
struct RequestEntry {
    workers: Arc<TimeoutWorkers>,
    tracker: Arc<Tracker>,
}

impl EntryHandler for RequestEntry {
    fn entry(&self, arguments: Arguments<'_>) {
        let Some(start) = self.workers.start(task::current_pid(), jiffies() as u64) else {
            return;
        };
        let Some(rq) = NonNull::new(arguments.get(0) as *mut _) else {
            return;
        };
        // SAFETY: `new` hooks `blk_mq_handle_expired()` with this handler.
        let deadline = unsafe { pending_deadline(rq) };
        if deadline.is_some_and(|deadline| has_passed(deadline as u64, start)) {
            // SAFETY: As above; the caller's reference to the request keeps its queue.
            let disk = unsafe { disk_of_request(rq) };
            as_probe(|probe| self.tracker.count_event(probe, disk, DiskEvent::Timeouts));
        }
    }
}

/// Two fprobes, although one could hook both functions: see [`Fprobe`].
struct TimeoutProbes {
    _request: Fprobe<RequestEntry>,
    _timer: Fprobe<TimerEntry>,
}

impl TimeoutProbes {
    fn new(tracker: Arc<Tracker>) -> Result<Self> {
        let workers = Arc::new(TimeoutWorkers::default(), GFP_KERNEL)?;
        let timer = Fprobe::new(c"blk_mq_timeout_work", TimerEntry(workers.clone()))?;
        let request = RequestEntry { workers, tracker };
        Ok(TimeoutProbes {
            _request: Fprobe::new(c"blk_mq_handle_expired", request)?,
            _timer: timer,
        })
    }
}

struct Hooking {
    tracker: Arc<Tracker>,
    probes: OnceBox<TimeoutProbes>,
}

impl Work for Hooking {
    fn run(&self) {
        // Without these functions, or memory, timeouts are not counted.
        let probes = TimeoutProbes::new(self.tracker.clone());
        if let Ok(probes) = probes.and_then(|probes| Ok(KBox::new(probes, GFP_KERNEL)?)) {
            let _ = self.probes.set(probes);
        }
    }
}

/// Counts timeouts, from soon after the value was made until it is dropped, if this kernel has the functions and can trace them.
pub(in crate::recorder) struct Timeouts(
    #[allow(dead_code, reason = "it is held")] DelayedWork<Hooking>,
);

impl Timeouts {
    /// May sleep; `ENOMEM`.
    pub(in crate::recorder) fn new(tracker: Arc<Tracker>) -> Result<Self> {
        let hooking = DelayedWork::new(Hooking {
            tracker,
            probes: OnceBox::new(),
        })?;
        hooking.queue_after(msecs_to_jiffies(DELAY_MS));
        Ok(Timeouts(hooking))
    }
}
