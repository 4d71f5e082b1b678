// SPDX-License-Identifier: GPL-2.0

//! `ioscope inflight`: the I/Os that are in flight now.

use crate::cli::inflight::InFlight as Options;
use crate::cli::{Format, TimeForm, Words};
use crate::inflight::{parse, Flight, InFlight, OfDevice};
use crate::json::io::FlightJson;
use crate::json::{csv_record, time, Count, Document};
use crate::live::{devices, open, wall_ns};
use crate::names::Selection;
use crate::output::Output;
use crate::sample::{Device, Sample};
use crate::source::Want;
use crate::ticker::Ticker;
use anyhow::{anyhow, Context, Result};
use serde::Serialize;
use std::io::ErrorKind;
use std::rc::Rc;

const EBADF: i32 = 9;

pub fn inflight(options: &Options) -> Result<()> {
    let words = Words::new(&options.words)?;
    let mut report = Report {
        options,
        document: Document::new(options.lines),
        has_header: options.no_headings,
    };
    let mut out = Output::new(!options.no_headings);
    match options.from.is_of_recording() {
        true => recorded(&words, &mut report, &mut out)?,
        false => now(&words, &mut report, &mut out)?,
    }
    if options.output == Format::Json {
        report.document.end(&mut out)?;
    }
    out.flush()
}

fn now(words: &Words, report: &mut Report, out: &mut Output) -> Result<()> {
    let options = report.options;
    let file = open()?;
    let mut ticker = Ticker::new()?;
    if let Some(interval) = words.interval {
        ticker.start(interval);
    }
    let mut left = words.count.unwrap_or(match words.interval {
        None => 1,
        Some(_) => u64::MAX,
    });
    // What is named has to be there at first; later it may leave and come back.
    let selection = Selection::of_system(&words.devices, true, &devices(&file)?)?;
    loop {
        let reply = file.message(b"@inflight").map_err(|error| match error {
            error if error.raw_os_error() == Some(EBADF) => {
                anyhow!(
                    "I/Os in flight cannot be read: /dev/iostat may not be written by this user"
                )
            }
            error if error.kind() == ErrorKind::InvalidInput => {
                anyhow!("the module is of another version than ioscope")
            }
            error => anyhow!(error).context("cannot read the I/Os in flight"),
        })?;
        let wall_ns = wall_ns();
        let mut flights = parse(&String::from_utf8_lossy(&reply)).context("an unknown list")?;
        select(&mut flights, options, &selection, &devices(&file)?);
        // The oldest first.
        flights.sort_by_key(|flight| std::cmp::Reverse(flight.age_ns));
        report.write(out, wall_ns, &flights)?;
        out.flush()?;
        left -= 1;
        if left == 0 || !ticker.wait()? {
            return Ok(());
        }
        if options.output == Format::Table {
            out.line("")?;
        }
    }
}

/// What was in flight at the end of each interval of a recording, or without an interval at its end.
fn recorded(words: &Words, report: &mut Report, out: &mut Output) -> Result<()> {
    let options = report.options;
    let mut source = super::source(&options.from, false)?;
    let selection = source.selection(&words.devices, true)?;
    source.choose(Selection::all(), Want::everything());
    let mut sample = source.first(words.interval)?;
    let mut left = words.count.unwrap_or(u64::MAX);
    loop {
        let next = match left {
            1 => None,
            _ => source.next()?,
        };
        if words.interval.is_some() || next.is_none() {
            if words.interval.is_some() && options.output == Format::Table {
                super::time_line(out, Some(TimeForm::Iso), sample.wall_ns)?;
            }
            report.write_sample(out, &sample, &selection)?;
        }
        left -= 1;
        match next {
            Some(next) => sample = next,
            None => return Ok(()),
        }
    }
}

/// Leaves those of the devices that are selected, and of their partitions, if they are old enough.
fn select(
    flights: &mut Vec<Flight>,
    options: &Options,
    selection: &Selection,
    devices: &[Rc<Device>],
) {
    let least_ns = options.longer.map_or(0.0, |ms| ms * 1e6);
    flights.retain(|flight| {
        flight.age_ns as f64 >= least_ns && is_selected(flight.number, selection, devices)
    });
}

/// Whether a device is selected, or its disk.
fn is_selected(number: u32, selection: &Selection, devices: &[Rc<Device>]) -> bool {
    let by_number = |number: u32| devices.iter().find(|device| device.number == number);
    by_number(number).is_some_and(|device| {
        let disk = device.parent.and_then(by_number);
        selection.has(device) || disk.is_some_and(|disk| selection.has(disk))
    })
}

struct Report<'a> {
    options: &'a Options,
    document: Document,
    has_header: bool,
}

/// The I/Os of a device, as JSON.
#[derive(Serialize)]
struct OfDeviceJson<'a> {
    time: &'a str,
    device: &'a str,
    number: u32,
    waiting: Count,
    running: Count,
    oldest_age_ns: Count,
}

