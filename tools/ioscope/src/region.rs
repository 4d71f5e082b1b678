// SPDX-License-Identifier: GPL-2.0

//! Regions of a disk, by the messages of `/dev/iostat`; what they print, and what dmstats makes of it.

use crate::sample::Sample;
use anyhow::{anyhow, Context, Result};
use iostat_map::File;
use serde::{Deserialize, Serialize};

/// A region, as `@stats_list` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    pub id: u32,
    /// Sectors of 512 bytes.
    pub start: u64,
    pub len: u64,
    pub step: u64,
    pub program: String,
    pub aux: String,
    /// Whether its times are in ns; else in ms.
    pub precise: bool,
}

/// An area, as `@stats_print` prints it, with its times in ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Area {
    pub start: u64,
    pub len: u64,
    /// Reads, then writes.
    pub ios: [u64; 2],
    pub merges: [u64; 2],
    pub sectors: [u64; 2],
    pub time_ns: [u64; 2],
    pub in_flight: u64,
    pub busy_ns: u64,
    pub queue_ns: u64,
}

/// A region and its areas at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The number of its device.
    pub device: u32,
    pub region: Region,
    pub areas: Vec<Area>,
}

impl Measured {
    /// The areas, less what they had counted before.
    pub fn since(&self, before: Option<&Sample>) -> Vec<Area> {
        let is_it = |m: &&Measured| m.device == self.device && m.region == self.region;
        let was = before.and_then(|before| before.regions.iter().find(is_it));
        let since = |(index, area): (usize, &Area)| {
            let before = was.and_then(|was| was.areas.get(index));
            before.map_or_else(|| area.clone(), |before| area.since(before))
        };
        self.areas.iter().enumerate().map(since).collect()
    }
}

/// How many numbers an area has.
pub const AREA_NUMBERS: usize = 13;

impl Area {
    /// All of them.
    pub fn numbers(&self) -> [u64; AREA_NUMBERS] {
        let [r, w] = self.ios;
        let [r_merges, w_merges] = self.merges;
        let [r_sectors, w_sectors] = self.sectors;
        let [r_time, w_time] = self.time_ns;
        [
            self.start,
            self.len,
            r,
            w,
            r_merges,
            w_merges,
            r_sectors,
            w_sectors,
            r_time,
            w_time,
            self.in_flight,
            self.busy_ns,
            self.queue_ns,
        ]
    }

    /// The area that has these.
    pub fn from_numbers(n: [u64; AREA_NUMBERS]) -> Self {
        Area {
            start: n[0],
            len: n[1],
            ios: [n[2], n[3]],
            merges: [n[4], n[5]],
            sectors: [n[6], n[7]],
            time_ns: [n[8], n[9]],
            in_flight: n[10],
            busy_ns: n[11],
            queue_ns: n[12],
        }
    }
}

/// Sends a message to a disk; its reply.
pub fn message(file: &File, disk: &str, words: &str) -> Result<String> {
    let reply = file.message(format!("{disk} {words}").as_bytes());
    let reply = reply.with_context(|| format!("{disk}: {}", words.trim_start_matches('@')))?;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}

/// The regions of a disk.
pub fn list(file: &File, disk: &str) -> Result<Vec<Region>> {
    let text = message(file, disk, "@stats_list")?;
    let regions = text.lines().map(|line| {
        Region::parse(line).ok_or_else(|| anyhow!("{disk}: a region cannot be understood: {line}"))
    });
    regions.collect()
}

/// The areas of a region.
pub fn areas(file: &File, disk: &str, region: &Region) -> Result<Vec<Area>> {
    let text = message(file, disk, &format!("@stats_print {}", region.id))?;
    let lines = text.lines().filter(|line| !line.starts_with("total "));
    let areas = lines.map(|line| {
        Area::parse(line, region.precise)
            .ok_or_else(|| anyhow!("{disk}: an area cannot be understood: {line}"))
    });
    areas.collect()
}

impl Region {
    /// `0: 0+2097152 524288 - - precise_timestamps`
    pub fn parse(line: &str) -> Option<Self> {
        let (id, rest) = line.split_once(": ")?;
        let mut words = rest.split(' ');
        let (start, len) = words.next()?.split_once('+')?;
        Some(Region {
            id: id.parse().ok()?,
            start: start.parse().ok()?,
            len: len.parse().ok()?,
            step: words.next()?.parse().ok()?,
            program: words.next()?.to_owned(),
            aux: words.next()?.to_owned(),
            precise: words.any(|word| word == "precise_timestamps"),
        })
    }

    /// How many areas it has.
    pub fn count(&self) -> u64 {
        self.len.div_ceil(self.step.max(1))
    }
}

impl Area {
    fn parse(line: &str, precise: bool) -> Option<Self> {
        let mut words = line.split(' ');
        let (start, len) = words.next()?.split_once('+')?;
        let mut numbers = [0u64; 13];
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        let [r, r_merges, r_sectors, r_time, w, w_merges, w_sectors, w_time, now, busy, queue, ..] =
            numbers;
        let ns = |time: u64| match precise {
            true => time,
            false => time.saturating_mul(1_000_000),
        };
        Some(Area {
            start: start.parse().ok()?,
            len: len.parse().ok()?,
            ios: [r, w],
            merges: [r_merges, w_merges],
            sectors: [r_sectors, w_sectors],
            time_ns: [ns(r_time), ns(w_time)],
            in_flight: now,
            busy_ns: ns(busy),
            queue_ns: ns(queue),
        })
    }

