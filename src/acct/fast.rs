// SPDX-License-Identifier: GPL-2.0

//! The fast path: the events of most I/Os, in as few instructions as possible.
//!
//! Most I/Os are reads and writes of a whole disk that complete without an error, and block drivers
//! reuse their requests. So the entry of a request remembers where its last I/O was recorded, and
//! the next I/O of that request needs no lookup: its state is in the lowest bits of the entry's key, and its
//! class is that of the request. An event that is more complicated is left to the general path before
//! anything of it is recorded ([`FastEvent::general`]). The general path then moves the state of the I/O into the
//! entry ([`Entry::generalize`]), and all later events of this I/O take the general path.
//!
//! Accounts of partitions, accounts with regions, and those of disks for whose tags tasks wait have an [`Extra`] in
//! their gauge. A step that finds one does what else has to be done (`fast/extra.rs`, `fast/partition.rs`,
//! `fast/regions.rs`); the steps of other accounts need no instruction to check for extras.
//!
//! # What is remembered
//!
//! [`Remembered`] is written by the general path when an I/O starts, and used by a later start of an I/O from the
//! same [`Source`]. Two rules ensure that the account it refers to exists while it is used:
//!
//! - The owner of the entry first writes [`Remembered`] and then checks whether the account may be remembered.
//!   The caller that changes that (the account leaves, or the disk gets its first partition) first changes it, and
//!   then clears all entries ([`Entry::forget`]). Each has a full barrier between its two steps, so
//!   at least one of them sees the step of the other.
//! - When an account leaves, its entries are changed to refer to memory that is never freed while probes are registered
//!   ([`Entry::replace`]). The account is freed after all probes that were running then have returned.
//!
//! # A CPU without a record
//!
//! An account has records for the CPUs that have done I/O on it. In its place each other CPU has the absent record, with a
//! root that has [`Extra::Absent`]. A step that finds this was written to memory that is not read, and
//! is recorded again in the account (`fast/absent.rs`).
//!
//! # A slow I/O
//!
//! The end of an I/O first compares its time with the threshold of slow I/Os ([`super::slow`]), when nothing of it is recorded
//! yet. If it was slow, it is recorded in the account as on a CPU without a record, and kept (`fast/slow.rs`).
//!
//! # How a function ends
//!
//! Each function ends with a call of [`FastEvent`] or [`Section`] and returns nothing: in the module these are
//! jumps, and a probe needs no stack.

mod absent;
mod extra;
mod partition;
mod regions;
mod remembered;
mod slow;
mod slow_regions;

pub use remembered::{
    barrier,
    Memory,
    Remembered,
    Source, //
};

use super::{
    busy::{
        Extra,
        Lengths,
        QueueMove, //
        Root,
    },
    class::{
        Class,
        Kind,
        Tag, //
    },
    entry::{
        Entry,
        Times,
        COUNTED,
        HCTX_SHIFT,
        IN_REGIONS,
        RUNNING, //
    },
    inflight::KeyState,
    record::{
        CpuRecord,
        Writing, //
    },
    region::{
        list::Last,
        only::{
            AreaOffset,
            OnlyRegion, //
        },
        pending::ListTag,
        place::AreaRef, //
    },
    transition::{
        End,
        Transition, //
    },
};
use crate::{
    below::Bit,
    hint::{
        held,
        keep_apart, //
    },
    sync::{
        fence,
        Ordering::Release, //
    },
};

/// In place of a hardware queue: the I/O enters and leaves the disk's gauge directly.
pub const DIRECT: u16 = u16::MAX;

/// The values that the general path needs of an I/O that started on the fast path.
#[derive(Clone, Copy, Debug)]
pub struct Fresh {
    /// Its class: read or write, as the fast path takes no other.
    pub class: Class,
    /// Its first sector.
    pub sector: u64,
}

impl Fresh {
    /// For an I/O whose request is already used by another.
    pub const UNKNOWN: Fresh = Fresh {
        class: Class::NoData,
        sector: 0,
    };
}

impl Entry {
    /// The address of the I/O in flight, which is on the fast path.
    #[inline(always)]
    pub fn in_flight(&self) -> u64 {
        self.key.in_flight()
    }

