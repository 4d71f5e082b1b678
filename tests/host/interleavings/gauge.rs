// SPDX-License-Identifier: GPL-2.0

//! CPUs that change one disk's queue lengths at the same time.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::busy::{
    Edge,
    Gauge,
    Line,
    QueueMove,
    Tree, //
};
use loom::sync::Arc;
use std::collections::BTreeSet;

/// The queue lengths after a step.
fn after(step: QueueMove, [wait, run]: [i32; 2]) -> [i32; 2] {
    match step {
        QueueMove::WaitqEnter => [wait + 1, run],
        QueueMove::WaitqExit => [wait - 1, run],
        QueueMove::RunqEnter => [wait, run + 1],
        QueueMove::RunqExit => [wait, run - 1],
        QueueMove::WaitqToRunq => [wait - 1, run + 1],
        QueueMove::RunqBackToWaitq => [wait + 1, run - 1],
    }
}

/// The edges one step shows, by line.
type Edges = [Option<Edge>; 3];

fn seen(step: impl FnOnce(&mut dyn FnMut(Line, Edge))) -> Edges {
    let mut edges = [None; 3];
    step(&mut |line, edge| edges[line as usize] = Some(edge));
    edges
}

/// What a line shows when its length changes.
fn edge(old: i32, new: i32) -> Option<Edge> {
    match (old, new) {
        (0, 1..) => Some(Edge::Rise),
        (1.., 0) => Some(Edge::Fall),
        _ => None,
    }
}

/// Whether some order of all threads' steps, one after the other, shows just these edges.
fn explained(threads: &[&[(QueueMove, Edges)]], lengths: [i32; 2]) -> bool {
    let mut done = true;
    for (index, thread) in threads.iter().enumerate() {
        let Some(((step, seen), rest)) = thread.split_first() else {
            continue;
        };
        done = false;
        let next = after(*step, lengths);
        let both = |[wait, run]: [i32; 2]| wait.min(run);
        let expected = [
            edge(lengths[0], next[0]),
            edge(lengths[1], next[1]),
            edge(both(lengths), both(next)),
        ];
        let mut others = threads.to_vec();
        others[index] = rest;
        if *seen == expected && explained(&others, next) {
            return true;
        }
    }
    done
}

/// The edges that threads with these steps may see, in thread order.
fn edges(threads: &'static [&'static [QueueMove]]) -> BTreeSet<String> {
    outcomes(3, move || {
        let gauge = Arc::new(Gauge::default());
        let run = |steps: &'static [QueueMove]| {
            spawn(&gauge, move |gauge| {
                let step = |step: &QueueMove| (*step, seen(|note| gauge.step(*step, note)));
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
        let runq = seen.concat().into_iter().map(|(_, edges)| match edges[1] {
            None => '-',
            Some(Edge::Rise) => '/',
            Some(Edge::Fall) => '\\',
        });
        runq.collect()
    })
}

#[test]
fn two_requests_rise_and_fall_in_turn() {
    const REQUEST: &[QueueMove] = &[
        QueueMove::WaitqEnter,
        QueueMove::WaitqToRunq,
        QueueMove::RunqExit,
    ];
    let seen = edges(&[REQUEST, REQUEST]);
    // One after the other, one inside the other, overlapping.
    let expected = ["-/\\-/\\", "-/\\---", "----/\\", "-/---\\", "--\\-/-"];
    assert_eq!(seen, expected.map(String::from).into());
}

#[test]
fn three_cpus_rise_and_fall_in_turn() {
    let seen = edges(&[
        &[QueueMove::WaitqEnter, QueueMove::WaitqExit],
        &[QueueMove::RunqEnter, QueueMove::RunqExit],
        &[QueueMove::RunqEnter, QueueMove::RunqExit],
    ]);
    assert_eq!(seen.len(), 5);
}

/// Two hardware queues of one disk, and what the disk's gauge showed last.
#[derive(Default)]
struct Queues {
    leaves: [Gauge; 2],
    root: Gauge,
}

impl Queues {
    /// An I/O by way of one leaf, or directly: the edges of its entry and its exit in the disk's run queue.
    fn io(&self, leaf: usize) -> [Option<Edge>; 2] {
        let tree = match self.leaves.get(leaf) {
            Some(leaf) => Tree {
                leaf,
                root: Some(&self.root),
            },
            None => Tree {
                leaf: &self.root,
                root: None,
            },
        };
        [QueueMove::RunqEnter, QueueMove::RunqExit]
            .map(|step| seen(|note| tree.step(step, note))[Line::Runq as usize])
    }
}

/// Whatever overlaps, the disk's line rises as often as it falls, first and last, and is at
/// zero when all I/Os have left: an I/O that comes then alone makes both edges.
fn assert_tree_closes(ios: &'static [usize]) -> BTreeSet<usize> {
    outcomes(3, move || {
        let queues = Arc::new(Queues::default());
        let spawn = |leaf: usize| spawn(&queues, move |queues| queues.io(leaf));
        let threads: Vec<_> = ios.iter().copied().map(spawn).collect();
        let edges: Vec<_> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .flatten()
            .collect();
        let rises = edges.iter().filter(|edge| **edge == Edge::Rise).count();
        assert_eq!(rises * 2, edges.len());
        assert!(rises >= 1);
        assert_eq!(queues.io(0), [Some(Edge::Rise), Some(Edge::Fall)]);
        rises
    })
}

/// As a leaf: the I/O enters at the root.
const DIRECT: usize = 2;

#[test]
fn a_tree_closes_when_some_enter_at_the_root() {
    assert_eq!(assert_tree_closes(&[0, DIRECT]), [1, 2].into());
    assert_eq!(assert_tree_closes(&[DIRECT, DIRECT]), [1, 2].into());
    assert_eq!(assert_tree_closes(&[0, DIRECT, 1]), [1, 2, 3].into());
}

#[test]
fn a_tree_closes_whichever_leaf_its_ios_share() {
    assert_eq!(assert_tree_closes(&[0, 0]), [1, 2].into());
    assert_eq!(assert_tree_closes(&[0, 1]), [1, 2].into());
    assert_eq!(assert_tree_closes(&[0, 0, 1]), [1, 2, 3].into());
}
