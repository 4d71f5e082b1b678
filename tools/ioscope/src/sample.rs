// SPDX-License-Identifier: GPL-2.0

//! What all devices have counted at one moment.

use crate::cgroup::Cgroups;
use crate::inflight::InFlight;
use crate::kstat::Kstat;
use crate::region::Measured;
use crate::size::Sizes;
use crate::slow::Ring;
use iostat_map::{layout, Histogram, Snapshot};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::rc::Rc;

/// `enum iostat_class`, as indices.
pub const NONE: usize = 0;
pub const READ: usize = 1;
pub const WRITE: usize = 2;
pub const FREE: usize = 3;

/// The classes by index, as `/dev/iostat` names them.
pub const CLASSES: [&str; 4] = ["none", "read", "write", "free"];

/// The phases by index, as `/dev/iostat` names them.
pub const PHASES: [&str; 3] = ["wait", "service", "total"];

/// `enum iostat_phase`, as indices.
pub const WAIT: usize = 0;
pub const SERVICE: usize = 1;
pub const TOTAL: usize = 2;

/// What a device is: the column `class` of `/dev/iostat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    Disk,
    Partition,
    Nfs,
    Tape,
    Misc,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Disk => "disk",
            Kind::Partition => "partition",
            Kind::Nfs => "nfs",
            Kind::Tape => "tape",
            Kind::Misc => "misc",
        }
    }
}

/// Who a device is. None of it changes while the device is there; two devices never have the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub number: u32,
    /// As `/dev/iostat` writes it: one word.
    pub name: String,
    pub kind: Kind,
    pub diskseq: u64,
    /// When counting began, ns on the clock of `snaptime`.
    pub crtime: u64,
    pub major: u32,
    pub minor: u32,
    /// The number of a partition's disk.
    pub parent: Option<u32>,
    /// The name of the driver; of an entry, the name of its module. Not known of a recording.
    #[serde(skip)]
    pub driver: String,
}

#[cfg(test)]
impl Device {
    /// A disk for tests.
    pub fn disk(number: u32, name: &str) -> Self {
        Device {
            number,
            name: name.to_owned(),
            kind: Kind::Disk,
            diskseq: 1,
            crtime: 0,
            major: 8,
            minor: number,
            parent: None,
            driver: String::new(),
        }
    }
}

impl From<&iostat_map::Device> for Device {
    fn from(device: &iostat_map::Device) -> Self {
        const NO_DEVICE: u32 = u32::MAX;
        let kind = match device.kind {
            layout::KIND_DISK => Kind::Disk,
            layout::KIND_PARTITION => Kind::Partition,
            layout::KIND_NFS => Kind::Nfs,
            layout::KIND_TAPE => Kind::Tape,
            _ => Kind::Misc,
        };
        Device {
            number: device.number,
            name: device.written_name(),
            kind,
            diskseq: device.diskseq,
            crtime: device.crtime,
            major: device.dev_major,
            minor: device.dev_minor,
            parent: (device.parent != NO_DEVICE).then_some(device.parent),
            driver: device.written_driver(),
        }
    }
}

/// The counter of the time that the flushes of a disk took, in ns. All other counters count events.
pub const FLUSH_NS: &str = "flush_ns";

/// Times by class and phase. `None` is what was not read.
pub type Times = [[Option<Rc<Histogram>>; 3]; 4];

/// One device at one moment.
#[derive(Clone, Debug)]
pub struct Entry {
    pub device: Rc<Device>,
    pub counters: Snapshot,
    pub times: Times,
}

impl Entry {
    /// The time from the sample `before` to this one, ns, by the module's clock. `None` if the device is not in `before`.
    pub fn ns_since(&self, before: Option<&Sample>) -> Option<u64> {
        let then = before?.find(self.device.number, 0);
        let then = then.filter(|then| then.device == self.device)?;
        Some(
            self.counters
                .snaptime
                .saturating_sub(then.counters.snaptime),
        )
    }
}

/// One event counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its group, a blank, and its name.
    pub label: String,
    /// `misc`, `intr` or `trap`.
    pub kind: String,
    pub total: u64,
    /// Per second since it was attached, if the module was asked.
    #[serde(skip)]
    pub rate: Option<u64>,
}

/// The event counters of one moment: those that are not 0.
#[derive(Clone, Debug, Default)]
pub struct Events {
    list: Vec<Event>,
    by_label: HashMap<String, usize>,
    by_group: HashMap<String, Vec<usize>>,
}

