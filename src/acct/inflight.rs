// SPDX-License-Identifier: GPL-2.0

//! Where the state of an I/O is found: a table keyed by the address of its request or bio.
//!
//! Nothing is written into the kernel's own structures, and an entry cannot outlive the module.
//!
//! # Where an I/O is
//!
//! The table has a main [`Part`], which all disks share, and a reserve of further parts. In a part, the hash
//! of an address names a bucket of [`BUCKET`] entries and the entry in it to look at first, its home: most
//! I/Os are there, and are found by one compare. An I/O that finds all entries of a bucket busy passes on to
//! another, and adds one to the number of I/Os that passed; a search ends at the first bucket that no I/O has
//! passed. The other buckets come from a second hash, so addresses that share the first do not share the
//! next, whatever the distance between them.
//!
//! # Who may use the reserve
//!
//! One disk alone can fill the main part. The reserve is for the others: each disk has a [`Share`] of
//! it, as many I/Os as its driver usually takes at a time, and the reserve is larger than all
//! shares together. So a disk loses no I/O before more are in flight than its share, whatever
//! the others do. A disk gets its share with its first I/O. Until then it takes room from one that all such disks have
//! together: see [`Share::or`].

mod key;
mod observe;
mod oldest;
mod part;
mod share;

pub use key::{
    Key,
    KeyState, //
};
pub use observe::{
    ObservedIn,
    ObservedIo, //
};
pub use oldest::Oldest;
pub use part::{
    hash,
    Part,
    Passed,
    ReservePart,
    BUCKET,
    HASH_SHIFT, //
};
pub use share::{
    ReserveCount,
    Share, //
};

use super::{
    counter::Counter,
    entry::Entry, //
};
use part::{
    Detour,
    Look, //
};

/// An entry of the table that an I/O owns.
#[derive(Clone, Copy, Debug)]
pub struct Claimed<'a> {
    key: u64,
    /// Its state.
    pub entry: &'a Entry,
    /// How the I/O came to this entry, if it is not in its first bucket of the main part.
    detour: Option<Detour<'a>>,
}

impl<'a> Claimed<'a> {
    /// An entry in the first bucket.
    #[inline(always)]
    fn near(key: u64, entry: &'a Entry) -> Self {
        Claimed {
            key,
            entry,
            detour: None,
        }
    }

    /// The address of the I/O.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Gives the entry back.
    #[inline(always)]
    pub fn release(self) {
        self.entry.end_observation();
        self.entry.key.release(self.key);
        if let Some(detour) = self.detour {
            detour.undo(self.key);
        }
    }

    /// If it is in the reserve, the word that identifies the share it uses. The caller sets and
    /// reads this word.
    #[inline]
    pub fn holder(&self) -> Option<&'a Counter> {
        self.detour?.holder(self.entry)
    }
}

/// An entry for an I/O that begins.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// An idle entry was taken.
    New(Claimed<'a>),
    /// The address is in flight already: an earlier I/O there ended unseen. Its entry is intact.
    Stale(Claimed<'a>),
}

/// The I/Os in flight, found by address without a lock.
///
/// An entry is taken by a compare-and-exchange on its key and given back by a store. If there is no
/// room for an I/O it is not tracked, which the caller counts: an incomplete account is never a
/// wrong one.
///
/// An address is in flight in the table at most once: only the I/O that owns it puts it there, after
/// it has looked wherever it can be.
#[derive(Debug)]
pub struct InFlightTable<'a, R> {
    main: Part<'a>,
    reserve: &'a [R],
    held: &'a ReserveCount,
}

impl<R> Clone for InFlightTable<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for InFlightTable<'_, R> {}

impl<'a, R: ReservePart> InFlightTable<'a, R> {
    /// A table of the main part and of those of the `reserve` that are there. `held` counts the
    /// I/Os in the reserve: all tables with this reserve have the same.
    pub fn new(main: Part<'a>, reserve: &'a [R], held: &'a ReserveCount) -> Self {
        InFlightTable {
            main,
            reserve,
            held,
        }
    }

