// SPDX-License-Identifier: GPL-2.0

//! The functions the tracepoints call: each makes borrowed types of its arguments, and one safe
//! call of `transactions.rs`.

use super::{
    listener::Listener,
    State, //
};
use crate::kernel_ext::{
    bindings::{
        iostat_bio_complete_probe_t,
        iostat_bio_probe_t,
        iostat_rq_complete_probe_t,
        iostat_rq_probe_t, //
    },
    block::{
        bio::Bio,
        request::Request, //
    },
    published::InProbe,
    tracepoint::{
        synchronize,
        Probe,
        Tracepoint, //
    },
};
use core::{
    ffi::CStr,
    marker::PhantomData,
    ptr::NonNull, //
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

/// All probes, in place until dropped.
pub(super) struct Probes<L: Listener> {
    probes: KVec<Probe>,
    /// What the probes were given as data.
    state: Arc<State<L>>,
}

impl<L: Listener> Probes<L> {
    // The types come from include/iostat/probes.h, which src/probe_types.c holds against the
    // kernel's tracepoints: a function of another type does not compile.
    const IO_START: iostat_rq_probe_t = Some(io_start::<L>);
    const RQ_ISSUE: iostat_rq_probe_t = Some(rq_issue::<L>);
    const RQ_REQUEUE: iostat_rq_probe_t = Some(rq_requeue::<L>);
    const RQ_MERGE: iostat_rq_probe_t = Some(rq_merge::<L>);
    const RQ_COMPLETE: iostat_rq_complete_probe_t = Some(rq_complete::<L>);
    const BIO_QUEUE: iostat_bio_probe_t = Some(bio_queue::<L>);
    const BIO_COMPLETE: iostat_bio_complete_probe_t = Some(bio_complete::<L>);

    /// Puts all probes in place, exits first. May sleep. `ENOENT` if a tracepoint is missing.
    pub(super) fn new(state: Arc<State<L>>) -> Result<Self> {
        let table: [(&CStr, Option<*const c_void>); 7] = [
            (
                c"block_rq_complete",
                Self::RQ_COMPLETE.map(|f| f as *const c_void),
            ),
            (
                c"block_bio_complete",
                Self::BIO_COMPLETE.map(|f| f as *const c_void),
            ),
            (
                c"block_rq_merge",
                Self::RQ_MERGE.map(|f| f as *const c_void),
            ),
            (
                c"block_rq_requeue",
                Self::RQ_REQUEUE.map(|f| f as *const c_void),
            ),
            (
                c"block_rq_issue",
                Self::RQ_ISSUE.map(|f| f as *const c_void),
            ),
            (
                c"block_bio_queue",
                Self::BIO_QUEUE.map(|f| f as *const c_void),
            ),
            (
                c"block_io_start",
                Self::IO_START.map(|f| f as *const c_void),
            ),
        ];
        let mut probes = Probes {
            probes: KVec::with_capacity(table.len(), GFP_KERNEL)?,
            state,
        };
        for (name, function) in table {
            let Some(tracepoint) = Tracepoint::find(name) else {
                pr_err!(
                    "this kernel has no tracepoint {}\n",
                    name.to_str().unwrap_or("?")
                );
                return Err(ENOENT);
            };
            let function = function
                .map(<*const c_void>::cast_mut)
                .and_then(NonNull::new);
            let data = Arc::as_ptr(&probes.state).cast_mut().cast();
            // SAFETY:
            // - The function has the prototype of the tracepoint of its name, see above.
            // - The data is the state, to which `probes` holds a reference until its drop has
            //   taken the probes away and waited for the calls under way.
            let probe = unsafe { Probe::register(tracepoint, function.ok_or(EINVAL)?, data)? };
            probes.probes.push(probe, GFP_KERNEL)?;
        }
        Ok(probes)
    }
}

impl<L: Listener> Drop for Probes<L> {
    fn drop(&mut self) {
        // Entries first, as they were put in place last.
        while self.probes.pop().is_some() {}
        synchronize();
    }
}

/// Borrows what a probe is given for the duration of its call.
struct Call<'a, L: Listener> {
    state: &'a State<L>,
    probe: InProbe<'a>,
    _call: PhantomData<&'a ()>,
}

impl<L: Listener> Call<'_, L> {
    /// # Safety
    ///
    /// Called by a probe that [`Probes::new`] registered, with its `data`; the value does not
    /// outlive the probe's call.
    #[inline(always)]
    unsafe fn new(data: *mut c_void) -> Self {
        Call {
            // SAFETY: `data` is the state, to which `Probes` holds a reference for as long as there
            // can be calls.
            state: unsafe { &*data.cast::<State<L>>() },
            // SAFETY: The caller is a probe, and the value does not outlive its call.
            probe: unsafe { InProbe::new() },
            _call: PhantomData,
        }
    }
}

macro_rules! rq_probe {
    ($name:ident) => {
        /// # Safety
        ///
        /// Called by its tracepoint as a probe of [`Probes`].
        unsafe extern "C" fn $name<L: Listener>(data: *mut c_void, rq: *mut bindings::request) {
            // SAFETY: This is a registered probe, and `call` is a local of it.
            let call = unsafe { Call::<L>::new(data) };
            if let Some(rq) = NonNull::new(rq) {
                // SAFETY: `rq` is the tracepoint's argument, and the view a temporary of this call.
                let rq = unsafe { Request::from_raw(rq) };
                call.state.$name(&call.probe, &rq);
            }
        }
    };
}

rq_probe!(io_start);
rq_probe!(rq_issue);
rq_probe!(rq_requeue);
rq_probe!(rq_merge);

/// # Safety
///
/// Called by its tracepoint as a probe of [`Probes`].
unsafe extern "C" fn rq_complete<L: Listener>(
    data: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
) {
    // SAFETY: This is a registered probe, and `call` is a local of it.
    let call = unsafe { Call::<L>::new(data) };
    if let Some(rq) = NonNull::new(rq) {
        // SAFETY: `rq` is the tracepoint's argument, and the view a temporary of this call.
        let rq = unsafe { Request::from_raw(rq) };
        call.state.rq_complete(&call.probe, &rq, status, nr_bytes);
    }
}

/// # Safety
///
/// Called by its tracepoint as a probe of [`Probes`].
unsafe extern "C" fn bio_queue<L: Listener>(data: *mut c_void, bio: *mut bindings::bio) {
    // SAFETY: This is a registered probe, and `call` is a local of it.
    let call = unsafe { Call::<L>::new(data) };
    if let Some(bio) = NonNull::new(bio) {
        // SAFETY: `bio` is the tracepoint's argument, traced only with a block device, and the view
        // a temporary of this call.
        let bio = unsafe { Bio::from_raw(bio) };
        call.state.bio_queue(&call.probe, &bio);
    }
}

/// # Safety
///
/// Called by its tracepoint as a probe of [`Probes`].
unsafe extern "C" fn bio_complete<L: Listener>(
    data: *mut c_void,
    _q: *mut bindings::request_queue,
    bio: *mut bindings::bio,
) {
    // SAFETY: This is a registered probe, and `call` is a local of it.
    let call = unsafe { Call::<L>::new(data) };
    if let Some(bio) = NonNull::new(bio) {
        // SAFETY: `bio` is the tracepoint's argument, traced only with a block device, and the view
        // a temporary of this call.
        let bio = unsafe { Bio::from_raw(bio) };
        call.state.bio_complete(&call.probe, &bio);
    }
}
