// SPDX-License-Identifier: GPL-2.0

//! `ioscope region`: statistics of parts of a disk, with the fields of dmstats.

mod line;

use self::line::{csv_line, line, CSV};
use super::time_line;
use crate::cli::region::{RegionChange, RegionCommand, RegionCreate, RegionReport};
use crate::cli::{Format, Words};
use crate::json::{csv_record, Document};
use crate::live::{devices, open, wall_ns};
use crate::names::Selection;
use crate::output::Output;
use crate::region::{areas, list, message, sectors, Area, Region};
use crate::sample::Device;
use crate::ticker::Ticker;
use anyhow::{anyhow, bail, Result};
use iostat_map::File;
use std::rc::Rc;
use std::time::Instant;

/// The program whose regions these are, as `@stats_list` shows it.
const PROGRAM: &str = "ioscope";

pub fn region(command: &RegionCommand) -> Result<()> {
    match command {
        RegionCommand::Create(options) => create(options),
        RegionCommand::List(options) => report(options, What::Regions),
        RegionCommand::Print(options) => report(options, What::Counts),
        RegionCommand::Report(options) => report(options, What::Rates),
        RegionCommand::Clear(options) => change(options, "@stats_clear"),
        RegionCommand::Delete(options) => change(options, "@stats_delete"),
        RegionCommand::Resize { change: to, range } => {
            let range = range_of(Some(range.as_str()))?;
            let words = format!("@stats_resize {} {range}", to.id);
            let file = open()?;
            message(&file, &one_device(&file, &to.device)?.name, &words).map(drop)
        }
    }
}

/// The device that a word names.
pub fn one_device(file: &File, word: &str) -> Result<Rc<Device>> {
    let all = devices(file)?;
    let selection = Selection::of_system(&[word.to_owned()], true, &all)?;
    let device = all.into_iter().find(|device| selection.has(device));
    device.ok_or_else(|| anyhow!("there is no device {word}"))
}

/// `START+LENGTH` in sectors, of which each may have a unit; all of the disk without.
fn range_of(word: Option<&str>) -> Result<String> {
    let Some(word) = word else {
        return Ok("-".to_owned());
    };
    let (start, len) = word.split_once('+').unwrap_or(("", ""));
    match (sectors(start), sectors(len)) {
        (Some(start), Some(len)) => Ok(format!("{start}+{len}")),
        _ => bail!("{word} is no range: START+LENGTH in sectors, or with a unit, as 0+64M"),
    }
}

/// The words of a region that is to be made.
fn words_of(options: &RegionCreate) -> Result<String> {
    let range = range_of(options.range.as_deref())?;
    let step = match (&options.areas, &options.size) {
        (Some(areas), _) => format!("/{areas}"),
        (None, Some(size)) => match sectors(size) {
            Some(step) => step.to_string(),
            None => bail!("{size} is no size: whole sectors, as 64k or 1M"),
        },
        (None, None) => "/1".to_owned(),
    };
    let mut features = vec!["precise_timestamps".to_owned()];
    if !options.bounds.is_empty() {
        let bounds = options.bounds.iter().map(|word| nanoseconds(word));
        let bounds: Vec<String> = bounds.collect::<Result<_>>()?;
        features.push(format!("histogram:{}", bounds.join(",")));
    }
    if options.classes {
        features.push("classes".to_owned());
    }
    let count = features.len();
    Ok(format!(
        "@stats_create {range} {step} {count} {} {PROGRAM}",
        features.join(" ")
    ))
}

/// A bound with its unit, as dmstats takes it: ms without.
fn nanoseconds(word: &str) -> Result<String> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &word[digits.len()..] {
        "ns" => 1u64,
        "us" => 1000,
        "" | "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => bail!("{word} is no bound: a number and ns, us, ms or s"),
    };
    let number = digits.parse::<u64>().ok();
    match number.and_then(|number| number.checked_mul(factor)) {
        Some(ns) => Ok(ns.to_string()),
        None => bail!("{word} is no bound: a number and ns, us, ms or s"),
    }
}

