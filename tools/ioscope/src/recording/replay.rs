// SPDX-License-Identifier: GPL-2.0

//! A recording as a source of samples.

use super::frame::Frame;
use super::reader::Reader;
use crate::names::Selection;
use crate::output::note;
use crate::quantile::Bounds;
use crate::region::Measured;
use crate::sample::{Device, Sample};
use crate::source::{Source, Want};
use anyhow::{anyhow, bail, Context, Result};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::Timestamp;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Which part of a recording, as words say it.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub at: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
}

pub struct Replay {
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    bounds: Bounds,
    devices: Vec<Rc<Device>>,
    selection: Selection,
    /// Of the first sample, and of the part, ns since 1970.
    begin: i64,
    from: i64,
    to: i64,
    at: Option<i64>,
    /// Of each recorded interval, if `step` is not set; else of at least so many ns.
    step: Step,
    last_wall_ns: i64,
}

/// How long the intervals are.
#[derive(Clone, Copy)]
enum Step {
    /// As recorded.
    Each,
    /// All as one.
    Whole,
    Ns(i64),
}

impl Replay {
    /// `each`: without an interval, each that was recorded; else all as one.
    pub fn open(path: &Path, part: &Part, each: bool) -> Result<Self> {
        let (mut first, mut last) = (None, None);
        let mut devices: Vec<Rc<Device>> = Vec::new();
        let mut reader = Reader::open(path)?;
        while let Some(frame) = reader.frame()? {
            match frame {
                Frame::Begin(_)
                | Frame::Regions(_)
                | Frame::Areas(_)
                | Frame::Kstats(_)
                | Frame::Values(_)
                | Frame::InFlight(_)
                | Frame::Slow(_)
                | Frame::Cgroups(_)
                | Frame::Sizes(_) => {}
                Frame::Devices(_, new) => devices.extend(new.into_iter().map(Rc::new)),
                Frame::Sample(sample) => {
                    first = first.or(Some(sample.wall_ns));
                    last = Some(sample.wall_ns);
                }
            }
        }
        if let Some(damage) = reader.damage() {
            note(format_args!(
                "{}: {damage}: read up to there",
                path.display()
            ));
        }
        let (Some(first), Some(last)) = (first, last) else {
            bail!("{}: it has no sample", path.display());
        };
        let bounds = *reader.bounds().context("it has no bounds")?;
        let instant = |word: &Option<String>| {
            let word = word.as_ref();
            word.map(|word| instant(word, last)).transpose()
        };
        let (at, from, to) = (instant(&part.at)?, instant(&part.from)?, instant(&part.to)?);
        let outside = |time: i64| time < first || time > last;
        if at.is_some_and(outside) || from.unwrap_or(first) > last || to.unwrap_or(last) < first {
            let (first, last) = (crate::json::time(first), crate::json::time(last));
            bail!("{}: it is from {first} to {last}", path.display());
        }
        Ok(Replay {
            reader: Reader::open(path)?,
            path: path.to_owned(),
            bounds,
            devices,
            selection: Selection::all(),
            begin: first,
            from: from.unwrap_or(first),
            to: to.unwrap_or(last),
            at,
            step: if each { Step::Each } else { Step::Whole },
            last_wall_ns: 0,
        })
    }

    /// Whether a time is in the part. What was before the recording is in one that begins with it.
    pub fn is_in_part(&self, wall_ns: i64) -> bool {
        (self.from <= self.begin || wall_ns >= self.from) && wall_ns <= self.to
    }

    fn read(&mut self) -> Result<Option<Sample>> {
        let sample = self.reader.sample()?;
        let selection = &self.selection;
        Ok(sample.map(|mut sample| {
            sample.entries.retain(|entry| selection.has(&entry.device));
            let entries = &sample.entries;
            let is_selected = |m: &Measured| entries.iter().any(|e| e.device.number == m.device);
            sample.regions.retain(is_selected);
            sample
        }))
    }

