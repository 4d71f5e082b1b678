// SPDX-License-Identifier: GPL-2.0

//! `ioscope snoop`: each I/O, as biosnoop prints it.

use super::traced::{filter, report_lost};
use crate::cli::trace::Snoop;
use crate::cli::Format;
use crate::json::{csv_record, Count, Document};
use crate::output::Output;
use crate::trace::event::{escaped, Class, Event, Kind};
use crate::trace::{Trace, Woken};
use crate::usage::usage;
use anyhow::{bail, Result};
use jiff::tz::TimeZone;
use jiff::Timestamp;
use rustix::time::{clock_gettime, ClockId, Timespec};
use serde::Serialize;
use std::time::{Duration, Instant};

pub fn snoop(options: &Snoop) -> Result<()> {
    let until = match options.seconds {
        Some(seconds) if !(0.01..=1e6).contains(&seconds) => {
            bail!("the time is from 0.01 to 1000000 seconds")
        }
        seconds => seconds.map(Duration::from_secs_f64),
    };
    if options.longer.is_some_and(|ms| !(0.0..=1e9).contains(&ms)) {
        return Err(usage("the time of an I/O is from 0 to 1000000000 ms"));
    }
    let filter = filter(&options.common)?;
    let kinds: &[Kind] = match options.starts {
        true => &[Kind::Start, Kind::Done],
        false => &[Kind::Done],
    };
    let mut trace = Trace::new(kinds, filter.as_deref(), options.common.buffer)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut lines = Lines {
        options,
        comm: options.common.comm.as_deref().map(escaped),
        document: Document::new(options.common.lines),
        wall: WallClock::new(),
        first_ns: None,
        count: 0,
    };
    lines.begin(&mut out)?;
    out.flush()?;
    let until = until.map(|time| Instant::now() + time);
    loop {
        match trace.wait(until)? {
            Woken::Events => {
                lines.wall.follow(WallClock::new());
                trace.read(|event| lines.event(&mut out, event))?;
            }
            Woken::Time | Woken::End => break,
        }
        out.flush()?;
    }
    lines.wall.follow(WallClock::new());
    trace.finish(|event| lines.event(&mut out, event))?;
    let lost = trace.lost()?;
    if options.common.output == Format::Json {
        lines.document.end(&mut out)?;
    }
    out.flush()?;
    report_lost(lost, lines.count);
    Ok(())
}

/// Makes times of the wall clock from those of events.
pub struct WallClock {
    /// What CLOCK_REALTIME is ahead of CLOCK_MONOTONIC.
    ahead_ns: i64,
    /// How long it took to read them: by so much the difference may be too large.
    inexact_ns: u64,
}

impl WallClock {
    pub fn new() -> Self {
        let ns = |id| {
            let time: Timespec = clock_gettime(id);
            time.tv_sec
                .wrapping_mul(1_000_000_000)
                .wrapping_add(time.tv_nsec)
        };
        let before = ns(ClockId::Monotonic);
        let now = ns(ClockId::Realtime);
        let after = ns(ClockId::Monotonic);
        WallClock {
            ahead_ns: now.wrapping_sub(before),
            inexact_ns: after.abs_diff(before),
        }
    }

    /// Takes another reading if it differs by more than readings do: then the wall clock was set, or the system was
    /// suspended, when CLOCK_MONOTONIC stands still.
    fn follow(&mut self, now: WallClock) {
        if now.ahead_ns.abs_diff(self.ahead_ns) > now.inexact_ns.max(self.inexact_ns) {
            *self = now;
        }
    }

    fn timestamp(&self, time_ns: u64) -> Option<Timestamp> {
        let ns = i128::from(self.ahead_ns) + i128::from(time_ns);
        // The part of a microsecond that comes from the difference of the clocks is not information.
        Timestamp::from_nanosecond(ns.div_euclid(1000) * 1000).ok()
    }

    /// RFC 3339, in UTC, with microseconds.
    fn utc(&self, time_ns: u64) -> String {
        self.timestamp(time_ns)
            .map_or("-".to_owned(), |time| format!("{time:.6}"))
    }

