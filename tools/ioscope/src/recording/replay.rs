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
use crate::usage::usage;
use anyhow::{anyhow, bail, Context, Error, Result};
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::Timestamp;
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
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
    /// Of the earliest sample, ns since 1970.
    begin: i64,
    /// The part, ns since 1970: all times, unless another is asked for.
    from: i64,
    to: i64,
    /// The samples from the first to the last of the part, and how many of all were read.
    samples: Range<usize>,
    count: usize,
    step: Step,
    /// Of the sample that was read last.
    last_wall_ns: i64,
}

/// How long the intervals are.
#[derive(Clone, Copy)]
enum Step {
    /// As recorded.
    Each,
    /// All as one.
    Whole,
    /// At least so many ns.
    Ns(i64),
}

impl Replay {
    /// `each`: without an interval, each that was recorded; else all as one.
    pub fn open(path: &Path, part: &Part, each: bool) -> Result<Self> {
        let at = Moment::option(part.at.as_deref())?;
        let from = Moment::option(part.from.as_deref())?;
        let to = Moment::option(part.to.as_deref())?;
        let mut times = Vec::new();
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
                Frame::Sample(sample) => times.push(sample.wall_ns),
            }
        }
        if let Some(damage) = reader.damage() {
            note(format_args!(
                "{}: {damage}: read up to there",
                path.display()
            ));
        }
        let Some(last) = times.last().copied() else {
            bail!("{}: it has no sample", path.display());
        };
        // The first sample is not the earliest if the wall clock was set back.
        let begin = times.iter().fold(last, |begin, time| begin.min(*time));
        let end = times.iter().fold(last, |end, time| end.max(*time));
        let bounds = *reader.bounds().context("it has no bounds")?;
        let ns = |moment: Option<Moment>| moment.map(|moment| moment.ns(last)).transpose();
        let (at, from, to) = (ns(at)?, ns(from)?, ns(to)?);
        let (from, to) = (from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX));
        if at.is_some_and(|at| at < begin || at > end) || from > end || to < begin {
            let (begin, end) = (crate::json::time(begin), crate::json::time(end));
            bail!("{}: it is from {begin} to {end}", path.display());
        }
        Ok(Replay {
            reader: Reader::open(path)?,
            path: path.to_owned(),
            bounds,
            devices,
            selection: Selection::all(),
            begin,
            from,
            to,
            samples: match at {
                Some(at) => around(&times, at),
                None => within(&times, from, to),
            },
            count: 0,
            step: if each { Step::Each } else { Step::Whole },
            last_wall_ns: 0,
        })
    }

    /// Whether a time is in the part. What was before the recording is in one that begins with it.
    pub fn is_in_part(&self, wall_ns: i64) -> bool {
        (self.from <= self.begin || wall_ns >= self.from) && wall_ns <= self.to
    }

    /// The next sample, up to the last of the part.
    fn read(&mut self) -> Result<Option<Sample>> {
        if self.count >= self.samples.end {
            return Ok(None);
        }
        self.count += 1;
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
}

/// The two samples around an instant. If the wall clock was set back, an instant may come again: the first counts. Behind
/// the last interval, the last sample alone.
fn around(times: &[i64], at: i64) -> Range<usize> {
    let mut pairs = times.windows(2);
    if let Some(first) = pairs.position(|pair| pair[0] <= at && at < pair[1]) {
        return first..first + 2;
    }
    let last = times.iter().rposition(|time| *time <= at).unwrap_or(0);
    last..last + 1
}

