// SPDX-License-Identifier: GPL-2.0

//! The rules of `ioscope why`. Each says only what its numbers show, and nothing where it knows too little.

use super::traced::Who;
use super::{percent, seconds, size, time, Facts, Finding};
use crate::cgroup::Account;
use crate::interval::Interval;
use crate::sample::{CLASSES, NONE, READ, WRITE};

/// A rule.
pub type Rule = fn(&Facts) -> Option<Finding>;

/// The rules on where the time goes.
pub const ALL: [Rule; 11] = [
    stalled, errors, requeues, tag_wait, queue_wait, slower, slow_tail, splits, unmerged, flushes,
    layers,
];

/// The rules on who does it.
pub const WHO: [Rule; 3] = [cgroup, process, file];

/// Of fewer I/Os nothing is said that is a matter of shares.
const ENOUGH: u64 = 10;
/// Of fewer I/Os nothing is said of the slowest hundredth.
const ENOUGH_FOR_TAIL: u64 = 500;
/// A part of the time that is worth a sentence, percent.
const LARGE_PERCENT: u64 = 25;
/// Most of it, percent.
const MOST_PERCENT: u64 = 60;
/// How often something happens that is worth a sentence, in a hundred I/Os.
const OFTEN_PERCENT: u64 = 10;
/// Times so many buckets apart differ by 2 times: there are four buckets to an octave.
const BUCKETS_OF_TWICE: usize = 4;
/// And by 4 times, for the slowest hundredth, which is less certain.
const BUCKETS_OF_FOUR_TIMES: usize = 8;
/// Times that differ by less are not compared, ns.
const SMALL_NS: u64 = 500_000;
/// I/Os that would take no longer if they were one, bytes.
const SMALL_BYTES: u64 = 16 << 10;

/// I/Os are in flight, and none ended.
fn stalled(facts: &Facts) -> Option<Finding> {
    let now = facts.interval.now();
    let in_flight = now.wcnt.saturating_add(now.rcnt);
    if in_flight == 0 || facts.ended() != 0 {
        return None;
    }
    let (at_device, ns) = (now.rcnt, facts.interval.ns());
    let text = format!(
        "I/Os in flight: {in_flight}, at the device: {at_device}; none ended in {}.",
        seconds(ns)
    );
    let values = [
        ("in_flight", in_flight),
        ("at_device", at_device),
        ("interval_ns", ns),
    ];
    Some(Finding::new("stalled", text, values))
}

/// I/Os ended with an error, or took longer than their time-out.
fn errors(facts: &Facts) -> Option<Finding> {
    let events = facts.interval.each_event()?;
    let errors = events
        .iter()
        .filter(|(name, _)| name.starts_with("errors_"));
    let (mut count, mut kinds) = (0u64, Vec::new());
    for (name, errors) in errors {
        count = count.saturating_add(*errors);
        let kind = name.trim_start_matches("errors_");
        kinds.push(format!("{kind} {errors}"));
    }
    let timeouts = facts.event("timeouts");
    let mut sentences = Vec::new();
    if count != 0 {
        sentences.push(format!(
            "{count} I/Os ended with an error: {}.",
            kinds.join(", ")
        ));
    }
    if timeouts != 0 {
        sentences.push(format!(
            "{timeouts} requests took longer than their time-out."
        ));
    }
    let values = [("errors", count), ("timeouts", timeouts)];
    (!sentences.is_empty()).then(|| Finding::new("errors", sentences.join(" "), values))
}

/// The driver gave requests back.
fn requeues(facts: &Facts) -> Option<Finding> {
    let (requeues, ended) = (facts.event("requeues"), facts.ended());
    if requeues == 0 || percent(requeues, ended.max(1)) < 1 {
        return None;
    }
    let text = format!(
        "The driver gave requests back {requeues} times, to be issued again later; {ended} I/Os ended meanwhile."
    );
    let values = [("requeues", requeues), ("ended", ended)];
    Some(Finding::new("requeues", text, values))
}