    /// The I/O in flight has ended.
    #[inline(always)]
    pub fn release(&self) {
        self.key.release_in_flight();
    }

    /// Takes the I/O at address `key` from the fast path, if it is there, to the general one. Owner only.
    #[inline(always)]
    pub fn generalize(&self, key: u64, fresh: impl FnOnce() -> Fresh) {
        let state = self.key.state();
        if state != KeyState::General {
            self.fill_in(key, state, fresh());
        }
    }

    /// Wait and service time up to `now`, the time of its end, of an I/O that was issued on the fast path.
    pub fn fast_times(&self, now: u64) -> Times {
        let service_ns = now.wrapping_sub(self.service_ns.own());
        Times::of(now.wrapping_sub(self.start_ns.own()), service_ns)
    }

    #[cold]
    fn fill_in(&self, key: u64, state: KeyState, fresh: Fresh) {
        let mut flags = COUNTED | u32::from(DIRECT) << HCTX_SHIFT;
        let mut class = fresh.class;
        if state == KeyState::Runs {
            flags |= RUNNING;
            let issued_ns = self.service_ns.get();
            self.service_ns.set(issued_ns.wrapping_neg());
            if let Some(class_in_regions) = self.pending.leave_fast_path(issued_ns) {
                flags |= IN_REGIONS;
                if class == Fresh::UNKNOWN.class {
                    class = class_in_regions;
                }
            }
        } else {
            self.service_ns.set(0);
        }
        self.bytes.set(0);
        self.sector.set(fresh.sector);
        let kind = Kind::new(class, Tag::Simple).number();
        self.state.set(flags | u32::from(kind));
        self.memory.forget();
        // Orders these words before the key, for readers in `Entry::observe`.
        fence(Release);
        self.key.set(key, KeyState::General);
    }
}

/// The parts of a request that the fast path reads.
pub trait FastRequest: Copy {
    /// Its address.
    fn key(&self) -> u64;

    /// The address of its queue, not 0.
    fn queue(&self) -> u64;

    /// Whether it has a bio, which was submitted to the block device at this address. Valid at the start of the request only.
    fn is_submitted_to(&self, block_device: u64) -> bool;

    /// Its class by its operation.
    fn class(&self) -> Class;

    /// Its first sector.
    fn sector(&self) -> u64;

    /// Bytes that remain to be done, all of them at its start.
    fn bytes(&self) -> u32;

    /// Whether it is neither a read nor a write, or a flush or a forced unit access comes with it, or it is
    /// marked by its driver.
    fn is_special(&self) -> bool;

    /// Whether a request that is not special is a write.
    fn is_write(&self) -> bool;
}

/// An event of an I/O.
pub trait FastEvent<'a> {
    /// See [`Section`].
    type Section: Section<'a>;

    /// Begins to record the event.
    fn enter(self) -> Self::Section;

    /// Leaves the event to the general path. Nothing was recorded.
    fn general(self);
}

