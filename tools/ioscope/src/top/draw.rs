// SPDX-License-Identifier: GPL-2.0

//! Draws the screen: a line above, a line below, and the page between them.

mod device;
mod devices;
mod files;
mod heat;
mod ios;

use super::{Page, Top, PAGES};
use jiff::tz::TimeZone;
use jiff::Timestamp;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};
use ratatui::Frame;

const HELP: [&str; 15] = [
    "1 to 7, Tab    the pages that the last line of the screen has",
    "up down k j    the cursor; Page, Home, End",
    "Enter          the page of the device",
    "Esc            the devices",
    "s              the next order: busy, ops, bytes, time, name",
    "a              with or without devices that did nothing",
    "p              with or without partitions",
    "t              times of the interval, or since counting began",
    "< >            half, or double the interval",
    "r              now, not at the end of the interval",
    "space          stop, and go on",
    "h ?            this",
    "q              end",
    "",
    "any key goes on",
];

pub fn draw(top: &Top, frame: &mut Frame) {
    let [above, page, below] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(heading(top), above);
    match top.page {
        Page::Devices => devices::draw(top, frame, page),
        Page::Heat => heat::draw(top, frame, page),
        Page::Device => device::draw(top, frame, page),
        Page::Files => files::draw(top, frame, page),
        Page::InFlight => ios::in_flight(top, frame, page),
        Page::Slow => ios::slow(top, frame, page),
        Page::Cgroups => ios::cgroups(top, frame, page),
    }
    frame.render_widget(keys(top), below);
    if top.has_help {
        help(top, frame, page);
    }
}

fn heading(top: &Top) -> Line<'static> {
    let (all, busy) = top.devices();
    let paused = match (top.is_at_end, top.is_paused) {
        (true, _) => ", at its end",
        (false, true) => ", stopped",
        (false, false) => "",
    };
    let seconds = top.interval.as_secs_f64();
    Line::styled(
        format!(
            "ioscope {}  every {seconds} s{paused}  {busy} of {all} devices busy  by {}",
            clock(top.wall_ns),
            top.order_name(),
        ),
        top.look.heading(),
    )
}

fn keys(top: &Top) -> Line<'static> {
    let mut line = Line::default();
    for (page, name) in PAGES {
        let is_here = page == top.page;
        let style = if is_here {
            top.look.selected()
        } else {
            Style::new()
        };
        line.push_span(Span::styled(format!(" {name} "), style));
    }
    line.push_span(" h help");
    line
}

fn help(top: &Top, frame: &mut Frame, page: Rect) {
    let width = HELP.iter().map(|line| line.len()).max().unwrap_or(0) as u16 + 4;
    let area = Rect {
        x: page.x + page.width.saturating_sub(width) / 2,
        y: page.y,
        width: width.min(page.width),
        height: (HELP.len() as u16 + 2).min(page.height),
    };
    let lines = HELP.map(Line::raw).to_vec();
    frame.render_widget(Clear, area);
    frame.render_widget(
        Paragraph::new(lines).block(
            Block::bordered()
                .border_set(top.look.border())
                .title(" keys "),
        ),
        area,
    );
}

/// The local time of day.
fn clock(wall_ns: i64) -> String {
    match Timestamp::from_nanosecond(wall_ns.into()) {
        Ok(time) => time
            .to_zoned(TimeZone::system())
            .strftime("%H:%M:%S")
            .to_string(),
        Err(_) => "-".to_owned(),
    }
}

/// What is said in place of a page.
fn say(frame: &mut Frame, area: Rect, text: &str) {
    frame.render_widget(Paragraph::new(text), area);
}

