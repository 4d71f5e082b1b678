// SPDX-License-Identifier: GPL-2.0

//! Samples from the module, by the calls of `/dev/iostat`.

use crate::kstat::{headers, Kstat};
use crate::names::Selection;
use crate::quantile::Bounds;
use crate::recording::frame::MOST_AREAS;
use crate::region::{areas, list, Measured, Region};
use crate::sample::{Device, Entry, Events, Sample, Times};
use crate::source::{Source, Want};
use crate::ticker::Ticker;
use anyhow::{anyhow, bail, Context, Result};
use iostat_map::{File, Histogram, Snapshot};
use std::io::ErrorKind;
use std::rc::Rc;
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
    /// The entries of the last sample, of which times are taken again that cannot have changed.
    last: Vec<Entry>,
    selection: Selection,
    want: Want,
    /// Regions with more areas are left out.
    most_areas: u64,
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
            last: Vec::new(),
            selection: Selection::default(),
            want: Want::default(),
            most_areas: u64::MAX,
        }
    }

    /// Times that cannot have changed since `last` are not read again.
    pub fn with_last(file: File, last: Vec<Entry>) -> Self {
        Reader {
            last,
            ..Self::new(file)
        }
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

    /// Snapshots of all devices, of the list as it is.
    fn take(&mut self) -> Result<()> {
        for _ in 0..100 {
            let generation = self
                .file
                .snapshots(&mut self.snapshots)
                .context("cannot read the statistics")?;
            if generation == self.generation && self.snapshots.len() == self.devices.len() {
                return Ok(());
            }
            self.list()?;
        }
        bail!("devices come and go faster than they can be read")
    }

    /// A sample at once.
    pub fn sample(&mut self) -> Result<Sample> {
        self.take()?;
        let wall_ns = wall_ns();
        let mut entries = Vec::with_capacity(self.last.len());
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
            true => self.events("@evcnt_list")?,
            false => None,
        };
        let regions = match self.want.regions {
            true => self.regions(&entries),
            false => Vec::new(),
        };
        let kstats = match self.want.kstats {
            true => self.kstats(&entries)?,
            false => Vec::new(),
        };
        self.last.clone_from(&entries);
        Ok(Sample {
            wall_ns,
            generation: self.generation,
            entries,
            events: events.map(Rc::new),
            regions,
            kstats,
        })
    }

    /// The times of a device that are wanted. Those of a class of which nothing was completed since are the same.
    fn times(&self, device: &Device, counters: &Snapshot, near: usize) -> Times {
        // A module that was loaded again numbers from 0, at a later time.
        let is_it = |entry: &&Entry| {
            entry.device.number == device.number && entry.device.crtime == device.crtime
        };
        let last = self.last.get(near).filter(is_it);
        let last = last.or_else(|| self.last.iter().find(is_it));
        let read = |class: usize, phase: usize| {
            if !self.want.times[class][phase] {
                return None;
            }
            if counters.operations[class] == 0 {
                return Some(Rc::new(NO_TIMES));
            }
            let same =
                last.filter(|entry| entry.counters.operations[class] == counters.operations[class]);
            if let Some(times) = same.and_then(|entry| entry.times[class][phase].clone()) {
                return Some(times);
            }
            // One that has left meanwhile has none.
            let times = self
                .file
                .histogram_of(counters.number, class as u32, phase as u32);
            times.ok().map(Rc::new)
        };
        std::array::from_fn(|class| std::array::from_fn(|phase| read(class, phase)))
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

    /// `None` if the file may not be opened for messages.
    fn events(&self, message: &str) -> Result<Option<Events>> {
        match self.file.message(message.as_bytes()) {
            Ok(reply) => Ok(Some(Events::parse(&String::from_utf8_lossy(&reply)))),
            Err(error) if error.raw_os_error() == Some(EBADF) => Ok(None),
            Err(error) => Err(error).context("cannot read the events"),
        }
    }
}

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
