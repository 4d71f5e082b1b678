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
    entry::{
        Completion,
        Entry,
        Start, //
    },
    inflight::{
        Claim,
        Slot,
        Table,
        BUCKET, //
    },
    verb::{
        End,
        Verb, //
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

/// A table of one bucket, so that all keys compete.
#[derive(Default)]
struct Storage {
    entries: [Entry; BUCKET],
    /// Who has the I/O now.
    turn: AtomicU64,
}

impl Storage {
    /// All slots but `free` are taken, by others.
    fn with_room_for(free: usize) -> Arc<Self> {
        let storage = Arc::new(Storage::default());
        for key in (100..).map(|number| number * 8).take(BUCKET - free) {
            assert!(storage.claim_new(key).is_some());
        }
        storage
    }

    fn table(&self) -> Table<'_> {
        Table::new(&self.entries)
    }

    fn claim_new(&self, key: u64) -> Option<Slot<'_>> {
        match self.table().claim(key)? {
            Claim::New(slot) => Some(slot),
            Claim::Stale(_) => panic!("{key} is in the table already"),
        }
    }
}

/// A start whose words tell whose it is.
fn start(key: u64) -> Start {
    Start {
        account: key,
        leaf: 0,
        class: Class::Read,
        tag: Tag::Simple,
        sector: key,
    }
}

#[test]
fn two_keys_never_share_a_slot() {
    let seen = outcomes(3, || {
        let storage = Storage::with_room_for(2);
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
        let [one, two] = [claim(8), claim(24)].map(|claim| claim.join().unwrap());
        assert_ne!(one, two);
        assert_eq!(storage.table().in_use(), BUCKET);
        one < two
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn a_slots_new_owner_comes_after_all_writes_of_the_last() {
    let seen = outcomes(3, || {
        let storage = Storage::with_room_for(1);
        let own = |key: u64| {
            spawn(&storage, move |storage| {
                // Or else the other one has it.
                let slot = storage.claim_new(key)?;
                let last = slot.entry.sector();
                assert_eq!(slot.entry.account(), last);
                slot.entry.start_waiting(&start(key), 0);
                assert_eq!((slot.entry.sector(), slot.entry.account()), (key, key));
                slot.release();
                Some(last)
            })
        };
        let seen = [own(8), own(16)].map(|own| own.join().unwrap());
        assert_eq!(storage.table().in_use(), BUCKET - 1);
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
    const KEY: u64 = 8;
    const SUBMITTER: u64 = 0;
    const DEVICE: u64 = 1;
    let seen = outcomes(3, || {
        let storage = Storage::with_room_for(1);
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
            let verb = slot.entry.complete(&done, 40);
            slot.release();
            storage.turn.store(SUBMITTER, Release);
            verb
        });
        let end = End {
            kind: Kind::new(Class::Read, Tag::Simple),
            bytes: 512,
            duration_ns: 30,
            service_ns: 20,
        };
        assert_eq!(device.join().unwrap(), Some(Verb::RunqExitEnd(end)));
        submitter.join().unwrap()
    });
    assert_eq!(seen, [true].into());
}