    /// The entry of `key`, an address the caller owns, if it is in flight.
    pub fn find(self, key: u64) -> Option<Claimed<'a>> {
        // The reserve first, if anything is there: the main part is full then, and the search long.
        self.find_in_reserve(key).or_else(|| self.main.find(key))
    }

    fn find_in_reserve(self, key: u64) -> Option<Claimed<'a>> {
        if self.held.ios() == 0 {
            return None;
        }
        self.in_reserve(|part| part.find(key))
    }

    /// The first entry that `look` returns for a part of the reserve.
    fn in_reserve(self, look: impl Fn(Part<'a>) -> Option<Claimed<'a>>) -> Option<Claimed<'a>> {
        let mut parts = self.reserve.iter().map_while(ReservePart::part);
        parts.find_map(|part| Some(part.held(look(part)?, self.held)))
    }

    /// An entry for `key`, a multiple of 8 that the caller owns and that is not 0: in the main part, or
    /// else in the reserve as part of `share`. [`None`] if there is no room.
    pub fn claim(self, key: u64, share: &Share) -> Option<Claim<'a>> {
        let stale = self.find_in_reserve(key).map(Look::Found);
        let slot = match stale.unwrap_or_else(|| self.main.look_for(key)) {
            Look::Found(slot) => return Some(Claim::Stale(slot)),
            Look::Room => self.main.take(key),
            Look::Full => None,
        };
        let slot = slot.or_else(|| self.take_from_reserve(key, share))?;
        Some(Claim::New(slot))
    }

    #[cold]
    fn take_from_reserve(self, key: u64, share: &Share) -> Option<Claimed<'a>> {
        if !share.take() {
            return None;
        }
        self.held.enter();
        let slot = self.in_reserve(|part| part.take(key));
        if slot.is_none() {
            self.held.leave();
            share.release();
        }
        slot
    }

    /// I/Os in flight. The number is approximate, for display.
    pub fn in_use(self) -> usize {
        let reserve = self.reserve.iter().map_while(ReservePart::part);
        let parts = reserve.chain([self.main]);
        parts.map(Part::in_use).fold(0, usize::saturating_add)
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_inflight))]
mod tests {
    use super::*;

    /// One bucket.
    #[derive(Default)]
    struct Small {
        entries: [Entry; BUCKET],
        passed: [Passed; 1],
        holders: [Counter; BUCKET],
    }

