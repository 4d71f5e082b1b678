// SPDX-License-Identifier: GPL-2.0

//! Reports of sums of events: what `ioscope files` and `ioscope waits` share.

use super::traced::{filter, report_lost};
use crate::cli::trace::{By, Order, Sums as Options};
use crate::cli::Format;
use crate::json::{csv_record, time, Count, Document};
use crate::output::Output;
use crate::trace::event::{escaped, Event, Kind};
use crate::trace::sums::{self, parts, Part, Sum, Sums};
use crate::trace::{Trace, Woken};
use crate::usage::usage;
use anyhow::{bail, Result};
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::time::{Duration, Instant};

/// What a command shows of a sum.
pub struct Columns {
    pub events: &'static [Kind],
    pub heading: &'static str,
    pub line: fn(&Sum) -> String,
    /// The names of JSON and CSV, and their values.
    pub names: &'static [&'static str],
    pub values: fn(&Sum) -> Vec<u64>,
}

/// Milliseconds of each of so many; `-` of none.
pub fn ms(time_ns: u64, count: u64) -> String {
    match count {
        0 => "-".to_owned(),
        _ => format!("{:.3}", time_ns as f64 / count as f64 / 1e6),
    }
}

/// The name of a part of the key in JSON and CSV, its heading, and how it is had from an event.
fn key(by: By) -> (&'static str, &'static str, Part) {
    match by {
        By::Device => ("device", "DISK", sums::device),
        By::File => ("file", "FILE", sums::file),
        By::Fs => ("fs", "FS", sums::fs),
        By::Mount => ("mount", "MOUNT", sums::mount),
        By::Pid => ("pid", "PID", sums::process),
        By::Thread => ("thread", "THREAD", sums::thread),
        By::Comm => ("comm", "COMM", sums::comm),
        By::Uid => ("uid", "UID", sums::uid),
        By::In => ("in", "IN", sums::function),
    }
}

/// Reads events for as long as the options say, and writes a report of each interval.
pub fn sums(options: &Options, by: &[By], sort: Order, columns: &Columns) -> Result<()> {
    let interval = match options.interval {
        Some(seconds) if !(0.01..=1e6).contains(&seconds) => {
            bail!("an interval is from 0.01 to 1000000 seconds")
        }
        seconds => seconds.map(Duration::from_secs_f64),
    };
    if (1..by.len()).any(|index| by[..index].contains(&by[index])) {
        return Err(usage("each key of --by is given once"));
    }
    let comm = options.common.comm.as_deref().map(escaped);
    let is_selected = |event: &Event| comm.as_deref().is_none_or(|comm| comm == event.comm);
    let filter = filter(&options.common)?;
    let mut trace = Trace::new(columns.events, filter.as_deref(), options.common.buffer)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut report = Report::new(options, by, sort, columns);
    let mut sums = Sums::new(report.keys.iter().map(|(_, _, part)| *part).collect());
    let mut document = Document::new(options.common.lines);
    let mut shown = 0;
    let mut add = |sums: &mut Sums, event: &Event| {
        if is_selected(event) {
            shown += 1;
            sums.add(event);
        }
        Ok(())
    };
    report.begin(&mut out)?;
    out.flush()?;
    let mut left = options.count;
    // Without an interval a signal ends the only report.
    let mut next = interval.map(|interval| Instant::now() + interval);
    loop {
        match trace.wait(next)? {
            Woken::Events => trace.read(|event| add(&mut sums, event))?,
            Woken::End => break,
            Woken::Time => {
                left = left.map(|left| left - 1);
                if left == Some(0) {
                    break;
                }
                trace.read(|event| add(&mut sums, event))?;
                report.write(&mut out, &mut document, &mut sums)?;
                out.flush()?;
                next = next.zip(interval).map(|(mut next, interval)| {
                    // An interval that took too long is not followed by shorter ones.
                    while next <= Instant::now() {
                        next += interval;
                    }
                    next
                });
            }
        }
    }
    trace.finish(|event| add(&mut sums, event))?;
    let lost = trace.lost()?;
    report.write(&mut out, &mut document, &mut sums)?;
    if options.common.output == Format::Json {
        document.end(&mut out)?;
    }
    out.flush()?;
    report_lost(lost, shown);
    Ok(())
}

