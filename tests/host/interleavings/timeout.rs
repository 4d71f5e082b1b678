// SPDX-License-Identifier: GPL-2.0

//! Workers that handle timeouts, and have the same place.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::timeout::TimeoutWorkers;
use loom::sync::Arc;

/// A worker finds its own time, or none.
#[test]
fn the_time_of_a_worker_is_its_own() {
    let seen = outcomes(3, || {
        let workers = Arc::new(TimeoutWorkers::default());
        let work = |pid: u32| {
            spawn(&workers, move |workers: &TimeoutWorkers| {
                let now = 10 * u64::from(pid);
                workers.begin(pid, now);
                let found = workers.start(pid, now + 5);
                assert!(found.is_none() || found == Some(now));
                found.is_some()
            })
        };
        let (one, other) = (work(1), work(2));
        (one.join().unwrap(), other.join().unwrap())
    });
    // The last that began finds its time.
    assert_eq!(seen, [(true, true), (true, false), (false, true)].into());
}
