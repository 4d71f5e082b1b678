// SPDX-License-Identifier: GPL-2.0

//! `ioscope sizes`: how large I/Os are.

use super::{run, source, time_line, Reporter};
use crate::cli::sizes::Sizes as Options;
use crate::cli::{Format, Words};
use crate::json::{csv_record, time, Count, Document};
use crate::output::Output;
use crate::sample::{Entry, Sample, CLASSES, FREE, READ, WRITE};
use crate::size::{between, filled, rows, total, Counts};
use crate::source::Want;
use anyhow::{bail, Result};
use iostat_map::least_bytes;
use serde::Serialize;

pub fn sizes(options: &Options) -> Result<()> {
    let words = Words::new(&options.when.words)?;
    let classes = match options.classes.as_slice() {
        [] => vec![READ, WRITE, FREE],
        some => some.iter().map(|class| *class as usize).collect(),
    };
    let want = Want {
        sizes: true,
        ..Want::default()
    };
    let mut source = source(&options.common.from, false)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut reporter = Histograms {
        options,
        classes,
        document: Document::new(options.common.lines),
        has_header: options.common.no_headings,
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

struct Histograms<'a> {
    options: &'a Options,
    classes: Vec<usize>,
    document: Document,
    has_header: bool,
}

/// The sizes of one device and class.
struct Line<'a> {
    entry: &'a Entry,
    class: usize,
    counts: Counts,
}

/// What JSON says of them.
#[derive(Serialize)]
struct Json<'a> {
    time: &'a str,
    device: &'a str,
    number: u32,
    class: &'a str,
    count: Count,
    /// The smallest size in each bucket that is not empty, in bytes, and how many.
    buckets: Vec<(Count, Count)>,
}

impl Histograms<'_> {
    fn lines<'b>(&self, from: Option<&Sample>, to: &'b Sample) -> Result<Vec<Line<'b>>> {
        let Some(sizes) = &to.sizes else {
            bail!("sizes were not recorded");
        };
        let before = to.of_same_load(from);
        let before = before.and_then(|before| before.sizes.as_ref());
        let mut lines = Vec::new();
        for entry in &to.entries {
            for class in &self.classes {
                let key = (entry.device.number, *class as u8);
                let Some(counts) = sizes.get(&key) else {
                    continue;
                };
                let counts = between(before.and_then(|before| before.get(&key)), counts);
                if total(&counts) != 0 {
                    lines.push(Line {
                        entry,
                        class: *class,
                        counts,
                    });
                }
            }
        }
        Ok(lines)
    }

    fn csv(&mut self, out: &mut Output, time: &str, lines: &[Line]) -> Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            csv_record(
                out,
                ["time", "device", "number", "class", "least_bytes", "count"],
            )?;
        }
        for line in lines {
            for (bucket, count) in filled(&line.counts) {
                let (number, least) = (line.entry.device.number, least_bytes(bucket));
                csv_record(
                    out,
                    [
                        time,
                        line.entry.device.name.as_str(),
                        &number.to_string(),
                        CLASSES[line.class],
                        &least.to_string(),
                        &count.to_string(),
                    ],
                )?;
            }
        }
        Ok(())
    }
}

impl Reporter for Histograms<'_> {
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()> {
        let lines = self.lines(from, to)?;
        let now = time(to.wall_ns);
        match self.options.common.output {
            Format::Table => {
                time_line(out, self.options.common.time, to.wall_ns)?;
                for line in &lines {
                    let (name, class) = (&line.entry.device.name, CLASSES[line.class]);
                    out.line(&format!("disk = {name}, class = {class}"))?;
                    rows(&line.counts)
                        .iter()
                        .try_for_each(|row| out.line(row))?;
                    out.line("")?;
                }
                Ok(())
            }
            Format::Json => lines.iter().try_for_each(|line| {
                let buckets = filled(&line.counts);
                let json = Json {
                    time: &now,
                    device: &line.entry.device.name,
                    number: line.entry.device.number,
                    class: CLASSES[line.class],
                    count: Count(total(&line.counts)),
                    buckets: buckets
                        .map(|(bucket, count)| (Count(least_bytes(bucket)), Count(count)))
                        .collect(),
                };
                self.document.value(out, &json)
            }),
            Format::Csv => self.csv(out, &now, &lines),
        }
    }

    fn format(&self) -> Format {
        self.options.common.output
    }

    fn document(&mut self) -> &mut Document {
        &mut self.document
    }
}
