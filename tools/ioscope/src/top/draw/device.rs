// SPDX-License-Identifier: GPL-2.0

//! Everything of one device.

use super::super::history::{History, Queue};
use super::super::Top;
use crate::quantile::{Counts, UpTo};
use crate::style::OWN;
use crate::table::{time, written};
use iostat_map::layout::BUCKETS;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Borders, Paragraph};
use ratatui::Frame;

/// Buckets to a line of a histogram: an octave.
const OCTAVE: usize = 4;

pub fn draw(top: &Top, frame: &mut Frame, area: Rect) {
    let Some(history) = top.selected() else {
        return super::say(frame, area, "there is no device");
    };
    let mut lines = vec![Line::styled(name(history), top.look.heading())];
    lines.extend(
        numbers(history, area.width.into())
            .into_iter()
            .map(Line::raw),
    );
    lines.push(Line::raw(queue("wait queue", &history.wait)));
    lines.push(Line::raw(queue("run queue ", &history.run)));
    let columns = usize::from(area.width.saturating_sub(7));
    let points = || history.last(columns);
    let most = points().fold(0.0, |most: f64, point| most.max(point.iops));
    let busy = points().map(|point| top.look.bar(point.busy / 100.0));
    lines.push(Line::raw(format!("%busy |{}", busy.collect::<String>())));
    let iops = points().map(|point| top.look.bar(point.iops / most));
    lines.push(Line::raw(format!(
        "ops/s |{} {most:.0}",
        iops.collect::<String>()
    )));
    let height = lines.len() as u16;
    let [above, below] =
        Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(lines), above);
    let parts = [
        Constraint::Fill(3),
        Constraint::Fill(3),
        Constraint::Fill(2),
    ];
    let [wait, service, events] = Layout::horizontal(parts).areas(below);
    let counts = if top.has_all_times {
        &history.all
    } else {
        &history.recent
    };
    let since = if top.has_all_times {
        "since counting began"
    } else {
        "of the interval"
    };
    for (area, title, counts) in [(wait, "wait", &counts[0]), (service, "service", &counts[1])] {
        let block = Block::new()
            .borders(Borders::TOP)
            .border_set(top.look.border())
            .title(format!(" {title} {since} "));
        let lines = histogram(top, counts, area.width.into());
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }
    let lines = history
        .events
        .iter()
        .map(|(name, count)| Line::raw(format!("{count:>8} {name}")));
    let block = Block::new()
        .borders(Borders::TOP)
        .border_set(top.look.border())
        .title(" events ");
    frame.render_widget(Paragraph::new(Text::from_iter(lines)).block(block), events);
}

fn name(history: &History) -> String {
    let device = &history.device;
    let left = if history.is_gone { ", has left" } else { "" };
    format!(
        "{}  {} {}:{}  number {}  diskseq {}{left}",
        device.name,
        device.kind.name(),
        device.major,
        device.minor,
        device.number,
        device.diskseq,
    )
}

/// The columns of `ioscope show`, in as many pairs of lines as it takes.
fn numbers(history: &History, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut headings, mut cells) = (String::new(), String::new());
    for (column, value) in OWN.columns.iter().zip(&history.values) {
        let cell = written(*value, column.show);
        // At least one blank is before a number.
        let wide = column.width.max(cell.len() + 1);
        if headings.len() + wide > width && !headings.is_empty() {
            lines.extend([std::mem::take(&mut headings), std::mem::take(&mut cells)]);
        }
        headings.push_str(&format!("{:>wide$}", column.heading));
        cells.push_str(&format!("{cell:>wide$}"));
    }
    lines.extend([headings, cells]);
    lines
}

fn queue(name: &str, queue: &Queue) -> String {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
    };
    format!(
        "{name}  now {}  mean {}  not empty {} % of the time",
        queue.now,
        number(queue.mean, 2),
        number(queue.busy_percent, 1),
    )
}

/// A line for each octave, from the first to the last that is not empty.
fn histogram(top: &Top, counts: &Counts, width: usize) -> Vec<Line<'static>> {
    let octaves: Vec<u64> = counts
        .buckets
        .chunks(OCTAVE)
        .map(|octave| {
            octave
                .iter()
                .fold(0u64, |sum, count| sum.saturating_add(*count))
        })
        .collect();
    let first = octaves.iter().position(|count| *count != 0);
    let last = octaves.iter().rposition(|count| *count != 0);
    let Some((first, last)) = first.zip(last) else {
        return vec![Line::raw("nothing")];
    };
    let most = octaves.iter().copied().max().unwrap_or(1).max(1);
    let digits = most.to_string().len();
    // A time, the count, and what is between them.
    let room = width.saturating_sub(8 + 3 + digits + 2 + 1);
    let line = |octave: usize| {
        let end = ((octave + 1) * OCTAVE).min(BUCKETS) - 1;
        let bound = top
            .bounds()
            .get(end)
            .map_or(UpTo::Beyond, |bound| UpTo::Ns(*bound));
        let count = octaves[octave];
        let stars = (count as f64 / most as f64 * room as f64).ceil() as usize;
        Line::raw(format!(
            "{:>8} : {count:>digits$} |{}",
            time(bound),
            "*".repeat(stars)
        ))
    };
    (first..=last).map(line).collect()
}
