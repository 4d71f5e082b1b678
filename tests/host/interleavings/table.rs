// SPDX-License-Identifier: GPL-2.0

//! I/Os that compete for a slot, and one that changes hands.

use super::{
    outcomes,
    spawn, //
};
use iostat::acct::{
    class::{
        Class,
        Kind,
        Tag, //
    },
    counter::Counter,
    entry::{
        Completion,
        Entry,
        Start, //
    },
    inflight::{
        Claim,
        Claimed,
        InFlightTable,
        Part,
        Passed,
        ReserveCount,
        ReservePart,
        Share,
        BUCKET, //
    },
    transition::{
        End,
        Transition, //
    },
};
use loom::{
    sync::{
        atomic::{
            AtomicU64,
            Ordering::{
                Acquire,
                Release, //
            }, //
        },
        Arc, //
    },
    thread, //
};
use std::ptr;

/// A table of one bucket or two, which are open to all keys, and a reserve of one.
#[derive(Default)]
struct Storage {
    buckets: usize,
    entries: [Entry; 2 * BUCKET],
    passed: [Passed; 2],
    reserve: [Reserve; 1],
    held: ReserveCount,
    share: Share,
    /// Of those who have no share.
    common: Share,
    /// Who has the I/O now.
    turn: AtomicU64,
}

#[derive(Default)]
struct Reserve {
    entries: [Entry; BUCKET],
    passed: [Passed; 1],
    holders: [Counter; BUCKET],
}

impl ReservePart for Reserve {
    fn part(&self) -> Option<Part<'_>> {
        Some(Part::of_reserve(&self.entries, &self.passed, &self.holders))
    }
}

impl Storage {
    /// All slots but `free` of the main part are taken, by others, and the reserve has room for `share`.
    fn with_room_for(free: usize, buckets: usize, share: u64) -> Arc<Self> {
        let storage = Storage {
            buckets,
            share: Share::new(share),
            ..Storage::default()
        };
        for key in (100..).map(|number| number * 8).take(storage.all() - free) {
            assert!(storage.claim_new(key).is_some());
        }
        Arc::new(storage)
    }

    /// Slots of the main part.
    fn all(&self) -> usize {
        self.buckets * BUCKET
    }

    fn table(&self) -> InFlightTable<'_, Reserve> {
        let main = Part::main(&self.entries[..self.all()], &self.passed[..self.buckets]);
        InFlightTable::new(main, &self.reserve, &self.held)
    }

    fn claim_new(&self, key: u64) -> Option<Claimed<'_>> {
        match self.table().claim(key, &self.share)? {
            Claim::New(slot) => Some(slot),
            Claim::Stale(_) => panic!("{key} is in the table already"),
        }
    }

    fn release(&self, slot: Claimed<'_>) {
        let in_reserve = slot.holder().is_some();
        slot.release();
        if in_reserve {
            self.share.release();
        }
    }
}

/// A start whose words identify its I/O.
fn start(key: u64) -> Start {
    Start {
        account: key,
        hctx: 0,
        class: Class::Read,
        tag: Tag::Simple,
        sector: key,
        pid: 0,
    }
}

