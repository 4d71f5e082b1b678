// SPDX-License-Identifier: GPL-2.0

//! `ioscope cgroups`: which cgroup does how much I/O on which disk, and how long it takes.

use super::{run, source, time_line, Reporter};
use crate::cgroup::{Account, Cgroups, Key};
use crate::cli::cgroups::Cgroups as Options;
use crate::cli::{Format, Words};
use crate::json::{csv_record, time, Count, Document, Histogram};
use crate::live::open;
use crate::output::Output;
use crate::quantile::{Bounds, Counts};
use crate::sample::{Sample, CLASSES, FREE, NONE, READ, WRITE};
use crate::source::Want;
use crate::table::{self, padded};
use anyhow::{anyhow, bail, Context, Result};
use iostat_map::NO_DEVICE;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;

const EBADF: i32 = 9;

pub fn cgroups(options: &Options) -> Result<()> {
    if options.on || options.off {
        return switch(options.on);
    }
    let words = Words::new(&options.when.words)?;
    let want = Want {
        cgroups: true,
        ..Want::default()
    };
    let mut source = source(&options.common.from, false)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut reporter = Accounts {
        options,
        rows: Rows {
            has_other: words.devices.is_empty(),
            summary: options.summary,
            bounds: *source.bounds(),
        },
        is_recorded: source.is_recorded(),
        document: Document::new(options.common.lines),
        has_header: options.common.no_headings,
        longest: 0,
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

/// Switches accounts on or off.
fn switch(on: bool) -> Result<()> {
    let message: &[u8] = if on { b"@cgroups on" } else { b"@cgroups off" };
    match open()?.message(message) {
        Ok(_) => Ok(()),
        Err(error)
            if error.kind() == ErrorKind::PermissionDenied
                || error.raw_os_error() == Some(EBADF) =>
        {
            bail!("accounts by cgroup are switched on and off by root only")
        }
        Err(error) => Err(error).context("cannot switch accounts by cgroup"),
    }
}

struct Accounts<'a> {
    options: &'a Options,
    rows: Rows,
    is_recorded: bool,
    document: Document,
    has_header: bool,
    longest: usize,
}

/// What the lines of cgroups have.
pub struct Rows {
    /// Accounts of what found no room, which is of no device.
    pub has_other: bool,
    /// All disks together.
    pub summary: bool,
    pub bounds: Bounds,
}

/// A cgroup on a disk, or on all of them.
pub struct Line {
    cgroup: String,
    id: u64,
    /// Of one disk: its name and number.
    device: Option<(String, u32)>,
    /// By class.
    accounts: [Account; 4],
    /// Its part of the service time of the disk, or of all disks; `None` if there was none.
    share: Option<f64>,
}

impl Line {
    fn service_ns(&self) -> u64 {
        let each = self.accounts.iter().map(|account| account.service_ns);
        each.fold(0, u64::saturating_add)
    }
}

/// What JSON says of a cgroup on a disk.
#[derive(Serialize)]
struct Json<'a> {
    time: &'a str,
    cgroup: &'a str,
    id: Count,
    device: Option<&'a str>,
    number: Option<u32>,
    #[serde(flatten)]
    classes: BTreeMap<&'static str, ClassJson<'a>>,
}

#[derive(Serialize)]
struct ClassJson<'a> {
    ios: Count,
    bytes: Count,
    ops: Count,
    duration_ns: Count,
    service_ns: Count,
    latency_ns: Histogram<'a>,
}