/// Whether the wait queue has a large part of the time.
fn waits_long(facts: &Facts) -> bool {
    let (wait_ns, service_ns) = (facts.wait_ns(), facts.service_ns());
    facts.ended() >= ENOUGH && percent(wait_ns, wait_ns.saturating_add(service_ns)) >= LARGE_PERCENT
}

fn has_tag_waits(facts: &Facts) -> bool {
    percent(facts.event("tag_waits"), facts.ended()) >= OFTEN_PERCENT
}

/// The wait is one for tags.
fn tag_wait(facts: &Facts) -> Option<Finding> {
    if !waits_long(facts) || !has_tag_waits(facts) {
        return None;
    }
    let tag_waits = facts.event("tag_waits");
    let (wait_ns, service_ns) = (facts.each(facts.wait_ns()), facts.each(facts.service_ns()));
    let requests = facts.queue.as_ref().and_then(|queue| queue.requests);
    let depth = requests.map_or(String::new(), |depth| format!(" (nr_requests is {depth})"));
    let text = format!(
        "I/Os wait for a tag: {tag_waits} times a task slept because all tags of its queue were in use{depth}. An I/O \
         waited {}, and the device took {}.",
        time(wait_ns),
        time(service_ns)
    );
    let values = [
        ("tag_waits", tag_waits),
        ("nr_requests", requests.unwrap_or(0)),
        ("wait_ns", wait_ns),
        ("service_ns", service_ns),
    ];
    Some(Finding::new("tag_wait", text, values))
}

/// It is not: the scheduler, or what holds requests back, has them.
fn queue_wait(facts: &Facts) -> Option<Finding> {
    // Without events it is not known which wait it is.
    facts.interval.each_event()?;
    // A flush waits until the disk has flushed, and what the driver gave back waits again.
    let is_known = has_tag_waits(facts) || flushes(facts).is_some() || requeues(facts).is_some();
    if !waits_long(facts) || is_known {
        return None;
    }
    let (wait_ns, service_ns) = (facts.each(facts.wait_ns()), facts.each(facts.service_ns()));
    let name = facts.queue.as_ref().and_then(|queue| {
        let name = queue.scheduler.as_deref()?;
        (name != "none").then(|| format!(" of the scheduler {name}"))
    });
    let active = facts.interval.active().unwrap_or(0.0);
    let text = format!(
        "I/Os wait in the queue{}: {} each, and the device took {}. It had {active:.1} of them at a time.",
        name.unwrap_or_default(),
        time(wait_ns),
        time(service_ns)
    );
    let values = [("wait_ns", wait_ns), ("service_ns", service_ns)];
    Some(Finding::new("queue_wait", text, values))
}

/// The device takes twice as long as it did.
fn slower(facts: &Facts) -> Option<Finding> {
    [READ, WRITE].into_iter().find_map(|class| {
        compare(
            facts,
            class,
            50.0,
            BUCKETS_OF_TWICE,
            ENOUGH,
            "slower",
            "Half",
        )
    })
}

/// Its slowest I/Os take four times as long as they did, and half of them no longer.
fn slow_tail(facts: &Facts) -> Option<Finding> {
    if slower(facts).is_some() {
        return None;
    }
    [READ, WRITE].into_iter().find_map(|class| {
        compare(
            facts,
            class,
            99.0,
            BUCKETS_OF_FOUR_TIMES,
            ENOUGH_FOR_TAIL,
            "slow_tail",
            "99 %",
        )
    })
}

/// Service times of a class against those before the interval.
fn compare(
    facts: &Facts,
    class: usize,
    quantile: f64,
    buckets: usize,
    enough: u64,
    rule: &'static str,
    part: &str,
) -> Option<Finding> {
    let (now, before) = facts.service_times(class)?;
    // The earlier times have to be those of many I/Os: they are what is usual.
    if now.total() < enough || before.total() < 10 * enough {
        return None;
    }
    let (index, usual) = (now.bucket(quantile)?, before.bucket(quantile)?);
    if index < usual + buckets {
        return None;
    }
    // Of the last bucket, which has no upper bound, the lower one.
    let lower_of_last = facts.bounds.last().copied().unwrap_or(u64::MAX);
    let bound = |index: usize| facts.bounds.get(index).copied().unwrap_or(lower_of_last);
    let (now_ns, usual_ns) = (bound(index), bound(usual));
    let text = format!(
        "The device is slower than before: {part} of its {}s took up to {}, and up to {} in the {} I/Os before.",
        CLASSES[class],
        time(now_ns),
        time(usual_ns),
        before.total()
    );
    let values = [
        ("now_ns", now_ns),
        ("before_ns", usual_ns),
        ("ios", now.total()),
        ("ios_before", before.total()),
    ];
    Some(Finding::new(rule, text, values))
}