    /// The growth since `before`; a count that is less than before was cleared meanwhile, and is taken whole.
    pub fn since(&self, before: &Area) -> Area {
        let less = |now: u64, before: u64| now.checked_sub(before).unwrap_or(now);
        let both =
            |now: [u64; 2], before: [u64; 2]| [less(now[0], before[0]), less(now[1], before[1])];
        Area {
            ios: both(self.ios, before.ios),
            merges: both(self.merges, before.merges),
            sectors: both(self.sectors, before.sectors),
            time_ns: both(self.time_ns, before.time_ns),
            busy_ns: less(self.busy_ns, before.busy_ns),
            queue_ns: less(self.queue_ns, before.queue_ns),
            ..*self
        }
    }

    /// The fields of `dmstats report`, in its order, of `ns`: merges, operations and bytes read and written per
    /// second, the mean size of an operation in bytes, the mean length of the queue, percent of the time busy, and
    /// mean times in ms of all, reads, writes. `None` is what is not known.
    pub fn fields(&self, ns: u64) -> [Option<f64>; 12] {
        let seconds = (ns != 0).then_some(ns as f64 / 1e9);
        let per_second = |count: u64| seconds.map(|seconds| count as f64 / seconds);
        let bytes = |sectors: u64| per_second(sectors.saturating_mul(512));
        let mean = |sum: f64, count: u64| (count != 0).then(|| sum / count as f64);
        let ios = self.ios[0].saturating_add(self.ios[1]);
        let sectors = self.sectors[0].saturating_add(self.sectors[1]);
        let ms = |time: u64, count| mean(time as f64 / 1e6, count);
        let share = |time: u64| (ns != 0).then(|| time as f64 / ns as f64);
        [
            per_second(self.merges[0]),
            per_second(self.merges[1]),
            per_second(self.ios[0]),
            per_second(self.ios[1]),
            bytes(self.sectors[0]),
            bytes(self.sectors[1]),
            mean(sectors as f64 * 512.0, ios),
            share(self.queue_ns),
            share(self.busy_ns).map(|share| (share * 100.0).min(100.0)),
            ms(self.time_ns[0].saturating_add(self.time_ns[1]), ios),
            ms(self.time_ns[0], self.ios[0]),
            ms(self.time_ns[1], self.ios[1]),
        ]
    }
}

/// Sectors of a size as people write it: `64k`, `1.5M`, `2G`; a number alone is sectors, as dmstats takes it.
pub fn sectors(word: &str) -> Option<u64> {
    let unit = match word.chars().last()?.to_ascii_lowercase() {
        'b' => 1.0,
        's' => 512.0,
        'k' => 1024.0,
        'm' => 1024.0 * 1024.0,
        'g' => 1024.0 * 1024.0 * 1024.0,
        't' => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return word.parse().ok(),
    };
    let number: f64 = word[..word.len() - 1].parse().ok()?;
    let bytes = number * unit;
    let is_whole = bytes >= 512.0 && bytes % 512.0 == 0.0 && bytes < 1e19;
    is_whole.then_some((bytes / 512.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_and_areas_are_understood() {
        let region = Region::parse("3: 8+2097152 524288 dmstats a\\ b precise_timestamps classes");
        let region = region.expect("a region");
        assert_eq!((region.id, region.start, region.len), (3, 8, 2_097_152));
        assert!(region.precise);
        let line = "0+524288 1188 0 19008 350 528 0 8448 149 0 198 499 174 112";
        let area = Area::parse(line, false).expect("an area");
        assert_eq!(
            (area.ios, area.time_ns),
            ([1188, 528], [350_000_000, 149_000_000])
        );
        assert_eq!(area.busy_ns, 198_000_000);
        assert_eq!(Area::parse(line, true).map(|area| area.busy_ns), Some(198));
        for wrong in [
            "",
            "0+5",
            "x+1 1 2 3 4 5 6 7 8 9 10 11 12 13",
            "0+1 1 2 3 4 5 6 7 8 9 10 11 12",
        ] {
            assert_eq!(Area::parse(wrong, true), None, "{wrong}");
        }
        assert_eq!(Region::parse("0: 1+2"), None);
    }

    #[test]
    fn fields_are_those_of_dmstats() {
        let area = Area {
            ios: [20, 0],
            sectors: [160, 0],
            time_ns: [100_000_000, 0],
            busy_ns: 500_000_000,
            queue_ns: 4_000_000_000,
            ..Area::default()
        };
        let fields = area.fields(2_000_000_000);
        let expected = [
            Some(0.0),
            Some(0.0),
            Some(10.0),
            Some(0.0),
            Some(40960.0),
            Some(0.0),
            Some(4096.0),
            Some(2.0),
            Some(25.0),
            Some(5.0),
            Some(5.0),
            None,
        ];
        assert_eq!(fields, expected);
        assert_eq!(area.fields(0)[2], None);
        assert_eq!(area.since(&area).ios, [0, 0]);
    }

    #[test]
    fn sizes_are_whole_sectors() {
        assert_eq!(sectors("8"), Some(8));
        assert_eq!(sectors("4k"), Some(8));
        assert_eq!(sectors("1.5M"), Some(3072));
        assert_eq!(sectors("1s"), Some(1));
        for wrong in ["", "k", "100b", "-1M", "1x", "é"] {
            assert_eq!(sectors(wrong), None, "{wrong}");
        }
    }
}