fn create(options: &RegionCreate) -> Result<()> {
    let file = open()?;
    let device = one_device(&file, &options.device)?;
    let id = message(&file, &device.name, &words_of(options)?)?;
    let mut out = Output::new(true);
    out.line(&format!("{}: region {}", device.name, id.trim()))?;
    out.flush()
}

fn change(options: &RegionChange, words: &str) -> Result<()> {
    let file = open()?;
    let device = one_device(&file, &options.device)?;
    message(&file, &device.name, &format!("{words} {}", options.id)).map(drop)
}

/// A region that ends when it is dropped.
pub struct Own<'a> {
    file: &'a File,
    pub device: Rc<Device>,
    pub region: Region,
}

impl<'a> Own<'a> {
    /// `range` and `step` are those of `@stats_create`.
    pub fn new(file: &'a File, device: Rc<Device>, range: &str, step: &str) -> Result<Self> {
        let words = format!("@stats_create {range} {step} 1 precise_timestamps {PROGRAM}");
        let id = message(file, &device.name, &words)?;
        let all = list(file, &device.name)?;
        let id: u32 = id.trim().parse()?;
        let region = all.into_iter().find(|region| region.id == id);
        Ok(Own {
            region: region.ok_or_else(|| anyhow!("{}: the region has gone", device.name))?,
            file,
            device,
        })
    }

    pub fn areas(&self) -> Result<Vec<Area>> {
        areas(self.file, &self.device.name, &self.region)
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        // It goes with its disk, if that has left.
        let words = format!("@stats_delete {}", self.region.id);
        let _ = message(self.file, &self.device.name, &words);
    }
}

/// What is written of regions.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Regions,
    Counts,
    Rates,
}

/// The areas of one region at one moment.
type Read = (Rc<Device>, Region, Vec<Area>);

fn read(file: &File, chosen: &[Rc<Device>], options: &RegionReport) -> Result<Vec<Read>> {
    let mut all = Vec::new();
    for device in chosen {
        // Of entries of other modules there are none, and of one that has left no longer.
        let Ok(regions) = list(file, &device.name) else {
            continue;
        };
        for region in regions {
            let is_ours = options.all_programs || region.program == PROGRAM;
            if is_ours && options.id.is_none_or(|id| id == region.id) {
                let areas = areas(file, &device.name, &region).unwrap_or_default();
                all.push((device.clone(), region, areas));
            }
        }
    }
    Ok(all)
}

fn report(options: &RegionReport, what: What) -> Result<()> {
    let words = Words::new(&options.words)?;
    if what == What::Regions && words.interval.is_some() {
        bail!("a list has no interval: ioscope region report has");
    }
    let file = open()?;
    let all = devices(&file)?;
    let selection = Selection::of_system(&words.devices, true, &all)?;
    let chosen: Vec<_> = all.into_iter().filter(|d| selection.has(d)).collect();
    let mut out = Output::new(!options.common.no_headings);
    let mut document = Document::new(options.common.lines);
    let mut ticker = Ticker::new()?;
    let mut before: Option<(Instant, Vec<Read>)> = None;
    let mut left = words.count.unwrap_or(match words.interval {
        Some(_) => u64::MAX,
        None => 1,
    });
    if what == What::Rates {
        // Rates are of an interval: of one second, if nothing else is said.
        let interval = words.interval.unwrap_or(std::time::Duration::from_secs(1));
        before = Some((Instant::now(), read(&file, &chosen, options)?));
        ticker.start(interval);
    } else if let Some(interval) = words.interval {
        ticker.start(interval);
    }
    let mut is_first = true;
    while left != 0 {
        if (what == What::Rates || !is_first) && !ticker.wait()? {
            break;
        }
        let now = read(&file, &chosen, options)?;
        let at = Instant::now();
        let interval = before.as_ref().map(|(then, reads)| {
            let ns = at.duration_since(*then).as_nanos() as u64;
            (ns, reads.as_slice())
        });
        write(
            &mut out,
            &mut document,
            options,
            what,
            &now,
            interval,
            is_first,
        )?;
        out.flush()?;
        before = (what == What::Rates).then_some((at, now));
        is_first = false;
        left -= 1;
    }
    if options.common.output == Format::Json {
        document.end(&mut out)?;
    }
    out.flush()
}

