// SPDX-License-Identifier: GPL-2.0

//! A region whose I/Os take the fast path, against the same region on the general path. At times the list of the regions
//! is another one, which has the same region.

use super::{
    areas::geometry,
    config,
    machine::Memory, //
};
use iostat::acct::{
    busy::{
        Extra,
        Root, //
    },
    class::{
        Class,
        Kind,
        Tag, //
    },
    entry::{
        Entry,
        Start, //
    },
    fast::{
        self,
        Fresh,
        Source, //
    },
    inflight::{
        Claim,
        InFlightTable,
        ReserveCount,
        Share,
        BUCKET, //
    },
    record::CpuRecord,
    region::{
        area::Area,
        columns::{
            collect,
            Totals,
            Unit, //
        },
        flight::InFlight,
        geometry::Geometry,
        list::Last,
        only::{
            AreaOffset,
            OnlyRegion, //
        },
        pending::ListTag,
        place::AreaRef,
        CpuRegion, //
        Ended,
        Io,
    },
    transition::{
        End,
        Transition, //
    },
};
use proptest::{
    collection::vec,
    prelude::*, //
};
use std::cell::Cell;

const KEY: u64 = 64;
const QUEUE: u64 = 128;
const PID: u32 = 31;
const IOS: usize = 3;

/// What is recorded of a region.
struct Recorded {
    geometry: Geometry,
    last: Last,
    in_flight: Vec<InFlight>,
    areas: Vec<Area>,
}

impl Recorded {
    fn new(geometry: Geometry) -> Self {
        let last = Last::default();
        last.forget();
        Recorded {
            last,
            in_flight: (0..geometry.areas()).map(|_| InFlight::default()).collect(),
            areas: (0..geometry.areas()).map(|_| Area::default()).collect(),
            geometry,
        }
    }

    fn region(&self) -> CpuRegion<'_> {
        CpuRegion {
            geometry: &self.geometry,
            unit: Unit::Ns,
            bounds: &[],
            in_flight: &self.in_flight,
            areas: &self.areas,
            histograms: &[],
            whole: None,
        }
    }

    /// An I/O that is on the general path ends, as the module's regions record it.
    fn end(&self, entry: &Entry, now: u64) {
        let (region, io) = (self.region(), entry.io(0));
        let ended = Ended {
            duration_ns: now - entry.pending.start_ns(),
            merged: entry.pending.list_tag(0).merged(),
        };
        region.end(region.area_of(&io), &io, &ended, now);
    }

    fn totals(&self, now: u64) -> Vec<Totals> {
        let total = |area: usize| {
            let areas = || [&self.areas[area]].into_iter();
            collect(&self.in_flight[area], areas, || now)
        };
        (0..self.geometry.areas()).map(total).collect()
    }
}

/// A disk with a region, and requests that are used again and again.
struct Disk {
    requests: [Memory; IOS],
    record: CpuRecord,
    root: Root,
    /// The number of the list of regions.
    list: u32,
    region: OnlyRegion,
    recorded: Recorded,
}

/// The first list of regions.
const LIST: u32 = 7;

impl Disk {
    fn new(geometry: Geometry) -> Self {
        let disk = Disk {
            requests: std::array::from_fn(|_| Memory::new(BUCKET)),
            record: CpuRecord::default(),
            root: Root::default(),
            list: LIST,
            region: OnlyRegion::new(&geometry, LIST, 0, 0),
            recorded: Recorded::new(geometry),
        };
        disk.root.gauge.add(Extra::Regions);
        disk
    }

    /// The regions have another list from now on.
    fn replace_list(&mut self) {
        self.list += 1;
        self.region = OnlyRegion::new(&self.recorded.geometry, self.list, 0, 0);
    }

    fn entry(&self, request: usize) -> &Entry {
        let entry = self.requests[request].main().home_entry(KEY);
        entry.expect("there is an entry")
    }

    /// The next I/O of a request takes the fast path.
    fn remember(&self, request: usize) {
        if self.entry(request).is_remembered() {
            return;
        }
        let start = Start {
            account: 1,
            hctx: 0,
            class: Class::Write,
            tag: Tag::Simple,
            sector: 9,
            pid: 0,
        };
        let (held, reserve, share) = (
            ReserveCount::default(),
            <[Memory; 0]>::default(),
            Share::default(),
        );
        let table = InFlightTable::new(self.requests[request].main(), &reserve, &held);
        let Some(Claim::New(slot)) = table.claim(KEY, &share) else {
            panic!("the last I/O has ended");
        };
        slot.entry.start_waiting(&start, 0);
        let memory = fast::Memory::default();
        slot.entry.remember(Source::queue(QUEUE), memory, || true);
        slot.release();
    }

