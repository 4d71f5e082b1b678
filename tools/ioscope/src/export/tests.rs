// SPDX-License-Identifier: GPL-2.0

//! What is exported of a sample, in each form.

use super::*;
use crate::cgroup::{Account, Cgroups, Key};
use crate::quantile::tests::bounds;
use crate::sample::{
    Device, Entry, Event, Events, Kind, Sample, Times, READ, SERVICE, TOTAL, WRITE,
};
use crate::size::Sizes;
use anyhow::Result;
use iostat_map::layout::BUCKETS;
use iostat_map::{Histogram, Snapshot, SIZES};
use prost::Message;
use std::rc::Rc;

const CREATED_NS: i64 = 1_795_348_810_003_112_233;

const ALL: Options = Options {
    buckets: Buckets::All,
    compat: None,
    partitions: false,
    cgroups: true,
};

/// One disk of this name, with a read of each bucket.
fn scrape(name: &str) -> Scrape {
    let mut times = Times::default();
    for phases in &mut times[..] {
        *phases = std::array::from_fn(|_| {
            Some(Rc::new(Histogram {
                counts: [0; BUCKETS],
                longest: 0,
                shortest_inverted: 0,
            }))
        });
    }
    times[READ] = std::array::from_fn(|_| {
        Some(Rc::new(Histogram {
            counts: [1; BUCKETS],
            longest: 40_000_000_000,
            shortest_inverted: !1,
        }))
    });
    let entry = Entry {
        device: Rc::new(Device {
            number: 7,
            name: name.to_owned(),
            kind: Kind::Disk,
            diskseq: 3,
            crtime: 5,
            major: 8,
            minor: 16,
            parent: None,
            driver: "sd".to_owned(),
        }),
        counters: Snapshot {
            number: 7,
            operations: [0, BUCKETS as u64, 2, 0],
            bytes: [0, u64::MAX, 8192, 0],
            duration: [0, 12_345_678_901, 1, 0],
            rlentime: 1_500_000_000,
            rcnt: 1,
            oldest_age: 2_000_000_001,
            ..Snapshot::default()
        },
        times,
    };
    let event = |name: &str, total| Event {
        label: format!("{} {name}", entry.device.name),
        kind: "misc".to_owned(),
        total,
        rate: None,
    };
    let events = [
        event("errors_medium", 2),
        event("errors_ioerr", 3),
        event("splits", 4),
        event("flush_ns", 2_500_000_000),
        event("slow_ios", 70),
        event("slow_ios_replaced", 6),
    ];
    let events: Events = events.into_iter().collect();
    let sizes = |pairs: &[(usize, u64)]| {
        let mut counts = [0; SIZES];
        for (bucket, count) in pairs {
            counts[*bucket] = *count;
        }
        counts
    };
    Scrape {
        bounds: bounds(),
        names: vec![name.to_owned()],
        created_ns: vec![CREATED_NS],
        took_ns: 1000,
        cgroups: Vec::new(),
        sample: Sample {
            entries: vec![entry],
            events: Some(Rc::new(events)),
            slow_threshold_ns: Some(500_000_000),
            sizes: Some(Sizes::from([
                ((7, READ as u8), sizes(&[(3, 100), (SIZES - 1, 10)])),
                ((7, WRITE as u8), sizes(&[(3, 2)])),
            ])),
            ..Sample::default()
        },
    }
}

fn exposed(scrape: Option<&Scrape>, options: &Options, form: Form) -> String {
    String::from_utf8_lossy(&expose(scrape, options, form)).into_owned()
}

#[track_caller]
fn has(text: &str, line: &str) {
    let lines: Vec<_> = text.lines().filter(|l| *l == line).collect();
    assert_eq!(lines.len(), 1, "{line}\nin\n{text}");
}

#[test]
fn text_has_exact_numbers() {
    let text = exposed(Some(&scrape("sda")), &ALL, Form::Text);
    has(&text, "iostat_up 1");
    has(&text, "# TYPE iostat_bytes_total counter");
    has(
        &text,
        "iostat_bytes_total{device=\"sda\",operation=\"read\"} 18446744073709551615",
    );
    has(
        &text,
        "iostat_duration_seconds_total{device=\"sda\",operation=\"read\"} 12.345678901",
    );
    has(
        &text,
        "iostat_duration_seconds_total{device=\"sda\",operation=\"write\"} 0.000000001",
    );
    has(
        &text,
        "iostat_duration_seconds_total{device=\"sda\",operation=\"discard\"} 0",
    );
    has(
        &text,
        "iostat_queue_length_seconds_total{device=\"sda\",phase=\"service\"} 1.5",
    );
    has(
        &text,
        "iostat_in_flight{device=\"sda\",phase=\"service\"} 1",
    );
    has(&text, "iostat_errors_total{device=\"sda\"} 5");
    has(&text, "iostat_timeouts_total{device=\"sda\"} 0");
    has(
        &text,
        "iostat_events_total{device=\"sda\",event=\"splits\"} 4",
    );
    has(&text, "iostat_flush_seconds_total{device=\"sda\"} 2.5");
    assert!(!text.contains("event=\"flush_ns\""), "{text}");
    let info = "iostat_device_info{device=\"sda\",driver=\"sd\",class=\"disk\",diskseq=\"3\",number=\"7\"} 1";
    has(&text, info);
    assert!(
        !text.contains("_created") && !text.contains("# EOF"),
        "{text}"
    );
}

