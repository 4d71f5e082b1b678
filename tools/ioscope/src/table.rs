// SPDX-License-Identifier: GPL-2.0

//! A report of all devices as lines of text.

use crate::interval::Interval;
use crate::output::Output;
use crate::quantile::{Bounds, UpTo};
use crate::style::{Column, Layout, Name, Show};
use anstyle::{AnsiColor, Style};
use anyhow::Result;

/// The line of headings. Names have up to `longest` bytes.
pub fn heading(layout: &Layout, longest: usize) -> String {
    let columns = layout.columns.iter();
    let columns = columns.map(|column| format!("{:>1$}", column.heading, column.width));
    let columns = columns.collect::<Vec<_>>().concat();
    match layout.name {
        Name::First(heading, width) => format!("{heading:<0$}{columns}", width.max(longest)),
        Name::Last(heading, _) => format!("{columns}{heading}"),
    }
}

/// A device's line.
pub fn row(
    layout: &Layout,
    longest: usize,
    interval: &Interval,
    bounds: &Bounds,
    colour: bool,
) -> String {
    let name = &interval.device.name;
    let mut line = String::new();
    if let Name::First(_, width) = layout.name {
        line.push_str(&format!("{name:<0$}", width.max(longest)));
    }
    for column in layout.columns {
        let value = (column.value)(interval, bounds);
        let text = format!("{:>1$}", cell(column, interval, bounds), column.width);
        match (column.show, value.filter(|_| colour)) {
            (Show::Busy(_), Some(value)) if value > 50.0 => {
                let style = stress(value);
                line.push_str(&format!("{style}{text}{style:#}"));
            }
            _ => line.push_str(&text),
        }
    }
    if let Name::Last(_, before) = layout.name {
        line.push_str(before);
        line.push_str(name);
    }
    line
}

/// As gstat: from 50 and from 80 percent on.
fn stress(percent: f64) -> Style {
    let colour = match percent {
        ..=80.0 => AnsiColor::Magenta,
        _ => AnsiColor::Red,
    };
    colour.on_default()
}

/// What stands in a column, without the blanks before it.
pub fn cell(column: &Column, interval: &Interval, bounds: &Bounds) -> String {
    (column.value)(interval, bounds).map_or("-".to_owned(), |value| number(value, column.show))
}

fn number(value: f64, show: Show) -> String {
    match show {
        Show::Fixed(digits) | Show::Busy(digits) => format!("{value:.digits$}"),
        Show::Milliseconds if value > 1000.0 => format!("{value:.0}"),
        Show::Milliseconds if value > 1.0 || value == 0.0 => format!("{value:.1}"),
        Show::Milliseconds => format!("{value:.3}"),
        Show::Bound if value.is_infinite() => ">32s".to_owned(),
        Show::Bound if value < 100.0 => format!("{value:.1}"),
        Show::Bound => format!("{value:.0}"),
    }
}

/// A time with its unit: `238ns`, `4.5us`, `2.3ms`, `1.2s`.
pub fn time(time: UpTo) -> String {
    match time {
        UpTo::Beyond => ">32s".to_owned(),
        UpTo::Ns(ns) => match ns {
            0..1000 => format!("{ns}ns"),
            1000..1_000_000 => format!("{:.1}us", ns as f64 / 1e3),
            1_000_000..1_000_000_000 => format!("{:.1}ms", ns as f64 / 1e6),
            _ => format!("{:.1}s", ns as f64 / 1e9),
        },
    }
}

/// Writes reports, with the headings again on each screen.
pub struct Table {
    layout: &'static Layout,
    longest: usize,
}

impl Table {
    pub fn new(layout: &'static Layout) -> Self {
        Table { layout, longest: 0 }
    }

    pub fn report(
        &mut self,
        out: &mut Output,
        intervals: &[Interval],
        bounds: &Bounds,
        requested: Option<f64>,
    ) -> Result<()> {
        let names = intervals.iter().map(|i| i.device.name.len());
        let longest = names.max().unwrap_or(0);
        if longest > self.longest {
            self.longest = longest;
            out.new_screen();
        }
        if self.layout.has_interval_line {
            let ns = intervals.iter().map(|i| i.ns()).max().unwrap_or(0);
            let width = requested.map_or(String::new(), |s| format!("  w: {s:.3}s"));
            out.line(&format!("dT: {:.3}s{width}", ns as f64 / 1e9))?;
        }
        out.heading(intervals.len(), &heading(self.layout, self.longest))?;
        for interval in intervals {
            let colour = out.has_colour();
            out.line(&row(self.layout, self.longest, interval, bounds, colour))?;
        }
        if intervals.len() != 1 {
            out.line("")?;
        }
        Ok(())
    }
}
