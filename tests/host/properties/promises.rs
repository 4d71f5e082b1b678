// SPDX-License-Identifier: GPL-2.0

//! The promises of the table of I/Os in flight: none is lost below the stated number, and each disk has
//! its share.

use super::table::Whole;
use iostat::acct::inflight::Share;
use std::collections::HashSet;

/// The start of the kernel's memory.
const MEMORY: u64 = 0xffff_8881_2340_0000;

/// A sequence of numbers without a pattern: xorshift.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// The number of I/Os that are sure to find room: 95 % of the stated number.
fn sure(ios: usize) -> usize {
    ios * 95 / 100
}

#[test]
fn objects_of_any_size_in_a_row_find_room() {
    const IOS: usize = 3 << 7;
    let whole = Whole::for_ios(IOS, 0);
    let share = Share::default();
    for stride in (8..=1 << 16).step_by(8) {
        let keys = || (0..).map(|index| MEMORY + index * stride).take(sure(IOS));
        // The idle entries keep the addresses of the previous stride.
        for key in keys() {
            assert!(whole.begin(key, &share), "stride {stride}");
        }
        for key in keys() {
            assert!(whole.end(key, &share), "stride {stride}");
        }
    }
    whole.assert_empty();
}

#[test]
fn requests_of_the_usual_sizes_are_found_at_the_first_look() {
    // For one queue after the other, on a machine with 2 GiB.
    for size in [256, 320, 384, 512, 1024, 2048, 4096, 14_528] {
        let whole = Whole::for_ios(3 << 14, 0);
        let share = Share::default();
        let keys = || (0..1024).map(|index| MEMORY + index * size);
        for key in keys() {
            assert!(whole.begin(key, &share));
        }
        let at_home = keys().filter(|key| whole.main.main().find_home(*key).is_some());
        assert_eq!(at_home.count(), 1024, "of {size} bytes");
    }
}

#[test]
fn many_objects_in_a_row_find_room() {
    const IOS: usize = 3 << 14;
    // Fibonacci numbers are the worst case for the golden ratio, powers of two for many hashes.
    for stride in [
        64,
        256,
        320,
        4096,
        14_528,
        1 << 16,
        2584 * 8,
        46_368,
        1 << 30,
    ] {
        let whole = Whole::for_ios(IOS, 0);
        let share = Share::default();
        for index in 0..sure(IOS) as u64 {
            let key = MEMORY + index * stride;
            assert!(whole.begin(key, &share), "stride {stride}, after {index}");
        }
        assert_eq!(whole.table().in_use(), sure(IOS));
    }
}

/// Starts and ends I/Os with `ios` in flight, at addresses that `address` computes from a number.
fn churn(ios: usize, turns: usize, address: impl Fn(u64) -> u64) {
    let whole = Whole::for_ios(ios, 0);
    let (share, mut numbers) = (Share::default(), Numbers(0x2545_f491_4f6c_dd1d));
    let mut in_flight: Vec<u64> = Vec::new();
    let mut is_in_flight = HashSet::new();
    while in_flight.len() < sure(ios) {
        let key = address(numbers.next());
        if is_in_flight.insert(key) {
            assert!(whole.begin(key, &share), "after {}", in_flight.len());
            in_flight.push(key);
        }
    }
    for turn in 0..turns {
        let place = numbers.below(in_flight.len());
        let gone = in_flight[place];
        assert!(whole.end(gone, &share), "{gone:#x} is lost");
        is_in_flight.remove(&gone);
        let key = loop {
            let key = address(numbers.next());
            if is_in_flight.insert(key) {
                break key;
            }
        };
        assert!(whole.begin(key, &share), "at turn {turn}");
        in_flight[place] = key;
    }
    for key in in_flight {
        assert!(whole.end(key, &share), "{key:#x} is lost");
    }
    whole.assert_empty();
}

#[test]
fn nothing_is_lost_below_95_percent_however_long_it_goes_on() {
    churn(3 << 12, 300_000, |number| number << 3);
    // Bios of 4 KiB pages, 16 in each; requests; and a few addresses that are used again and again.
    churn(3 << 12, 300_000, |number| {
        MEMORY + (number % (1 << 20)) * 256
    });
    churn(3 << 12, 300_000, |number| {
        MEMORY + (number % (1 << 16)) * 320
    });
    churn(3 << 12, 300_000, |number| {
        MEMORY + (number % (3 << 12)) * 14_528
    });
    churn(3 << 5, 100_000, |number| MEMORY + (number % (1 << 20)) * 64);
}

