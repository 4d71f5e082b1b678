// SPDX-License-Identifier: GPL-2.0

//! What the entries of I/Os remember of an account, for the fast path: see `src/acct/fast.rs`.

use super::Account;
use crate::{
    acct::{
        busy::Root,
        fast::Memory,
        record::CpuRecord, //
    },
    kernel_ext::{
        general::is_general,
        percpu_pages::PerCpuPages, //
    },
};
use core::{
    ptr::from_ref,
    sync::atomic::Ordering::Relaxed, //
};
use kernel::prelude::*;

/// Whether an I/O at `now` is one of about eight, whatever the time from one to the next.
fn is_one_of_many(now: u64) -> bool {
    now.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 == 0
}

impl Account {
    /// What an entry remembers.
    pub(in crate::recorder) fn memory(&self) -> Memory {
        memory(self.memory.records(), &self.root)
    }

    /// Whether entries may remember it: a disk's that is there, has no partitions with accounts, and no regions.
    #[inline(always)]
    pub(in crate::recorder) fn may_be_remembered(&self) -> bool {
        !self.leaves_now.load(Relaxed)
            && !self.is_special()
            && !self.partitions.is_any()
            && self.disk.is_none()
    }

    /// The same for I/Os of this hardware queue, one of which was recorded at `now`, if there is a fast path at
    /// present.
    pub(in crate::recorder) fn may_be_remembered_by(&self, leaf: u16, now: u64) -> bool {
        if is_general() || !self.may_be_remembered() {
            return false;
        }
        // Others write the root's cache line with each of their I/Os: it is looked at now and then.
        !self.has_leaves() || is_one_of_many(now) && self.root.may_enter(leaf)
    }

    /// No entry remembers it from here on, except those that did before.
    pub(in crate::recorder) fn set_leaves_now(&self) {
        self.leaves_now.store(true, Relaxed);
    }
}

fn memory(records: *const CpuRecord, root: &Root) -> Memory {
    // CAST: Addresses.
    Memory {
        records: records as u64,
        root: from_ref(root) as u64,
    }
}

/// Memory for I/Os on the fast path whose account leaves before they end. It is written, and never read.
pub(in crate::recorder) struct Sink {
    records: PerCpuPages<(), CpuRecord>,
    root: Root,
}

impl Sink {
    /// May sleep; `ENOMEM`.
    pub(in crate::recorder) fn new() -> Result<KBox<Self>> {
        let sink = Sink {
            records: PerCpuPages::new(())?,
            root: Root::default(),
        };
        Ok(KBox::new(sink, GFP_KERNEL)?)
    }

    /// What an entry remembers.
    pub(in crate::recorder) fn memory(&self) -> Memory {
        memory(self.records.records(), &self.root)
    }
}
