// SPDX-License-Identifier: GPL-2.0

//! `ioscope events`: event counters, with the columns of NetBSD's `vmstat -e`.

use super::{run, source, time_line, Reporter};
use crate::cli::{Events as Options, Format, Words};
use crate::json::{csv_record, time, Count, Document};
use crate::output::Output;
use crate::sample::{Device, Entry, Event, Sample};
use crate::source::Want;
use anyhow::{anyhow, Result};
use serde::Serialize;

pub fn events(options: &Options) -> Result<()> {
    let words = Words::new(&options.when.words)?;
    let want = Want {
        events: true,
        ..Want::default()
    };
    let mut source = source(&options.common.from, false)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut reporter = Events {
        options,
        is_selected: !words.devices.is_empty(),
        document: Document::new(options.common.lines),
        has_header: options.common.no_headings,
    };
    run(
        &mut *source,
        &options.when,
        &words,
        want,
        &mut out,
        &mut reporter,
    )
}

struct Events<'a> {
    options: &'a Options,
    /// Whether only those of some devices are shown.
    is_selected: bool,
    document: Document,
    has_header: bool,
}

/// A counter in an interval.
#[derive(Serialize)]
struct Line<'a> {
    time: String,
    event: &'a str,
    total: Count,
    /// How much it grew; of the first report, the total.
    growth: Count,
    #[serde(skip)]
    rate: Option<u64>,
    #[serde(rename = "type")]
    kind: &'a str,
}

impl Events<'_> {
    fn lines<'b>(&self, from: Option<&Sample>, to: &'b Sample) -> Result<Vec<Line<'b>>> {
        let events = to.events.as_deref().ok_or_else(|| {
            anyhow!("events cannot be read: /dev/iostat may not be written by this user")
        })?;
        let before = to.of_same_load(from);
        let ns = from.map(|from| to.ns_since(from));
        // Another device may have had the same name before.
        let is_new = |entry: &&Entry| entry.ns_since(before).is_none();
        let new: Vec<&Device> = to
            .entries
            .iter()
            .filter(is_new)
            .map(|e| &*e.device)
            .collect();
        let before = before.and_then(|before| before.events.as_deref());
        let line = |event: &'b Event| {
            let earlier = before.filter(|_| !new.iter().any(|device| is_of(&event.label, device)));
            let earlier = earlier.map_or(0, |events| events.total(&event.label));
            let growth = match event.total.checked_sub(earlier) {
                Some(growth) => growth,
                // It was detached, and another one attached.
                None => event.total,
            };
            let rate = match ns {
                None => event.rate,
                Some(ns) => ns.filter(|ns| *ns != 0).map(|ns| {
                    let rate = u128::from(growth) * 1_000_000_000 / u128::from(ns);
                    rate.min(u64::MAX.into()) as u64
                }),
            };
            Line {
                time: time(to.wall_ns),
                event: &event.label,
                total: Count(event.total),
                growth: Count(growth),
                rate,
                kind: &event.kind,
            }
        };
        let lines = events.list().iter().map(line);
        let is_shown = |line: &Line| {
            let is_selected = !self.is_selected
                || to
                    .entries
                    .iter()
                    .any(|entry| is_of(line.event, &entry.device));
            is_selected && (line.growth.0 != 0 || !self.options.when.zero)
        };
        Ok(lines.filter(is_shown).collect())
    }
}

/// Whether a device has the counter `label`.
fn is_of(label: &str, device: &Device) -> bool {
    let rest = label.strip_prefix(device.name.as_str());
    rest.is_some_and(|rest| rest.starts_with(' '))
}

impl Reporter for Events<'_> {
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()> {
        let lines = self.lines(from, to)?;
        match self.options.common.output {
            Format::Table => {
                time_line(out, self.options.common.time, to.wall_ns)?;
                let heading = format!("{:34} {:>16} {:>8} type", "event", "total", "rate");
                out.heading(lines.len(), &heading)?;
                for line in &lines {
                    let rate = line.rate.map_or("-".to_owned(), |rate| rate.to_string());
                    let (event, total, kind) = (line.event, line.total.0, line.kind);
                    out.line(&format!("{event:34} {total:>16} {rate:>8} {kind}"))?;
                }
                if from.is_some() && lines.len() != 1 {
                    out.line("")?;
                }
                Ok(())
            }
            Format::Json => lines
                .iter()
                .try_for_each(|line| self.document.value(out, line)),
            Format::Csv => {
                if !std::mem::replace(&mut self.has_header, true) {
                    csv_record(out, ["time", "event", "total", "growth", "type"])?;
                }
                lines.iter().try_for_each(|line| {
                    let (total, growth) = (line.total.0.to_string(), line.growth.0.to_string());
                    csv_record(out, [&line.time, line.event, &total, &growth, line.kind])
                })
            }
        }
    }

    fn format(&self) -> Format {
        self.options.common.output
    }

    fn document(&mut self) -> &mut Document {
        &mut self.document
    }
}
