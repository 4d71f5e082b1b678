// SPDX-License-Identifier: GPL-2.0

//! The names of node_exporter's diskstats collector, with the module's numbers.
//!
//! Merges of discards are left out: the module does not count them.

use super::collect::Scrape;
use super::families::{each, of_events, one, sum_of_events};
use super::family::{Family, Kind, Value};
use crate::sample::{FLUSH_NS, FREE, READ, WRITE};

const SECTOR: u64 = 512;

macro_rules! ns {
    ($field:ident, $class:expr) => {
        |entry| Value::Ns(entry.counters.$field[$class])
    };
}

macro_rules! count {
    ($field:ident, $class:expr) => {
        |entry| Value::Count(entry.counters.$field[$class])
    };
}

pub fn families(scrape: &Scrape) -> Vec<Family<'_>> {
    let now = (
        "node_disk_io_now",
        "The number of I/Os currently in progress.",
        Kind::Gauge,
    );
    let info = ("node_disk", "What a disk is.", Kind::Info);
    vec![
        each(scrape, info, |entry| {
            let device = &entry.device;
            let labels = [("major", device.major), ("minor", device.minor)];
            let labels = labels.map(|(name, number)| (name, number.to_string().into()));
            vec![(labels.into(), Value::Count(1))]
        }),
        one(
            scrape,
            "node_disk_reads_completed",
            "Reads completed.",
            count!(operations, READ),
        ),
        of_events(scrape, "node_disk_reads_merged", "Reads merged.", |name| {
            name == "read_merges"
        }),
        one(
            scrape,
            "node_disk_read_bytes",
            "Bytes read.",
            count!(bytes, READ),
        ),
        one(
            scrape,
            "node_disk_read_time_seconds",
            "Sum of the times of reads.",
            ns!(duration, READ),
        ),
        one(
            scrape,
            "node_disk_writes_completed",
            "Writes completed.",
            count!(operations, WRITE),
        ),
        of_events(
            scrape,
            "node_disk_writes_merged",
            "Writes merged.",
            |name| name == "write_merges",
        ),
        one(
            scrape,
            "node_disk_written_bytes",
            "Bytes written.",
            count!(bytes, WRITE),
        ),
        one(
            scrape,
            "node_disk_write_time_seconds",
            "Sum of the times of writes.",
            ns!(duration, WRITE),
        ),
        one(
            scrape,
            "node_disk_discards_completed",
            "Discards completed.",
            count!(operations, FREE),
        ),
        one(
            scrape,
            "node_disk_discarded_sectors",
            "Sectors of 512 bytes discarded.",
            |entry| Value::Count(entry.counters.bytes[FREE] / SECTOR),
        ),
        one(
            scrape,
            "node_disk_discard_time_seconds",
            "Sum of the times of discards.",
            ns!(duration, FREE),
        ),
        of_events(
            scrape,
            "node_disk_flush_requests",
            "Flushes completed.",
            |name| name == "flushes",
        ),
        sum_of_events(
            scrape,
            (
                "node_disk_flush_requests_time_seconds",
                "Sum of the times of flushes.",
            ),
            Value::Ns,
            |name| name == FLUSH_NS,
        ),
        each(scrape, now, |entry| {
            let now = entry.counters.wcnt.saturating_add(entry.counters.rcnt);
            vec![(Vec::new(), Value::Count(now))]
        }),
        one(
            scrape,
            "node_disk_io_time_seconds",
            "Time during which I/Os were in progress.",
            |entry| Value::Ns(entry.counters.busy_time),
        ),
        one(
            scrape,
            "node_disk_io_time_weighted_seconds",
            "Integral of the number of I/Os in progress over time.",
            |entry| {
                let sums = entry.counters.wlentime.checked_add(entry.counters.rlentime);
                Value::Ns(sums.unwrap_or(u64::MAX))
            },
        ),
    ]
}
