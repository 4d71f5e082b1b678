// SPDX-License-Identifier: GPL-2.0

//! What a frame holds, and how samples become differences and samples again.

use crate::cgroup::{Cgroups, Changes};
use crate::inflight::InFlight;
use crate::kstat::Kstat;
use crate::region::{Area, Measured, Region, AREA_NUMBERS};
use crate::sample::{Device, Entry, Event, Events, Sample, Times};
use crate::size::{filled, Sizes};
use crate::slow::{Ring, SlowIo, MOST_OF_DISK};
use anyhow::{bail, Result};
use iostat_map::counts::Counts;
use iostat_map::layout::BUCKETS;
use iostat_map::{Histogram, Snapshot, SIZES};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Debug, Serialize, Deserialize)]
pub enum Frame {
    /// Recording began: what was before is not subtracted from any more. The bounds of histograms.
    Begin(Vec<u64>),
    /// The devices of the samples from here on, in the order of the list.
    Devices(u64, Vec<Device>),
    /// A sample.
    Sample(Differences),
    /// The regions of the samples from here on: the number of the device, the region, and how many areas it has.
    Regions(Vec<(u32, Region, u32)>),
    /// How the numbers of their areas differ from those of the last sample, by index. Of the sample that follows.
    Areas(Vec<(u32, i64)>),
    /// The kstats of the samples from here on. The numbers in them are 0.
    Kstats(Vec<Kstat>),
    /// How their numbers differ, as of `Areas`.
    Values(Vec<(u32, i64)>),
    /// What is in flight in the samples from here on, if it was read.
    InFlight(Option<InFlight>),
    /// The slow I/Os of disks that were not there before, the newest first; in the samples from here on. Without, they
    /// were not read.
    Slow(Option<Vec<(u32, Vec<SlowIo>)>>),
    /// How the accounts by cgroup differ from those of the sample before. `None`: from here on, accounts are off.
    Cgroups(Option<Changes>),
    /// The histograms of sizes that differ from those of the sample before. `None`: from here on, sizes were not read.
    Sizes(Option<SizeChanges>),
}

/// Buckets that are not empty.
type Filled = Vec<(u8, u64)>;

/// Histograms of sizes, by the number of the device and the class.
pub type SizeChanges = Vec<((u32, u8), Filled)>;

/// Areas in a sample: more are not recorded.
pub const MOST_AREAS: usize = 1 << 18;

