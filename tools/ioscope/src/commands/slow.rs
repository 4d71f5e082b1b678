// SPDX-License-Identifier: GPL-2.0

//! `ioscope slow`: the latest I/Os of each disk that were slow.

use super::recording;
use crate::cli::slow::Slow as Options;
use crate::cli::Format;
use crate::json::io::SlowJson;
use crate::json::{csv_record, time, Document};
use crate::live::{devices, open, wall_ns};
use crate::names::Selection;
use crate::output::Output;
use crate::recording::replay::Replay;
use crate::sample::Device;
use crate::slow::{date, parse, Log, SlowIo};
use crate::source::Source;
use anyhow::{anyhow, bail, Context, Result};
use std::io::ErrorKind;
use std::rc::Rc;

const EBADF: i32 = 9;

pub fn slow(options: &Options) -> Result<()> {
    let mut out = Output::new(!options.no_headings);
    let mut ios = match recording(&options.from, true)? {
        Some(replay) => recorded(options, replay)?,
        None => kept(options)?,
    };
    if let Some(ms) = options.longer {
        ios.retain(|io| (io.wait_ns + io.service_ns) as f64 >= ms * 1e6);
    }
    write(options, &mut out, &ios)?;
    out.flush()
}

/// Those that the module has.
fn kept(options: &Options) -> Result<Vec<SlowIo>> {
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
    // As a log: the newest last.
    ios.sort_by_key(|io| io.end_ns);
    // The module's clock and that of the wall, read one after the other.
    let mut snapshots = Vec::new();
    file.snapshots(&mut snapshots)
        .context("cannot read the time")?;
    let wall_ns = wall_ns();
    let now = snapshots.first().map_or(0, |snapshot| snapshot.snaptime);
    date(&mut ios, now, wall_ns);
    Ok(ios)
}

/// Those that ended in a part of a recording. Of the interval that an instant is in, those that its end has and its beginning has not.
fn recorded(options: &Options, mut replay: Replay) -> Result<Vec<SlowIo>> {
    let is_at = options.from.at.is_some();
    let selection = replay.selection(&options.words, true)?;
    let (mut log, mut all) = (Log::default(), Vec::new());
    let mut sample = Some(replay.first(None)?);
    let (mut is_left_out, mut is_known) = (is_at, false);
    while let Some(now) = sample {
        is_known |= now.slow.is_some();
        let new = log.add(now.slow.as_deref().unwrap_or_default());
        if !std::mem::take(&mut is_left_out) {
            let devices = now.entries.iter().map(|entry| entry.device.clone());
            let mut new: Vec<_> = new.into_iter().map(|(_, io)| io).collect();
            new.retain(|io| is_at || replay.is_in_part(io.wall_ns));
            select(
                &mut new,
                &selection,
                &devices.collect::<Vec<_>>(),
                options.words.is_empty(),
            );
            all.extend(new);
        }
        sample = replay.next()?;
    }
    match is_known {
        true => Ok(all),
        false => bail!("slow I/Os were not recorded"),
    }
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
    "thread",
    "comm",
    "cgroup",
];

fn write(options: &Options, out: &mut Output, ios: &[SlowIo]) -> Result<()> {
    match options.output {
        Format::Table => {
            out.new_screen();
            out.heading(ios.len(), &heading())?;
            ios.iter().try_for_each(|io| out.line(&line(io)))
        }
        Format::Json => {
            let mut document = Document::new(options.lines);
            for io in ios {
                document.value(out, &SlowJson::new(io))?;
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
                        time(io.wall_ns).as_str(),
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

/// The heading of lines.
pub fn heading() -> String {
    format!(
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
        "thread"
    )
}

/// An I/O.
pub fn line(io: &SlowIo) -> String {
    let number = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "{:<24} {:<12} {:>10} {:>10} {:>5} {:>5} {:>5} {:<12} {:>12} {:>9} {:>7} {}",
        time(io.wall_ns),
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
