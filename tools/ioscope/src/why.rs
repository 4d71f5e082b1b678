// SPDX-License-Identifier: GPL-2.0

//! `ioscope why`: where the time of a device's I/Os goes, in sentences with the numbers that they rest on.
//!
//! A rule (`why/rules.rs`) looks at what is known of one device in one interval, and has a finding or none. It has none
//! if what it needs is not known.

pub mod queue;
pub mod rules;
pub mod traced;

use crate::cgroup::Account;
use crate::interval::Interval;
use crate::json::Count;
use crate::quantile::{Bounds, Counts};
use crate::sample::SERVICE;
use queue::Queue;
use serde::Serialize;
use std::collections::BTreeMap;
use traced::Traced;

/// What is known of one device in one interval.
pub struct Facts<'a> {
    pub interval: &'a Interval<'a>,
    /// The time from when its counting began to the interval, if it was there before.
    pub before: Option<&'a Interval<'a>>,
    /// The disks that it is made of, of those that have statistics.
    pub below: Vec<&'a Interval<'a>>,
    /// Its settings. Not known of a recording.
    pub queue: Option<Queue>,
    /// Who issued its I/Os. Not known of a recording, or without the right to read events.
    pub traced: Option<&'a Traced>,
    /// What each cgroup did on it, by name. Nothing while there are no accounts.
    pub cgroups: Vec<(String, Account)>,
    pub bounds: &'a Bounds,
}

/// What a rule found.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The name of the rule, which does not change.
    pub rule: &'static str,
    /// A sentence for people.
    pub text: String,
    /// The numbers in it.
    pub values: BTreeMap<&'static str, Count>,
}

impl Finding {
    pub fn new<const N: usize>(
        rule: &'static str,
        text: String,
        values: [(&'static str, u64); N],
    ) -> Self {
        Finding {
            rule,
            text,
            values: values.map(|(name, value)| (name, Count(value))).into(),
        }
    }
}

impl Facts<'_> {
    /// How many I/Os ended.
    pub fn ended(&self) -> u64 {
        self.interval.growth(|s| s.end_count)
    }

    /// The time of all I/Os in the wait queue, ns.
    pub fn wait_ns(&self) -> u64 {
        self.interval.growth(|s| s.wlentime)
    }

    /// And in the run queue, ns.
    pub fn service_ns(&self) -> u64 {
        self.interval.growth(|s| s.rlentime)
    }

    /// The mean of `ns` for each I/O that ended.
    pub fn each(&self, ns: u64) -> u64 {
        ns / self.ended().max(1)
    }

    /// How often an event of the whole disk happened; 0 if that is not known.
    pub fn event(&self, name: &str) -> u64 {
        self.interval.events(|other| other == name).unwrap_or(0)
    }

    /// How many I/Os were in flight on average.
    pub fn in_flight(&self) -> f64 {
        (self.wait_ns() as f64 + self.service_ns() as f64) / self.interval.ns().max(1) as f64
    }

    /// The service times of a class in the interval, and before it.
    pub fn service_times(&self, class: usize) -> Option<(Counts, Counts)> {
        let now = self.interval.times(class, SERVICE)?;
        Some((now, self.before?.times(class, SERVICE)?))
    }

    /// How long an I/O took, and where: the first line of a device.
    pub fn summary(&self) -> String {
        let (name, seconds) = (&self.interval.device.name, seconds(self.interval.ns()));
        let ended = self.ended();
        if ended == 0 {
            return match self.interval.is_idle() {
                true => format!("{name}: no I/O in {seconds}."),
                false => format!("{name}: no I/O ended in {seconds}."),
            };
        }
        let (wait_ns, service_ns) = (self.wait_ns(), self.service_ns());
        let total_ns = wait_ns.saturating_add(service_ns);
        format!(
            "{name}: {ended} I/Os ended in {seconds}. An I/O took {}: {} in the queue ({} %), {} at the device ({} %).",
            time(self.each(total_ns)),
            time(self.each(wait_ns)),
            percent(wait_ns, total_ns),
            time(self.each(service_ns)),
            percent(service_ns, total_ns),
        )
    }
}

/// All that the rules find, the most certain first. Who does it is said only of what was found.
pub fn findings(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = rules::ALL.iter().filter_map(|rule| rule(facts)).collect();
    if !found.is_empty() {
        found.extend(rules::WHO.iter().filter_map(|rule| rule(facts)));
    }
    found
}

/// A time in three digits.
pub fn time(ns: u64) -> String {
    let (value, unit) = match ns {
        0..1_000 => return format!("{ns} ns"),
        1_000..1_000_000 => (ns as f64 / 1e3, "us"),
        1_000_000..1_000_000_000 => (ns as f64 / 1e6, "ms"),
        _ => (ns as f64 / 1e9, "s"),
    };
    let digits = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// The length of an interval.
fn seconds(ns: u64) -> String {
    format!("{:.3} s", ns as f64 / 1e9)
}

/// Which part of `all` that is, rounded; 0 of nothing.
pub fn percent(part: u64, all: u64) -> u64 {
    match all {
        0 => 0,
        all => (u128::from(part) * 100 + u128::from(all / 2))
            .div_euclid(u128::from(all))
            .min(100) as u64,
    }
}

/// A number of bytes.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        _ => format!("{:.1} KiB", bytes as f64 / 1024.0),
    }
}

#[cfg(test)]
#[path = "why/tests.rs"]
mod tests;
