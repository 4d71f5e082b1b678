// SPDX-License-Identifier: GPL-2.0

//! Samples from the module, by the calls of `/dev/iostat`.

use crate::cgroup::{Cgroups, Key, Paths};
use crate::inflight::{each, Flight, InFlight};
use crate::kstat::{headers, Kstat};
use crate::names::Selection;
use crate::quantile::Bounds;
use crate::recording::frame::MOST_AREAS;
use crate::region::{areas, list, Measured, Region};
use crate::sample::{Device, Entry, Events, Kind, Sample, Times, FREE, READ, WRITE};
use crate::size::{Counts, Sizes};
use crate::slow::{date, parse, Ring};
use crate::source::{Source, Want};
use crate::ticker::Ticker;
use anyhow::{anyhow, bail, Context, Result};
use iostat_map::{which, which_sizes, Cgroup, File, Histogram, Histograms, Snapshot};
use rustix::io::Errno;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::rc::Rc;
use std::string::FromUtf8Error;
use std::time::{Duration, SystemTime};

/// The device.
pub const PATH: &str = "/dev/iostat";

/// Samples of the module as it is now. As long as it exists, the module cannot be unloaded.
pub struct Reader {
    file: File,
    bounds: Bounds,
    generation: u64,
    devices: Vec<Rc<Device>>,
    /// Memory for the next call.
    snapshots: Vec<Snapshot>,
    histograms: Histograms,
    /// Those that were read for this sample, by device, class and phase.
    times: HashMap<(u32, u32, u32), Rc<Histogram>>,
    /// The same of sizes.
    sizes: Sizes,
    last: Last,
    cgroups: Vec<Cgroup>,
    selection: Selection,
    want: Want,
    /// Regions with more areas are left out.
    most_areas: u64,
}

/// What a reader keeps of its last sample: what cannot have changed is not read again.
#[derive(Default)]
pub struct Last {
    entries: Vec<Entry>,
    sizes: Option<Sizes>,
    /// By number and creation of the disk.
    rings: HashMap<(u32, u64), KnownRing>,
    paths: Paths,
}

/// The slow I/Os of a disk, and how many had been counted at the last sample but one and at the last.
struct KnownRing {
    totals: [u64; 2],
    ring: Rc<Ring>,
}

/// Samples at the ends of intervals.
pub struct Live {
    reader: Reader,
    ticker: Ticker,
}

/// Opens the device, for messages too if that is allowed. The error says what to do.
pub fn open() -> Result<File> {
    let file = match File::open_for_messages(PATH) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(PATH),
        result => result,
    };
    file.map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("the module is not loaded: modprobe iostat"),
        ErrorKind::PermissionDenied => {
            anyhow!("{PATH} may not be opened: ask for its group, or become root")
        }
        ErrorKind::Unsupported => anyhow!("the module is of another version than ioscope"),
        _ if Errno::from_io_error(&error) == Some(Errno::NODEV) => {
            anyhow!("{PATH} is not a device: rmmod iostat; rm {PATH}; modprobe iostat")
        }
        _ => anyhow!("cannot open {PATH}: {error}"),
    })
}

/// A device that several lists have.
pub type Shared = Rc<Device>;

/// All devices.
pub fn devices(file: &File) -> Result<Vec<Shared>> {
    let list = file.list().context("cannot list devices")?;
    Ok(list.devices.iter().map(|d| Rc::new(d.into())).collect())
}

impl Live {
    pub fn new() -> Result<Self> {
        Ok(Live {
            reader: Reader::new(open()?),
            ticker: Ticker::new()?,
        })
    }
}

impl Reader {
    pub fn new(file: File) -> Self {
        Reader {
            bounds: file.bounds(),
            file,
            generation: 0,
            devices: Vec::new(),
            snapshots: Vec::new(),
            histograms: Histograms::default(),
            times: HashMap::new(),
            sizes: Sizes::new(),
            last: Last::default(),
            cgroups: Vec::new(),
            selection: Selection::default(),
            want: Want::default(),
            most_areas: u64::MAX,
        }
    }

