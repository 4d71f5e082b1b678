// SPDX-License-Identifier: GPL-2.0

//! Where samples come from.

use crate::names::Selection;
use crate::quantile::Bounds;
use crate::sample::Sample;
use anyhow::Result;
use std::time::Duration;

/// Of each device so many I/Os in flight, the oldest, are shown and recorded.
pub const MOST_IN_FLIGHT: usize = 64;

/// What a sample has to have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Want {
    /// Times, by class and phase.
    pub times: [[bool; 3]; 4],
    pub events: bool,
    /// Of the selected devices.
    pub regions: bool,
    pub kstats: bool,
    /// The ages of the oldest I/Os in flight.
    pub oldest: bool,
    /// What is in flight, with so many I/Os of each device.
    pub in_flight: Option<usize>,
    /// The slow I/Os of each disk; for that it takes the events.
    pub slow: bool,
    /// The time from which on an I/O is slow.
    pub slow_threshold: bool,
    /// Accounts by cgroup, if there are any.
    pub cgroups: bool,
    /// Histograms of sizes.
    pub sizes: bool,
}

impl Want {
    /// Times and events.
    pub fn of_devices() -> Self {
        Want {
            times: [[true; 3]; 4],
            events: true,
            ..Want::default()
        }
    }

    pub fn everything() -> Self {
        Want {
            regions: true,
            kstats: true,
            in_flight: Some(MOST_IN_FLIGHT),
            slow: true,
            cgroups: true,
            sizes: true,
            ..Want::of_devices()
        }
    }
}

/// The module, or a file.
pub trait Source {
    /// The bounds of all histograms.
    fn bounds(&self) -> &Bounds;

    /// Whether all of it is past.
    fn is_recorded(&self) -> bool {
        false
    }

    /// The first sample. Intervals are counted from here.
    fn first(&mut self, interval: Option<Duration>) -> Result<Sample>;

    /// The sample at the end of the next interval. `None` at the end of a file, or when the user ends it.
    fn next(&mut self) -> Result<Option<Sample>>;

    /// A sample at once: of a recording the next one, or `None` at its end.
    fn now(&mut self) -> Result<Option<Sample>>;

    /// The devices there are, to find one by a name.
    fn selection(&mut self, words: &[String], partitions: bool) -> Result<Selection>;

    /// From here on samples have the devices of `selection`, and what `want` says.
    fn choose(&mut self, selection: Selection, want: Want);
}