/// From the first sample of a part to its last. If the wall clock was set back, samples between them may not be of the part.
/// If none is, the first that is later than its beginning.
fn within(times: &[i64], from: i64, to: i64) -> Range<usize> {
    let is_in = |time: &i64| (from..=to).contains(time);
    match (times.iter().position(is_in), times.iter().rposition(is_in)) {
        (Some(first), Some(last)) => first..last + 1,
        _ => {
            let later = times.iter().position(|time| *time >= from).unwrap_or(0);
            later..later + 1
        }
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
        let mut sample = None;
        while self.count <= self.samples.start {
            sample = self.read()?;
        }
        let sample = sample.ok_or_else(|| anyhow!("{}: no sample", self.path.display()))?;
        self.last_wall_ns = sample.wall_ns;
        Ok(sample)
    }

    fn next(&mut self) -> Result<Option<Sample>> {
        let since = self.last_wall_ns;
        let (mut last, mut is_set_back) = (None, false);
        while let Some(sample) = self.read()? {
            is_set_back |= sample.wall_ns < self.last_wall_ns;
            self.last_wall_ns = sample.wall_ns;
            if !(self.from..=self.to).contains(&sample.wall_ns) {
                continue;
            }
            let is_due = match self.step {
                Step::Each => true,
                Step::Whole => false,
                // A thousandth less, since no sample is taken exactly in time. A wall clock that was set back does not
                // say how long it is since then.
                Step::Ns(ns) => {
                    is_set_back || sample.wall_ns >= since.saturating_add(ns - ns / 1000)
                }
            };
            last = Some(sample);
            if is_due {
                break;
            }
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

/// A time that an option says.
struct Moment<'a> {
    word: &'a str,
    time: Form,
}

/// `2026-11-22T12:00:10Z`, or by the local clock `2026-11-22 12:00` or `12:00`.
#[derive(Clone, Copy)]
enum Form {
    Timestamp(Timestamp),
    Civil(DateTime),
    OfDay(Time),
}

impl<'a> Moment<'a> {
    fn new(word: &'a str) -> Result<Self> {
        let civil = || word.parse().map(Form::Civil);
        let of_day = || word.parse().map(Form::OfDay);
        let time = word.parse().map(Form::Timestamp);
        match time.or_else(|_| civil()).or_else(|_| of_day()) {
            Ok(time) => Ok(Moment { word, time }),
            Err(_) => Err(wrong(word)),
        }
    }

    fn option(word: Option<&'a str>) -> Result<Option<Self>> {
        word.map(Self::new).transpose()
    }

    /// ns since 1970. A time of the day is of the day of `last`.
    fn ns(&self, last: i64) -> Result<i64> {
        let zone = TimeZone::system();
        let civil = match self.time {
            Form::Timestamp(time) => return self.ns_of(time),
            Form::Civil(civil) => civil,
            Form::OfDay(time) => {
                let day = Timestamp::from_nanosecond(last.into())?;
                day.to_zoned(zone.clone()).date().to_datetime(time)
            }
        };
        let zoned = civil.to_zoned(zone).map_err(|_| wrong(self.word))?;
        self.ns_of(zoned.timestamp())
    }

    fn ns_of(&self, time: Timestamp) -> Result<i64> {
        i64::try_from(time.as_nanosecond()).map_err(|_| wrong(self.word))
    }
}

fn wrong(word: &str) -> Error {
    usage(format_args!(
        "{word}: invalid time: give one as 2026-11-22T12:00:00Z, 2026-11-22 12:00 or 12:00"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use crate::quantile::tests::bounds;
    use crate::recording::writer::Writer;

    const MINUTE: i64 = 60_000_000_000;

    /// The samples that a replay has of a recording with samples at these minutes.
    fn replayed(name: &str, minutes: &[i64], part: &Part, step: Step) -> Result<Vec<i64>> {
        let path = std::env::temp_dir().join(format!("ioscope-{name}-{}", std::process::id()));
        let mut writer = Writer::create(&path, &bounds())?;
        for minute in minutes {
            writer.sample(&Sample {
                wall_ns: minute * MINUTE,
                ..Sample::default()
            })?;
        }
        let replay = Replay::open(&path, part, matches!(step, Step::Each));
        std::fs::remove_file(&path)?;
        let mut replay = replay?;
        let interval = match step {
            Step::Ns(ns) => Some(Duration::from_nanos(ns.unsigned_abs())),
            Step::Each | Step::Whole => None,
        };
        let mut times = vec![replay.first(interval)?.wall_ns / MINUTE];
        while let Some(sample) = replay.next()? {
            times.push(sample.wall_ns / MINUTE);
        }
        Ok(times)
    }

    fn part(from: Option<i64>, to: Option<i64>) -> Part {
        let word = |minute: i64| json::time(minute * MINUTE);
        Part {
            from: from.map(word),
            to: to.map(word),
            ..Part::default()
        }
    }

    fn at(minute: i64) -> Part {
        Part {
            at: Some(json::time(minute * MINUTE)),
            ..Part::default()
        }
    }

    #[test]
    fn a_part_is_what_is_between_its_ends() -> Result<()> {
        let of = |part: &Part| replayed("part", &[10, 20, 30, 40], part, Step::Each);
        assert_eq!(of(&Part::default())?, [10, 20, 30, 40]);
        assert_eq!(of(&part(Some(15), Some(35)))?, [20, 30]);
        assert_eq!(of(&part(Some(20), Some(30)))?, [20, 30]);
        assert_eq!(of(&part(Some(22), Some(28)))?, [30]);
        assert_eq!(of(&part(None, Some(20)))?, [10, 20]);
        assert_eq!(of(&at(20))?, [20, 30]);
        assert_eq!(of(&at(25))?, [20, 30]);
        assert_eq!(of(&at(40))?, [40]);
        assert!(of(&at(41)).is_err());
        assert!(of(&part(Some(41), None)).is_err());
        assert!(of(&part(None, Some(9))).is_err());
        Ok(())
    }

    #[test]
    fn a_clock_that_is_set_back_ends_no_replay() -> Result<()> {
        // It is set back by two hours, and ends before the time at which it began.
        let early = [840, 850, 720, 730, 790];
        let of = |part: &Part, step| replayed("early", &early, part, step);
        assert_eq!(of(&Part::default(), Step::Each)?, early);
        assert_eq!(of(&Part::default(), Step::Whole)?, [840, 790]);
        assert_eq!(of(&part(Some(725), Some(800)), Step::Each)?, [730, 790]);
        assert_eq!(
            of(&part(Some(720), Some(845)), Step::Each)?,
            [840, 720, 730, 790]
        );
        assert_eq!(of(&at(725), Step::Each)?, [720, 730]);
        assert_eq!(of(&at(845), Step::Each)?, [840, 850]);
        let error = of(&at(860), Step::Each).unwrap_err().to_string();
        let range = format!(
            "it is from {} to {}",
            json::time(720 * MINUTE),
            json::time(850 * MINUTE)
        );
        assert!(error.ends_with(&range), "{error}");
        // It ends before the latest time that it had.
        let late = [720, 725, 730, 715, 719, 723];
        let of = |part: &Part, step| replayed("late", &late, part, step);
        assert_eq!(of(&Part::default(), Step::Each)?, late);
        assert_eq!(of(&Part::default(), Step::Whole)?, [720, 723]);
        assert_eq!(
            of(&part(Some(720), None), Step::Each)?,
            [720, 725, 730, 723]
        );
        assert_eq!(
            of(&part(None, Some(726)), Step::Each)?,
            [720, 725, 715, 719, 723]
        );
        Ok(())
    }

    #[test]
    fn a_clock_that_is_set_back_ends_an_interval() -> Result<()> {
        let of =
            |minutes: &[i64]| replayed("step", minutes, &Part::default(), Step::Ns(10 * MINUTE));
        assert_eq!(of(&[0, 5, 10, 15, 20])?, [0, 10, 20]);
        assert_eq!(of(&[100, 105, 90, 95, 100])?, [100, 90, 100]);
        // Not below the beginning of the interval.
        assert_eq!(of(&[0, 5, 3, 8, 13])?, [0, 3, 13]);
        Ok(())
    }

    #[test]
    fn times_are_understood() -> Result<()> {
        let instant = |word: &str, last| Moment::new(word)?.ns(last);
        let noon = 1_795_348_800_000_000_000;
        assert_eq!(instant("2026-11-22T12:00:00Z", 0)?, noon);
        assert_eq!(instant("2026-11-22T14:00:00+02:00", 0)?, noon);
        let civil = instant("2026-11-22 12:00", 0)?;
        assert_eq!(instant("12:00:00", civil + 1)?, civil);
        assert!(instant("noon", 0).is_err());
        Ok(())
    }
}