    /// Goes on behind the last sample of another reader.
    pub fn with_last(file: File, last: Last) -> Self {
        Reader {
            last,
            ..Self::new(file)
        }
    }

    /// For the reader that goes on.
    pub fn into_last(self) -> Last {
        self.last
    }

    /// The bounds of all histograms.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// From here on samples have the devices of `selection`, and what `want` says.
    pub fn choose(&mut self, selection: Selection, want: Want) {
        self.selection = selection;
        self.want = want;
    }

    /// From here on samples have no region with more areas.
    pub fn limit_areas(&mut self, most: u64) {
        self.most_areas = most;
    }

    fn list(&mut self) -> Result<()> {
        let list = self.file.list().context("cannot list devices")?;
        self.generation = list.generation;
        self.devices = list.devices.iter().map(|d| Rc::new(d.into())).collect();
        Ok(())
    }

    /// Snapshots of all devices, of the list as it is, and the histograms that have changed.
    fn take(&mut self) -> Result<()> {
        for _ in 0..100 {
            let generation = self.read().context("cannot read the statistics")?;
            if generation == self.generation && self.snapshots.len() == self.devices.len() {
                return Ok(());
            }
            self.list()?;
        }
        bail!("devices come and go faster than they can be read")
    }

    /// Returns the generation of the list that was read.
    fn read(&mut self) -> std::io::Result<u64> {
        self.times.clear();
        self.sizes.clear();
        let generation = match self.want.oldest {
            true => self.file.snapshots_with_ages(&mut self.snapshots)?,
            false => self.file.snapshots(&mut self.snapshots)?,
        };
        if generation != self.generation {
            return Ok(generation);
        }
        let pairs = self.devices.iter().zip(&self.snapshots).enumerate();
        let changed = pairs.filter(|(near, (device, counters))| {
            self.selection.has(device) && self.has_changed(device, counters, *near)
        });
        let changed: Vec<usize> = changed.map(|(index, _)| index).collect();
        let which = self.which();
        let histograms = &mut self.histograms;
        // One call for each of a few devices, or one for all.
        if changed.len() * 4 > self.devices.len() {
            let before = self.snapshots.clone();
            let snapshots = &mut self.snapshots;
            let generation = self
                .file
                .snapshots_with_histograms(which, snapshots, histograms)?;
            for (counters, before) in snapshots.iter_mut().zip(&before) {
                *counters = with_age_of(*counters, before);
            }
            keep(histograms, &mut self.times, &mut self.sizes);
            return Ok(generation);
        }
        for index in changed {
            let counters = &mut self.snapshots[index];
            let number = counters.number;
            // One that has left meanwhile has no times.
            if let Ok(new) = self
                .file
                .snapshot_with_histograms(number, which, histograms)
            {
                *counters = with_age_of(new, counters);
                keep(histograms, &mut self.times, &mut self.sizes);
            }
        }
        Ok(generation)
    }

    /// The histograms that are wanted.
    fn which(&self) -> u32 {
        let wanted = |class: u32, phase: u32| self.want.times[class as usize][phase as usize];
        let all = (0..4).flat_map(|class| (0..3).map(move |phase| (class, phase)));
        let wanted = all.filter(|(class, phase)| wanted(*class, *phase));
        let times = wanted.fold(0, |sum, (class, phase)| sum | which(class, phase));
        let classes = with_sizes().filter(|_| self.want.sizes);
        classes.fold(times, |sum, class| sum | which_sizes(class as u32))
    }

