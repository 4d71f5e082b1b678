// SPDX-License-Identifier: GPL-2.0

//! Single I/Os of all devices that are shown, those in flight and slow ones; and accounts by cgroup.

use super::super::Top;
use crate::commands::cgroups::Rows;
use crate::commands::{inflight, slow};
use crate::slow::{Log, SlowIo};
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Paragraph;
use ratatui::Frame;

const NOT_KNOWN: &str =
    "it is not known: it was not recorded, or /dev/iostat may not be written by this user";

/// The oldest first.
pub fn in_flight(top: &Top, frame: &mut Frame, area: Rect) {
    let Some((sample, all)) = top
        .last()
        .and_then(|sample| Some((sample, sample.in_flight.as_ref()?)))
    else {
        return super::say(frame, area, NOT_KNOWN);
    };
    let is_shown = |flight: &&crate::inflight::Flight| {
        let mut devices = sample.entries.iter();
        devices.any(|entry| flight.is_of(entry.device.number))
    };
    let lines = all.oldest.iter().filter(is_shown).map(inflight::line);
    table(top, frame, area, inflight::heading(), lines);
}

/// The newest first.
pub fn slow(top: &Top, frame: &mut Frame, area: Rect) {
    let Some((sample, rings)) = top
        .last()
        .and_then(|sample| Some((sample, sample.slow.as_ref()?)))
    else {
        return super::say(frame, area, NOT_KNOWN);
    };
    // As those in flight: of a disk those of its partitions too.
    let is_shown = |(disk, io): &&(u32, SlowIo)| {
        let mut numbers = sample.entries.iter().map(|entry| entry.device.number);
        numbers.any(|number| number == *disk || number == io.number)
    };
    let all = Log::default().add(rings);
    let shown = all.iter().rev().filter(is_shown);
    let lines = shown.map(|(_, io)| slow::line(io));
    table(top, frame, area, slow::heading(), lines);
}

/// The busiest first.
pub fn cgroups(top: &Top, frame: &mut Frame, area: Rect) {
    const OFF: &str = "accounts by cgroup are off, or were not recorded: ioscope cgroups --on";
    let rows = Rows {
        has_other: true,
        summary: false,
        bounds: *top.bounds(),
    };
    let sample = top.last();
    let Some(found) = sample.and_then(|sample| rows.lines(top.cgroups_before(), sample)) else {
        return super::say(frame, area, OFF);
    };
    let longest = rows.longest(&found);
    let lines = found.iter().map(|line| rows.line(line, longest));
    table(top, frame, area, rows.heading(longest), lines);
}

fn table(
    top: &Top,
    frame: &mut Frame,
    area: Rect,
    heading: String,
    lines: impl Iterator<Item = String>,
) {
    let heading = Line::styled(heading, top.look.heading());
    // Lines below the bottom of the page are not needed.
    let lines = lines.take(area.height.into()).map(Line::raw);
    let text = Text::from_iter(std::iter::once(heading).chain(lines));
    frame.render_widget(Paragraph::new(text), area);
}