    impl Small {
        fn main(&self) -> Part<'_> {
            Part::main(&self.entries, &self.passed)
        }
    }

    impl ReservePart for Small {
        fn part(&self) -> Option<Part<'_>> {
            Some(Part::of_reserve(&self.entries, &self.passed, &self.holders))
        }
    }

    const ALONE: [Small; 0] = [];

    fn key(number: u64) -> u64 {
        number * 8
    }

    fn is_new(claim: Option<Claim<'_>>) -> bool {
        matches!(claim, Some(Claim::New(_)))
    }

    #[test]
    fn table_finds_what_it_claimed_and_says_when_it_is_full() {
        let (main, held, share) = (Small::default(), ReserveCount::default(), Share::new(9));
        let table = InFlightTable::new(main.main(), &ALONE, &held);
        let room = BUCKET as u64;
        for number in 1..=room {
            assert!(is_new(table.claim(key(number), &share)));
        }
        assert!(table.claim(key(room + 1), &share).is_none());
        assert!(matches!(table.claim(key(3), &share), Some(Claim::Stale(_))));
        assert_eq!(table.in_use(), BUCKET);
        for number in 1..=room {
            let slot = table.find(key(number));
            assert!(slot.is_some());
            if let Some(slot) = slot {
                slot.release();
            }
            assert!(table.find(key(number)).is_none());
        }
        assert_eq!(table.in_use(), 0);
    }

    #[test]
    fn an_address_comes_back_to_the_entry_it_had() {
        let (main, held, share) = (Small::default(), ReserveCount::default(), Share::default());
        let table = InFlightTable::new(main.main(), &ALONE, &held);
        let entry_of = |number| match table.claim(key(number), &share) {
            Some(Claim::New(slot)) => {
                slot.release();
                core::ptr::from_ref(slot.entry)
            }
            _ => core::ptr::null(),
        };
        let first: [_; BUCKET] = core::array::from_fn(|index| entry_of(index as u64 + 1));
        for (number, first) in (1..).zip(first) {
            assert!(entry_of(number) == first);
        }
        // Nine addresses for eight entries: one of them is elsewhere.
        assert!(first.contains(&entry_of(9)));
    }

    #[test]
    fn an_io_that_ended_unseen_is_found_behind_an_idle_entry() {
        let (main, held, share) = (Small::default(), ReserveCount::default(), Share::default());
        let table = InFlightTable::new(main.main(), &ALONE, &held);
        for number in 1..=3 {
            assert!(is_new(table.claim(key(number), &share)));
        }
        if let Some(slot) = table.find(key(1)) {
            slot.release();
        }
        assert!(matches!(table.claim(key(3), &share), Some(Claim::Stale(_))));
    }

    #[test]
    fn the_reserve_takes_what_is_within_a_share_and_gives_it_up() {
        let (main, held) = (Small::default(), ReserveCount::default());
        let reserve: [Small; 1] = Default::default();
        let table = InFlightTable::new(main.main(), &reserve, &held);
        let (flood, other) = (Share::new(2), Share::new(3));
        for number in 1..=10 {
            assert!(is_new(table.claim(key(number), &flood)));
        }
        assert!(table.claim(key(11), &flood).is_none());
        for number in 21..=23 {
            assert!(is_new(table.claim(key(number), &other)));
        }
        assert!(table.claim(key(24), &other).is_none());
        assert_eq!(table.in_use(), BUCKET + 5);
        // An I/O that ended unseen is found in the reserve as well.
        assert!(matches!(
            table.claim(key(22), &other),
            Some(Claim::Stale(_))
        ));
        let holders = (1..=23).filter_map(|number| table.find(key(number))?.holder());
        assert_eq!(holders.count(), 5);
        for number in 21..=23 {
            if let Some(slot) = table.find(key(number)) {
                slot.release();
                other.release();
            }
        }
        assert!(is_new(table.claim(key(24), &other)));
        // While the main part has room, the reserve is not used.
        if let Some(slot) = table.find(key(1)) {
            slot.release();
        }
        let claim = table.claim(key(11), &flood);
        assert!(matches!(claim, Some(Claim::New(slot)) if slot.holder().is_none()));
        assert_eq!(held.ios(), 3);
    }

    #[test]
    fn disks_without_a_share_have_one_together() {
        let (main, held) = (Small::default(), ReserveCount::default());
        let reserve: [Small; 1] = Default::default();
        let table = InFlightTable::new(main.main(), &reserve, &held);
        let common = Share::new(2);
        let (one, other) = (Share::default(), Share::default());
        let claim = |number, share: &Share| is_new(table.claim(key(number), share.or(&common)));
        assert!((1..=9).all(|number| claim(number, &one)));
        assert!(claim(10, &other));
        assert!(!claim(11, &one) && !claim(12, &other));
        // I/Os that are in the common share already stay there.
        one.set_most(1);
        assert!(claim(11, &one));
        assert!(!claim(13, &one) && !claim(12, &other));
        if let Some(slot) = table.find(key(9)) {
            slot.release();
            common.release();
        }
        assert!(!claim(13, &one) && claim(12, &other));
    }

    #[test]
    fn parts_of_odd_sizes_use_some_or_nothing() {
        let entries: [Entry; 3] = Default::default();
        let (held, share) = (ReserveCount::default(), Share::default());
        for len in [0, 3] {
            let table = InFlightTable::new(Part::main(&entries[..len], &[]), &ALONE, &held);
            for number in 1..=3 {
                assert!(table.claim(key(number), &share).is_none());
                assert!(table.find(key(number)).is_none());
            }
        }
    }

    #[test]
    fn three_quarters_of_all_entries_are_promised() {
        for (ios, entries) in [(0, 1), (6, 8), (7, 16), (48, 64), (49, 128), (49152, 65536)] {
            assert_eq!(Part::entries_for(ios), entries);
            assert!(Part::ios_in(entries) >= ios);
        }
        for (entries, ios) in [(1, 1), (8, 6), (16, 12), (65536, 49152)] {
            assert_eq!(Part::ios_in(entries), ios);
        }
    }

    #[test]
    fn an_address_that_was_at_home_is_taken_there_at_once() {
        let (main, held, share) = (Small::default(), ReserveCount::default(), Share::default());
        let (part, number) = (main.main(), key(1));
        let table = InFlightTable::new(part, &ALONE, &held);
        assert!(part.claim_home(number).is_none());
        assert!(is_new(table.claim(number, &share)));
        assert!(part.claim_home(number).is_none());
        if let Some(slot) = table.find(number) {
            slot.release();
        }
        assert!(part.claim_home(number).is_some());
        assert!(part.find_home(number).is_some());
        assert!(part.claim_home(number).is_none());
    }

    #[test]
    fn what_passed_full_buckets_is_counted_and_found() {
        let entries: [Entry; 2 * BUCKET] = core::array::from_fn(|_| Entry::default());
        let passed: [Passed; 2] = Default::default();
        let (held, share) = (ReserveCount::default(), Share::default());
        let part = Part::main(&entries, &passed);
        let table = InFlightTable::new(part, &ALONE, &held);
        let home_of = |key: u64| part.number(part.home_entry(key)?);
        let is_of = |key: u64, bucket| home_of(key).is_some_and(|home| home / BUCKET == bucket);
        let of = |bucket| (1..99).map(key).filter(move |key| is_of(*key, bucket));
        let (mut one, mut other) = (of(0), of(1));
        let claim = |key: Option<u64>| key.is_some_and(|key| is_new(table.claim(key, &share)));
        let release = |key: Option<u64>| {
            if let Some(slot) = key.and_then(|key| table.find(key)) {
                slot.release();
            }
        };
        assert!((0..BUCKET).all(|_| claim(one.next())));
        assert!((1..BUCKET).all(|_| claim(other.next())));
        assert_eq!(part.detours(), 0);
        assert!(claim(one.next()));
        assert_eq!(part.detours(), 1);
        release(of(0).next());
        assert!(claim(other.next()));
        assert_eq!((part.detours(), part.in_use()), (2, 2 * BUCKET));
        let next = one.next().unwrap_or(0);
        assert!(matches!(part.look_for(next), Look::Full));
        assert!(table.claim(next, &share).is_none());
        release(of(1).next());
        assert!(matches!(part.look_for(next), Look::Room));
        assert!(claim(Some(next)));
    }

    #[test]
    fn only_entries_of_a_part_have_numbers() {
        let entries: [Entry; BUCKET + 1] = core::array::from_fn(|_| Entry::default());
        let passed: [Passed; 1] = Default::default();
        let part = Part::main(&entries[1..BUCKET], &passed);
        let numbers: [_; BUCKET + 1] = core::array::from_fn(|index| part.number(&entries[index]));
        assert_eq!((numbers[0], numbers[BUCKET]), (None, None));
        for (index, number) in numbers[1..BUCKET].iter().enumerate() {
            assert_eq!(*number, Some(index));
        }
    }

    #[test]
    fn what_is_taken_over_may_be_too_many() {
        let share = Share::new(1);
        assert!(share.take() && !share.take());
        share.take_over();
        share.release();
        assert!(!share.take());
        share.release();
        assert!(share.take());
    }
}