#[cfg(test)]
mod tests {
    use super::super::look::tests::PLAIN;
    use super::super::look::{Colours, Look};
    use super::*;
    use crate::inflight;
    use crate::quantile::tests::bounds;
    use crate::sample::{Device, Entry, Events, Kind, Sample, READ, SERVICE, TOTAL, WAIT};
    use crate::slow;
    use crate::trace::event::{parse, Line as Parsed};
    use iostat_map::{Histogram, Snapshot};
    use proptest::prelude::*;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent};
    use ratatui::Terminal;
    use std::rc::Rc;
    use std::time::Duration;

    const SECOND: u64 = 1_000_000_000;

    /// Of devices whose numbers are given, `count` reads of 2 ms in each second of which they worked a half.
    fn sample(numbers: &[u32], second: u64, count: u64) -> Sample {
        let entry = |number: &u32| {
            let mut times = Histogram {
                counts: [0; iostat_map::layout::BUCKETS],
                longest: 2_000_000,
                shortest_inverted: !2_000_000,
            };
            times.counts[bounds().partition_point(|bound| *bound < 2_000_000)] = count * second;
            let times = Rc::new(times);
            let mut counters = Snapshot {
                number: *number,
                snaptime: (second + 10) * SECOND,
                rtime: second * SECOND / 2,
                rlentime: second * SECOND,
                start_count: count * second,
                end_count: count * second,
                ..Snapshot::default()
            };
            counters.operations[READ] = count * second;
            counters.bytes[READ] = count * second * 4096;
            counters.duration[READ] = count * second * 2_000_000;
            let mut entry = Entry {
                device: Rc::new(Device {
                    number: *number,
                    name: format!("disk{number}"),
                    kind: Kind::Disk,
                    diskseq: 1,
                    crtime: 10 * SECOND,
                    major: 8,
                    minor: *number,
                    parent: None,
                    driver: String::new(),
                }),
                counters,
                times: Default::default(),
            };
            for phase in [WAIT, SERVICE, TOTAL] {
                entry.times[READ][phase] = Some(times.clone());
            }
            entry
        };
        let events = format!("heading\ndisk1 tag_waits {second} 0 misc\n");
        Sample {
            wall_ns: second as i64 * SECOND as i64,
            generation: 0,
            entries: numbers.iter().map(entry).collect(),
            events: Some(Rc::new(Events::parse(&events))),
            ..Sample::default()
        }
    }

    fn top(numbers: &[u32]) -> Top {
        let mut top = Top::new(bounds(), PLAIN, Duration::from_secs(1));
        for second in 1..5 {
            top.sample(sample(numbers, second, 100));
        }
        top
    }

    fn press(top: &mut Top, keys: &str) {
        for key in keys.chars() {
            top.key(KeyEvent::from(KeyCode::Char(key)));
        }
    }

    fn screen(top: &Top, width: u16, height: u16) -> Vec<String> {
        let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height)) else {
            panic!("a terminal in memory");
        };
        if let Err(error) = terminal.draw(|frame| draw(top, frame)) {
            panic!("{error}");
        }
        let buffer = terminal.backend().buffer();
        let row = |y| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
        };
        (0..height).map(|y| row(y).trim_end().to_owned()).collect()
    }

    #[test]
    fn devices_have_the_columns_of_show() {
        let top = top(&[1, 2]);
        let lines = screen(&top, 160, 10);
        assert!(lines[0].contains("2 of 2 devices busy"), "{}", lines[0]);
        assert!(lines[1].starts_with("device"), "{}", lines[1]);
        let words: Vec<_> = lines[2].split_whitespace().collect();
        assert_eq!(words[..2], ["disk1", "+++"], "{}", lines[2]);
        assert_eq!(words[2..4], ["100.0", "0.0"], "{}", lines[2]);
        // Reads, up to the bound of their bucket, us.
        assert!(words.contains(&"2323"), "{}", lines[2]);
        assert!(
            lines[1].contains("%b") && words.contains(&"50"),
            "{}",
            lines[2]
        );
        assert_eq!(
            lines[9],
            " 1 devices  2 heat  3 device  4 files  5 in flight  6 slow  7 cgroups  h help"
        );
        // What has no room is left out, whole columns at a time.
        let narrow = screen(&top, 30, 5);
        assert!(narrow[1].starts_with("device"), "{}", narrow[1]);
        assert!(!narrow[1].contains("rMB"), "{}", narrow[1]);
    }

    #[test]
    fn large_numbers_are_shown_whole() {
        let mut top = top(&[1]);
        for (second, count) in [(5, 100), (6, 2_000_000)] {
            top.sample(sample(&[1], second, count));
        }
        // In the last second there were 6 * 2,000,000 - 5 * 100 reads.
        let lines = screen(&top, 160, 10);
        let words: Vec<_> = lines[2].split_whitespace().collect();
        assert_eq!(words[2..5], ["12.00M", "0.0", "49150.0"], "{}", lines[2]);
        press(&mut top, "3");
        let lines = screen(&top, 160, 10);
        let numbers = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (headings, cells) = (numbers(&lines[2]), numbers(&lines[3]));
        assert_eq!(headings[..3], ["r/s", "w/s", "rMB/s"], "{lines:#?}");
        assert_eq!(cells[..3], ["11999500.0", "0.0", "49149.95"], "{lines:#?}");
        assert_eq!(headings.len(), cells.len(), "{lines:#?}");
    }

    #[test]
    fn the_cursor_keeps_its_device() {
        let mut top = top(&[1, 2, 3]);
        press(&mut top, "j");
        assert_eq!(top.selected().map(|history| history.device.number), Some(2));
        top.sample(sample(&[2, 3], 5, 100));
        assert_eq!(top.selected().map(|history| history.device.number), Some(2));
        press(&mut top, "jjj");
        assert_eq!(top.selected().map(|history| history.device.number), Some(3));
        // It leaves while it is looked at: it stays on its page, and is in no list.
        press(&mut top, "3");
        top.sample(sample(&[2], 6, 100));
        let lines = screen(&top, 100, 20);
        assert!(
            lines[1].contains("disk3") && lines[1].contains("has left"),
            "{}",
            lines[1]
        );
        press(&mut top, "1");
        let lines = screen(&top, 100, 20);
        assert!(
            lines.iter().all(|line| !line.contains("disk3")),
            "{lines:?}"
        );
        top.sample(sample(&[2], 7, 100));
        assert_eq!(top.selected().map(|history| history.device.number), Some(2));
    }

    #[test]
    fn heat_is_a_column_for_each_interval() {
        let mut top = top(&[1]);
        press(&mut top, "2");
        let lines = screen(&top, 60, 12);
        let row = lines.iter().find(|line| line.contains("@@@"));
        assert!(
            row.is_some_and(|row| row.starts_with("   2.3ms")),
            "{lines:#?}"
        );
        assert_eq!(lines.concat().matches('@').count(), 4, "{lines:#?}");
    }

    #[test]
    fn the_page_of_a_device_has_its_queues_times_and_events() {
        let mut top = top(&[1]);
        press(&mut top, "3");
        let text = screen(&top, 120, 40).join("\n");
        for part in [
            "run queue",
            "wait queue",
            "tag_waits",
            "3.3ms : 100 |*",
            "- events -",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // Since counting began there are more.
        press(&mut top, "t");
        let text = screen(&top, 120, 40).join("\n");
        assert!(text.contains("3.3ms : 400 |*"), "{text}");
    }

    #[test]
    fn files_are_those_of_the_events() {
        let mut top = top(&[1]);
        press(&mut top, "4");
        let line = "a-1 [000] ..... 1.000001: start: id=1 dev=disk1 8:1 flags=B_PHYS|B_READ blkno=1 bcount=8192 pid=2 \
                    tgid=1 uid=0 comm=reader offset=0 fs=ext4 mount=/ path=/a/file";
        let Parsed::Event(event) = parse(line) else {
            panic!("{line}");
        };
        top.event(&event);
        top.sample(sample(&[1], 6, 100));
        let text = screen(&top, 100, 20).join("\n");
        assert!(
            text.contains("/a/file") && text.contains("reader"),
            "{text}"
        );
        top.no_events = Some("become root".to_owned());
        let text = screen(&top, 100, 20).join("\n");
        assert!(text.contains("become root"), "{text}");
    }

    #[test]
    fn single_ios_are_those_of_the_devices() {
        let mut top = top(&[1]);
        press(&mut top, "5");
        let text = screen(&top, 120, 20).join("\n");
        assert!(text.contains("not known"), "{text}");
        let text = "device number phase age_ns service_ns op\n\
                    disk1 1 running 700000 300 read\n\
                    disk2 2 waiting 900000 0 write\n";
        let flights = inflight::parse(text).unwrap_or_default();
        let text = "device number end_ns wait_ns service_ns error wcnt rcnt op\n\
                    disk1 1 9000 100000 800000000 5 1 2 write\n\
                    disk1 1 8000 100000 600000000 0 1 2 discard\n";
        let mut ios = slow::parse(text).unwrap_or_default();
        slow::date(&mut ios, 9000, 0);
        let ring = |disk| {
            Rc::new(slow::Ring {
                disk,
                ios: ios.clone(),
            })
        };
        top.sample(Sample {
            in_flight: Some(inflight::InFlight::new(flights, 64)),
            slow: Some(vec![ring(1)]),
            ..sample(&[1], 6, 100)
        });
        // One of a device that is not shown is left out.
        let lines = screen(&top, 120, 20);
        assert!(
            lines[1].starts_with("device") && lines[2].contains("0.700"),
            "{lines:#?}"
        );
        assert_eq!(lines[3], "");
        press(&mut top, "6");
        let lines = screen(&top, 120, 20);
        assert!(lines[1].starts_with("time"), "{lines:#?}");
        // The newest first.
        assert!(
            lines[2].contains("1970-01-01T00:00:00.000Z disk1"),
            "{lines:#?}"
        );
        assert!(
            lines[2].contains("write") && lines[3].contains("discard"),
            "{lines:#?}"
        );
    }

    #[test]
    fn slow_ios_are_those_of_the_devices_that_are_named() {
        let text = "device number end_ns wait_ns service_ns error wcnt rcnt op\n\
                    disk1 1 9000 0 800000000 0 1 2 write\n\
                    disk2 2 8000 0 600000000 0 1 2 read\n\
                    disk3 3 7000 0 700000000 0 1 2 discard\n";
        let ios = slow::parse(text).unwrap_or_default();
        let ring = |disk, ios: &[slow::SlowIo]| {
            let ios = ios.to_vec();
            Rc::new(slow::Ring { disk, ios })
        };
        // The third device is a partition of the second.
        let rings = vec![ring(1, &ios[..1]), ring(2, &ios[1..])];
        for (named, shown) in [
            (vec![1, 2], vec!["disk1", "disk2", "disk3"]),
            (vec![2], vec!["disk2", "disk3"]),
            (vec![3], vec!["disk3"]),
        ] {
            let mut top = Top::new(bounds(), PLAIN, Duration::from_secs(1));
            top.sample(Sample {
                slow: Some(rings.clone()),
                ..sample(&named, 1, 100)
            });
            press(&mut top, "6");
            let lines = screen(&top, 120, 20);
            let names = lines[2..19]
                .iter()
                .filter_map(|line| line.split(' ').nth(1));
            let mut names: Vec<_> = names.collect();
            names.sort_unstable();
            assert_eq!(names, shown, "{lines:#?}");
        }
    }

    #[test]
    fn what_did_nothing_can_be_left_out() {
        let mut top = top(&[1, 2]);
        top.sample(sample(&[1, 2], 4, 100));
        press(&mut top, "a");
        let text = screen(&top, 100, 20).join("\n");
        assert!(!text.contains("disk1"), "{text}");
        assert!(text.contains("0 of 2 devices busy"), "{text}");
    }

    proptest! {
        /// No size of the terminal and no sequence of keys and devices is too strange.
        #[test]
        fn everything_can_be_drawn(
            steps in prop::collection::vec(("[123456jks<>atph \t?r]{0,3}", prop::collection::vec(0u32..6, 0..6), 0u64..1_000_000), 1..6),
            width in 0u16..200,
            height in 0u16..60,
            has_palette: bool,
            has_utf8: bool,
        ) {
            let colours = if has_palette { Colours::Palette } else { Colours::Eight };
            let mut top = Top::new(bounds(), Look { colours, has_utf8 }, Duration::from_secs(1));
            for (second, (keys, mut numbers, count)) in steps.into_iter().enumerate() {
                numbers.sort_unstable();
                numbers.dedup();
                top.sample(sample(&numbers, second as u64, count));
                press(&mut top, &keys);
                screen(&top, width, height);
            }
        }
    }
}