#[test]
fn two_keys_never_share_a_slot() {
    let seen = outcomes(3, || {
        let storage = Storage::with_room_for(2, 1, 0);
        let claim = |key: u64| {
            spawn(&storage, move |storage| {
                let slot = storage.claim_new(key).expect("room for both");
                slot.entry.start_waiting(&start(key), 0);
                let found = storage.table().find(key).expect("still there");
                assert!(ptr::eq(found.entry, slot.entry));
                ptr::from_ref(slot.entry).addr()
            })
        };
        // Both look in the same order.
        let home =
            |key| Part::main(&storage.entries[..BUCKET], &storage.passed[..1]).home_entry(key);
        let first = home(8).map(ptr::from_ref);
        let other = (2..100)
            .map(|number| number * 8)
            .find(|key| home(*key).map(ptr::from_ref) == first);
        let other = other.expect("eight entries are soon used up");
        let [one, two] = [claim(8), claim(other)].map(|claim| claim.join().unwrap());
        assert_ne!(one, two);
        assert_eq!(storage.table().in_use(), storage.all());
        one < two
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn a_slots_new_owner_comes_after_all_writes_of_the_last() {
    let seen = outcomes(3, || {
        let storage = Storage::with_room_for(1, 1, 0);
        let own = |key: u64| {
            spawn(&storage, move |storage| {
                // Or else the other one has it.
                let slot = storage.claim_new(key)?;
                let last = slot.entry.sector();
                assert_eq!(slot.entry.account(), last);
                slot.entry.start_waiting(&start(key), 0);
                assert_eq!((slot.entry.sector(), slot.entry.account()), (key, key));
                storage.release(slot);
                Some(last)
            })
        };
        let seen = [own(8), own(16)].map(|own| own.join().unwrap());
        assert_eq!(storage.table().in_use(), storage.all() - 1);
        seen
    });
    let expected = [
        [None, Some(0)],
        [Some(0), None],
        [Some(0), Some(8)],
        [Some(16), Some(0)],
    ];
    assert_eq!(seen, expected.into());
}

#[test]
fn whoever_is_handed_an_io_finds_its_entry_and_gives_the_slot_back() {
    hand_over(1, 0);
}

#[test]
fn nor_is_it_lost_in_the_reserve() {
    hand_over(0, 1);
}

/// The only slot is in the main part, behind a full bucket or not, or in the reserve.
fn hand_over(free: usize, share: u64) {
    const KEY: u64 = 8;
    const SUBMITTER: u64 = 0;
    const DEVICE: u64 = 1;
    let seen = outcomes(3, move || {
        let storage = Storage::with_room_for(free, 2, share);
        let submitter = spawn(&storage, |storage| {
            let slot = storage.claim_new(KEY).expect("a slot is free");
            slot.entry.start_waiting(&start(KEY), 10);
            slot.entry.issue(20);
            storage.turn.store(DEVICE, Release);
            while storage.turn.load(Acquire) != SUBMITTER {
                thread::yield_now();
            }
            // The address is used again.
            storage.claim_new(KEY).is_some()
        });
        let device = spawn(&storage, |storage| {
            while storage.turn.load(Acquire) != DEVICE {
                thread::yield_now();
            }
            let slot = storage.table().find(KEY).expect("it was issued");
            let done = Completion {
                bytes: 512,
                whole: true,
                flush_sequence: false,
            };
            let transition = slot.entry.complete(&done, 40);
            storage.release(slot);
            storage.turn.store(SUBMITTER, Release);
            transition
        });
        let end = End {
            kind: Kind::new(Class::Read, Tag::Simple),
            bytes: 512,
            duration_ns: 30,
            service_ns: 20,
        };
        assert_eq!(device.join().unwrap(), Some(Transition::RunqExitEnd(end)));
        submitter.join().unwrap()
    });
    assert_eq!(seen, [true].into());
}

#[test]
fn a_share_is_never_exceeded_and_never_refused_while_some_is_free() {
    let seen = outcomes(2, || {
        let storage = Storage::with_room_for(0, 1, 1);
        let own = |key: u64| {
            spawn(&storage, move |storage| {
                let Some(slot) = storage.claim_new(key) else {
                    return false;
                };
                slot.entry.start_waiting(&start(key), 0);
                let found = storage.table().find(key).expect("still there");
                assert!(ptr::eq(found.entry, slot.entry) && found.holder().is_some());
                storage.release(found);
                assert!(storage.table().find(key).is_none());
                true
            })
        };
        let seen = [own(8), own(16)].map(|own| own.join().unwrap());
        assert_eq!(storage.table().in_use(), storage.all());
        // It is free again.
        assert!(storage.claim_new(24).is_some() && storage.claim_new(32).is_none());
        seen
    });
    // Who is refused is so because the other has it.
    let expected = [[false, true], [true, false], [true, true]];
    assert_eq!(seen, expected.into());
}

#[test]
fn an_io_gives_back_to_the_share_it_took_from_whenever_its_disk_gets_its_own() {
    let seen = outcomes(2, || {
        let storage = Storage::with_room_for(0, 1, 0);
        storage.common.set_most(1);
        let own = |key: u64| {
            spawn(&storage, move |storage| {
                let share = storage.share.or(&storage.common);
                let Some(Claim::New(slot)) = storage.table().claim(key, share) else {
                    return None;
                };
                assert!(slot.holder().is_some());
                slot.release();
                share.release();
                Some(ptr::eq(share, &storage.share))
            })
        };
        let ios = [own(8), own(16)];
        storage.share.set_most(1);
        let seen = ios.map(|io| io.join().unwrap());
        // Each has room for one again.
        for (key, share) in [(24, &storage.common), (40, &storage.share)] {
            let claim = |key| storage.table().claim(key, share).is_some();
            assert!(claim(key) && !claim(key + 8));
        }
        assert!(ptr::eq(storage.share.or(&storage.common), &storage.share));
        seen
    });
    let (common, own) = (Some(false), Some(true));
    assert!(seen.contains(&[common, common]) && seen.contains(&[own, own]));
    assert!(seen.contains(&[common, own]) && seen.contains(&[None, common]));
}