/// A section of code that cannot be interrupted on its CPU.
pub trait Section<'a> {
    /// When the section began, ns.
    fn now(&self) -> u64;

    /// Where this CPU finds its record of an account, and the account's root.
    type Place: Copy;

    /// The thread that submits an I/O, which is the current one.
    fn pid(&self) -> u32;

    /// Whether an I/O that took this long is kept as a slow I/O: see [`super::slow`].
    fn is_slow(&self, total_ns: u64) -> bool;

    /// Keeps the slow I/O of an entry, which has ended, and was recorded in the account that has this root. Its time may be 0:
    /// [`Section::is_slow`] is called with the difference of two clocks, which may be negative. Such an I/O is not kept.
    fn keep_slow(&self, root: &'a Root, entry: &'a Entry, rq: Self::Request, end: &End);

    /// This CPU's place in the memory of an entry.
    fn place(&self, entry: &'a Entry) -> Self::Place;

    /// The record at a place, which may be the absent one.
    fn record(&self, place: Self::Place) -> &'a CpuRecord;

    /// The root beside that record.
    fn root(&self, place: Self::Place) -> &'a Root;

    /// The root of the account that an entry remembers, unless that has left.
    fn account(&self, entry: &'a Entry) -> Option<&'a Root>;

    /// The root of the disk of a partition's root.
    fn disk(&self, partition: &'a Root) -> &'a Root;

    /// Records a step in the account that has this root, whether or not this CPU has a record of it.
    fn record_own(&self, root: &'a Root, transition: Transition);

    /// See [`FastRequest`].
    type Request: FastRequest;

    /// The request with this key.
    fn request(&self, key: u64) -> Self::Request;

    /// See the trait.
    type RegionPart: RegionPart<'a>;

    /// This CPU's part of the only region of the account at a place. If that has no region or several, or the only one has
    /// a histogram or the option `classes`, it is that of a zeroed [`OnlyRegion`].
    fn region(&self, place: Self::Place) -> Self::RegionPart;

    /// Ends the section, after the regions of the account that has this root, and of its disk, have recorded that
    /// this I/O was issued. The I/O is on the general path already.
    fn start_in_regions(self, root: &'a Root, entry: &'a Entry, sector: u64, bytes: u32);

    /// The current task has waited for a tag of the disk that has this root: since when, ns. It waits no more. [`None`] if it
    /// has not, or its wait was removed.
    fn end_tag_wait(&self, disk: &'a Root) -> Option<u64>;

    /// The regions of the account that has this root record that this I/O has ended. It is on the general path already.
    fn end_in_regions(&self, root: &'a Root, entry: &'a Entry);

    /// The I/O of an entry, which is still on the fast path, has ended and was recorded in its account. The entry is released
    /// next.
    fn ended(&self, entry: &'a Entry);

    /// Ends the section.
    fn leave(self);

    /// Does what [`Section::ended`] does, releases the entry, and ends the section.
    #[inline(always)]
    fn leave_ended(self, entry: &'a Entry)
    where
        Self: Sized,
    {
        self.ended(entry);
        entry.release();
        self.leave();
    }
}

/// The only region of a disk, as this CPU has it.
pub trait RegionPart<'a>: Copy {
    /// The values that the CPU needs of the region.
    fn region(self) -> &'a OnlyRegion;

    /// Where the latest I/O of the disk ended on this CPU. Of a region in which an I/O can be.
    fn last(self) -> &'a Last;

    /// One of its areas.
    fn area(self, at: AreaOffset) -> AreaRef<'a>;
}

/// `block_io_start`: a request is accepted.
#[inline(always)]
pub fn start<'a, E: FastEvent<'a>>(event: E, entry: &'a Entry, rq: &impl FastRequest) {
    let key = rq.key();
    let source = entry.memory.source();
    let is_known =
        source == Source::queue(rq.queue()) || rq.is_submitted_to(source.as_block_device());
    if !is_known || rq.is_special() || !entry.key.take_again(key, KeyState::Waits) {
        return event.general();
    }
    let section = event.enter();
    let now = section.now();
    entry.pid.set(section.pid());
    // Orders these words before the start, for readers in `Entry::observe`.
    fence(Release);
    entry.start_ns.set(now);
    let place = section.place(entry);
    let record = section.record(place).write();
    record.devstat.start_transaction();
    record.waitq.enter(now);
    let root = section.root(place);
    let before = root.gauge.take(QueueMove::WaitqEnter);
    // Regions record an I/O from its issue on.
    if before.without(Extra::Regions) == Lengths::IDLE {
        record.waitq_busy.rise(now);
        keep_apart();
    } else if before == Lengths::IDLE.with(Extra::Disk) {
        return partition::start_in_idle(section, entry, place, root, record);
    } else if before.has_extras_at_start() {
        return extra::start(section, entry, place, before, record);
    } else if before.wait() == 0 {
        record.waitq_busy.rise(now);
        record.both_busy.rise(now);
        if !root.stays(entry.hctx()) {
            entry.memory.forget();
        }
    }
    drop(record);
    section.leave();
}

/// `block_rq_issue`: the driver starts a request.
#[inline(always)]
pub fn issue<'a, E: FastEvent<'a>>(event: E, entry: &'a Entry, rq: &impl FastRequest) {
    let key = rq.key();
    if !entry.key.is(key, KeyState::Waits) {
        return event.general();
    }
    let section = event.enter();
    let now = section.now();
    entry.key.set(key, KeyState::Runs);
    entry.service_ns.set(now);
    let place = section.place(entry);
    let record = section.record(place).write();
    record.waitq.exit(now);
    record.runq.enter(now);
    let root = section.root(place);
    let before = root.gauge.take(QueueMove::WaitqToRunq);
    if before == Lengths::ONE_WAITS {
        record.waitq_busy.fall(now);
        record.runq_busy.rise(now);
        keep_apart();
        drop(record);
        return section.leave();
    }
    let before = before.again();
    if !before.has_extras() {
        issue_among_others(before, &record, now);
        drop(record);
        return section.leave();
    }
    if before == Lengths::ONE_WAITS.with(Extra::Regions) {
        record.waitq_busy.fall(now);
        record.runq_busy.rise(now);
        keep_apart();
    } else if before.again() == Lengths::ONE_WAITS.with(Extra::Disk) {
        return partition::issue_alone(section, entry, place, root, record);
    } else if before.has_but(Extra::Regions) {
        return extra::issue(section, entry, place, before, record);
    } else {
        issue_among_others(before, &record, now);
    }
    drop(record);
    let part = section.region(place);
    regions::issue(section, entry, part, *rq);
}

/// Records the edges of an issue that found these lengths, if the I/O was not alone.
#[inline(always)]
fn issue_among_others(before: Lengths, record: &Writing<'_>, now: u64) {
    if before.run() == 0 {
        record.runq_busy.rise(now);
        record.both_busy.rise(now);
        keep_apart();
    } else if before.wait() == 1 {
        record.waitq_busy.fall(now);
        record.both_busy.fall(now);
        keep_apart();
    }
}

/// `block_rq_complete` of `bytes` bytes without an error: a request is done, perhaps in part.
#[inline(always)]
pub fn complete<'a, E: FastEvent<'a>>(
    event: E,
    entry: &'a Entry,
    rq: &impl FastRequest,
    bytes: u32,
) {
    let key = rq.key();
    // More than remains is left to the general path, too: so these bytes are known from the request.
    if bytes != rq.bytes() || !entry.key.is(key, KeyState::Runs) {
        return event.general();
    }
    // Converted before the section begins, as the value moves to another register there anyway.
    let bytes = held(u64::from(bytes));
    let section = event.enter();
    let now = section.now();
    let total_ns = now.wrapping_sub(entry.start_ns.own());
    if section.is_slow(total_ns) {
        return slow::complete(section, entry);
    }
    let is_write = Bit::of(rq.is_write());
    let place = section.place(entry);
    let record = section.record(place).write();
    record.devstat.end_bytes(is_write, bytes);
    // CAST: They were 32 bits.
    record.record_data_size(is_write, bytes as u32);
    record.runq.exit(now);
    let service_ns = now.wrapping_sub(entry.service_ns.own());
    record.devstat.end_but_bytes(is_write, total_ns, service_ns);
    record.record_data_times(is_write, total_ns, service_ns);
    // Computed again, as no register is free to keep it.
    let place = section.place(entry);
    let root = section.root(place);
    let before = root.gauge.take(QueueMove::RunqExit);
    if before == Lengths::ONE_RUNS {
        record.runq_busy.fall(now);
        keep_apart();
        drop(record);
        return section.leave_ended(entry);
    }
    let before = before.again();
    if !before.has_extras() {
        complete_among_others(before, &record, now);
        drop(record);
        return section.leave_ended(entry);
    }
    if before == Lengths::ONE_RUNS.with(Extra::Regions) {
        record.runq_busy.fall(now);
        keep_apart();
    } else if before == Lengths::ONE_RUNS.with(Extra::Disk) {
        return partition::complete_alone(section, entry, root, before, record);
    } else if before.has_but(Extra::Regions) {
        return extra::complete(section, entry, place, before, record);
    } else {
        complete_among_others(before, &record, now);
    }
    drop(record);
    let part = section.region(place);
    regions::complete(section, entry, part);
}

/// Records the edges of an end that found these lengths, if the I/O was not alone.
#[inline(always)]
fn complete_among_others(before: Lengths, record: &Writing<'_>, now: u64) {
    if before.run() == 1 {
        record.runq_busy.fall(now);
        record.both_busy.fall(now);
        keep_apart();
    }
}
