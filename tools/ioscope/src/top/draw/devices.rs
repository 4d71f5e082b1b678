// SPDX-License-Identifier: GPL-2.0

//! A line for each device: the columns of `ioscope show`, and how busy it was.

use super::super::history::History;
use super::super::Top;
use crate::style::{Show, OWN};
use crate::table::fitting;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Cell, Row, Table, TableState};
use ratatui::Frame;

/// Intervals of the line of how busy a device was, if there is room.
const SPARKS: u16 = 20;
const FEW_SPARKS: u16 = 8;

pub fn draw(top: &Top, frame: &mut Frame, area: Rect) {
    let shown = top.shown();
    let names = shown
        .iter()
        .map(|history| history.device.name.chars().count());
    let name = names.max().unwrap_or(0).clamp(8, 32) as u16;
    let sparks = if area.width >= 120 {
        SPARKS
    } else {
        FEW_SPARKS
    };
    let mut widths = vec![name, sparks];
    let mut left = area.width.saturating_sub(name + sparks + 1);
    // Whole columns alone: half a number is another number.
    let mut columns = Vec::new();
    for column in OWN.columns {
        if left < column.width as u16 {
            break;
        }
        left -= column.width as u16;
        columns.push(column);
    }
    widths.extend(columns.iter().map(|column| column.width as u16 - 1));
    let heading = ["device", "busy"].into_iter().map(Text::raw);
    let numbers = columns
        .iter()
        .map(|column| Text::raw(column.heading).right_aligned());
    let row = |history: &&History| {
        let cells = history.values.iter().zip(&columns).map(|(value, column)| {
            let style = match column.show {
                Show::Busy(_) => top.look.busy(history.busy),
                _ => Default::default(),
            };
            // One blank is between columns.
            let cell = fitting(*value, column.show, column.width - 1);
            Cell::new(Line::raw(cell).right_aligned()).style(style)
        });
        let first = [history.device.name.clone(), spark(top, history, sparks)];
        Row::new(first.into_iter().map(Cell::new).chain(cells))
    };
    let table = Table::new(
        shown.iter().map(row),
        widths.into_iter().map(Constraint::Length),
    )
    .header(Row::new(heading.chain(numbers)).style(top.look.heading()))
    .highlight_style(top.look.selected());
    let number = top.selected().map(|history| history.device.number);
    let at = shown
        .iter()
        .position(|history| Some(history.device.number) == number);
    frame.render_stateful_widget(table, area, &mut TableState::new().with_selected(at));
}

fn spark(top: &Top, history: &History, width: u16) -> String {
    let points = history.last(width.into());
    points
        .map(|point| top.look.bar(point.busy / 100.0))
        .collect()
}
