// SPDX-License-Identifier: GPL-2.0

//! Each rule where it has something to say, and close by, where it has not.

use super::*;
use crate::cgroup::Account;
use crate::interval::between;
use crate::quantile::tests::bounds;
use crate::sample::{Device, Entry, Event, Events, Kind, Sample, NONE, READ};
use crate::trace::event::{parse, Line};
use iostat_map::layout::BUCKETS;
use iostat_map::{Histogram, Snapshot};
use std::rc::Rc;

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// What a disk did in 5 s: I/Os that ended, their time in each queue, events, and service times of reads.
#[derive(Clone, Default)]
struct Did {
    ended: u64,
    wait_ns: u64,
    service_ns: u64,
    events: Vec<(&'static str, u64)>,
    /// In each of the two times: so many reads that took so long.
    before: Vec<(u64, u64)>,
    now: Vec<(u64, u64)>,
    flushes: u64,
    flush_ns: u64,
    in_flight: u64,
}

fn histogram(times: &[&[(u64, u64)]]) -> Rc<Histogram> {
    let bounds = bounds();
    let mut counts = [0; BUCKETS];
    for (count, ns) in times.iter().copied().flatten() {
        counts[bounds.partition_point(|bound| bound < ns)] += count;
    }
    Rc::new(Histogram {
        counts,
        longest: 0,
        shortest_inverted: 0,
    })
}

fn entry(number: u32, name: &str, counters: Snapshot, service: Rc<Histogram>) -> Entry {
    let device = Device {
        number,
        name: name.to_owned(),
        kind: Kind::Disk,
        diskseq: 1 + u64::from(number),
        crtime: 0,
        major: 8,
        minor: number,
        parent: None,
        driver: String::new(),
    };
    let mut times = crate::sample::Times::default();
    times[READ][SERVICE] = Some(service);
    Entry {
        device: Rc::new(device),
        counters: Snapshot { number, ..counters },
        times,
    }
}

/// The samples before and after.
fn samples(disks: &[(&str, Did)]) -> (Sample, Sample) {
    let (mut from, mut to) = (Sample::default(), Sample::default());
    let mut events = Vec::new();
    for (number, (name, did)) in (0..).zip(disks) {
        let mut counters = Snapshot {
            snaptime: 100 * SECOND,
            ..Snapshot::default()
        };
        from.entries
            .push(entry(number, name, counters, histogram(&[&did.before])));
        counters.snaptime += 5 * SECOND;
        counters.start_count = did.ended + did.in_flight;
        counters.end_count = did.ended;
        counters.wlentime = did.wait_ns;
        counters.rlentime = did.service_ns;
        counters.rcnt = did.in_flight;
        counters.operations[READ] = did.ended - did.flushes;
        counters.duration[READ] = did.wait_ns + did.service_ns - did.flush_ns;
        counters.operations[NONE] = did.flushes;
        counters.duration[NONE] = did.flush_ns;
        let all = histogram(&[&did.before, &did.now]);
        to.entries.push(entry(number, name, counters, all));
        events.extend(did.events.iter().map(|(event, total)| Event {
            label: format!("{name} {event}"),
            kind: "misc".to_owned(),
            total: *total,
            rate: None,
        }));
    }
    from.events = Some(Rc::new(Events::default()));
    to.events = Some(Rc::new(events.into_iter().collect()));
    (from, to)
}

/// The rules that have something to say of the first disk, which is made of the others.
fn rules(disks: &[(&str, Did)], queue: Option<Queue>, traced: Option<&Traced>) -> Vec<Finding> {
    let (from, to) = samples(disks);
    let (intervals, before) = (between(Some(&from), &to), between(None, &from));
    let facts = Facts {
        interval: &intervals[0],
        before: before.first(),
        below: intervals.iter().skip(1).collect(),
        queue,
        traced,
        cgroups: Vec::new(),
        bounds: &bounds(),
    };
    findings(&facts)
}

fn names(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.rule).collect()
}

fn of_one(did: Did) -> Vec<Finding> {
    rules(&[("sda", did)], None, None)
}

/// 1000 I/Os of 1 ms in the queue and 9 ms at the device: nothing is wrong.
fn good() -> Did {
    Did {
        ended: 1000,
        wait_ns: 1000 * MS,
        service_ns: 9000 * MS,
        ..Did::default()
    }
}