    fn step(&self, now: u64, io: Io, event: impl FnOnce(Step<'_>)) -> bool {
        let is_general = Cell::new(false);
        event(Step {
            disk: self,
            now,
            is_general: &is_general,
            request: Request(io),
        });
        !is_general.get()
    }
}

#[derive(Clone, Copy)]
struct Step<'a> {
    disk: &'a Disk,
    now: u64,
    is_general: &'a Cell<bool>,
    request: Request,
}

impl<'a> fast::FastEvent<'a> for Step<'a> {
    type Section = Self;

    fn enter(self) -> Self {
        self
    }

    fn general(self) {
        self.is_general.set(true);
    }
}

impl<'a> fast::Section<'a> for Step<'a> {
    type RegionPart = Self;
    type Place = ();
    type Request = Request;

    fn now(&self) -> u64 {
        self.now
    }

    fn pid(&self) -> u32 {
        PID
    }

    fn is_slow(&self, _: u64) -> bool {
        false
    }

    fn keep_slow(&self, _: &'a Root, _: &'a Entry, _: Self::Request, _: &End) {
        unreachable!("no I/O is slow");
    }

    fn place(&self, _: &'a Entry) {}

    fn record(&self, (): ()) -> &'a CpuRecord {
        &self.disk.record
    }

    fn root(&self, (): ()) -> &'a Root {
        &self.disk.root
    }

    fn account(&self, _: &'a Entry) -> Option<&'a Root> {
        Some(&self.disk.root)
    }

    fn disk(&self, _: &'a Root) -> &'a Root {
        unreachable!("there is no partition");
    }

    fn record_own(&self, _: &'a Root, _: Transition) {
        unreachable!("the CPU has a record");
    }

    fn request(&self, _: u64) -> Request {
        self.request
    }

    fn region(&self, (): ()) -> Self {
        *self
    }

    fn start_in_regions(self, _: &'a Root, entry: &'a Entry, sector: u64, bytes: u32) {
        let Recorded { last, .. } = &self.disk.recorded;
        let sectors = bytes >> 9;
        entry.start_in_regions(sector, sectors, self.now);
        let merged = last.merged(sector, sectors, entry.kind());
        let list_tag = ListTag::list(self.disk.list).merged_or_not(merged);
        entry.pending.set_list_tag(0, list_tag.in_no_one_area());
        let (region, io) = (self.disk.recorded.region(), entry.io(0));
        region.start(None, &io, self.now);
    }

    fn end_tag_wait(&self, _: &'a Root) -> Option<u64> {
        unreachable!("no task waits for a tag");
    }

    fn end_in_regions(&self, _: &'a Root, entry: &'a Entry) {
        let list = entry.pending.list_tag(0).number();
        assert_ne!(list, self.disk.list, "it has an area on the fast path");
        assert!(entry.is_in_regions());
        self.disk.recorded.end(entry, self.now);
    }

    fn ended(&self, _: &'a Entry) {}

    fn leave(self) {}
}

impl<'a> fast::RegionPart<'a> for Step<'a> {
    fn region(self) -> &'a OnlyRegion {
        &self.disk.region
    }

    fn last(self) -> &'a Last {
        &self.disk.recorded.last
    }

    fn area(self, at: AreaOffset) -> AreaRef<'a> {
        let recorded = &self.disk.recorded;
        AreaRef {
            area: &recorded.areas[at.area()],
            in_flight: &recorded.in_flight[at.area()],
        }
    }
}

/// A request.
#[derive(Clone, Copy)]
struct Request(Io);

impl fast::FastRequest for Request {
    fn key(&self) -> u64 {
        KEY
    }

    fn queue(&self) -> u64 {
        QUEUE
    }

    fn is_submitted_to(&self, device: u64) -> bool {
        device == 0
    }

    fn class(&self) -> Class {
        self.0.class
    }

    fn sector(&self) -> u64 {
        self.0.sector
    }

    fn bytes(&self) -> u32 {
        self.0.sectors << 9
    }

