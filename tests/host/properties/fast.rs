// SPDX-License-Identifier: GPL-2.0

//! What the fast path asks of its surroundings.

use super::{
    machine::{
        Disk,
        Machine, //
    },
    model::Event, //
};
use iostat::acct::{
    busy::{
        Extra,
        Root, //
    },
    class::{
        Class,
        Tag, //
    },
    entry::{
        Entry,
        Start, //
    },
    fast::{
        self,
        barrier,
        Source, //
    },
    record::CpuRecord,
    region::{
        list::Last,
        only::{
            AreaOffset,
            OnlyRegion, //
        },
        place::AreaRef, //
    },
    transition::{
        End,
        Transition, //
    },
};
use std::cell::Cell;

/// The number of the disk of partitions.
const WHOLE: u32 = u32::MAX - 1;
const PID: u32 = 31;

/// The address of a place's queue.
fn queue(place: usize) -> u64 {
    place as u64 * 16 + 16
}

/// The address of a place's block device.
fn block_device(place: usize) -> u64 {
    queue(place) + 8
}

/// An event on the fast path, and the section in which it is recorded.
pub struct Fast<'a> {
    pub machine: &'a Machine,
    pub cpu: usize,
    pub now: u64,
    pub is_general: &'a Cell<bool>,
    pub request: Request,
}

impl<'a> fast::FastEvent<'a> for Fast<'a> {
    type Section = Self;

    fn enter(self) -> Self {
        self
    }

    fn general(self) {
        self.is_general.set(true);
    }
}

/// There are no regions.
#[derive(Clone, Copy)]
pub enum NoRegion {}

impl<'a> fast::RegionPart<'a> for NoRegion {
    fn region(self) -> &'a OnlyRegion {
        match self {}
    }

    fn last(self) -> &'a Last {
        match self {}
    }

    fn area(self, _: AreaOffset) -> AreaRef<'a> {
        match self {}
    }
}

