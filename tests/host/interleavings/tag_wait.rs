// SPDX-License-Identifier: GPL-2.0

//! Tasks that wait for a tag, while others look for those that do not.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::{
    busy::{
        Extra,
        Gauge,
        QueueMove, //
    },
    tag_wait::{
        Wait,
        WaitBegin,
        Waits, //
    },
};
use loom::sync::Arc;

const TASK: u64 = 64;
const DISK: u64 = 5;
const LATE: u64 = 1 << 40;

#[test]
fn a_wait_is_ended_or_removed() {
    let seen = outcomes(3, || {
        let places: Arc<[Wait; 2]> = Arc::default();
        let waits = Waits::new(&*places);
        assert_eq!(waits.begin(TASK, DISK, 1), WaitBegin::New);
        // It was seen to do something else before.
        assert_eq!(places.iter().find_map(|wait| wait.remove(false, 1)), None);
        let task = spawn(&places, |places| {
            let waits = Waits::new(places);
            let first = waits.end(TASK, DISK);
            assert_eq!(waits.begin(TASK, DISK, 7), WaitBegin::New);
            (first, waits.end(TASK, DISK))
        });
        let remover = spawn(&places, |places| {
            let remove = |wait: &Wait| {
                wait.task()?;
                let removed = wait.remove(false, LATE);
                if removed.is_some() {
                    wait.release();
                }
                removed
            };
            places.iter().find_map(remove)
        });
        let ((first, second), removed) = (task.join().unwrap(), remover.join().unwrap());
        assert!(removed.is_none() || removed == Some((TASK, DISK)));
        assert_eq!(first.is_some(), removed.is_none());
        assert_eq!(second, Some(7));
        assert!(places.iter().all(|wait| wait.task().is_none()));
        first
    });
    assert_eq!(seen, [None, Some(1)].into());
}

#[test]
fn a_task_that_waits_is_found_whatever_others_remove() {
    let seen = outcomes(3, || {
        let gauge = Arc::new(Gauge::default());
        let task = spawn(&gauge, |gauge| {
            gauge.take(QueueMove::WaitqEnter);
            gauge.add(Extra::TagWaits);
            // Its I/O starts.
            let before = gauge.take(QueueMove::WaitqEnter);
            assert!(before.has(Extra::TagWaits));
            gauge.take(QueueMove::WaitqExit);
            gauge.take(QueueMove::WaitqToRunq);
        });
        let other = spawn(&gauge, |gauge| {
            gauge.add(Extra::TagWaits);
            let before = gauge.take(QueueMove::WaitqEnter);
            if before.wait() == 0 {
                gauge.remove_if_alone(Extra::TagWaits);
            }
            gauge.take(QueueMove::WaitqToRunq);
        });
        task.join().unwrap();
        other.join().unwrap();
        gauge.has(Extra::TagWaits)
    });
    assert_eq!(seen, [false, true].into());
}