/// I/Os are larger than the disk takes.
fn splits(facts: &Facts) -> Option<Finding> {
    let (splits, started) = (
        facts.event("splits"),
        facts.interval.growth(|s| s.start_count),
    );
    if splits < ENOUGH || percent(splits, started) < OFTEN_PERCENT {
        return None;
    }
    let most = facts.queue.as_ref().and_then(|queue| queue.max_kib);
    let limit = most.map_or(String::new(), |kib| format!(": max_sectors_kb is {kib}"));
    let text = format!("{splits} bios were split; {started} I/Os began{limit}.");
    let values = [
        ("splits", splits),
        ("started", started),
        ("max_sectors_kb", most.unwrap_or(0)),
    ];
    Some(Finding::new("splits", text, values))
}

/// I/Os that could be one are not.
fn unmerged(facts: &Facts) -> Option<Finding> {
    let traced = facts.traced?;
    let merges = [READ, WRITE].map(|class| facts.interval.merges(class).unwrap_or(0));
    let merges = merges.into_iter().fold(0, u64::saturating_add);
    let size_bytes = traced.adjacent_bytes / traced.adjacent.max(1);
    let is_often =
        traced.adjacent >= ENOUGH && percent(traced.adjacent, traced.started) >= MOST_PERCENT;
    let are_merged = percent(merges, traced.started) >= OFTEN_PERCENT;
    // One at a time there is nothing to merge with.
    if !is_often || are_merged || size_bytes > SMALL_BYTES || facts.in_flight() < 1.5 {
        return None;
    }
    let nomerges = facts.queue.as_ref().and_then(|queue| queue.nomerges);
    let setting = nomerges.map_or(String::new(), |value| format!(" (nomerges is {value})"));
    let text = format!(
        "I/Os that follow each other are not merged{setting}: {} of {} began where the one before ended, each of {}, \
         {:.1} were in flight at a time, and {merges} were merged.",
        traced.adjacent,
        traced.started,
        size(size_bytes),
        facts.in_flight()
    );
    let values = [
        ("adjacent", traced.adjacent),
        ("started", traced.started),
        ("merges", merges),
        ("bytes", size_bytes),
    ];
    Some(Finding::new("unmerged", text, values))
}

/// Flushes take a large part of the time.
fn flushes(facts: &Facts) -> Option<Finding> {
    let interval = facts.interval;
    let (flushes, passed) = (facts.event("flushes"), facts.event("passthrough"));
    let (count, flush_ns) = (interval.operations(NONE), interval.duration(NONE));
    let all_ns = (0..CLASSES.len()).fold(0u64, |sum, class| {
        sum.saturating_add(interval.duration(class))
    });
    // Commands that are passed through are in the same class.
    let are_others = passed > count / 10 || flushes == 0;
    if count < ENOUGH || are_others || percent(flush_ns, all_ns) < LARGE_PERCENT {
        return None;
    }
    let each_ns = flush_ns / count;
    let text = format!(
        "Flushes take {} % of the time of all I/Os: {count}, of {} each.",
        percent(flush_ns, all_ns),
        time(each_ns)
    );
    let values = [
        ("flushes", count),
        ("flush_ns", each_ns),
        ("all_ns", all_ns),
    ];
    Some(Finding::new("flushes", text, values))
}

/// The mean time of an I/O of a disk, from start to end, if there were enough.
fn mean_ns(interval: &Interval) -> Option<u64> {
    let ended = interval.growth(|s| s.end_count);
    let both = interval
        .growth(|s| s.wlentime)
        .saturating_add(interval.growth(|s| s.rlentime));
    (ended >= ENOUGH).then(|| both / ended)
}

