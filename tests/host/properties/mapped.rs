// SPDX-License-Identifier: GPL-2.0

//! Programs that read the records in mapped memory get the values that floor 0 computes.

use iostat::{
    abi::{
        binary::{
            call,
            histograms::PHASE_OF_SIZES,
            Device,
            DeviceSnapshot,
            GET_ALL,
            GET_OLDEST,
            VERSION, //
        },
        map::{
            Layout,
            MapDevice,
            MapHeader,
            GONE,
            MAGIC, //
        },
    },
    acct::{
        busy::{
            Gauge,
            Tree, //
        },
        class::{
            Class,
            Kind,
            Tag, //
        },
        histogram::{
            Bases,
            Histogram,
            Phase,
            BUCKETS, //
        },
        inflight::Oldest,
        record::{
            CpuRecord,
            DiskSummand, //
            RecordPart,
            RecordWrite,
        },
        size::{
            SizeCounts,
            SIZES, //
        },
        snapshot::{
            collect,
            collect_histogram,
            collect_sizes,
            DiskPart, //
            HistogramSet,
            HistogramSums,
            Snapshot,
        },
        transition::{
            End,
            Transition, //
        },
        turns::Turns,
    },
};
use iostat_map::Block;
use proptest::prelude::*;
use std::{
    cell::Cell,
    mem::{
        offset_of,
        size_of,
        transmute, //
    },
    ptr::NonNull,
    sync::atomic::{
        AtomicBool,
        Ordering::Relaxed, //
    },
    thread, //
};

const CPUS: usize = 3;
const LAYOUT: Layout = Layout {
    page: 4096,
    records: 1 + CPUS,
};

/// Compares a value of the reader's header with the module's.
macro_rules! same {
    ($reader:ty = $ours:ty { $($member:ident)* }) => {
        assert!(size_of::<$reader>() == size_of::<$ours>());
        $(assert!(offset_of!($reader, $member) == offset_of!($ours, $member));)*
    };
}

const _: () = {
    use iostat_map::layout;
    same!(layout::Device = Device {
        number kind diskseq crtime map_offset dev_major dev_minor parent device_type
        priority block_size name driver reserved
    });
    same!(layout::Snapshot = DeviceSnapshot {
        number reserved snaptime start_count end_count counts
        bytes operations duration service busy_time tag_types wtime wlentime
        wlastupdate rtime rlentime rlastupdate wcnt rcnt oldest_age
    });
    assert!(layout::VERSION == VERSION && layout::MAGIC == MAGIC && layout::BUCKETS == BUCKETS);
    assert!(layout::SIZES == SIZES && layout::PHASE_OF_SIZES == PHASE_OF_SIZES);
    assert!(layout::IOC_LIST == call::LIST as std::ffi::c_ulong);
    assert!(layout::IOC_SNAPSHOT == call::SNAPSHOT as std::ffi::c_ulong);
    assert!(layout::GET_ALL == GET_ALL && layout::GET_OLDEST == GET_OLDEST);
    assert!(layout::GONE == GONE);
};

/// A page.
#[derive(Default)]
#[repr(C, align(4096))]
struct Page<T>(T);

/// A record, and its bases.
type Pages = (Page<CpuRecord>, Page<Bases>);

/// A device's memory as the module lays it out.
#[repr(C, align(4096))]
struct Memory {
    owner: MapDevice,
    bases: Page<Bases>,
    records: [Pages; 1 + CPUS],
}

impl Memory {
    fn new() -> Box<Self> {
        // SAFETY: Integers and arrays of integers.
        let mut memory: Box<Self> = Box::new(unsafe { std::mem::zeroed() });
        memory.owner.set(Device {
            number: 7,
            ..Device::default()
        });
        memory.owner.present.set(0);
        memory
    }

