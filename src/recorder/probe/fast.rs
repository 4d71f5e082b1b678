// SPDX-License-Identifier: GPL-2.0

//! The probes of the fast path: see `src/acct/fast.rs`.
//!
//! Each is one function that needs no stack. To leave an event to the general path, it jumps to the function
//! of `src/hooks/probes.c`, which begins again with the same arguments.

use super::{
    super::{
        account::Account,
        context::ProbeContext,
        slow::threshold_ns,
        tracker::Tracker,
        transactions::{
            regions,
            slow::rq_target, //
        },
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
            FastEvent,
            Section,
            DIRECT, //
        },
        record::CpuRecord,
        region::{
            list::Last,
            only::{
                AreaOffset,
                OnlyRegion, //
            },
            place::AreaRef, //
        },
        slow::is_slow,
        transition::{
            End,
            Transition, //
        },
    },
    glue::{
        bindings as own,
        fast::{
            now_ns,
            record,
            restore,
            root,
            root_at,
            save,
            CpuPlaces, //
            Flags,
            PlacedRegion,
        },
        general::{
            is_general,
            is_general_or_traced,
            is_general_or_watched, //
        }, //
    },
    kernel_ext::{
        block::request::Request,
        percpu::ThisCpu,
        published::InProbe,
        task::current_pid, //
    }, //
};
use core::{
    marker::PhantomData,
    ptr::{
        from_ref,
        NonNull, //
    },
    sync::atomic::{
        AtomicPtr,
        Ordering::Relaxed, //
    },
};
use kernel::{
    bindings,
    ffi::{
        c_uint,
        c_void, //
    },
};

/// A section of a probe with interrupts off, and the time at which it began.
///
/// # Invariants
///
/// The value exists only in a probe, and only while interrupts are off. The memory that the entry of this probe's
/// I/O refers to is valid for `'a`: the general path has stored it there, by the rules of `acct/fast.rs`.
struct IrqOff<'a, T = ()> {
    flags: Flags,
    now: u64,
    tracing: T,
    _probe: PhantomData<&'a ()>,
}

/// Whether the ends of I/Os are traced: `()` if not.
trait Tracing {
    /// The I/O of an entry has ended at `now`, and was recorded. In a probe, with interrupts off.
    fn ended(&self, probe: InProbe<'_>, entry: &Entry, now: u64);

    /// Does what [`Section::leave_ended`] does.
    fn leave_ended<'a>(off: IrqOff<'a, Self>, entry: &'a Entry)
    where
        Self: Sized;
}

impl Tracing for () {
    #[inline(always)]
    fn ended(&self, _probe: InProbe<'_>, _entry: &Entry, _now: u64) {}

    #[inline(always)]
    fn leave_ended<'a>(off: IrqOff<'a>, entry: &'a Entry) {
        entry.release();
        off.leave();
    }
}

impl<'a, T> IrqOff<'a, T> {
    /// # Safety
    ///
    /// In a probe, for an I/O on the fast path.
    #[inline(always)]
    unsafe fn new(tracing: T) -> Self {
        let flags = save();
        // INVARIANT: By this function's requirement.
        IrqOff {
            flags,
            now: now_ns(),
            tracing,
            _probe: PhantomData,
        }
    }
}

impl<'a> fast::RegionPart<'a> for PlacedRegion<'a> {
    #[inline(always)]
    fn region(self) -> &'a OnlyRegion {
        self.region()
    }

    #[inline(always)]
    fn last(self) -> &'a Last {
        // SAFETY: Floor 0 asks for it if an I/O is in an area of the region or beside it, so it is not a zeroed one.
        unsafe { self.last() }
    }

    #[inline(always)]
    fn area(self, at: AreaOffset) -> AreaRef<'a> {
        // SAFETY: Floor 0 passes an offset that this region has returned.
        unsafe { self.area(at) }
    }
}

impl<'a, T> IrqOff<'a, T> {
    #[inline(always)]
    fn here(&self) -> ProbeContext<'a> {
        ProbeContext {
            // SAFETY: In a probe by the type invariant.
            probe: unsafe { InProbe::new() },
            // SAFETY: Interrupts are off by the type invariant, until `restore`, after which no caller uses it.
            cpu: unsafe { this_cpu() },
            now: self.now,
        }
    }
}

