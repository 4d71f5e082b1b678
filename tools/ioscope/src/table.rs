// SPDX-License-Identifier: GPL-2.0

//! A report of all devices as lines of text.

use crate::interval::Interval;
use crate::output::Output;
use crate::printable::printable;
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
    let name = printable(&interval.device.name);
    let mut line = String::new();
    if let Name::First(_, width) = layout.name {
        line.push_str(&format!("{name:<0$}", width.max(longest)));
    }
    for column in layout.columns {
        let value = (column.value)(interval, bounds);
        let text = padded(&line, &cell(column, interval, bounds), column.width);
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
        line.push_str(&name);
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

/// A cell for the end of a line, with blanks before it: at least one, unless nothing stands there yet.
pub fn padded(line: &str, cell: &str, width: usize) -> String {
    let is_apart = line.is_empty() || line.ends_with(' ') || cell.len() < width;
    let blank = if is_apart { "" } else { " " };
    format!("{blank}{cell:>width$}")
}

/// What stands in a column, without the blanks before it.
fn cell(column: &Column, interval: &Interval, bounds: &Bounds) -> String {
    written((column.value)(interval, bounds), column.show)
}

/// A value as its column shows it.
pub fn written(value: Option<f64>, show: Show) -> String {
    value.map_or("-".to_owned(), |value| number(value, show))
}

/// The same in at most `width` characters, for where a longer text would be cut off: with fewer digits behind the point,
/// then in thousands (k), millions (M) and so on. A value that does not fit in any of these forms is shown as `#`.
pub fn fitting(value: Option<f64>, show: Show, width: usize) -> String {
    const UNITS: [(f64, &str); 7] = [
        (1.0, ""),
        (1e3, "k"),
        (1e6, "M"),
        (1e9, "G"),
        (1e12, "T"),
        (1e15, "P"),
        (1e18, "E"),
    ];
    let usual = written(value, show);
    let Some(value) = value.filter(|_| usual.len() > width) else {
        return usual;
    };
    // Without a unit, or with one of which there are less than 1000.
    let units = UNITS
        .iter()
        .filter(|(unit, _)| *unit == 1.0 || value / unit < 999.5);
    let forms = units.flat_map(|(unit, name)| {
        let digits = (0..=2).rev();
        digits.map(move |digits| format!("{:.digits$}{name}", value / unit))
    });
    let mut fitting = forms.filter(|form| form.len() <= width);
    fitting.next().unwrap_or_else(|| "#".repeat(width))
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
            out.styled(&row(self.layout, self.longest, interval, bounds, colour))?;
        }
        if intervals.len() != 1 {
            out.line("")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::between;
    use crate::quantile::tests::bounds;
    use crate::sample::{Device, Entry, Sample};
    use crate::style::{FREEBSD, GSTAT, ILLUMOS, NETBSD, OWN, SYSSTAT};
    use iostat_map::Snapshot;
    use std::rc::Rc;

    #[test]
    fn a_number_that_is_too_wide_keeps_its_leading_digits() {
        let fixed = |value, width| fitting(Some(value), Show::Fixed(1), width);
        assert_eq!(fixed(1234.5, 6), "1234.5");
        assert_eq!(fixed(12_345.6, 6), "12346");
        assert_eq!(fixed(999_999.9, 6), "1.00M");
        assert_eq!(fixed(12_345_678.0, 6), "12.35M");
        assert_eq!(fixed(12_345_678.0, 4), "12M");
        assert_eq!(fixed(f64::MAX, 4), "####");
        let ms = |value| fitting(Some(value), Show::Fixed(2), 5);
        let shown = [99.994, 99.996, 1234.5, 123_456.0].map(ms);
        assert_eq!(shown, ["99.99", "100.0", "1234", "123k"]);
        assert_eq!(fitting(Some(f64::INFINITY), Show::Bound, 7), ">32s");
        assert_eq!(fitting(None, Show::Bound, 7), "-");
    }

    #[test]
    fn a_blank_is_between_any_two_cells() {
        let mut sample = Sample::default();
        sample.entries.push(Entry {
            device: Rc::new(Device::disk(1, "a_long\u{9b}2J")),
            counters: Snapshot {
                snaptime: 1_000_000_000,
                start_count: 40_000_000_000,
                end_count: 40_000_000_000,
                bytes: [1 << 60; 4],
                operations: [10_000_000_000; 4],
                duration: [1 << 62; 4],
                wlentime: 1 << 62,
                rlentime: 1 << 62,
                wcnt: 1_000_000_000,
                ..Snapshot::default()
            },
            times: Default::default(),
        });
        for layout in [&OWN, &SYSSTAT, &GSTAT, &FREEBSD, &ILLUMOS, &NETBSD] {
            for colour in [false, true] {
                let line = row(layout, 0, &between(None, &sample)[0], &bounds(), colour);
                let cells = line.split_whitespace().filter(|word| *word != "|");
                assert_eq!(cells.count(), layout.columns.len() + 1, "{line}");
                assert!(line.contains("a_long\\302\\2332J"), "{line}");
            }
        }
        // What fits is where it was.
        assert_eq!(padded("", "1234", 4), "1234");
        assert_eq!(padded("a ", "1234", 4), "1234");
        assert_eq!(padded("a", "123", 4), " 123");
        assert_eq!(padded("a", "1234", 4), " 1234");
    }
}
