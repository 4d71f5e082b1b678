// SPDX-License-Identifier: GPL-2.0

//! `ioscope heat`: where on a disk, or in a file, its I/O goes, a row for each interval.

use super::region::{one_device, Own};
use super::source;
use crate::cli::region::Heat;
use crate::cli::Words;
use crate::extents::{extents, pieces};
use crate::live::{devices, open, wall_ns, Shared};
use crate::output::Output;
use crate::region::{Area, Measured};
use crate::sample::Sample;
use crate::source::Want;
use crate::ticker::Ticker;
use anyhow::{anyhow, bail, Context, Result};
use iostat_map::File;
use jiff::tz::TimeZone;
use jiff::Timestamp;
use rustix::fs::{major, minor, stat, FileType};
use std::path::Path;
use std::time::{Duration, Instant};

/// From how many I/Os per second on an area is drawn as which character.
const SCALE: [(f64, char); 9] = [
    (0.0, '.'),
    (1.0, ':'),
    (3.0, '-'),
    (10.0, '='),
    (30.0, '+'),
    (100.0, '*'),
    (300.0, '#'),
    (1000.0, '%'),
    (3000.0, '@'),
];

pub fn heat(options: &Heat) -> Result<()> {
    let words = Words::new(&options.words)?;
    if let Some(word) = words.devices.first() {
        bail!("{word}: invalid interval: give one device, then the seconds of an interval and the number of intervals");
    }
    if options.from.is_of_recording() {
        return recorded(options, &words);
    }
    let file = open()?;
    let mut ticker = Ticker::new()?;
    // Its regions are ended when this returns, be it by an error or a signal.
    let map = match options.file {
        true => Map::of_file(&file, Path::new(&options.device), options.areas)?,
        false => Map::of_device(&file, &options.device, options.areas)?,
    };
    let mut out = Output::new(!options.no_headings);
    let heading = heading(&map.name, map.step);
    let interval = words.interval.unwrap_or(Duration::from_secs(1));
    let mut left = words.count.unwrap_or(u64::MAX);
    ticker.start(interval);
    let (mut then, mut before) = (Instant::now(), map.read()?);
    while left != 0 && ticker.wait()? {
        let (at, now) = (Instant::now(), map.read()?);
        let seconds = at.duration_since(then).as_secs_f64();
        let row = map.row(&before, &now, seconds);
        out.heading(1, &heading)?;
        out.line(&format!("{} |{row}|", clock(wall_ns())))?;
        out.flush()?;
        (then, before) = (at, now);
        left -= 1;
    }
    Ok(())
}

/// Regions whose areas are the characters of a row.
struct Map<'a> {
    name: String,
    /// Sectors of a character.
    step: u64,
    /// How many characters there are.
    length: usize,
    own: Own<'a>,
    /// The character that the first area of each region is.
    first: Vec<usize>,
}

impl<'a> Map<'a> {
    fn of_device(file: &'a File, word: &str, areas: u64) -> Result<Self> {
        let device = one_device(file, word)?;
        let own = Own::new(file, device, &["-".to_owned()], &format!("/{areas}"))?;
        let region = &own.regions[0];
        Ok(Map {
            name: own.device.name.clone(),
            step: region.step,
            length: region.count().min(areas) as usize,
            own,
            first: vec![0],
        })
    }

    fn of_file(file: &'a File, path: &Path, areas: u64) -> Result<Self> {
        let device = device_of(file, path)?;
        let extents = extents(path)?;
        let ends = extents.iter().map(|extent| extent.logical + extent.length);
        let total = ends.max().unwrap_or(0);
        // Whole pages.
        let step = total.div_ceil(areas).next_multiple_of(8);
        let pieces = extents.iter().flat_map(|extent| pieces(extent, step));
        let pieces = pieces.map(|(start, length, at)| (format!("{start}+{length}"), at));
        let (ranges, first): (Vec<_>, Vec<_>) = pieces.unzip();
        Ok(Map {
            name: path.display().to_string(),
            step,
            length: total.div_ceil(step) as usize,
            own: Own::new(file, device, &ranges, &step.to_string())?,
            first,
        })
    }

    fn read(&self) -> Result<Vec<Vec<Area>>> {
        self.own.areas()
    }

    fn row(&self, before: &[Vec<Area>], now: &[Vec<Area>], seconds: f64) -> String {
        // What belongs to no area is a hole of a file.
        let mut ios: Vec<Option<u64>> = vec![None; self.length];
        for ((now, before), first) in now.iter().zip(before).zip(&self.first) {
            for (index, area) in now.iter().enumerate() {
                let since = before
                    .get(index)
                    .map_or(area.clone(), |before| area.since(before));
                if let Some(sum) = ios.get_mut(first + index) {
                    let own = since.ios[0].saturating_add(since.ios[1]);
                    *sum = Some(sum.unwrap_or(0).saturating_add(own));
                }
            }
        }
        let character = |ios: &Option<u64>| ios.map_or(' ', |ios| character(ios, seconds));
        ios.iter().map(character).collect()
    }
}

/// The device that a file is on.
fn device_of(file: &File, path: &Path) -> Result<Shared> {
    let node = stat(path).with_context(|| format!("cannot read {}", path.display()))?;
    if FileType::from_raw_mode(node.st_mode) != FileType::RegularFile {
        bail!("{} is not a regular file", path.display());
    }
    let number = (major(node.st_dev), minor(node.st_dev));
    let mut all = devices(file)?.into_iter();
    let found = all.find(|d| d.diskseq != 0 && (d.major, d.minor) == number);
    found.ok_or_else(|| {
        anyhow!(
            "{}: its file system is not on one disk or partition",
            path.display()
        )
    })
}

