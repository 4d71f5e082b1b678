// SPDX-License-Identifier: GPL-2.0

//! The reply to `@inflight`.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// An I/O in flight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flight {
    /// As `/dev/iostat` writes it: one word.
    pub device: String,
    pub number: u32,
    /// The number of a partition's disk, if it is known.
    pub disk: Option<u32>,
    /// Whether the driver has it.
    pub is_running: bool,
    pub age_ns: u64,
    /// The time at the device until now.
    pub service_ns: u64,
    /// `None`, as those that follow, if the user may not see it.
    pub op: Option<String>,
    pub sector: Option<u64>,
    pub bytes: Option<u64>,
    /// The thread that submitted it, and its name, as one word.
    pub pid: Option<u32>,
    pub comm: Option<String>,
}

impl Flight {
    pub fn phase(&self) -> &'static str {
        match self.is_running {
            true => "running",
            false => "waiting",
        }
    }

    /// Whether it is of this device, or of one of its partitions.
    pub fn is_of(&self, number: u32) -> bool {
        self.number == number || self.disk == Some(number)
    }
}

/// The I/Os in flight of one device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfDevice {
    pub device: String,
    pub number: u32,
    /// The number of a partition's disk, if it is known.
    pub disk: Option<u32>,
    pub waiting: u64,
    pub running: u64,
    pub oldest_age_ns: u64,
}

/// The I/Os of a reply. `None` if it is not such a reply.
pub fn parse(text: &str) -> Option<Vec<Flight>> {
    each(text)?.collect()
}

/// The I/Os of a reply, one after the other; `None` in place of an invalid line.
pub fn each(text: &str) -> Option<impl Iterator<Item = Option<Flight>> + '_> {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next()?.split(' ').collect();
    // Columns may be added.
    let place = |name: &str| columns.iter().position(|column| *column == name);
    let names = ["device", "number", "phase", "age_ns", "service_ns"];
    let more = ["op", "sector", "bytes", "pid", "comm"];
    let [device, number, phase, age, service] = names.map(place);
    let [op, sector, bytes, pid, comm] = more.map(place);
    Some(lines.map(move |line| {
        let words: Vec<&str> = line.split(' ').collect();
        let word = |place: Option<usize>| words.get(place?).copied();
        let known = |place: Option<usize>| word(place).filter(|word| *word != "-");
        Some(Flight {
            device: word(device)?.to_owned(),
            number: word(number)?.parse().ok()?,
            disk: None,
            is_running: word(phase)? == "running",
            age_ns: word(age)?.parse().ok()?,
            service_ns: word(service)?.parse().ok()?,
            op: known(op).map(str::to_owned),
            sector: known(sector).and_then(|word| word.parse().ok()),
            bytes: known(bytes).and_then(|word| word.parse().ok()),
            pid: known(pid).and_then(|word| word.parse().ok()),
            comm: known(comm).map(str::to_owned),
        })
    }))
}

/// What is in flight at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlight {
    /// Of the devices that have I/Os in flight, in the order in which they are found.
    pub devices: Vec<OfDevice>,
    /// The oldest I/Os of each, the oldest of all first.
    pub oldest: Vec<Flight>,
}

impl InFlight {
    /// Of each device, so many I/Os are kept: there may be many.
    pub fn new(flights: impl IntoIterator<Item = Flight>, most: usize) -> Self {
        let mut devices: Vec<OfDevice> = Vec::new();
        let (mut kept, mut indices) = (Vec::<Vec<Flight>>::new(), HashMap::new());
        for flight in flights {
            let index = *indices.entry(flight.number).or_insert(devices.len());
            if index == devices.len() {
                kept.push(Vec::new());
                devices.push(OfDevice {
                    device: flight.device.clone(),
                    number: flight.number,
                    disk: flight.disk,
                    waiting: 0,
                    running: 0,
                    oldest_age_ns: 0,
                });
            }
            let device = &mut devices[index];
            match flight.is_running {
                true => device.running += 1,
                false => device.waiting += 1,
            }
            device.oldest_age_ns = device.oldest_age_ns.max(flight.age_ns);
            let kept = &mut kept[index];
            kept.push(flight);
            if kept.len() > 2 * most {
                sort(kept);
                kept.truncate(most);
            }
        }
        for kept in &mut kept {
            sort(kept);
            kept.truncate(most);
        }
        let mut oldest = kept.concat();
        sort(&mut oldest);
        InFlight { devices, oldest }
    }
}

/// The oldest first.
fn sort(flights: &mut [Flight]) {
    flights.sort_by_key(|flight| std::cmp::Reverse(flight.age_ns));
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "device number phase age_ns service_ns op sector bytes pid comm\n\
        sda 1 running 700 300 read 8 4096 31 a\\040b\n\
        sdb 2 waiting 5 0 - - - - -\n\
        sda 1 waiting 900 0 write 16 512 77 -\n";

    #[test]
    fn lines_are_ios() {
        let flights = parse(TEXT).unwrap();
        assert_eq!(flights.len(), 3);
        assert!(flights[0].is_running && flights[0].op.as_deref() == Some("read"));
        assert_eq!((flights[0].sector, flights[0].bytes), (Some(8), Some(4096)));
        assert_eq!((&flights[1].op, flights[1].sector), (&None, None));
        assert_eq!(
            (flights[0].pid, flights[0].comm.as_deref()),
            (Some(31), Some("a\\040b"))
        );
        assert_eq!((flights[2].pid, &flights[2].comm), (Some(77), &None));
        let InFlight { devices, .. } = InFlight::new(flights, 0);
        assert_eq!(devices.len(), 2);
        let sda = (devices[0].waiting, devices[0].running);
        assert_eq!((sda, devices[0].oldest_age_ns), ((1, 1), 900));
    }

    #[test]
    fn the_oldest_of_each_device_are_kept() {
        let flight = |number: u32, age_ns: u64| Flight {
            number,
            disk: (number == 9).then_some(1),
            age_ns,
            ..parse(TEXT).unwrap().remove(0)
        };
        // In no order: 3 is prime to 100.
        let many = (0..100).map(|index| flight(1, index * 3 % 100));
        let others = [flight(9, 7), flight(2, 1000)];
        let in_flight = InFlight::new(many.chain(others), 4);
        let oldest: Vec<_> = in_flight
            .oldest
            .iter()
            .map(|f| (f.number, f.age_ns))
            .collect();
        assert_eq!(
            oldest,
            [(2, 1000), (1, 99), (1, 98), (1, 97), (1, 96), (9, 7)]
        );
        let ages = in_flight.devices.iter().map(|of| of.oldest_age_ns);
        assert_eq!(ages.collect::<Vec<_>>(), [99, 7, 1000]);
        let counts = in_flight
            .devices
            .iter()
            .map(|of| of.running)
            .collect::<Vec<_>>();
        assert_eq!(counts, [100, 1, 1]);
        assert!(in_flight.oldest[5].is_of(1) && !in_flight.oldest[5].is_of(2));
        assert_eq!(InFlight::new([flight(9, 7)], 0).oldest, []);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(parse("").is_none());
        assert!(parse("sda: there is no such disk\nmore\n").is_none());
        let more = TEXT.replace("service_ns", "new service_ns");
        assert!(parse(&more.replace("700 300", "700 9 x")).is_none());
        assert!(parse(&TEXT.replace("700", "-7")).is_none());
    }
}
