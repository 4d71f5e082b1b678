// SPDX-License-Identifier: GPL-2.0

//! What is exported, by name.

use super::cgroups;
use super::collect::Scrape;
use super::family::{Family, Kind, Labels, Metric, Sizes, Times, Value};
use crate::sample::{Entry, Kind as DeviceKind, FLUSH_NS, FREE, NONE, PHASES, READ, TOTAL, WRITE};
use crate::size::Counts;
use std::borrow::Cow;

/// The classes, as the label `operation` has them.
pub const OPERATIONS: [(usize, &str); 4] = [
    (READ, "read"),
    (WRITE, "write"),
    (FREE, "discard"),
    (NONE, "other"),
];

/// The queues, as the label `phase` has them: what waits is in the wait queue, what the device has in the run queue.
const QUEUES: [&str; 2] = ["wait", "service"];

const TAGS: [&str; 3] = ["simple", "head", "ordered"];

macro_rules! labels {
    ($($name:literal: $value:expr),*) => {
        Vec::from([$(($name, Cow::Borrowed($value))),*])
    };
}

/// The metrics of all devices: what `of` says of each.
pub fn each<'a>(
    scrape: &'a Scrape,
    (name, help, kind): (&'static str, &'static str, Kind),
    of: impl Fn(&'a Entry) -> Vec<(Labels<'a>, Value<'a>)>,
) -> Family<'a> {
    let mut metrics = Vec::new();
    let entries = scrape.sample.entries.iter();
    for ((entry, name), created_ns) in entries.zip(&scrape.names).zip(&scrape.created_ns) {
        for (more, value) in of(entry) {
            let mut labels = labels!("device": name.as_str());
            labels.extend(more);
            let is_sum = matches!(kind, Kind::Counter | Kind::Histogram);
            metrics.push(Metric {
                labels,
                value,
                created_ns: is_sum.then_some(*created_ns),
            });
        }
    }
    Family {
        name,
        help,
        kind,
        metrics,
    }
}

/// One counter of each device.
pub fn one<'a>(
    scrape: &'a Scrape,
    name: &'static str,
    help: &'static str,
    value: impl Fn(&'a Entry) -> Value<'a>,
) -> Family<'a> {
    each(scrape, (name, help, Kind::Counter), |entry| {
        vec![(Vec::new(), value(entry))]
    })
}

/// A counter of each device and class.
fn by_operation<'a>(
    scrape: &'a Scrape,
    name: &'static str,
    help: &'static str,
    value: impl Fn(&'a Entry, usize) -> Value<'a>,
) -> Family<'a> {
    each(scrape, (name, help, Kind::Counter), |entry| {
        let row = |(class, name)| (labels!("operation": name), value(entry, class));
        OPERATIONS.map(row).into()
    })
}

/// A metric of each queue of each device.
fn by_queue<'a>(
    scrape: &'a Scrape,
    head: (&'static str, &'static str, Kind),
    values: impl Fn(&'a Entry) -> [Value<'a>; 2],
) -> Family<'a> {
    each(scrape, head, |entry| {
        let rows = QUEUES.into_iter().zip(values(entry));
        rows.map(|(queue, value)| (labels!("phase": queue), value))
            .collect()
    })
}

/// A counter of each whole disk: how often events of certain names happened.
pub fn of_events<'a>(
    scrape: &'a Scrape,
    name: &'static str,
    help: &'static str,
    is_counted: impl Fn(&str) -> bool,
) -> Family<'a> {
    sum_of_events(scrape, (name, help), Value::Count, is_counted)
}

/// The same for a value that is not a count: `value` says its unit.
pub fn sum_of_events<'a>(
    scrape: &'a Scrape,
    (name, help): (&'static str, &'static str),
    value: fn(u64) -> Value<'a>,
    is_counted: impl Fn(&str) -> bool,
) -> Family<'a> {
    each(scrape, (name, help, Kind::Counter), |entry| {
        let events = scrape.sample.events.as_deref();
        let Some(events) = events.filter(|_| entry.device.kind == DeviceKind::Disk) else {
            return Vec::new();
        };
        let all = events.of_group(&entry.device.name);
        let counted = all.filter(|(name, _)| is_counted(name));
        let sum = counted.fold(0u64, |sum, (_, total)| sum.saturating_add(total));
        vec![(Vec::new(), value(sum))]
    })
}

/// A metric without a device.
fn alone<'a>(name: &'static str, help: &'static str, value: Value<'a>) -> Family<'a> {
    Family {
        name,
        help,
        kind: Kind::Gauge,
        metrics: vec![Metric {
            labels: Vec::new(),
            value,
            created_ns: None,
        }],
    }
}