fn heading(name: &str, step: u64) -> String {
    let scale: String = SCALE.iter().map(|(_, c)| *c).collect();
    let step = size(step);
    format!("{name}  {step}/area  r+w IOs/s  {scale} = 0 1 3 10 30 100 300 1k 3k+")
}

/// A region of a recording, of the time for which the recording has one.
fn recorded(options: &Heat, words: &Words) -> Result<()> {
    let mut source = source(&options.from, words.interval.is_none())?;
    let selection = source.selection(std::slice::from_ref(&options.device), true)?;
    let want = Want {
        regions: true,
        ..Want::default()
    };
    source.choose(selection, want);
    let mut out = Output::new(!options.no_headings);
    let mut left = words.count.unwrap_or(u64::MAX);
    let mut last = source.first(words.interval)?;
    let mut is_there = false;
    while left != 0 {
        let Some(now) = source.next()? else {
            break;
        };
        if let Some((then, measured)) = region(options.id, &last, &now) {
            is_there = true;
            let rows = Rows::new(measured, options.areas);
            let name = now.find(measured.device, 0).map(|e| e.device.name.as_str());
            out.heading(1, &heading(name.unwrap_or("-"), rows.step))?;
            let seconds = now.ns_since(&last).unwrap_or(0) as f64 / 1e9;
            let row = rows.row(&then.areas, &measured.areas, seconds);
            out.line(&format!("{} |{row}|", clock(now.wall_ns)))?;
        }
        last = now;
        left -= 1;
    }
    if !is_there {
        bail!(
            "no region of {} was recorded: ioscope record --areas 64 keeps one",
            options.device
        );
    }
    out.flush()
}

/// The region that is asked for, at the beginning and at the end of an interval.
fn region<'a>(
    id: Option<u32>,
    last: &'a Sample,
    now: &'a Sample,
) -> Option<(&'a Measured, &'a Measured)> {
    let asked = now
        .regions
        .iter()
        .filter(|m| id.is_none_or(|id| id == m.region.id));
    let measured = asked.max_by_key(|measured| measured.areas.len())?;
    let mut before = now.of_same_load(Some(last))?.regions.iter();
    let before = before.find(|m| m.device == measured.device && m.region == measured.region);
    before.map(|before| (before, measured))
}

/// The areas of a region as at most so many characters.
struct Rows {
    /// Sectors of a character.
    step: u64,
    /// Areas of a character.
    each: usize,
    length: usize,
}

impl Rows {
    fn new(measured: &Measured, most: u64) -> Self {
        let areas = measured.areas.len();
        let each = areas.div_ceil(most as usize).max(1);
        Rows {
            step: measured.region.step.saturating_mul(each as u64),
            each,
            length: areas.div_ceil(each),
        }
    }

    fn row(&self, before: &[Area], now: &[Area], seconds: f64) -> String {
        let mut ios = vec![0u64; self.length];
        for (index, (before, now)) in before.iter().zip(now).enumerate() {
            let since = now.since(before);
            if let Some(sum) = ios.get_mut(index / self.each) {
                let own = since.ios[0].saturating_add(since.ios[1]);
                *sum = sum.saturating_add(own);
            }
        }
        ios.iter().map(|ios| character(*ios, seconds)).collect()
    }
}

fn clock(wall_ns: i64) -> String {
    match Timestamp::from_nanosecond(wall_ns.into()) {
        Ok(time) => time
            .to_zoned(TimeZone::system())
            .strftime("%H:%M:%S")
            .to_string(),
        Err(_) => "-".to_owned(),
    }
}

fn character(ios: u64, seconds: f64) -> char {
    if ios == 0 {
        return SCALE[0].1;
    }
    let rate = ios as f64 / seconds;
    // What is less than one in a second is not nothing.
    let drawn = SCALE.iter().skip(1).rev().find(|(from, _)| rate >= *from);
    drawn.map_or(SCALE[1].1, |(_, c)| *c)
}

/// A number of sectors with a unit.
fn size(sectors: u64) -> String {
    let bytes = sectors.saturating_mul(512);
    let units = [
        (1 << 40, "T"),
        (1 << 30, "G"),
        (1 << 20, "M"),
        (1 << 10, "K"),
    ];
    for (unit, name) in units {
        if bytes >= unit {
            let whole = bytes % unit == 0;
            let value = bytes as f64 / unit as f64;
            return if whole {
                format!("{value:.0}{name}")
            } else {
                format!("{value:.1}{name}")
            };
        }
    }
    format!("{bytes}B")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Region;

    #[test]
    fn characters_are_those_of_the_scale() {
        let of = character;
        assert_eq!(of(0, 1.0), '.');
        assert_eq!(of(1, 10.0), ':');
        assert_eq!(of(29, 1.0), '=');
        assert_eq!(of(30, 1.0), '+');
        assert_eq!(of(1_000_000, 1.0), '@');
    }

    #[test]
    fn areas_of_a_recording_are_folded() {
        let area = |reads: u64| Area {
            ios: [reads, 0],
            ..Area::default()
        };
        let region = Region::parse("0: 0+40 8 ioscope - precise_timestamps").expect("a region");
        let now: Vec<Area> = [5, 1, 0, 0, 4].map(area).to_vec();
        let measured = Measured {
            device: 0,
            region,
            areas: now.clone(),
        };
        let before = vec![area(1); 5];
        let of = |most| {
            let rows = Rows::new(&measured, most);
            (rows.step, rows.row(&before, &now, 1.0))
        };
        assert_eq!(of(64), (8, "-...-".to_owned()));
        assert_eq!(of(3), (16, "-.-".to_owned()));
        assert_eq!(of(1), (40, "-".to_owned()));
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size(32768), "16M");
        assert_eq!(size(3), "1.5K");
        assert_eq!(size(1), "512B");
    }
}