    /// The entry of the last sample of a device.
    fn last_of(&self, device: &Device, near: usize) -> Option<&Entry> {
        // A module that was loaded again numbers from 0, at a later time.
        let is_it = |entry: &&Entry| {
            entry.device.number == device.number && entry.device.crtime == device.crtime
        };
        let entries = &self.last.entries;
        let last = entries.get(near).filter(is_it);
        last.or_else(|| entries.iter().find(is_it))
    }

    /// Whether a device has wanted times or sizes that differ from those of the last sample.
    fn has_changed(&self, device: &Device, counters: &Snapshot, near: usize) -> bool {
        let last = self.last_of(device, near);
        (0..4).any(|class| {
            let count = counters.operations[class];
            let is_known = |phase: usize| {
                last.is_some_and(|entry| {
                    entry.counters.operations[class] == count && entry.times[class][phase].is_some()
                })
            };
            let wants_sizes = self.want.sizes && with_sizes().any(|with| with == class);
            let has_new_times =
                || (0..3).any(|phase| self.want.times[class][phase] && !is_known(phase));
            let has_new_sizes = || wants_sizes && self.same_sizes(last, class, counters).is_none();
            count != 0 && (has_new_times() || has_new_sizes())
        })
    }

    /// A sample at once.
    pub fn sample(&mut self) -> Result<Sample> {
        self.take()?;
        let wall_ns = wall_ns();
        let mut entries = Vec::with_capacity(self.last.entries.len());
        for (device, counters) in self.devices.iter().zip(&self.snapshots) {
            if !self.selection.has(device) {
                continue;
            }
            let near = entries.len();
            entries.push(Entry {
                device: device.clone(),
                counters: *counters,
                times: self.times(device, counters, near),
            });
        }
        let events = match self.want.events {
            true => self
                .reply("@evcnt_list")
                .context("cannot read the events")?,
            false => None,
        };
        let events = events.map(|text| Rc::new(Events::parse(&text)));
        // A file that does not take the one message does not take the other.
        let may_ask = events.is_some() || !self.want.events;
        let in_flight = match self.want.in_flight.filter(|_| may_ask) {
            Some(most) => self.in_flight(&entries, most)?,
            None => None,
        };
        let slow = match (&events, self.want.slow) {
            (Some(events), true) => Some(self.slow(&entries, events, wall_ns)?),
            _ => None,
        };
        let slow_threshold_ns = match self.want.slow_threshold {
            true => self.slow_threshold(&entries)?,
            false => None,
        };
        let cgroups = match self.want.cgroups {
            true => self.cgroups()?,
            false => None,
        };
        let sizes = self.want.sizes.then(|| self.sizes(&entries));
        let regions = match self.want.regions {
            true => self.regions(&entries),
            false => Vec::new(),
        };
        let kstats = match self.want.kstats {
            true => self.kstats(&entries)?,
            false => Vec::new(),
        };
        self.last.entries.clone_from(&entries);
        self.last.sizes.clone_from(&sizes);
        Ok(Sample {
            wall_ns,
            generation: self.generation,
            entries,
            events,
            regions,
            kstats,
            in_flight,
            slow,
            slow_threshold_ns,
            cgroups,
            sizes,
        })
    }

    /// The sizes of the last sample, if nothing of the class was completed since.
    fn same_sizes(&self, last: Option<&Entry>, class: usize, now: &Snapshot) -> Option<&Counts> {
        let last = last.filter(|last| last.counters.operations[class] == now.operations[class])?;
        let sizes = self.last.sizes.as_ref()?;
        sizes.get(&(last.device.number, class as u8))
    }

    /// The sizes of the I/Os of these devices.
    fn sizes(&self, entries: &[Entry]) -> Sizes {
        let mut sizes = Sizes::new();
        for (near, entry) in entries.iter().enumerate() {
            let last = self.last_of(&entry.device, near);
            for class in with_sizes().filter(|class| entry.counters.operations[*class] != 0) {
                let key = (entry.device.number, class as u8);
                let same = || self.same_sizes(last, class, &entry.counters);
                // One that has left meanwhile has none.
                let counts = self.sizes.get(&key).or_else(same);
                sizes.extend(counts.map(|counts| (key, *counts)));
            }
        }
        sizes
    }

