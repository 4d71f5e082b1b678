// SPDX-License-Identifier: GPL-2.0

//! The table of I/Os in flight against a map.

use super::config;
use iostat::acct::{
    class::{
        Class,
        Tag, //
    },
    entry::Start,
    inflight::{
        Claim,
        Entries,
        Keys,
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
    let anything = vec(1..=u64::MAX, 64);
    let strided = (select(&[1, 64, 384, 4096][..]), 1..u64::MAX / 2)
        .prop_map(|(stride, base)| (0..64).map(|index| base + index * stride).collect());
    prop_oneof![anything, strided]
}

fn actions() -> impl Strategy<Value = Vec<(Action, usize)>> {
    let action = select(&[Action::Claim, Action::Claim, Action::Find, Action::Release][..]);
    vec((action, 0..64usize), 1..400)
}

/// Marks a new owner of a slot with a number of its own.
fn mark(slot: Slot<'_>, number: u32) {
    let start = Start {
        disk: 0,
        number,
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
        buckets in select(&[1, 2, 4, 16, 64][..]),
        keys in keys(),
        actions in actions(),
    ) {
        let storage: Vec<(Keys, Entries)> = (0..buckets).map(|_| Default::default()).collect();
        let (key_lines, entry_lines): (Vec<Keys>, Vec<Entries>) = storage.into_iter().unzip();
        let table = Table::new(&key_lines, &entry_lines);
        // The owner's number by key.
        let mut map = HashMap::new();
        for (number, (action, index)) in (0..).zip(actions) {
            let key = keys[index];
            match action {
                Action::Claim => match table.claim(key) {
                    Some(Claim::New(slot)) => {
                        prop_assert_eq!(map.insert(key, number), None);
                        mark(slot, number);
                    }
                    Some(Claim::Stale(slot)) => {
                        prop_assert_eq!(map.get(&key).copied(), Some(slot.entry.number()));
                    }
                    None => {
                        prop_assert!(!map.contains_key(&key) && map.len() >= BUCKET);
                    }
                },
                Action::Find => {
                    let found = table.find(key).map(|slot| slot.entry.number());
                    prop_assert_eq!(found, map.get(&key).copied());
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
        let (key_lines, entry_lines): ([Keys; 4], [Entries; 4]) = Default::default();
        let table = Table::new(&key_lines, &entry_lines);
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
