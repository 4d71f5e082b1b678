// SPDX-License-Identifier: GPL-2.0

//! A recording of ioscope whose frames are whole and say anything: it is read, and shown by every layout, as JSON and
//! by `ioscope top`.

#![no_main]

use ioscope::{
    interval::between,
    json::Report,
    quantile::Bounds,
    recording::{
        reader::Reader,
        writer::Writer, //
    },
    sample::Sample,
    style::{FREEBSD, GSTAT, ILLUMOS, NETBSD, OWN, SYSSTAT},
    table::row,
    top::{
        draw::draw,
        look::{Colours, Look},
        Top,
        PAGES, //
    },
};
use iostat_fuzz::fuzz_target;
use ratatui::{backend::TestBackend, Terminal};
use std::time::Duration;

fuzz_target!(|data: &[u8]| {
    let bounds: Bounds = std::array::from_fn(|index| (index as u64 + 1) * 1000);
    let mut file = Vec::new();
    Writer::new(&mut file, &bounds).expect("memory can be written");
    for content in contents(data) {
        file.extend_from_slice(&(content.len() as u32).to_le_bytes());
        file.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
        file.extend_from_slice(content);
    }
    let mut reader = Reader::new(&file[..]).expect("it begins as a recording");
    let look = Look {
        colours: Colours::Palette,
        has_utf8: true,
    };
    let mut top = Top::new(bounds, look, Duration::from_secs(1));
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a terminal in memory");
    let mut last = None;
    while let Some(sample) = reader.sample().expect("memory can be read") {
        show(last.as_ref(), &sample, &bounds);
        top.sample(sample.clone());
        for (page, _) in PAGES {
            top.page = page;
            terminal
                .draw(|frame| draw(&top, frame))
                .expect("it is drawn");
        }
        last = Some(sample);
    }
    assert!(reader.position() <= file.len() as u64);
});

fn show(from: Option<&Sample>, to: &Sample, bounds: &Bounds) {
    for measured in &to.regions {
        for area in &measured.areas {
            let before = from.and_then(|from| from.regions.first()?.areas.first());
            before
                .map_or(area.clone(), |before| area.since(before))
                .fields(1);
        }
    }
    for kstat in &to.kstats {
        assert!(kstat.numbers().count() <= kstat.statistics.len() + 1);
    }
    for interval in &between(from, to) {
        for layout in [&OWN, &SYSSTAT, &GSTAT, &FREEBSD, &ILLUMOS, &NETBSD] {
            row(layout, 8, interval, bounds, true);
        }
        let report = Report {
            wall_ns: to.wall_ns,
            interval,
            bounds,
        };
        serde_json::to_string(&report).expect("any report is JSON");
    }
}

/// The contents of frames: each of a length of two bytes, as far as there are any.
fn contents(mut data: &[u8]) -> Vec<&[u8]> {
    let mut contents = Vec::new();
    while let [low, high, rest @ ..] = data {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (content, behind) = rest.split_at(length);
        contents.push(content);
        data = behind;
    }
    contents
}
