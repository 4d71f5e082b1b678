// SPDX-License-Identifier: GPL-2.0

//! The slow I/Os of a disk, which are read while others take their places.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::slow::{
    SlowCount,
    SlowIo,
    SlowPlace,
    SlowRing,
    SLOW_IOS, //
};
use loom::sync::Arc;

#[derive(Default)]
struct Storage {
    count: SlowCount,
    places: [SlowPlace; SLOW_IOS],
}

impl Storage {
    fn ring(&self) -> SlowRing<'_> {
        SlowRing::new(&self.count, &self.places)
    }

    fn keep(&self, number: u64) -> bool {
        self.ring().keep(&SlowIo {
            end_ns: number,
            sector: number,
            ..SlowIo::default()
        })
    }
}

/// Each I/O that is found is whole, and the newest is found first.
#[test]
fn what_is_found_is_of_one_io() {
    let seen = outcomes(2, || {
        let storage = Arc::new(Storage::default());
        assert!(!storage.keep(1) && !storage.keep(2));
        let writer = spawn(&storage, |storage| storage.keep(3));
        let reader = spawn(&storage, |storage| {
            let mut found = Vec::new();
            let mut most = u64::MAX;
            while let Some((number, io)) = storage.ring().newest(most) {
                assert_eq!((io.end_ns, io.sector), (number, number));
                found.push(number);
                most = number - 1;
            }
            found
        });
        assert!(writer.join().unwrap());
        reader.join().unwrap()
    });
    assert!(seen.contains(&vec![2, 1]) && seen.contains(&vec![3, 2]));
    // The oldest was replaced after the count was read.
    assert_eq!(seen, [vec![2], vec![2, 1], vec![3, 2]].into());
}

/// Two that end at the same time have places of their own.
#[test]
fn ios_that_end_together_are_all_kept() {
    let seen = outcomes(2, || {
        let storage = Arc::new(Storage::default());
        let first = spawn(&storage, |storage| storage.keep(7));
        let second = spawn(&storage, |storage| storage.keep(8));
        assert!(!first.join().unwrap() && !second.join().unwrap());
        let of = |number| storage.ring().get(number).map(|io| io.sector);
        (of(1), of(2), storage.count.get())
    });
    assert_eq!(seen, [(Some(7), Some(8), 2), (Some(8), Some(7), 2)].into());
}
