// SPDX-License-Identifier: GPL-2.0

//! Programs that read the records in mapped memory get the values that floor 0 computes.

use iostat::{
    abi::{
        binary::{
            call,
            Counters,
            Device,
            VERSION, //
        },
        map::{
            Header,
            Layout,
            Owner,
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
        histogram::BUCKETS,
        record::CpuRecord,
        snapshot::collect,
        verb::{
            End,
            Verb, //
        },
    },
};
use iostat_map::Block;
use proptest::prelude::*;
use std::{
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
    cpus: CPUS,
    stride: size_of::<Page>(),
    block: size_of::<Memory>(),
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
        number flags diskseq crtime map_offset dev_major dev_minor parent device_type
        priority block_size name driver reserved
    });
    same!(layout::Snapshot = Counters {
        number reserved snaptime start_count end_count merged refused abandoned
        bytes operations duration busy_time tag_types wtime wlentime
        wlastupdate rtime rlentime rlastupdate wcnt rcnt reserved2
    });
    assert!(layout::VERSION == VERSION && layout::MAGIC == MAGIC && layout::BUCKETS == BUCKETS);
    assert!(layout::IOC_LIST == call::LIST as std::ffi::c_ulong);
    assert!(layout::IOC_SNAPSHOT == call::SNAPSHOT as std::ffi::c_ulong);
    assert!(layout::GONE == GONE);
};

/// The pages of one CPU.
#[derive(Default)]
#[repr(C, align(4096))]
struct Page(CpuRecord);

/// A device's memory as the module lays it out.
#[repr(C, align(4096))]
struct Memory {
    owner: Owner,
    records: [Page; CPUS],
}

impl Memory {
    fn new() -> Box<Self> {
        Box::new(Memory {
            owner: Owner::new(Device {
                number: 7,
                ..Device::default()
            }),
            records: Default::default(),
        })
    }

    fn cpus(&self) -> impl Iterator<Item = &CpuRecord> {
        self.records.iter().map(|page| &page.0)
    }

    fn block(&self, header: &Header) -> Block {
        // SAFETY: Both are laid out as the header describes, and outlive what the tests do with it.
        unsafe { Block::new(NonNull::from(header).cast(), NonNull::from(self).cast()) }
    }
}

fn own(counters: Counters) -> iostat_map::Snapshot {
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
        let (header, memory, gauge) = (Header::new(&LAYOUT), Memory::new(), Gauge::default());
        let mut block = memory.block(&header);
        let tree = Tree { leaf: &gauge, root: None };
        let mut now = 1_000_000u64;
        for (start, issue, end, gap, still, bytes) in steps {
            let began = now;
            Verb::StartWaitqEnter.apply(&memory.records[start].0.write(), &tree, now);
            now += gap;
            if still == 1 {
                continue;
            }
            Verb::WaitqToRunq.apply(&memory.records[issue].0.write(), &tree, now);
            now += gap;
            if still == 2 {
                continue;
            }
            let end_of = read(u64::from(bytes), now - began, gap);
            Verb::RunqExitEnd(end_of).apply(&memory.records[end].0.write(), &tree, now);
        }
        let floor0 = collect(|| memory.cpus(), || now);
        let floor0 = floor0.after(&Default::default());
        let mapped = block.snapshot_by(|| now);
        prop_assert_eq!(mapped, own(Counters::new(7, &floor0)));
    }
}

#[test]
fn under_load_nothing_is_torn() {
    let (header, memory) = (Header::new(&LAYOUT), Memory::new());
    let (gauge, stop) = (Gauge::default(), AtomicBool::new(false));
    let mut block = memory.block(&header);
    let clock = std::time::Instant::now();
    let now = || clock.elapsed().as_nanos() as u64;
    thread::scope(|scope| {
        for page in &memory.records[1..] {
            scope.spawn(|| {
                let tree = Tree {
                    leaf: &gauge,
                    root: None,
                };
                while !stop.load(Relaxed) {
                    Verb::StartRunqEnter.apply(&page.0.write(), &tree, now());
                    let end = read(4096, 1, 1);
                    Verb::RunqExitEnd(end).apply(&page.0.write(), &tree, now());
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
        drop(stopping);
        assert!(last.operations[1] > 0);
    });
}

#[test]
fn the_reader_has_the_clock_of_the_header() {
    let header = include_str!("../../../include/uapi/linux/iostat_map.h");
    let define = format!(
        "#define IOSTAT_CLOCK_TSC\t{}",
        iostat_map::layout::CLOCK_TSC
    );
    assert!(header
        .lines()
        .any(|line| line.split("\t/*").next() == Some(&define)));
}
