// SPDX-License-Identifier: GPL-2.0

//! The table of I/Os in flight against a map.

use super::config;
use iostat::acct::{
    class::{
        Class,
        Tag, //
    },
    entry::{
        Entry,
        Start, //
    },
    inflight::{
        Claim,
        Slot,
        Table,
        BUCKET, //
    },
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};
use std::{
    collections::HashMap,
    ptr, //
};

#[derive(Clone, Copy, Debug)]
enum Action {
    Claim,
    Find,
    Release,
}

/// Keys as they come: addresses a request apart, a cache line apart, and anything.
fn keys() -> impl Strategy<Value = Vec<u64>> {
    let anything = vec(1..=u64::MAX / 8, 64);
    let strided = (select(&[1, 8, 48, 512][..]), 1..u64::MAX / 16)
        .prop_map(|(stride, base)| (0..64).map(|index| base + index * stride).collect());
    // Multiples of 8, all of them.
    prop_oneof![anything, strided]
        .prop_map(|keys: Vec<u64>| keys.into_iter().map(|key| key * 8).collect())
}

fn actions() -> impl Strategy<Value = Vec<(Action, usize)>> {
    let action = select(&[Action::Claim, Action::Claim, Action::Find, Action::Release][..]);
    vec((action, 0..64usize), 1..400)
}

fn new(slot: Slot<'_>) -> Option<Claim<'_>> {
    Some(Claim::New(slot))
}

/// Marks a new owner of a slot with a number of its own.
fn mark(slot: Slot<'_>, number: u32) {
    let start = Start {
        account: u64::from(number),
        leaf: 0,
        class: Class::Read,
        tag: Tag::Simple,
        sector: 0,
    };
    slot.entry.start_waiting(&start, 0);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_table_finds_what_a_map_would(
        buckets in select(&[1usize, 2, 4, 16, 64][..]),
        keys in keys(),
        actions in actions(),
    ) {
        let entries: Vec<Entry> = (0..buckets * BUCKET).map(|_| Entry::default()).collect();
        let table = Table::new(&entries);
        // The owner's number by key.
        let mut map = HashMap::new();
        for (number, (action, index)) in (0..).zip(actions) {
            let key = keys[index];
            match action {
                Action::Claim => match table.claim_home(key).map_or_else(|| table.claim(key), new) {
                    Some(Claim::New(slot)) => {
                        prop_assert_eq!(map.insert(key, number), None);
                        mark(slot, number);
                    }
                    Some(Claim::Stale(slot)) => {
                        prop_assert_eq!(map.get(&key).copied(), Some(slot.entry.account() as u32));
                    }
                    None => {
                        prop_assert!(!map.contains_key(&key) && map.len() >= BUCKET);
                    }
                },
                Action::Find => {
                    let found = table.find(key).map(|slot| slot.entry.account() as u32);
                    prop_assert_eq!(found, map.get(&key).copied());
                    let at_home = table.find_home(key).map(|slot| slot.entry.account() as u32);
                    prop_assert!(at_home.is_none() || at_home == found);
                }
                Action::Release => {
                    let slot = table.find(key);
                    prop_assert_eq!(slot.is_some(), map.remove(&key).is_some());
                    slot.into_iter().for_each(Slot::release);
                }
            }
            prop_assert_eq!(table.in_use(), map.len());
        }
    }

    #[test]
    fn no_two_keys_share_a_slot_and_what_does_not_fit_is_not_there(keys in keys()) {
        let entries: [Entry; 4 * BUCKET] = core::array::from_fn(|_| Entry::default());
        let table = Table::new(&entries);
        let mut taken: Vec<Slot<'_>> = Vec::new();
        for key in keys {
            match table.claim(key) {
                Some(Claim::New(slot)) => {
                    prop_assert!(taken.iter().all(|other| !ptr::eq(other.entry, slot.entry)));
                    taken.push(slot);
                }
                Some(Claim::Stale(_)) => {}
                None => prop_assert!(table.find(key).is_none() && taken.len() >= BUCKET),
            }
        }
        taken.into_iter().for_each(Slot::release);
        prop_assert_eq!(table.in_use(), 0);
    }
}