#[test]
fn slow_ios_and_what_is_in_flight_are_there() {
    let mut scrape = scrape("sda");
    let text = exposed(Some(&scrape), &ALL, Form::Text);
    has(&text, "iostat_slow_total{device=\"sda\"} 70");
    has(&text, "iostat_slow_replaced_total{device=\"sda\"} 6");
    has(&text, "iostat_slow_dropped_total{device=\"sda\"} 0");
    has(&text, "iostat_slow_threshold_seconds 0.5");
    let oldest = "iostat_oldest_in_flight_seconds{device=\"sda\"}";
    has(&text, &format!("{oldest} 2.000000001"));
    scrape.sample.entries[0].counters.oldest_age = 0;
    let text = exposed(Some(&scrape), &ALL, Form::Openmetrics);
    has(&text, &format!("{oldest} 0"));
    // What is not known is not 0: I/Os of other modules are counted, and not followed.
    let mut device = (*scrape.sample.entries[0].device).clone();
    device.kind = Kind::Tape;
    scrape.sample.entries[0].device = Rc::new(device);
    scrape.sample.slow_threshold_ns = None;
    let text = exposed(Some(&scrape), &ALL, Form::Text);
    for family in [oldest, "iostat_slow_threshold_seconds "] {
        assert!(!text.lines().any(|line| line.starts_with(family)), "{text}");
    }
}

#[test]
fn classic_histograms_are_cumulative() {
    let text = exposed(Some(&scrape("sda")), &ALL, Form::Text);
    let of = |phase: &str, suffix: &str| {
        format!(
            "iostat_latency_seconds_{suffix}{{device=\"sda\",operation=\"read\",phase=\"{phase}\""
        )
    };
    has(&text, &(of("total", "bucket") + ",le=\"2.38e-07\"} 1"));
    has(&text, &(of("total", "bucket") + ",le=\"1.0\"} 89"));
    has(&text, &(of("total", "bucket") + ",le=\"32.0\"} 109"));
    has(&text, &(of("total", "bucket") + ",le=\"+Inf\"} 110"));
    has(&text, &(of("total", "count") + "} 110"));
    has(&text, &(of("total", "sum") + "} 12.345678901"));
    has(&text, &(of("service", "count") + "} 110"));
    // That sum is not known.
    has(&text, &(of("service", "sum") + "} NaN"));
    let open = exposed(Some(&scrape("sda")), &ALL, Form::Openmetrics);
    has(&open, &(of("service", "bucket") + ",le=\"+Inf\"} 110"));
    for suffix in ["sum", "count"] {
        assert!(open.contains(&of("total", suffix)), "{open}");
        assert!(!open.contains(&of("service", suffix)), "{open}");
    }
    // Reads and writes always, others once there is one.
    assert!(text.contains("iostat_latency_seconds_count{device=\"sda\",operation=\"write\""));
    assert!(!text.contains("iostat_latency_seconds_count{device=\"sda\",operation=\"discard\""));
    let none = Options {
        buckets: Buckets::None,
        ..ALL
    };
    assert!(!exposed(Some(&scrape("sda")), &none, Form::Text).contains("latency"));
}

