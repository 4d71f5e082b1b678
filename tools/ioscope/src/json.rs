// SPDX-License-Identifier: GPL-2.0

//! Reports as JSON and CSV: integers as the kernel has them, nothing rounded.

pub mod area;
pub mod io;

use crate::interval::Interval;
use crate::output::Output;
use crate::printable;
use crate::quantile::{Bounds, Counts};
use crate::sample::{CLASSES, PHASES};
use anyhow::{Context, Result};
use iostat_map::Snapshot;
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::Write;

/// A count. As text where a double cannot hold it, which is what many readers of JSON have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(pub u64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        const EXACT: u64 = 1 << 53;
        match self.0 {
            0..=EXACT => serializer.serialize_u64(self.0),
            large => serializer.collect_str(&large),
        }
    }
}

/// RFC 3339, in UTC, with milliseconds.
pub fn time(wall_ns: i64) -> String {
    match Timestamp::from_nanosecond(wall_ns.into()) {
        Ok(time) => format!("{time:.3}"),
        Err(_) => "-".to_owned(),
    }
}

/// One device in one interval.
pub struct Report<'a> {
    pub wall_ns: i64,
    pub interval: &'a Interval<'a>,
    pub bounds: &'a Bounds,
}

impl Serialize for Report<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (interval, device) = (self.interval, self.interval.device);
        let count = |counter: fn(&Snapshot) -> u64| Count(interval.growth(counter));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("time", &time(self.wall_ns))?;
        map.serialize_entry("interval_ns", &Count(interval.ns()))?;
        map.serialize_entry("device", &device.name)?;
        map.serialize_entry("number", &device.number)?;
        map.serialize_entry("diskseq", &Count(device.diskseq))?;
        map.serialize_entry("class", device.kind.name())?;
        for class in [1, 2, 3, 0] {
            let report = Class {
                interval,
                class,
                bounds: self.bounds,
            };
            map.serialize_entry(CLASSES[class], &report)?;
        }
        let now = interval.now();
        let wait = Queue {
            busy_ns: count(|s| s.wtime),
            length_time_ns: count(|s| s.wlentime),
            now: Count(now.wcnt),
        };
        let run = Queue {
            busy_ns: count(|s| s.rtime),
            length_time_ns: count(|s| s.rlentime),
            now: Count(now.rcnt),
        };
        map.serialize_entry("wait_queue", &wait)?;
        map.serialize_entry("run_queue", &run)?;
        map.serialize_entry("busy_ns", &count(|s| s.busy_time))?;
        map.serialize_entry("started", &count(|s| s.start_count))?;
        map.serialize_entry("ended", &count(|s| s.end_count))?;
        map.serialize_entry("merged", &count(|s| s.counts.merged))?;
        map.serialize_entry("refused", &count(|s| s.counts.refused))?;
        map.serialize_entry("abandoned", &count(|s| s.counts.abandoned))?;
        let untracked = interval.events(|name| name == "untracked");
        map.serialize_entry("untracked", &untracked.map(Count))?;
        map.serialize_entry("events", &interval.each_event().map(Named))?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct Queue {
    busy_ns: Count,
    length_time_ns: Count,
    now: Count,
}

/// Counts with names.
struct Named(Vec<(String, u64)>);

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, count)| (name, Count(*count))))
    }
}

struct Class<'a> {
    interval: &'a Interval<'a>,
    class: usize,
    bounds: &'a Bounds,
}

impl Serialize for Class<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (interval, class) = (self.interval, self.class);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ops", &Count(interval.operations(class)))?;
        map.serialize_entry("bytes", &Count(interval.bytes(class)))?;
        map.serialize_entry("duration_ns", &Count(interval.duration(class)))?;
        map.serialize_entry("service_ns", &Count(interval.service(class)))?;
        map.serialize_entry("latency_ns", &Latency(self))?;
        map.end()
    }
}

struct Latency<'a>(&'a Class<'a>);

impl Serialize for Latency<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(PHASES.len()))?;
        for (phase, name) in PHASES.iter().enumerate() {
            let times = self.0.interval.times(self.0.class, phase);
            let times = times.map(|counts| Histogram {
                counts,
                bounds: self.0.bounds,
            });
            map.serialize_entry(name, &times)?;
        }
        map.end()
    }
}

/// A histogram: the buckets that are not empty, each with its upper bound, which of the last one is null.
pub struct Histogram<'a> {
    pub counts: Counts,
    pub bounds: &'a Bounds,
}

impl Serialize for Histogram<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("count", &Count(self.counts.total()))?;
        map.serialize_entry("buckets", &Buckets(self))?;
        map.end()
    }
}

struct Buckets<'a>(&'a Histogram<'a>);

impl Serialize for Buckets<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(None)?;
        for (index, count) in self.0.counts.buckets.iter().enumerate() {
            if *count != 0 {
                let bound = self.0.bounds.get(index).copied().map(Count);
                seq.serialize_element(&(bound, Count(*count)))?;
            }
        }
        seq.end()
    }
}

