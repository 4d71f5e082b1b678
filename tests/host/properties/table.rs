// SPDX-License-Identifier: GPL-2.0

//! The table of I/Os in flight against a map.

use super::{
    config,
    machine::Memory, //
};
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
        Claimed,
        InFlightTable,
        Part,
        ReserveCount,
        Share,
        BUCKET, //
    },
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select, //
};
use std::collections::{
    HashMap,
    HashSet, //
};

/// A table and its memory.
pub struct Whole {
    pub main: Memory,
    reserve: [Memory; 1],
    held: ReserveCount,
}

impl Whole {
    fn new(main: usize, reserve: usize) -> Self {
        Whole {
            main: Memory::new(main),
            reserve: [Memory::new(reserve)],
            held: ReserveCount::default(),
        }
    }

    /// As the module makes it for so many I/Os.
    pub fn for_ios(ios: usize, promised: usize) -> Self {
        Self::new(Part::entries_for(ios), Part::entries_for(promised))
    }

    pub fn table(&self) -> InFlightTable<'_, Memory> {
        InFlightTable::new(self.main.main(), &self.reserve, &self.held)
    }

    /// Nothing is in flight, and a search ends where it begins.
    pub fn assert_empty(&self) {
        assert_eq!(self.table().in_use(), 0);
        let reserve = self.reserve[0].main();
        assert_eq!([self.main.main().detours(), reserve.detours()], [0, 0]);
        assert_eq!(self.held.ios(), 0);
    }

    pub fn find(&self, key: u64) -> Option<Claimed<'_>> {
        let home = self.main.main().find_home(key);
        home.or_else(|| self.table().find(key))
    }

    fn claim(&self, key: u64, share: &Share) -> Option<Claim<'_>> {
        match self.main.main().claim_home(key) {
            Some(slot) => Some(Claim::New(slot)),
            None => self.table().claim(key, share),
        }
    }

    /// An I/O of `share`'s disk begins. Whether there is room for it.
    pub fn begin(&self, key: u64, share: &Share) -> bool {
        match self.claim(key, share) {
            Some(Claim::New(slot)) => {
                mark(slot, key);
                true
            }
            Some(Claim::Stale(_)) => panic!("{key:#x} has ended"),
            None => false,
        }
    }

    /// It ends. Whether it was there.
    pub fn end(&self, key: u64, share: &Share) -> bool {
        let Some(slot) = self.find(key) else {
            return false;
        };
        assert_eq!([slot.key(), slot.entry.account()], [key; 2]);
        let holder = slot.holder();
        slot.release();
        if holder.is_some() {
            share.release();
        }
        true
    }
}

/// Marks a new owner of a slot with a number of its own.
fn mark(slot: Claimed<'_>, number: u64) {
    let start = Start {
        account: number,
        hctx: 0,
        class: Class::Read,
        tag: Tag::Simple,
        sector: 0,
        pid: 0,
    };
    slot.entry.start_waiting(&start, 0);
}

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

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_table_finds_what_a_map_would(
        buckets in select(&[0usize, 1, 2, 4, 16][..]),
        most in 0..12usize,
        keys in keys(),
        actions in actions(),
    ) {
        let whole = Whole::new(buckets * BUCKET, 2 * BUCKET);
        let share = Share::new(most as u64);
        // The owner's number by key, and which of them are in the reserve.
        let (mut map, mut reserved) = (HashMap::new(), HashSet::new());
        for (number, (action, index)) in (0..).zip(actions) {
            let key = keys[index];
            match action {
                Action::Claim => match whole.claim(key, &share) {
                    Some(Claim::New(slot)) => {
                        prop_assert_eq!(map.insert(key, number), None);
                        mark(slot, number);
                        if slot.holder().is_some() {
                            // It is in the reserve only if the main part has no room for it.
                            let main = map.len() - reserved.len() - 1;
                            prop_assert!(main >= buckets * BUCKET);
                            prop_assert!(reserved.insert(key));
                        }
                    }
                    Some(Claim::Stale(slot)) => {
                        prop_assert_eq!(map.get(&key).copied(), Some(slot.entry.account()));
                        prop_assert_eq!(slot.holder().is_some(), reserved.contains(&key));
                    }
                    None => {
                        prop_assert!(!map.contains_key(&key));
                        // All buckets are within reach.
                        prop_assert!(map.len() - reserved.len() >= buckets * BUCKET);
                        prop_assert_eq!(reserved.len(), most);
                    }
                },
                Action::Find => {
                    let found = whole.table().find(key).map(|slot| slot.entry.account());
                    prop_assert_eq!(found, map.get(&key).copied());
                    let at_home = whole.main.main().find_home(key);
                    let at_home = at_home.map(|slot| slot.entry.account());
                    prop_assert!(at_home.is_none() || at_home == found);
                }
                Action::Release => {
                    let slot = whole.find(key);
                    prop_assert_eq!(slot.is_some(), map.remove(&key).is_some());
                    if reserved.remove(&key) {
                        share.release();
                    }
                    slot.into_iter().for_each(Claimed::release);
                }
            }
            prop_assert!(reserved.len() <= most);
            prop_assert_eq!(whole.held.ios(), reserved.len() as u64);
            prop_assert_eq!(whole.table().in_use(), map.len());
        }
        for key in map.into_keys() {
            whole.find(key).into_iter().for_each(Claimed::release);
        }
        whole.assert_empty();
    }

    #[test]
    fn no_two_keys_share_an_entry_and_what_does_not_fit_is_not_there(keys in keys()) {
        let whole = Whole::new(4 * BUCKET, BUCKET);
        let share = Share::new(4);
        let mut taken: Vec<Claimed<'_>> = Vec::new();
        for key in keys {
            match whole.table().claim(key, &share) {
                Some(Claim::New(slot)) => {
                    let is_other = |other: &Claimed<'_>| !std::ptr::eq(other.entry, slot.entry);
                    prop_assert!(taken.iter().all(is_other));
                    taken.push(slot);
                }
                Some(Claim::Stale(_)) => {}
                None => {
                    prop_assert!(whole.table().find(key).is_none());
                    prop_assert_eq!(taken.len(), 4 * BUCKET + 4);
                }
            }
        }
        taken.into_iter().for_each(Claimed::release);
        whole.assert_empty();
    }
}

#[test]
fn entries_have_numbers_in_their_own_part_alone() {
    let (one, other) = (Memory::new(16), Memory::new(16));
    let whole = Whole::new(16, 0);
    let share = Share::default();
    let mut seen = HashSet::new();
    for key in (1..=16).map(|number| number * 8) {
        let Some(Claim::New(slot)) = whole.claim(key, &share) else {
            panic!("there is room for {key}");
        };
        let number = whole.main.main().number(slot.entry);
        assert!(number.is_some_and(|number| number < 16 && seen.insert(number)));
        let entry: &Entry = slot.entry;
        assert!([&one, &other]
            .iter()
            .all(|part| part.main().number(entry).is_none()));
    }
}