#[test]
fn sizes_have_the_modules_buckets() {
    let text = exposed(Some(&scrape("sda")), &ALL, Form::Text);
    let of = |operation: &str, suffix: &str| {
        format!("iostat_size_bytes_{suffix}{{device=\"sda\",operation=\"{operation}\"")
    };
    has(&text, "# TYPE iostat_size_bytes histogram");
    // The first bound above reads of 4 KiB is that of the bucket which begins with it.
    for (bound, count) in [
        ("1023.0", 0),
        ("4095.0", 0),
        ("8191.0", 100),
        ("1.048575e+06", 100),
        ("2.147483647e+09", 100),
        ("+Inf", 110),
    ] {
        has(
            &text,
            &format!("{},le=\"{bound}\"}} {count}", of("read", "bucket")),
        );
    }
    has(&text, &(of("read", "count") + "} 110"));
    has(&text, &(of("read", "sum") + "} 18446744073709551615"));
    has(&text, &(of("write", "count") + "} 2"));
    has(&text, &(of("write", "sum") + "} 8192"));
    // What transfers nothing has no size, and nothing was discarded.
    for operation in ["other", "discard"] {
        assert!(!text.contains(&of(operation, "count")), "{text}");
    }
    // Reads and writes are there before the first one.
    let mut idle = scrape("sda");
    idle.sample.sizes = Some(Sizes::new());
    idle.sample.entries[0].counters = Snapshot::default();
    let text = exposed(Some(&idle), &ALL, Form::Text);
    has(&text, &(of("write", "bucket") + ",le=\"+Inf\"} 0"));
    has(&text, &(of("write", "sum") + "} 0"));
    let coarse = Options {
        buckets: Buckets::Coarse,
        ..ALL
    };
    let text = exposed(Some(&scrape("sda")), &coarse, Form::Text);
    assert_eq!(text.matches(&of("read", "bucket")).count(), 13);
    let none = Options {
        buckets: Buckets::None,
        ..ALL
    };
    assert!(!exposed(Some(&scrape("sda")), &none, Form::Text).contains("size_bytes"));
}

#[test]
fn protobuf_has_classic_histograms_of_sizes_alone() -> Result<()> {
    let all = decoded(&expose(Some(&scrape("sda")), &ALL, Form::Protobuf))?;
    let sizes = all.iter().find(|family| family.name == "iostat_size_bytes");
    let Some(histogram) = sizes.and_then(|family| family.metrics[0].histogram.as_ref()) else {
        anyhow::bail!("there is no histogram");
    };
    assert_eq!((histogram.count, histogram.buckets.len()), (Some(110), 22));
    let bucket = &histogram.buckets[3];
    assert_eq!(
        (bucket.cumulative_count, bucket.upper_bound),
        (Some(100), Some(8191.0))
    );
    // Without these it is not a native one.
    assert_eq!((histogram.schema, histogram.zero_threshold), (None, None));
    let mut scrape = scrape("sda");
    scrape.sample.sizes = None;
    let all = decoded(&expose(Some(&scrape), &ALL, Form::Protobuf))?;
    assert!(all.iter().all(|family| family.name != "iostat_size_bytes"));
    Ok(())
}

/// The families of the protobuf form.
fn decoded(mut bytes: &[u8]) -> Result<Vec<protobuf::MetricFamily>> {
    let mut families = Vec::new();
    while !bytes.is_empty() {
        families.push(protobuf::MetricFamily::decode_length_delimited(&mut bytes)?);
    }
    Ok(families)
}

#[test]
fn openmetrics_has_creation_and_an_end() {
    let text = exposed(Some(&scrape("sda")), &ALL, Form::Openmetrics);
    has(&text, "# TYPE iostat_bytes counter");
    has(&text, "# TYPE iostat_device info");
    has(
        &text,
        "iostat_merged_created{device=\"sda\"} 1795348810.003112233",
    );
    assert!(text.ends_with("\n# EOF\n"));
    // The samples of a family are together, and each family is there once.
    let types: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("# TYPE"))
        .collect();
    let mut unique = types.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(types.len(), unique.len());
}

#[test]
fn names_are_escaped() {
    // As /dev/iostat writes the name of the bytes "a", ", newline, 0xff.
    let text = exposed(Some(&scrape("a\"\\012\\377")), &ALL, Form::Openmetrics);
    has(
        &text,
        "iostat_merged_total{device=\"a\\\"\\\\012\\\\377\"} 0",
    );
}

#[test]
fn without_the_module_there_is_one_metric() {
    for form in [Form::Text, Form::Openmetrics] {
        let text = exposed(None, &ALL, form);
        let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(samples, ["iostat_up 0"]);
    }
}