fn write(
    out: &mut Output,
    document: &mut Document,
    options: &RegionReport,
    what: What,
    now: &[Read],
    interval: Option<(u64, &[Read])>,
    is_first: bool,
) -> Result<()> {
    let wall_ns = wall_ns();
    if options.common.output == Format::Table {
        time_line(out, options.common.time, wall_ns)?;
        let lines = match what {
            What::Regions => now.len(),
            _ => now.iter().map(|(.., areas)| areas.len()).sum(),
        };
        out.heading(lines, heading(what))?;
    } else if options.common.output == Format::Csv && is_first && !options.common.no_headings {
        csv_record(out, CSV.split(','))?;
    }
    for (device, region, areas) in now {
        if what == What::Regions && options.common.output == Format::Table {
            out.line(&region_line(device, region, areas.len()))?;
            continue;
        }
        let (ns, reads) = interval.unzip();
        let was = reads.and_then(|reads| {
            let same = |read: &&Read| read.0.number == device.number && read.1 == *region;
            reads.iter().find(same)
        });
        for (index, area) in areas.iter().enumerate() {
            let since = match was.and_then(|(.., areas)| areas.get(index)) {
                Some(before) => area.since(before),
                None => area.clone(),
            };
            if options.common.output == Format::Table {
                out.line(&area_line(what, device, region, index, &since, ns))?;
                continue;
            }
            let line = line(wall_ns, ns, device, region, index, &since);
            match options.common.output {
                Format::Json => document.value(out, &line)?,
                _ => csv_line(out, &line)?,
            }
        }
    }
    if options.common.output == Format::Table && interval.is_some() {
        out.line("")?;
    }
    Ok(())
}

fn heading(what: What) -> &'static str {
    match what {
        What::Regions => "Name             RgID         RStart            RSize       Step  #Areas Program",
        What::Counts => {
            "Name             RgID ArID        ArStart     ArSize      Reads     Writes    RSectors    WSectors      Read_ms     Write_ms   InFl      Busy_ms     Queue_ms"
        }
        What::Rates => {
            "Name             RgID ArID        ArStart     ArSize  RMrg/s  WMrg/s      R/s      W/s   RkB/s   WkB/s AvgRqkB  QSize  Util%  AWait RdAWait WrAWait"
        }
    }
}

fn region_line(device: &Device, region: &Region, areas: usize) -> String {
    format!(
        "{:<16} {:>4} {:>14} {:>16} {:>10} {areas:>7} {}",
        device.name, region.id, region.start, region.len, region.step, region.program
    )
}

fn area_line(
    what: What,
    device: &Device,
    region: &Region,
    index: usize,
    area: &Area,
    ns: Option<u64>,
) -> String {
    let mut text = format!(
        "{:<16} {:>4} {index:>4} {:>14} {:>10}",
        device.name, region.id, area.start, area.len
    );
    if what == What::Counts {
        let ms = |ns: u64| format!("{:.3}", ns as f64 / 1e6);
        let [(r, w), (rs, ws)] = [area.ios, area.sectors].map(|[read, write]| (read, write));
        text.push_str(&format!(" {r:>10} {w:>10} {rs:>11} {ws:>11}"));
        let [read, write] = area.time_ns.map(ms);
        let (busy, queue) = (ms(area.busy_ns), ms(area.queue_ns));
        let now = area.in_flight;
        text.push_str(&format!(
            " {read:>12} {write:>12} {now:>6} {busy:>12} {queue:>12}"
        ));
        return text;
    }
    let widths = [8, 8, 9, 9, 8, 8, 8, 7, 7, 7, 8, 8];
    let fields = area.fields(ns.unwrap_or(0));
    for (index, (field, width)) in fields.into_iter().zip(widths).enumerate() {
        // Bytes as kB.
        let unit = if (4..7).contains(&index) { 1024.0 } else { 1.0 };
        let number = field.map_or("-".to_owned(), |field| format!("{:.2}", field / unit));
        text.push_str(&format!("{number:>width$}"));
    }
    text
}