/// All metrics; without `scrape`, that the module is not there.
pub fn families(scrape: Option<&Scrape>) -> Vec<Family<'_>> {
    let up = alone(
        "iostat_up",
        "Whether the module iostat is loaded and could be read.",
        Value::Count(scrape.is_some().into()),
    );
    let mut all = vec![up];
    let Some(scrape) = scrape else {
        return all;
    };
    all.extend([
        alone(
            "iostat_generation",
            "How often the list of devices has changed since the module was loaded.",
            Value::Count(scrape.sample.generation),
        ),
        alone(
            "iostat_snapshot_seconds",
            "How long it took to read the module.",
            Value::Ns(scrape.took_ns),
        ),
        info(scrape),
    ]);
    all.extend(counts(scrape));
    all.extend(queues(scrape));
    all.push(oldest_in_flight(scrape));
    all.extend(events(scrape));
    all.extend(slow(scrape));
    all.push(latency(scrape));
    all.push(sizes(scrape));
    all.extend(cgroups::families(scrape));
    all
}

fn info(scrape: &Scrape) -> Family<'_> {
    let head = ("iostat_device", "What a device is.", Kind::Info);
    each(scrape, head, |entry| {
        let device = &entry.device;
        let mut labels = labels!("driver": device.driver.as_str(), "class": device.kind.name());
        labels.push(("diskseq", device.diskseq.to_string().into()));
        labels.push(("number", device.number.to_string().into()));
        vec![(labels, Value::Count(1))]
    })
}

fn counts(scrape: &Scrape) -> [Family<'_>; 11] {
    [
        by_operation(
            scrape,
            "iostat_operations",
            "I/Os completed.",
            |entry, class| Value::Count(entry.counters.operations[class]),
        ),
        by_operation(
            scrape,
            "iostat_bytes",
            "Bytes transferred without error.",
            |entry, class| Value::Count(entry.counters.bytes[class]),
        ),
        by_operation(
            scrape,
            "iostat_duration_seconds",
            "Sum of the times of completed I/Os, from start to end.",
            |entry, class| Value::Ns(entry.counters.duration[class]),
        ),
        by_operation(
            scrape,
            "iostat_service_seconds",
            "The part of it that they were at the device.",
            |entry, class| Value::Ns(entry.counters.service[class]),
        ),
        one(scrape, "iostat_started", "I/Os started.", |entry| {
            Value::Count(entry.counters.start_count)
        }),
        one(
            scrape,
            "iostat_ended",
            "I/Os ended: completed, merged, refused or abandoned.",
            |entry| Value::Count(entry.counters.end_count),
        ),
        one(
            scrape,
            "iostat_merged",
            "I/Os that ended because their request was merged into another.",
            |entry| Value::Count(entry.counters.counts.merged),
        ),
        one(
            scrape,
            "iostat_refused",
            "I/Os that ended because the device was busy and the submitter withdrew the request.",
            |entry| Value::Count(entry.counters.counts.refused),
        ),
        one(
            scrape,
            "iostat_abandoned",
            "I/Os whose end was not seen.",
            |entry| Value::Count(entry.counters.counts.abandoned),
        ),
        each(
            scrape,
            (
                "iostat_tags",
                "I/Os completed, by the tag type of devstat(9).",
                Kind::Counter,
            ),
            |entry| {
                let rows = TAGS.into_iter().zip(entry.counters.tag_types);
                rows.map(|(tag, count)| (labels!("tag": tag), Value::Count(count)))
                    .collect()
            },
        ),
        one(
            scrape,
            "iostat_busy_seconds",
            "Time during which at least one I/O was in flight.",
            |entry| Value::Ns(entry.counters.busy_time),
        ),
    ]
}

fn queues(scrape: &Scrape) -> [Family<'_>; 3] {
    [
        by_queue(
            scrape,
            (
                "iostat_queue_busy_seconds",
                "Time during which I/Os waited, or were at the device.",
                Kind::Counter,
            ),
            |entry| [entry.counters.wtime, entry.counters.rtime].map(Value::Ns),
        ),
        by_queue(
            scrape,
            (
                "iostat_queue_length_seconds",
                "Integral of a queue's length over time: its rate is the mean length.",
                Kind::Counter,
            ),
            |entry| [entry.counters.wlentime, entry.counters.rlentime].map(Value::Ns),
        ),
        by_queue(
            scrape,
            (
                "iostat_in_flight",
                "I/Os in a queue at the moment.",
                Kind::Gauge,
            ),
            |entry| [entry.counters.wcnt, entry.counters.rcnt].map(Value::Count),
        ),
    ]
}

/// 0 where nothing is in flight: a series that comes and goes would not be looked at by alerts when it is needed.
fn oldest_in_flight(scrape: &Scrape) -> Family<'_> {
    let head = (
        "iostat_oldest_in_flight_seconds",
        "Age of the oldest I/O in flight; 0 if no I/O is in flight.",
        Kind::Gauge,
    );
    each(scrape, head, |entry| match entry.device.kind {
        DeviceKind::Disk | DeviceKind::Partition => {
            vec![(Vec::new(), Value::Ns(entry.counters.oldest_age))]
        }
        _ => Vec::new(),
    })
}

