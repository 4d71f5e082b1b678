// SPDX-License-Identifier: GPL-2.0

//! The probes of the fast path: see `src/acct/fast.rs`.
//!
//! Each is one function that needs no stack. What it leaves to the general path it leaves by a jump to the
//! function of `src/probes.c` with the same arguments, which begins again.

use super::{
    super::{
        account::Account,
        tracker::{
            Here,
            Tracker, //
        },
        transactions::regions, //
    },
    tracker, //
};
use crate::{
    acct::{
        busy::Root,
        entry::Entry,
        fast::{
            self,
            complete,
            issue,
            start,
            Event,
            Section, //
        },
        record::CpuRecord, //
    },
    kernel_ext::{
        bindings as own,
        block::request::Request,
        fast::{
            now_ns,
            record,
            record_at,
            restore,
            root,
            root_at,
            save,
            slot,
            Flags, //
        },
        general::is_general,
        percpu::ThisCpu,
        published::InProbe, //
    },
};
use core::{
    marker::PhantomData,
    ptr::{
        from_ref,
        NonNull, //
    }, //
};
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    },
};

/// Interrupts are off, and the time was read.
///
/// # Invariants
///
/// It lives in a probe, and only while interrupts are off. What the entry of this probe's I/O has as its memory is
/// there for `'a`: it was remembered by the general path, and see `acct/fast.rs`.
struct Off<'a> {
    flags: Flags,
    now: u64,
    _probe: PhantomData<&'a ()>,
}

impl<'a> Off<'a> {
    /// # Safety
    ///
    /// In a probe, for an I/O on the fast path.
    #[inline(always)]
    unsafe fn new() -> Self {
        let flags = save();
        // INVARIANT: By this function's requirement.
        Off {
            flags,
            now: now_ns(),
            _probe: PhantomData,
        }
    }
}

impl<'a> Section<'a> for Off<'a> {
    #[inline(always)]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn record(&self, entry: &'a Entry) -> &'a CpuRecord {
        // SAFETY: Interrupts are off by the type invariant. Floor 0 passes the entry of this probe's I/O, after it
        // has found or set its key to a state of the fast path: only entries that were remembered come to one,
        // and by the rules of `acct/fast.rs` what they refer to is there until this probe returns.
        unsafe { record(entry) }
    }

    #[inline(always)]
    fn root(&self, entry: &'a Entry) -> &'a Root {
        // SAFETY: As in `record`.
        unsafe { root(entry) }
    }

    #[inline(always)]
    fn record_of_disk(&self, partition: &'a Root) -> &'a CpuRecord {
        // SAFETY: Interrupts are off by the type invariant. The root of a partition was made with the memory of its
        // disk (`account.rs`), whose account that of the partition holds.
        unsafe { record_at(partition.disk().records) }
    }

    #[inline(always)]
    fn root_of_disk(&self, partition: &'a Root) -> &'a Root {
        // SAFETY: As in `record_of_disk`.
        unsafe { root_at(partition.disk().root) }
    }

    #[inline(always)]
    fn data(&self, key: u64) -> (bool, u32) {
        // CAST: The key of an entry on the fast path is the address of its request.
        let rq = key as *mut bindings::request;
        // SAFETY: The request of this probe's I/O, as above, and so not null; the view does not outlive this call.
        let rq = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
        (fast::Request::is_write(&rq), rq.bytes())
    }

    #[inline(never)]
    fn start_in_regions(self, entry: &'a Entry, sector: u64, bytes: u32) {
        let account = from_ref(self.root(entry)).wrapping_byte_sub(Account::ROOT_OFFSET);
        // SAFETY: Only the gauges of accounts have extras, so this is the root of an account, which is there for as long.
        let account = unsafe { &*account.cast::<Account>() };
        // SAFETY: In a probe by the type invariant.
        let probe = unsafe { InProbe::new() };
        // SAFETY: Interrupts are off by the type invariant, until `restore`.
        let cpu = unsafe { ThisCpu::new(slot()) };
        let here = Here {
            probe,
            cpu,
            now: self.now,
        };
        regions::start(here, account, entry, sector, bytes);
        restore(self.flags);
    }

    #[inline(always)]
    fn leave(self) {
        restore(self.flags);
    }
}

/// The entry that the fast path has for a request.
///
/// # Safety
///
/// As for [`tracker`].
#[inline(always)]
unsafe fn home<'a>(state: *const c_void, rq: *mut bindings::request) -> &'a Entry {
    // SAFETY: By this function's requirement.
    let tracker: &Tracker = unsafe { tracker(state) };
    tracker.home(rq as u64)
}

/// An event of a request, with the function of `src/probes.c` for it.
macro_rules! event {
    ($name:ident, $general:ident) => {
        struct $name {
            state: *mut c_void,
            rq: *mut bindings::request,
        }

        impl<'a> Event<'a> for $name {
            type Section = Off<'a>;

            #[inline(always)]
            fn enter(self) -> Off<'a> {
                // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
                unsafe { Off::new() }
            }

            #[inline(always)]
            fn general(self) {
                // SAFETY: These are the tracepoint's own arguments.
                unsafe { own::$general(self.state, self.rq) }
            }
        }
    };
}

event!(IoStart, iostat_probe_io_start);
event!(RqIssue, iostat_probe_rq_issue);

struct RqComplete {
    state: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
}

impl<'a> Event<'a> for RqComplete {
    type Section = Off<'a>;

    #[inline(always)]
    fn enter(self) -> Off<'a> {
        // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
        unsafe { Off::new() }
    }

    #[inline(always)]
    fn general(self) {
        // SAFETY: These are the tracepoint's own arguments.
        unsafe { own::iostat_probe_rq_complete(self.state, self.rq, self.status, self.nr_bytes) }
    }
}

/// # Safety
///
/// Called by its tracepoint.
#[no_mangle]
pub(super) unsafe extern "C" fn iostat_fast_io_start(
    state: *mut c_void,
    rq: *mut bindings::request,
) {
    let event = IoStart { state, rq };
    if is_general() {
        return event.general();
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    start(event, unsafe { home(state, rq) }, &request);
}

/// # Safety
///
/// Called by its tracepoint.
#[no_mangle]
pub(super) unsafe extern "C" fn iostat_fast_rq_issue(
    state: *mut c_void,
    rq: *mut bindings::request,
) {
    let event = RqIssue { state, rq };
    if is_general() {
        return event.general();
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    issue(event, unsafe { home(state, rq) }, &request);
}

/// # Safety
///
/// Called by its tracepoint.
#[no_mangle]
pub(super) unsafe extern "C" fn iostat_fast_rq_complete(
    state: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
) {
    let event = RqComplete {
        state,
        rq,
        status,
        nr_bytes,
    };
    if is_general() || status != 0 {
        return event.general();
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    complete(event, unsafe { home(state, rq) }, &request, nr_bytes);
}
