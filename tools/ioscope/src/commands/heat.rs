// SPDX-License-Identifier: GPL-2.0

//! `ioscope heat`: where on a disk its I/O goes, a row for each interval.

use super::region::{one_device, Own};
use crate::cli::region::Heat;
use crate::cli::Words;
use crate::live::{open, wall_ns};
use crate::output::Output;
use crate::region::Area;
use crate::ticker::Ticker;
use anyhow::{bail, Result};
use jiff::tz::TimeZone;
use jiff::Timestamp;
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
    let device = one_device(&file, &options.device)?;
    let mut ticker = Ticker::new()?;
    // Ended when this returns, be it by an error or a signal.
    let own = Own::new(&file, device, options.areas)?;
    let mut out = Output::new(!options.no_headings);
    let scale: String = SCALE.iter().map(|(_, c)| *c).collect();
    let heading = format!(
        "{}  {}/area  r+w IOs/s  {scale} = 0 1 3 10 30 100 300 1k 3k+",
        own.device.name,
        size(own.region.step)
    );
    let interval = words.interval.unwrap_or(Duration::from_secs(1));
    let mut left = words.count.unwrap_or(u64::MAX);
    ticker.start(interval);
    let (mut then, mut before) = (Instant::now(), own.areas()?);
    while left != 0 && ticker.wait()? {
        let (at, now) = (Instant::now(), own.areas()?);
        let seconds = at.duration_since(then).as_secs_f64();
        let row: String = now
            .iter()
            .enumerate()
            .map(|(index, area)| character(area, before.get(index), seconds))
            .collect();
        out.heading(1, &heading)?;
        out.line(&format!("{} |{row}|", clock()))?;
        out.flush()?;
        (then, before) = (at, now);
        left -= 1;
    }
    Ok(())
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

fn character(area: &Area, before: Option<&Area>, seconds: f64) -> char {
    let since = before.map_or(area.clone(), |before| area.since(before));
    let ios = since.ios[0].saturating_add(since.ios[1]);
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
        let of = |ios: u64, seconds: f64| {
            let area = Area {
                ios: [ios / 2, ios - ios / 2],
                ..Area::default()
            };
            character(&area, Some(&Area::default()), seconds)
        };
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