    /// What is there.
    fn parts(&self) -> impl Iterator<Item = RecordPart<'_>> {
        let pages = self.records.iter().enumerate();
        let pages = pages.filter(|(index, _)| self.owner.present.has(*index));
        pages.map(|(index, (record, bases))| RecordPart {
            record: &record.0,
            bases: Some(&bases.0),
            rare: (index == 0).then_some((&self.owner.rare, Some(&self.bases.0))),
        })
    }

    fn own_parts(&self) -> impl Iterator<Item = DiskPart<'_>> {
        self.parts().map(DiskPart::own)
    }

    fn cpus(&self) -> impl Iterator<Item = &CpuRecord> {
        self.parts().map(|part| part.record)
    }

    /// The record of a CPU, or that which CPUs share. It is there from the first use on.
    fn record(&self, index: usize) -> &CpuRecord {
        self.owner.present.set(index);
        &self.records[index].0 .0
    }

    fn block(&self, header: &MapHeader) -> Block {
        // SAFETY: Both are laid out as the header describes, and outlive what the tests do with it.
        unsafe { Block::new(NonNull::from(header).cast(), NonNull::from(self).cast()) }
    }
}

fn own(counters: DeviceSnapshot) -> iostat_map::Snapshot {
    // SAFETY: Both types have the same integers in the same order: `struct iostat_snapshot`.
    unsafe { transmute(counters) }
}

fn read(bytes: u64, total: u64, service: u64) -> End {
    End {
        kind: Kind::new(Class::Read, Tag::Simple),
        bytes,
        duration_ns: total,
        service_ns: service,
    }
}

/// Stops the writers.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

proptest! {
    #[test]
    fn a_mapping_reads_as_the_kernel_does(
        steps in prop::collection::vec((0..CPUS, 0..CPUS, 0..CPUS, 1u64..1000, 0u64..4, any::<u32>()), 0..40)
    ) {
        let (header, memory, gauge) = (MapHeader::new(&LAYOUT), Memory::new(), Gauge::default());
        let mut block = memory.block(&header);
        let tree = Tree { leaf: &gauge, root: None };
        let (mut now, mut last) = (1_000_000u64, Default::default());
        for (start, issue, end, gap, still, bytes) in steps {
            // The block keeps what it reads. Records change, and appear, between its reads.
            last = collect(|| memory.cpus(), || now).after(&last);
            prop_assert_eq!(block.snapshot_by(|| now), own(DeviceSnapshot::new(7, &last, Oldest::default())));
            let began = now;
            Transition::StartWaitqEnter.apply(&memory.record(start).write(), &tree, now);
            now += gap;
            if still == 1 {
                continue;
            }
            Transition::WaitqToRunq.apply(&memory.record(issue).write(), &tree, now);
            now += gap;
            if still == 2 {
                continue;
            }
            let end_of = read(u64::from(bytes), now - began, gap);
            Transition::RunqExitEnd(end_of).apply(&memory.record(end).write(), &tree, now);
        }
        let floor0 = collect(|| memory.cpus(), || now).after(&last);
        prop_assert_eq!(block.snapshot_by(|| now), own(DeviceSnapshot::new(7, &floor0, Oldest::default())));
        // As a reader does that has read nothing before.
        let floor0 = collect(|| memory.cpus(), || now).after(&Default::default());
        let mapped = memory.block(&header).snapshot_by(|| now);
        prop_assert_eq!(mapped, own(DeviceSnapshot::new(7, &floor0, Oldest::default())));
    }
}

/// A snapshot with the histograms of the same instant.
struct WithHistograms {
    snapshot: Snapshot,
    wanted: Option<HistogramSet>,
    sums: HistogramSums,
    copies: HistogramSums,
}

impl Default for WithHistograms {
    fn default() -> Self {
        WithHistograms {
            snapshot: Snapshot::default(),
            wanted: None,
            sums: HistogramSums::default(),
            copies: HistogramSums::default(),
        }
    }
}

impl WithHistograms {
    fn take<'a, I>(&mut self, parts: impl Fn() -> I, wanted: HistogramSet, now: u64)
    where
        I: Iterator<Item = DiskPart<'a>>,
    {
        let (sums, copies) = (&mut self.sums, &mut self.copies);
        self.snapshot
            .take_with_histograms(parts, || now, wanted, sums, copies);
        self.wanted = Some(wanted);
    }