#[test]
fn a_flood_takes_no_room_from_others_within_their_shares() {
    const SHARE: usize = 256;
    // Four disks have a promise: one that has too many I/Os, and three that do not.
    let whole = Whole::for_ios(3 << 9, 4 * SHARE);
    let flood = Share::new(SHARE as u64);
    let others: [Share; 3] = std::array::from_fn(|_| Share::new(SHARE as u64));
    let address = |disk: u64, number: u64| MEMORY + (disk << 30) + number * 320;
    let mut flooded = Vec::new();
    let (mut numbers, mut lost) = (Numbers(77), 0);
    let mut in_flight: [Vec<u64>; 3] = Default::default();
    for number in 0..20_000 {
        // The first disk goes on whether it finds room or not, and some of its I/Os end.
        let key = address(9, number);
        if whole.begin(key, &flood) {
            flooded.push(key);
        } else {
            lost += 1;
        }
        if numbers.below(8) == 0 {
            let place = numbers.below(flooded.len());
            assert!(whole.end(flooded.swap_remove(place), &flood));
        }
        for (disk, (share, in_flight)) in (0..).zip(others.iter().zip(&mut in_flight)) {
            if in_flight.len() == SHARE {
                let place = numbers.below(SHARE);
                let gone = in_flight.swap_remove(place);
                assert!(whole.end(gone, share), "{gone:#x} is lost");
            }
            let key = (0..SHARE as u64)
                .map(|tag| address(disk, tag))
                .find(|key| !in_flight.contains(key));
            let key = key.expect("a tag is free");
            assert!(
                whole.begin(key, share),
                "disk {disk} has no room at {number}"
            );
            in_flight.push(key);
        }
    }
    assert!(lost > 10_000, "{lost} is not a flood");
    assert!(flooded.len() >= sure(3 << 9) - 3 * SHARE);
    let all = flooded.len() + 3 * SHARE;
    assert_eq!(whole.table().in_use(), all);
    for key in flooded {
        assert!(whole.end(key, &flood), "{key:#x} is lost");
    }
    for (share, in_flight) in others.iter().zip(in_flight) {
        for key in in_flight {
            assert!(whole.end(key, share), "{key:#x} is lost");
        }
    }
    whole.assert_empty();
}

#[test]
fn a_flood_takes_no_room_from_disks_that_are_used_for_the_first_time() {
    const COMMON: usize = 64;
    const SHARE: usize = 128;
    const DISKS: u64 = 8;
    // The flood has its share; each of the others gets its own some I/Os after its first.
    let whole = Whole::for_ios(3 << 7, COMMON + (DISKS as usize + 1) * SHARE);
    let (flood, common) = (Share::new(SHARE as u64), Share::new(COMMON as u64));
    let address = |disk: u64, number: u64| MEMORY + (disk << 30) + number * 320;
    let mut flooded = Vec::new();
    let mut lost = 0;
    for number in 0..2000 {
        let key = address(9, number);
        match whole.begin(key, &flood) {
            true => flooded.push(key),
            false => lost += 1,
        }
    }
    assert!(lost > 1000, "{lost} is not a flood");
    let mut begun: Vec<(u64, &Share)> = Vec::new();
    let others: [Share; DISKS as usize] = Default::default();
    // All in turn, so that the common share is used up when the last of them gets its own.
    for number in 0..(COMMON as u64 / DISKS + SHARE as u64) {
        for (disk, own) in (0..).zip(&others) {
            if number == COMMON as u64 / DISKS {
                own.set_most(SHARE as u64);
            }
            let (key, share) = (address(disk, number), own.or(&common));
            assert!(whole.begin(key, share), "disk {disk}: no room at {number}");
            begun.push((key, share));
        }
    }
    assert!(!whole.begin(address(0, 1 << 20), &others[0]));
    assert!(!whole.begin(address(0, 1 << 20), &common));
    for (key, share) in begun {
        assert!(whole.end(key, share), "{key:#x} is lost");
    }
    for key in flooded {
        assert!(whole.end(key, &flood), "{key:#x} is lost");
    }
    whole.assert_empty();
}
