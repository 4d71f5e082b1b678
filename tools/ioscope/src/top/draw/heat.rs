// SPDX-License-Identifier: GPL-2.0

//! The times of a device's operations: a column for each interval, a row for each range of times, and in each place
//! how many operations took so long.

use super::super::look::logarithmic;
use super::super::Top;
use crate::quantile::UpTo;
use crate::table::time;
use iostat_map::layout::BUCKETS;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ratatui::Frame;

/// Columns before the map: a time and a line.
const MARGIN: u16 = 10;

pub fn draw(top: &Top, frame: &mut Frame, area: Rect) {
    let Some(history) = top.selected() else {
        return super::say(frame, area, "there is no device");
    };
    let columns = area.width.saturating_sub(MARGIN).into();
    // The first line names the device, the last one the scale.
    let rows = usize::from(area.height.saturating_sub(2)).max(1);
    let points: Vec<_> = history.last(columns).collect();
    let buckets = points.iter().flat_map(|point| point.times.iter());
    let used = buckets.map(|(bucket, _)| usize::from(*bucket));
    let (first, last) = used.fold((BUCKETS, 0), |(first, last), bucket| {
        (first.min(bucket), last.max(bucket))
    });
    let left = if history.is_gone { " has left" } else { "" };
    let name = format!("{}{left}: times from start to end", history.device.name);
    let mut lines = vec![Line::styled(name, top.look.heading())];
    if first > last {
        lines.push(Line::raw("nothing ended yet"));
        return frame.render_widget(Paragraph::new(lines), area);
    }
    // As few buckets to a row as fit.
    let step = (last - first + 1).div_ceil(rows);
    let counts: Vec<Vec<u64>> = points
        .iter()
        .map(|point| {
            let mut counts = vec![0u64; (last - first) / step + 1];
            for (bucket, count) in &point.times {
                let count_of_row = &mut counts[(usize::from(*bucket) - first) / step];
                *count_of_row = count_of_row.saturating_add(*count);
            }
            counts
        })
        .collect();
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    for row in (0..=(last - first) / step).rev() {
        let end = first + (row + 1) * step - 1;
        let bound = top
            .bounds()
            .get(end)
            .map_or(UpTo::Beyond, |bound| UpTo::Ns(*bound));
        let mut line = Line::raw(format!("{:>8} |", time(bound)));
        for column in &counts {
            let (character, style) = top.look.heat(logarithmic(column[row], most));
            line.push_span(Span::styled(character.to_string(), style));
        }
        lines.push(line);
    }
    let mut scale = Line::raw(format!("{:>8}  1 ", ""));
    for level in 1..=9 {
        let (character, style) = top.look.heat(f64::from(level) / 9.0);
        scale.push_span(Span::styled(character.to_string(), style));
    }
    scale.push_span(format!(" {most}"));
    lines.push(scale);
    frame.render_widget(Paragraph::new(lines), area);
}
