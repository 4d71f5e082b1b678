// SPDX-License-Identifier: GPL-2.0

//! What is written is read again; what is altered or cut off is read up to there, and never more than was written.

use super::reader::Reader;
use super::writer::Writer;
use crate::cgroup::{Account, Cgroups, Key};
use crate::inflight::{Flight, InFlight};
use crate::kstat::{Kstat, Value};
use crate::quantile::tests::bounds;
use crate::region::{Area, Measured, Region};
use crate::sample::{Device, Entry, Event, Kind, Sample, Times};
use crate::slow::{Ring, SlowIo, MOST_OF_DISK};
use anyhow::Result;
use iostat_map::layout::BUCKETS;
use iostat_map::{Histogram, Snapshot};
use proptest::prelude::*;
use std::rc::Rc;

fn entry((number, words, time): (u32, [u64; 4], u64)) -> Entry {
    let mut times = Times::default();
    let mut counts = [0; BUCKETS];
    counts[time as usize % BUCKETS] = time;
    times[time as usize % 4][2] = Some(Rc::new(Histogram {
        counts,
        longest: time,
        shortest_inverted: !time,
    }));
    Entry {
        device: Rc::new(Device {
            number,
            name: format!("disk{number}"),
            kind: Kind::Disk,
            diskseq: 1,
            crtime: 7,
            major: 8,
            minor: number,
            parent: None,
            driver: String::new(),
        }),
        counters: Snapshot {
            number,
            snaptime: words[0],
            bytes: words,
            rlastupdate: words[1],
            rcnt: words[2],
            service: [words[3]; 4],
            ..Snapshot::default()
        },
        times,
    }
}

fn measured(device: u32, id: u32, words: [u64; 4]) -> Measured {
    let area = |index: u64| Area {
        start: index * 8,
        len: 8,
        ios: [words[0], words[1]],
        queue_ns: words[2].wrapping_mul(index),
        ..Area::default()
    };
    Measured {
        device,
        region: Region {
            id,
            start: 0,
            len: 24,
            step: 8,
            program: "ioscope".to_owned(),
            aux: "-".to_owned(),
            precise: true,
        },
        areas: (0..3).map(area).collect(),
    }
}

fn kstat(number: u32, words: [u64; 4]) -> Kstat {
    let [one, two, three, four] = words;
    let named = |name: &str, value| (name.as_bytes().to_vec(), value);
    Kstat {
        module: b"m".to_vec(),
        instance: number as i32,
        name: b"n".to_vec(),
        class: b"c".to_vec(),
        kstat_type: 1,
        snaptime: one,
        statistics: vec![
            named("bits", Value::Bits(two)),
            named("class", Value::Text(b"c".to_vec())),
            named("number", Value::Unsigned(three)),
            named("signed", Value::Signed(four as i64)),
        ],
    }
}

/// What is in flight: nothing, an I/O, or not known.
fn in_flight(number: u32, seed: u64) -> Option<InFlight> {
    let flight = Flight {
        device: format!("disk{number}"),
        number,
        disk: None,
        is_running: seed % 2 == 0,
        age_ns: seed,
        service_ns: 0,
        op: Some("read".to_owned()),
        sector: Some(seed),
        bytes: None,
        pid: None,
        comm: None,
    };
    (seed % 3 != 0).then(|| InFlight::new((seed % 3 == 1).then_some(flight), 64))
}

/// Accounts by cgroup: of no cgroup, of some, or none at all.
fn cgroups(numbers: &[u32], seed: u64) -> Option<Rc<Cgroups>> {
    let accounts = numbers.iter().map(|number| {
        let key = Key {
            number: *number,
            cgroup: seed % 3,
            class: 1,
        };
        let account = Account {
            ios: seed,
            buckets: vec![(number.to_le_bytes()[0], seed)],
            ..Account::default()
        };
        (key, account)
    });
    let cgroups = Cgroups {
        accounts: accounts.collect(),
        paths: Rc::new([(seed % 3, format!("/{}", seed % 3))].into()),
    };
    (seed % 4 != 0).then(|| Rc::new(cgroups))
}

/// The ring of a disk once so many I/Os were slow.
fn ring(disk: u32, count: u64) -> Rc<Ring> {
    let io = |index| SlowIo {
        number: disk,
        end_ns: index,
        wall_ns: index as i64,
        comm: Some("a".to_owned()),
        ..SlowIo::default()
    };
    let ios = (0..count).rev().map(io).take(MOST_OF_DISK);
    Rc::new(Ring {
        disk,
        ios: ios.collect(),
    })
}

/// As many I/Os become slow as each sample says, of a disk while it is there.
fn with_slow(samples: &mut [(Sample, Option<u64>)]) {
    let mut counts = std::collections::HashMap::new();
    for (sample, more) in samples {
        let disks: Vec<_> = sample.entries.iter().map(|e| e.device.number).collect();
        let mut ring_of = |disk: &u32| {
            let count = counts.entry(*disk).or_insert(1);
            *count += more.unwrap_or(0);
            ring(*disk, *count)
        };
        let rings: Vec<_> = disks.iter().map(&mut ring_of).collect();
        sample.slow = more.map(|_| rings);
    }
}

fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let device = (0u32..4, any::<[u64; 4]>(), any::<u64>());
    let devices = prop::collection::vec(device, 0..4);
    let events = prop::collection::vec(("[a-c] [a-c]", any::<u64>()), 0..4);
    let sample = (devices, events, any::<bool>()).prop_map(|(mut devices, events, has_events)| {
        devices.sort_by_key(|(number, ..)| *number);
        devices.dedup_by_key(|(number, ..)| *number);
        let event = |(label, total): (String, u64)| Event {
            label,
            kind: "misc".to_owned(),
            total: total.max(1),
            rate: None,
        };
        let mut events: Vec<Event> = events.into_iter().map(event).collect();
        events.sort_by(|a, b| a.label.cmp(&b.label));
        events.dedup_by(|a, b| a.label == b.label);
        let regions = devices.iter().flat_map(|(number, words, seed)| {
            // Another list of regions now and then.
            let count = seed % 3;
            (0..count).map(move |id| measured(*number, id as u32, *words))
        });
        let kstats = devices
            .iter()
            .map(|(number, words, _)| kstat(*number, *words));
        let seed = devices.first().map_or(0, |(_, _, seed)| *seed);
        let numbers: Vec<u32> = devices.iter().map(|(number, ..)| *number).collect();
        Sample {
            cgroups: cgroups(&numbers, seed),
            sizes: (seed % 5 != 0).then(|| {
                let of = |number: &u32| {
                    let mut counts = [0; iostat_map::SIZES];
                    counts[seed as usize % counts.len()] = seed;
                    ((*number, 2), counts)
                };
                numbers.iter().map(of).collect()
            }),
            in_flight: in_flight(1, seed),
            regions: regions.collect(),
            kstats: kstats.collect(),
            entries: devices.iter().copied().map(entry).collect(),
            events: has_events.then(|| Rc::new(events.into_iter().collect())),
            ..Sample::default()
        }
    });
    let slow = prop::option::weighted(0.8, prop_oneof![0u64..3, 60u64..70]);
    let numbered = |mut samples: Vec<(Sample, Option<u64>)>| {
        with_slow(&mut samples);
        let all = samples.into_iter().map(|(sample, _)| sample).enumerate();
        let number = |(index, sample): (usize, Sample)| Sample {
            wall_ns: index as i64,
            ..sample
        };
        all.map(number).collect()
    };
    prop::collection::vec((sample, slow), 1..8).prop_map(numbered)
}

fn written(samples: &[Sample]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &bounds())?;
    for sample in samples {
        writer.sample(sample)?;
    }
    assert_eq!(writer.bytes(), bytes.len() as u64);
    Ok(bytes)
}

fn read(bytes: &[u8]) -> Result<Vec<Sample>> {
    let mut reader = Reader::new(bytes)?;
    let mut samples = Vec::new();
    while let Some(sample) = reader.sample()? {
        samples.push(sample);
    }
    Ok(samples)
}

/// Whether two samples say the same. A time that a sample lacks, and an earlier one had, is as it was.
fn is_same(one: &Sample, other: &Sample) -> bool {
    let events = |sample: &Sample| {
        sample.events.as_ref().map(|events| {
            let mut list = events.list().to_vec();
            list.sort_by(|a, b| a.label.cmp(&b.label));
            list
        })
    };
    // Of paths, those that are needed are there.
    let accounts = |sample: &Sample| {
        let cgroups = sample.cgroups.as_ref()?;
        let named = cgroups.accounts.iter();
        let named = named.map(|(key, account)| (cgroups.name(key), *key, account.clone()));
        Some(named.collect::<Vec<_>>())
    };
    let same_entry = |(one, other): (&Entry, &Entry)| {
        let times = one.times.iter().flatten().zip(other.times.iter().flatten());
        let mut written = times.filter(|(one, _)| one.is_some());
        one.device == other.device
            && one.counters == other.counters
            && written.all(|(one, other)| one == other)
    };
    one.wall_ns == other.wall_ns
        && one.regions == other.regions
        && one.kstats == other.kstats
        && events(one) == events(other)
        && one.in_flight == other.in_flight
        && one.slow == other.slow
        && accounts(one) == accounts(other)
        && one.sizes == other.sizes
        && one.entries.len() == other.entries.len()
        && one.entries.iter().zip(&other.entries).all(same_entry)
}

#[test]
fn other_files_are_refused() {
    assert!(Reader::new(&b""[..]).is_err());
    assert!(Reader::new(&b"SQLite format 3\0"[..]).is_err());
}

