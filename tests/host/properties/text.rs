// SPDX-License-Identifier: GPL-2.0

//! Lines made from any names and numbers.

use super::config;
use iostat::{
    abi::{
        identity::Identity,
        name::Name,
        text::{
            device,
            header,
            stat,
            stat_header,
            Statistic,
            DEVSTAT,
            KSTAT,
            SERVICE,
            SNAPTIME, //
        },
    },
    acct::{
        class::{
            Class,
            Tag, //
        },
        counts::Counts,
        queue::Queue,
        snapshot::Snapshot, //
    },
};
use proptest::{
    collection::vec,
    prelude::*, //
};

/// A snapshot of unrelated numbers.
fn snapshot() -> impl Strategy<Value = Snapshot> {
    vec(any::<u64>(), 64).prop_map(|words| {
        let mut words = words.into_iter();
        let mut word = || words.next().unwrap();
        let mut snapshot = Snapshot {
            now: word(),
            wtime: word(),
            wlentime: word(),
            rtime: word(),
            rlentime: word(),
            busy_time: word(),
            ..Snapshot::default()
        };
        let devstat = &mut snapshot.record.devstat;
        devstat.start_count = word();
        devstat.counts.each_mut().for_each(|count| *count = word());
        devstat.bytes.fill_with(&mut word);
        devstat.duration.fill_with(&mut word);
        devstat.service.fill_with(&mut word);
        devstat.completed.fill_with(&mut word);
        let mut queue = || {
            let n_in = word();
            Queue {
                n_in,
                t_in: word(),
                // Empty in half of the cases.
                n_out: n_in.wrapping_sub([0, 0, 1, 2][word() as usize % 4]),
                t_out: word(),
                last: word(),
            }
        };
        snapshot.record.waitq = queue();
        snapshot.record.runq = queue();
        snapshot
    })
}

/// A disk with a name of at least one character, as in the kernel.
fn identity() -> impl Strategy<Value = Identity> {
    (
        vec(1..=u8::MAX, 1..40),
        any::<[u32; 6]>(),
        any::<[u64; 2]>(),
    )
        .prop_map(|(name, small, large)| Identity {
            name: Name::new(&name),
            device_name: Name::new(&name),
            unit_number: small[1],
            driver: Name::new(&name),
            number: small[0],
            // A hidden disk has no device number.
            dev: if small[5] & 2 != 0 { small[1] } else { 0 },
            is_partition: small[2] & 1 != 0,
            // An entry without a block device has no diskseq.
            diskseq: if small[5] & 1 != 0 { large[0] } else { 0 },
            crtime: large[1],
            priority: small[3],
            device_type: small[4],
            flags: small[0],
            block_size: small[5],
        })
}

