// SPDX-License-Identifier: GPL-2.0

//! Counts of events of a disk, on the pages of its records, behind the records.
//!
//! A CPU that has a record counts on the page of its record, without a locked instruction. All other CPUs count on the
//! page of the record that they share.

use super::Records;
use crate::{
    acct::{
        busy::Root,
        disk_event::{
            DiskEvent,
            DISK_EVENTS, //
        },
        record::CpuRecord,
    },
    kernel_ext::{
        pages::UserReadable,
        percpu::with_interrupts_off,
        zeroed::Zeroed, //
    },
};
use core::sync::atomic::{
    AtomicU64,
    Ordering::Relaxed, //
};

/// The content of the page of a record.
#[repr(C)]
pub(super) struct RecordPage {
    /// At the start of the page: the fast path and programs find the record by the address of the
    /// page.
    pub(super) record: CpuRecord,
    /// Counts by [`DiskEvent`].
    events: [AtomicU64; DISK_EVENTS],
}

// SAFETY: Integers.
unsafe impl Zeroed for RecordPage {}
// SAFETY: Counts and times of I/Os, all of which programs may know.
unsafe impl UserReadable for RecordPage {}

impl RecordPage {
    fn events(&self, event: DiskEvent) -> u64 {
        let count = self.events.get(event as usize);
        count.map_or(0, |count| count.load(Relaxed))
    }
}

impl Records {
    /// Adds to an event of the account with this root. Any context but NMI.
    pub(crate) fn add_event(&self, event: DiskEvent, added: u64, root: &Root) {
        with_interrupts_off(|cpu| match self.this_cpu_page(cpu, root) {
            Some(page) => {
                // No other code of this CPU can interrupt, and no other CPU writes the count.
                if let Some(count) = page.events.get(event as usize) {
                    count.store(count.load(Relaxed).wrapping_add(added), Relaxed);
                }
            }
            None => {
                if let Some(count) = self.shared.events.get(event as usize) {
                    count.fetch_add(added, Relaxed);
                }
            }
        });
    }

    /// The number of these events so far. Any context.
    pub(crate) fn events(&self, event: DiskEvent) -> u64 {
        let pages = self.indices().filter_map(|index| self.page_of(index));
        pages.fold(0, |sum: u64, page| sum.wrapping_add(page.events(event)))
    }
}
