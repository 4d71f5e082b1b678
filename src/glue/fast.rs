// SPDX-License-Identifier: GPL-2.0

//! The operations of the fast path (`recorder/probe/fast.rs`) that need assembly: turning interrupts off, reading the
//! clock, and finding this CPU's record, each by the instructions of the kernel's own inline functions.
//!
//! On x86-64 only. `src/hooks/probes.c` is for other architectures, and for machines whose clock is not the
//! TSC.

use super::{
    bindings as own,
    records::CpuPlace, //
};
use crate::{
    acct::{
        busy::Root,
        entry::Entry,
        fast::Remembered,
        record::CpuRecord,
        region::{
            area::Area,
            flight::InFlight,
            list::Last,
            only::{
                AreaOffset,
                OnlyRegion, //
            },
            place::AreaRef, //
        }, //
    },
    kernel_ext::percpu::PerCpuSlices, //
};
use core::{
    arch::asm,
    marker::PhantomData,
    mem::{
        offset_of,
        size_of, //
    }, //
};

extern "C" {
    static iostat_clock: own::iostat_clock;
}

/// The flags of the CPU before a section: the code from [`save`] to [`restore`], which runs with interrupts off.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Flags(u64);

/// `X86_EFLAGS_IF`.
const IF: u64 = 1 << 9;

/// Turns interrupts off on this CPU. The caller calls [`restore`].
#[inline(always)]
pub(crate) fn save() -> Flags {
    let flags;
    // SAFETY: Changes the interrupt flag, which the caller restores, and one word below the stack pointer. `nostack`
    // says that the stack is not used: that is for the compiler's alignment and red zone alone, and the
    // kernel has no red zone, so no variable of the caller is in that word. The stack pointer is as before.
    unsafe { asm!("pushfq", "pop {}", "cli", out(reg) flags, options(nostack)) };
    Flags(flags)
}

/// Restores the interrupt state from before [`save`] on this CPU.
#[inline(always)]
pub(crate) fn restore(flags: Flags) {
    if flags.0 & IF != 0 {
        // SAFETY: They were on when the section of the caller began.
        unsafe { asm!("sti", options(nostack, preserves_flags)) };
    }
}

/// Returns this CPU's offset of per-CPU memory. Interrupts are off.
#[inline(always)]
pub(crate) fn cpu_offset() -> usize {
    extern "C" {
        static this_cpu_off: usize;
    }
    let offset;
    // SAFETY: Reads this CPU's variable.
    unsafe {
        asm!(
            "mov {offset}, qword ptr gs:[rip + {this_cpu_off}]",
            offset = out(reg) offset,
            this_cpu_off = sym this_cpu_off,
            options(nostack, readonly, preserves_flags),
        )
    };
    offset
}

/// Returns the time, ns. Interrupts are off, and the clock source is the TSC.
#[inline(always)]
pub(crate) fn now_ns() -> u64 {
    let now: u64;
    // SAFETY: Reads the TSC, and the numbers of `struct iostat_clock` that belong to it, which C writes whole.
    unsafe {
        asm!(
            "rdtscp",
            "shl rdx, 32",
            "or rax, rdx",
            "mul qword ptr [rip + {clock} + {mult}]",
            "shrd rax, rdx, 32",
            "add rax, qword ptr [rip + {clock} + {offset}]",
            out("rax") now,
            out("rdx") _,
            out("rcx") _,
            clock = sym iostat_clock,
            mult = const offset_of!(own::iostat_clock, mult),
            offset = const offset_of!(own::iostat_clock, tsc_offset),
            options(nostack),
        )
    };
    now
}

const RECORDS: usize = offset_of!(Entry, memory) + Remembered::RECORDS_OFFSET;

/// Where each CPU finds its [`CpuPlace`]: an operand for per-CPU instructions.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct CpuPlaces(u64);

impl CpuPlaces {
    /// Returns the places that an entry remembers.
    #[inline(always)]
    pub(crate) fn of_entry(entry: &Entry) -> Self {
        let places;
        // SAFETY: Reads a word of the entry.
        unsafe {
            asm!(
                "mov {places}, qword ptr [{entry} + {records}]",
                places = out(reg) places,
                entry = in(reg) entry,
                records = const RECORDS,
                options(nostack, readonly, preserves_flags),
            )
        };
        CpuPlaces(places)
    }
}