#[test]
fn names_have_no_control_characters() -> Result<()> {
    const ODD: &str = "a\u{9b}2J\n";
    const SHOWN: &str = "a\\302\\2332J\\012";
    let odd = || Some(ODD.to_owned());
    let mut sample = Sample {
        entries: vec![entry((1, [1; 4], 0))],
        regions: vec![measured(1, 0, [1; 4])],
        in_flight: in_flight(1, 1),
        slow: Some(vec![ring(1, 1)]),
        cgroups: cgroups(&[1], 1),
        ..Sample::default()
    };
    Rc::make_mut(&mut sample.entries[0].device).name = ODD.to_owned();
    sample.events = Some(Rc::new(
        [Event {
            label: format!("{ODD} {ODD}"),
            kind: ODD.to_owned(),
            total: 1,
            rate: None,
        }]
        .into_iter()
        .collect(),
    ));
    let region = &mut sample.regions[0].region;
    (region.program, region.aux) = (ODD.to_owned(), ODD.to_owned());
    let Some(in_flight) = &mut sample.in_flight else {
        panic!("nothing is in flight");
    };
    in_flight.devices[0].device = ODD.to_owned();
    let flight = &mut in_flight.oldest[0];
    (flight.device, flight.op, flight.comm) = (ODD.to_owned(), odd(), odd());
    for ring in sample.slow.iter_mut().flatten() {
        let io = &mut Rc::make_mut(ring).ios[0];
        (io.device, io.op, io.comm) = (odd(), odd(), odd());
    }
    let Some(cgroups) = &mut sample.cgroups else {
        panic!("there is no cgroup");
    };
    let cgroups = Rc::make_mut(cgroups);
    let ids = cgroups
        .accounts
        .keys()
        .map(|key| (key.cgroup, ODD.to_owned()));
    cgroups.paths = Rc::new(ids.collect());
    let again = read(&written(&[sample])?)?.remove(0);
    assert_eq!(again.entries[0].device.name, SHOWN);
    let events = again.events.unwrap_or_default();
    assert_eq!(events.list()[0].label, format!("{SHOWN} {SHOWN}"));
    assert_eq!(events.list()[0].kind, SHOWN);
    let region = &again.regions[0].region;
    assert_eq!([&region.program, &region.aux], [SHOWN; 2]);
    let in_flight = again.in_flight.unwrap_or_default();
    let flight = &in_flight.oldest[0];
    assert_eq!([&in_flight.devices[0].device, &flight.device], [SHOWN; 2]);
    let texts = [&flight.op, &flight.comm];
    assert_eq!(texts.map(Option::as_deref), [Some(SHOWN); 2]);
    let slow = again.slow.unwrap_or_default();
    let io = &slow[0].ios[0];
    let texts = [&io.device, &io.op, &io.comm];
    assert_eq!(texts.map(Option::as_deref), [Some(SHOWN); 3]);
    let cgroups = again.cgroups.unwrap_or_default();
    assert!(!cgroups.accounts.is_empty());
    assert!(cgroups
        .accounts
        .keys()
        .all(|key| key.is_other() || cgroups.name(key) == SHOWN));
    Ok(())
}

#[test]
fn an_idle_disk_takes_few_bytes() -> Result<()> {
    let at = |second: u64| {
        let words = [second * 1_000_000_000, 5, 0, 5];
        Sample {
            wall_ns: second as i64 * 1_000_000_000,
            entries: vec![entry((1, words, 1000))],
            ..Sample::default()
        }
    };
    let (one, two) = (written(&[at(1)])?, written(&[at(1), at(11)])?);
    // Two words changed, snaptime and one of bytes, and the time of the day.
    assert!(two.len() - one.len() < 48, "{}", two.len() - one.len());
    Ok(())
}

proptest! {
    #[test]
    fn what_is_written_is_read(samples in samples()) {
        let bytes = written(&samples).unwrap_or_default();
        let again = read(&bytes).unwrap_or_default();
        prop_assert_eq!(samples.len(), again.len());
        for (one, other) in samples.iter().zip(&again) {
            prop_assert!(is_same(one, other), "{:?} {:?}", one, other);
        }
    }

    #[test]
    fn a_file_that_is_cut_off_is_read_up_to_there(samples in samples(), cut: prop::sample::Index) {
        let bytes = written(&samples).unwrap_or_default();
        let len = cut.index(bytes.len());
        let Ok(again) = read(&bytes[..len]) else {
            prop_assert!(len < 8);
            return Ok(());
        };
        prop_assert!(again.len() < samples.len());
        for (one, other) in samples.iter().zip(&again) {
            prop_assert!(is_same(one, other));
        }
    }

    #[test]
    fn an_altered_byte_ends_the_file(samples in samples(), at: prop::sample::Index, bits in 1u8..) {
        let mut bytes = written(&samples).unwrap_or_default();
        let at = at.index(bytes.len());
        bytes[at] ^= bits;
        let Ok(again) = read(&bytes) else {
            prop_assert!(at < 8);
            return Ok(());
        };
        prop_assert!(again.len() < samples.len());
        for (one, other) in samples.iter().zip(&again) {
            prop_assert!(is_same(one, other));
        }
    }

    /// Frames that are whole, and say anything.
    #[test]
    fn no_content_can_hurt(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..5)) {
        let mut bytes = written(&[Sample::default()]).unwrap_or_default();
        for content in frames {
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&crc32fast::hash(&content).to_le_bytes());
            bytes.extend_from_slice(&content);
        }
        prop_assert!(read(&bytes).is_ok());
    }
}
