// SPDX-License-Identifier: GPL-2.0

//! Bytes and times of the interval by file, and by process.

use super::super::Top;
use crate::commands::files::{line, HEADING};
use crate::trace::sums::{parts, Sum};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::Paragraph;
use ratatui::Frame;

pub fn draw(top: &Top, frame: &mut Frame, area: Rect) {
    if let Some(reason) = &top.no_events {
        return super::say(frame, area, reason);
    }
    let [files, processes] = Layout::vertical([Constraint::Fill(1); 2]).areas(area);
    table(top, frame, files, "DISK     FILE", &top.totals.files);
    table(
        top,
        frame,
        processes,
        "PID      COMM",
        &top.totals.processes,
    );
    if top.lost != 0 {
        let text = format!("{} events were lost", top.lost);
        let last = Rect {
            y: area.bottom().saturating_sub(1),
            height: area.height.min(1),
            ..area
        };
        super::say(frame, last, &text);
    }
}

fn table(top: &Top, frame: &mut Frame, area: Rect, keys: &str, sums: &[(String, Sum)]) {
    let heading = Line::styled(format!("{HEADING} {keys}"), top.look.heading());
    // Lines below the bottom of the page are not needed.
    let sums = sums.iter().take(area.height.into());
    let lines = sums.map(|(key, sum)| {
        let mut keys = parts(key);
        let (first, second) = (keys.next().unwrap_or(""), keys.next().unwrap_or(""));
        Line::raw(format!("{} {first:<8} {second}", line(sum)))
    });
    let text = Text::from_iter(std::iter::once(heading).chain(lines));
    frame.render_widget(Paragraph::new(text), area);
}
