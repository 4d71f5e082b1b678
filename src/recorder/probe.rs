// SPDX-License-Identifier: GPL-2.0

//! Registers and unregisters the probes, and has the functions that the probes in C call (`src/hooks/probes.c`). Each
//! of these functions turns its arguments into borrowed types and makes one safe call of `transactions.rs` or
//! `tracker.rs`.

pub(super) mod cgroups;
mod events;
#[cfg(target_arch = "x86_64")]
mod fast;
mod functions;
pub(super) mod nfs;
mod timeouts;

pub(super) use functions::OptionalProbes;
pub(super) use timeouts::Timeouts;

use super::{
    context::ProbeContext,
    tracker::Tracker, //
};
use crate::{
    glue::bindings::{
        iostat_bio_fn,
        iostat_bio_queue_fn,
        iostat_bio_traced_fn,
        iostat_probe_ctx,
        iostat_rq_complete_fn,
        iostat_rq_fn,
        iostat_rq_traced_fn,
        iostat_tag_wait_fn, //
    },
    kernel_ext::{
        block::{
            bio::Bio,
            request::Request, //
        },
        percpu::ThisCpu,
        published::InProbe,
        tracepoint::{
            synchronize,
            Probe,
            Tracepoint, //
        }, //
    }, //
};
use core::{
    ffi::CStr,
    ptr::NonNull, //
};
use functions::{
    Function,
    FUNCTIONS,
    OF_EVENTS,
    OF_REQUESTS,
    OF_TAG_WAITS,
    TAG_WAIT, //
};
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    },
    prelude::*,
    sync::Arc, //
};

/// The registered probes.
pub(super) struct Probes {
    /// In the order of their registration.
    probes: [Option<Probe>; FUNCTIONS],
    /// The data of the probes.
    tracker: Arc<Tracker>,
    stage: Stage,
    /// Indexed by [`OptionalProbes`].
    extras: [Need; OptionalProbes::ALL.len()],
}

#[derive(PartialEq, Eq)]
enum Stage {
    Before,
    InPlace,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Not,
    Needed,
    InPlace,
}

impl Probes {
    pub(super) fn new(tracker: Arc<Tracker>) -> Self {
        Probes {
            probes: Default::default(),
            tracker,
            stage: Stage::Before,
            extras: [Need::Not; OptionalProbes::ALL.len()],
        }
    }

    /// Registers the probes. May sleep. `ENOENT` if a tracepoint is missing, `ENOMEM`.
    pub(super) fn start(&mut self) -> Result {
        self.stage = Stage::InPlace;
        #[cfg(target_arch = "x86_64")]
        fast::set_tracker(&self.tracker);
        if Tracepoint::find(TAG_WAIT).is_some() {
            self.register(OF_TAG_WAITS)?;
        } else {
            pr_info!("this kernel has no event for waits for a tag; they are not recorded\n");
        }
        self.register(OF_EVENTS)?;
        self.register(OF_REQUESTS)?;
        for extra in OptionalProbes::ALL {
            if *self.extra(extra) == Need::Needed {
                self.need(extra)?;
            }
        }
        Ok(())
    }

    /// Registers these probes, which a disk needs, unless they are registered already. May sleep; errors as of
    /// `start`.
    pub(super) fn need(&mut self, extra: OptionalProbes) -> Result {
        if *self.extra(extra) == Need::InPlace {
            return Ok(());
        }
        *self.extra(extra) = Need::Needed;
        if self.stage == Stage::InPlace {
            self.register(extra.functions())?;
            *self.extra(extra) = Need::InPlace;
        }
        Ok(())
    }

    fn extra(&mut self, extra: OptionalProbes) -> &mut Need {
        let [bios, clones, frequent_events] = &mut self.extras;
        match extra {
            OptionalProbes::Bios => bios,
            OptionalProbes::Clones => clones,
            OptionalProbes::FrequentEvents => frequent_events,
        }
    }

    /// Unregisters all probes, and waits for those that are running. May sleep. No probe runs after it.
    pub(super) fn stop(&mut self) {
        self.stage = Stage::After;
        self.take_away(0);
        synchronize();
    }

    fn register(&mut self, functions: &[Function]) -> Result {
        let in_place = self.probes.iter().flatten();
        let before = in_place.fold(0usize, |count, _| count.saturating_add(1));
        let result = functions.iter().try_for_each(|(name, function)| {
            let probe = register(name, *function, &self.tracker)?;
            if let Some(place) = self.probes.iter_mut().find(|place| place.is_none()) {
                *place = Some(probe);
            }
            Ok(())
        });
        if result.is_err() {
            self.take_away(before);
        }
        result
    }

    /// Unregisters all but the first `keep` probes, in reverse order.
    fn take_away(&mut self, keep: usize) {
        for place in self.probes.iter_mut().skip(keep).rev() {
            *place = None;
        }
    }
}

fn register(name: &CStr, function: *const c_void, tracker: &Arc<Tracker>) -> Result<Probe> {
    let Some(tracepoint) = Tracepoint::find(name) else {
        pr_err!(
            "this kernel has no tracepoint {}\n",
            name.to_str().unwrap_or("?")
        );
        return Err(ENOENT);
    };
    let function = NonNull::new(function.cast_mut()).ok_or(EINVAL)?;
    let data = Arc::as_ptr(tracker).cast_mut().cast();
    // SAFETY:
    // - The function is one of those in `functions.rs`, which has the prototype of the tracepoint
    //   named there.
    // - The data is the tracker, to which `Probes` holds a reference until its drop has taken the
    //   probes away and waited for the calls under way.
    unsafe { Probe::register(tracepoint, function, data) }
}

