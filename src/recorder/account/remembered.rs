// SPDX-License-Identifier: GPL-2.0

//! What the entries of I/Os remember of an account, for the fast path: see `src/acct/fast.rs`.

use super::Account;
use crate::{
    acct::{
        busy::Root,
        fast::Memory,
        record::CpuRecord, //
    },
    kernel_ext::percpu_pages::PerCpuPages, //
};
use core::{
    ptr::from_ref,
    sync::atomic::Ordering::Relaxed, //
};
use kernel::prelude::*;

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

    /// The same for I/Os of this hardware queue, one of which was just recorded.
    pub(in crate::recorder) fn may_be_remembered_by(&self, leaf: u16) -> bool {
        self.may_be_remembered() && (!self.has_leaves() || self.root.may_enter(leaf))
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

/// Memory for I/Os on the fast path whose account leaves before they end. Nobody reads it.
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