/// What changed since the last sample.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Differences {
    /// ns since 1970. First, so that it can be read alone.
    pub wall_ns: i64,
    pub devices: Vec<DeviceDifferences>,
    /// Event counters that were not there before: label and kind.
    pub new_events: Vec<(String, String)>,
    /// By the index of an event counter, of all there were: how much it grew.
    pub events: Vec<(u32, i64)>,
    pub has_events: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct DeviceDifferences {
    /// By the index of a counter.
    pub words: Vec<(u8, i64)>,
    pub times: Vec<TimesDifferences>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TimesDifferences {
    /// Class times 3 and phase.
    pub index: u8,
    pub longest: u64,
    pub shortest_inverted: u64,
    pub buckets: Vec<(u8, i64)>,
}

const WORDS: usize = 34;

fn words(s: &Snapshot) -> [u64; WORDS] {
    let [b0, b1, b2, b3] = s.bytes;
    let [o0, o1, o2, o3] = s.operations;
    let [d0, d1, d2, d3] = s.duration;
    let [t0, t1, t2] = s.tag_types;
    let [s0, s1, s2, s3] = s.service;
    [
        s.snaptime,
        s.start_count,
        s.end_count,
        s.counts.merged,
        s.counts.refused,
        s.counts.abandoned,
        b0,
        b1,
        b2,
        b3,
        o0,
        o1,
        o2,
        o3,
        d0,
        d1,
        d2,
        d3,
        s.busy_time,
        t0,
        t1,
        t2,
        s.wtime,
        s.wlentime,
        s.wlastupdate,
        s.rtime,
        s.rlentime,
        s.rlastupdate,
        s.wcnt,
        s.rcnt,
        s0,
        s1,
        s2,
        s3,
    ]
}

fn snapshot(number: u32, w: &[u64; WORDS]) -> Snapshot {
    Snapshot {
        number,
        snaptime: w[0],
        start_count: w[1],
        end_count: w[2],
        counts: Counts {
            merged: w[3],
            refused: w[4],
            abandoned: w[5],
            ..Counts::default()
        },
        bytes: [w[6], w[7], w[8], w[9]],
        operations: [w[10], w[11], w[12], w[13]],
        duration: [w[14], w[15], w[16], w[17]],
        busy_time: w[18],
        tag_types: [w[19], w[20], w[21]],
        wtime: w[22],
        wlentime: w[23],
        wlastupdate: w[24],
        rtime: w[25],
        rlentime: w[26],
        rlastupdate: w[27],
        wcnt: w[28],
        rcnt: w[29],
        service: [w[30], w[31], w[32], w[33]],
        ..Snapshot::default()
    }
}

/// What there was of a device before its first sample.
fn nothing() -> ([u64; WORDS], Times) {
    ([0; WORDS], Times::default())
}

const NO_TIMES: Histogram = Histogram {
    counts: [0; BUCKETS],
    longest: 0,
    shortest_inverted: 0,
};

/// What was written or read last.
#[derive(Default)]
pub struct State {
    generation: u64,
    devices: Vec<Rc<Device>>,
    last: HashMap<u32, ([u64; WORDS], Times)>,
    events: Vec<Event>,
    indices: HashMap<String, usize>,
    regions: Vec<(u32, Region, u32)>,
    areas: Vec<u64>,
    kstats: Vec<Kstat>,
    values: Vec<u64>,
    in_flight: Option<InFlight>,
    slow: Option<Vec<Rc<Ring>>>,
    cgroups: Option<Rc<Cgroups>>,
    sizes: Option<Sizes>,
}

impl State {
    /// The frames of a sample: the devices, if they are others, and what changed.
    pub fn encode(&mut self, sample: &Sample) -> Vec<Frame> {
        let mut frames = Vec::new();
        let devices = sample.entries.iter().map(|entry| &entry.device);
        if self.devices.is_empty() || !self.devices.iter().eq(devices.clone()) {
            self.devices = devices.cloned().collect();
            self.generation = sample.generation;
            let devices = self.devices.iter().map(|device| (**device).clone());
            frames.push(Frame::Devices(sample.generation, devices.collect()));
        }
        let mut differences = Differences {
            wall_ns: sample.wall_ns,
            has_events: sample.events.is_some(),
            ..Differences::default()
        };
        let mut last = HashMap::new();
        for entry in &sample.entries {
            let before = self.last.remove(&entry.device.number);
            let before = before.unwrap_or_else(nothing);
            let words = words(&entry.counters);
            differences.devices.push(DeviceDifferences {
                words: changes(&before.0, &words),
                times: times_changes(&before.1, &entry.times),
            });
            // Times that were not read now are as they were, for the reader too.
            let (now, mut times) = (entry.times.iter().flatten(), before.1);
            for (last, now) in times.iter_mut().flatten().zip(now) {
                if now.is_some() {
                    last.clone_from(now);
                }
            }
            last.insert(entry.device.number, (words, times));
        }
        self.last = last;
        if let Some(events) = &sample.events {
            self.encode_events(events, &mut differences);
        }
        self.encode_regions(&sample.regions, &mut frames);
        self.encode_kstats(&sample.kstats, &mut frames);
        if sample.in_flight != self.in_flight {
            self.in_flight.clone_from(&sample.in_flight);
            frames.push(Frame::InFlight(sample.in_flight.clone()));
        }
        self.encode_slow(sample.slow.as_deref(), &mut frames);
        self.encode_cgroups(sample.cgroups.as_ref(), &mut frames);
        self.encode_sizes(sample.sizes.as_ref(), &mut frames);
        frames.push(Frame::Sample(differences));
        frames
    }

    fn encode_events(&mut self, events: &Events, differences: &mut Differences) {
        for event in events.list() {
            if !self.indices.contains_key(&event.label) {
                self.indices.insert(event.label.clone(), self.events.len());
                let (label, kind) = (event.label.clone(), event.kind.clone());
                differences.new_events.push((label, kind));
                self.events.push(Event {
                    total: 0,
                    rate: None,
                    ..event.clone()
                });
            }
        }
        for (index, event) in self.events.iter_mut().enumerate() {
            let total = events.total(&event.label);
            let change = total.wrapping_sub(event.total) as i64;
            if change != 0 {
                differences.events.push((index as u32, change));
                event.total = total;
            }
        }
    }

    fn encode_regions(&mut self, regions: &[Measured], frames: &mut Vec<Frame>) {
        let list = regions.iter().map(|measured| {
            let areas = measured.areas.len() as u32;
            (measured.device, measured.region.clone(), areas)
        });
        let list: Vec<_> = list.collect();
        if list != self.regions {
            self.regions.clone_from(&list);
            self.areas.clear();
            frames.push(Frame::Regions(list));
        }
        let areas = regions.iter().flat_map(|measured| &measured.areas);
        let numbers: Vec<u64> = areas.flat_map(Area::numbers).collect();
        let differences = differences(&mut self.areas, numbers);
        if !differences.is_empty() {
            frames.push(Frame::Areas(differences));
        }
    }

    fn encode_kstats(&mut self, kstats: &[Kstat], frames: &mut Vec<Frame>) {
        let mut shapes = kstats.to_vec();
        let numbers = shapes.iter_mut().flat_map(Kstat::numbers_mut);
        numbers.for_each(|number| number.set(0));
        if shapes != self.kstats {
            self.kstats.clone_from(&shapes);
            self.values.clear();
            frames.push(Frame::Kstats(shapes));
        }
        let numbers = kstats.iter().flat_map(Kstat::numbers).collect();
        let differences = differences(&mut self.values, numbers);
        if !differences.is_empty() {
            frames.push(Frame::Values(differences));
        }
    }

    fn encode_slow(&mut self, slow: Option<&[Rc<Ring>]>, frames: &mut Vec<Frame>) {
        let before = self.slow.take();
        self.slow = slow.map(<[_]>::to_vec);
        let Some(rings) = slow else {
            if before.is_some() {
                frames.push(Frame::Slow(None));
            }
            return;
        };
        let find = |ring: &Ring| {
            let mut before = before.iter().flatten();
            before.find(|before| before.disk == ring.disk)
        };
        let news = rings.iter().filter_map(|ring| {
            let new = ring.since(find(ring).map(Rc::as_ref));
            (!new.is_empty()).then(|| (ring.disk, new.to_vec()))
        });
        let news: Vec<_> = news.collect();
        if !news.is_empty() || before.is_none() {
            frames.push(Frame::Slow(Some(news)));
        }
    }

    fn encode_cgroups(&mut self, cgroups: Option<&Rc<Cgroups>>, frames: &mut Vec<Frame>) {
        let before = self.cgroups.take();
        self.cgroups = cgroups.cloned();
        match cgroups {
            None if before.is_some() => frames.push(Frame::Cgroups(None)),
            None => {}
            Some(now) => {
                let changes =
                    Changes::between(before.as_deref().unwrap_or(&Cgroups::default()), now);
                if before.is_none() || !changes.is_empty() {
                    frames.push(Frame::Cgroups(Some(changes)));
                }
            }
        }
    }

    fn encode_sizes(&mut self, sizes: Option<&Sizes>, frames: &mut Vec<Frame>) {
        let before = self.sizes.take();
        self.sizes = sizes.cloned();
        let Some(sizes) = sizes else {
            if before.is_some() {
                frames.push(Frame::Sizes(None));
            }
            return;
        };
        let is_known = |key, counts| {
            let before = before.as_ref().and_then(|before| before.get(key));
            before == Some(counts)
        };
        let changed = sizes.iter().filter(|(key, counts)| !is_known(key, counts));
        let changed = changed.map(|(key, counts)| {
            let buckets = filled(counts).map(|(bucket, count)| (bucket as u8, count));
            (*key, buckets.collect())
        });
        let changed: Vec<_> = changed.collect();
        if before.is_none() || !changed.is_empty() {
            frames.push(Frame::Sizes(Some(changed)));
        }
    }

    fn add_sizes(&mut self, changed: Option<SizeChanges>) -> Result<()> {
        let Some(changed) = changed else {
            self.sizes = None;
            return Ok(());
        };
        let sizes = self.sizes.get_or_insert_default();
        for (key, buckets) in changed {
            let mut counts = [0; SIZES];
            for (bucket, count) in buckets {
                let Some(place) = counts.get_mut(usize::from(bucket)) else {
                    bail!("there is no such size");
                };
                *place = count;
            }
            sizes.insert(key, counts);
        }
        Ok(())
    }

    /// The sizes of I/Os of the devices that are there. Those of others are forgotten.
    fn sizes_now(&mut self) -> Option<Sizes> {
        let sizes = self.sizes.as_mut()?;
        sizes.retain(|(number, _), _| self.devices.iter().any(|d| d.number == *number));
        Some(sizes.clone())
    }

    /// Adds those that came.
    fn add_slow(&mut self, news: Option<Vec<(u32, Vec<SlowIo>)>>) {
        let Some(news) = news else {
            self.slow = None;
            return;
        };
        let rings = self.slow.get_or_insert_default();
        for (disk, mut ios) in news {
            let known = rings.iter_mut().find(|ring| ring.disk == disk);
            ios.extend_from_slice(known.as_ref().map_or(&[], |ring| &ring.ios));
            ios.truncate(MOST_OF_DISK);
            let ring = Rc::new(Ring { disk, ios });
            match known {
                Some(known) => *known = ring,
                None => rings.push(ring),
            }
        }
    }

    /// The slow I/Os of disks that are there. Those of others are forgotten.
    fn slow_now(&mut self) -> Option<Vec<Rc<Ring>>> {
        let rings = self.slow.as_mut()?;
        let place = |ring: &Rc<Ring>| self.devices.iter().position(|d| d.number == ring.disk);
        rings.retain(|ring| place(ring).is_some());
        rings.sort_by_key(place);
        Some(rings.clone())
    }

    /// The sample of a frame that is one.
    pub fn decode(&mut self, frame: Frame) -> Result<Option<Sample>> {
        match frame {
            Frame::Begin(_) => {
                *self = State::default();
                Ok(None)
            }
            Frame::Devices(generation, devices) => {
                self.generation = generation;
                self.devices = devices.into_iter().map(Rc::new).collect();
                Ok(None)
            }
            Frame::Sample(differences) => self.sample(differences).map(Some),
            Frame::Regions(regions) => {
                let areas = regions.iter().map(|(.., areas)| *areas as usize);
                let areas = areas.fold(0, usize::saturating_add);
                if areas > MOST_AREAS {
                    bail!("there are too many areas");
                }
                self.areas = vec![0; areas * AREA_NUMBERS];
                self.regions = regions;
                Ok(None)
            }
            Frame::Areas(differences) => add(&mut self.areas, &differences).map(|()| None),
            Frame::Kstats(kstats) => {
                self.values = kstats.iter().flat_map(Kstat::numbers).collect();
                self.kstats = kstats;
                Ok(None)
            }
            Frame::Values(differences) => add(&mut self.values, &differences).map(|()| None),
            Frame::InFlight(in_flight) => {
                self.in_flight = in_flight;
                Ok(None)
            }
            Frame::Slow(news) => {
                self.add_slow(news);
                Ok(None)
            }
            Frame::Sizes(changed) => self.add_sizes(changed).map(|()| None),
            Frame::Cgroups(changes) => {
                self.cgroups = changes.map(|changes| {
                    let mut cgroups = self.cgroups.take().unwrap_or_default();
                    changes.apply(Rc::make_mut(&mut cgroups));
                    cgroups
                });
                Ok(None)
            }
        }
    }

    fn sample(&mut self, differences: Differences) -> Result<Sample> {
        if differences.devices.len() != self.devices.len() {
            bail!("a sample has another number of devices than the list");
        }
        let (mut entries, mut last) = (Vec::new(), HashMap::new());
        for (device, changes) in self.devices.iter().zip(&differences.devices) {
            let (mut words, mut times) = self.last.remove(&device.number).unwrap_or_else(nothing);
            for (index, change) in &changes.words {
                apply(&mut words, *index, *change)?;
            }
            for changes in &changes.times {
                let index = usize::from(changes.index);
                if index >= 12 {
                    bail!("there is no such histogram");
                }
                let place = &mut times[index / 3][index % 3];
                let mut histogram = place.as_deref().copied().unwrap_or(NO_TIMES);
                for (index, change) in &changes.buckets {
                    apply(&mut histogram.counts, *index, *change)?;
                }
                histogram.longest = changes.longest;
                histogram.shortest_inverted = changes.shortest_inverted;
                *place = Some(Rc::new(histogram));
            }
            entries.push(Entry {
                device: device.clone(),
                counters: snapshot(device.number, &words),
                times: times.clone(),
            });
            last.insert(device.number, (words, times));
        }
        self.last = last;
        for (label, kind) in differences.new_events {
            self.events.push(Event {
                label,
                kind,
                total: 0,
                rate: None,
            });
        }
        for (index, change) in differences.events {
            let Some(event) = self.events.get_mut(index as usize) else {
                bail!("there is no such event");
            };
            event.total = event.total.wrapping_add(change as u64);
        }
        let counted = self.events.iter().filter(|event| event.total != 0);
        let events: Option<Events> = differences.has_events.then(|| counted.cloned().collect());
        Ok(Sample {
            wall_ns: differences.wall_ns,
            generation: self.generation,
            entries,
            events: events.map(Rc::new),
            regions: self.measured(),
            kstats: self.kstats_now(),
            in_flight: self.in_flight.clone(),
            slow: self.slow_now(),
            slow_threshold_ns: None,
            cgroups: self.cgroups.clone(),
            sizes: self.sizes_now(),
        })
    }

    fn measured(&self) -> Vec<Measured> {
        let numbers = self.areas.chunks_exact(AREA_NUMBERS);
        let mut areas =
            numbers.map(|numbers| Area::from_numbers(std::array::from_fn(|i| numbers[i])));
        let regions = self.regions.iter().map(|(device, region, count)| Measured {
            device: *device,
            region: region.clone(),
            areas: areas.by_ref().take(*count as usize).collect(),
        });
        regions.collect()
    }

    fn kstats_now(&self) -> Vec<Kstat> {
        let mut kstats = self.kstats.clone();
        let places = kstats.iter_mut().flat_map(Kstat::numbers_mut);
        for (place, number) in places.zip(&self.values) {
            place.set(*number);
        }
        kstats
    }
}

/// How numbers differ from those before, which become these; what was not there before was 0.
fn differences(before: &mut Vec<u64>, now: Vec<u64>) -> Vec<(u32, i64)> {
    before.resize(now.len(), 0);
    let pairs = before.iter().zip(&now).enumerate();
    let changed = pairs.filter(|(_, (before, now))| before != now);
    let differences = changed.map(|(index, (before, now))| {
        let difference = now.wrapping_sub(*before) as i64;
        (index as u32, difference)
    });
    let differences = differences.collect();
    *before = now;
    differences
}

fn add(numbers: &mut [u64], differences: &[(u32, i64)]) -> Result<()> {
    for (index, difference) in differences {
        let Some(number) = numbers.get_mut(*index as usize) else {
            bail!("there is no such number");
        };
        *number = number.wrapping_add(*difference as u64);
    }
    Ok(())
}

fn apply(words: &mut [u64], index: u8, change: i64) -> Result<()> {
    let Some(word) = words.get_mut(usize::from(index)) else {
        bail!("there is no such counter");
    };
    *word = word.wrapping_add(change as u64);
    Ok(())
}

fn changes(before: &[u64], now: &[u64]) -> Vec<(u8, i64)> {
    let pairs = before.iter().zip(now).enumerate();
    let changed = pairs.filter(|(_, (before, now))| before != now);
    let change = |(index, (before, now)): (usize, (&u64, &u64))| {
        (index as u8, now.wrapping_sub(*before) as i64)
    };
    changed.map(change).collect()
}

fn times_changes(before: &Times, now: &Times) -> Vec<TimesDifferences> {
    let mut all = Vec::new();
    for index in 0..12 {
        let Some(now) = &now[index / 3][index % 3] else {
            continue;
        };
        let before = &before[index / 3][index % 3];
        if before.as_ref().is_some_and(|before| before == now) {
            continue;
        }
        let counts = before.as_ref().map_or(&NO_TIMES.counts, |b| &b.counts);
        all.push(TimesDifferences {
            index: index as u8,
            longest: now.longest,
            shortest_inverted: now.shortest_inverted,
            buckets: changes(counts, &now.counts),
        });
    }
    all
}
