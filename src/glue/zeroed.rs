// SPDX-License-Identifier: GPL-2.0

//! Zeroed and per-CPU traits for types of floor 0 that are in large arrays or in per-CPU memory.

use crate::{
    abi::map::MapDevice,
    acct::{
        absorb::PartitionSum,
        cgroup::{
            table::{
                CgroupMemo,
                CgroupRow,
                CgroupSlot, //
            },
            CgroupReading, //
        },
        counter::Counter,
        entry::Entry,
        histogram::Bases,
        inflight::{
            Oldest,
            Passed, //
        },
        record::CpuRecord,
        region::{
            area::Area,
            columns::{
                Classes,
                Columns, //
            },
            flight::InFlight,
            list::Last,
            Whole, //
        },
        slow::SlowPlace,
        snapshot::HistogramSums, //
    },
    kernel_ext::{
        percpu::PerCpuCounter,
        zeroed::Zeroed, //
    },
};

// SAFETY: An atomic integer of 64 bits, which is read by one load.
unsafe impl PerCpuCounter for Counter {}

// SAFETY: Counters and keys are integers; entries and records are made of them.
unsafe impl Zeroed for Entry {}
// SAFETY: An integer.
unsafe impl Zeroed for Passed {}
// SAFETY: An integer.
unsafe impl Zeroed for Oldest {}
// SAFETY: See above.
unsafe impl Zeroed for CgroupSlot {}
// SAFETY: See above.
unsafe impl Zeroed for CgroupRow {}
// SAFETY: See above.
unsafe impl Zeroed for CgroupMemo {}
// SAFETY: See above.
unsafe impl Zeroed for CgroupReading {}
// SAFETY: See above.
unsafe impl Zeroed for CpuRecord {}
// SAFETY: See above.
unsafe impl Zeroed for PartitionSum {}
// SAFETY: See above.
unsafe impl Zeroed for Bases {}
// SAFETY: See above.
unsafe impl Zeroed for HistogramSums {}
// SAFETY: See above.
unsafe impl Zeroed for SlowPlace {}
// SAFETY: See above.
unsafe impl Zeroed for MapDevice {}
// SAFETY: See above.
unsafe impl Zeroed for Counter {}
// SAFETY: See above.
unsafe impl Zeroed for Whole {}
// SAFETY: See above.
unsafe impl Zeroed for Area {}
// SAFETY: See above.
unsafe impl Zeroed for InFlight {}
// SAFETY: See above.
unsafe impl Zeroed for Last {}
// SAFETY: See above: all of these are integers.
unsafe impl Zeroed for Classes {}
// SAFETY: See above.
unsafe impl Zeroed for Columns {}
