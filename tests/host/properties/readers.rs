// SPDX-License-Identifier: GPL-2.0

//! What a series of readers sees, and one reader under a load that never pauses.

use super::{
    config,
    invariants::{
        assert_balanced,
        assert_goes_on,
        times, //
    },
    model::{
        Counts,
        Line, //
    },
    play::{
        long_play,
        play,
        running_clock,
        watch,
        wrapping_clock,
        Play,
        Stage, //
    },
};
use iostat::acct::snapshot::{
    collect,
    Snapshot, //
};
use proptest::prelude::*;
use std::cell::{
    Cell,
    RefCell, //
};

fn with_times(now: u64, times: [u64; 5]) -> Snapshot {
    Snapshot {
        now,
        wtime: times[0],
        rtime: times[1],
        busy_time: times[2],
        wlentime: times[3],
        rlentime: times[4],
        ..Snapshot::default()
    }
}

/// A snapshot taken while some events happen each time the reader can be interrupted, before each
/// CPU, between the passes, and after them, so many `times`.
fn collect_under_load(stage: &RefCell<Stage>, times: usize, events: usize) -> Snapshot {
    let left = Cell::new(times);
    let interrupt = || {
        if left.get() > 0 {
            left.set(left.get() - 1);
            stage.borrow_mut().steps(events);
        }
    };
    let cpus = stage.borrow().cpus();
    collect(
        || cpus.iter().inspect(|_| interrupt()),
        || {
            interrupt();
            stage.borrow().clock()
        },
    )
}

/// Times of the wait queue, the run queue, and the disk: busy, and lengths integrated, as far as the model knows.
fn true_times(stage: &Stage) -> [u64; 5] {
    let (wait, run) = (&[Line::Wait][..], &[Line::Run][..]);
    let (now, model) = (stage.now, &stage.model);
    [
        model.busy(wait, now),
        model.busy(run, now),
        model.busy(&[Line::Wait, Line::Run], now),
        model.lentime(Line::Wait, now),
        model.lentime(Line::Run, now),
    ]
}

/// How many events there are between two passes.
const BETWEEN: usize = 3;

/// When the last first pass of a snapshot was, and what the times were then.
#[derive(Clone, Copy)]
struct FirstPass {
    now: u64,
    clock: u64,
    times: [u64; 5],
}

impl FirstPass {
    fn of(stage: &Stage) -> Self {
        FirstPass {
            now: stage.now,
            clock: stage.clock(),
            times: true_times(stage),
        }
    }
}

