// SPDX-License-Identifier: GPL-2.0

//! The protobuf format: messages `io.prometheus.client.MetricFamily`, each behind its length.

use super::buckets::{cumulative, cumulative_sizes, native, Classic, SCHEMA, ZERO_THRESHOLD};
use super::family::{Family, Kind, Sizes, Times, Value};
use super::text::suffix;
use crate::size::total;
use prost::Message;

/// `MetricType`.
mod metric_type {
    pub const COUNTER: i32 = 0;
    pub const GAUGE: i32 = 1;
    pub const HISTOGRAM: i32 = 4;
}

#[derive(Clone, PartialEq, Message)]
pub struct MetricFamily {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub help: String,
    #[prost(int32, optional, tag = "3")]
    pub metric_type: Option<i32>,
    #[prost(message, repeated, tag = "4")]
    pub metrics: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Metric {
    #[prost(message, repeated, tag = "1")]
    pub labels: Vec<LabelPair>,
    #[prost(message, optional, tag = "2")]
    pub gauge: Option<Gauge>,
    #[prost(message, optional, tag = "3")]
    pub counter: Option<Counter>,
    #[prost(message, optional, tag = "7")]
    pub histogram: Option<Histogram>,
}

#[derive(Clone, PartialEq, Message)]
pub struct LabelPair {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Gauge {
    #[prost(double, optional, tag = "1")]
    pub value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Counter {
    #[prost(double, optional, tag = "1")]
    pub value: Option<f64>,
    #[prost(message, optional, tag = "3")]
    pub created: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Histogram {
    #[prost(uint64, optional, tag = "1")]
    pub count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    pub sum: Option<f64>,
    #[prost(message, repeated, tag = "3")]
    pub buckets: Vec<Bucket>,
    #[prost(sint32, optional, tag = "5")]
    pub schema: Option<i32>,
    #[prost(double, optional, tag = "6")]
    pub zero_threshold: Option<f64>,
    #[prost(uint64, optional, tag = "7")]
    pub zero_count: Option<u64>,
    #[prost(message, repeated, tag = "12")]
    pub positive_spans: Vec<BucketSpan>,
    #[prost(sint64, repeated, tag = "13")]
    pub positive_deltas: Vec<i64>,
    #[prost(message, optional, tag = "15")]
    pub created: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Bucket {
    #[prost(uint64, optional, tag = "1")]
    pub cumulative_count: Option<u64>,
    #[prost(double, optional, tag = "2")]
    pub upper_bound: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct BucketSpan {
    #[prost(sint32, optional, tag = "1")]
    pub offset: Option<i32>,
    #[prost(uint32, optional, tag = "2")]
    pub length: Option<u32>,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, PartialEq, Message)]
pub struct Timestamp {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

/// All families. `classic`: the buckets that histograms have besides the native ones.
pub fn write(families: &[Family], classic: &Classic) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 << 16);
    // A family of no metrics is invalid in this format.
    for family in families.iter().filter(|family| !family.metrics.is_empty()) {
        bytes.extend(message(family, classic).encode_length_delimited_to_vec());
    }
    bytes
}

fn message(family: &Family, classic: &Classic) -> MetricFamily {
    let metric_type = match family.kind {
        Kind::Counter => metric_type::COUNTER,
        Kind::Gauge | Kind::Info => metric_type::GAUGE,
        Kind::Histogram => metric_type::HISTOGRAM,
    };
    MetricFamily {
        name: format!("{}{}", family.name, suffix(family.kind)),
        help: family.help.to_owned(),
        metric_type: Some(metric_type),
        metrics: family
            .metrics
            .iter()
            .map(|m| metric(m, family.kind, classic))
            .collect(),
    }
}

fn metric(metric: &super::family::Metric, kind: Kind, classic: &Classic) -> Metric {
    let labels = metric.labels.iter().map(|(name, value)| LabelPair {
        name: (*name).to_owned(),
        value: value.clone().into_owned(),
    });
    let mut message = Metric {
        labels: labels.collect(),
        ..Metric::default()
    };
    let created = metric.created_ns.map(timestamp);
    let value = match &metric.value {
        Value::Count(count) => *count as f64,
        Value::Ns(ns) => *ns as f64 / 1e9,
        Value::Times(times) => {
            message.histogram = Some(histogram(times, classic, created));
            return message;
        }
        Value::Sizes(sizes) => {
            message.histogram = Some(histogram_of_sizes(sizes, classic, created));
            return message;
        }
    };
    let value = Some(value);
    match kind {
        Kind::Counter => message.counter = Some(Counter { value, created }),
        _ => message.gauge = Some(Gauge { value }),
    }
    message
}

/// Classic buckets alone.
fn histogram_of_sizes(sizes: &Sizes, classic: &Classic, created: Option<Timestamp>) -> Histogram {
    let bucket = |(bound, count)| Bucket {
        cumulative_count: Some(count),
        upper_bound: Some(bound as f64),
    };
    Histogram {
        count: Some(total(sizes.counts)),
        sum: Some(sizes.sum as f64),
        buckets: cumulative_sizes(sizes, classic).map(bucket).collect(),
        created,
        ..Histogram::default()
    }
}

fn histogram(times: &Times, classic: &Classic, created: Option<Timestamp>) -> Histogram {
    let native = native(&times.histogram.counts);
    let bucket = |(bound, count)| Bucket {
        cumulative_count: Some(count),
        upper_bound: Some(bound as f64 / 1e9),
    };
    let span = |(offset, length): &(i32, u32)| BucketSpan {
        offset: Some(*offset),
        length: Some(*length),
    };
    Histogram {
        count: Some(times.histogram.count()),
        // Not a number is what Prometheus takes for a sum that is not known: without a sum it takes 0.
        sum: Some(times.sum_ns.map_or(f64::NAN, |ns| ns as f64 / 1e9)),
        buckets: cumulative(times, classic).map(bucket).collect(),
        schema: Some(SCHEMA),
        zero_threshold: Some(ZERO_THRESHOLD),
        zero_count: Some(native.zero_count),
        positive_spans: native.spans.iter().map(span).collect(),
        positive_deltas: native.deltas,
        created,
    }
}

fn timestamp(ns: i64) -> Timestamp {
    const SECOND: i64 = 1_000_000_000;
    Timestamp {
        seconds: ns.div_euclid(SECOND),
        nanos: ns.rem_euclid(SECOND) as i32,
    }
}
