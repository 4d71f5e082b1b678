// SPDX-License-Identifier: GPL-2.0

//! Reads event counters.
//!
//! The mutex of the table protects only the list of counters: threads that add and remove disks wait for it.
//! The words of all CPUs are read without the mutex.

use super::{
    CounterId,
    Event,
    Events,
    Table, //
};
use crate::{
    acct::evcnt::roll_up,
    kernel_ext::task, //
};
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
    prelude::*,
    sync::Arc, //
};

/// A counter in a list.
pub(crate) struct Listed {
    pub(crate) event: Arc<Event>,
    pub(crate) handle: CounterId,
    parent: Option<CounterId>,
    /// The count of this counter and of its descendants.
    pub(crate) total: u64,
}

/// The number of counters that are collected with the mutex held at a time, and the number that is searched for
/// them.
const FAMILY: usize = 32;
const AMONG: usize = 1024;

impl Events {
    /// Returns the sum of a counter and its descendants; [`None`] if it is not attached. A counter that is
    /// detached at the same time may be included or not. May sleep.
    pub(in crate::kapi) fn total(&self, root: CounterId) -> Option<u64> {
        let mut total = 0u64;
        let mut next = Some(root);
        while let Some(first) = next {
            let mut family = [CounterId::NONE; FAMILY];
            next = self.table.lock().family(root, first, &mut family)?;
            for handle in family {
                total = total.wrapping_add(self.cells.get(handle).unwrap_or(0));
            }
            task::may_rest();
        }
        Some(total)
    }

    /// Returns all counters in the order of attachment, each with the sum of itself and its descendants. A
    /// counter that is detached at the same time is left out, and its children then have no parent. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if a fatal signal is pending.
    pub(crate) fn rolled_up(&self) -> Result<KVVec<Listed>> {
        let mut list = self.snapshot()?;
        let mut killed = Ok(());
        list.retain(|listed| {
            killed = killed.and_then(|()| task::may_be_killed());
            let total = self.cells.get(listed.handle).filter(|_| killed.is_ok());
            listed.total = total.unwrap_or(0);
            total.is_some()
        });
        killed?;
        let mut totals = KVVec::with_capacity(list.len(), GFP_KERNEL_ACCOUNT)?;
        for listed in &list {
            totals.push(listed.total, GFP_KERNEL_ACCOUNT)?;
        }
        roll_up(&mut totals, |child| {
            let parent = list.get(child)?.parent?;
            list.binary_search_by_key(&parent, |listed| listed.handle)
                .ok()
        });
        for (listed, total) in list.iter_mut().zip(&totals) {
            listed.total = *total;
        }
        Ok(list)
    }

    /// Fills `batch` with the counters from a handle on, in the order of attachment. May sleep.
    pub(crate) fn batch(&self, from: CounterId, batch: &mut [Option<(CounterId, Arc<Event>)>]) {
        let mut table = self.table.lock();
        let mut cursor = table.attached.cursor_lower_bound_mut(&from);
        for place in batch {
            *place = cursor.as_ref().map(|at| {
                let (handle, attached) = at.current();
                (*handle, attached.event.clone())
            });
            cursor = cursor.and_then(|at| at.move_next());
        }
    }

    /// Returns all counters, with a total of 0.
    fn snapshot(&self) -> Result<KVVec<Listed>> {
        let mut room = 0usize;
        loop {
            // Allocate without the mutex: see [`Events::attach`].
            let mut list = KVVec::with_capacity(room, GFP_KERNEL_ACCOUNT)?;
            let table = self.table.lock();
            let len = table.attached.keys().count();
            if len > room {
                // More counters may be attached until the mutex is locked again.
                room = len.saturating_add(len / 8);
                continue;
            }
            for (handle, attached) in &table.attached {
                let _ = list.push_within_capacity(Listed {
                    event: attached.event.clone(),
                    handle: *handle,
                    parent: attached.parent,
                    total: 0,
                });
            }
            return Ok(list);
        }
    }
}

impl Table {
    /// Collects counters from `next` on that are `root` or a descendant of it. Returns the handle to continue
    /// from, if there may be more, or [`None`] if `root` is not attached.
    fn family(
        &self,
        root: CounterId,
        mut next: CounterId,
        family: &mut [CounterId; FAMILY],
    ) -> Option<Option<CounterId>> {
        self.attached.get(&root)?;
        let mut places = family.iter_mut();
        for _ in 0..AMONG {
            let Some(at) = self.attached.cursor_lower_bound(&next) else {
                return Some(None);
            };
            let handle = *at.current().0;
            if self.is_below(root, handle) {
                let Some(place) = places.next() else {
                    return Some(Some(handle));
                };
                *place = handle;
            }
            next = handle.after();
        }
        Some(Some(next))
    }

    fn is_below(&self, root: CounterId, mut handle: CounterId) -> bool {
        while handle != root {
            match self.attached.get(&handle).and_then(|event| event.parent) {
                Some(parent) => handle = parent,
                None => return false,
            }
        }
        true
    }
}
