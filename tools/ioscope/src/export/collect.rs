// SPDX-License-Identifier: GPL-2.0

//! Takes samples of the module for export.

use super::cgroups::{self, OfCgroup};
use super::{buckets, Options};
use crate::cli::export::Buckets;
use crate::live::{open, Last, Reader};
use crate::names::Selection;
use crate::quantile::Bounds;
use crate::sample::{Entry, Sample};
use crate::source::Want;
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Requests that come so soon after a sample was taken get the same sample.
pub const SHARED: Duration = Duration::from_millis(100);

/// Regions with more areas are not exported.
const MOST_AREAS: u64 = 1024;

/// What the module has counted at one moment.
pub struct Scrape {
    pub sample: Sample,
    pub bounds: Bounds,
    /// What the entries of the sample are called: each otherwise.
    pub names: Vec<String>,
    /// When the counting of each began, ns since 1970.
    pub created_ns: Vec<i64>,
    /// Accounts by cgroup, if they were asked for and there are any.
    pub cgroups: Vec<OfCgroup>,
    /// How long it took, ns.
    pub took_ns: u64,
}

/// Opens the module's file for each sample anew: the module can be unloaded between two.
pub struct Collector {
    options: Options,
    want: Want,
    last: Last,
    /// When counting began, ns since 1970, by number and time on the module's clock. Never computed again: the two
    /// clocks drift apart, and a counter that seems to have begun anew would be taken for another.
    created_ns: HashMap<(u32, u64), i64>,
    /// What kept the last sample from being taken.
    error: Option<String>,
}

impl Collector {
    pub fn new(options: Options) -> Self {
        let want = Want {
            oldest: true,
            slow_threshold: true,
            cgroups: options.cgroups,
            sizes: options.buckets != Buckets::None,
            ..Want::of_devices()
        };
        Self::with(options, want)
    }

    pub fn with(options: Options, want: Want) -> Self {
        Collector {
            options,
            want,
            last: Last::default(),
            created_ns: HashMap::new(),
            error: None,
        }
    }

    /// A sample. `None` if the module is not there, or cannot be read: why is on standard error, once.
    pub fn collect(&mut self) -> Option<Scrape> {
        match self.try_collect() {
            Ok(scrape) => {
                self.error = None;
                Some(scrape)
            }
            Err(error) => {
                let error = format!("{error:#}");
                if self.error.as_ref() != Some(&error) {
                    crate::output::note(&error);
                }
                self.error = Some(error);
                None
            }
        }
    }

    pub fn try_collect(&mut self) -> Result<Scrape> {
        let begun = std::time::Instant::now();
        let last = std::mem::take(&mut self.last);
        let mut reader = Reader::with_last(open()?, last);
        buckets::check(reader.bounds())?;
        let selection = Selection::of_all(self.options.partitions);
        reader.choose(selection, self.want);
        reader.limit_areas(MOST_AREAS);
        let sample = reader.sample()?;
        let bounds = *reader.bounds();
        self.last = reader.into_last();
        let created_ns = self.created(&sample);
        let names = names(&sample.entries);
        Ok(Scrape {
            bounds,
            cgroups: cgroups::of_sample(&sample, &names),
            names,
            created_ns,
            sample,
            took_ns: begun.elapsed().as_nanos().min(u64::MAX.into()) as u64,
        })
    }

    fn created(&mut self, sample: &Sample) -> Vec<i64> {
        let before = std::mem::take(&mut self.created_ns);
        let of = |entry: &Entry| {
            let key = (entry.device.number, entry.device.crtime);
            let age = entry.counters.snaptime.saturating_sub(entry.device.crtime);
            let began = || sample.wall_ns.saturating_sub_unsigned(age);
            (key, before.get(&key).copied().unwrap_or_else(began))
        };
        let all: Vec<_> = sample.entries.iter().map(of).collect();
        self.created_ns = all.iter().copied().collect();
        all.iter().map(|(_, began)| *began).collect()
    }
}

/// Names as `/dev/iostat` has them. One that an entry before has too is followed by its number, since two metrics with
/// the same labels would make all of them invalid.
fn names(entries: &[Entry]) -> Vec<String> {
    let mut seen = HashSet::new();
    let name = |entry: &Entry| {
        let mut name = entry.device.name.clone();
        while !seen.insert(name.clone()) {
            name = format!("{name}#{}", entry.device.number);
        }
        name
    };
    entries.iter().map(name).collect()
}
