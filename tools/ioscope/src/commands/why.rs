// SPDX-License-Identifier: GPL-2.0

//! `ioscope why`: what the rules find of each disk.

use super::traced::report_lost;
use super::{source, time_line};
use crate::cgroup::Account;
use crate::cli::{Format, Why, Words};
use crate::interval::{between, Interval};
use crate::json::{csv_record, time, Count, Document};
use crate::names::Selection;
use crate::output::{note, Output};
use crate::quantile::Bounds;
use crate::sample::{Device, Kind as DeviceKind, Sample};
use crate::source::{Source, Want};
use crate::trace::event::{Event, Kind};
use crate::trace::{Trace, Woken};
use crate::why::queue::{of_disk, Queue};
use crate::why::traced::Traced;
use crate::why::{findings, Facts, Finding};
use anyhow::Result;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// The interval, unless there is another.
const INTERVAL: Duration = Duration::from_secs(5);
/// Memory for events, for each CPU.
const BUFFER_KIB: u32 = 8192;

pub fn why(options: &Why) -> Result<()> {
    let words = Words::new(&numbers_first(&options.words))?;
    let mut source = source(&options.common.from, false)?;
    // The disks below those that are named are looked at, too.
    let shown = source.selection(&words.devices, false)?;
    let want = Want {
        cgroups: true,
        ..Want::of_devices()
    };
    source.choose(Selection::all(), want);
    let mut report = Report {
        options,
        is_named: !words.devices.is_empty(),
        shown,
        bounds: *source.bounds(),
        document: Document::new(options.common.lines),
        has_header: options.common.no_headings,
        is_recorded: source.is_recorded(),
    };
    let mut out = Output::new(!options.common.no_headings);
    let interval = words.interval.unwrap_or(INTERVAL);
    // Of a recording, all of it is one interval, unless there is an INTERVAL.
    let step = match source.is_recorded() {
        true => words.interval,
        false => Some(interval),
    };
    let most = match source.is_recorded() {
        true => words.count.unwrap_or(u64::MAX),
        false => words.count.unwrap_or(1),
    };
    let mut tracer = Tracer::new(options, source.is_recorded())?;
    let mut from = source.first(step)?;
    for _ in 0..most {
        let Some((to, is_end)) = tracer.next(&mut *source, interval, &from)? else {
            break;
        };
        report.write(&mut out, &from, &to, &tracer.take())?;
        out.flush()?;
        from = to;
        if is_end {
            break;
        }
    }
    report.end(&mut out)?;
    out.flush()?;
    tracer.end()
}

/// Devices may be first: `sda 5` is `5 sda`.
fn numbers_first(words: &[String]) -> Vec<String> {
    let is_number = |word: &String| word.parse::<f64>().is_ok();
    let numbers = words
        .iter()
        .rev()
        .take_while(|word| is_number(word))
        .count();
    let mut words = words.to_vec();
    if !words.first().is_some_and(is_number) {
        words.rotate_right(numbers);
    }
    words
}

/// The events of an interval, by disk.
struct Tracer {
    trace: Option<Trace>,
    /// By the number of the disk.
    disks: HashMap<u32, Traced>,
    shown: u64,
}

impl Tracer {
    fn new(options: &Why, is_recorded: bool) -> Result<Self> {
        let mut trace = None;
        if !options.no_events && !is_recorded {
            match Trace::new(&[Kind::Start, Kind::Merge, Kind::Done], None, BUFFER_KIB) {
                Ok(new) => trace = Some(new),
                Err(error) => note(format_args!("processes and files are not known: {error:#}")),
            }
        }
        Ok(Tracer {
            trace,
            disks: HashMap::new(),
            shown: 0,
        })
    }

    /// The next sample, and whether the user ends it; `None` if there is none. Reads events until then.
    fn next(
        &mut self,
        source: &mut dyn Source,
        interval: Duration,
        from: &Sample,
    ) -> Result<Option<(Sample, bool)>> {
        let Some(trace) = &mut self.trace else {
            if let Some(sample) = source.next()? {
                return Ok(Some((sample, false)));
            }
            // What is shown if the user does not wait is the time up to now.
            let is_recorded = source.is_recorded();
            return Ok(match is_recorded {
                true => None,
                false => source.now()?.map(|sample| (sample, true)),
            });
        };
        let disks = disks_by_number(from);
        let until = Instant::now() + interval;
        let mut is_end = false;
        loop {
            match trace.wait(Some(until))? {
                Woken::Events => {}
                Woken::Time => break,
                Woken::End => {
                    is_end = true;
                    break;
                }
            }
            trace.read(|event| add(&mut self.disks, &mut self.shown, &disks, event))?;
        }
        let sample = source.now()?;
        trace.read(|event| add(&mut self.disks, &mut self.shown, &disks, event))?;
        Ok(sample.map(|sample| (sample, is_end)))
    }

    /// What was read of each disk; `None` if there were no events to read.
    fn take(&mut self) -> Option<HashMap<u32, Traced>> {
        self.trace
            .is_some()
            .then(|| std::mem::take(&mut self.disks))
    }

    fn end(mut self) -> Result<()> {
        let Some(trace) = &mut self.trace else {
            return Ok(());
        };
        trace.finish(|_| Ok(()))?;
        let lost = trace.lost()?;
        if lost != 0 {
            report_lost(lost, self.shown);
        }
        Ok(())
    }
}

/// Adds an event to the sums of its disk.
fn add(
    sums: &mut HashMap<u32, Traced>,
    shown: &mut u64,
    disks: &HashMap<(u32, u32), u32>,
    event: &Event,
) -> Result<()> {
    *shown += 1;
    if let Some(disk) = disks.get(&(event.major, event.minor)) {
        sums.entry(*disk).or_default().add(event);
    }
    Ok(())
}

