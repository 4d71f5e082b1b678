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