    /// The local time of day, with microseconds.
    fn of_day(&self, time_ns: u64) -> String {
        let time = self
            .timestamp(time_ns)
            .map(|time| time.to_zoned(TimeZone::system()));
        time.map_or("-".to_owned(), |time| {
            time.strftime("%H:%M:%S.%6f").to_string()
        })
    }
}

impl Default for WallClock {
    fn default() -> Self {
        Self::new()
    }
}

struct Lines<'a> {
    options: &'a Snoop,
    /// As events have it.
    comm: Option<String>,
    document: Document,
    wall: WallClock,
    /// When the first event was.
    first_ns: Option<u64>,
    count: u64,
}

/// What JSON and CSV say of an event. Of a start, what is not known yet is null, and in CSV empty.
#[derive(Serialize)]
struct Record<'a> {
    time: String,
    event: &'static str,
    device: &'a str,
    major: u32,
    minor: u32,
    direction: &'static str,
    sector: Option<Count>,
    bytes: u32,
    resid: Option<u32>,
    error: Option<i32>,
    outcome: Option<&'a str>,
    wait_ns: Option<Count>,
    service_ns: Option<Count>,
    pid: u32,
    thread: u32,
    uid: u32,
    comm: &'a str,
    fs: &'a str,
    mount: &'a str,
    file: &'a str,
    offset: Option<i64>,
}

const CSV: [&str; 21] = [
    "time",
    "event",
    "device",
    "major",
    "minor",
    "direction",
    "sector",
    "bytes",
    "resid",
    "error",
    "outcome",
    "wait_ns",
    "service_ns",
    "pid",
    "thread",
    "uid",
    "comm",
    "fs",
    "mount",
    "file",
    "offset",
];

impl<'a> Record<'a> {
    fn new(event: &Event<'a>, wall: &WallClock) -> Self {
        let is_done = event.kind == Some(Kind::Done);
        Record {
            time: wall.utc(event.time_ns),
            event: event.kind.map_or("", Kind::name),
            device: event.device,
            major: event.major,
            minor: event.minor,
            direction: match event.class() {
                Class::Read => "read",
                Class::Write => "write",
                Class::None => "none",
            },
            sector: event.sector.map(Count),
            bytes: event.bytes,
            resid: is_done.then_some(event.resid),
            error: is_done.then_some(event.error),
            outcome: is_done.then_some(event.outcome),
            wait_ns: is_done.then_some(Count(event.wait_ns)),
            service_ns: is_done.then_some(Count(event.service_ns)),
            pid: event.tgid,
            thread: event.pid,
            uid: event.uid,
            comm: event.comm,
            fs: event.fs,
            mount: event.mount,
            file: event.path,
            offset: event.offset,
        }
    }

    fn fields(self) -> [String; 21] {
        fn text<T: ToString>(value: Option<T>) -> String {
            value.map_or(String::new(), |value| value.to_string())
        }
        [
            self.time,
            self.event.to_owned(),
            self.device.to_owned(),
            self.major.to_string(),
            self.minor.to_string(),
            self.direction.to_owned(),
            text(self.sector.map(|count| count.0)),
            self.bytes.to_string(),
            text(self.resid),
            text(self.error),
            text(self.outcome),
            text(self.wait_ns.map(|count| count.0)),
            text(self.service_ns.map(|count| count.0)),
            self.pid.to_string(),
            self.thread.to_string(),
            self.uid.to_string(),
            self.comm.to_owned(),
            self.fs.to_owned(),
            self.mount.to_owned(),
            self.file.to_owned(),
            text(self.offset),
        ]
    }
}