    fn is_special(&self) -> bool {
        false
    }

    fn is_write(&self) -> bool {
        self.0.class == Class::Write
    }
}

/// How an I/O leaves.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Without an error.
    Done,
    /// On the general path.
    Ends,
    /// It goes back to wait, and is merged.
    GivenBack,
    /// Its end is not traced.
    Abandoned,
}

/// An I/O, and what its next event is.
#[derive(Clone, Copy)]
enum Life {
    None,
    Waits(Io),
    /// Since then, and whether it is merged as regions have it.
    Runs(Io, u64, bool),
}

/// What is special about a step.
#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    /// An I/O that starts goes on where the latest one that was issued ends.
    GoesOn,
    /// The regions have another list from then on.
    ReplacesList,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Nothing),
        4 => Just(Event::GoesOn),
        1 => Just(Event::ReplacesList),
    ]
}

fn io() -> impl Strategy<Value = Io> {
    (0..90u64, 1..12u32, any::<bool>()).prop_map(|(sector, sectors, is_write)| Io {
        sector,
        sectors,
        class: if is_write { Class::Write } else { Class::Read },
    })
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        4 => Just(Way::Done),
        1 => Just(Way::Ends),
        1 => Just(Way::GivenBack),
        1 => Just(Way::Abandoned),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_region_records_the_same_on_both_paths(
        geometry in geometry(),
        steps in vec((0..IOS, io(), way(), 0..9u64, event()), 0..80),
    ) {
        let (mut disk, general) = (Disk::new(geometry), Recorded::new(geometry));
        let region = general.region();
        let mut lives = [Life::None; IOS];
        let mut now = 1 << 50;
        let mut latest: Option<Io> = None;
        for (request, io, way, gap, event) in steps {
            now += gap;
            let io = match (event, latest) {
                (Event::GoesOn, Some(latest)) => Io {
                    sector: latest.sector + u64::from(latest.sectors),
                    class: latest.class,
                    ..io
                },
                _ => io,
            };
            if let Event::ReplacesList = event {
                disk.replace_list();
            }
            let entry = disk.entry(request);
            lives[request] = match lives[request] {
                Life::None => {
                    disk.remember(request);
                    prop_assert!(disk.step(now, io, |step| fast::start(step, entry, &Request(io))));
                    Life::Waits(io)
                }
                Life::Waits(io) => {
                    prop_assert!(disk.step(now, io, |step| fast::issue(step, entry, &Request(io))));
                    let kind = Kind::new(io.class, Tag::Simple);
                    let merged = general.last.merged(io.sector, io.sectors, kind);
                    region.start(region.area_of(&io), &io, now);
                    let is_beside = geometry.fragments(io.sector, io.sectors, |_, _| ()) == 0;
                    let is_general = region.area_of(&io).is_none() && !is_beside;
                    prop_assert_eq!(entry.is_in_regions(), is_general);
                    latest = Some(io);
                    Life::Runs(io, now, merged)
                }
                Life::Runs(io, since, merged) => {
                    let ended = Ended { duration_ns: now - since, merged };
                    if matches!(way, Way::Done | Way::Ends) {
                        region.end(region.area_of(&io), &io, &ended, now);
                    } else {
                        region.undo_start(&io, now);
                    }
                    let complete = |step: Step<'_>| {
                        fast::complete(step, entry, &Request(io), io.sectors << 9);
                    };
                    if !matches!(way, Way::Done) || !disk.step(now, io, complete) {
                        leave(&disk, entry, &io, way, now);
                    }
                    Life::None
                }
            };
            prop_assert_eq!(disk.recorded.totals(now + 1), general.totals(now + 1));
        }
    }
}

/// An I/O leaves on the general path, as the module's regions record it.
fn leave(disk: &Disk, entry: &Entry, io: &Io, way: Way, now: u64) {
    entry.generalize(KEY, || match way {
        Way::Abandoned => Fresh::UNKNOWN,
        _ => Fresh {
            class: io.class,
            sector: io.sector,
        },
    });
    if entry.is_in_regions() {
        assert_eq!(entry.io(0), *io);
        match way {
            Way::Done | Way::Ends => disk.recorded.end(entry, now),
            Way::GivenBack | Way::Abandoned => disk.recorded.region().undo_start(io, now),
        }
    }
    entry.release();
}