#[test]
fn protobuf_has_native_histograms() -> Result<()> {
    let none = Options {
        buckets: Buckets::None,
        ..ALL
    };
    let bytes = expose(Some(&scrape("sda")), &none, Form::Protobuf);
    let families = decoded(&bytes)?;
    let find = |name: &str| {
        families
            .iter()
            .find(|f| f.name == name)
            .cloned()
            .unwrap_or_default()
    };
    let busy = find("iostat_busy_seconds_total");
    assert_eq!((busy.metric_type, busy.metrics.len()), (Some(0), 1));
    let created = busy.metrics[0]
        .counter
        .as_ref()
        .and_then(|c| c.created.as_ref());
    assert_eq!(
        created.map(|t| (t.seconds, t.nanos)),
        Some((1_795_348_810, 3_112_233))
    );
    let oldest = find("iostat_oldest_in_flight_seconds");
    let age = oldest.metrics[0].gauge.as_ref().and_then(|g| g.value);
    assert_eq!((oldest.metric_type, age), (Some(1), Some(2.000000001)));
    let latency = find("iostat_latency_seconds");
    assert_eq!(latency.metric_type, Some(4));
    for metric in &latency.metrics[..3] {
        let phase = &metric.labels[2].value;
        let Some(histogram) = &metric.histogram else {
            anyhow::bail!("{phase} is not a histogram");
        };
        assert_eq!(
            (histogram.schema, histogram.zero_threshold),
            (Some(2), Some(2f64.powi(-22)))
        );
        assert_eq!(
            (histogram.count, histogram.zero_count),
            (Some(110), Some(1))
        );
        assert!(histogram.buckets.is_empty());
        let spans = histogram.positive_spans.iter();
        let spans: Vec<_> = spans.map(|span| (span.offset, span.length)).collect();
        // From (2^-22, 2^-21.75] to (2^4.75, 2^5], and what is longer.
        assert_eq!(spans, [(Some(-87), Some(108)), (Some(4076), Some(1))]);
        assert_eq!(histogram.positive_deltas.len(), 109);
        assert_eq!(histogram.positive_deltas.iter().sum::<i64>(), 1);
        match phase.as_str() {
            "total" => assert_eq!(histogram.sum, Some(12.345678901)),
            _ => assert!(histogram.sum.is_some_and(f64::is_nan)),
        }
    }
    assert_eq!(latency.metrics[SERVICE].labels[2].value, "service");
    assert_eq!(latency.metrics[TOTAL].labels[2].value, "total");
    Ok(())
}

#[test]
fn names_of_node_exporter_have_the_same_numbers() {
    let node = Options {
        compat: Some(Compat::Node),
        ..ALL
    };
    let text = exposed(Some(&scrape("sda")), &node, Form::Text);
    has(&text, "node_disk_reads_completed_total{device=\"sda\"} 110");
    has(
        &text,
        "node_disk_read_time_seconds_total{device=\"sda\"} 12.345678901",
    );
    has(&text, "node_disk_written_bytes_total{device=\"sda\"} 8192");
    has(&text, "node_disk_io_now{device=\"sda\"} 1");
    has(
        &text,
        "node_disk_io_time_weighted_seconds_total{device=\"sda\"} 1.5",
    );
    assert!(!exposed(Some(&scrape("sda")), &ALL, Form::Text).contains("node_disk"));
}

/// Two cgroups, of which one has no path and one an odd one, and what found no room.
#[test]
fn cgroups_have_labels_and_exact_numbers() {
    let mut scrape = scrape("sda");
    let text = exposed(Some(&scrape), &ALL, Form::Text);
    assert!(!text.contains("cgroup"), "{text}");
    let key = |number, cgroup| Key {
        number,
        cgroup,
        class: 1,
    };
    let account = |operations| Account {
        ios: operations + 1,
        bytes: u64::MAX,
        operations,
        duration_ns: 1_500_000_001,
        service_ns: 7,
        buckets: vec![(20, operations)],
    };
    let accounts = [
        (key(7, 11), account(3)),
        (key(7, 12), account(4)),
        (key(7, 13), account(5)),
        // Of a disk that is not exported.
        (key(8, 11), account(9)),
        (key(u32::MAX, 0), account(1)),
    ];
    let paths = [(11, "/a\"b"), (13, "/a\"b")];
    scrape.sample.cgroups = Some(Rc::new(Cgroups {
        accounts: accounts.into(),
        paths: Rc::new(paths.map(|(id, path)| (id, path.to_owned())).into()),
    }));
    scrape.cgroups = cgroups::of_sample(&scrape.sample, &scrape.names);
    let text = exposed(Some(&scrape), &ALL, Form::Text);
    for (cgroup, device, operations) in [
        ("/a\\\"b", "sda", 3),
        ("12", "sda", 4),
        ("/a\\\"b#13", "sda", 5),
        ("other", "", 1),
    ] {
        let labels = format!("cgroup=\"{cgroup}\",device=\"{device}\",operation=\"read\"");
        has(
            &text,
            &format!("iostat_cgroup_operations_total{{{labels}}} {operations}"),
        );
        has(
            &text,
            &format!("iostat_cgroup_ios_total{{{labels}}} {}", operations + 1),
        );
        has(
            &text,
            &format!("iostat_cgroup_service_seconds_total{{{labels}}} 0.000000007"),
        );
        has(
            &text,
            &format!("iostat_cgroup_bytes_total{{{labels}}} 18446744073709551615"),
        );
        has(
            &text,
            &format!("iostat_cgroup_latency_seconds_sum{{{labels}}} 1.500000001"),
        );
        has(
            &text,
            &format!("iostat_cgroup_latency_seconds_count{{{labels}}} {operations}"),
        );
    }
    assert_eq!(text.matches("iostat_cgroup_ios_total{").count(), 4);
}
