// SPDX-License-Identifier: GPL-2.0

//! What the probes of the fast path (`recorder/probe/fast.rs`) do that Rust has no words for: they turn interrupts off,
//! read the clock, and find this CPU's record, each by the instructions that the kernel's own inlines have.
//!
//! On x86-64 only: see `src/probes.c` for all others, and for machines whose clock is not the TSC.

use super::bindings as own;
use crate::acct::{
    busy::Root,
    entry::Entry,
    fast::Remembered,
    record::CpuRecord, //
};
use core::{
    arch::asm,
    mem::offset_of, //
};

extern "C" {
    static iostat_slot: u64;
    static iostat_clock: own::iostat_clock;
}

/// Interrupts were on or off before a section.
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

/// Interrupts are again as they were before [`save`] on this CPU.
#[inline(always)]
pub(crate) fn restore(flags: Flags) {
    if flags.0 & IF != 0 {
        // SAFETY: They were on when the section of the caller began.
        unsafe { asm!("sti", options(nostack, preserves_flags)) };
    }
}

/// The time in ns. In a section, while the clock is the TSC.
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

/// This CPU's record in the memory of an entry.
///
/// # Safety
///
/// In a section. The memory of the entry is the addresses of records and of a root that are there for `'a`, with a record for each CPU in its
/// slot.
#[inline(always)]
pub(crate) unsafe fn record<'a>(entry: &'a Entry) -> &'a CpuRecord {
    let record: *const CpuRecord;
    // SAFETY: Reads this CPU's slot and adds the address of the records.
    unsafe {
        asm!(
            "mov {record}, qword ptr gs:[rip + {slot}]",
            "add {record}, qword ptr [{entry} + {records}]",
            record = out(reg) record,
            slot = sym iostat_slot,
            entry = in(reg) entry,
            records = const RECORDS,
            options(nostack, readonly),
        )
    };
    // SAFETY: By this function's requirement there is a record.
    unsafe { &*record }
}

/// Where this CPU's record is in the memory of each account, bytes.
///
/// # Safety
///
/// In a section.
#[inline(always)]
pub(crate) unsafe fn slot() -> usize {
    let slot;
    // SAFETY: Reads this CPU's slot.
    unsafe {
        asm!(
            "mov {slot}, qword ptr gs:[rip + {of_cpu}]",
            slot = out(reg) slot,
            of_cpu = sym iostat_slot,
            options(nostack, readonly, preserves_flags),
        )
    };
    slot
}

/// This CPU's record, of the records at this address.
///
/// # Safety
///
/// In a section. There are records for `'a`, with one for each CPU in its slot.
#[inline(always)]
pub(crate) unsafe fn record_at<'a>(records: u64) -> &'a CpuRecord {
    // CAST: An address.
    let records = records as *const CpuRecord;
    // SAFETY: By this function's requirement.
    unsafe { &*records.wrapping_byte_add(slot()) }
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

/// The root in the memory of an entry.
///
/// # Safety
///
/// The same.
#[inline(always)]
pub(crate) unsafe fn root<'a>(entry: &'a Entry) -> &'a Root {
    // SAFETY: By this function's requirement there is a root.
    unsafe { root_at(entry.memory().root()) }
}
