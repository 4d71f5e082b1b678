// SPDX-License-Identifier: GPL-2.0

//! The rows of accounts by cgroup: see `src/acct/cgroup.rs` and `Documentation/cgroups.rst`. Probes change them in
//! `transactions/cgroup.rs`; all other functions are in `cgroup_control.rs`.

use crate::{
    acct::cgroup::{
        table::{
            CgroupChains,
            CgroupMemo,
            CgroupRow,
            CgroupSlot,
            CgroupTable, //
        },
        OtherSums, //
    },
    glue::upkeep,
    kernel_ext::{
        percpu::PerCpu,
        zeroed::zeroed_vec, //
    },
};
use core::{
    ops::RangeInclusive,
    sync::atomic::{
        AtomicBool,
        AtomicU32,
        Ordering::{
            Acquire,
            Relaxed,
            Release, //
        }, //
    },
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};

/// The valid numbers of rows.
pub(crate) const ROWS: RangeInclusive<u32> = 16..=1 << 20;

/// All rows.
pub(super) struct Cgroups {
    heads: KVVec<AtomicU32>,
    rows: KVVec<CgroupRow>,
    slots: KVVec<CgroupSlot>,
    /// The memos of reads and of writes of each CPU.
    pub(super) memos: PerCpu<[CgroupMemo; 2]>,
    chains: CgroupChains,
    /// The sums of I/Os that had no room for a row.
    pub(super) other: OtherSums,
    /// Whether memos are cleared when a `blkcg_gq` is freed.
    may_remember: AtomicBool,
    /// Rows were released that may be merged.
    has_released: AtomicBool,
}

impl Cgroups {
    /// Creates a table with room for so many rows, a number in [`ROWS`]. May sleep; `ENOMEM`.
    pub(super) fn new(rows: u32) -> Result<Arc<Self>> {
        // CAST: 32 bits.
        let rows = rows as usize;
        let cgroups = Cgroups {
            heads: zeroed_vec(rows.next_power_of_two())?,
            rows: zeroed_vec(rows)?,
            slots: zeroed_vec(rows)?,
            memos: PerCpu::new()?,
            chains: CgroupChains::default(),
            other: OtherSums::default(),
            may_remember: AtomicBool::new(false),
            has_released: AtomicBool::new(false),
        };
        Ok(Arc::new(cgroups, GFP_KERNEL)?)
    }

    /// See [`CgroupTable`].
    #[inline(always)]
    pub(super) fn table(&self) -> CgroupTable<'_> {
        CgroupTable {
            heads: &self.heads,
            rows: &self.rows,
            slots: &self.slots,
            chains: &self.chains,
        }
    }

    /// Makes all CPUs forget the rows that they remember.
    pub(super) fn clear_memos(&self) {
        self.memos.iter().flatten().for_each(CgroupMemo::clear);
    }

    /// Whether a CPU may remember a row.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "for the fast path")
    )]
    pub(super) fn may_remember(&self) -> bool {
        self.may_remember.load(Relaxed)
    }

    /// Sets whether CPUs may remember rows: only while memos are cleared when a `blkcg_gq` is
    /// freed.
    pub(super) fn set_may_remember(&self, may: bool) {
        self.may_remember.store(may, Relaxed);
    }

    /// Releases the rows of a cgroup that has no more I/O. With interrupts off.
    pub(super) fn release(&self, cgroup: u64) {
        if self.table().release(cgroup) {
            self.merge_later();
            upkeep::wake_soon();
        }
    }

    /// Requests that released rows are merged.
    pub(super) fn merge_later(&self) {
        self.has_released.store(true, Release);
    }

    /// Whether that was requested since the last call.
    pub(super) fn must_merge(&self) -> bool {
        self.has_released.swap(false, Acquire)
    }
}