/// This CPU's record.
///
/// # Safety
///
/// In a section. The places are there for `'a`.
#[inline(always)]
pub(crate) unsafe fn record<'a>(places: CpuPlaces) -> &'a CpuRecord {
    let record: *const CpuRecord;
    // SAFETY: By this function's requirement this CPU's place is valid.
    unsafe {
        asm!(
            "mov {record}, qword ptr gs:[{places} + {offset}]",
            record = out(reg) record,
            places = in(reg) places.0,
            offset = const CpuPlace::RECORD_OFFSET,
            options(nostack, readonly, preserves_flags),
        )
    };
    // SAFETY: By the type invariant of `CpuPlace` there is a record, of the account or the absent one.
    unsafe { &*record }
}

/// The root beside this CPU's record.
///
/// # Safety
///
/// As for [`record`].
#[inline(always)]
pub(crate) unsafe fn root<'a>(places: CpuPlaces) -> &'a Root {
    let root: *const Root;
    // SAFETY: As in `record`.
    unsafe {
        asm!(
            "mov {root}, qword ptr gs:[{places} + {offset}]",
            root = out(reg) root,
            places = in(reg) places.0,
            offset = const CpuPlace::ROOT_OFFSET,
            options(nostack, readonly, preserves_flags),
        )
    };
    // SAFETY: As in `record`.
    unsafe { &*root }
}

/// This CPU's part of the only region of the account.
#[derive(Clone, Copy)]
pub(crate) struct PlacedRegion<'a> {
    region: *const OnlyRegion,
    _section: PhantomData<&'a OnlyRegion>,
}

impl<'a> PlacedRegion<'a> {
    /// # Safety
    ///
    /// The caller is a probe with interrupts off. The places are valid for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn new(places: CpuPlaces) -> Self {
        let region;
        // SAFETY: As in `record`.
        unsafe {
            asm!(
                "mov {region}, qword ptr gs:[{places} + {offset}]",
                region = out(reg) region,
                places = in(reg) places.0,
                offset = const CpuPlace::REGION_OFFSET,
                options(nostack, readonly, preserves_flags),
            )
        };
        PlacedRegion {
            region,
            _section: PhantomData,
        }
    }

    /// The values that the CPU needs of the region.
    #[inline(always)]
    pub(crate) fn region(self) -> &'a OnlyRegion {
        // SAFETY: By the type invariant of `CpuPlace` there is one, until the probe returns.
        unsafe { &*self.region }
    }

    /// Where the latest I/O ended on this CPU.
    ///
    /// # Safety
    ///
    /// The region is not a zeroed one.
    #[inline(always)]
    pub(crate) unsafe fn last(self) -> &'a Last {
        // SAFETY: By this function's requirement and the type invariant of `RegionAreas` the number is the address of a
        // value that is there as long as the region.
        unsafe { &*(self.region().last() as *const Last) }
    }

    /// One of its areas.
    ///
    /// # Safety
    ///
    /// The region returned `at`.
    #[inline(always)]
    pub(crate) unsafe fn area(self, at: AreaOffset) -> AreaRef<'a> {
        const BEHIND_HEAD: usize = PerCpuSlices::<Area, OnlyRegion>::BEHIND_HEAD;
        const OWN: usize = size_of::<Area>() / size_of::<InFlight>();
        const _: () = assert!(size_of::<InFlight>() == AreaOffset::STRIDE);
        const _: () = assert!(size_of::<Area>() == OWN * AreaOffset::STRIDE);
        // CAST: 64 bits here and there.
        let offset = at.get() as usize;
        let first = self.region.wrapping_byte_add(BEHIND_HEAD);
        let area = first
            .wrapping_byte_add(offset.wrapping_mul(OWN))
            .cast::<Area>();
        let in_flight =
            (self.region().in_flight() as usize).wrapping_add(offset) as *const InFlight;
        // SAFETY: A region that returns offsets is that of a `RegionAreas`. By the type invariants of that and of
        // `PerCpuSlices`, its areas are behind it, and the words that all CPUs share are at the address that it has.
        // The offset is that of one of its areas.
        unsafe {
            AreaRef {
                area: &*area,
                in_flight: &*in_flight,
            }
        }
    }
}

/// The root at this address.
///
/// # Safety
///
/// There is one for `'a`.
#[inline(always)]
pub(crate) unsafe fn root_at<'a>(root: u64) -> &'a Root {
    // SAFETY: By this function's requirement.
    unsafe { &*(root as *const Root) }
}