/// A snapshot taken while events happen between its passes only.
fn collect_between_passes(play: Play, before: usize) -> (Stage, Snapshot, FirstPass) {
    let mut stage = Stage::new(play);
    stage.steps(before);
    stage.idle(1);
    let cpus = stage.cpus();
    let first_pass = Cell::new(FirstPass::of(&stage));
    let calls = Cell::new(0);
    let stage = RefCell::new(stage);
    let snapshot = collect(
        || cpus.iter(),
        || {
            let mut stage = stage.borrow_mut();
            calls.set(calls.get() + 1);
            // The first call is before the first pass, and then there is one after each pass.
            if calls.get() % 2 == 0 {
                first_pass.set(FirstPass::of(&stage));
                stage.steps(BETWEEN);
            }
            stage.idle(5);
            stage.clock()
        },
    );
    (stage.into_inner(), snapshot, first_pass.get())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn exact_snapshots_are_not_altered_by_their_predecessors(play in play(running_clock())) {
        let mut last = Snapshot::default();
        watch(play, |stage| {
            let snapshot = stage.snapshot();
            assert_eq!(snapshot.after(&last), snapshot);
            assert_goes_on(&snapshot, &last);
            last = snapshot;
        });
    }

    #[test]
    fn whatever_was_read_the_next_snapshot_goes_on_from_it(
        now in 0..1u64 << 62,
        elapsed in 0..1u64 << 40,
        last in prop::array::uniform5(0..1u64 << 62),
        drift in prop::array::uniform5(-(1i64 << 41)..1i64 << 41),
    ) {
        let mut next = last;
        for (time, drift) in next.iter_mut().zip(drift) {
            *time = time.saturating_add_signed(drift);
        }
        let last = with_times(now, last);
        let next = with_times(now + elapsed, next);
        let read = next.after(&last);
        assert_goes_on(&read, &last);
        prop_assert!(read.wtime - last.wtime <= read.wlentime - last.wlentime);
        prop_assert!(read.rtime - last.rtime <= read.rlentime - last.rlentime);
        // A length that goes on by itself is left alone.
        for (index, drift) in drift.into_iter().enumerate().skip(3) {
            if drift >= 0 {
                prop_assert_eq!(times(&read)[index], times(&next)[index]);
            }
        }
    }

    #[test]
    fn snapshots_under_load_never_go_backwards(
        play in long_play(running_clock()),
        loads in prop::collection::vec((0..100usize, 1..4usize), 1..10),
    ) {
        let stage = RefCell::new(Stage::new(play));
        let mut last = stage.borrow().snapshot();
        for (times, events) in loads {
            let next = collect_under_load(&stage, times, events).after(&last);
            assert_goes_on(&next, &last);
            last = next;
        }
    }

    #[test]
    fn under_load_no_exit_lacks_its_entry_and_no_count_is_of_another_time(
        play in long_play(running_clock()),
        before in 0..10usize,
        times in 1..100usize,
        events in 1..4usize,
    ) {
        let mut stage = Stage::new(play);
        stage.steps(before);
        let floor = stage.model.counts().words();
        let stage = RefCell::new(stage);
        let snapshot = collect_under_load(&stage, times, events);
        let ceiling = stage.borrow().model.counts().words();
        assert_balanced(&snapshot);
        let words = Counts::from(&snapshot).words();
        for ((word, floor), ceiling) in words.iter().zip(&floor).zip(&ceiling) {
            prop_assert!(floor <= word && word <= ceiling);
        }
    }

    #[test]
    fn under_load_entries_are_those_of_the_second_pass_and_exits_those_of_the_first(
        play in long_play(wrapping_clock()),
        before in 0..40usize,
    ) {
        let (stage, snapshot, first_pass) = collect_between_passes(play, before);
        let (record, model) = (&snapshot.record, &stage.model);
        prop_assert_eq!(record.devstat.start_count, model.counts().start_count);
        for (queue, line) in [(&record.waitq, Line::Wait), (&record.runq, Line::Run)] {
            let left = model.left_since(&[line], 0);
            prop_assert_eq!(queue.n_in, left + model.len(line));
            prop_assert_eq!(queue.n_out, left - model.left_since(&[line], first_pass.now));
        }
    }

    #[test]
    fn under_load_no_time_is_too_large(
        play in long_play(wrapping_clock()),
        before in 0..40usize,
    ) {
        let (stage, snapshot, first_pass) = collect_between_passes(play, before);
        if snapshot.now == stage.clock() {
            // There were no more events.
            prop_assert_eq!(times(&snapshot), true_times(&stage));
            return Ok(());
        }
        prop_assert_eq!(snapshot.now, first_pass.clock);
        // What has entered since then counts less than nothing.
        let missing = BETWEEN as u64 * (stage.now - first_pass.now);
        let before_and_after = first_pass.times.into_iter().zip(true_times(&stage));
        for (seen, (before, truth)) in times(&snapshot).into_iter().zip(before_and_after) {
            prop_assert!(truth.wrapping_sub(seen) as i64 >= 0, "{} of {}", seen, truth);
            prop_assert!(before.wrapping_sub(seen) as i64 <= missing as i64, "{} of {}", seen, before);
        }
    }

    #[test]
    fn under_any_load_no_time_is_too_large(
        play in long_play(running_clock()),
        before in 0..40usize,
        interruptions in 1..100usize,
        events in 1..4usize,
    ) {
        let mut stage = Stage::new(play);
        stage.steps(before);
        let stage = RefCell::new(stage);
        let snapshot = collect_under_load(&stage, interruptions, events);
        let truth = true_times(&stage.borrow());
        for (seen, truth) in times(&snapshot).into_iter().zip(truth) {
            prop_assert!(truth.wrapping_sub(seen) as i64 >= 0, "{} of {}", seen, truth);
        }
    }
}
