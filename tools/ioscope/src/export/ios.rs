// SPDX-License-Identifier: GPL-2.0

//! What the page shows of single I/Os, those in flight and slow ones: what all users may see, also if root serves it.

use super::query::Query;
use super::recorded::Array;
use crate::json::io::{FlightJson, SlowJson};
use crate::json::time;
use crate::sample::Sample;
use crate::slow::{Log, SlowIo};
use anyhow::Result;

/// The device that is asked for, or all.
pub enum Asked {
    All,
    Number(u32),
    /// There is no such device.
    Nothing,
}

impl Asked {
    pub fn new(query: &Query, sample: &Sample) -> Self {
        let Some(name) = query.get("device") else {
            return Asked::All;
        };
        let mut entries = sample.entries.iter();
        match entries.find(|entry| entry.device.name == name) {
            Some(entry) => Asked::Number(entry.device.number),
            None => Asked::Nothing,
        }
    }
}

/// Adds I/Os of a sample.
pub type PushIos = fn(&mut Array, &Sample, &Asked) -> Result<()>;

/// Those in flight, the oldest first.
pub fn push_in_flight(array: &mut Array, sample: &Sample, asked: &Asked) -> Result<()> {
    let time = time(sample.wall_ns);
    let mut flights = sample.in_flight.iter().flat_map(|all| &all.oldest);
    flights.try_for_each(|flight| {
        let is_asked = match asked {
            Asked::All => true,
            Asked::Number(number) => flight.is_of(*number),
            Asked::Nothing => false,
        };
        match is_asked {
            true => array.push(&FlightJson::new(&time, flight).public()),
            false => Ok(()),
        }
    })
}

/// Those that were slow, in the order in which they ended.
pub fn push_slow(array: &mut Array, sample: &Sample, asked: &Asked) -> Result<()> {
    let rings = sample.slow.as_deref().unwrap_or_default();
    push_ended(array, &Log::default().add(rings), asked)
}

/// The same of I/Os with their disks.
pub fn push_ended(array: &mut Array, ios: &[(u32, SlowIo)], asked: &Asked) -> Result<()> {
    let is_asked = |disk: u32, io: &SlowIo| match asked {
        Asked::All => true,
        Asked::Number(number) => disk == *number || io.number == *number,
        Asked::Nothing => false,
    };
    let mut ios = ios.iter().filter(|(disk, io)| is_asked(*disk, io));
    ios.try_for_each(|(_, io)| array.push(&SlowJson::new(io).public()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inflight::{parse as flights, InFlight};
    use crate::sample::{Device, Entry, Kind, Times};
    use crate::slow::{parse as slow_ios, Ring};
    use iostat_map::Snapshot;
    use std::rc::Rc;

    const FLIGHTS: &str = "device number phase age_ns service_ns op sector bytes pid comm\n\
        sda1 3 running 700 300 read 8 4096 31 secret\n\
        sdb 4 waiting 5 0 write 8 4096 31 secret\n";
    const SLOW: &str =
        "device number end_ns wait_ns service_ns error wcnt rcnt op sector bytes pid comm cgroup\n\
        sda1 3 9000 100 800 5 1 2 write 8 4096 77 secret 12\n\
        sda 2 8000 0 900 0 0 0 write 8 4096 77 secret 12\n";

    /// The disk sda with its partition sda1, and sdb.
    fn sample() -> Sample {
        let entry = |(number, name, parent): (u32, &str, Option<u32>)| Entry {
            device: Rc::new(Device {
                kind: if parent.is_some() {
                    Kind::Partition
                } else {
                    Kind::Disk
                },
                parent,
                ..Device::disk(number, name)
            }),
            counters: Snapshot::default(),
            times: Times::default(),
        };
        let devices = [(2, "sda", None), (3, "sda1", Some(2)), (4, "sdb", None)];
        let mut in_flight = InFlight::new(flights(FLIGHTS).unwrap_or_default(), 64);
        in_flight.oldest[0].disk = Some(2);
        let ring = Ring {
            disk: 2,
            ios: slow_ios(SLOW).unwrap_or_default(),
        };
        Sample {
            entries: devices.map(entry).into(),
            in_flight: Some(in_flight),
            slow: Some(vec![Rc::new(ring)]),
            ..Sample::default()
        }
    }

    fn answer(push: PushIos, query: &str) -> String {
        let (sample, mut array) = (sample(), Array::new());
        let query = Query::parse(query).unwrap_or_default();
        let pushed = push(&mut array, &sample, &Asked::new(&query, &sample));
        assert!(pushed.is_ok());
        String::from_utf8(array.end()).unwrap_or_default()
    }

    #[test]
    fn ios_are_those_of_the_device() {
        let counts = |push: PushIos| {
            let queries = ["", "device=sda", "device=sda1", "device=sdb", "device=sdc"];
            queries.map(|query| answer(push, query).matches("\"number\"").count())
        };
        assert_eq!(counts(push_in_flight), [2, 1, 1, 1, 0]);
        assert_eq!(counts(push_slow), [2, 2, 1, 0, 0]);
    }

    #[test]
    fn what_is_not_for_all_users_is_left_out() {
        for text in [answer(push_in_flight, ""), answer(push_slow, "")] {
            for what in ["op", "sector", "bytes", "thread", "comm"] {
                let nulls = text.matches(&format!("\"{what}\":null")).count();
                assert_eq!(nulls, 2, "{what}: {text}");
            }
            assert!(!text.contains("secret") && !text.contains("12"), "{text}");
        }
    }
}
