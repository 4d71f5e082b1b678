// SPDX-License-Identifier: GPL-2.0

//! Tasks that wait for a tag.
//!
//! A request exists only when its submitter has a tag. Without a tag the submitter sleeps. Only after that does the I/O
//! become a request, and does the block layer trace its start. It is accepted and not yet issued all that time, so it
//! belongs in the wait queue: the submitter enters the wait queue of the disk in its place
//! ([`Transition::WaitqEnter`](super::transition::Transition::WaitqEnter)), and when the I/O starts, it takes the place
//! of its submitter there.
//!
//! The I/O and its partition are not known before the start. So a partition has the time of the wait only from the
//! start on ([`Transition::WaitedBefore`](super::transition::Transition::WaitedBefore)).
//!
//! # How the start of an I/O finds that its submitter has waited
//!
//! The gauge of the disk has [`Extra::TagWaits`](super::busy::Extra::TagWaits) while tasks wait, which the start of an I/O
//! on the fast path finds at no cost. A task first enters the wait queue and then adds the extra. The extra is removed by
//! an I/O that is alone in the wait queue ([`Gauge::remove_if_alone`](super::busy::Gauge::remove_if_alone)): if a task has
//! entered before that, the extra stays, and if it enters after that, it adds the extra again.
//!
//! # Who owns a wait
//!
//! The task owns its wait: it begins and ends it. Another thread removes the wait only if it will not end
//! ([`Wait::remove`]): a driver has freed the request without a start, or the task has exited. Both exchange the time
//! at which the wait began for 0, so only one of them gets the time. That one releases the place; the other one does
//! not change it.

use super::{
    counter::Counter,
    inflight::{
        hash,
        HASH_SHIFT, //
    },
};
use crate::sync::{
    AtomicU64,
    Ordering::{
        AcqRel,
        Acquire,
        Relaxed,
        Release, //
    }, //
};

/// Places in which the wait of one task can be.
const WINDOW: usize = 16;

/// How long a task has to be seen to do something else before its wait is removed, ns.
const PATIENCE_NS: u64 = 5_000_000_000;

/// A place for the wait of one task.
#[derive(Debug, Default)]
pub struct Wait {
    /// The task whose place this is; 0 if the place is free.
    task: AtomicU64,
    /// Since when the task waits, ns; 0 while it does not.
    since_ns: AtomicU64,
    /// The caller's id of the disk's account.
    disk: Counter,
    /// Since when the task was seen to do something else, ns; 0 if it was not.
    gone_since_ns: AtomicU64,
}

/// The result of [`Waits::begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitBegin {
    /// The task waits from now on.
    New,
    /// The task waited already: it has slept and got no tag.
    Again,
    /// The task waits from now on, in the same place, and no longer for a tag of this other disk.
    InsteadOf(u64),
    /// There is no room: the I/O enters the wait queue when it starts.
    NoRoom,
}

/// The waits of all tasks. Tasks are numbers, such as addresses: multiples of 8, not 0.
#[derive(Clone, Copy, Debug)]
pub struct Waits<'a>(&'a [Wait]);

impl<'a> Waits<'a> {
    /// The waits in these places.
    pub fn new(places: &'a [Wait]) -> Self {
        Waits(places)
    }

    /// The places in which the wait of a task can be, in the order of the search.
    fn window(self, task: u64) -> impl Iterator<Item = &'a Wait> {
        let (upper, lower) = self.0.split_at(self.home(task));
        lower.iter().chain(upper).take(WINDOW)
    }

    fn home(self, task: u64) -> usize {
        // CAST: The remainder is less than the length.
        let home = (hash(task) >> HASH_SHIFT).checked_rem(self.0.len() as u64);
        home.map_or(0, |home| home as usize)
    }

    /// The wait of a task, if it waits.
    fn of(self, task: u64) -> Option<&'a Wait> {
        self.window(task).find(|wait| wait.is_of(task))
    }

    /// A task waits for a tag of a disk at `now`. Called by the task.
    pub fn begin(self, task: u64, disk: u64, now: u64) -> WaitBegin {
        if let Some(wait) = self.of(task) {
            wait.gone_since_ns.store(0, Relaxed);
            let before = wait.disk.get();
            if before == disk {
                return WaitBegin::Again;
            }
            if wait.since_ns.swap(0, AcqRel) != 0 {
                wait.begin(disk, now);
                return WaitBegin::InsteadOf(before);
            }
        }
        let take = |wait: &&Wait| {
            let word = &wait.task;
            word.load(Relaxed) == 0 && word.compare_exchange(0, task, Acquire, Relaxed).is_ok()
        };
        let Some(wait) = self.window(task).find(take) else {
            return WaitBegin::NoRoom;
        };
        wait.begin(disk, now);
        WaitBegin::New
    }

    /// A task has a tag of this disk, and no longer waits for one. Returns since when it has waited, ns; [`None`] if it
    /// has not waited, or its wait was removed. Called by the task.
    pub fn end(self, task: u64, disk: u64) -> Option<u64> {
        let wait = self.of(task).filter(|wait| wait.disk.get() == disk)?;
        let since_ns = wait.since_ns.swap(0, AcqRel);
        if since_ns == 0 {
            return None;
        }
        wait.release();
        Some(since_ns)
    }

    /// All places.
    pub fn all(self) -> impl Iterator<Item = &'a Wait> {
        self.0.iter()
    }
}

impl Wait {
    /// Whether this task waits in this place.
    fn is_of(&self, task: u64) -> bool {
        self.task.load(Relaxed) == task && self.since_ns.load(Relaxed) != 0
    }

    fn begin(&self, disk: u64, now: u64) {
        self.disk.set(disk);
        self.gone_since_ns.store(0, Relaxed);
        // Release: a thread that removes the wait sees all of these stores.
        self.since_ns.store(now.max(1), Release);
    }

