// SPDX-License-Identifier: GPL-2.0

//! What a device did in the last intervals.

use crate::interval::Interval;
use crate::quantile::{Bounds, Counts};
use crate::sample::{Device, PHASES, TOTAL};
use crate::style::OWN;
use std::collections::VecDeque;
use std::rc::Rc;

/// How many intervals are kept: more than a terminal is wide.
const KEPT: usize = 400;

/// One interval.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Percent of the time that the device worked.
    pub busy: f64,
    /// Operations per second.
    pub iops: f64,
    /// How many operations took how long: the buckets that are not empty.
    pub times: Box<[(u8, u64)]>,
}

/// A queue at the end of the last interval and in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Queue {
    pub now: u64,
    pub mean: Option<f64>,
    pub busy_percent: Option<f64>,
}

#[derive(Clone, Debug)]
pub struct History {
    pub device: Rc<Device>,
    /// The device has left.
    pub is_gone: bool,
    pub is_idle: bool,
    /// Of the columns of `ioscope show`.
    pub values: Vec<Option<f64>>,
    pub points: VecDeque<Point>,
    /// By phase, of all classes: in the last interval, and since counting began.
    pub recent: [Counts; 3],
    pub all: [Counts; 3],
    pub wait: Queue,
    pub run: Queue,
    /// What happened in the last interval.
    pub events: Vec<(String, u64)>,
    pub busy: f64,
    pub iops: f64,
    pub bytes: f64,
    pub mean_ms: f64,
}

impl History {
    pub fn new(device: Rc<Device>) -> Self {
        History {
            device,
            is_gone: false,
            is_idle: true,
            values: Vec::new(),
            points: VecDeque::new(),
            recent: Default::default(),
            all: Default::default(),
            wait: Queue::default(),
            run: Queue::default(),
            events: Vec::new(),
            busy: 0.0,
            iops: 0.0,
            bytes: 0.0,
            mean_ms: 0.0,
        }
    }

    /// `whole` is the interval since counting began. The first interval is that, and no point of the past.
    pub fn add(&mut self, interval: &Interval, whole: &Interval, bounds: &Bounds, is_first: bool) {
        self.is_idle = interval.is_idle();
        let columns = OWN.columns.iter();
        self.values = columns.map(|c| (c.value)(interval, bounds)).collect();
        self.recent = std::array::from_fn(|phase| of_classes(interval, phase));
        self.all = std::array::from_fn(|phase| of_classes(whole, phase));
        let now = interval.now();
        self.wait = Queue {
            now: now.wcnt,
            mean: interval.waiting(),
            busy_percent: interval.wait_percent(),
        };
        self.run = Queue {
            now: now.rcnt,
            mean: interval.active(),
            busy_percent: interval.run_percent(),
        };
        self.events = interval.each_event().unwrap_or_default();
        self.busy = interval.run_percent().unwrap_or(0.0);
        self.iops = interval.all_iops().unwrap_or(0.0);
        let bytes = (0..4).filter_map(|class| interval.rate(class, 1.0));
        self.bytes = bytes.sum();
        self.mean_ms = interval.all_mean_ms().unwrap_or(0.0);
        if is_first {
            return;
        }
        if self.points.len() == KEPT {
            self.points.pop_front();
        }
        let buckets = self.recent[TOTAL].buckets.iter().enumerate();
        let times = buckets.filter(|(_, count)| **count != 0);
        self.points.push_back(Point {
            busy: self.busy,
            iops: self.iops,
            // There are fewer than 256 buckets.
            times: times.map(|(index, count)| (index as u8, *count)).collect(),
        });
    }

    /// The last points, at most so many.
    pub fn last(&self, count: usize) -> impl DoubleEndedIterator<Item = &Point> {
        self.points
            .iter()
            .skip(self.points.len().saturating_sub(count))
    }
}

const _: () = assert!(PHASES.len() == 3 && iostat_map::layout::BUCKETS <= 256);

fn of_classes(interval: &Interval, phase: usize) -> Counts {
    let mut sum = Counts::default();
    for class in 0..4 {
        if let Some(counts) = interval.times(class, phase) {
            sum.add(&counts);
        }
    }
    sum
}
