// SPDX-License-Identifier: GPL-2.0

//! Prometheus' text format 0.0.4, and OpenMetrics 1.0.

use super::buckets::{cumulative, cumulative_sizes, Classic};
use super::family::{Family, Kind, Labels, Metric, Value};
use crate::cli::export::Form;
use crate::size::total;
use std::fmt::Write;

/// All families. `classic`: the buckets of histograms, without which there are none.
pub fn write(families: &[Family], form: Form, classic: &Classic) -> String {
    let mut writer = Writer {
        out: String::with_capacity(1 << 16),
        is_openmetrics: form == Form::Openmetrics,
        classic,
    };
    for family in families {
        if family.kind != Kind::Histogram || !classic.of_times.is_empty() {
            writer.family(family);
        }
    }
    if writer.is_openmetrics {
        writer.out.push_str("# EOF\n");
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    is_openmetrics: bool,
    classic: &'a Classic,
}

impl Writer<'_> {
    fn family(&mut self, family: &Family) {
        let suffix = suffix(family.kind);
        // In the older format a family has the name of its samples.
        let (of_family, kind) = match (self.is_openmetrics, family.kind) {
            (true, Kind::Info) => ("", "info"),
            (false, Kind::Info) => (suffix, "gauge"),
            (true, Kind::Counter) => ("", "counter"),
            (false, Kind::Counter) => (suffix, "counter"),
            (_, Kind::Gauge) => ("", "gauge"),
            (_, Kind::Histogram) => ("", "histogram"),
        };
        let name = family.name;
        self.line(format_args!("# HELP {name}{of_family} {}\n", family.help));
        self.line(format_args!("# TYPE {name}{of_family} {kind}\n"));
        for metric in &family.metrics {
            self.metric(name, suffix, metric);
            if let Some(created) = metric.created_ns.filter(|_| self.is_openmetrics) {
                let created = seconds(created.unsigned_abs());
                self.sample(name, "_created", &metric.labels, None, &created);
            }
        }
    }

    fn metric(&mut self, name: &str, suffix: &str, metric: &Metric) {
        let labels = &metric.labels;
        match &metric.value {
            Value::Count(count) => self.sample(name, suffix, labels, None, &count.to_string()),
            Value::Ns(ns) => self.sample(name, suffix, labels, None, &seconds(*ns)),
            Value::Times(times) => {
                let buckets = cumulative(times, self.classic);
                let buckets = buckets.map(|(bound, count)| (bound as f64 / 1e9, count));
                let sum = times.sum_ns.map(seconds);
                self.histogram(name, labels, buckets, times.histogram.count(), sum);
            }
            Value::Sizes(sizes) => {
                let buckets = cumulative_sizes(sizes, self.classic);
                let buckets = buckets.map(|(bound, count)| (bound as f64, count));
                let sum = Some(sizes.sum.to_string());
                self.histogram(name, labels, buckets, total(sizes.counts), sum);
            }
        }
    }

    fn histogram(
        &mut self,
        name: &str,
        labels: &Labels,
        buckets: impl Iterator<Item = (f64, u64)>,
        count: u64,
        sum: Option<String>,
    ) {
        for (bound, count) in buckets {
            let le = float(bound);
            self.sample(name, "_bucket", labels, Some(&le), &count.to_string());
        }
        let count = count.to_string();
        self.sample(name, "_bucket", labels, Some("+Inf"), &count);
        // OpenMetrics has both or neither. Readers of the older format take 0 for a sum that is not there.
        if sum.is_some() || !self.is_openmetrics {
            let sum = sum.as_deref().unwrap_or("NaN");
            self.sample(name, "_sum", labels, None, sum);
            self.sample(name, "_count", labels, None, &count);
        }
    }

    fn sample(&mut self, name: &str, suffix: &str, labels: &Labels, le: Option<&str>, value: &str) {
        self.out.push_str(name);
        self.out.push_str(suffix);
        let labels = labels.iter().map(|(name, value)| (*name, value.as_ref()));
        for (index, (name, value)) in labels.chain(le.map(|le| ("le", le))).enumerate() {
            self.out.push(if index == 0 { '{' } else { ',' });
            self.out.push_str(name);
            self.out.push_str("=\"");
            escape(&mut self.out, value);
            self.out.push('"');
        }
        if self.out.ends_with('"') {
            self.out.push('}');
        }
        self.out.push(' ');
        self.out.push_str(value);
        self.out.push('\n');
    }

    fn line(&mut self, text: std::fmt::Arguments) {
        // A string takes all that is written to it.
        let _ = self.out.write_fmt(text);
    }
}

/// What follows the name of a family in that of its sample.
pub fn suffix(kind: Kind) -> &'static str {
    match kind {
        Kind::Counter => "_total",
        Kind::Info => "_info",
        Kind::Gauge | Kind::Histogram => "",
    }
}

/// The value of a label: both formats escape these three.
fn escape(out: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
}

/// ns as seconds, exactly.
fn seconds(ns: u64) -> String {
    let (seconds, rest) = (ns / 1_000_000_000, ns % 1_000_000_000);
    if rest == 0 {
        return seconds.to_string();
    }
    let rest = format!("{rest:09}");
    format!("{seconds}.{}", rest.trim_end_matches('0'))
}

/// A bound, as Go writes it in OpenMetrics and Prometheus makes it of the protobuf format: the same series in all forms.
pub fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent @ ..-4) => format!("{digits}e-{:02}", exponent.unsigned_abs()),
        Ok(exponent @ 6..) => format!("{digits}e+{exponent:02}"),
        _ => {
            let plain = value.to_string();
            if plain.contains('.') {
                plain
            } else {
                plain + ".0"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_all_their_digits() {
        let text = [0, 1, 999_999_999, 1_000_000_000, 1_500_000_000, u64::MAX].map(seconds);
        let expected = [
            "0",
            "0.000000001",
            "0.999999999",
            "1",
            "1.5",
            "18446744073.709551615",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn bounds_are_written_as_go_does() {
        let text = [
            2.38e-7,
            9.54e-7,
            0.000061035,
            0.000244141,
            0.25,
            1.0,
            1.189207115,
            32.0,
            262143.0,
            1048575.0,
            2147483647.0,
        ]
        .map(float);
        let expected = [
            "2.38e-07",
            "9.54e-07",
            "6.1035e-05",
            "0.000244141",
            "0.25",
            "1.0",
            "1.189207115",
            "32.0",
            "262143.0",
            "1.048575e+06",
            "2.147483647e+09",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn labels_are_escaped() {
        let mut out = String::new();
        escape(&mut out, "a\"b\\c\nd\u{e9}{}=,");
        assert_eq!(out, "a\\\"b\\\\c\\nd\u{e9}{}=,");
    }
}