#[test]
fn nothing_is_said_of_a_disk_that_is_as_it_should_be() {
    assert!(of_one(good()).is_empty());
    assert!(of_one(Did::default()).is_empty());
}

#[test]
fn a_wait_for_tags_is_not_one_in_the_scheduler() {
    let waits = Did {
        wait_ns: 20_000 * MS,
        ..good()
    };
    let for_tags = Did {
        events: vec![("tag_waits", 100)],
        ..waits.clone()
    };
    let queue = Queue {
        requests: Some(2),
        scheduler: Some("mq-deadline".to_owned()),
        ..Queue::default()
    };
    let found = rules(&[("sda", for_tags.clone())], Some(queue.clone()), None);
    assert_eq!(names(&found), ["tag_wait"]);
    assert_eq!(
        found[0].text,
        "I/Os wait for a tag: 100 times a task slept because all tags of its queue were in use (nr_requests is 2). An \
         I/O waited 20.0 ms, and the device took 9.00 ms."
    );
    assert_eq!(found[0].values["wait_ns"], Count(20 * MS));
    let some = Did {
        events: vec![("tag_waits", 94)],
        ..waits
    };
    let found = rules(&[("sda", some)], Some(queue), None);
    assert_eq!(names(&found), ["queue_wait"]);
    assert!(
        found[0].text.contains("of the scheduler mq-deadline"),
        "{}",
        found[0].text
    );
    // They wait, but the device has most of the time.
    let short = Did {
        wait_ns: 2_900 * MS,
        ..for_tags
    };
    assert_eq!(names(&of_one(short)), [""; 0]);
}

#[test]
fn a_device_is_slower_than_before_from_twice_the_time_on() {
    let times = |now: u64| Did {
        before: vec![(200, 2 * MS)],
        now: vec![(100, now)],
        ..good()
    };
    let found = of_one(times(8 * MS));
    assert_eq!(names(&found), ["slower"]);
    assert_eq!(
        found[0].text,
        "The device is slower than before: Half of its reads took up to 9.29 ms, and up to 2.32 ms in the 200 I/Os before."
    );
    assert_eq!(names(&of_one(times(3 * MS))), [""; 0]);
    // What came before is too little to know what is usual.
    let new = Did {
        before: vec![(99, 2 * MS)],
        ..times(8 * MS)
    };
    assert_eq!(names(&of_one(new)), [""; 0]);
}

#[test]
fn the_slowest_hundredth_is_compared_too() {
    let tail = |slow: u64| Did {
        before: vec![(5000, 2 * MS)],
        now: vec![(1000 - slow, 2 * MS), (slow, 50 * MS)],
        ..good()
    };
    assert_eq!(names(&of_one(tail(11))), ["slow_tail"]);
    assert_eq!(names(&of_one(tail(10))), [""; 0]);
}

#[test]
fn errors_are_said_by_kind() {
    let found = of_one(Did {
        events: vec![("errors_medium", 2), ("errors_io", 1), ("timeouts", 3)],
        ..good()
    });
    assert_eq!(names(&found), ["errors"]);
    assert_eq!(
        found[0].text,
        "3 I/Os ended with an error: medium 2, io 1. 3 requests took longer than their time-out."
    );
}

#[test]
fn requeues_are_said_if_they_are_not_rare() {
    let requeues = |count| Did {
        events: vec![("requeues", count)],
        ..good()
    };
    assert_eq!(names(&of_one(requeues(10))), ["requeues"]);
    assert_eq!(names(&of_one(requeues(4))), [""; 0]);
    // They wait because of that.
    let waits = Did {
        wait_ns: 9_000 * MS,
        ..requeues(10)
    };
    assert_eq!(names(&of_one(waits)), ["requeues"]);
}

#[test]
fn splits_are_said_if_they_are_not_rare() {
    let splits = |count| Did {
        events: vec![("splits", count)],
        ..good()
    };
    assert_eq!(names(&of_one(splits(100))), ["splits"]);
    assert_eq!(names(&of_one(splits(90))), [""; 0]);
}

