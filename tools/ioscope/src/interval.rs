// SPDX-License-Identifier: GPL-2.0

//! What one device did between two samples. `None` is what cannot be known.

use crate::quantile::{Bounds, Counts, UpTo};
use crate::sample::{Device, Entry, Events, Kind, Sample, CLASSES, FLUSH_NS, READ, WRITE};
use iostat_map::Snapshot;

/// One device from one sample to a later one, or from when its counting began.
pub struct Interval<'a> {
    pub device: &'a Device,
    from: Option<&'a Entry>,
    to: &'a Entry,
    events: Option<(Option<&'a Events>, &'a Events)>,
}

/// The intervals of all devices that are in `to`. One that was not in `from` began after it: its interval is
/// from its beginning on. Counters of different devices are never subtracted.
pub fn between<'a>(from: Option<&'a Sample>, to: &'a Sample) -> Vec<Interval<'a>> {
    let entries = to.entries.iter().enumerate();
    let of = |(index, entry): (usize, &'a Entry)| {
        let earlier = from.and_then(|sample| sample.find(entry.device.number, index));
        // A recording may go on after the module was loaded again, which numbers from 0.
        let earlier = earlier.filter(|earlier| earlier.device == entry.device);
        let events_before = match (earlier, from) {
            (Some(_), Some(sample)) => sample.events.as_deref().map(Some),
            _ => Some(None),
        };
        Interval {
            device: &entry.device,
            from: earlier,
            to: entry,
            events: events_before.zip(to.events.as_deref()),
        }
    };
    entries.map(of).collect()
}

