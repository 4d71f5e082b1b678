// SPDX-License-Identifier: GPL-2.0

//! The parts of a bio that was split, which end on different CPUs.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::entry::Entry;
use loom::sync::Arc;

/// Whatever the order, one part is the last, and it is given the status of the part that failed.
#[test]
fn one_part_is_the_last() {
    let seen = outcomes(3, || {
        let entry = Arc::new(Entry::default());
        entry.parts.add_child();
        entry.parts.add_child();
        let child =
            |status: u8| spawn(&entry, move |entry: &Entry| entry.parts.child_ended(status));
        let (one, other) = (child(0), child(10));
        let own = spawn(&entry, |entry: &Entry| entry.parts.own_ended(0));
        [one, other, own].map(|part| part.join().unwrap())
    });
    let last = Some(10);
    let expected = [[last, None, None], [None, last, None], [None, None, last]];
    assert_eq!(seen, expected.into());
}

/// An end of the bio that is reported again does not take the first one back.
#[test]
fn an_end_that_is_reported_twice_counts_once() {
    let seen = outcomes(0, || {
        let entry = Arc::new(Entry::default());
        let ends = spawn(&entry, |entry: &Entry| {
            entry.parts.add_child();
            let ended = || entry.parts.own_ended(0);
            [ended(), ended(), entry.parts.child_ended(10)]
        });
        ends.join().unwrap()
    });
    assert_eq!(seen, [[None, None, Some(10)]].into());
}
