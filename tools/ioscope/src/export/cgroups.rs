// SPDX-License-Identifier: GPL-2.0

//! Accounts by cgroup, if they are asked for: as many as the module has, which its parameter `cgroup_rows` limits.

use super::collect::Scrape;
use super::families::OPERATIONS;
use super::family::{Family, Kind, Metric, Times, Value};
use crate::cgroup::Account;
use crate::sample::{Entry, Sample};
use iostat_map::layout::BUCKETS;
use iostat_map::Histogram;
use std::collections::HashSet;

/// The account of a cgroup, device and class.
pub struct OfCgroup {
    /// Its path, or its id; `other` of what found no room.
    pub cgroup: String,
    /// As the other metrics have it; empty of what found no room.
    pub device: String,
    pub operation: &'static str,
    pub account: Account,
    times: Histogram,
}

/// Those of a sample, whose entries have these names.
pub fn of_sample(sample: &Sample, names: &[String]) -> Vec<OfCgroup> {
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    let Some(cgroups) = &sample.cgroups else {
        return all;
    };
    for (key, account) in &cgroups.accounts {
        let is_it = |(entry, _): &(&Entry, &String)| entry.device.number == key.number;
        let device = sample.entries.iter().zip(names).find(is_it);
        let operation = OPERATIONS
            .iter()
            .find(|(class, _)| *class == usize::from(key.class));
        let (Some((_, operation)), true) = (operation, device.is_some() || key.is_other()) else {
            continue;
        };
        let device = device.map_or(String::new(), |(_, name)| name.clone());
        let mut cgroup = cgroups.name(key);
        // Two metrics with the same labels would make all of them invalid.
        if !seen.insert((cgroup.clone(), key.number, key.class)) {
            cgroup = format!("{cgroup}#{}", key.cgroup);
        }
        let mut counts = [0; BUCKETS];
        counts.copy_from_slice(&account.counts().buckets);
        all.push(OfCgroup {
            cgroup,
            device,
            operation,
            times: Histogram {
                counts,
                longest: 0,
                shortest_inverted: 0,
            },
            account: account.clone(),
        });
    }
    all
}

fn each<'a>(
    scrape: &'a Scrape,
    (name, help, kind): (&'static str, &'static str, Kind),
    value: impl Fn(&'a OfCgroup) -> Value<'a>,
) -> Family<'a> {
    let metrics = scrape.cgroups.iter().map(|of| Metric {
        labels: vec![
            ("cgroup", of.cgroup.as_str().into()),
            ("device", of.device.as_str().into()),
            ("operation", of.operation.into()),
        ],
        value: value(of),
        // An account begins with the first I/O of its cgroup; the time of that is not recorded.
        created_ns: None,
    });
    Family {
        name,
        help,
        kind,
        metrics: metrics.collect(),
    }
}

/// None if there are no accounts.
pub fn families(scrape: &Scrape) -> Vec<Family<'_>> {
    if scrape.cgroups.is_empty() {
        return Vec::new();
    }
    vec![
        each(
            scrape,
            (
                "iostat_cgroup_ios",
                "Bios of a cgroup, as the kernel's io.stat counts them.",
                Kind::Counter,
            ),
            |of| Value::Count(of.account.ios),
        ),
        each(
            scrape,
            ("iostat_cgroup_bytes", "Bytes of these bios.", Kind::Counter),
            |of| Value::Count(of.account.bytes),
        ),
        each(
            scrape,
            (
                "iostat_cgroup_operations",
                "I/Os of a cgroup completed.",
                Kind::Counter,
            ),
            |of| Value::Count(of.account.operations),
        ),
        each(
            scrape,
            (
                "iostat_cgroup_service_seconds",
                "Sum of the times of these I/Os at the device.",
                Kind::Counter,
            ),
            |of| Value::Ns(of.account.service_ns),
        ),
        each(
            scrape,
            (
                "iostat_cgroup_latency_seconds",
                "Times of these I/Os from start to end.",
                Kind::Histogram,
            ),
            |of| {
                Value::Times(Times {
                    histogram: &of.times,
                    bounds: &scrape.bounds,
                    sum_ns: Some(of.account.duration_ns),
                })
            },
        ),
    ]
}