    /// The last sample up to an instant, and whether there is another behind it; the first, if all are later.
    fn last_before(&mut self, wall_ns: i64) -> Result<Option<Sample>> {
        let path = self.path.clone();
        let mut ahead = Reader::open(&path)?;
        let mut count = 0usize;
        while let Some(frame) = ahead.frame()? {
            if let Frame::Sample(sample) = frame {
                if sample.wall_ns > wall_ns && count > 0 {
                    break;
                }
                count += 1;
            }
        }
        let mut last = None;
        for _ in 0..count {
            last = self.read()?;
        }
        Ok(last)
    }
}

impl Source for Replay {
    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn is_recorded(&self) -> bool {
        true
    }

    fn first(&mut self, interval: Option<Duration>) -> Result<Sample> {
        if let Some(interval) = interval {
            self.step = Step::Ns(interval.as_nanos().min(i64::MAX as u128) as i64);
        }
        let sample = match self.at {
            Some(at) => self.last_before(at)?,
            None => {
                let mut sample = self.read()?;
                while sample.as_ref().is_some_and(|s| s.wall_ns < self.from) {
                    sample = self.read()?;
                }
                sample
            }
        };
        let sample = sample.ok_or_else(|| anyhow!("{}: no sample", self.path.display()))?;
        self.last_wall_ns = sample.wall_ns;
        Ok(sample)
    }

    fn next(&mut self) -> Result<Option<Sample>> {
        let step = match (self.at, self.step) {
            // The interval that the instant is in, and no other.
            (Some(at), _) if self.last_wall_ns > at => return Ok(None),
            (Some(_), _) | (None, Step::Each) => 1,
            (None, Step::Whole) => i64::MAX,
            // A thousandth less, since no sample is taken exactly in time.
            (None, Step::Ns(ns)) => ns - ns / 1000,
        };
        let due = self.last_wall_ns.saturating_add(step);
        let mut last = None;
        while let Some(sample) = self.read()? {
            if self.at.is_none() && sample.wall_ns > self.to {
                break;
            }
            let is_due = sample.wall_ns >= due;
            last = Some(sample);
            if is_due {
                break;
            }
        }
        if let Some(sample) = &last {
            self.last_wall_ns = sample.wall_ns;
        }
        Ok(last)
    }

    fn now(&mut self) -> Result<Option<Sample>> {
        self.next()
    }

    fn selection(&mut self, words: &[String], partitions: bool) -> Result<Selection> {
        Selection::by_name(words, partitions, &self.devices)
    }

    fn choose(&mut self, selection: Selection, _want: Want) {
        self.selection = selection;
    }
}

/// `2026-11-22T12:00:10Z`, or by the local clock `2026-11-22 12:00` or `12:00`, of the day of `last`.
fn instant(word: &str, last: i64) -> Result<i64> {
    let wrong = || {
        anyhow!("{word}: invalid time: give one as 2026-11-22T12:00:00Z, 2026-11-22 12:00 or 12:00")
    };
    let ns = |time: Timestamp| i64::try_from(time.as_nanosecond()).map_err(|_| wrong());
    if let Ok(time) = word.parse::<Timestamp>() {
        return ns(time);
    }
    let zone = TimeZone::system();
    let civil = match word.parse::<DateTime>() {
        Ok(civil) => civil,
        Err(_) => {
            let day = Timestamp::from_nanosecond(last.into())?;
            let day = day.to_zoned(zone.clone()).date();
            day.to_datetime(word.parse::<Time>().map_err(|_| wrong())?)
        }
    };
    ns(civil.to_zoned(zone).map_err(|_| wrong())?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_understood() -> Result<()> {
        let noon = 1_795_348_800_000_000_000;
        assert_eq!(instant("2026-11-22T12:00:00Z", 0)?, noon);
        assert_eq!(instant("2026-11-22T14:00:00+02:00", 0)?, noon);
        let civil = instant("2026-11-22 12:00", 0)?;
        assert_eq!(instant("12:00:00", civil + 1)?, civil);
        assert!(instant("noon", 0).is_err());
        Ok(())
    }
}