impl Lines<'_> {
    fn begin(&mut self, out: &mut Output) -> Result<()> {
        match self.options.common.output {
            Format::Csv if !self.options.common.no_headings => csv_record(out, CSV),
            Format::Table => out.heading(0, &heading(self.options)),
            Format::Csv | Format::Json => Ok(()),
        }
    }

    fn is_shown(&self, event: &Event) -> bool {
        let is_done = event.kind == Some(Kind::Done);
        let is_tried = !is_done || ["completed", "abandoned"].contains(&event.outcome);
        let shortest_ns = self.options.longer.map_or(0.0, |ms| ms * 1e6);
        (is_tried || self.options.all)
            && self.comm.as_deref().is_none_or(|comm| comm == event.comm)
            // How long it takes is not known at its start.
            && (shortest_ns == 0.0 || (is_done && event.total_ns() as f64 >= shortest_ns))
    }

    fn event(&mut self, out: &mut Output, event: &Event) -> Result<()> {
        if !self.is_shown(event) {
            return Ok(());
        }
        self.count += 1;
        match self.options.common.output {
            Format::Json => {
                let record = Record::new(event, &self.wall);
                self.document.value(out, &record)
            }
            Format::Csv => {
                let fields = Record::new(event, &self.wall).fields();
                csv_record(out, fields.iter().map(String::as_str))
            }
            Format::Table => {
                let first_ns = *self.first_ns.get_or_insert(event.time_ns);
                let line = line(self.options, &self.wall, first_ns, event);
                out.heading(1, &heading(self.options))?;
                out.line(&line)
            }
        }
    }
}

/// As biosnoop of libbpf-tools prints it.
fn heading(options: &Snoop) -> String {
    let mut line = String::new();
    if options.timestamps {
        line.push_str(&format!("{:<15} {:<15} ", "START", "DONE"));
    }
    line.push_str("TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   ");
    if options.queued {
        line.push_str("QUE(ms) ");
    }
    line.push_str("LAT(ms)");
    if options.file {
        line.push_str(" FILE");
    }
    line
}

fn line(options: &Snoop, wall: &WallClock, first_ns: u64, event: &Event) -> String {
    let is_done = event.kind == Some(Kind::Done);
    let ms = |ns: u64| match is_done {
        true => format!("{:.3}", ns as f64 / 1e6),
        false => "-".to_owned(),
    };
    let mut line = String::new();
    if options.timestamps {
        let (start_ns, done) = match is_done {
            true => (
                event.time_ns.saturating_sub(event.total_ns()),
                wall.of_day(event.time_ns),
            ),
            false => (event.time_ns, "-".to_owned()),
        };
        line.push_str(&format!("{:<15} {done:<15} ", wall.of_day(start_ns)));
    }
    let seconds = event.time_ns.saturating_sub(first_ns) as f64 / 1e9;
    let class = match event.class() {
        Class::Read => "R",
        Class::Write => "W",
        Class::None => "N",
    };
    let sector = event
        .sector
        .map_or("-".to_owned(), |sector| sector.to_string());
    line.push_str(&format!(
        "{seconds:<11.6} {:<14} {:<7} {:<7} {class:<4} {sector:<10} {:<7} ",
        event.comm, event.tgid, event.device, event.bytes,
    ));
    if options.queued {
        line.push_str(&format!("{:>7} ", ms(event.wait_ns)));
    }
    line.push_str(&format!("{:>7}", ms(event.service_ns)));
    if options.file {
        line.push_str(&format!(" {}", event.path));
    }
    if event.error != 0 {
        line.push_str(&format!(" error={}", event.error));
    }
    if is_done && event.outcome != "completed" {
        line.push_str(&format!(" {}", event.outcome));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_was_set_is_followed() {
        let clock = |ahead_ns, inexact_ns| WallClock {
            ahead_ns,
            inexact_ns,
        };
        let mut wall = clock(5_000_000, 100);
        wall.follow(clock(5_000_100, 50));
        wall.follow(clock(5_003_000, 4_000));
        assert_eq!(wall.utc(1_000_000), "1970-01-01T00:00:00.006000Z");
        wall.follow(clock(9_000_000, 100));
        assert_eq!(wall.utc(1_000_000), "1970-01-01T00:00:00.010000Z");
        wall.follow(clock(-500_000, 100));
        assert_eq!(wall.utc(1_000_000), "1970-01-01T00:00:00.000500Z");
    }
}