impl<'a> fast::Section<'a> for Fast<'a> {
    type RegionPart = NoRegion;
    /// A disk, whose record it is if that was given, and else the absent one.
    type Place = &'a Disk;
    type Request = Request;

    fn now(&self) -> u64 {
        self.now
    }

    fn pid(&self) -> u32 {
        PID
    }

    fn is_slow(&self, total_ns: u64) -> bool {
        // Some of them: they are recorded as all others.
        total_ns % 4 == 3
    }

    fn keep_slow(&self, root: &'a Root, entry: &'a Entry, rq: Request, end: &End) {
        // A negative time is slow, and is 0 by now.
        assert!(self.is_slow(end.duration_ns) || end.duration_ns == 0);
        assert_eq!(entry.in_flight(), self.request.key);
        assert_eq!((entry.pid(), end.bytes), (PID, u64::from(rq.bytes)));
        assert!(self
            .account(entry)
            .is_some_and(|own| std::ptr::eq(own, root)));
    }

    fn place(&self, entry: &'a Entry) -> &'a Disk {
        self.machine.remembered(entry.memory().records())
    }

    fn record(&self, disk: &'a Disk) -> &'a CpuRecord {
        self.own(disk).unwrap_or(&self.machine.absent.0)
    }

    fn root(&self, disk: &'a Disk) -> &'a Root {
        match self.own(disk) {
            Some(_) => &disk.root,
            None => &self.machine.absent.1,
        }
    }

    fn account(&self, entry: &'a Entry) -> Option<&'a Root> {
        let disk = self.machine.remembered(entry.memory().root());
        (!std::ptr::eq(disk, &self.machine.sink)).then_some(&disk.root)
    }

    fn disk(&self, partition: &'a Root) -> &'a Root {
        &self.machine.remembered(partition.disk()).root
    }

    fn record_own(&self, root: &'a Root, transition: Transition) {
        let mut disks = self.machine.disks.iter().chain(&self.machine.whole);
        let disk = disks.find(|disk| std::ptr::eq(&disk.root, root));
        let disk = disk.expect("the root is that of a disk");
        let above = self.machine.disk_of(disk);
        disk.record(self.cpu, fast::DIRECT, transition, above, self.now);
    }

    fn request(&self, _: u64) -> Request {
        self.request
    }

    fn start_in_regions(self, root: &'a Root, _: &'a Entry, _: u64, _: u32) {
        assert!(self.has_regions(root));
        let regions = &self.machine.in_regions;
        regions.set(regions.get() + 1);
    }

    fn region(&self, _: &'a Disk) -> NoRegion {
        unreachable!("there are no regions");
    }

    fn end_tag_wait(&self, _: &'a Root) -> Option<u64> {
        self.machine.tag_wait.take()
    }

    fn end_in_regions(&self, _: &'a Root, _: &'a Entry) {
        unreachable!("no region has recorded an issue");
    }

    fn ended(&self, _: &'a Entry) {}

    fn leave(self) {}
}

impl<'a> Fast<'a> {
    /// Whether a partition or its disk has regions.
    fn has_regions(&self, partition: &'a Root) -> bool {
        let disk = fast::Section::disk(self, partition);
        [partition, disk]
            .iter()
            .any(|root| root.gauge.has(Extra::Regions))
    }

    /// This CPU's record of a disk, if it has one: of the sink none has.
    fn own(&self, disk: &'a Disk) -> Option<&'a CpuRecord> {
        if std::ptr::eq(disk, &self.machine.sink) {
            return None;
        }
        disk.own(self.cpu)
    }
}

/// A request with so many bytes that remain.
#[derive(Clone, Copy)]
pub struct Request {
    pub key: u64,
    pub place: usize,
    pub class: Class,
    pub tag: Tag,
    pub bytes: u32,
}

impl fast::FastRequest for Request {
    fn key(&self) -> u64 {
        self.key
    }

    fn queue(&self) -> u64 {
        queue(self.place)
    }

    fn is_submitted_to(&self, device: u64) -> bool {
        device == block_device(self.place)
    }

    fn class(&self) -> Class {
        self.class
    }

    fn sector(&self) -> u64 {
        u64::MAX
    }

    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn is_special(&self) -> bool {
        !matches!(
            (self.class, self.tag),
            (Class::Read | Class::Write, Tag::Simple)
        )
    }

    fn is_write(&self) -> bool {
        self.class == Class::Write
    }
}

impl Machine {
    /// Disks that are partitions of another.
    pub fn with_partitions(disks: usize, cpus: usize, queues: usize, buckets: usize) -> Self {
        let mut machine = Machine::new(disks, cpus, queues, buckets);
        let whole = Disk::new(cpus, queues, WHOLE);
        for disk in &mut machine.disks {
            disk.root = Root::of_partition(whole.memory().root);
        }
        machine.whole = Some(whole);
        machine
    }

    /// The disk that an entry remembers.
    fn remembered(&self, number: u64) -> &Disk {
        let mut disks = self.disks.iter().chain(&self.whole).chain([&self.sink]);
        let disk = disks.find(|disk| u64::from(disk.number) == number);
        disk.expect("entries remember disks that are there")
    }

    /// All disks forget, as when one gets a region.
    pub fn forget(&self, place: usize) {
        let memory = self.disks[place].memory();
        barrier();
        self.main
            .entries
            .iter()
            .for_each(|entry| entry.forget(memory));
    }

    /// Records `event` on the fast path, if it can take that.
    pub fn hear_fast(
        &mut self,
        place: usize,
        cpu: usize,
        key: u64,
        event: Event,
        now: u64,
    ) -> bool {
        let known = self.requests.get(&key).copied();
        let (class, tag, _) = match (event, known) {
            (Event::Accept(class, tag), _) => (class, tag, [0; 2]),
            (_, Some(known)) => known,
            (_, None) => return false,
        };
        let request = |bytes| Request {
            key,
            place,
            class,
            tag,
            bytes,
        };
        let is_general = Cell::new(false);
        let section = Fast {
            machine: self,
            cpu,
            now,
            is_general: &is_general,
            request: request(match event {
                Event::Done(bytes) => bytes as u32,
                _ => 1,
            }),
        };
        let Some(entry) = self.main.main().home_entry(key) else {
            return false;
        };
        match event {
            Event::Accept(..) => fast::start(section, entry, &request(1)),
            Event::Issue => fast::issue(section, entry, &request(1)),
            Event::Done(bytes) => match u32::try_from(bytes) {
                Ok(bytes) => fast::complete(section, entry, &request(bytes), bytes),
                Err(_) => return false,
            },
            Event::Part(bytes) => match u32::try_from(bytes) {
                Ok(bytes) if bytes < u32::MAX => {
                    fast::complete(section, entry, &request(bytes + 1), bytes);
                    assert!(is_general.get(), "something remains");
                }
                _ => return false,
            },
            _ => return false,
        }
        !is_general.get()
    }

    /// The next I/O at this address may take the fast path.
    pub fn remember(&self, place: usize, key: u64, start: &Start) {
        let disk = &self.disks[place];
        if disk.leaves.is_empty() || disk.root.may_enter(start.hctx) {
            let source = match self.whole {
                None => Source::queue(queue(place)),
                Some(_) => Source::block_device(block_device(place)),
            };
            if let Some(slot) = self.main.main().find_home(key) {
                slot.entry.remember(source, disk.memory(), || true);
            }
        }
    }
}