#[test]
fn flushes_are_those_that_were_not_passed_through() {
    let flushes = |flush_ns, passed| Did {
        flushes: 50,
        flush_ns,
        events: vec![("flushes", 50), ("passthrough", passed)],
        ..good()
    };
    let found = of_one(flushes(4_000 * MS, 0));
    assert_eq!(names(&found), ["flushes"]);
    assert_eq!(
        found[0].text,
        "Flushes take 40 % of the time of all I/Os: 50, of 80.0 ms each."
    );
    assert_eq!(names(&of_one(flushes(2_000 * MS, 0))), [""; 0]);
    assert_eq!(names(&of_one(flushes(4_000 * MS, 50))), [""; 0]);
}

#[test]
fn a_stall_is_that_nothing_ended() {
    let stalled = Did {
        in_flight: 4,
        ..Did::default()
    };
    let found = of_one(stalled);
    assert_eq!(names(&found), ["stalled"]);
    assert_eq!(
        found[0].text,
        "I/Os in flight: 4, at the device: 4; none ended in 5.000 s."
    );
    let slow = Did {
        in_flight: 4,
        ..good()
    };
    assert_eq!(names(&of_one(slow)), [""; 0]);
}

#[test]
fn a_layer_is_compared_with_the_disks_below() {
    let took = |ms: u64| Did {
        ended: 1000,
        service_ns: ms * 1000 * MS,
        ..Did::default()
    };
    let of = |own, one, other| {
        let disks = [
            ("dm-0", took(own)),
            ("sda", took(one)),
            ("sdb", took(other)),
        ];
        rules(&disks, None, None)
    };
    let found = of(10, 1, 2);
    assert_eq!(names(&found), ["layer"]);
    assert_eq!(
        found[0].text,
        "The time is its own, not of the disks below: an I/O took 10.0 ms, and 2.00 ms at most on sdb."
    );
    let found = of(10, 9, 2);
    assert_eq!(names(&found), ["uneven"]);
    assert_eq!(
        found[0].text,
        "One of the 2 disks below is slow: an I/O took 9.00 ms on sda, and 2.00 ms at most on the others (sdb)."
    );
    assert_eq!(names(&of(10, 9, 8)), [""; 0]);
}

/// The events of I/Os: process, file, first sector, service time.
fn traced(ios: &[(u32, &str, u64, u64)]) -> Traced {
    let mut traced = Traced::default();
    for (pid, path, sector, ns) in ios {
        let rest =
            format!("pid={pid} tgid={pid} uid=0 comm=c{pid} offset=0 fs=ext4 mount=/ path={path}");
        let io = format!("id=1 dev=sda 8:0 flags=B_PHYS|B_READ blkno={sector} bcount=4096");
        let times = format!("resid=0 error=0 outcome=completed wait_ns=0 service_ns={ns}");
        for text in [
            format!("start: {io} {rest}"),
            format!("done: {io} {times} {rest}"),
        ] {
            let line = format!("a-1 [000] ..... 1.000001: {text}");
            match parse(&line) {
                Line::Event(event) => traced.add(&event),
                other => panic!("{line}: {other:?}"),
            }
        }
    }
    traced
}

#[test]
fn who_does_it_is_said_of_what_was_found_and_of_most_of_it() {
    let bad = Did {
        events: vec![("errors_io", 1)],
        ..good()
    };
    let two = |first: u64| {
        let ios = [(7, "/a", 0, first), (8, "/b", 800, 100 - first)];
        traced(&ios)
    };
    let found = rules(&[("sda", bad.clone())], None, Some(&two(60)));
    assert_eq!(names(&found), ["errors", "process", "file"]);
    assert_eq!(
        (found[1].text.as_str(), found[2].text.as_str()),
        (
            "c7 (process 7) has 60 % of the time and 50 % of the bytes.",
            "The file /a (ext4) has 60 % of the time and 50 % of the bytes."
        )
    );
    assert_eq!(
        names(&rules(&[("sda", bad.clone())], None, Some(&two(59)))),
        ["errors"]
    );
    assert_eq!(
        names(&rules(&[("sda", good())], None, Some(&two(60)))),
        [""; 0]
    );
    let of_node = traced(&[(7, "/dev/sda", 0, 1)]);
    assert_eq!(
        names(&rules(&[("sda", bad)], None, Some(&of_node))),
        ["errors", "process"]
    );
}

