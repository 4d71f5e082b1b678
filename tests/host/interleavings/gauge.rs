// SPDX-License-Identifier: GPL-2.0

//! CPUs that change one disk's queue lengths at the same time.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::busy::{
    Edge,
    Edges,
    Gauge, //
};
use loom::sync::Arc;
use std::collections::BTreeSet;

/// One change of a gauge.
#[derive(Clone, Copy, Debug)]
enum Step {
    WaitqEnter,
    WaitqExit,
    WaitqToRunq,
    RunqEnter,
    RunqExit,
}

impl Step {
    fn apply(self, gauge: &Gauge) -> Edges {
        match self {
            Step::WaitqEnter => gauge.waitq_enter(),
            Step::WaitqExit => gauge.waitq_exit(),
            Step::WaitqToRunq => gauge.waitq_to_runq(),
            Step::RunqEnter => gauge.runq_enter(),
            Step::RunqExit => gauge.runq_exit(),
        }
    }

    /// The queue lengths after it.
    fn after(self, [wait, run]: [i32; 2]) -> [i32; 2] {
        match self {
            Step::WaitqEnter => [wait + 1, run],
            Step::WaitqExit => [wait - 1, run],
            Step::WaitqToRunq => [wait - 1, run + 1],
            Step::RunqEnter => [wait, run + 1],
            Step::RunqExit => [wait, run - 1],
        }
    }
}

/// What a line shows when its length changes.
fn edge(old: i32, new: i32) -> Edge {
    match (old, new) {
        (0, 1..) => Edge::Rise,
        (1.., 0) => Edge::Fall,
        _ => Edge::None,
    }
}

/// Whether some order of all threads' steps, one after the other, shows just these edges.
fn explained(threads: &[&[(Step, Edges)]], lengths: [i32; 2]) -> bool {
    let mut done = true;
    for (index, thread) in threads.iter().enumerate() {
        let Some(((step, seen), rest)) = thread.split_first() else {
            continue;
        };
        done = false;
        let next = step.after(lengths);
        let expected = Edges {
            waitq: edge(lengths[0], next[0]),
            runq: edge(lengths[1], next[1]),
            any: edge(lengths[0] + lengths[1], next[0] + next[1]),
        };
        let mut others = threads.to_vec();
        others[index] = rest;
        if *seen == expected && explained(&others, next) {
            return true;
        }
    }
    done
}

/// The edges that threads with these steps may see, in thread order.
fn edges(threads: &'static [&'static [Step]]) -> BTreeSet<String> {
    outcomes(3, move || {
        let gauge = Arc::new(Gauge::default());
        let run = |steps: &'static [Step]| {
            spawn(&gauge, move |gauge| {
                let step = |step: &Step| (*step, step.apply(gauge));
                steps.iter().map(step).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = threads.iter().copied().map(run).collect();
        let seen: Vec<_> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        let seen: Vec<_> = seen.iter().map(Vec::as_slice).collect();
        assert!(explained(&seen, [0, 0]), "{seen:?}");
        let any = seen.concat().into_iter().map(|(_, edges)| match edges.any {
            Edge::None => '-',
            Edge::Rise => '/',
            Edge::Fall => '\\',
        });
        any.collect()
    })
}

#[test]
fn two_requests_rise_and_fall_in_turn() {
    const REQUEST: &[Step] = &[Step::WaitqEnter, Step::WaitqToRunq, Step::RunqExit];
    let seen = edges(&[REQUEST, REQUEST]);
    // One after the other, one inside the other, overlapping.
    let expected = ["/-\\/-\\", "/-\\---", "---/-\\", "/----\\", "--\\/--"];
    assert_eq!(seen, expected.map(String::from).into());
}

#[test]
fn three_cpus_rise_and_fall_in_turn() {
    let seen = edges(&[
        &[Step::WaitqEnter, Step::WaitqExit],
        &[Step::RunqEnter, Step::RunqExit],
        &[Step::RunqEnter, Step::RunqExit],
    ]);
    // All there are: the 90 orders of these six steps show no others.
    assert_eq!(seen.len(), 19);
}