    /// The accounts by cgroup, if there are any.
    fn cgroups(&mut self) -> Result<Option<Rc<Cgroups>>> {
        let is_on = match self.file.cgroups(&mut self.cgroups) {
            // The module is older, and has no such call.
            Err(error) if error.raw_os_error() == Some(ENOTTY) => false,
            result => result.context("cannot read the accounts by cgroup")?,
        };
        Ok(is_on.then(|| {
            let accounts = self.cgroups.iter().map(|cgroup| {
                let key = Key {
                    number: cgroup.number,
                    cgroup: cgroup.cgroup,
                    class: cgroup.class as u8,
                };
                (key, cgroup.into())
            });
            Rc::new(Cgroups {
                accounts: accounts.collect(),
                paths: self
                    .last
                    .paths
                    .of(self.cgroups.iter().map(|cgroup| cgroup.cgroup)),
            })
        }))
    }

    /// The times of a device that are wanted. Those of a class of which nothing was completed since are the same.
    fn times(&self, device: &Device, counters: &Snapshot, near: usize) -> Times {
        let last = self.last_of(device, near);
        let of = |class: usize, phase: usize| {
            if !self.want.times[class][phase] {
                return None;
            }
            if counters.operations[class] == 0 {
                return Some(Rc::new(NO_TIMES));
            }
            let read = self
                .times
                .get(&(counters.number, class as u32, phase as u32));
            if read.is_some() {
                return read.cloned();
            }
            let same =
                last.filter(|entry| entry.counters.operations[class] == counters.operations[class]);
            same.and_then(|entry| entry.times[class][phase].clone())
        };
        std::array::from_fn(|class| std::array::from_fn(|phase| of(class, phase)))
    }

    /// The regions of devices, as many as have [`MOST_AREAS`] together.
    fn regions(&self, entries: &[Entry]) -> Vec<Measured> {
        let (mut all, mut count) = (Vec::new(), 0);
        for entry in entries {
            // Entries of other modules have none, and one that has left no longer.
            let regions = list(&self.file, &entry.device.name).unwrap_or_default();
            let is_small = |region: &Region| region.count() <= self.most_areas;
            for region in regions.into_iter().filter(is_small) {
                let areas = areas(&self.file, &entry.device.name, &region).unwrap_or_default();
                if count + areas.len() <= MOST_AREAS {
                    count += areas.len();
                    all.push(Measured {
                        device: entry.device.number,
                        region,
                        areas,
                    });
                }
            }
        }
        all
    }

    /// All kstats; those of the devices in `entries` from their counters.
    fn kstats(&self, entries: &[Entry]) -> Result<Vec<Kstat>> {
        let mut all = Vec::new();
        for header in headers(&self.file)? {
            let of_device = entries.iter().find_map(|e| Kstat::of_device(&header, e));
            match of_device {
                Some(kstat) => all.push(kstat),
                None => all.extend(Kstat::read(&self.file, &header)?),
            }
        }
        Ok(all)
    }

    /// What is in flight. Unless a counter of a queue says that there is something, the module is not asked.
    fn in_flight(&self, entries: &[Entry], most: usize) -> Result<Option<InFlight>> {
        let is_busy = |entry: &Entry| entry.counters.wcnt != 0 || entry.counters.rcnt != 0;
        if !entries.iter().any(is_busy) {
            return Ok(Some(InFlight::default()));
        }
        let reply = self.reply("@inflight");
        let Some(text) = reply.context("cannot read what is in flight")? else {
            return Ok(None);
        };
        let disks = self
            .devices
            .iter()
            .map(|device| (device.number, device.parent));
        let disks: HashMap<u32, Option<u32>> = disks.collect();
        let flights = each(&text).context("an unknown list of what is in flight")?;
        let flights = flights.flatten().map(|flight| Flight {
            disk: disks.get(&flight.number).copied().flatten(),
            ..flight
        });
        Ok(Some(InFlight::new(flights, most)))
    }