impl Rows {
    /// The busiest first. `None` if there are no accounts.
    pub fn lines(&self, before: Option<&Cgroups>, to: &Sample) -> Option<Vec<Line>> {
        let now = to.cgroups.as_deref()?;
        let mut lines: BTreeMap<(u32, u64), Line> = BTreeMap::new();
        for (key, account) in now.since(before) {
            let entry = to.entries.iter();
            let mut entry = entry.filter(|entry| entry.device.number == key.number);
            let device = entry.next().map(|entry| entry.device.name.clone());
            if device.is_none() && !(key.is_other() && self.has_other) {
                continue;
            }
            let place = match self.summary {
                true => (NO_DEVICE, key.cgroup),
                false => (key.number, key.cgroup),
            };
            let line = lines
                .entry(place)
                .or_insert_with(|| self.empty(now, &key, device));
            if let Some(sum) = line.accounts.get_mut(usize::from(key.class)) {
                sum.add(&account);
            }
        }
        let mut all = BTreeMap::new();
        for ((number, _), line) in &lines {
            *all.entry(*number).or_insert(0u64) += line.service_ns();
        }
        let mut lines: Vec<Line> = lines
            .into_iter()
            .map(|((number, _), mut line)| {
                let all = all.get(&number).copied().unwrap_or(0);
                line.share = (all != 0).then(|| 100.0 * line.service_ns() as f64 / all as f64);
                line
            })
            .collect();
        // The busiest first. What is equal stays in the order of the module.
        lines.sort_by_key(|line| std::cmp::Reverse(line.service_ns()));
        Some(lines)
    }

    fn empty(&self, now: &Cgroups, key: &Key, device: Option<String>) -> Line {
        let device = device.filter(|_| !self.summary);
        Line {
            cgroup: now.name(key),
            id: key.cgroup,
            device: device.map(|name| (name, key.number)),
            accounts: Default::default(),
            share: None,
        }
    }

    /// Bytes of the column of devices.
    pub fn longest(&self, lines: &[Line]) -> usize {
        let names = lines.iter().filter_map(|line| line.device.as_ref());
        names
            .map(|(name, _)| name.len() + 1)
            .max()
            .unwrap_or(0)
            .max(8)
    }

    /// The names of the columns. That of devices has `longest` bytes.
    pub fn heading(&self, longest: usize) -> String {
        let side = |letter: &str, name: &str| {
            format!(
                "{:>9}{:>11}{:>9}{:>9}{:>8}",
                name,
                format!("{letter}kB"),
                format!("{letter}_await"),
                format!("{letter}_svc"),
                format!("{letter}_p99")
            )
        };
        let device = match self.summary {
            true => String::new(),
            false => format!("{:<longest$}", "device"),
        };
        let (reads, writes) = (side("r", "reads"), side("w", "writes"));
        format!("{device}{reads}{writes}{:>8}{:>7} cgroup", "others", "%svc")
    }

    /// A cgroup.
    pub fn line(&self, line: &Line, longest: usize) -> String {
        let mut text = match (&line.device, self.summary) {
            (_, true) => String::new(),
            (Some((name, _)), false) => format!("{name:<longest$}"),
            (None, false) => format!("{:<longest$}", "-"),
        };
        let [none, read, write, free] = &line.accounts;
        let others = free.operations.saturating_add(none.operations);
        let share = line
            .share
            .map_or("-".to_owned(), |share| format!("{share:.1}"));
        let rest = [(others.to_string(), 8), (share, 7)];
        let sides = [read, write].map(|account| self.side(account));
        for (cell, width) in sides.into_iter().flatten().chain(rest) {
            text.push_str(&padded(&text, &cell, width));
        }
        format!("{text} {}", line.cgroup)
    }

    /// Transactions, kB, mean time from start to end and at the device in ms, and the 99th percentile; and how wide each
    /// column is.
    fn side(&self, account: &Account) -> [(String, usize); 5] {
        let mean = |ns: u64| match account.operations {
            0 => "-".to_owned(),
            count => format!("{:.3}", ns as f64 / count as f64 / 1e6),
        };
        let p99 = account.counts().quantile(99.0, &self.bounds);
        [
            (account.operations.to_string(), 9),
            ((account.bytes / 1024).to_string(), 11),
            (mean(account.duration_ns), 9),
            (mean(account.service_ns), 9),
            (p99.map_or("-".to_owned(), table::time), 8),
        ]
    }
}

