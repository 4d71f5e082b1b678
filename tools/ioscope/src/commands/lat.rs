// SPDX-License-Identifier: GPL-2.0

//! `ioscope lat`: how long I/O takes.

use super::{run, source, time_line, Reporter};
use crate::cli::{Format, Lat, Words};
use crate::interval::{between, Interval};
use crate::json::{csv_record, time, Count, Document, Histogram};
use crate::output::Output;
use crate::quantile::{Bounds, Counts, UpTo};
use crate::sample::{Sample, CLASSES, FREE, NONE, PHASES, READ, SERVICE, TOTAL, WRITE};
use crate::source::Want;
use crate::table::{self, padded};
use crate::usage::usage;
use anyhow::Result;
use serde::Serialize;

pub fn lat(options: &Lat) -> Result<()> {
    let words = Words::new(&options.when.words)?;
    if let Some(wrong) = options
        .quantiles
        .iter()
        .find(|q| !(0.0..=100.0).contains(*q))
    {
        return Err(usage(format_args!(
            "{wrong}: invalid percentile: it must be from 0 to 100"
        )));
    }
    let classes = match options.classes.as_slice() {
        [] => vec![READ, WRITE, FREE, NONE],
        some => some.iter().map(|class| *class as usize).collect(),
    };
    let phases = match options.phases.as_slice() {
        // biolatency's time is that of the device, unless it is to have the queue too.
        [] if options.histogram && !options.queued => vec![SERVICE],
        [] => vec![TOTAL],
        some => some.iter().map(|phase| *phase as usize).collect(),
    };
    let mut want = Want::default();
    for class in &classes {
        for phase in &phases {
            want.times[*class][*phase] = true;
        }
    }
    let mut source = source(&options.common.from, false)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut reporter = Times {
        options,
        classes,
        phases,
        bounds: *source.bounds(),
        document: Document::new(options.common.lines),
        has_header: options.common.no_headings,
        longest: 8,
    };
    run(
        &mut *source,
        &options.when,
        &words,
        want,
        &mut out,
        &mut reporter,
    )
}

struct Times<'a> {
    options: &'a Lat,
    classes: Vec<usize>,
    phases: Vec<usize>,
    bounds: Bounds,
    document: Document,
    has_header: bool,
    longest: usize,
}

/// The times of one device, class and phase.
struct Line<'a> {
    interval: &'a Interval<'a>,
    class: usize,
    phase: usize,
    counts: Counts,
}

/// What JSON says of them.
#[derive(Serialize)]
struct Json<'a> {
    time: String,
    interval_ns: Count,
    device: &'a str,
    number: u32,
    class: &'a str,
    phase: &'a str,
    latency_ns: Histogram<'a>,
    quantiles_ns: serde_json::Map<String, serde_json::Value>,
}