struct Report<'a> {
    options: &'a Options,
    sort: Order,
    columns: &'a Columns,
    keys: Vec<(&'static str, &'static str, Part)>,
    /// When the interval began.
    since: Instant,
}

/// A line of JSON.
struct Record<'a> {
    report: &'a Report<'a>,
    time: &'a str,
    interval_ns: u64,
    key: &'a str,
    sum: &'a Sum,
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("time", self.time)?;
        map.serialize_entry("interval_ns", &Count(self.interval_ns))?;
        for ((name, _, _), part) in self.report.keys.iter().zip(parts(self.key)) {
            // Numbers are numbers.
            match part.parse::<u64>() {
                Ok(value) if ["pid", "thread", "uid"].contains(name) => {
                    map.serialize_entry(name, &value)?;
                }
                _ => map.serialize_entry(name, part)?,
            }
        }
        let values = (self.report.columns.values)(self.sum);
        for (name, value) in self.report.columns.names.iter().zip(values) {
            map.serialize_entry(name, &Count(value))?;
        }
        map.end()
    }
}

impl<'a> Report<'a> {
    fn new(options: &'a Options, by: &[By], sort: Order, columns: &'a Columns) -> Self {
        Report {
            options,
            sort,
            columns,
            keys: by.iter().map(|by| key(*by)).collect(),
            since: Instant::now(),
        }
    }

    fn begin(&self, out: &mut Output) -> Result<()> {
        if self.options.common.output != Format::Csv || self.options.common.no_headings {
            return Ok(());
        }
        let names = self.keys.iter().map(|(name, _, _)| *name);
        let names = ["time", "interval_ns"].into_iter().chain(names);
        csv_record(out, names.chain(self.columns.names.iter().copied()))
    }

    /// Writes the sums of an interval, and begins the next.
    fn write(&mut self, out: &mut Output, document: &mut Document, sums: &mut Sums) -> Result<()> {
        let lines = sums.take(match self.sort {
            Order::Bytes => Sum::bytes,
            Order::Count => Sum::count,
            Order::Time => |sum| sum.time_ns,
        });
        let interval_ns = self.since.elapsed().as_nanos().min(u64::MAX.into()) as u64;
        self.since = Instant::now();
        let wall_ns = Timestamp::now().as_nanosecond();
        let time = time(i64::try_from(wall_ns).unwrap_or(i64::MAX));
        match self.options.common.output {
            Format::Table => self.table(out, &lines),
            Format::Csv => lines.iter().try_for_each(|(key, sum)| {
                let mut fields = vec![time.clone(), interval_ns.to_string()];
                fields.extend(parts(key).map(str::to_owned));
                fields.extend((self.columns.values)(sum).iter().map(u64::to_string));
                csv_record(out, fields.iter().map(String::as_str))
            }),
            Format::Json => lines.iter().try_for_each(|(key, sum)| {
                let record = Record {
                    report: self,
                    time: &time,
                    interval_ns,
                    key,
                    sum,
                };
                document.value(out, &record)
            }),
        }
    }

    fn table(&self, out: &mut Output, lines: &[(String, Sum)]) -> Result<()> {
        let shown = match self.options.top {
            0 => lines.len(),
            top => top.min(lines.len()),
        };
        let lines = &lines[..shown];
        // A column is as wide as what is in it; the last needs no width.
        let mut widths: Vec<_> = self
            .keys
            .iter()
            .map(|(_, heading, _)| heading.len())
            .collect();
        for (key, _) in lines {
            for (width, part) in widths.iter_mut().zip(parts(key)) {
                *width = part.chars().count().max(*width);
            }
        }
        let row = |numbers: &str, parts: &mut dyn Iterator<Item = &str>| {
            let mut row = numbers.to_owned();
            for (part, width) in parts.zip(&widths) {
                row.push_str(&format!(" {part:<width$}"));
            }
            row.truncate(row.trim_end().len());
            row
        };
        let headings = &mut self.keys.iter().map(|(_, heading, _)| *heading);
        out.heading(2, &row(self.columns.heading, headings))?;
        for (key, sum) in lines {
            out.line(&row(&(self.columns.line)(sum), &mut parts(key)))?;
        }
        if self.options.interval.is_some() {
            out.line("")?;
        }
        Ok(())
    }
}
