// SPDX-License-Identifier: GPL-2.0

//! `ioscope region`: statistics of parts of a disk, with the fields of dmstats.

mod fields;

use self::fields::{fields, Columns, Field, Of};
use super::{source, time_line};
use crate::cli::region::{RegionChange, RegionCommand, RegionCreate, RegionReport};
use crate::cli::{Format, Words};
use crate::json::area::{csv_line, line, CSV};
use crate::json::{csv_record, Document};
use crate::live::{devices, open, Shared};
use crate::names::Selection;
use crate::output::Output;
use crate::region::{areas, list, message, sectors, Area, Measured, Region};
use crate::sample::{Device, Entry, Sample};
use crate::source::Want;
use crate::table::padded;
use crate::usage::usage;
use anyhow::{anyhow, bail, Result};
use iostat_map::File;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

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
        _ => bail!("{word}: invalid range: give START+LENGTH in sectors, or with a unit, as 0+64M"),
    }
}

/// The words of a region that is to be made.
fn words_of(options: &RegionCreate) -> Result<String> {
    let range = range_of(options.range.as_deref()).map_err(usage)?;
    let step = match (&options.areas, &options.size) {
        (Some(areas), _) => format!("/{areas}"),
        (None, Some(size)) => match sectors(size) {
            Some(step) => step.to_string(),
            None => {
                return Err(usage(format_args!(
                    "{size}: invalid size: it must be whole sectors, as 64k or 1M"
                )))
            }
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
    let wrong = || {
        usage(format_args!(
            "{word}: invalid bound: give a number and ns, us, ms or s"
        ))
    };
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &word[digits.len()..] {
        "ns" => 1u64,
        "us" => 1000,
        "" | "ms" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    let number = digits.parse::<u64>().ok();
    let ns = number.and_then(|number| number.checked_mul(factor));
    ns.map(|ns| ns.to_string()).ok_or_else(wrong)
}

fn create(options: &RegionCreate) -> Result<()> {
    let words = words_of(options)?;
    let file = open()?;
    let device = one_device(&file, &options.device)?;
    let id = message(&file, &device.name, &words)?;
    let mut out = Output::new(true);
    out.line(&format!("{}: region {}", device.name, id.trim()))?;
    out.flush()
}

fn change(options: &RegionChange, words: &str) -> Result<()> {
    let file = open()?;
    let device = one_device(&file, &options.device)?;
    message(&file, &device.name, &format!("{words} {}", options.id)).map(drop)
}

/// Regions of a disk that are deleted when this is dropped. Messages name the disk, and give a region a number that is used
/// again: a disk that has come back, and a region that another program has made since, are left alone.
pub struct Own<'a> {
    file: &'a File,
    pub device: Rc<Device>,
    pub regions: Vec<Region>,
    /// Of the list of devices, when the disk was in it.
    generation: Cell<u64>,
}

impl<'a> Own<'a> {
    /// Each of `ranges`, and `step`, is as `@stats_create` takes it.
    pub fn new(file: &'a File, device: Rc<Device>, ranges: &[String], step: &str) -> Result<Self> {
        let mut ids = Vec::new();
        let made = Self::make(file, &device, ranges, step, &mut ids);
        let (regions, generation) = made.inspect_err(|_| delete(file, &device, &ids))?;
        Ok(Own {
            file,
            device,
            regions,
            generation: Cell::new(generation),
        })
    }

    /// The regions, and the generation of the list that the disk is in. After an error, those of `ids` have been made.
    fn make(
        file: &File,
        device: &Device,
        ranges: &[String],
        step: &str,
        ids: &mut Vec<u32>,
    ) -> Result<(Vec<Region>, u64)> {
        let aux = aux();
        for range in ranges {
            let words =
                format!("@stats_create {range} {step} 1 precise_timestamps {PROGRAM} {aux}");
            ids.push(message(file, &device.name, &words)?.trim().parse()?);
        }
        let all = list(file, &device.name);
        let generation = file.generation();
        // If it is still there, it was there when the regions were made and listed.
        if !is_there(device, &devices(file)?) {
            return Err(has_left(device));
        }
        let mut own = own(all?, &aux);
        let regions = ids.iter().map(|id| own.remove(id)).collect::<Option<_>>();
        Ok((regions.ok_or_else(|| has_gone(device))?, generation))
    }

    /// The areas of each region.
    pub fn areas(&self) -> Result<Vec<Vec<Area>>> {
        let name = &self.device.name;
        let areas = |region| areas(self.file, name, region);
        let areas: Result<Vec<_>> = self.regions.iter().map(areas).collect();
        let all = list(self.file, name);
        // If the disk is there now, what was read and listed is of it.
        if !self.is_there()? {
            return Err(has_left(&self.device));
        }
        // If the regions are there now, the areas are theirs: no other program makes one with this AUX.
        let own = own(all?, &aux());
        match self
            .regions
            .iter()
            .all(|region| own.contains_key(&region.id))
        {
            true => areas,
            false => Err(has_gone(&self.device)),
        }
    }

    fn is_there(&self) -> Result<bool> {
        let generation = self.file.generation();
        // Most often the list is the same, which takes no call to know.
        let is_there =
            generation == self.generation.get() || is_there(&self.device, &devices(self.file)?);
        if is_there {
            self.generation.set(generation);
        }
        Ok(is_there)
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        // They go with their disk, if that has left.
        if self.is_there().unwrap_or(false) {
            let ids: Vec<u32> = self.regions.iter().map(|region| region.id).collect();
            delete(self.file, &self.device, &ids);
        }
    }
}

/// Deletes those of the regions `ids` that this process has made, on the disk that has the name now.
fn delete(file: &File, device: &Device, ids: &[u32]) {
    let own = own(list(file, &device.name).unwrap_or_default(), &aux());
    for id in ids.iter().filter(|id| own.contains_key(id)) {
        let _ = message(file, &device.name, &format!("@stats_delete {id}"));
    }
}

/// The regions in a list that the process with this `AUX` has made, by their numbers. Others may have given them other ranges.
fn own(all: Vec<Region>, aux: &str) -> HashMap<u32, Region> {
    let is_own = |region: &Region| region.program == PROGRAM && region.aux == aux;
    let own = all.into_iter().filter(is_own);
    own.map(|region| (region.id, region)).collect()
}

/// The `AUX` of the regions of this process.
fn aux() -> String {
    std::process::id().to_string()
}

fn has_gone(device: &Device) -> anyhow::Error {
    anyhow!("{}: the region has gone", device.name)
}

fn has_left(device: &Device) -> anyhow::Error {
    anyhow!("{}: the device has left", device.name)
}

/// Whether a device is in the list. Another one of the same name has another number, as no number is used again while the
/// module is loaded.
fn is_there(device: &Device, all: &[Shared]) -> bool {
    let is_it = |other: &Shared| other.number == device.number && other.name == device.name;
    all.iter().any(is_it)
}

/// What is written of regions.
#[derive(Clone, Copy, PartialEq)]
enum What {
    Regions,
    Counts,
    Rates,
}

/// One report after another.
struct Reports<'a> {
    options: &'a RegionReport,
    what: What,
    out: Output,
    document: Document,
    fields: Vec<&'static Field>,
    is_first: bool,
}

fn report(options: &RegionReport, what: What) -> Result<()> {
    let words = Words::new(&options.words)?;
    let fields = fields(&options.fields)?;
    if !options.fields.is_empty() && options.common.output != Format::Table {
        return Err(usage("--fields are of a table: JSON and CSV have all"));
    }
    if what == What::Regions && words.interval.is_some() {
        bail!("a list has no interval: ioscope region report has");
    }
    let mut source = source(&options.common.from, false)?;
    let is_recorded = source.is_recorded();
    let selection = source.selection(&words.devices, true)?;
    let want = Want {
        regions: true,
        ..Want::default()
    };
    source.choose(selection, want);
    // Rates are of an interval: of one second, if nothing else is said.
    let second = (what == What::Rates && !is_recorded).then_some(Duration::from_secs(1));
    let interval = words.interval.or(second);
    let mut reports = Reports {
        options,
        what,
        out: Output::new(!options.common.no_headings),
        document: Document::new(options.common.lines),
        fields,
        is_first: true,
    };
    let mut left = words.count.unwrap_or(match (words.interval, is_recorded) {
        (None, false) => 1,
        _ => u64::MAX,
    });
    let mut last = source.first(interval)?;
    // Of a recording without an interval, what there was at its end.
    let is_of_end = is_recorded && words.interval.is_none();
    if what != What::Rates && !is_of_end {
        reports.write(None, &last)?;
        left -= 1;
    }
    while left != 0 {
        let Some(now) = source.next()? else {
            break;
        };
        if what == What::Rates {
            reports.write(Some(&last), &now)?;
        } else if !is_of_end {
            reports.write(None, &now)?;
        }
        last = now;
        left -= 1;
    }
    if what != What::Rates && is_of_end {
        reports.write(None, &last)?;
    }
    if options.common.output == Format::Json {
        reports.document.end(&mut reports.out)?;
    }
    reports.out.flush()
}

impl Reports<'_> {
    fn is_selected(&self, region: &Region) -> bool {
        let is_ours = self.options.all_programs || region.program == PROGRAM;
        is_ours && self.options.id.is_none_or(|id| id == region.id)
    }

    /// What regions have counted, or since a sample before.
    fn write(&mut self, before: Option<&Sample>, now: &Sample) -> Result<()> {
        let before = now.of_same_load(before);
        let format = self.options.common.output;
        let selected = now.regions.iter().filter(|m| self.is_selected(&m.region));
        let selected: Vec<_> = selected.collect();
        if format == Format::Table {
            time_line(&mut self.out, self.options.common.time, now.wall_ns)?;
        }
        if !self.fields.is_empty() {
            return self.columns(&selected, before, now);
        }
        if format == Format::Table {
            let lines = match self.what {
                What::Regions => selected.len(),
                _ => selected.iter().map(|m| m.areas.len()).sum(),
            };
            self.out.heading(lines, heading(self.what))?;
        } else if format == Format::Csv && self.is_first && !self.options.common.no_headings {
            csv_record(&mut self.out, CSV.split(','))?;
        }
        self.is_first = false;
        for measured in selected {
            let Some(entry) = now.find(measured.device, 0) else {
                continue;
            };
            self.region(&entry.device, measured, before, entry, now.wall_ns)?;
        }
        if format == Format::Table && before.is_some() {
            self.out.line("")?;
        }
        self.out.flush()
    }

    fn region(
        &mut self,
        device: &Device,
        measured: &Measured,
        before: Option<&Sample>,
        entry: &Entry,
        wall_ns: i64,
    ) -> Result<()> {
        let (region, areas) = (&measured.region, &measured.areas);
        let format = self.options.common.output;
        if self.what == What::Regions && format == Format::Table {
            return self.out.line(&region_line(device, region, areas.len()));
        }
        let ns = entry.ns_since(before);
        for (index, since) in measured.since(before).iter().enumerate() {
            if format == Format::Table {
                let line = area_line(self.what, device, region, index, since, ns);
                self.out.line(&line)?;
                continue;
            }
            let line = line(wall_ns, ns, device, region, index, since);
            match format {
                Format::Json => self.document.value(&mut self.out, &line)?,
                _ => csv_line(&mut self.out, &line)?,
            }
        }
        Ok(())
    }
}

