// SPDX-License-Identifier: GPL-2.0

//! Intervals that end in a known way.

use super::*;
use crate::sample::{Event, READ, WRITE};
use proptest::prelude::*;
use std::rc::Rc;

const SECOND: u64 = 1_000_000_000;

fn entry(number: u32, name: &str, crtime: u64, counters: Snapshot) -> Entry {
    let device = Device {
        number,
        name: name.to_owned(),
        kind: Kind::Disk,
        diskseq: number.into(),
        crtime,
        major: 0,
        minor: 0,
        parent: None,
        driver: String::new(),
    };
    Entry {
        device: Rc::new(device),
        counters: Snapshot { number, ..counters },
        times: Default::default(),
    }
}

fn sample(entries: Vec<Entry>) -> Sample {
    Sample {
        entries,
        ..Sample::default()
    }
}

fn at(snaptime: u64) -> Snapshot {
    Snapshot {
        snaptime,
        ..Snapshot::default()
    }
}

fn only<'a>(from: Option<&'a Sample>, to: &'a Sample) -> Interval<'a> {
    let mut all = between(from, to);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn rates_and_means_are_of_the_interval() {
    let mut counters = at(5 * SECOND);
    counters.operations[READ] = 100;
    counters.bytes[READ] = 1024 * 100;
    counters.duration[READ] = SECOND;
    let from = sample(vec![entry(3, "sda", 0, counters)]);
    counters.snaptime = 7 * SECOND;
    counters.operations[READ] = 150;
    counters.bytes[READ] = 1024 * 300;
    counters.duration[READ] = SECOND * 5 / 4;
    counters.end_count = 50;
    counters.wlentime = SECOND / 2;
    counters.rlentime = SECOND;
    counters.rtime = SECOND / 2;
    let to = sample(vec![entry(3, "sda", 0, counters)]);
    let interval = only(Some(&from), &to);
    assert_eq!(interval.ns(), 2 * SECOND);
    assert_eq!(interval.iops(READ), Some(25.0));
    assert_eq!(interval.rate(READ, 1024.0), Some(100.0));
    assert_eq!(interval.size(READ, 1024.0), Some(4.0));
    assert_eq!(interval.mean_ms(READ), Some(5.0));
    assert_eq!(interval.mean_ms(WRITE), None);
    assert_eq!(interval.waiting(), Some(0.25));
    assert_eq!(interval.wait_ms(), Some(10.0));
    assert_eq!(interval.service_ms(), Some(20.0));
    assert_eq!(interval.run_percent(), Some(25.0));
    assert_eq!(interval.errors(), None);
}

#[test]
fn a_device_that_comes_back_is_a_new_one() {
    let mut counters = at(5 * SECOND);
    counters.operations[READ] = u64::MAX / 4;
    let from = sample(vec![entry(3, "sda", 0, counters)]);
    let mut counters = at(7 * SECOND);
    counters.operations[READ] = 10;
    let to = sample(vec![entry(4, "sda", 6 * SECOND, counters)]);
    let interval = only(Some(&from), &to);
    assert_eq!(interval.ns(), SECOND);
    assert_eq!(interval.iops(READ), Some(10.0));
}

#[test]
fn no_time_gives_no_rate() {
    let all = sample(vec![entry(3, "sda", 0, at(SECOND))]);
    let interval = only(Some(&all), &all);
    assert_eq!(interval.iops(READ), None);
    assert_eq!(interval.run_percent(), None);
}

#[test]
fn events_are_those_of_the_disk_and_the_interval() {
    let event = |label: &str, total| Event {
        label: label.to_owned(),
        kind: "misc".to_owned(),
        total,
        rate: None,
    };
    let mut from = sample(vec![entry(3, "sda", 0, at(SECOND))]);
    let before = [event("sda errors_ioerr", 2), event("sdb timeouts", 9)];
    from.events = Some(Rc::new(before.into_iter().collect()));
    let mut to = sample(vec![entry(3, "sda", 0, at(2 * SECOND))]);
    let after = [
        event("sda errors_ioerr", 5),
        event("sda timeouts", 1),
        event("sda splits", 7),
        event("sdb timeouts", 11),
    ];
    to.events = Some(Rc::new(after.into_iter().collect()));
    let interval = only(Some(&from), &to);
    assert_eq!(interval.errors(), Some(4));
    // Of another device of the same name, what was counted before is not subtracted.
    from.entries = vec![entry(2, "sda", 0, at(SECOND))];
    assert_eq!(only(Some(&from), &to).errors(), Some(6));
    // A file without events says nothing of them.
    from.entries = vec![entry(3, "sda", 0, at(SECOND))];
    from.events = None;
    assert_eq!(only(Some(&from), &to).errors(), None);
}

proptest! {
    /// Sums wrap, and their differences do not care.
    #[test]
    fn differences_are_right_across_the_wrap(before: u64, more in 0..u64::MAX / 2) {
        let with = |snaptime, bytes| {
            let mut counters = at(snaptime);
            counters.bytes[READ] = bytes;
            sample(vec![entry(1, "sda", 0, counters)])
        };
        let (from, to) = (with(1, before), with(2, before.wrapping_add(more)));
        prop_assert_eq!(only(Some(&from), &to).bytes(READ), more);
        prop_assert!(only(Some(&to), &from).bytes(READ) <= u64::MAX / 2);
    }

    /// Devices are identified by number, at any place in the list.
    #[test]
    fn order_does_not_matter(numbers in prop::collection::hash_set(0u32..50, 1..20)) {
        let list = |snaptime, numbers: Vec<u32>| {
            let entries = numbers.into_iter().map(|number| entry(number, "x", 0, at(snaptime)));
            sample(entries.collect())
        };
        let numbers: Vec<u32> = numbers.into_iter().collect();
        let from = list(SECOND, numbers.iter().rev().copied().collect());
        let to = list(3 * SECOND, numbers);
        for interval in between(Some(&from), &to) {
            prop_assert_eq!(interval.ns(), 2 * SECOND);
        }
    }
}
