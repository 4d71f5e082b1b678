// SPDX-License-Identifier: GPL-2.0

//! One disk's statistics.

use crate::{
    abi::identity::{
        device_type,
        priority,
        Identity, //
    },
    acct::{
        busy::Gauge,
        record::CpuRecord,
        snapshot::{
            collect,
            Snapshot, //
        },
        verb::Verb, //
    },
    kernel_ext::{
        block::disk::Disk,
        clock::now_ns,
        interrupt::InterruptsOff,
        percpu::PerCpu, //
    },
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// One disk's statistics, from its arrival on. Outlives the disk for as long as a reader holds it.
#[pin_data]
pub(crate) struct Account {
    identity: Identity,
    cpus: PerCpu<CpuRecord>,
    gauge: Line,
    /// The latest snapshot taken: the next must not be less.
    #[pin]
    last: Mutex<Snapshot>,
}

/// The gauge on a cache line of its own: the rest of the account is only read.
#[repr(align(64))]
struct Line(Gauge);

impl Account {
    /// An account of `disk` with all counters zero. May sleep; `ENOMEM`.
    pub(crate) fn new(disk: &Disk<'_>, number: u32) -> Result<Arc<Self>> {
        let identity = Identity {
            name: disk.name(),
            driver: disk.driver(),
            number,
            major: disk.major(),
            minor: disk.minor(),
            diskseq: disk.diskseq(),
            crtime: now_ns(),
            priority: priority::DISK,
            device_type: device_type::DIRECT | device_type::IF_OTHER,
            block_size: disk.logical_block_size(),
        };
        let cpus = PerCpu::new()?;
        Arc::pin_init(
            try_pin_init!(Account {
                identity,
                cpus,
                gauge: Line(Gauge::default()),
                last <- new_mutex!(Snapshot::default()),
            }),
            GFP_KERNEL,
        )
    }

    /// Who the disk is.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Records one step of one I/O at `now`, a time read with these interrupts off.
    #[inline(always)]
    pub(crate) fn record(&self, verb: Verb, now: u64, interrupts: &InterruptsOff) {
        let cpu = self.cpus.this_cpu(interrupts);
        verb.apply(&cpu.write(), &self.gauge.0, now);
    }

    /// All counters at one instant. May sleep, until other readers of the same disk are done.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut last = self.last.lock();
        let snapshot = collect(|| self.cpus.iter(), now_ns).after(&last);
        *last = snapshot;
        snapshot
    }
}
