// SPDX-License-Identifier: GPL-2.0

//! What the page shows of a recording.
//!
//! Each answer is made of the file as it is at that time, as `ioscope show` and `ioscope region report` read it: so it has
//! the same numbers.

use super::ios::{push_ended, push_in_flight, Asked};
use super::query::Query;
use crate::interval::between;
use crate::json::area::line;
use crate::json::{time, Count, Report};
use crate::quantile::Bounds;
use crate::recording::frame::Frame;
use crate::recording::reader::Reader;
use crate::recording::replay::{Part, Replay};
use crate::sample::Sample;
use crate::slow::Log;
use crate::source::{Source, Want};
use anyhow::{bail, Context, Result};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// The longest answer.
const MOST_BYTES: usize = 1 << 24;

/// What there is.
#[derive(Serialize)]
struct Info {
    live: bool,
    /// The name of the file.
    file: String,
    /// Of the first and the last sample.
    from: String,
    to: String,
    samples: u64,
    /// How long its intervals are on average.
    interval_ns: Count,
    bounds: Vec<Count>,
}

pub fn bounds_of(bounds: &Bounds) -> Vec<Count> {
    bounds.iter().copied().map(Count).collect()
}

pub fn info(path: &Path) -> Result<Vec<u8>> {
    let mut reader = Reader::open(path)?;
    let (mut first, mut last, mut samples) = (i64::MAX, i64::MIN, 0u64);
    while let Some(frame) = reader.frame()? {
        if let Frame::Sample(sample) = frame {
            // The wall clock may have been set back.
            first = first.min(sample.wall_ns);
            last = last.max(sample.wall_ns);
            samples += 1;
        }
    }
    if samples == 0 {
        bail!("it has no sample");
    }
    let all = last.saturating_sub(first);
    let interval = u64::try_from(all).unwrap_or(0) / samples.saturating_sub(1).max(1);
    let name = path.file_name().unwrap_or_default();
    let info = Info {
        live: false,
        file: name.to_string_lossy().into_owned(),
        from: time(first),
        to: time(last),
        samples,
        interval_ns: Count(interval),
        bounds: bounds_of(reader.bounds().context("it has no bounds")?),
    };
    Ok(serde_json::to_vec(&info)?)
}

/// The elements of an array.
pub struct Array {
    text: Vec<u8>,
}

impl Array {
    pub fn new() -> Self {
        Array { text: vec![b'['] }
    }

    pub fn push(&mut self, value: &impl Serialize) -> Result<()> {
        self.separate()?;
        Ok(serde_json::to_writer(&mut self.text, value)?)
    }

    /// Elements that are text already.
    pub fn extend(&mut self, text: &[u8]) -> Result<()> {
        self.separate()?;
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn separate(&mut self) -> Result<()> {
        if self.text.len() > MOST_BYTES {
            bail!("that is more than {MOST_BYTES} bytes: ask for longer intervals, a shorter part, or a device");
        }
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        Ok(())
    }

    pub fn end(mut self) -> Vec<u8> {
        self.text.push(b']');
        self.text
    }
}

impl Default for Array {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads the part that `query` says, and has `report` write each interval. `whole`: as one, unless there is an `interval`.
fn intervals(
    path: &Path,
    query: &Query,
    whole: bool,
    want: Want,
    partitions: bool,
    mut report: impl FnMut(&Bounds, &Sample, &Sample) -> Result<()>,
) -> Result<()> {
    let part = Part {
        at: None,
        from: query.get("from").map(str::to_owned),
        to: query.get("to").map(str::to_owned),
    };
    let interval = query.get("interval").map(seconds).transpose()?;
    let mut replay = Replay::open(path, &part, !whole)?;
    let devices: Vec<String> = query.get("device").map(str::to_owned).into_iter().collect();
    let selection = replay.selection(&devices, partitions)?;
    replay.choose(selection, want);
    let mut last = replay.first(interval.filter(|_| !whole))?;
    let bounds = *replay.bounds();
    while let Some(sample) = replay.next()? {
        report(&bounds, &last, &sample)?;
        last = sample;
    }
    Ok(())
}

/// An interval as words of the command have it.
fn seconds(word: &str) -> Result<Duration> {
    let seconds = word.parse::<f64>().unwrap_or(f64::NAN);
    if !(0.01..=1e6).contains(&seconds) {
        bail!("an interval is from 0.01 to 1000000 seconds");
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// The reports of devices.
pub fn reports(path: &Path, query: &Query, whole: bool, partitions: bool) -> Result<Vec<u8>> {
    let mut array = Array::new();
    let want = Want::of_devices();
    let report = |bounds: &Bounds, last: &Sample, sample: &Sample| {
        let intervals = between(Some(last), sample);
        intervals.iter().try_for_each(|interval| {
            array.push(&Report {
                wall_ns: sample.wall_ns,
                interval,
                bounds,
            })
        })
    };
    intervals(path, query, whole, want, partitions, report)?;
    Ok(array.end())
}

/// The areas of regions: all if it is one interval, else those that I/O went to.
pub fn areas(path: &Path, query: &Query, whole: bool) -> Result<Vec<u8>> {
    let mut array = Array::new();
    let want = Want {
        regions: true,
        ..Want::default()
    };
    let report = |_: &Bounds, last: &Sample, sample: &Sample| {
        push_areas(Some(last), sample, whole, |_, line| array.push(line))
    };
    intervals(path, query, whole, want, true, report)?;
    Ok(array.end())
}

/// What was in flight at the end of the part.
pub fn in_flight(path: &Path, query: &Query) -> Result<Vec<u8>> {
    let mut replay = part(path, query)?;
    let mut last = replay.first(None)?;
    while let Some(sample) = replay.next()? {
        last = sample;
    }
    let mut array = Array::new();
    push_in_flight(&mut array, &last, &Asked::new(query, &last))?;
    Ok(array.end())
}

/// The slow I/Os that ended in the part.
pub fn slow(path: &Path, query: &Query) -> Result<Vec<u8>> {
    let mut replay = part(path, query)?;
    let (mut log, mut array) = (Log::default(), Array::new());
    let mut sample = Some(replay.first(None)?);
    while let Some(now) = sample {
        let mut ios = log.add(now.slow.as_deref().unwrap_or_default());
        ios.retain(|(_, io)| replay.is_in_part(io.wall_ns));
        push_ended(&mut array, &ios, &Asked::new(query, &now))?;
        sample = replay.next()?;
    }
    Ok(array.end())
}

/// Each sample of the part that is asked for, with all devices.
fn part(path: &Path, query: &Query) -> Result<Replay> {
    let part = Part {
        at: None,
        from: query.get("from").map(str::to_owned),
        to: query.get("to").map(str::to_owned),
    };
    Replay::open(path, &part, true)
}

/// Passes on each area of a sample, with the index of its device; unless `all`, those that I/O went to.
pub fn push_areas(
    before: Option<&Sample>,
    sample: &Sample,
    all: bool,
    mut push: impl FnMut(usize, &crate::json::area::Line) -> Result<()>,
) -> Result<()> {
    let before = sample.of_same_load(before);
    for measured in &sample.regions {
        let mut entries = sample.entries.iter();
        let Some(at) = entries.position(|entry| entry.device.number == measured.device) else {
            continue;
        };
        let entry = &sample.entries[at];
        let ns = entry.ns_since(before);
        for (index, area) in measured.since(before).iter().enumerate() {
            if all || area.ios != [0, 0] {
                let region = &measured.region;
                push(
                    at,
                    &line(sample.wall_ns, ns, &entry.device, region, index, area),
                )?;
            }
        }
    }
    Ok(())
}
