// SPDX-License-Identifier: GPL-2.0 OR MIT

//! Counters and all histograms of devices by one call.

use crate::arguments::{GetHistograms, Latency};
use crate::file::File;
use crate::layout::{Histogram, Snapshot, GET_ALL, IOC_HISTOGRAMS, PHASE_OF_SIZES, SIZES};
use std::io::Result;
use std::mem::size_of;

/// All histograms of a device: see [`which`] and [`which_sizes`].
pub const ALL_HISTOGRAMS: u32 = 0xffff;

/// All histograms of times of a device.
pub const ALL_TIMES: u32 = 0xfff;

/// One histogram of times of a device. The calls take the sum of several.
pub const fn which(class: u32, phase: u32) -> u32 {
    1 << (class * 3 + phase)
}

/// The sizes of a class of transactions of a device, for these sums.
pub const fn which_sizes(class: u32) -> u32 {
    1 << (12 + class)
}

/// The smallest size in a bucket of a histogram of sizes, bytes.
pub const fn least_bytes(bucket: usize) -> u64 {
    match bucket {
        0 => 0,
        _ => 512 << bucket,
    }
}

/// Histograms that a call has returned. Its memory is used again by the next.
#[derive(Clone, Debug, Default)]
pub struct Histograms {
    latencies: Vec<Latency>,
    counts: Vec<u64>,
}

impl Histograms {
    /// The histograms of times that are not empty: by device, then by class, then by phase.
    pub fn iter(&self) -> impl Iterator<Item = (&Latency, Histogram)> {
        let all = self.latencies.iter();
        let of_times = all.filter(|latency| latency.phase != PHASE_OF_SIZES);
        of_times.map(|latency| {
            let histogram = Histogram {
                counts: self.counts_of(latency),
                longest: latency.max,
                shortest_inverted: !latency.min,
            };
            (latency, histogram)
        })
    }

    /// The histograms of sizes that are not empty: the number of the device, the class, and the counts by bucket.
    pub fn sizes(&self) -> impl Iterator<Item = (u32, u32, [u64; SIZES])> + '_ {
        let all = self.latencies.iter();
        let of_sizes = all.filter(|latency| latency.phase == PHASE_OF_SIZES);
        of_sizes.map(|latency| (latency.number, latency.class, self.counts_of(latency)))
    }

    /// The counts of all buckets of a histogram.
    fn counts_of<const ALL: usize>(&self, latency: &Latency) -> [u64; ALL] {
        let mut counts = [0; ALL];
        let first = latency.first_count as usize;
        let found = self.counts.get(first..).unwrap_or_default();
        let into = counts.get_mut(latency.first_bucket as usize..);
        let buckets = into.unwrap_or_default().iter_mut().zip(found);
        for (count, found) in buckets.take(latency.buckets as usize) {
            *count = *found;
        }
        counts
    }
}

impl File {
    /// The counters of each device, in the order of the list, each with its histograms `which` of the same instant, and
    /// the generation of the list. What is in `snapshots` and `histograms` is replaced.
    pub fn snapshots_with_histograms(
        &self,
        which: u32,
        snapshots: &mut Vec<Snapshot>,
        histograms: &mut Histograms,
    ) -> Result<u64> {
        self.get_histograms(GET_ALL, 0, which, snapshots, histograms)
    }

    /// The counters of the device `number` with its histograms `which` of the same instant. What is in `histograms` is
    /// replaced. `ENXIO` if it has left.
    pub fn snapshot_with_histograms(
        &self,
        number: u32,
        which: u32,
        histograms: &mut Histograms,
    ) -> Result<Snapshot> {
        let mut snapshots = vec![Snapshot::default()];
        self.get_histograms(0, number, which, &mut snapshots, histograms)?;
        Ok(snapshots.first().copied().unwrap_or_default())
    }

    fn get_histograms(
        &self,
        flags: u32,
        number: u32,
        which: u32,
        snapshots: &mut Vec<Snapshot>,
        histograms: &mut Histograms,
    ) -> Result<u64> {
        let Histograms { latencies, counts } = histograms;
        snapshots.resize(snapshots.capacity().max(16), Snapshot::default());
        latencies.resize(latencies.capacity().max(64), Latency::default());
        counts.resize(counts.capacity().max(1024), 0);
        loop {
            let mut get = GetHistograms {
                size: size_of::<GetHistograms>() as u32,
                flags,
                number,
                which,
                snapshot_size: size_of::<Snapshot>() as u32,
                snapshot_count: snapshots.len() as u32,
                latency_size: size_of::<Latency>() as u32,
                latency_count: latencies.len() as u32,
                count_count: counts.len() as u32,
                snapshots: snapshots.as_mut_ptr() as u64,
                latencies: latencies.as_mut_ptr() as u64,
                counts: counts.as_mut_ptr() as u64,
                ..GetHistograms::default()
            };
            // SAFETY: Each array has room for as many elements as it says.
            unsafe { self.call(IOC_HISTOGRAMS, &mut get) }?;
            let found = [get.snapshot_count, get.latency_count, get.count_count];
            let [snapshot_count, latency_count, count_count] = found.map(|count| count as usize);
            if snapshot_count <= snapshots.len()
                && latency_count <= latencies.len()
                && count_count <= counts.len()
            {
                snapshots.truncate(snapshot_count);
                latencies.truncate(latency_count);
                counts.truncate(count_count);
                return Ok(get.generation);
            }
            // There may be more at the next call.
            snapshots.resize(snapshots.len().max(snapshot_count), Snapshot::default());
            latencies.resize(latencies.len().max(latency_count * 2), Latency::default());
            counts.resize(counts.len().max(count_count * 2), 0);
        }
    }
}
