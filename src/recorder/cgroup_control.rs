// SPDX-License-Identifier: GPL-2.0

//! Control of accounts by cgroup: starts and stops counting, reads the accounts, and merges and removes their rows.
//! Probes count in `transactions/cgroup.rs`.

use super::{
    cgroups::Cgroups,
    probe::cgroups::CgroupProbes,
    tracker::Tracker, //
};
use crate::{
    abi::sort::sort_by,
    acct::{
        cgroup::{
            CgroupGroup,
            CgroupReading,
            CgroupTotals, //
        },
        class::Class, //
    },
    glue::cgroups::Counting,
    kernel_ext::{
        fprobe::{
            Arguments,
            EntryHandler,
            Fprobe, //
        },
        percpu::with_interrupts_off,
        published::{
            wait_for_drops,
            Node, //
        },
        task::cond_resched,
        tracepoint::synchronize,
        zeroed::zeroed_vec, //
    },
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};

/// Called at the entry of the function that frees a `blkcg_gq`. No bio refers to that any more.
struct FreeEntry(Arc<Cgroups>);

impl EntryHandler for FreeEntry {
    fn entry(&self, _arguments: Arguments<'_>) {
        self.0.clear_memos();
    }
}

/// The state of accounts by cgroup. All functions that read or change the accounts, except the probes, are called
/// through it, one caller at a time.
pub(super) struct CgroupControl {
    /// Fields are dropped in this order.
    counting: Option<Counting>,
    probes: Option<CgroupProbes>,
    frees: Option<Fprobe<FreeEntry>>,
    cgroups: Option<Arc<Cgroups>>,
    rows: u32,
}

impl CgroupControl {
    /// Creates the state without accounts. They will have room for so many rows.
    pub(super) fn new(rows: u32) -> Self {
        CgroupControl {
            counting: None,
            probes: None,
            frees: None,
            cgroups: None,
            rows,
        }
    }

    /// Starts counting, unless it is started already. May sleep; `ENOMEM`, `EOPNOTSUPP` if the kernel has no cgroups
    /// for block I/O.
    pub(super) fn start(&mut self, tracker: &Arc<Tracker>) -> Result {
        if self.counting.is_some() {
            return Ok(());
        }
        let cgroups = Cgroups::new(self.rows)?;
        tracker.cgroups().replace(Some(Node::new(cgroups.clone())?));
        // If the kernel has no such function or no fprobes, CPUs remember no rows.
        self.frees = Fprobe::new(c"blkg_free_workfn", FreeEntry(cgroups.clone())).ok();
        cgroups.set_may_remember(self.frees.is_some());
        self.cgroups = Some(cgroups);
        let started = CgroupProbes::new(tracker).and_then(|probes| {
            self.probes = Some(probes);
            self.counting = Some(Counting::new()?);
            Ok(())
        });
        if started.is_err() {
            self.stop(tracker);
        }
        started
    }

    /// Stops counting, and frees all accounts. May sleep.
    pub(super) fn stop(&mut self, tracker: &Tracker) {
        self.counting = None;
        self.probes = None;
        tracker.cgroups().replace(None);
        synchronize();
        wait_for_drops();
        // No probe uses a memo any more.
        self.frees = None;
        self.cgroups = None;
    }

    /// Rows in use, and how many there may be; [`None`] while off.
    pub(super) fn used(&self) -> Option<(usize, usize)> {
        let cgroups = self.cgroups.as_ref()?;
        Some((cgroups.table().taken(), cgroups.table().rows.len()))
    }

    /// Removes the rows of a disk that probes do not find any more. May sleep.
    pub(super) fn remove_device(&mut self, device: u32) {
        if let Some(cgroups) = &self.cgroups {
            with_interrupts_off(|_| cgroups.table().remove_device(device));
            reclaim(cgroups);
        }
    }

    /// Merges released rows. May sleep.
    pub(super) fn upkeep(&mut self) {
        let Some(cgroups) = &self.cgroups else {
            return;
        };
        if !cgroups.must_merge() {
            return;
        }
        // Without memory, it is tried again the next time.
        let Ok(rows) = self.rows(|is_released| is_released) else {
            cgroups.merge_later();
            return;
        };
        let mut first: Option<(CgroupGroup, usize)> = None;
        for (group, index) in rows {
            match first {
                Some((of, into)) if of == group => {
                    with_interrupts_off(|_| cgroups.table().merge(index, into));
                    cond_resched();
                }
                _ => first = Some((group, index)),
            }
        }
        reclaim(cgroups);
    }

    /// The disk, cgroup and class under which each row is read, and its index, in order. May sleep;
    /// `ENOMEM`.
    fn rows(&self, is_wanted: impl Fn(bool) -> bool) -> Result<KVVec<(CgroupGroup, usize)>> {
        let Some(cgroups) = &self.cgroups else {
            return Ok(KVVec::new());
        };
        let table = cgroups.table();
        let mut rows = KVVec::with_capacity(table.taken(), GFP_KERNEL)?;
        for (group, index, is_released) in table.all() {
            // Rows that were added meanwhile are left to the next reader.
            if rows.len() < rows.capacity() && is_wanted(is_released) {
                rows.push((group, index), GFP_KERNEL)?;
            }
        }
        sort_by(&mut rows, |one, other| one.cmp(other));
        Ok(rows)
    }

    /// Calls `each` with the sums of each cgroup, disk and class from a group on, in order, and last with the sums of
    /// I/Os that had no room for a row, until it returns false. May sleep; `ENOMEM`.
    pub(super) fn each(
        &self,
        from: CgroupGroup,
        mut each: impl FnMut(CgroupGroup, &CgroupTotals) -> Result<bool>,
    ) -> Result {
        let Some(cgroups) = &self.cgroups else {
            return Ok(());
        };
        let rows = self.rows(|_| true)?;
        let mut reading = zeroed_vec::<CgroupReading>(1)?;
        let Some(reading) = reading.first_mut() else {
            return Ok(());
        };
        let mut rows = rows
            .iter()
            .skip_while(|(group, _)| *group < from)
            .peekable();
        while let Some((group, index)) = rows.next() {
            if let Some(sums) = cgroups.table().sums(*index) {
                reading.add(sums);
            }
            if rows.peek().is_some_and(|(next, _)| next == group) {
                continue;
            }
            if !reading.totals.is_empty() && !each(*group, &reading.totals)? {
                return Ok(());
            }
            reading.clear();
            cond_resched();
        }
        for class in Class::ALL {
            let group = CgroupGroup {
                device: OTHER,
                owner: 0,
                class: class as u32,
            };
            if let Some(sums) = cgroups.other.get(class) {
                reading.add(sums);
            }
            if group >= from && !reading.totals.is_empty() && !each(group, &reading.totals)? {
                break;
            }
            reading.clear();
        }
        Ok(())
    }
}

/// In place of the number of a disk: stands for all I/Os that had no room for a row.
pub(crate) const OTHER: u32 = u32::MAX;

/// Frees rows that are in no chain any more. May sleep.
fn reclaim(cgroups: &Cgroups) {
    // A probe may have found such a row before, and may still remember it in a memo, from which
    // another probe may have recalled it.
    synchronize();
    cgroups.clear_memos();
    synchronize();
    with_interrupts_off(|_| cgroups.table().reclaim());
}