/// JSON values one after the other: as lines, or as one array, which is whole once [`Document::end`] was called.
pub struct Document {
    lines: bool,
    begun: bool,
}

impl Document {
    pub fn new(lines: bool) -> Self {
        Document {
            lines,
            begun: false,
        }
    }

    pub fn value(&mut self, out: &mut Output, value: &impl Serialize) -> Result<()> {
        if !self.lines {
            let before = if self.begun { ",\n" } else { "[\n" };
            out.write_all(before.as_bytes()).context("cannot write")?;
        }
        self.begun = true;
        let text = serde_json::to_string(value).context("cannot write")?;
        let text = printable::json(&text);
        out.write_all(text.as_bytes()).context("cannot write")?;
        if self.lines {
            out.write_all(b"\n").context("cannot write")?;
        }
        Ok(())
    }

    pub fn end(&mut self, out: &mut Output) -> Result<()> {
        let end: &[u8] = match (self.lines, self.begun) {
            (true, _) => b"",
            (false, true) => b"\n]\n",
            (false, false) => b"[]\n",
        };
        out.write_all(end).context("cannot write")
    }
}

/// A column of CSV.
type Column = (&'static str, fn(&Interval) -> u64);

macro_rules! growth {
    ($($field:tt)+) => {
        |interval| interval.growth(|s| s.$($field)+)
    };
}

/// Columns of `/dev/iostat` in its order: differences, for the columns that are sums.
const COLUMNS: [Column; 37] = [
    ("start_count", growth!(start_count)),
    ("end_count", growth!(end_count)),
    ("merged", growth!(counts.merged)),
    ("refused", growth!(counts.refused)),
    ("abandoned", growth!(counts.abandoned)),
    ("bytes_none", growth!(bytes[0])),
    ("bytes_read", growth!(bytes[1])),
    ("bytes_write", growth!(bytes[2])),
    ("bytes_free", growth!(bytes[3])),
    ("operations_none", growth!(operations[0])),
    ("operations_read", growth!(operations[1])),
    ("operations_write", growth!(operations[2])),
    ("operations_free", growth!(operations[3])),
    ("duration_none_ns", growth!(duration[0])),
    ("duration_read_ns", growth!(duration[1])),
    ("duration_write_ns", growth!(duration[2])),
    ("duration_free_ns", growth!(duration[3])),
    ("busy_time_ns", growth!(busy_time)),
    ("tag_simple", growth!(tag_types[0])),
    ("tag_head", growth!(tag_types[1])),
    ("tag_ordered", growth!(tag_types[2])),
    ("service_none_ns", growth!(service[0])),
    ("service_read_ns", growth!(service[1])),
    ("service_write_ns", growth!(service[2])),
    ("service_free_ns", growth!(service[3])),
    ("nread", growth!(bytes[1])),
    ("nwritten", growth!(bytes[2])),
    ("reads", growth!(operations[1])),
    ("writes", growth!(operations[2])),
    ("wtime", growth!(wtime)),
    ("wlentime", growth!(wlentime)),
    ("wlastupdate", |i| i.now().wlastupdate),
    ("rtime", growth!(rtime)),
    ("rlentime", growth!(rlentime)),
    ("rlastupdate", |i| i.now().rlastupdate),
    ("wcnt", |i| i.now().wcnt),
    ("rcnt", |i| i.now().rcnt),
];

/// Writes records of CSV (RFC 4180), without the control characters that fields may have.
pub fn csv_record<'a>(out: &mut Output, fields: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let fields = fields.into_iter().map(printable::printable);
    let fields: Vec<_> = fields.collect();
    let fields = fields.iter().map(|field| field.as_bytes());
    writer.write_record(fields).context("cannot write")?;
    writer.flush().context("cannot write")
}

/// The names of the columns.
pub fn csv_header(out: &mut Output) -> Result<()> {
    let first = ["time", "interval_ns", "device", "number", "class"];
    let columns = COLUMNS.iter().map(|(name, _)| *name);
    csv_record(out, first.into_iter().chain(columns))
}

/// A device in one interval.
pub fn csv_row(out: &mut Output, wall_ns: i64, interval: &Interval) -> Result<()> {
    let device = interval.device;
    let mut fields = vec![
        time(wall_ns),
        interval.ns().to_string(),
        device.name.clone(),
        device.number.to_string(),
        device.kind.name().to_owned(),
    ];
    let values = COLUMNS.iter().map(|(_, value)| value(interval).to_string());
    fields.extend(values);
    csv_record(out, fields.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_for_every_reader() {
        let text = |count| serde_json::to_string(&Count(count)).unwrap_or_default();
        assert_eq!(text(1 << 53), "9007199254740992");
        assert_eq!(text((1 << 53) + 1), "\"9007199254740993\"");
        assert_eq!(text(u64::MAX), "\"18446744073709551615\"");
    }

    #[test]
    fn times_are_in_utc() {
        assert_eq!(time(1_795_348_810_003_112_233), "2026-11-22T12:00:10.003Z");
    }
}