impl Reports<'_> {
    /// The same with the columns that the options name.
    fn columns(
        &mut self,
        selected: &[&Measured],
        before: Option<&Sample>,
        now: &Sample,
    ) -> Result<()> {
        let mut columns = Columns::new(&self.fields);
        for measured in selected {
            let Some(entry) = now.find(measured.device, 0) else {
                continue;
            };
            let areas = measured.since(before);
            // A list has a line for each region.
            let shown = match self.what {
                What::Regions => &areas[..areas.len().min(1)],
                _ => &areas,
            };
            for (index, area) in shown.iter().enumerate() {
                columns.add(&Of {
                    device: &entry.device,
                    region: &measured.region,
                    areas: areas.len(),
                    index,
                    area,
                    ns: entry.ns_since(before),
                });
            }
        }
        let (heading, lines) = columns.lines();
        self.out.heading(2, &heading)?;
        lines.iter().try_for_each(|line| self.out.line(line))?;
        if before.is_some() {
            self.out.line("")?;
        }
        self.out.flush()
    }
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
        text.push_str(&padded(&text, &number, width));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(id: u32, program: &str, aux: &str) -> Region {
        Region {
            id,
            start: 0,
            len: 8,
            step: 8,
            program: program.to_owned(),
            aux: aux.to_owned(),
            precise: true,
        }
    }

    #[test]
    fn a_disk_that_has_come_back_is_another_one() {
        let own = Device::disk(3, "sda");
        let is_there = |all: &[(u32, &str)]| {
            let all = all
                .iter()
                .map(|(number, name)| Rc::new(Device::disk(*number, name)));
            is_there(&own, &all.collect::<Vec<_>>())
        };
        assert!(is_there(&[(1, "sdb"), (3, "sda")]));
        assert!(!is_there(&[(1, "sdb"), (4, "sda")]));
        assert!(!is_there(&[(3, "sdb")]));
    }

    #[test]
    fn a_region_of_another_process_may_have_the_same_number() {
        let own_of = |all: &[Region]| {
            let mut ids: Vec<u32> = own(all.to_vec(), "77").into_keys().collect();
            ids.sort_unstable();
            ids
        };
        let ours = [region(0, PROGRAM, "77"), region(3, PROGRAM, "77")];
        assert_eq!(own_of(&ours), [0, 3]);
        let resized = Region {
            len: 16,
            ..ours[0].clone()
        };
        assert_eq!(own_of(&[resized, ours[1].clone()]), [0, 3]);
        for other in [
            region(0, PROGRAM, "78"),
            region(0, PROGRAM, "-"),
            region(0, "dmstats", "77"),
        ] {
            assert_eq!(own_of(&[other, ours[1].clone()]), [3]);
        }
    }

    #[test]
    fn a_blank_is_between_any_two_numbers() {
        let (device, region) = (Device::disk(1, "sda"), region(0, PROGRAM, "-"));
        let many = 1 << 50;
        let area = Area {
            start: 0,
            len: 8,
            ios: [many; 2],
            merges: [many; 2],
            sectors: [many; 2],
            time_ns: [u64::MAX; 2],
            in_flight: many,
            busy_ns: many,
            queue_ns: u64::MAX,
        };
        for what in [What::Counts, What::Rates] {
            let line = area_line(what, &device, &region, 0, &area, Some(1_000_000));
            let cells = line.split_whitespace().count();
            assert_eq!(cells, heading(what).split_whitespace().count(), "{line}");
        }
    }
}