impl Times<'_> {
    fn lines<'b>(&self, intervals: &'b [Interval<'b>]) -> Vec<Line<'b>> {
        let mut lines = Vec::new();
        for interval in intervals {
            for class in &self.classes {
                for phase in &self.phases {
                    let times = interval.times(*class, *phase);
                    // What nothing was completed of has no times.
                    if let Some(counts) = times.filter(|counts| counts.total() != 0) {
                        lines.push(Line {
                            interval,
                            class: *class,
                            phase: *phase,
                            counts,
                        });
                    }
                }
            }
        }
        lines
    }

    fn table(&mut self, out: &mut Output, lines: &[Line]) -> Result<()> {
        let names = lines.iter().map(|line| line.interval.device.name.len() + 1);
        let longest = names.max().unwrap_or(0).max(self.longest);
        if longest != self.longest {
            self.longest = longest;
            out.new_screen();
        }
        let quantiles = self.options.quantiles.iter();
        // Above the digits of the times, which end in a unit.
        let quantiles = quantiles.map(|q| format!("{:>6}  ", format!("p{q}")));
        let quantiles = quantiles.collect::<Vec<_>>().concat();
        let heading = format!(
            "{:<longest$}class phase     count   rate/s{quantiles}{:>8}",
            "device", "max<="
        );
        out.heading(lines.len(), &heading)?;
        for line in lines {
            out.line(&self.row(line))?;
        }
        if lines.len() != 1 {
            out.line("")?;
        }
        Ok(())
    }

    fn row(&self, line: &Line) -> String {
        let total = line.counts.total();
        let longest = self.longest;
        let rate = line.interval.per_second(total);
        let mut text = format!(
            "{:<longest$}{:<6}{:<7}",
            line.interval.device.name, CLASSES[line.class], PHASES[line.phase],
        );
        let rate = rate.map_or("-".to_owned(), |rate| format!("{rate:.1}"));
        text.push_str(&padded(&text, &total.to_string(), 8));
        text.push_str(&padded(&text, &rate, 9));
        for q in &self.options.quantiles {
            let up_to = line.counts.quantile(*q, &self.bounds);
            text.push_str(&padded(&text, &written(up_to), 8));
        }
        let most = line.counts.longest(&self.bounds);
        text.push_str(&padded(&text, &written(most), 8));
        text
    }

    /// As biolatency prints them: all classes together, or each.
    fn histograms(&self, out: &mut Output, lines: &[Line]) -> Result<()> {
        let mut done = vec![false; lines.len()];
        for first in 0..lines.len() {
            if done[first] {
                continue;
            }
            let line = &lines[first];
            let mut sum = Counts::default();
            for (other, done) in lines.iter().zip(&mut done) {
                let is_one = other.interval.device.number == line.interval.device.number
                    && other.phase == line.phase
                    && (other.class == line.class || !self.options.by_class);
                if is_one {
                    sum.add(&other.counts);
                    *done = true;
                }
            }
            let mut title = format!("disk = {}", line.interval.device.name);
            if self.options.by_class {
                title.push_str(&format!(", class = {}", CLASSES[line.class]));
            }
            if self.phases.len() > 1 {
                title.push_str(&format!(", phase = {}", PHASES[line.phase]));
            }
            out.line(&title)?;
            for line in rows(&sum, &self.bounds, self.options.fold) {
                out.line(&line)?;
            }
            out.line("")?;
        }
        Ok(())
    }

    fn json(&self, wall_ns: i64, line: &Line) -> serde_json::Value {
        let quantiles = self.options.quantiles.iter().map(|q| {
            let ns = match line.counts.quantile(*q, &self.bounds) {
                Some(UpTo::Ns(ns)) => serde_json::to_value(Count(ns)).unwrap_or_default(),
                _ => serde_json::Value::Null,
            };
            (q.to_string(), ns)
        });
        let report = Json {
            time: time(wall_ns),
            interval_ns: Count(line.interval.ns()),
            device: &line.interval.device.name,
            number: line.interval.device.number,
            class: CLASSES[line.class],
            phase: PHASES[line.phase],
            latency_ns: Histogram {
                counts: line.counts.clone(),
                bounds: &self.bounds,
            },
            quantiles_ns: quantiles.collect(),
        };
        serde_json::to_value(report).unwrap_or_default()
    }

    fn csv(&mut self, out: &mut Output, wall_ns: i64, lines: &[Line]) -> Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            let first = "time interval_ns device number class phase count".split(' ');
            let quantiles = self.options.quantiles.iter();
            let quantiles: Vec<String> = quantiles.map(|q| format!("p{q}_ns")).collect();
            let columns = first.chain(quantiles.iter().map(String::as_str));
            csv_record(out, columns.chain(["max_ns"]))?;
        }
        for line in lines {
            let mut fields = vec![
                time(wall_ns),
                line.interval.ns().to_string(),
                line.interval.device.name.clone(),
                line.interval.device.number.to_string(),
                CLASSES[line.class].to_owned(),
                PHASES[line.phase].to_owned(),
                line.counts.total().to_string(),
            ];
            let quantiles = self.options.quantiles.iter();
            let quantiles = quantiles.map(|q| line.counts.quantile(*q, &self.bounds));
            let times = quantiles.chain([line.counts.longest(&self.bounds)]);
            fields.extend(times.map(|up_to| match up_to {
                Some(UpTo::Ns(ns)) => ns.to_string(),
                _ => String::new(),
            }));
            csv_record(out, fields.iter().map(String::as_str))?;
        }
        Ok(())
    }
}

fn written(up_to: Option<UpTo>) -> String {
    up_to.map_or("-".to_owned(), table::time)
}

