// SPDX-License-Identifier: GPL-2.0

//! Reads event counters.
//!
//! The mutex of the table protects only the list of counters: threads that add and remove disks wait for it.
//! The words of all CPUs are read without the mutex.

use super::{
    group::{
        CounterGroup,
        OfGroup, //
    },
    CounterId,
    CounterTable, //
    EventDescription,
    Events,
};
use crate::{
    acct::{
        disk_event::{
            DiskEvent,
            DISK_EVENTS, //
        },
        evcnt::{
            roll_up,
            EvcntType, //
        },
    },
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

/// An attached counter.
pub(crate) struct FoundCounter {
    pub(crate) handle: CounterId,
    description: Description,
}

enum Description {
    Of(Arc<EventDescription>),
    OfGroup(Arc<CounterGroup>, DiskEvent),
}

impl FoundCounter {
    fn of_group(counter: &OfGroup<'_>) -> Self {
        FoundCounter {
            handle: counter.handle,
            description: Description::OfGroup(counter.group.clone(), counter.event),
        }
    }

    /// Returns the group and the name.
    pub(crate) fn name(&self) -> (&str, &str) {
        match &self.description {
            Description::Of(event) => event.name(),
            Description::OfGroup(group, event) => group.name(*event),
        }
    }

    pub(crate) fn kind(&self) -> EvcntType {
        match &self.description {
            Description::Of(event) => event.kind(),
            Description::OfGroup(group, _) => group.kind(),
        }
    }

    /// Returns the time at which it was attached, ns.
    pub(crate) fn since_ns(&self) -> u64 {
        match &self.description {
            Description::Of(event) => event.since_ns(),
            Description::OfGroup(group, _) => group.since_ns(),
        }
    }
}

/// A counter in a list.
pub(crate) struct ListedCounter {
    pub(crate) found: FoundCounter,
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
    pub(crate) fn total(&self, root: CounterId) -> Option<u64> {
        let mut total = 0u64;
        let mut next = Some(root);
        while let Some(first) = next {
            let mut family = [CounterId::NONE; FAMILY];
            next = self.table.lock().family(root, first, &mut family)?;
            for handle in family {
                total = total.wrapping_add(self.cells.get(handle).unwrap_or(0));
            }
            task::cond_resched();
        }
        Some(total)
    }

    /// Returns all counters in the order of attachment, each with the sum of itself and its descendants. A
    /// counter that is detached at the same time is left out, and its children then have no parent. May sleep.
    ///
    /// # Errors
    ///
    /// `ENOMEM`; `EINTR` if a fatal signal is pending.
    pub(crate) fn rolled_up(&self) -> Result<KVVec<ListedCounter>> {
        let mut list = self.snapshot()?;
        let mut killed = Ok(());
        list.retain(|listed| {
            killed = killed.and_then(|()| task::check_fatal_signal());
            let total = self.count(&listed.found).filter(|_| killed.is_ok());
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
            list.binary_search_by_key(&parent, |listed| listed.found.handle)
                .ok()
        });
        for (listed, total) in list.iter_mut().zip(&totals) {
            listed.total = *total;
        }
        Ok(list)
    }

    /// Returns the count of a counter; [`None`] if it has been detached. Any context.
    pub(crate) fn count(&self, counter: &FoundCounter) -> Option<u64> {
        match &counter.description {
            Description::Of(_) => self.get(counter.handle),
            Description::OfGroup(group, event) => group.get(*event),
        }
    }

    /// Fills `batch` with the counters from a handle on, in the order of attachment. May sleep.
    pub(crate) fn batch(&self, mut from: CounterId, batch: &mut [Option<FoundCounter>]) {
        let table = self.table.lock();
        for place in batch {
            *place = table.next(from);
            if let Some(found) = place {
                from = found.handle.after();
            }
        }
    }

    /// Returns all counters, with a total of 0.
    fn snapshot(&self) -> Result<KVVec<ListedCounter>> {
        let mut room = 0usize;
        loop {
            // Allocate without the mutex: see [`Events::attach`].
            let mut list = KVVec::with_capacity(room, GFP_KERNEL_ACCOUNT)?;
            let table = self.table.lock();
            let groups = table.groups.keys().count();
            let len = groups.saturating_mul(DISK_EVENTS);
            let len = len.saturating_add(table.attached.keys().count());
            if len > room {
                // More counters may be attached until the mutex is locked again.
                room = len.saturating_add(len / 8);
                continue;
            }
            let mut attached = table.attached.iter().peekable();
            let groups = table.groups.values();
            let mut of_groups = groups
                .flat_map(|member| member.from(CounterId::NONE))
                .peekable();
            // Both are in the order of attachment.
            loop {
                let first = attached.peek().map(|(handle, _)| **handle);
                let is_of_group = of_groups
                    .peek()
                    .is_some_and(|other| first.is_none_or(|first| other.handle < first));
                let listed = if is_of_group {
                    of_groups.next().map(|counter| ListedCounter {
                        found: FoundCounter::of_group(&counter),
                        parent: counter.parent,
                        total: 0,
                    })
                } else {
                    attached.next().map(|(handle, attached)| ListedCounter {
                        found: FoundCounter {
                            handle: *handle,
                            description: Description::Of(attached.event.clone()),
                        },
                        parent: attached.parent,
                        total: 0,
                    })
                };
                let Some(listed) = listed else {
                    break;
                };
                let _ = list.push_within_capacity(listed);
            }
            return Ok(list);
        }
    }
}

impl CounterTable {
    /// Returns the first counter from a handle on.
    fn next(&self, from: CounterId) -> Option<FoundCounter> {
        let of_group = self.groups.cursor_lower_bound(&from).and_then(|at| {
            let counter = at.current().1.from(from).next()?;
            Some(FoundCounter::of_group(&counter))
        });
        let Some(at) = self.attached.cursor_lower_bound(&from) else {
            return of_group;
        };
        let (handle, attached) = at.current();
        if of_group
            .as_ref()
            .is_some_and(|other| other.handle < *handle)
        {
            return of_group;
        }
        Some(FoundCounter {
            handle: *handle,
            description: Description::Of(attached.event.clone()),
        })
    }

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
