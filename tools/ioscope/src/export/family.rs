// SPDX-License-Identifier: GPL-2.0

//! Metrics, in no form yet.

use crate::quantile::Bounds;
use crate::size::Counts;
use iostat_map::Histogram;
use std::borrow::Cow;

/// What the metrics of a family are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    /// Labels alone.
    Info,
    Histogram,
}

/// Metrics of one name.
#[derive(Clone, Debug)]
pub struct Family<'a> {
    /// Without the `_total` of a counter and the `_info` of an info.
    pub name: &'static str,
    pub help: &'static str,
    pub kind: Kind,
    pub metrics: Vec<Metric<'a>>,
}

pub type Labels<'a> = Vec<(&'static str, Cow<'a, str>)>;

#[derive(Clone, Debug)]
pub struct Metric<'a> {
    pub labels: Labels<'a>,
    pub value: Value<'a>,
    /// When counting began, ns since 1970.
    pub created_ns: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Count(u64),
    /// ns, exported as seconds.
    Ns(u64),
    Times(Times<'a>),
    Sizes(Sizes<'a>),
}

/// A histogram of times.
#[derive(Clone, Copy, Debug)]
pub struct Times<'a> {
    pub histogram: &'a Histogram,
    pub bounds: &'a Bounds,
    /// The sum of all times, if it is known.
    pub sum_ns: Option<u64>,
}

/// A histogram of sizes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    pub counts: &'a Counts,
    /// The sum of all sizes, bytes.
    pub sum: u64,
}