    /// The slow I/Os of each disk that is selected, or has a partition that is. Those of a disk are read only if an event says
    /// that there are new ones.
    fn slow(&mut self, entries: &[Entry], events: &Events, wall_ns: i64) -> Result<Vec<Rc<Ring>>> {
        let mut before = std::mem::take(&mut self.last.rings);
        let mut rings = Vec::new();
        let disks = disks_of(&self.devices, entries).map(|index| {
            let snaptime = self.snapshots[index].snaptime;
            (self.devices[index].clone(), snaptime)
        });
        for (disk, snaptime) in disks.collect::<Vec<_>>() {
            let mut names = events.of_group(&disk.name);
            let Some((_, total)) = names.find(|(name, _)| *name == "slow_ios") else {
                continue;
            };
            let key = (disk.number, disk.crtime);
            let known = before.remove(&key).unwrap_or_else(|| KnownRing {
                totals: [0; 2],
                ring: Rc::new(Ring {
                    disk: disk.number,
                    ..Ring::default()
                }),
            });
            let mut ring = known.ring;
            // An I/O is counted shortly before it is kept, so its ring is read once more.
            if known.totals != [total, total] {
                // One that has left meanwhile has none.
                if let Ok(Some(text)) = self.reply(&format!("@slow {}", disk.name)) {
                    let mut ios = parse(&text).context("an unknown list of slow I/Os")?;
                    date(&mut ios, snaptime, wall_ns);
                    ring = Rc::new(ring.later(ios));
                }
            }
            rings.push(ring.clone());
            let totals = [known.totals[1], total];
            self.last.rings.insert(key, KnownRing { totals, ring });
        }
        Ok(rings)
    }

    /// From when on an I/O is slow: the same for all disks.
    fn slow_threshold(&self, entries: &[Entry]) -> Result<Option<u64>> {
        let disks = entries
            .iter()
            .filter(|entry| entry.device.kind == Kind::Disk);
        for disk in disks {
            match self.file.slow_threshold(disk.device.number) {
                Ok(threshold_ns) => return Ok(Some(threshold_ns)),
                // It has left meanwhile.
                Err(error) if error.raw_os_error() == Some(ENXIO) => {}
                Err(error) => return Err(error).context("cannot read the threshold of slow I/Os"),
            }
        }
        Ok(None)
    }

