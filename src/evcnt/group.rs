// SPDX-License-Identifier: GPL-2.0

//! The event counters of one disk: a group of counters that are attached together, as one object.

use super::{
    check_name,
    CounterId,
    Events, //
};
use crate::{
    acct::{
        disk_event::{
            DiskEvent,
            DISK_EVENTS, //
        },
        evcnt::EvcntType, //
    },
    glue::{
        clock,
        records::Records, //
    }, //
};
use core::sync::atomic::{
    AtomicBool,
    Ordering::Relaxed, //
};
use kernel::{
    prelude::*,
    rbtree::RBTreeNodeReservation,
    sync::Arc, //
};

/// A counter of each [`DiskEvent`].
pub(crate) struct CounterGroup {
    name: KVec<u8>,
    /// In which they count; [`None`] if they only have children.
    records: Option<Arc<Records>>,
    since_ns: u64,
    is_detached: AtomicBool,
}

impl CounterGroup {
    /// Returns the group and the name of one of them.
    pub(super) fn name(&self, event: DiskEvent) -> (&str, &str) {
        let group = core::str::from_utf8(&self.name).unwrap_or("?");
        (group, event.name().to_str().unwrap_or("?"))
    }

    /// Returns the type of all of them.
    pub(super) fn kind(&self) -> EvcntType {
        EvcntType::Misc
    }

    /// Returns the time at which they were attached, ns.
    pub(super) fn since_ns(&self) -> u64 {
        self.since_ns
    }

    /// Returns the count of one of them; [`None`] if they are detached. Any context.
    pub(super) fn get(&self, event: DiskEvent) -> Option<u64> {
        if self.is_detached.load(Relaxed) {
            return None;
        }
        let records = self.records.as_ref();
        Some(records.map_or(0, |records| records.events(event)))
    }
}

/// A group in the table, where it is found by the handle of its last counter.
pub(super) struct GroupMember {
    pub(super) group: Arc<CounterGroup>,
    first: CounterId,
    /// The first counter of the parents.
    parents: Option<CounterId>,
}

/// A counter of a group.
pub(super) struct OfGroup<'a> {
    pub(super) handle: CounterId,
    pub(super) group: &'a Arc<CounterGroup>,
    pub(super) event: DiskEvent,
    pub(super) parent: Option<CounterId>,
}

impl GroupMember {
    /// Returns its counters from a handle on, in the order of attachment.
    pub(super) fn from(&self, from: CounterId) -> impl Iterator<Item = OfGroup<'_>> {
        let counters = DiskEvent::ALL.iter().enumerate();
        let counters = counters.map(|(index, event)| OfGroup {
            handle: self.first.plus(index),
            group: &self.group,
            event: *event,
            parent: self.parents.map(|parents| parents.plus(index)),
        });
        counters.skip_while(move |counter| counter.handle < from)
    }
}

/// The attached counters of a group. Dropping it detaches them. May sleep.
pub(crate) struct AttachedGroup {
    events: Arc<Events>,
    first: CounterId,
}

impl AttachedGroup {
    /// Attaches a counter for each [`DiskEvent`], which counts in `records`. Each has the counter of the same event in `parents` as
    /// its parent; these must be dropped after their children. May sleep. `EINVAL` or `ENAMETOOLONG` if the name is
    /// invalid, `ENOMEM`.
    pub(crate) fn new(
        events: &Arc<Events>,
        parents: Option<&AttachedGroup>,
        name: &[u8],
        records: Option<Arc<Records>>,
    ) -> Result<Self> {
        // Allocate without the mutex: see [`Events::attach`].
        let group = CounterGroup {
            name: check_name(name)?,
            records,
            since_ns: clock::now_ns(),
            is_detached: AtomicBool::new(false),
        };
        let group = Arc::new(group, GFP_KERNEL)?;
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let events = events.clone();
        let mut table = events.table.lock();
        let first = table.free.take_numbers(DISK_EVENTS);
        let member = GroupMember {
            group,
            first,
            parents: parents.map(|parents| parents.first),
        };
        table.groups.insert(node.into_node(last(first), member));
        drop(table);
        Ok(AttachedGroup { events, first })
    }
}

/// Returns the handle of the last counter of a group.
fn last(first: CounterId) -> CounterId {
    first.plus(DISK_EVENTS.saturating_sub(1))
}

impl Drop for AttachedGroup {
    fn drop(&mut self) {
        let node = self
            .events
            .table
            .lock()
            .groups
            .remove_node(&last(self.first));
        if let Some(node) = node {
            let (_, member) = node.to_key_value();
            member.group.is_detached.store(true, Relaxed);
        }
    }
}