impl Interval<'_> {
    /// Of the device's own clock, ns.
    pub fn ns(&self) -> u64 {
        let begin = match self.from {
            Some(entry) => entry.counters.snaptime,
            None => self.device.crtime,
        };
        self.to.counters.snaptime.saturating_sub(begin)
    }

    fn seconds(&self) -> Option<f64> {
        match self.ns() {
            0 => None,
            ns => Some(ns as f64 / 1e9),
        }
    }

    /// How it stands at the end.
    pub fn now(&self) -> &Snapshot {
        &self.to.counters
    }

    /// How much a counter grew. Sums wrap at 2^64; what seems to have gone back has not grown.
    pub fn growth(&self, counter: impl Fn(&Snapshot) -> u64) -> u64 {
        let before = self.from.map_or(0, |entry| counter(&entry.counters));
        match counter(&self.to.counters).wrapping_sub(before) {
            ahead if ahead <= u64::MAX / 2 => ahead,
            _ => 0,
        }
    }

    pub fn operations(&self, class: usize) -> u64 {
        self.growth(|s| s.operations[class])
    }

    pub fn bytes(&self, class: usize) -> u64 {
        self.growth(|s| s.bytes[class])
    }

    pub fn duration(&self, class: usize) -> u64 {
        self.growth(|s| s.duration[class])
    }

    pub fn service(&self, class: usize) -> u64 {
        self.growth(|s| s.service[class])
    }

    fn all_operations(&self) -> u64 {
        let classes = (0..4).map(|class| self.operations(class));
        classes.fold(0, u64::saturating_add)
    }

    /// Whether nothing happened.
    pub fn is_idle(&self) -> bool {
        let ends = self.growth(|s| s.start_count) | self.growth(|s| s.end_count);
        ends == 0 && self.to.counters.wcnt == 0 && self.to.counters.rcnt == 0
    }

    pub fn per_second(&self, count: u64) -> Option<f64> {
        Some(count as f64 / self.seconds()?)
    }

    /// Operations per second.
    pub fn iops(&self, class: usize) -> Option<f64> {
        self.per_second(self.operations(class))
    }

    pub fn all_iops(&self) -> Option<f64> {
        self.per_second(self.all_operations())
    }

    /// Bytes per second, in units of `unit` bytes.
    pub fn rate(&self, class: usize, unit: f64) -> Option<f64> {
        Some(self.per_second(self.bytes(class))? / unit)
    }

    /// Bytes per operation, in units of `unit` bytes.
    pub fn size(&self, class: usize, unit: f64) -> Option<f64> {
        divide(self.bytes(class), self.operations(class)).map(|bytes| bytes / unit)
    }

    /// The mean time of an operation from start to end, ms.
    pub fn mean_ms(&self, class: usize) -> Option<f64> {
        divide(self.duration(class), self.operations(class)).map(|ns| ns / 1e6)
    }

    /// Of the operations of all classes.
    pub fn all_mean_ms(&self) -> Option<f64> {
        let durations = (0..4).map(|class| self.duration(class));
        let durations = durations.fold(0, u64::saturating_add);
        divide(durations, self.all_operations()).map(|ns| ns / 1e6)
    }

    /// How long the wait queue was on average.
    pub fn waiting(&self) -> Option<f64> {
        self.share(|s| s.wlentime)
    }

    /// How long the run queue was on average.
    pub fn active(&self) -> Option<f64> {
        self.share(|s| s.rlentime)
    }

    /// The mean time in the wait queue, ms, of what left it for good.
    pub fn wait_ms(&self) -> Option<f64> {
        let ends = self.growth(|s| s.end_count);
        divide(self.growth(|s| s.wlentime), ends).map(|ns| ns / 1e6)
    }

    /// The mean time in the run queue, ms.
    pub fn service_ms(&self) -> Option<f64> {
        let ends = self.growth(|s| s.end_count);
        divide(self.growth(|s| s.rlentime), ends).map(|ns| ns / 1e6)
    }

    /// The growth of a counter of ns divided by the length of the interval: of a busy time the utilisation, from 0 to 1;
    /// of a queue's length integrated over time the mean length.
    pub fn share(&self, counter: impl Fn(&Snapshot) -> u64) -> Option<f64> {
        divide(self.growth(counter), self.ns())
    }

    /// Percent of the time that something waited.
    pub fn wait_percent(&self) -> Option<f64> {
        self.share(|s| s.wtime).map(percent)
    }

    /// Percent of the time that the device worked.
    pub fn run_percent(&self) -> Option<f64> {
        self.share(|s| s.rtime).map(percent)
    }

    /// Percent of the time that anything was in flight.
    pub fn busy_percent(&self) -> Option<f64> {
        self.share(|s| s.busy_time).map(percent)
    }

    /// The times of one class and phase in the interval; `None` if they were not read.
    pub fn times(&self, class: usize, phase: usize) -> Option<Counts> {
        let to = self.to.times[class][phase].as_deref()?;
        match self.from {
            None => Some(Counts::between(None, to)),
            Some(from) => {
                let from = from.times[class][phase].as_deref()?;
                Some(Counts::between(Some(from), to))
            }
        }
    }

    pub fn quantile(&self, class: usize, phase: usize, q: f64, bounds: &Bounds) -> Option<UpTo> {
        self.times(class, phase)?.quantile(q, bounds)
    }

    /// How often events of these names happened, as counted for the whole disk. `None` for a device that is not a disk, or if
    /// events were not read.
    pub fn events(&self, is_counted: impl Fn(&str) -> bool) -> Option<u64> {
        let (before, now) = self.events.filter(|_| self.device.kind == Kind::Disk)?;
        let sum = |events: &Events| {
            let all = events.of_group(&self.device.name);
            let counted = all.filter(|(name, _)| is_counted(name));
            counted.fold(0u64, |sum, (_, total)| sum.saturating_add(total))
        };
        Some(sum(now).saturating_sub(before.map_or(0, sum)))
    }

    /// Each event that happened, and how often.
    pub fn each_event(&self) -> Option<Vec<(String, u64)>> {
        let (_, now) = self.events.filter(|_| self.device.kind == Kind::Disk)?;
        let names = now.of_group(&self.device.name).map(|(name, _)| name);
        let count = |name: &str| self.events(|other| other == name).unwrap_or(0);
        let counted = names.map(|name| (name.to_owned(), count(name)));
        Some(counted.filter(|(_, count)| *count != 0).collect())
    }

    /// How often a bio or request of a class was merged into a request; `None` also of discards.
    pub fn merges(&self, class: usize) -> Option<u64> {
        match class {
            READ => self.events(|name| name == "read_merges"),
            WRITE => self.events(|name| name == "write_merges"),
            _ => None,
        }
    }

    /// Such merges per second.
    pub fn merge_rate(&self, class: usize) -> Option<f64> {
        self.per_second(self.merges(class)?)
    }

    /// Percent of what was to be an I/O of a class that was merged.
    pub fn merge_percent(&self, class: usize) -> Option<f64> {
        let merges = self.merges(class)?;
        let all = self.operations(class).saturating_add(merges);
        Some(divide(merges, all).map_or(0.0, percent))
    }

    /// The mean time of a flush at the disk, ms.
    pub fn flush_ms(&self) -> Option<f64> {
        let flushes = self.events(|name| name == "flushes")?;
        divide(self.events(|name| name == FLUSH_NS)?, flushes).map(|ns| ns / 1e6)
    }

    /// Completions with an error, and time-outs.
    pub fn errors(&self) -> Option<u64> {
        self.events(|name| name.starts_with("errors_") || name == "timeouts")
    }
}

/// The index of a class by its name.
pub fn class_of(name: &str) -> Option<usize> {
    CLASSES.iter().position(|class| *class == name)
}

fn divide(sum: u64, count: u64) -> Option<f64> {
    match count {
        0 => None,
        count => Some(sum as f64 / count as f64),
    }
}

fn percent(share: f64) -> f64 {
    (share * 100.0).min(100.0)
}

#[cfg(test)]
#[path = "interval/tests.rs"]
mod tests;