impl<'a, T: Tracing> Section<'a> for IrqOff<'a, T> {
    type Place = CpuPlaces;
    type RegionPart = PlacedRegion<'a>;
    type Request = Request<'a>;

    #[inline(always)]
    fn now(&self) -> u64 {
        self.now
    }

    #[inline(always)]
    fn pid(&self) -> u32 {
        current_pid()
    }

    #[inline(always)]
    fn is_slow(&self, total_ns: u64) -> bool {
        is_slow(total_ns, threshold_ns())
    }

    fn keep_slow(&self, root: &'a Root, entry: &'a Entry, rq: Request<'a>, end: &End) {
        // SAFETY: Floor 0 passes the result of `account`, the root of an account.
        let account = unsafe { account_of(root) };
        account.keep_slow(entry, self.now, end, &rq_target(entry, rq, 0, 0));
    }

    #[inline(always)]
    fn place(&self, entry: &'a Entry) -> CpuPlaces {
        CpuPlaces::of_entry(entry)
    }

    #[inline(always)]
    fn record(&self, place: CpuPlaces) -> &'a CpuRecord {
        // SAFETY: Interrupts are off by the type invariant. Floor 0 asks for the place of the entry of this probe's I/O,
        // after it has found or set its key to a state of the fast path: only entries that were remembered come to
        // one, and by the rules of `acct/fast.rs` what they refer to is there until this probe returns.
        unsafe { record(place) }
    }

    #[inline(always)]
    fn root(&self, place: CpuPlaces) -> &'a Root {
        // SAFETY: As in `record`.
        unsafe { root(place) }
    }

    fn account(&self, entry: &'a Entry) -> Option<&'a Root> {
        let root = entry.memory().root();
        // SAFETY: As in `record`: not 0, it is the root of an account.
        (root != 0).then(|| unsafe { root_at(root) })
    }

    #[inline(always)]
    fn disk(&self, partition: &'a Root) -> &'a Root {
        // SAFETY: The root of a partition was made with the address of that of its disk (`account.rs`), whose account that
        // of the partition holds, which is there as in `record`.
        unsafe { root_at(partition.disk()) }
    }

    fn record_own(&self, root: &'a Root, transition: Transition) {
        // SAFETY: Interrupts are off by the type invariant.
        let cpu = unsafe { this_cpu() };
        // SAFETY: Floor 0 passes the results of `account` and `disk`, which are roots of accounts.
        unsafe { account_of(root) }.record(transition, DIRECT, self.now, cpu);
    }

    #[inline(always)]
    fn request(&self, key: u64) -> Request<'a> {
        // CAST: The key of an entry on the fast path is the address of its request.
        let rq = key as *mut bindings::request;
        // SAFETY: The request of this probe's I/O, as above, and so not null; the view does not outlive this call.
        unsafe { Request::from_raw(NonNull::new_unchecked(rq)) }
    }

    #[inline(never)]
    fn start_in_regions(self, root: &'a Root, entry: &'a Entry, sector: u64, bytes: u32) {
        // SAFETY: The gauge of this root has `Extra::Regions` or `Extra::Disk` and not `Extra::Absent`, so it is that of
        // an account.
        let account = unsafe { account_of(root) };
        regions::start(self.here(), account, entry, sector, bytes);
        restore(self.flags);
    }

    #[inline(always)]
    fn region(&self, place: CpuPlaces) -> PlacedRegion<'a> {
        // SAFETY: As in `record`, and in a probe.
        unsafe { PlacedRegion::new(place) }
    }

    #[inline(never)]
    fn end_tag_wait(&self, disk: &'a Root) -> Option<u64> {
        // SAFETY: As in `start_in_regions`, with `Extra::TagWaits`.
        unsafe { account_of(disk) }.end_tag_wait()
    }

    #[inline(never)]
    fn end_in_regions(&self, root: &'a Root, entry: &'a Entry) {
        // SAFETY: As in `start_in_regions`.
        regions::end(self.here(), unsafe { account_of(root) }, entry);
    }

    #[inline(always)]
    fn ended(&self, entry: &'a Entry) {
        // SAFETY: In a probe by the type invariant.
        let probe = unsafe { InProbe::new() };
        self.tracing.ended(probe, entry, self.now);
    }

    #[inline(always)]
    fn leave(self) {
        restore(self.flags);
    }

    #[inline(always)]
    fn leave_ended(self, entry: &'a Entry) {
        T::leave_ended(self, entry);
    }
}

/// Returns the account that a root is a member of.
///
/// # Safety
///
/// The root is a member of an account: it is not the root beside an absent record.
unsafe fn account_of(root: &Root) -> &Account {
    let account = from_ref(root).wrapping_byte_sub(Account::ROOT_OFFSET);
    // SAFETY: By this function's requirement the account is `ROOT_OFFSET` bytes before its root, and is valid as long as
    // its root is.
    unsafe { &*account.cast::<Account>() }
}

/// # Safety
///
/// Interrupts are off for as long as the value lives.
unsafe fn this_cpu<'a>() -> ThisCpu<'a> {
    // SAFETY: By this function's requirement the offset is this CPU's.
    unsafe { ThisCpu::current() }
}

/// The data of the probes, for functions that have no register for it.
static TRACKER: AtomicPtr<Tracker> = AtomicPtr::new(core::ptr::null_mut());

/// Sets the data of the probes, before any of them is registered.
pub(super) fn set_tracker(tracker: &Tracker) {
    TRACKER.store(from_ref(tracker).cast_mut(), Relaxed);
}

/// Returns the entry in which the fast path looks for a request.
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

/// An event of a request, with the function of `src/hooks/probes.c` for it.
macro_rules! event {
    ($name:ident, $general:ident) => {
        struct $name {
            state: *mut c_void,
            rq: *mut bindings::request,
        }

        impl<'a> FastEvent<'a> for $name {
            type Section = IrqOff<'a>;

            #[inline(always)]
            fn enter(self) -> IrqOff<'a> {
                // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
                unsafe { IrqOff::new(()) }
            }

            #[inline(always)]
            fn general(self) {
                // SAFETY: These are the tracepoint's own arguments.
                unsafe { own::$general(self.state, self.rq) }
            }
        }
    };
}

mod watched;

event!(IoStart, iostat_probe_io_start);
event!(RqIssue, iostat_probe_rq_issue);

struct RqComplete {
    state: *mut c_void,
    rq: *mut bindings::request,
    status: bindings::blk_status_t,
    nr_bytes: c_uint,
}

impl<'a> FastEvent<'a> for RqComplete {
    type Section = IrqOff<'a>;

    #[inline(always)]
    fn enter(self) -> IrqOff<'a> {
        // SAFETY: In a probe; floor 0 enters for I/Os on the fast path only.
        unsafe { IrqOff::new(()) }
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
    if is_general_or_traced() {
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
    if is_general_or_watched() || status != 0 {
        return event.general();
    }
    // SAFETY: `rq` is the tracepoint's argument, never null; the view does not outlive this call.
    let request = unsafe { Request::from_raw(NonNull::new_unchecked(rq)) };
    // SAFETY: By this function's requirement.
    complete(event, unsafe { home(state, rq) }, &request, nr_bytes);
}
