// SPDX-License-Identifier: GPL-2.0

//! Conditions that hold for any snapshot.

use iostat::acct::{
    class::Class,
    queue::Queue,
    snapshot::Snapshot, //
};

/// Times that are limited to the time passed, then those that are not.
pub fn times(snapshot: &Snapshot) -> [u64; 5] {
    [
        snapshot.wtime,
        snapshot.rtime,
        snapshot.busy_time,
        snapshot.wlentime,
        snapshot.rlentime,
    ]
}

/// Checks that nothing in `next` is less than in `last`, and that nothing was busy for longer than the
/// time between them.
pub fn assert_goes_on(next: &Snapshot, last: &Snapshot) {
    for (next_time, last_time) in times(next).into_iter().zip(times(last)) {
        assert!(next_time >= last_time, "{next:?} after {last:?}");
    }
    let elapsed = next.now - last.now;
    for (next_time, last_time) in times(next).into_iter().zip(times(last)).take(3) {
        assert!(next_time - last_time <= elapsed, "{next:?} after {last:?}");
    }
}

/// Checks that every end has its start, every exit its entry, and that what ended was completed, merged,
/// refused or abandoned.
pub fn assert_counts_balanced(snapshot: &Snapshot) {
    let (record, devstat) = (&snapshot.record, &snapshot.record.devstat);
    assert!(devstat.start_count >= devstat.end_count());
    for queue in queues(snapshot) {
        assert!(queue.n_in >= queue.n_out, "{queue:?}");
    }
    for (busy, queue) in [
        (&record.waitq_busy, &record.waitq),
        (&record.runq_busy, &record.runq),
    ] {
        assert!(busy.n_in <= queue.n_in, "{busy:?} {queue:?}");
    }
    let operations = Class::ALL.map(|class| devstat.operations(class));
    let ended = operations.iter().sum::<u64>()
        + devstat.counts.merged
        + devstat.counts.refused
        + devstat.counts.abandoned;
    assert_eq!(devstat.end_count(), ended);
}

/// Checks the same, and that no time is later than the snapshot's.
pub fn assert_balanced(snapshot: &Snapshot) {
    assert_counts_balanced(snapshot);
    for last in [snapshot.wlastupdate(), snapshot.rlastupdate()] {
        assert!(last <= snapshot.now, "{last} {snapshot:?}");
    }
}

fn queues(snapshot: &Snapshot) -> [&Queue<u64>; 5] {
    let record = &snapshot.record;
    [
        &record.waitq,
        &record.runq,
        &record.waitq_busy,
        &record.runq_busy,
        &record.both_busy,
    ]
}