/// The disk of each disk and partition, by its device number.
fn disks_by_number(sample: &Sample) -> HashMap<(u32, u32), u32> {
    let devices = sample.entries.iter().map(|entry| &entry.device);
    let of_device = |device: &Device| match device.kind {
        DeviceKind::Disk => Some(device.number),
        DeviceKind::Partition => device.parent,
        _ => None,
    };
    devices
        .filter_map(|device| Some(((device.major, device.minor), of_device(device)?)))
        .collect()
}

struct Report<'a> {
    options: &'a Why,
    /// Devices are named: then a line is written also of one that did nothing.
    is_named: bool,
    shown: Selection,
    bounds: Bounds,
    document: Document,
    has_header: bool,
    is_recorded: bool,
}

/// What JSON says of a device.
#[derive(Serialize)]
struct Json<'a> {
    time: String,
    interval_ns: Count,
    device: &'a str,
    number: u32,
    ended: Count,
    wait_ns: Count,
    service_ns: Count,
    findings: &'a [Finding],
}

impl Report<'_> {
    fn write(
        &mut self,
        out: &mut Output,
        from: &Sample,
        to: &Sample,
        traced: &Option<HashMap<u32, Traced>>,
    ) -> Result<()> {
        let intervals = between(Some(from), to);
        let before = between(None, from);
        if self.options.common.output == Format::Table {
            time_line(out, self.options.common.time, to.wall_ns)?;
        }
        let (none, bounds) = (Traced::default(), self.bounds);
        let mut count = 0;
        for interval in &intervals {
            if !self.shown.has(interval.device) || (interval.is_idle() && !self.is_named) {
                continue;
            }
            count += 1;
            let number = interval.device.number;
            let is_disk = interval.device.kind == DeviceKind::Disk;
            let queue = match is_disk && !self.is_recorded {
                true => of_disk(&interval.device.name),
                false => None,
            };
            let of_disk = traced.as_ref().filter(|_| is_disk);
            let facts = Facts {
                interval,
                before: before.iter().find(|before| before.device.number == number),
                below: below(queue.as_ref(), &intervals),
                queue,
                cgroups: cgroups(number, from, to),
                traced: of_disk.map(|disks| disks.get(&number).unwrap_or(&none)),
                bounds: &bounds,
            };
            self.device(out, to.wall_ns, &facts)?;
        }
        if count == 0 && self.options.common.output == Format::Table {
            out.line("No disk did any I/O.")?;
        }
        Ok(())
    }

    fn device(&mut self, out: &mut Output, wall_ns: i64, facts: &Facts) -> Result<()> {
        let found = findings(facts);
        match self.options.common.output {
            Format::Table => {
                out.line(&facts.summary())?;
                for finding in &found {
                    out.line(&format!("  {}", finding.text))?;
                }
                if found.is_empty() && facts.ended() != 0 {
                    out.line("  Nothing is wrong that these numbers show.")?;
                }
                Ok(())
            }
            Format::Json => {
                let json = Json {
                    time: time(wall_ns),
                    interval_ns: Count(facts.interval.ns()),
                    device: &facts.interval.device.name,
                    number: facts.interval.device.number,
                    ended: Count(facts.ended()),
                    wait_ns: Count(facts.wait_ns()),
                    service_ns: Count(facts.service_ns()),
                    findings: &found,
                };
                self.document.value(out, &json)
            }
            Format::Csv => self.csv(out, wall_ns, facts, &found),
        }
    }

    /// A record for each finding.
    fn csv(
        &mut self,
        out: &mut Output,
        wall_ns: i64,
        facts: &Facts,
        found: &[Finding],
    ) -> Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            csv_record(
                out,
                ["time", "interval_ns", "device", "number", "rule", "text"],
            )?;
        }
        for finding in found {
            let fields = [
                &time(wall_ns),
                &facts.interval.ns().to_string(),
                &facts.interval.device.name,
                &facts.interval.device.number.to_string(),
                finding.rule,
                &finding.text,
            ];
            csv_record(out, fields)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Output) -> Result<()> {
        match self.options.common.output {
            Format::Json => self.document.end(out),
            Format::Table | Format::Csv => Ok(()),
        }
    }
}

/// What each cgroup did on a disk.
fn cgroups(number: u32, from: &Sample, to: &Sample) -> Vec<(String, Account)> {
    let Some(now) = &to.cgroups else {
        return Vec::new();
    };
    let mut sums: BTreeMap<u64, (String, Account)> = BTreeMap::new();
    let before = to.of_same_load(Some(from));
    let before = before.and_then(|before| before.cgroups.as_deref());
    for (key, account) in now.since(before) {
        if key.number == number {
            let named = || (now.name(&key), Account::default());
            let (_, sum) = sums.entry(key.cgroup).or_insert_with(named);
            sum.add(&account);
        }
    }
    sums.into_values().collect()
}

/// The disks below: of a partition there, its own interval.
fn below<'a>(queue: Option<&Queue>, intervals: &'a [Interval<'a>]) -> Vec<&'a Interval<'a>> {
    let names = queue.map_or(&[][..], |queue| &queue.below);
    names
        .iter()
        .filter_map(|name| {
            intervals
                .iter()
                .find(|interval| &interval.device.name == name)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_may_be_first() {
        let words = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            numbers_first(&words).join(" ")
        };
        assert_eq!(words("sda 5"), "5 sda");
        assert_eq!(words("sda sdb 5 2"), "5 2 sda sdb");
        assert_eq!(words("5 2 sda"), "5 2 sda");
        assert_eq!(words("5 sda"), "5 sda");
        assert_eq!(words("sda"), "sda");
        assert_eq!(words("0.5"), "0.5");
        assert_eq!(words(""), "");
    }
}
