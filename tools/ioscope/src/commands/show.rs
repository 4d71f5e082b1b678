// SPDX-License-Identifier: GPL-2.0

//! `ioscope show`: a line for each device.

use super::{run, source, time_line, Reporter};
use crate::cli::{Format, Show, Words};
use crate::interval::{between, Interval};
use crate::json::{csv_header, csv_row, Document, Report};
use crate::output::Output;
use crate::quantile::Bounds;
use crate::sample::{Sample, READ, TOTAL, WRITE};
use crate::source::Want;
use crate::style::{Layout, FREEBSD, GSTAT, ILLUMOS, NETBSD, OWN, SYSSTAT};
use crate::table::Table;
use anyhow::Result;

/// `each`: of a recording without an INTERVAL, each interval of it.
pub fn show(options: &Show, each: bool) -> Result<()> {
    let words = Words::new(&options.when.words)?;
    let layout = layout(options);
    let want = match options.common.output {
        Format::Json => Want::of_devices(),
        Format::Csv => Want::default(),
        Format::Table => of_layout(layout),
    };
    let mut source = source(&options.common.from, each)?;
    let mut out = Output::new(!options.common.no_headings);
    let mut reporter = Devices {
        options,
        bounds: *source.bounds(),
        table: Table::new(layout),
        document: Document::new(options.common.lines),
        requested: words.interval.map(|interval| interval.as_secs_f64()),
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

fn layout(options: &Show) -> &'static Layout {
    let layouts = [
        (options.sysstat, &SYSSTAT),
        (options.gstat, &GSTAT),
        (options.freebsd, &FREEBSD),
        (options.illumos, &ILLUMOS),
        (options.netbsd, &NETBSD),
    ];
    let chosen = layouts.iter().find(|(is_chosen, _)| *is_chosen);
    chosen.map_or(&OWN, |(_, layout)| layout)
}

fn of_layout(layout: &Layout) -> Want {
    let mut want = Want {
        events: layout.has_events,
        ..Want::default()
    };
    for class in [READ, WRITE] {
        want.times[class][TOTAL] = layout.has_times;
    }
    want
}

struct Devices<'a> {
    options: &'a Show,
    bounds: Bounds,
    table: Table,
    document: Document,
    requested: Option<f64>,
    /// Of CSV, whether it was written, or will not be.
    has_header: bool,
}

impl Devices<'_> {
    fn intervals<'b>(&self, from: Option<&'b Sample>, to: &'b Sample) -> Vec<Interval<'b>> {
        let mut intervals = between(from, to);
        if self.options.when.zero {
            intervals.retain(|interval| !interval.is_idle());
        }
        intervals
    }
}

impl Reporter for Devices<'_> {
    fn report(&mut self, out: &mut Output, from: Option<&Sample>, to: &Sample) -> Result<()> {
        let intervals = self.intervals(from, to);
        match self.options.common.output {
            Format::Table => {
                time_line(out, self.options.common.time, to.wall_ns)?;
                let requested = self.requested.filter(|_| from.is_some());
                self.table.report(out, &intervals, &self.bounds, requested)
            }
            Format::Json => intervals.iter().try_for_each(|interval| {
                let report = Report {
                    wall_ns: to.wall_ns,
                    interval,
                    bounds: &self.bounds,
                };
                self.document.value(out, &report)
            }),
            Format::Csv => {
                if !std::mem::replace(&mut self.has_header, true) {
                    csv_header(out)?;
                }
                let mut rows = intervals.iter();
                rows.try_for_each(|interval| csv_row(out, to.wall_ns, interval))
            }
        }
    }

    fn format(&self) -> Format {
        self.options.common.output
    }

    fn document(&mut self) -> &mut Document {
        &mut self.document
    }

    fn sum(&mut self, out: &mut Output, from: &Sample, to: &Sample) -> Result<()> {
        let intervals = self.intervals(Some(from), to);
        self.table.report(out, &intervals, &self.bounds, None)
    }
}