/// A histogram from the first bucket that is not empty to the last, as biolatency prints one.
fn rows(counts: &Counts, bounds: &Bounds, fold: bool) -> Vec<String> {
    let mut buckets: Vec<(u64, Option<u64>, u64)> = Vec::new();
    for (index, count) in counts.buckets.iter().enumerate() {
        let low = index.checked_sub(1).map_or(0, |below| bounds[below] + 1);
        let high = bounds.get(index).copied();
        match buckets.last_mut() {
            // An octave ends with a bound of 2^k s: the first of each four.
            Some(last) if fold && index % 4 != 1 => {
                last.1 = high;
                last.2 += count;
            }
            _ => buckets.push((low, high, *count)),
        }
    }
    let first = buckets.iter().position(|(.., count)| *count != 0);
    let last = buckets.iter().rposition(|(.., count)| *count != 0);
    let (Some(first), Some(last)) = (first, last) else {
        return Vec::new();
    };
    let buckets = &buckets[first..=last];
    // Below some us its buckets are narrower than one.
    let (unit, name) = match buckets[0].1 {
        Some(high) if high < 8000 => (1, "nsecs"),
        _ => (1000, "usecs"),
    };
    let most = buckets.iter().map(|(.., count)| *count).max().unwrap_or(1);
    let mut lines = vec![format!("     {name:<19} : count    distribution")];
    for (low, high, count) in buckets {
        let stars = "*".repeat((*count as u128 * 40 / most.max(1) as u128) as usize);
        let high = high.map_or("inf".to_owned(), |high| (high / unit).to_string());
        let low = low.div_ceil(unit);
        lines.push(format!(
            "{low:>10} -> {high:<10} : {count:<8} |{stars:<40}|"
        ));
    }
    lines
}

impl Reporter for Times<'_> {
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()> {
        let intervals = between(from, to);
        let lines = self.lines(&intervals);
        match self.options.common.output {
            Format::Table => {
                time_line(out, self.options.common.time, to.wall_ns)?;
                match self.options.histogram {
                    true => self.histograms(out, &lines),
                    false => self.table(out, &lines),
                }
            }
            Format::Json => lines.iter().try_for_each(|line| {
                let value = self.json(to.wall_ns, line);
                self.document.value(out, &value)
            }),
            Format::Csv => self.csv(out, to.wall_ns, &lines),
        }
    }

    fn format(&self) -> Format {
        self.options.common.output
    }

    fn document(&mut self) -> &mut Document {
        &mut self.document
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::quantile::tests::bounds;
    use crate::sample::{Device, Entry};
    use clap::Parser;
    use iostat_map::Snapshot;
    use std::rc::Rc;

    #[test]
    fn histograms_look_like_those_of_biolatency() {
        let mut counts = Counts::default();
        counts.buckets[53] = 301;
        counts.buckets[54] = 7;
        let expected = [
            "     usecs               : count    distribution",
            "      1954 -> 2322       : 301      |****************************************|",
            "      2323 -> 2762       : 7        |                                        |",
        ];
        assert_eq!(rows(&counts, &bounds(), false), expected);
    }

    #[test]
    fn a_blank_is_between_any_two_cells() {
        let Ok(Cli {
            command: Some(Command::Lat(options)),
            ..
        }) = Cli::try_parse_from(["ioscope", "lat"])
        else {
            panic!("the options of lat");
        };
        let times = Times {
            options: &options,
            classes: Vec::new(),
            phases: Vec::new(),
            bounds: bounds(),
            document: Document::new(false),
            has_header: false,
            longest: 9,
        };
        let sample = Sample {
            entries: vec![Entry {
                device: Rc::new(Device::disk(1, "nullb0p1")),
                counters: Snapshot {
                    snaptime: 1_000_000_000,
                    ..Snapshot::default()
                },
                times: Default::default(),
            }],
            ..Sample::default()
        };
        let mut counts = Counts::default();
        counts.buckets[53] = 1 << 40;
        let line = Line {
            interval: &between(None, &sample)[0],
            class: READ,
            phase: SERVICE,
            counts,
        };
        let row = times.row(&line);
        // Name, class, phase, count, rate, three percentiles and the longest.
        assert_eq!(row.split_whitespace().count(), 9, "{row}");
        assert!(
            row.contains(" service 1099511627776 1099511627776.0 "),
            "{row}"
        );
    }

    #[test]
    fn folded_buckets_are_octaves_and_lose_nothing() {
        let mut counts = Counts::default();
        counts.buckets.fill(1);
        let lines = rows(&counts, &bounds(), true);
        // Below 238 ns, 27 octaves, and what is longer than 32 s.
        assert_eq!(lines.len(), 1 + 29);
        assert!(
            lines[2].starts_with("       239 -> 477        : 4 "),
            "{}",
            lines[2]
        );
        assert!(lines[29].contains("-> inf"), "{}", lines[29]);
    }
}