/// The disk is made of others, and takes longer than they do, or one of them takes longer than the rest.
fn layers(facts: &Facts) -> Option<Finding> {
    let own_ns = mean_ns(facts.interval)?;
    let mut below: Vec<(&str, u64)> = facts
        .below
        .iter()
        .filter_map(|disk| Some((disk.device.name.as_str(), mean_ns(disk)?)))
        .collect();
    // The slowest first.
    below.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    let (slowest, slowest_ns) = *below.first()?;
    let is_longer = |one: u64, other: u64| one > other.saturating_mul(2) && one - other >= SMALL_NS;
    if is_longer(own_ns, slowest_ns) {
        let text = format!(
            "The time is its own, not of the disks below: an I/O took {}, and {} at most on {slowest}.",
            time(own_ns),
            time(slowest_ns)
        );
        let values = [("own_ns", own_ns), ("below_ns", slowest_ns)];
        return Some(Finding::new("layer", text, values));
    }
    let (next, next_ns) = *below.get(1)?;
    if !is_longer(slowest_ns, next_ns) {
        return None;
    }
    let text = format!(
        "One of the {} disks below is slow: an I/O took {} on {slowest}, and {} at most on the others ({next}).",
        below.len(),
        time(slowest_ns),
        time(next_ns)
    );
    let values = [("slowest_ns", slowest_ns), ("next_ns", next_ns)];
    Some(Finding::new("uneven", text, values))
}

/// What one has of all, if that is most of it.
fn most(facts: &Facts, who: Option<Who>) -> Option<(Who, u64, u64)> {
    let (traced, who) = (facts.traced?, who?);
    let of_time = percent(who.time_ns, traced.time_ns());
    let of_bytes = percent(who.bytes, traced.bytes());
    (of_time >= MOST_PERCENT).then_some((who, of_time, of_bytes))
}

/// One cgroup does most of it. That all is of the root says nothing.
fn cgroup(facts: &Facts) -> Option<Finding> {
    let sum = |of: fn(&Account) -> u64| {
        let all = facts.cgroups.iter().map(|(_, account)| of(account));
        all.fold(0, u64::saturating_add)
    };
    let (name, account) = facts
        .cgroups
        .iter()
        .max_by_key(|(_, account)| account.duration_ns)?;
    let of_time = percent(account.duration_ns, sum(|account| account.duration_ns));
    let of_bytes = percent(account.bytes, sum(|account| account.bytes));
    if name == "/" || of_time < MOST_PERCENT {
        return None;
    }
    let text =
        format!("The cgroup {name} has {of_time} % of the time and {of_bytes} % of the bytes.");
    let values = [("time_percent", of_time), ("bytes_percent", of_bytes)];
    Some(Finding::new("cgroup", text, values))
}

/// One process does most of it.
fn process(facts: &Facts) -> Option<Finding> {
    let (who, of_time, of_bytes) = most(facts, facts.traced?.process())?;
    let [process, comm] = who.parts.as_slice() else {
        return None;
    };
    let text = format!(
        "{comm} (process {process}) has {of_time} % of the time and {of_bytes} % of the bytes."
    );
    let values = [
        ("process", process.parse().ok()?),
        ("time_percent", of_time),
        ("bytes_percent", of_bytes),
    ];
    Some(Finding::new("process", text, values))
}

/// One file has most of it.
fn file(facts: &Facts) -> Option<Finding> {
    let (who, of_time, of_bytes) = most(facts, facts.traced?.file())?;
    let [fs, _mount, path] = who.parts.as_slice() else {
        return None;
    };
    // `<none>` and the like is not a file, and a disk's own node says no more than its name.
    if !path.starts_with('/') || path.starts_with("/dev/") {
        return None;
    }
    let text = format!(
        "The file {path} ({fs}) has {of_time} % of the time and {of_bytes} % of the bytes."
    );
    let values = [("time_percent", of_time), ("bytes_percent", of_bytes)];
    Some(Finding::new("file", text, values))
}