impl Accounts<'_> {
    fn off(&self) -> anyhow::Error {
        match self.is_recorded {
            true => anyhow!("accounts by cgroup were not recorded: they were off"),
            false => {
                anyhow!(
                    "accounts by cgroup are off: ioscope cgroups --on switches them on, as root"
                )
            }
        }
    }

    fn table(&mut self, out: &mut Output, lines: &[Line]) -> Result<()> {
        let longest = self.rows.longest(lines).max(self.longest);
        if longest != self.longest {
            self.longest = longest;
            out.new_screen();
        }
        out.heading(lines.len(), &self.rows.heading(longest))?;
        for line in lines {
            out.line(&self.rows.line(line, longest))?;
        }
        if lines.len() != 1 {
            out.line("")?;
        }
        Ok(())
    }

    fn json(&self, time: &str, line: &Line) -> serde_json::Value {
        let classes = [READ, WRITE, FREE, NONE].map(|class| {
            let account = &line.accounts[class];
            let json = ClassJson {
                ios: Count(account.ios),
                bytes: Count(account.bytes),
                ops: Count(account.operations),
                duration_ns: Count(account.duration_ns),
                service_ns: Count(account.service_ns),
                latency_ns: Histogram {
                    counts: account.counts(),
                    bounds: &self.rows.bounds,
                },
            };
            (CLASSES[class], json)
        });
        let json = Json {
            time,
            cgroup: &line.cgroup,
            id: Count(line.id),
            device: line.device.as_ref().map(|(name, _)| name.as_str()),
            number: line.device.as_ref().map(|(_, number)| *number),
            classes: classes.into_iter().collect(),
        };
        serde_json::to_value(json).unwrap_or_default()
    }

    fn csv(&mut self, out: &mut Output, wall_ns: i64, lines: &[Line]) -> Result<()> {
        const NUMBERS: [&str; 6] = ["ios", "bytes", "ops", "duration_ns", "service_ns", "p99_ns"];
        if !std::mem::replace(&mut self.has_header, true) {
            let first = "time cgroup id device number".split(' ').map(str::to_owned);
            let numbers = CLASSES
                .iter()
                .flat_map(|class| NUMBERS.map(|number| format!("{class}_{number}")));
            let columns: Vec<String> = first.chain(numbers).collect();
            csv_record(out, columns.iter().map(String::as_str))?;
        }
        for line in lines {
            let (name, number) = match &line.device {
                Some((name, number)) => (name.clone(), number.to_string()),
                None => Default::default(),
            };
            let mut fields = vec![
                time(wall_ns),
                line.cgroup.clone(),
                line.id.to_string(),
                name,
                number,
            ];
            for account in &line.accounts {
                let counts: Counts = account.counts();
                let p99 = match counts.quantile(99.0, &self.rows.bounds) {
                    Some(crate::quantile::UpTo::Ns(ns)) => ns.to_string(),
                    _ => String::new(),
                };
                let numbers = [
                    account.ios,
                    account.bytes,
                    account.operations,
                    account.duration_ns,
                    account.service_ns,
                ];
                fields.extend(numbers.map(|number| number.to_string()));
                fields.push(p99);
            }
            csv_record(out, fields.iter().map(String::as_str))?;
        }
        Ok(())
    }
}

impl Reporter for Accounts<'_> {
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()> {
        let before = to.of_same_load(from);
        let before = before.and_then(|before| before.cgroups.as_deref());
        let Some(lines) = self.rows.lines(before, to) else {
            return Err(self.off());
        };
        match self.options.common.output {
            Format::Table => {
                time_line(out, self.options.common.time, to.wall_ns)?;
                self.table(out, &lines)
            }
            Format::Json => {
                let time = time(to.wall_ns);
                lines.iter().try_for_each(|line| {
                    let value = self.json(&time, line);
                    self.document.value(out, &value)
                })
            }
            Format::Csv => self.csv(out, to.wall_ns, &lines),
        }
    }

    fn format(&self) -> Format {
        self.options.common.output
    }

    fn document(&mut self) -> &mut Document {
        &mut self.document
    }
}