impl Events {
    /// Of the reply to `@evcnt_list`; lines that are none are left out.
    pub fn parse(text: &str) -> Self {
        text.lines().skip(1).filter_map(parse_line).collect()
    }

    pub fn list(&self) -> &[Event] {
        &self.list
    }

    /// What a counter has counted. One that is not in the list has counted nothing.
    pub fn total(&self, label: &str) -> u64 {
        let index = self.by_label.get(label);
        index.map_or(0, |index| self.list[*index].total)
    }

    /// The counters of a disk, with their names.
    pub fn of_group<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'a str, u64)> {
        let indices = self.by_group.get(group).into_iter().flatten();
        indices.map(move |index| {
            let event = &self.list[*index];
            (&event.label[group.len() + 1..], event.total)
        })
    }
}

impl FromIterator<Event> for Events {
    fn from_iter<I: IntoIterator<Item = Event>>(events: I) -> Self {
        let mut all = Events::default();
        for (index, event) in events.into_iter().enumerate() {
            if let Some((group, _)) = event.label.split_once(' ') {
                let indices = all.by_group.entry(group.to_owned()).or_default();
                indices.push(index);
            }
            all.by_label.insert(event.label.clone(), index);
            all.list.push(event);
        }
        all
    }
}

fn parse_line(line: &str) -> Option<Event> {
    let mut words = line.rsplitn(4, ' ');
    let kind = words.next()?.to_owned();
    // The numbers are right-aligned: what is before them may end in blanks.
    let rest = line.strip_suffix(&kind)?.trim_end();
    let (rest, rate) = rest.rsplit_once(' ')?;
    let (label, total) = rest.trim_end().rsplit_once(' ')?;
    Some(Event {
        label: label.trim_end().to_owned(),
        kind,
        total: total.parse().ok()?,
        rate: rate.parse().ok(),
    })
}

/// All devices at one moment, each at an instant of its own.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// The wall clock, ns since 1970.
    pub wall_ns: i64,
    /// How often the list of devices had changed.
    pub generation: u64,
    /// In the order of the list.
    pub entries: Vec<Entry>,
    /// `None` if they were not read.
    pub events: Option<Rc<Events>>,
    /// Of the devices in `entries`.
    pub regions: Vec<Measured>,
    pub kstats: Vec<Kstat>,
    /// `None`, as those that follow, if it was not read.
    pub in_flight: Option<InFlight>,
    /// Of the disks that have slow I/Os.
    pub slow: Option<Vec<Rc<Ring>>>,
    /// The time from which on an I/O is slow.
    pub slow_threshold_ns: Option<u64>,
    /// Of all disks, if there are accounts by cgroup.
    pub cgroups: Option<Rc<Cgroups>>,
    /// `None` if they were not read.
    pub sizes: Option<Sizes>,
}

impl Sample {
    /// The entry of the device `number`, which is probably at `near`.
    pub fn find(&self, number: u32, near: usize) -> Option<&Entry> {
        let is_it = |entry: &&Entry| entry.device.number == number;
        let probably = self.entries.get(near).filter(is_it);
        probably.or_else(|| self.entries.iter().find(is_it))
    }

    /// `before`, if its counters can be subtracted from those of this sample: a device is in both. A recording may go on
    /// after the module was loaded again, which counts from 0, and numbers devices from 0.
    pub fn of_same_load<'a>(&self, before: Option<&'a Sample>) -> Option<&'a Sample> {
        before.filter(|before| self.ns_since(before).is_some())
    }

    /// The time from `before` to this sample, ns, by the module's clock. `None` if no device is in both samples.
    pub fn ns_since(&self, before: &Sample) -> Option<u64> {
        let mut entries = self.entries.iter();
        entries.find_map(|entry| entry.ns_since(Some(before)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_those_of_the_reply() {
        let text = "event                                         total     rate type\n\
                    nullb0 splits                                    12        3 misc\n\
                    fake tape blocks                       123456789012        0 intr\n\
                    no number here\n";
        let events = Events::parse(text);
        let labels: Vec<_> = events.list().iter().map(|e| e.label.as_str()).collect();
        assert_eq!(labels, ["nullb0 splits", "fake tape blocks"]);
        assert_eq!(events.total("nullb0 splits"), 12);
        assert_eq!(events.total("fake tape blocks"), 123_456_789_012);
        assert_eq!(events.total("nullb0 merges"), 0);
        assert_eq!(
            events.of_group("nullb0").collect::<Vec<_>>(),
            [("splits", 12)]
        );
        assert_eq!(events.list()[1].kind, "intr");
    }
}