const FLIGHT: [&str; 11] = [
    "time",
    "device",
    "number",
    "phase",
    "age_ns",
    "service_ns",
    "op",
    "sector",
    "bytes",
    "thread",
    "comm",
];
const OF_DEVICE: [&str; 6] = [
    "time",
    "device",
    "number",
    "waiting",
    "running",
    "oldest_age_ns",
];

impl Report<'_> {
    fn write(&mut self, out: &mut Output, wall_ns: i64, flights: &[Flight]) -> Result<()> {
        let time = time(wall_ns);
        if self.options.summary {
            let in_flight = InFlight::new(flights.iter().cloned(), 0);
            return self.write_devices(out, &time, &in_flight.devices);
        }
        match self.options.output {
            Format::Table => {
                out.new_screen();
                out.heading(flights.len(), &heading())?;
                flights
                    .iter()
                    .try_for_each(|flight| out.line(&line(flight)))
            }
            Format::Json => flights.iter().try_for_each(|flight| {
                let value = FlightJson::new(&time, flight);
                self.document.value(out, &value)
            }),
            Format::Csv => {
                self.header(out, &FLIGHT)?;
                flights.iter().try_for_each(|flight| {
                    let number =
                        |value: Option<u64>| value.map_or(String::new(), |v| v.to_string());
                    csv_record(
                        out,
                        [
                            time.as_str(),
                            &flight.device,
                            &flight.number.to_string(),
                            flight.phase(),
                            &flight.age_ns.to_string(),
                            &flight.service_ns.to_string(),
                            flight.op.as_deref().unwrap_or_default(),
                            &number(flight.sector),
                            &number(flight.bytes),
                            &number(flight.pid.map(u64::from)),
                            flight.comm.as_deref().unwrap_or_default(),
                        ],
                    )
                })
            }
        }
    }

    /// Of a sample, which has the oldest I/Os, and sums of all.
    fn write_sample(
        &mut self,
        out: &mut Output,
        sample: &Sample,
        selection: &Selection,
    ) -> Result<()> {
        let in_flight = sample.in_flight.as_ref();
        let in_flight = in_flight.context("what was in flight was not recorded")?;
        let devices = sample.entries.iter().map(|entry| entry.device.clone());
        let devices: Vec<_> = devices.collect();
        if self.options.summary && self.options.longer.is_none() {
            let mut sums = in_flight.devices.clone();
            sums.retain(|of_device| is_selected(of_device.number, selection, &devices));
            return self.write_devices(out, &time(sample.wall_ns), &sums);
        }
        let mut flights = in_flight.oldest.clone();
        select(&mut flights, self.options, selection, &devices);
        self.write(out, sample.wall_ns, &flights)
    }

    fn write_devices(&mut self, out: &mut Output, time: &str, devices: &[OfDevice]) -> Result<()> {
        match self.options.output {
            Format::Table => {
                let heading = format!(
                    "{:<12} {:>8} {:>8} {:>12}",
                    "device", "waiting", "running", "oldest_ms"
                );
                out.new_screen();
                out.heading(devices.len(), &heading)?;
                devices.iter().try_for_each(|device| {
                    out.line(&format!(
                        "{:<12} {:>8} {:>8} {:>12}",
                        device.device,
                        device.waiting,
                        device.running,
                        ms(device.oldest_age_ns)
                    ))
                })
            }
            Format::Json => devices.iter().try_for_each(|device| {
                let value = OfDeviceJson {
                    time,
                    device: &device.device,
                    number: device.number,
                    waiting: Count(device.waiting),
                    running: Count(device.running),
                    oldest_age_ns: Count(device.oldest_age_ns),
                };
                self.document.value(out, &value)
            }),
            Format::Csv => {
                self.header(out, &OF_DEVICE)?;
                devices.iter().try_for_each(|device| {
                    csv_record(
                        out,
                        [
                            time,
                            &device.device,
                            &device.number.to_string(),
                            &device.waiting.to_string(),
                            &device.running.to_string(),
                            &device.oldest_age_ns.to_string(),
                        ],
                    )
                })
            }
        }
    }

    fn header(&mut self, out: &mut Output, names: &[&'static str]) -> Result<()> {
        match std::mem::replace(&mut self.has_header, true) {
            true => Ok(()),
            false => csv_record(out, names.iter().copied()),
        }
    }
}

fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

/// The heading of lines.
pub fn heading() -> String {
    format!(
        "{:<12} {:<7} {:>12} {:>12} {:<12} {:>12} {:>9} {:>7} {}",
        "device", "phase", "age_ms", "service_ms", "op", "sector", "bytes", "thread", "comm"
    )
}

/// An I/O.
pub fn line(flight: &Flight) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "{:<12} {:<7} {:>12} {:>12} {:<12} {:>12} {:>9} {:>7} {}",
        flight.device,
        flight.phase(),
        ms(flight.age_ns),
        ms(flight.service_ns),
        flight.op.as_deref().unwrap_or("-"),
        number(flight.sector),
        number(flight.bytes),
        number(flight.pid.map(u64::from)),
        flight.comm.as_deref().unwrap_or("-")
    )
}