    /// The task that waits in this place, if one does. Any thread may call it.
    pub fn task(&self) -> Option<u64> {
        let goes_on = self.since_ns.load(Acquire) != 0;
        let task = self.task.load(Relaxed);
        (goes_on && task != 0).then_some(task)
    }

    /// Removes the wait, if the task was seen to do something else for some seconds: `waits` is whether the task is
    /// seen to wait at `now`. Returns the task and the disk; the caller then calls [`Wait::release`]. One thread at a
    /// time, which does not own the wait.
    pub fn remove(&self, waits: bool, now: u64) -> Option<(u64, u64)> {
        if waits {
            self.gone_since_ns.store(0, Relaxed);
            return None;
        }
        let since_ns = self.since_ns.load(Acquire);
        let gone_since_ns = self.gone_since_ns.load(Relaxed);
        if since_ns == 0 || gone_since_ns == 0 {
            self.gone_since_ns.store(now.max(1), Relaxed);
            return None;
        }
        if now.wrapping_sub(gone_since_ns) < PATIENCE_NS {
            return None;
        }
        // If the task has begun another wait here, it began later.
        self.since_ns
            .compare_exchange(since_ns, 0, AcqRel, Relaxed)
            .ok()?;
        Some((self.task.load(Relaxed), self.disk.get()))
    }

    /// Makes the place free for other waits.
    pub fn release(&self) {
        // Release: what the next owner writes comes after all that was read here.
        self.task.store(0, Release);
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_tag_wait))]
mod tests {
    use super::*;

    const TASK: u64 = 0x1000;

    #[test]
    fn the_first_of_several_sleeps_begins_a_wait() {
        let places: [Wait; 4] = Default::default();
        let waits = Waits::new(&places);
        assert_eq!(waits.begin(TASK, 7, 10), WaitBegin::New);
        assert_eq!(waits.begin(TASK, 7, 20), WaitBegin::Again);
        assert_eq!(waits.end(TASK, 8), None);
        assert_eq!(waits.end(TASK + 8, 7), None);
        assert_eq!(waits.end(TASK, 7), Some(10));
        assert_eq!(waits.end(TASK, 7), None);
        assert_eq!(waits.begin(TASK, 7, 30), WaitBegin::New);
        assert_eq!(waits.end(TASK, 7), Some(30));
    }

    #[test]
    fn a_task_waits_for_one_disk_at_a_time() {
        let places: [Wait; 4] = Default::default();
        let waits = Waits::new(&places);
        assert_eq!(waits.begin(TASK, 7, 10), WaitBegin::New);
        assert_eq!(waits.begin(TASK, 8, 20), WaitBegin::InsteadOf(7));
        assert_eq!(waits.end(TASK, 7), None);
        assert_eq!(waits.end(TASK, 8), Some(20));
        assert!(places.iter().all(|wait| wait.task().is_none()));
    }

    #[test]
    fn more_tasks_than_places() {
        let places: [Wait; 2] = Default::default();
        let waits = Waits::new(&places);
        assert_eq!(waits.begin(TASK, 7, 0), WaitBegin::New);
        assert_eq!(waits.begin(TASK + 64, 7, 2), WaitBegin::New);
        assert_eq!(waits.begin(TASK + 128, 7, 3), WaitBegin::NoRoom);
        assert_eq!(waits.end(TASK + 128, 7), None);
        // A wait since 0 is one since 1: 0 says that there is none.
        assert_eq!(waits.end(TASK, 7), Some(1));
        assert_eq!(waits.begin(TASK + 128, 7, 4), WaitBegin::New);
        assert_eq!(waits.end(TASK + 64, 7), Some(2));
        assert_eq!(waits.end(TASK + 128, 7), Some(4));
        assert_eq!(Waits::new(&[]).begin(TASK, 7, 0), WaitBegin::NoRoom);
        assert_eq!(Waits::new(&[]).end(TASK, 7), None);
    }

    #[test]
    fn a_wait_that_does_not_end_is_removed_after_some_seconds() {
        let places: [Wait; 1] = Default::default();
        let waits = Waits::new(&places);
        let [wait] = &places;
        assert_eq!(wait.task(), None);
        assert_eq!(waits.begin(TASK, 7, 10), WaitBegin::New);
        assert_eq!(wait.task(), Some(TASK));
        assert_eq!(wait.remove(false, 20), None);
        // It was seen to wait in between.
        assert_eq!(wait.remove(true, 30), None);
        assert_eq!(wait.remove(false, PATIENCE_NS + 20), None);
        assert_eq!(wait.remove(false, 2 * PATIENCE_NS + 19), None);
        // It has slept again.
        assert_eq!(waits.begin(TASK, 7, 2 * PATIENCE_NS + 19), WaitBegin::Again);
        assert_eq!(wait.remove(false, 2 * PATIENCE_NS + 20), None);
        let late = 3 * PATIENCE_NS + 20;
        assert_eq!(wait.remove(false, late), Some((TASK, 7)));
        // It belongs to no task until it is given back.
        assert_eq!((waits.end(TASK, 7), wait.task()), (None, None));
        assert_eq!(waits.begin(TASK, 7, late), WaitBegin::NoRoom);
        wait.release();
        assert_eq!(waits.begin(TASK + 8, 9, late), WaitBegin::New);
    }

    #[test]
    fn tasks_are_spread_over_the_places() {
        let places: [Wait; 64] = core::array::from_fn(|_| Wait::default());
        let waits = Waits::new(&places);
        for task in (1..=32).map(|number| TASK * number) {
            assert_eq!(waits.begin(task, 7, 10), WaitBegin::New);
        }
    }
}