impl Drop for Probes {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Borrows what a probe is given for the duration of its call.
///
/// # Safety
///
/// `state` is the data of a probe that [`Probes`] registered, and the reference is not used after the call that it
/// was passed to.
#[inline(always)]
unsafe fn tracker<'a>(state: *const c_void) -> &'a Tracker {
    // SAFETY: By this function's requirement `state` is the tracker, to which `Probes` holds a reference for as long as
    // there can be calls.
    unsafe { &*state.cast::<Tracker>() }
}

/// Calls `handle` with the context of the probe.
///
/// # Safety
///
/// Called by a probe, with interrupts off; `here` was filled by this probe.
#[inline(always)]
unsafe fn with_here(here: iostat_probe_ctx, handle: impl FnOnce(ProbeContext<'_>)) {
    // SAFETY: The caller is a probe, and the value does not outlive its call.
    let probe = unsafe { InProbe::new() };
    // SAFETY: By this function's requirement interrupts are off until the call returns, and the probe has read
    // `cpu_offset` on this CPU since it turned them off.
    let cpu = unsafe { ThisCpu::new(here.cpu_offset) };
    handle(ProbeContext {
        probe,
        cpu,
        now: here.now_ns,
    });
}

macro_rules! rq_probe {
    ($function:ident, $handler:ident) => {
        /// # Safety
        ///
        /// Called by its probe in `src/hooks/probes.c`, with interrupts off.
        #[no_mangle]
        unsafe extern "C" fn $function(
            state: *const c_void,
            rq: *mut bindings::request,
            here: iostat_probe_ctx,
        ) {
            // SAFETY: By this function's requirement.
            let tracker = unsafe { tracker(state) };
            // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
            let rq = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
            // SAFETY: By this function's requirement.
            unsafe { with_here(here, |here| tracker.$handler(here, rq)) };
        }
        const _: iostat_rq_fn = Some($function);
    };
}

rq_probe!(iostat_io_start, io_start);
rq_probe!(iostat_rq_issue, rq_issue);
rq_probe!(iostat_rq_requeue, rq_requeue);
rq_probe!(iostat_rq_merge, rq_merge);
rq_probe!(iostat_io_done, io_done);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_rq_complete(
    state: *const c_void,
    rq: *mut bindings::request,
    here: iostat_probe_ctx,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
) {
    // SAFETY: By this function's requirement.
    let tracker = unsafe { tracker(state) };
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let rq = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    unsafe { with_here(here, |here| tracker.rq_complete(here, rq, status, nr_bytes)) };
}
const _: iostat_rq_complete_fn = Some(iostat_rq_complete);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`, with interrupts off, in task context.
#[no_mangle]
unsafe extern "C" fn iostat_tag_wait(
    state: *const c_void,
    disk: *const bindings::gendisk,
    here: iostat_probe_ctx,
) {
    // SAFETY: By this function's requirement.
    let tracker = unsafe { tracker(state) };
    // SAFETY: By this function's requirement.
    // CAST: Disks are looked up by their address.
    unsafe { with_here(here, |here| tracker.tag_wait(here, disk as u64)) };
}
const _: iostat_tag_wait_fn = Some(iostat_tag_wait);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_bio_queue(
    state: *const c_void,
    bio: *mut bindings::bio,
    here: iostat_probe_ctx,
    cpu: c_uint,
) {
    // SAFETY: By this function's requirement.
    let tracker = unsafe { tracker(state) };
    // SAFETY: `bio` is the tracepoint's argument, never null, traced only with a block device; the
    // view does not outlive this call.
    let bio = unsafe { Bio::from_raw(NonNull::new_unchecked(bio)) };
    // SAFETY: By this function's requirement.
    unsafe { with_here(here, |here| tracker.bio_queue(here, bio, cpu)) };
}
const _: iostat_bio_queue_fn = Some(iostat_bio_queue);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`, with interrupts off.
#[no_mangle]
unsafe extern "C" fn iostat_bio_complete(
    state: *const c_void,
    bio: *mut bindings::bio,
    here: iostat_probe_ctx,
) {
    // SAFETY: By this function's requirement.
    let tracker = unsafe { tracker(state) };
    // SAFETY: `bio` is the tracepoint's argument, never null, traced only with a block device; the
    // view does not outlive this call.
    let bio = unsafe { Bio::from_raw(NonNull::new_unchecked(bio)) };
    // SAFETY: By this function's requirement.
    unsafe { with_here(here, |here| tracker.bio_complete(here, bio, bio.status())) };
}
const _: iostat_bio_fn = Some(iostat_bio_complete);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`.
#[no_mangle]
unsafe extern "C" fn iostat_io_start_trace(state: *const c_void, rq: *mut bindings::request) {
    // SAFETY: By this function's requirement, and the value does not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let rq = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    tracker.io_start_trace(probe, rq);
}
const _: iostat_rq_traced_fn = Some(iostat_io_start_trace);

/// # Safety
///
/// Called by its probe in `src/hooks/probes.c`.
#[no_mangle]
unsafe extern "C" fn iostat_bio_queue_trace(state: *const c_void, bio: *mut bindings::bio) {
    // SAFETY: By this function's requirement, and the value does not outlive the probe's call.
    let (tracker, probe) = unsafe { (tracker(state), InProbe::new()) };
    // SAFETY: `bio` is the tracepoint's argument, never null, traced only with a block device; the
    // view does not outlive this call.
    let bio = unsafe { Bio::from_raw(NonNull::new_unchecked(bio)) };
    tracker.bio_queue_trace(probe, bio);
}
const _: iostat_bio_traced_fn = Some(iostat_bio_queue_trace);