    fn of(&self, class: Class, phase: Phase) -> Option<Histogram<u64>> {
        let mut all = self.sums.of(self.wanted?);
        let found = all.find(|(of, part, _)| (*of, *part) == (class, phase));
        found.map(|(.., histogram)| *histogram)
    }

    fn sizes(&self, class: Class) -> Option<SizeCounts> {
        let mut all = self.sums.sizes_of(self.wanted?);
        let found = all.find(|(of, _)| *of == class);
        found.map(|(_, counts)| *counts)
    }
}

proptest! {
    #[test]
    fn a_mapping_of_a_disk_with_partitions_reads_as_the_kernel_does(
        steps in prop::collection::vec((0..3usize, 0..CPUS, 0..CPUS, 0..CPUS, 1u64..1000, 0u64..4), 0..60)
    ) {
        let (header, disk) = (MapHeader::new(&LAYOUT), Memory::new());
        let partitions = [Memory::new(), Memory::new()];
        let (gauge, gauges) = (Gauge::default(), [Gauge::default(), Gauge::default()]);
        let mut block = disk.block(&header);
        // SAFETY: As for the block.
        unsafe { block.set_partitions(partitions.iter().map(|memory| NonNull::from(&**memory).cast())) };
        let apply = |of: usize, cpu: usize, transition: Transition, now: u64| {
            let Some(partition) = of.checked_sub(1) else {
                let tree = Tree { leaf: &gauge, root: None };
                return transition.apply(&disk.record(cpu).write(), &tree, now);
            };
            let record = partitions[partition].record(cpu).write();
            let tree = Tree { leaf: &gauges[partition], root: None };
            transition.apply_in_partition(&record, &tree, &gauge, now);
        };
        let all = || {
            let own = disk.cpus().map(DiskSummand::own);
            own.chain(partitions.iter().flat_map(|memory| memory.cpus()).map(DiskSummand::of_partition))
        };
        let (mut now, mut last) = (1_000_000u64, Default::default());
        for (of, start, issue, end, gap, still) in steps {
            last = collect(all, || now).after(&last);
            prop_assert_eq!(block.snapshot_by(|| now), own(DeviceSnapshot::new(7, &last, Oldest::default())));
            let began = now;
            apply(of, start, Transition::StartWaitqEnter, now);
            if still == 3 && of != 0 {
                apply(of, start, Transition::WaitedBefore(gap), now);
            }
            now += gap;
            if still == 1 {
                continue;
            }
            apply(of, issue, Transition::WaitqToRunq, now);
            now += gap;
            if still == 2 {
                continue;
            }
            apply(of, end, Transition::RunqExitEnd(read(4096, now - began, gap)), now);
        }
        let floor0 = collect(all, || now).after(&last);
        let mapped = block.snapshot_by(|| now);
        prop_assert_eq!(mapped, own(DeviceSnapshot::new(7, &floor0, Oldest::default())));
        let mut ours = Histogram::default();
        let parts = disk.parts().chain(partitions.iter().flat_map(|memory| memory.parts()));
        collect_histogram(parts, Class::Read, Phase::Total, &mut ours);
        let times = block.histogram(Class::Read as usize, Phase::Total as usize);
        prop_assert_eq!(times.counts, ours.counts);
        prop_assert_eq!(ours.count(), floor0.record.devstat.operations(Class::Read));
        let mut at_once = WithHistograms::default();
        let parts = || {
            let of_partitions = partitions.iter().flat_map(|memory| memory.parts());
            disk.own_parts().chain(of_partitions.map(DiskPart::of_partition))
        };
        at_once.take(parts, HistogramSet::ALL, now);
        prop_assert_eq!(at_once.snapshot.after(&Default::default()), floor0);
        prop_assert_eq!(at_once.of(Class::Read, Phase::Total), Some(ours));
        let parts = disk.parts().chain(partitions.iter().flat_map(|memory| memory.parts()));
        let sizes = collect_sizes(parts)[Class::Read as usize];
        prop_assert_eq!(block.sizes(Class::Read as usize), sizes);
        prop_assert_eq!(at_once.sizes(Class::Read), Some(sizes));
        prop_assert_eq!(sizes.iter().sum::<u64>(), ours.count());
    }
}

