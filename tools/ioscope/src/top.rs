// SPDX-License-Identifier: GPL-2.0

//! The state of `ioscope top`: what is shown, and what keys change. Nothing here knows a terminal.

pub mod draw;
pub mod history;
pub mod look;

use crate::cgroup::Cgroups;
use crate::cli::top::Order;
use crate::interval::between;
use crate::quantile::Bounds;
use crate::sample::Sample;
use crate::trace::event::Event;
use crate::trace::sums::{self, Sum, Sums};
use history::History;
use look::Look;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::rc::Rc;
use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(125);
const LONGEST: Duration = Duration::from_secs(3600);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// A line for each device.
    Devices,
    /// The times of a device's operations, by interval.
    Heat,
    /// Everything of one device.
    Device,
    /// Bytes and times by file and by process.
    Files,
    /// The I/Os in flight, the oldest first.
    InFlight,
    /// Slow I/Os, the newest first.
    Slow,
    /// Accounts by cgroup, the busiest first.
    Cgroups,
}

pub const PAGES: [(Page, &str); 7] = [
    (Page::Devices, "1 devices"),
    (Page::Heat, "2 heat"),
    (Page::Device, "3 device"),
    (Page::Files, "4 files"),
    (Page::InFlight, "5 in flight"),
    (Page::Slow, "6 slow"),
    (Page::Cgroups, "7 cgroups"),
];

const ORDERS: [(Order, &str); 5] = [
    (Order::Busy, "busy"),
    (Order::Ops, "ops"),
    (Order::Bytes, "bytes"),
    (Order::Time, "time"),
    (Order::Name, "name"),
];

/// What a key asks of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To draw.
    Draw,
    /// A sample now.
    Sample,
    /// To read partitions too, or no longer.
    Partitions,
    Quit,
}

/// Sums of an interval of events.
#[derive(Default)]
pub struct Totals {
    pub files: Vec<(String, Sum)>,
    pub processes: Vec<(String, Sum)>,
}

pub struct Top {
    bounds: Bounds,
    pub look: Look,
    pub page: Page,
    pub order: Order,
    pub is_idle_hidden: bool,
    pub has_partitions: bool,
    pub is_paused: bool,
    /// There are no more samples.
    pub is_at_end: bool,
    pub has_help: bool,
    /// Of the pages of a device and of cgroups: what there was since counting began, in place of that of the interval.
    pub has_all_times: bool,
    pub interval: Duration,
    /// When the last sample was, ns since 1970.
    pub wall_ns: i64,
    histories: Vec<History>,
    last: Option<Sample>,
    /// Of the one before: of none before the first.
    cgroups_before: Option<Rc<Cgroups>>,
    /// The number of a device.
    selected: Option<u32>,
    by_file: Sums,
    by_process: Sums,
    pub totals: Totals,
    /// How many events were lost.
    pub lost: u64,
    /// Why there are no events.
    pub no_events: Option<String>,
}

impl Top {
    pub fn new(bounds: Bounds, look: Look, interval: Duration) -> Self {
        Top {
            bounds,
            look,
            page: Page::Devices,
            order: Order::default(),
            is_idle_hidden: false,
            has_partitions: false,
            is_paused: false,
            is_at_end: false,
            has_help: false,
            has_all_times: false,
            interval,
            wall_ns: 0,
            histories: Vec::new(),
            last: None,
            cgroups_before: None,
            selected: None,
            by_file: Sums::new(vec![sums::device, sums::file]),
            by_process: Sums::new(vec![sums::process, sums::comm]),
            totals: Totals::default(),
            lost: 0,
            no_events: None,
        }
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The accounts by cgroup when the interval began; `None` of the time since they were switched on.
    pub fn cgroups_before(&self) -> Option<&Cgroups> {
        match self.has_all_times {
            true => None,
            false => self.cgroups_before.as_deref(),
        }
    }

    /// The last sample.
    pub fn last(&self) -> Option<&Sample> {
        self.last.as_ref()
    }

    /// The interval from the last sample to this one ended.
    pub fn sample(&mut self, sample: Sample) {
        let mut old = std::mem::take(&mut self.histories);
        {
            let intervals = between(self.last.as_ref(), &sample);
            let whole = between(None, &sample);
            for ((interval, whole), entry) in intervals.iter().zip(&whole).zip(&sample.entries) {
                let known = old
                    .iter()
                    .position(|history| history.device == entry.device);
                let mut history = match known {
                    Some(at) => old.swap_remove(at),
                    None => History::new(entry.device.clone()),
                };
                history.add(interval, whole, &self.bounds, self.last.is_none());
                self.histories.push(history);
            }
        }
        // A device that has left stays on its own page, with its last values.
        let is_looked_at = matches!(self.page, Page::Device | Page::Heat);
        for mut history in old {
            if is_looked_at && self.selected == Some(history.device.number) {
                history.is_gone = true;
                self.histories.push(history);
            }
        }
        self.wall_ns = sample.wall_ns;
        self.cgroups_before = self.last.take().and_then(|last| last.cgroups);
        self.last = Some(sample);
        self.totals = Totals {
            files: self.by_file.take(Sum::bytes),
            processes: self.by_process.take(Sum::bytes),
        };
    }

    pub fn event(&mut self, event: &Event) {
        self.by_file.add(event);
        self.by_process.add(event);
    }

    /// How many devices there are, and how many did something.
    pub fn devices(&self) -> (usize, usize) {
        let there = self.histories.iter().filter(|history| !history.is_gone);
        let (mut all, mut busy) = (0, 0);
        for history in there {
            all += 1;
            busy += usize::from(!history.is_idle);
        }
        (all, busy)
    }

    /// The devices of the list, in its order.
    pub fn shown(&self) -> Vec<&History> {
        let is_shown = |history: &&History| {
            let is_hidden = self.is_idle_hidden && history.is_idle;
            !history.is_gone && !is_hidden
        };
        let mut shown: Vec<_> = self.histories.iter().filter(is_shown).collect();
        let key = |history: &History| match self.order {
            Order::Busy => history.busy,
            Order::Ops => history.iops,
            Order::Bytes => history.bytes,
            Order::Time => history.mean_ms,
            Order::Name => 0.0,
        };
        shown.sort_by(|one, other| {
            let by_key = key(other).total_cmp(&key(one));
            by_key.then_with(|| one.device.name.cmp(&other.device.name))
        });
        shown
    }

    /// The device that the cursor is on: the first of the list if it was not moved, or if its device has left.
    pub fn selected(&self) -> Option<&History> {
        let mut all = self.histories.iter();
        let number = self.selected;
        let chosen = all.find(|history| Some(history.device.number) == number);
        chosen.or_else(|| self.shown().into_iter().next())
    }

    pub fn order_name(&self) -> &'static str {
        let order = ORDERS.iter().find(|(order, _)| *order == self.order);
        order.map_or("", |(_, name)| name)
    }

