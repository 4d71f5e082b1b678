// SPDX-License-Identifier: GPL-2.0

//! Requests that time out.
//!
//! When the timer of a queue fires, a worker of the kernel reads the time, and then looks at each request in flight: those whose
//! deadline has passed by that time have timed out. The hook that is called for each request must know the time that this
//! worker has read. Times are in jiffies.

use crate::sync::{
    AtomicU64,
    Ordering::Relaxed, //
};

const PLACES: usize = if cfg!(loom) { 1 } else { 64 };

/// The times that workers have read. Each has a place by the id of its thread. If two that handle timeouts at the same time have
/// the same place, the time of one is not known.
#[derive(Debug)]
pub struct TimeoutWorkers([AtomicU64; PLACES]);

impl Default for TimeoutWorkers {
    fn default() -> Self {
        TimeoutWorkers(core::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl TimeoutWorkers {
    fn place(&self, pid: u32) -> Option<&AtomicU64> {
        self.0.get(pid as usize % PLACES)
    }

    /// A worker, whose thread has an id above 0, has read the time `now`. The worker itself calls this.
    pub fn begin(&self, pid: u32, now: u64) {
        if let Some(place) = self.place(pid) {
            // Both in one word, so that no worker sees its own id beside the time of another.
            // CAST: The lower half of the time is enough, see `start`.
            place.store(u64::from(pid) << 32 | u64::from(now as u32), Relaxed);
        }
    }

    /// Returns the time that a worker has read last, if it is known. The time is `now`, less than 2^32 later. The worker itself
    /// calls this.
    pub fn start(&self, pid: u32, now: u64) -> Option<u64> {
        let word = self.place(pid)?.load(Relaxed);
        // CAST: The halves of the word.
        let (owner, start) = ((word >> 32) as u32, word as u32);
        // CAST: The lower half, as of `start`.
        let elapsed = (now as u32).wrapping_sub(start);
        (owner == pid).then_some(now.wrapping_sub(u64::from(elapsed)))
    }
}

/// Returns whether a deadline had passed at a time. Both may wrap: C's `time_after_eq()`.
pub fn has_passed(deadline: u64, now: u64) -> bool {
    now.wrapping_sub(deadline) <= i64::MAX as u64
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_worker_finds_the_time_that_it_has_read() {
        let workers = TimeoutWorkers::default();
        assert_eq!(workers.start(7, 100), None);
        workers.begin(7, 100);
        workers.begin(8, 105);
        assert_eq!(workers.start(7, 100), Some(100));
        assert_eq!(workers.start(7, 0xffff_ffff), Some(100));
        assert_eq!(workers.start(8, 107), Some(105));
        workers.begin(7, 110);
        assert_eq!(workers.start(7, 111), Some(110));
    }

    #[test]
    fn a_time_has_64_bits() {
        let workers = TimeoutWorkers::default();
        for now in [0x1_ffff_ffff, u64::MAX, 0x8000_0000_0000_0000, 3] {
            workers.begin(5, now);
            for elapsed in [0, 1, 0x8000_0000, 0xffff_ffff] {
                assert_eq!(workers.start(5, now.wrapping_add(elapsed)), Some(now));
            }
        }
    }

    #[test]
    fn of_two_workers_with_one_place_the_last_is_known() {
        let workers = TimeoutWorkers::default();
        workers.begin(1, 7);
        workers.begin(65, 9);
        assert_eq!(workers.start(1, 10), None);
        assert_eq!(workers.start(65, 10), Some(9));
        // All others have their own.
        (2..65).for_each(|pid| workers.begin(pid, u64::from(pid)));
        assert!((2..66).all(|pid| workers.start(pid, 99).is_some()));
    }

    #[test]
    fn a_deadline_has_passed_from_its_own_time_on() {
        for (deadline, now, passed) in [
            (5, 4, false),
            (5, 5, true),
            (5, 6, true),
            (u64::MAX, 3, true),
            (3, u64::MAX, false),
            (0, i64::MAX as u64, true),
            (0, 1 << 63, false),
        ] {
            assert_eq!(has_passed(deadline, now), passed, "{deadline} {now}");
        }
    }
}