fn slow(scrape: &Scrape) -> [Family<'_>; 4] {
    let threshold_ns = scrape.sample.slow_threshold_ns.into_iter();
    let thresholds = threshold_ns.map(|ns| Metric {
        labels: Vec::new(),
        value: Value::Ns(ns),
        created_ns: None,
    });
    [
        of_events(
            scrape,
            "iostat_slow",
            "I/Os whose time from start to end reached the threshold of slow I/Os.",
            |name| name == "slow_ios",
        ),
        of_events(
            scrape,
            "iostat_slow_replaced",
            "Slow I/Os that are not kept any more, as later ones took their places.",
            |name| name == "slow_ios_replaced",
        ),
        of_events(
            scrape,
            "iostat_slow_dropped",
            "Slow I/Os that were not kept, as there was no memory.",
            |name| name == "slow_ios_dropped",
        ),
        Family {
            name: "iostat_slow_threshold_seconds",
            help: "The time from which on an I/O is slow.",
            kind: Kind::Gauge,
            metrics: thresholds.collect(),
        },
    ]
}

fn events(scrape: &Scrape) -> [Family<'_>; 6] {
    [
        of_events(
            scrape,
            "iostat_errors",
            "Completions with an error, whichever it was.",
            |name| name.starts_with("errors_"),
        ),
        of_events(
            scrape,
            "iostat_timeouts",
            "Requests that took longer than their timeout.",
            |name| name == "timeouts",
        ),
        of_events(
            scrape,
            "iostat_tag_waits",
            "How often a task slept because all tags were in use.",
            |name| name == "tag_waits",
        ),
        of_events(
            scrape,
            "iostat_untracked",
            "I/Os that could not be tracked, and are not in the operations.",
            |name| name == "untracked",
        ),
        sum_of_events(
            scrape,
            (
                "iostat_flush_seconds",
                "Time that flushes took at the disk, from issue to completion.",
            ),
            Value::Ns,
            |name| name == FLUSH_NS,
        ),
        each(
            scrape,
            (
                "iostat_events",
                "Events of a disk that have happened, see Documentation/evcnt.rst.",
                Kind::Counter,
            ),
            |entry| {
                let events = scrape.sample.events.as_deref();
                let events = events.filter(|_| entry.device.kind == DeviceKind::Disk);
                let all = events.into_iter();
                let all = all.flat_map(|events| events.of_group(&entry.device.name));
                // It counts ns, and is a family of its own.
                let all = all.filter(|(name, _)| *name != FLUSH_NS);
                all.map(|(name, total)| (labels!("event": name), Value::Count(total)))
                    .collect()
            },
        ),
    ]
}

/// Histograms of reads and writes always, so that their first time is seen to come; of other classes once there is one.
fn latency(scrape: &Scrape) -> Family<'_> {
    let head = (
        "iostat_latency_seconds",
        "Times of completed I/Os. A sum is kept of the phase total only.",
        Kind::Histogram,
    );
    each(scrape, head, |entry| {
        let mut rows = Vec::new();
        for (class, operation) in OPERATIONS {
            if entry.counters.operations[class] == 0 && class != READ && class != WRITE {
                continue;
            }
            for (phase, name) in PHASES.into_iter().enumerate() {
                let Some(histogram) = entry.times[class][phase].as_deref() else {
                    continue;
                };
                let times = Times {
                    histogram,
                    bounds: &scrape.bounds,
                    sum_ns: (phase == TOTAL).then_some(entry.counters.duration[class]),
                };
                let labels = labels!("operation": operation, "phase": name);
                rows.push((labels, Value::Times(times)));
            }
        }
        rows
    })
}

/// Of the classes whose I/Os have sizes, as above. Without classic buckets they are not read, and left out: there are no
/// native ones.
fn sizes(scrape: &Scrape) -> Family<'_> {
    const NO_SIZES: &Counts = &[0; iostat_map::SIZES];
    let head = (
        "iostat_size_bytes",
        "Sizes of completed I/Os.",
        Kind::Histogram,
    );
    each(scrape, head, |entry| {
        let Some(sizes) = &scrape.sample.sizes else {
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (class, operation) in OPERATIONS {
            let is_shown = match class {
                READ | WRITE => true,
                NONE => false,
                _ => entry.counters.operations[class] != 0,
            };
            if is_shown {
                let counts = sizes.get(&(entry.device.number, class as u8));
                let sizes = Sizes {
                    counts: counts.unwrap_or(NO_SIZES),
                    sum: entry.counters.bytes[class],
                };
                rows.push((labels!("operation": operation), Value::Sizes(sizes)));
            }
        }
        rows
    })
}