    pub fn key(&mut self, key: KeyEvent) -> Action {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.has_help && key.code != KeyCode::Char('q') {
            self.has_help = false;
            return Action::Draw;
        }
        match key.code {
            KeyCode::Char('c') if is_control => return Action::Quit,
            KeyCode::Char('q') => return Action::Quit,
            KeyCode::Char('h' | '?') => self.has_help = true,
            KeyCode::Char('1') => self.page = Page::Devices,
            KeyCode::Char('2') => self.go(Page::Heat),
            KeyCode::Char('3') | KeyCode::Enter => self.go(Page::Device),
            KeyCode::Char('4') => self.page = Page::Files,
            KeyCode::Char('5') => self.page = Page::InFlight,
            KeyCode::Char('6') => self.page = Page::Slow,
            KeyCode::Char('7') => self.page = Page::Cgroups,
            KeyCode::Tab => {
                let now = PAGES.iter().position(|(page, _)| *page == self.page);
                self.go(PAGES[now.map_or(0, |now| (now + 1) % PAGES.len())].0);
            }
            KeyCode::Esc | KeyCode::Backspace => self.page = Page::Devices,
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::PageUp => self.step(-10),
            KeyCode::PageDown => self.step(10),
            KeyCode::Home => self.step(isize::MIN),
            KeyCode::End => self.step(isize::MAX),
            KeyCode::Char('s' | 'o') => {
                let now = ORDERS.iter().position(|(order, _)| *order == self.order);
                self.order = ORDERS[now.map_or(0, |now| (now + 1) % ORDERS.len())].0;
            }
            KeyCode::Char('a' | 'z') => self.is_idle_hidden = !self.is_idle_hidden,
            KeyCode::Char('t') => self.has_all_times = !self.has_all_times,
            KeyCode::Char('<') => self.interval = (self.interval / 2).max(SHORTEST),
            KeyCode::Char('>') => self.interval = (self.interval * 2).min(LONGEST),
            KeyCode::Char(' ') => self.is_paused = !self.is_paused,
            KeyCode::Char('r') => return Action::Sample,
            KeyCode::Char('p') => {
                self.has_partitions = !self.has_partitions;
                return Action::Partitions;
            }
            _ => {}
        }
        Action::Draw
    }

    /// To a page of one device, which stays the same one from now on.
    fn go(&mut self, page: Page) {
        if matches!(page, Page::Heat | Page::Device) {
            self.selected = self.selected().map(|history| history.device.number);
        }
        self.page = page;
    }

    /// Moves the cursor.
    fn step(&mut self, by: isize) {
        let number = self.selected().map(|history| history.device.number);
        let shown = self.shown();
        let at = shown
            .iter()
            .position(|history| Some(history.device.number) == number);
        let last = shown.len().saturating_sub(1);
        let next = at.map_or(0, |at| at.saturating_add_signed(by).min(last));
        self.selected = shown.get(next).map(|history| history.device.number);
    }
}
