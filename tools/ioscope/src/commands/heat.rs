// SPDX-License-Identifier: GPL-2.0

//! `ioscope heat`: where on a disk, or in a file, its I/O goes, a row for each interval.

use super::region::{one_device, Own};
use crate::cli::region::Heat;
use crate::cli::Words;
use crate::extents::{extents, pieces};
use crate::live::{devices, open, wall_ns, Shared};
use crate::output::Output;
use crate::region::Area;
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
        bail!("{word} is no interval: one device, then seconds and a count");
    }
    let file = open()?;
    let mut ticker = Ticker::new()?;
    // Its regions are ended when this returns, be it by an error or a signal.
    let map = match options.file {
        true => Map::of_file(&file, Path::new(&options.device), options.areas)?,
        false => Map::of_device(&file, &options.device, options.areas)?,
    };
    let mut out = Output::new(!options.no_headings);
    let scale: String = SCALE.iter().map(|(_, c)| *c).collect();
    let heading = format!(
        "{}  {}/area  r+w IOs/s  {scale} = 0 1 3 10 30 100 300 1k 3k+",
        map.name,
        size(map.step)
    );
    let interval = words.interval.unwrap_or(Duration::from_secs(1));
    let mut left = words.count.unwrap_or(u64::MAX);
    ticker.start(interval);
    let (mut then, mut before) = (Instant::now(), map.read()?);
    while left != 0 && ticker.wait()? {
        let (at, now) = (Instant::now(), map.read()?);
        let seconds = at.duration_since(then).as_secs_f64();
        let row = map.row(&before, &now, seconds);
        out.heading(1, &heading)?;
        out.line(&format!("{} |{row}|", clock()))?;
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
    /// Each with the character that its first area is.
    regions: Vec<(Own<'a>, usize)>,
}

impl<'a> Map<'a> {
    fn of_device(file: &'a File, word: &str, areas: u64) -> Result<Self> {
        let device = one_device(file, word)?;
        let own = Own::new(file, device, "-", &format!("/{areas}"))?;
        let count = own.region.len.div_ceil(own.region.step.max(1));
        Ok(Map {
            name: own.device.name.clone(),
            step: own.region.step,
            length: count.min(areas) as usize,
            regions: vec![(own, 0)],
        })
    }

    fn of_file(file: &'a File, path: &Path, areas: u64) -> Result<Self> {
        let device = device_of(file, path)?;
        let extents = extents(path)?;
        let ends = extents.iter().map(|extent| extent.logical + extent.length);
        let total = ends.max().unwrap_or(0);
        // Whole pages.
        let step = total.div_ceil(areas).next_multiple_of(8);
        let mut regions = Vec::new();
        for extent in &extents {
            for (start, length, at) in pieces(extent, step) {
                let range = format!("{start}+{length}");
                let own = Own::new(file, device.clone(), &range, &step.to_string())?;
                regions.push((own, at));
            }
        }
        Ok(Map {
            name: path.display().to_string(),
            step,
            length: total.div_ceil(step) as usize,
            regions,
        })
    }

    fn read(&self) -> Result<Vec<Vec<Area>>> {
        self.regions.iter().map(|(own, _)| own.areas()).collect()
    }

    fn row(&self, before: &[Vec<Area>], now: &[Vec<Area>], seconds: f64) -> String {
        // What belongs to no area is a hole of a file.
        let mut ios: Vec<Option<u64>> = vec![None; self.length];
        for ((now, before), (_, first)) in now.iter().zip(before).zip(&self.regions) {
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
        bail!("{} is no regular file", path.display());
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

fn clock() -> String {
    match Timestamp::from_nanosecond(wall_ns().into()) {
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
    fn sizes_have_a_unit() {
        assert_eq!(size(32768), "16M");
        assert_eq!(size(3), "1.5K");
        assert_eq!(size(1), "512B");
    }
}