#[test]
fn histograms_are_the_kernels_with_bases_and_without() {
    let (header, memory) = (MapHeader::new(&LAYOUT), Memory::new());
    let block = memory.block(&header);
    let (turns, mut at_once) = (Turns::default(), WithHistograms::default());
    for round in 0..3u64 {
        for (number, class) in (1u64..).zip(Class::ALL) {
            for index in [0, 1, 3] {
                let (total, service) = (1000 * number << index, 300 * number);
                match class {
                    Class::Read | Class::Write => {
                        let record = memory.record(index).write();
                        record.record_times(class as usize, total, service);
                        record.record_size(class as usize, 700 << (2 * index));
                    }
                    // With the record that CPUs share.
                    _ => {
                        let record = memory.record(0).write_shared(&turns, &memory.owner.rare);
                        record.record_times(class as usize, total, service);
                        record.record_size(class as usize, 700 << (2 * index));
                    }
                }
            }
        }
        for class in Class::ALL {
            for phase in Phase::ALL {
                let mut ours = Histogram::default();
                collect_histogram(memory.parts(), class, phase, &mut ours);
                let mapped = block.histogram(class as usize, phase as usize);
                assert_eq!(mapped.counts, ours.counts);
                assert_eq!(ours.count(), 3 * (round + 1));
                assert_eq!((mapped.min(), mapped.max()), (ours.min(), ours.max()));
                // All at once, and some.
                at_once.take(|| memory.own_parts(), HistogramSet::ALL, 0);
                assert_eq!(at_once.of(class, phase), Some(ours));
                let others = HistogramSet::ALL.bits() & !HistogramSet::bit(class, phase);
                at_once.take(|| memory.own_parts(), HistogramSet::new(others).unwrap(), 0);
                assert_eq!(at_once.of(class, phase), None);
            }
        }
        for class in Class::ALL {
            let mut sizes = [0; SIZES];
            if class != Class::NoData {
                // 700 bytes, 2800, and 44800.
                for bucket in [0, 2, 6] {
                    sizes[bucket] = round + 1;
                }
            }
            assert_eq!(collect_sizes(memory.parts())[class as usize], sizes);
            assert_eq!(block.sizes(class as usize), sizes);
            at_once.take(|| memory.own_parts(), HistogramSet::ALL, 0);
            assert_eq!(at_once.sizes(class), Some(sizes));
            let others = HistogramSet::ALL.bits() & !HistogramSet::sizes_bit(class);
            at_once.take(|| memory.own_parts(), HistogramSet::new(others).unwrap(), 0);
            assert_eq!(at_once.sizes(class), None);
        }
        // Says that there are bases.
        memory.parts().for_each(|part| part.follow());
    }
    // Of a device without I/O, in the room of one with.
    at_once.take(|| memory.own_parts(), HistogramSet::ALL, 0);
    let idle = Memory::new();
    at_once.take(|| idle.own_parts(), HistogramSet::ALL, 0);
    for class in Class::ALL {
        assert_eq!(at_once.sizes(class), Some([0; SIZES]));
        for phase in Phase::ALL {
            assert_eq!(at_once.of(class, phase).map(|sum| sum.count()), Some(0));
        }
    }
}

/// What `look` reads while there is always one I/O in the run queue, from 1000 on, and another takes its place each time
/// between two passes. `look` gets a clock. Returns the time after that, too.
fn under_steady_load<R>(look: impl FnOnce(&Memory, &dyn Fn() -> u64) -> R) -> (R, u64) {
    let (memory, gauge) = (Memory::new(), Gauge::default());
    let tree = Tree {
        leaf: &gauge,
        root: None,
    };
    let record = memory.record(1);
    let (now, calls) = (Cell::new(1000), Cell::new(0));
    Transition::StartRunqEnter.apply(&record.write(), &tree, 1000);
    let clock = || {
        now.set(now.get() + 10);
        calls.set(calls.get() + 1);
        // The first call is before the first pass, and then there is one after each pass.
        if calls.get() % 2 == 0 {
            let end = read(4096, 20, 20);
            Transition::RunqExitEnd(end).apply(&record.write(), &tree, now.get());
            Transition::StartRunqEnter.apply(&record.write(), &tree, now.get());
        }
        now.get()
    };
    (look(&memory, &clock), now.get())
}