/// Returns every column by name, in the documented order.
fn columns(snapshot: &Snapshot) -> Vec<(&'static str, u64)> {
    let (devstat, waitq, runq) = (
        &snapshot.record.devstat,
        &snapshot.record.waitq,
        &snapshot.record.runq,
    );
    let last_update = |queue: &Queue<u64>| match queue.n_in == queue.n_out {
        true => queue.last.min(snapshot.now),
        false => snapshot.now,
    };
    let ends = [
        ("snaptime", snapshot.now),
        ("start_count", devstat.start_count),
        ("end_count", devstat.end_count()),
    ];
    let names = Counts::<u64>::NAMES.iter();
    let names = names.map(|name| name.to_str().unwrap());
    let counts = names.zip(devstat.counts.each().copied());
    let others = [
        ("bytes_none", devstat.bytes[0]),
        ("bytes_read", devstat.bytes[1]),
        ("bytes_write", devstat.bytes[2]),
        ("bytes_free", devstat.bytes[3]),
        ("operations_none", devstat.operations(Class::NoData)),
        ("operations_read", devstat.operations(Class::Read)),
        ("operations_write", devstat.operations(Class::Write)),
        ("operations_free", devstat.operations(Class::Free)),
        ("duration_none_ns", devstat.duration[0]),
        ("duration_read_ns", devstat.duration[1]),
        ("duration_write_ns", devstat.duration[2]),
        ("duration_free_ns", devstat.duration[3]),
        ("busy_time_ns", snapshot.busy_time),
        ("tag_simple", devstat.tag_types(Tag::Simple)),
        ("tag_head", devstat.tag_types(Tag::Head)),
        ("tag_ordered", devstat.tag_types(Tag::Ordered)),
        ("service_none_ns", devstat.service[0]),
        ("service_read_ns", devstat.service[1]),
        ("service_write_ns", devstat.service[2]),
        ("service_free_ns", devstat.service[3]),
        ("nread", devstat.bytes[1]),
        ("nwritten", devstat.bytes[2]),
        ("reads", devstat.operations(Class::Read)),
        ("writes", devstat.operations(Class::Write)),
        ("wtime", snapshot.wtime),
        ("wlentime", snapshot.wlentime),
        ("wlastupdate", last_update(waitq)),
        ("rtime", snapshot.rtime),
        ("rlentime", snapshot.rlentime),
        ("rlastupdate", last_update(runq)),
        ("wcnt", waitq.n_in.wrapping_sub(waitq.n_out)),
        ("rcnt", runq.n_in.wrapping_sub(runq.n_out)),
    ];
    ends.into_iter().chain(counts).chain(others).collect()
}

/// Returns the values of all statistics as text.
fn values(snapshot: &Snapshot) -> Vec<String> {
    let statistics = [&SNAPTIME]
        .into_iter()
        .chain(&DEVSTAT)
        .chain(&SERVICE)
        .chain(&KSTAT);
    let value = |statistic: &Statistic| (statistic.value)(snapshot).to_string();
    statistics.map(value).collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_word_of_a_stat_line_is_the_value_its_header_names(snapshot in snapshot()) {
        let (mut names, mut line) = (String::new(), String::new());
        stat_header(&mut names).unwrap();
        stat(&mut line, &snapshot).unwrap();
        prop_assert_eq!(words(&line), values(&snapshot));
        let parse = |word: &str| word.parse::<u64>().unwrap();
        let parsed = words(&line).into_iter().map(parse);
        let parsed: Vec<_> = words(&names).into_iter().zip(parsed).collect();
        prop_assert_eq!(words(&names).len(), words(&line).len());
        prop_assert_eq!(parsed, columns(&snapshot));
    }

    #[test]
    fn every_device_line_has_the_words_of_the_header(
        snapshot in snapshot(),
        disk in identity(),
        generation: u64,
        numdevs: usize,
    ) {
        let (mut head, mut line) = (String::new(), String::new());
        header(&mut head, generation, numdevs).unwrap();
        device(&mut line, &disk, &snapshot).unwrap();
        let head: Vec<&str> = head.lines().collect();
        prop_assert_eq!(head.len(), 2);
        prop_assert!(line.ends_with('\n') && line.lines().count() == 1);
        prop_assert_eq!(words(head[1]).len(), words(&line).len());
        let line = words(&line);
        let (who, what) = line.split_at(7);
        prop_assert_eq!(who, [
            disk.name.to_string(),
            disk.number.to_string(),
            format!("{}:{}", disk.dev >> 20, disk.dev & 0xf_ffff),
            disk.diskseq.to_string(),
            disk.priority.to_string(),
            disk.crtime.to_string(),
            match (disk.is_partition, disk.diskseq, disk.dev, disk.device_type & 0xf) {
                (true, ..) => "partition",
                (false, 0, 0, 1) => "tape",
                (false, 0, 0, _) => "misc",
                (false, 0, ..) => "nfs",
                (false, ..) => "disk",
            }
            .to_string(),
        ]);
        prop_assert_eq!(what, values(&snapshot));
    }
}
