// SPDX-License-Identifier: GPL-2.0

//! `ioscope slow`: the latest I/Os of each disk that were slow.

use crate::cli::slow::Slow as Options;
use crate::cli::Format;
use crate::json::{csv_record, time, Count, Document};
use crate::live::{devices, open, wall_ns};
use crate::names::Selection;
use crate::output::Output;
use crate::sample::Device;
use crate::slow::{parse, SlowIo};
use anyhow::{anyhow, Context, Result};
use serde::Serialize;
use std::io::ErrorKind;
use std::rc::Rc;

const EBADF: i32 = 9;

pub fn slow(options: &Options) -> Result<()> {
    let file = open()?;
    let listed = devices(&file)?;
    let selection = Selection::of_system(&options.words, true, &listed)?;
    let reply = file.message(b"@slow").map_err(|error| match error {
        error if error.raw_os_error() == Some(EBADF) => {
            anyhow!("slow I/Os cannot be read: /dev/iostat may not be written by this user")
        }
        error if error.kind() == ErrorKind::InvalidInput => {
            anyhow!("the module is of another version than ioscope")
        }
        error => anyhow!(error).context("cannot read the slow I/Os"),
    })?;
    let mut ios = parse(&String::from_utf8_lossy(&reply)).context("an unknown list")?;
    select(&mut ios, &selection, &listed, options.words.is_empty());
    if let Some(ms) = options.longer {
        ios.retain(|io| (io.wait_ns + io.service_ns) as f64 >= ms * 1e6);
    }
    // As a log: the newest last.
    ios.sort_by_key(|io| io.end_ns);
    // The module's clock and that of the wall, read one after the other.
    let mut snapshots = Vec::new();
    file.snapshots(&mut snapshots)
        .context("cannot read the time")?;
    let wall_ns = wall_ns();
    let now = snapshots.first().map_or(0, |snapshot| snapshot.snaptime);
    let end = |io: &SlowIo| {
        let age_ns = now.saturating_sub(io.end_ns);
        time(wall_ns.saturating_sub(i64::try_from(age_ns).unwrap_or(i64::MAX)))
    };
    let mut out = Output::new(!options.no_headings);
    write(options, &mut out, &ios, end)?;
    out.flush()
}

/// Leaves those of the devices that are selected, and of their partitions; those of a partition that has left only if all are.
fn select(ios: &mut Vec<SlowIo>, selection: &Selection, devices: &[Rc<Device>], is_all: bool) {
    let by_number = |number: u32| devices.iter().find(|device| device.number == number);
    ios.retain(|io| match by_number(io.number) {
        None => is_all,
        Some(device) => {
            let disk = device.parent.and_then(by_number);
            selection.has(device) || disk.is_some_and(|disk| selection.has(disk))
        }
    });
}

/// An I/O, as JSON.
#[derive(Serialize)]
struct SlowJson<'a> {
    time: &'a str,
    device: Option<&'a str>,
    number: u32,
    wait_ns: Count,
    service_ns: Count,
    error: u32,
    wcnt: Count,
    rcnt: Count,
    /// What is not known, or not for this user, is null.
    op: Option<&'a str>,
    sector: Option<Count>,
    bytes: Option<Count>,
    pid: Option<u32>,
    comm: Option<&'a str>,
    cgroup: Option<Count>,
}

const COLUMNS: [&str; 14] = [
    "time",
    "device",
    "number",
    "wait_ns",
    "service_ns",
    "error",
    "wcnt",
    "rcnt",
    "op",
    "sector",
    "bytes",
    "pid",
    "comm",
    "cgroup",
];

fn write(
    options: &Options,
    out: &mut Output,
    ios: &[SlowIo],
    end: impl Fn(&SlowIo) -> String,
) -> Result<()> {
    match options.output {
        Format::Table => {
            let heading = format!(
                "{:<24} {:<12} {:>10} {:>10} {:>5} {:>5} {:>5} {:<12} {:>12} {:>9} {:>7} comm",
                "time",
                "device",
                "wait_ms",
                "service_ms",
                "error",
                "wcnt",
                "rcnt",
                "op",
                "sector",
                "bytes",
                "pid"
            );
            out.new_screen();
            out.heading(ios.len(), &heading)?;
            ios.iter().try_for_each(|io| out.line(&line(io, &end(io))))
        }
        Format::Json => {
            let mut document = Document::new(options.lines);
            for io in ios {
                let value = SlowJson {
                    time: &end(io),
                    device: io.device.as_deref(),
                    number: io.number,
                    wait_ns: Count(io.wait_ns),
                    service_ns: Count(io.service_ns),
                    error: io.error,
                    wcnt: Count(io.wcnt),
                    rcnt: Count(io.rcnt),
                    op: io.op.as_deref(),
                    sector: io.sector.map(Count),
                    bytes: io.bytes.map(Count),
                    pid: io.pid,
                    comm: io.comm.as_deref(),
                    cgroup: io.cgroup.map(Count),
                };
                document.value(out, &value)?;
            }
            document.end(out)
        }
        Format::Csv => {
            if !options.no_headings {
                csv_record(out, COLUMNS)?;
            }
            let number =
                |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
            ios.iter().try_for_each(|io| {
                csv_record(
                    out,
                    [
                        end(io).as_str(),
                        io.device.as_deref().unwrap_or_default(),
                        &io.number.to_string(),
                        &io.wait_ns.to_string(),
                        &io.service_ns.to_string(),
                        &io.error.to_string(),
                        &io.wcnt.to_string(),
                        &io.rcnt.to_string(),
                        io.op.as_deref().unwrap_or_default(),
                        &number(io.sector),
                        &number(io.bytes),
                        &number(io.pid.map(u64::from)),
                        io.comm.as_deref().unwrap_or_default(),
                        &number(io.cgroup),
                    ],
                )
            })
        }
    }
}

fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

fn line(io: &SlowIo, end: &str) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "{:<24} {:<12} {:>10} {:>10} {:>5} {:>5} {:>5} {:<12} {:>12} {:>9} {:>7} {}",
        end,
        io.device.as_deref().unwrap_or("-"),
        ms(io.wait_ns),
        ms(io.service_ns),
        io.error,
        io.wcnt,
        io.rcnt,
        io.op.as_deref().unwrap_or("-"),
        number(io.sector),
        number(io.bytes),
        number(io.pid.map(u64::from)),
        io.comm.as_deref().unwrap_or("-")
    )
}