#[test]
fn under_load_a_mapping_reads_as_the_kernel_does() {
    let (floor0, _) = under_steady_load(|memory, clock| {
        collect(|| memory.cpus(), clock).after(&Default::default())
    });
    let header = MapHeader::new(&LAYOUT);
    let (mapped, now) = under_steady_load(|memory, clock| memory.block(&header).snapshot_by(clock));
    assert_eq!(
        mapped,
        own(DeviceSnapshot::new(7, &floor0, Oldest::default()))
    );
    // Eight attempts, of which the last has begun 20 ns before.
    assert_eq!((now, mapped.snaptime), (1170, 1150));
    assert!(mapped.rlentime <= now - 1000, "{mapped:?}");
}

#[test]
fn under_load_nothing_is_torn() {
    let (header, memory) = (MapHeader::new(&LAYOUT), Memory::new());
    let (gauge, stop) = (Gauge::default(), AtomicBool::new(false));
    let mut block = memory.block(&header);
    let clock = std::time::Instant::now();
    let now = || clock.elapsed().as_nanos() as u64;
    thread::scope(|scope| {
        for index in [1, 3] {
            let record = memory.record(index);
            let (gauge, stop) = (&gauge, &stop);
            scope.spawn(move || {
                let tree = Tree {
                    leaf: gauge,
                    root: None,
                };
                // At least one, also on a machine where this thread starts after all that is read below.
                loop {
                    Transition::StartRunqEnter.apply(&record.write(), &tree, now());
                    let end = read(4096, 1, 1);
                    Transition::RunqExitEnd(end).apply(&record.write(), &tree, now());
                    if stop.load(Relaxed) {
                        break;
                    }
                    // A pause between I/Os, for a reader that has no CPU of its own.
                    (0..200).for_each(|_| std::hint::spin_loop());
                }
            });
        }
        // The writers stop also if an assertion fails.
        let stopping = Stop(&stop);
        let mut last = iostat_map::Snapshot::default();
        for _ in 0..2000 {
            let next = block.snapshot_by(now);
            assert_eq!(next.bytes[1], 4096 * next.operations[1]);
            assert_eq!(next.duration[1], next.operations[1]);
            assert!(next.start_count >= next.end_count);
            assert!(next.operations[1] >= last.operations[1]);
            assert!(next.rtime - last.rtime <= next.snaptime - last.snaptime);
            last = next;
        }
        let mut at_once = WithHistograms::default();
        for _ in 0..2000 {
            at_once.take(|| memory.own_parts(), HistogramSet::ALL, now());
            let devstat = &at_once.snapshot.record.devstat;
            for phase in Phase::ALL {
                let count = at_once
                    .of(Class::Read, phase)
                    .map(|histogram| histogram.count());
                assert_eq!(count, Some(devstat.operations(Class::Read)));
            }
            let sizes = at_once.sizes(Class::Read).unwrap();
            assert_eq!(sizes.iter().sum::<u64>(), devstat.operations(Class::Read));
        }
        drop(stopping);
    });
    assert!(block.snapshot_by(now).operations[1] > 0);
}

#[test]
fn the_reader_has_the_clock_of_the_header() {
    let header = include_str!("../../../include/uapi/linux/iostat_map.h");
    let define = format!(
        "#define IOSTAT_CLOCK_RAW\t{}",
        iostat_map::layout::CLOCK_RAW
    );
    assert!(header
        .lines()
        .any(|line| line.split("\t/*").next() == Some(&define)));
}
