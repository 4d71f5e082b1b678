// SPDX-License-Identifier: GPL-2.0

//! Text that is generated while it is read is the same whatever the sizes of the reads.

use super::{
    config,
    records::{
        slice,
        Records, //
    }, //
};
use iostat::{
    abi::{
        identity::Identity,
        latency,
        name::Name,
        pager::{
            Piece,
            BUFFER, //
        },
        region_text::{
            AreaLine,
            Printed, //
        },
        text, //
    },
    acct::{
        class::Class,
        histogram::{
            Histogram,
            Phase,
            BUCKETS, //
        },
        record::{
            CpuRecord,
            RecordWrite, //
        },
        region::{
            area::Completed,
            columns::{
                Classes,
                Columns,
                Unit, //
            },
            geometry::Geometry, //
        },
        snapshot::{
            collect_histogram,
            Snapshot, //
        }, //
    },
};
use proptest::{
    collection::vec,
    prelude::*, //
};

fn lengths() -> impl Strategy<Value = Vec<usize>> {
    vec(
        prop_oneof![8 => 0..300usize, 1 => 3000..5000usize, 1 => Just(3 * BUFFER)],
        0..60,
    )
}

/// An identity and numbers of the maximal length.
fn longest() -> Identity {
    Identity {
        name: Name::new(&[b'\n'; 255]),
        device_name: Name::new(&[b'\n'; 255]),
        unit_number: u32::MAX,
        driver: Name::new(&[b'\n'; 255]),
        number: u32::MAX,
        dev: u32::MAX,
        is_partition: true,
        diskseq: u64::MAX,
        crtime: u64::MAX,
        priority: u32::MAX,
        device_type: u32::MAX,
        flags: u32::MAX,
        block_size: u32::MAX,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_after_the_other_reads_make_the_text(
        lengths in lengths(),
        most in prop_oneof![Just(usize::MAX), 1..5usize],
        sizes in vec(1..3 * BUFFER, 1..20),
    ) {
        let mut records = Records::new(&lengths, most);
        let (all, mut got) = (records.all(), Vec::new());
        for size in sizes.iter().cycle() {
            let piece = records.at(got.len() as u64, *size);
            if piece.is_empty() {
                break;
            }
            got.extend(piece);
        }
        prop_assert_eq!(&got, &all);
        prop_assert_eq!(records.starts, 1);
        // Reading at the end returns nothing any number of times.
        prop_assert!(records.at(got.len() as u64, 1).is_empty());
        prop_assert!(records.at(u64::MAX, 1).is_empty());
    }

    #[test]
    fn a_read_anywhere_is_of_the_text(
        lengths in lengths(),
        most in prop_oneof![Just(usize::MAX), 1..5usize],
        reads in vec((0..40_000u64, 1..2 * BUFFER), 1..30),
    ) {
        let mut records = Records::new(&lengths, most);
        let all = records.all();
        for (position, size) in reads {
            let got = records.at(position, size);
            prop_assert_eq!(&got[..], slice(&all, position, got.len()));
            prop_assert_eq!(got.is_empty(), position >= all.len() as u64);
        }
    }

    #[test]
    fn a_program_that_goes_back_to_the_end_of_a_line_finds_it_in_the_buffer(
        lengths in vec(0..300usize, 0..200),
        most in prop_oneof![Just(usize::MAX), 1..5usize],
        size in 301..=BUFFER,
    ) {
        let mut records = Records::new(&lengths, most);
        let (all, mut at, mut lines) = (records.all(), 0, Vec::new());
        // As bash reads a pipe.
        loop {
            let piece = records.at(at, size);
            let Some(end) = piece.iter().position(|byte| *byte == b'\n') else {
                prop_assert!(piece.is_empty());
                break;
            };
            lines.extend_from_slice(&piece[..=end]);
            at += end as u64 + 1;
        }
        prop_assert_eq!(lines, all);
        prop_assert_eq!(records.starts, 1);
    }

    #[test]
    fn a_line_of_an_area_in_parts_is_the_line(
        counts in vec(any::<u64>(), 0..600),
        numbers in any::<[u64; 12]>(),
        has_classes in any::<bool>(),
        rooms in vec(400..BUFFER, 1..10),
    ) {
        let geometry = Geometry::new(1000, 500, 100).unwrap();
        let mut columns = Columns::default();
        columns.read.ios = numbers[0];
        columns.write.ticks_ns = numbers[1];
        columns.io_ticks_read_ns = numbers[2];
        let classes = Classes {
            free: Completed { ios: numbers[3], sectors: numbers[4], ticks_ns: numbers[5], merges: 0 },
            ..Classes::default()
        };
        let line = AreaLine {
            geometry: &geometry,
            area: 2,
            printed: Printed {
                columns: &columns,
                in_flight: numbers[6],
                classes: has_classes.then_some(&classes),
                unit: Unit::Ns,
            },
            buckets: counts.len(),
        };
        let mut expected = format!(
            "1200+100 {} 0 0 0 0 0 0 {} {} 0 0 {} 0",
            numbers[0], numbers[1], numbers[6], numbers[2]
        );
        for (index, count) in counts.iter().enumerate() {
            expected += if index == 0 { " " } else { ":" };
            expected += &count.to_string();
        }
        if has_classes {
            expected += &format!(
                " length:100 read:0:0:0:0 write:0:0:0:0 free:{}:0:{}:{}",
                numbers[3], numbers[4], numbers[5]
            );
        }
        expected += "\n";
        let (mut got, mut part, mut asked) = (Vec::new(), 0, Vec::new());
        for room in rooms.iter().cycle() {
            let mut buffer = vec![0; *room];
            let mut piece = Piece::new(&mut buffer, 0);
            part = line.write(&mut piece, part, |bucket| {
                asked.push(bucket);
                counts[bucket]
            });
            let len = piece.len();
            got.extend_from_slice(&buffer[..len]);
            if part == line.parts() {
                break;
            }
        }
        prop_assert_eq!(String::from_utf8(got).unwrap(), expected);
        // Each area is requested once: what is cleared is what was written.
        prop_assert_eq!(asked, (0..counts.len()).collect::<Vec<_>>());
    }
}

#[test]
fn the_longest_lines_of_a_device_fit_the_buffer() {
    let disk = longest();
    let mut snapshot = Snapshot {
        now: u64::MAX,
        ..Snapshot::default()
    };
    snapshot.record.devstat.bytes = [u64::MAX; 4];
    let mut buffer = vec![0; BUFFER];
    let mut piece = Piece::new(&mut buffer, 0);
    assert!(piece.record(|out| text::header(out, u64::MAX, usize::MAX)));
    assert!(piece.record(|out| text::device(out, &disk, &snapshot)));
    let columns = text::DEVSTAT.len() + text::SERVICE.len() + text::KSTAT.len() + 1;
    assert!(piece.len() + columns * 21 < BUFFER);
    // As many counts of 20 digits as there are buckets from the shortest to the longest time.
    let (mut histogram, cpu) = (Histogram::default(), CpuRecord::default());
    for time_ns in [0, u64::MAX - 1] {
        let record = cpu.write();
        record.record_times(Class::Read as usize, time_ns, time_ns);
    }
    let cpus = std::iter::once(&cpu);
    collect_histogram(cpus, Class::Read, Phase::Service, &mut histogram);
    histogram.counts = [10_000_000_000_000_000_000; BUCKETS];
    let mut piece = Piece::new(&mut buffer, 0);
    assert!(piece.record(|out| latency::line(out, &disk, Class::Read, Phase::Service, &histogram)));
    assert!(piece.len() > BUCKETS * 25);
}
