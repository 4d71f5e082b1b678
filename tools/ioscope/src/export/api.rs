// SPDX-License-Identifier: GPL-2.0

//! What the page asks for: the JSON that `ioscope -o json` writes.

use super::collect::Scrape;
use super::follow::Follow;
use super::ios::{push_in_flight, push_slow};
use super::query::Query;
use super::recorded::{self, bounds_of, Array};
use crate::interval::between;
use crate::json::{time, Count, Report};
use anyhow::Result;
use serde::Serialize;
use std::path::Path;

/// An answer; `None` if there is nothing of that name.
pub type Answer = Option<Result<Vec<u8>>>;

/// The reports of all devices, since counting began.
pub fn devices(scrape: Option<&Scrape>) -> Answer {
    let mut array = Array::new();
    let Some(Scrape { sample, bounds, .. }) = scrape else {
        return Some(Ok(array.end()));
    };
    let intervals = between(None, sample);
    let pushed = intervals.iter().try_for_each(|interval| {
        array.push(&Report {
            wall_ns: sample.wall_ns,
            interval,
            bounds,
        })
    });
    Some(pushed.map(|()| array.end()))
}

#[derive(Serialize)]
struct Info {
    live: bool,
    /// Whether the module can be read.
    up: bool,
    time: String,
    interval_ns: Count,
    bounds: Vec<Count>,
}

pub fn info(scrape: Option<&Scrape>, follow: &Follow) -> Answer {
    let info = Info {
        live: true,
        up: scrape.is_some(),
        time: time(scrape.map_or_else(crate::live::wall_ns, |scrape| scrape.sample.wall_ns)),
        interval_ns: Count(follow.interval.as_nanos().min(u64::MAX.into()) as u64),
        bounds: scrape.map_or_else(Vec::new, |scrape| bounds_of(&scrape.bounds)),
    };
    Some(serde_json::to_vec(&info).map_err(Into::into))
}

/// What is kept of the last intervals, and the regions as they are.
pub fn live(follow: &Follow, name: &str, query: &Query) -> Answer {
    Some(match name {
        "intervals" => follow.intervals(query),
        "areas" => follow.areas(query),
        "regions" => follow.regions(query),
        "inflight" => follow.ios(query, push_in_flight),
        "slow" => follow.ios(query, push_slow),
        _ => return None,
    })
}

/// The same of a recording, of which `query` chooses a part.
pub fn recorded(path: &Path, name: &str, query: &Query, partitions: bool) -> Answer {
    Some(match name {
        "info" => recorded::info(path),
        "devices" => recorded::reports(path, query, true, partitions),
        "intervals" => recorded::reports(path, query, false, partitions),
        "areas" => recorded::areas(path, query, false),
        "regions" => recorded::areas(path, query, true),
        "inflight" => recorded::in_flight(path, query),
        "slow" => recorded::slow(path, query),
        _ => return None,
    })
}