    /// `None` if the file may not be opened for messages.
    fn reply(&self, message: &str) -> std::io::Result<Option<String>> {
        match self.file.message(message.as_bytes()) {
            Ok(reply) => {
                let text = String::from_utf8(reply);
                let lossy = |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into();
                Ok(Some(text.unwrap_or_else(lossy)))
            }
            Err(error) if error.raw_os_error() == Some(EBADF) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The disks that entries are, or are partitions of, by their index in the list of devices.
fn disks_of<'a>(devices: &'a [Shared], entries: &[Entry]) -> impl Iterator<Item = usize> + 'a {
    let disk = |entry: &Entry| entry.device.parent.unwrap_or(entry.device.number);
    let numbers: HashSet<u32> = entries.iter().map(disk).collect();
    let is_one =
        move |device: &Shared| device.kind == Kind::Disk && numbers.contains(&device.number);
    let found = devices.iter().enumerate();
    found
        .filter(move |(_, device)| is_one(device))
        .map(|(index, _)| index)
}

/// Later counters of a device, with the age that its oldest I/O in flight has then. Only one call searches for it.
fn with_age_of(later: Snapshot, before: &Snapshot) -> Snapshot {
    let age = match (before.oldest_age, later.wcnt | later.rcnt) {
        (0, _) | (_, 0) => 0,
        (age, _) => age.saturating_add(later.snaptime.saturating_sub(before.snaptime)),
    };
    Snapshot {
        oldest_age: age,
        ..later
    }
}

/// The classes whose I/Os have sizes.
fn with_sizes() -> impl Iterator<Item = usize> {
    [READ, WRITE, FREE].into_iter()
}

/// Adds histograms to those that were read for a sample.
fn keep(
    histograms: &Histograms,
    times: &mut HashMap<(u32, u32, u32), Rc<Histogram>>,
    sizes: &mut Sizes,
) {
    for (latency, histogram) in histograms.iter() {
        let key = (latency.number, latency.class, latency.phase);
        times.insert(key, Rc::new(histogram));
    }
    let all = histograms.sizes();
    sizes.extend(all.map(|(number, class, counts)| ((number, class as u8), counts)));
}

const ENXIO: i32 = 6;
const ENOTTY: i32 = 25;
const EBADF: i32 = 9;

/// Those of nothing.
pub const NO_TIMES: Histogram = Histogram {
    counts: [0; iostat_map::layout::BUCKETS],
    longest: 0,
    shortest_inverted: 0,
};

/// The wall clock, ns since 1970.
pub fn wall_ns() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos().min(i64::MAX as u128) as i64)
}

impl Source for Live {
    fn bounds(&self) -> &Bounds {
        &self.reader.bounds
    }

    fn first(&mut self, interval: Option<Duration>) -> Result<Sample> {
        if let Some(interval) = interval {
            self.ticker.start(interval);
        }
        self.reader.sample()
    }

    fn next(&mut self) -> Result<Option<Sample>> {
        match self.ticker.wait()? {
            true => Ok(Some(self.reader.sample()?)),
            false => Ok(None),
        }
    }

    fn now(&mut self) -> Result<Option<Sample>> {
        self.reader.sample().map(Some)
    }

    fn selection(&mut self, words: &[String], partitions: bool) -> Result<Selection> {
        self.reader.list()?;
        Selection::of_system(words, partitions, &self.reader.devices)
    }

    fn choose(&mut self, selection: Selection, want: Want) {
        self.reader.choose(selection, want);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_has_the_slow_ios_of_its_disk() {
        let device = |number: u32, kind: Kind, parent: Option<u32>| {
            Rc::new(Device {
                kind,
                parent,
                ..Device::disk(number, &format!("d{number}"))
            })
        };
        let devices = [
            device(2, Kind::Disk, None),
            device(3, Kind::Partition, Some(2)),
            device(4, Kind::Disk, None),
            device(5, Kind::Nfs, None),
        ];
        let disks = |indices: &[usize]| {
            let entry = |index: &usize| Entry {
                device: devices[*index].clone(),
                counters: Snapshot::default(),
                times: Times::default(),
            };
            let entries: Vec<_> = indices.iter().map(entry).collect();
            disks_of(&devices, &entries).collect::<Vec<_>>()
        };
        assert_eq!(disks(&[1]), [0]);
        assert_eq!(disks(&[0, 1, 2, 3]), [0, 2]);
        assert!(disks(&[3]).is_empty());
    }

    #[test]
    fn the_age_is_that_of_the_same_io_later() {
        let before = Snapshot {
            snaptime: 1000,
            oldest_age: 300,
            rcnt: 1,
            ..Snapshot::default()
        };
        let later = Snapshot {
            snaptime: 1050,
            wcnt: 2,
            ..Snapshot::default()
        };
        assert_eq!(with_age_of(later, &before).oldest_age, 350);
        let idle = Snapshot { wcnt: 0, ..later };
        assert_eq!(with_age_of(idle, &before).oldest_age, 0);
        let none = Snapshot {
            oldest_age: 0,
            ..before
        };
        assert_eq!(with_age_of(later, &none).oldest_age, 0);
    }
}