#[test]
fn what_could_be_merged_and_is_not_is_said() {
    let ios = |step: u64| {
        let ios: Vec<_> = (0..20).map(|index| (7, "/a", index * step, 5)).collect();
        traced(&ios)
    };
    let found = rules(&[("sda", good())], None, Some(&ios(8)));
    assert_eq!(names(&found)[0], "unmerged");
    assert_eq!(
        found[0].text,
        "I/Os that follow each other are not merged: 19 of 20 began where the one before ended, each of 4.0 KiB, 2.0 \
         were in flight at a time, and 0 were merged."
    );
    // Not one behind the other, or merged, or one at a time.
    assert_eq!(
        names(&rules(&[("sda", good())], None, Some(&ios(16)))),
        [""; 0]
    );
    let merged = Did {
        events: vec![("write_merges", 2)],
        ..good()
    };
    assert_eq!(
        names(&rules(&[("sda", merged)], None, Some(&ios(8)))),
        [""; 0]
    );
    let alone = Did {
        service_ns: 4_000 * MS,
        wait_ns: 0,
        ..good()
    };
    assert_eq!(
        names(&rules(&[("sda", alone)], None, Some(&ios(8)))),
        [""; 0]
    );
}

#[test]
fn a_summary_says_where_the_time_is() {
    let summary = |did: Did| {
        let (from, to) = samples(&[("sda", did)]);
        let intervals = between(Some(&from), &to);
        let facts = Facts {
            interval: &intervals[0],
            before: None,
            below: Vec::new(),
            queue: None,
            traced: None,
            cgroups: Vec::new(),
            bounds: &bounds(),
        };
        facts.summary()
    };
    assert_eq!(
        summary(good()),
        "sda: 1000 I/Os ended in 5.000 s. An I/O took 10.0 ms: 1.00 ms in the queue (10 %), 9.00 ms at the device (90 %)."
    );
    assert_eq!(summary(Did::default()), "sda: no I/O in 5.000 s.");
    let stalled = Did {
        in_flight: 1,
        ..Did::default()
    };
    assert_eq!(summary(stalled), "sda: no I/O ended in 5.000 s.");
}

#[test]
fn times_have_three_digits() {
    let written = [
        0,
        999,
        1_000,
        9_994,
        9_996,
        99_960,
        5_412_345,
        53_600_000,
        536_000_000,
        12 * SECOND,
    ]
    .map(time);
    let expected = [
        "0 ns", "999 ns", "1.00 us", "9.99 us", "10.0 us", "100 us", "5.41 ms", "53.6 ms",
        "536 ms", "12.0 s",
    ];
    assert_eq!(written, expected);
}

#[test]
fn a_part_of_nothing_is_no_percent() {
    assert_eq!(percent(0, 0), 0);
    assert_eq!((percent(1, 3), percent(2, 3)), (33, 67));
    assert_eq!(percent(u64::MAX, u64::MAX), 100);
}

#[test]
fn a_cgroup_is_named_if_it_has_most_of_the_time() {
    let slow = Did {
        ended: 100,
        wait_ns: 900 * MS,
        service_ns: 100 * MS,
        events: vec![("tag_waits", 100)],
        ..Did::default()
    };
    let (from, to) = samples(&[("sda", slow)]);
    let (intervals, before, bounds) = (between(Some(&from), &to), between(None, &from), bounds());
    let account = |duration_ns, bytes| Account {
        duration_ns,
        bytes,
        ..Account::default()
    };
    let found = |cgroups: &[(&str, u64, u64)]| {
        let cgroups = cgroups.iter();
        let facts = Facts {
            interval: &intervals[0],
            before: before.first(),
            below: Vec::new(),
            queue: None,
            traced: None,
            cgroups: cgroups
                .map(|(name, ns, bytes)| (name.to_string(), account(*ns, *bytes)))
                .collect(),
            bounds: &bounds,
        };
        findings(&facts)
    };
    let most = found(&[("/a", 10, 75), ("/b", 90, 25)]);
    assert_eq!(names(&most), ["tag_wait", "cgroup"]);
    assert_eq!(
        most[1].text,
        "The cgroup /b has 90 % of the time and 25 % of the bytes."
    );
    assert_eq!(
        names(&found(&[("/a", 50, 75), ("/b", 50, 25)])),
        ["tag_wait"]
    );
    assert_eq!(names(&found(&[("/", 95, 75), ("/b", 5, 25)])), ["tag_wait"]);
    assert_eq!(names(&found(&[])), ["tag_wait"]);
}
