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
    busy::Root,
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
        barrier, //
    },
    record::CpuRecord, //
};
use std::cell::Cell;

/// An event on the fast path, and the section in which it is recorded.
pub struct Fast<'a> {
    pub machine: &'a Machine,
    pub cpu: usize,
    pub now: u64,
    pub is_general: &'a Cell<bool>,
}

impl<'a> fast::Event<'a> for Fast<'a> {
    type Section = Self;

    fn enter(self) -> Self {
        self
    }

    fn general(self) {
        self.is_general.set(true);
    }
}

impl<'a> fast::Section<'a> for Fast<'a> {
    fn now(&self) -> u64 {
        self.now
    }

    fn record(&self, entry: &'a Entry) -> &'a CpuRecord {
        let cpus = &self.machine.remembered(entry.memory().records()).cpus;
        &cpus[self.cpu % cpus.len()]
    }

    fn root(&self, entry: &'a Entry) -> &'a Root {
        &self.machine.remembered(entry.memory().root()).root
    }

    fn leave(self) {}
}

/// A request with so many bytes that remain.
pub struct Request {
    pub key: u64,
    pub queue: u64,
    pub class: Class,
    pub tag: Tag,
    pub bytes: u32,
}

impl fast::Request for Request {
    fn key(&self) -> u64 {
        self.key
    }

    fn queue(&self) -> u64 {
        self.queue
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
    /// The disk that an entry remembers.
    fn remembered(&self, number: u64) -> &Disk {
        let mut disks = self.disks.iter().chain([&self.sink]);
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
        let is_general = Cell::new(false);
        let section = Fast {
            machine: self,
            cpu,
            now,
            is_general: &is_general,
        };
        let request = |bytes| Request {
            key,
            queue: place as u64 + 1,
            class,
            tag,
            bytes,
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
        if disk.leaves.is_empty() || disk.root.may_enter(start.leaf) {
            if let Some(slot) = self.main.main().find_home(key) {
                slot.entry
                    .remember(place as u64 + 1, disk.memory(), || true);
            }
        }
    }
}
