// SPDX-License-Identifier: GPL-2.0

//! Floor 2: the attached event counters, those of iostat and those of other modules. See evcnt(9).

mod cells;
mod group;
mod own;
mod read;

#[cfg(CONFIG_KUNIT = "y")]
#[path = "../tests/kunit/evcnt/mod.rs"]
mod kunit;

pub(crate) use cells::CounterId;
pub(crate) use group::AttachedGroup;
pub(crate) use own::EventCounter;
pub(crate) use read::{
    FoundCounter,
    ListedCounter, //
};

use crate::{
    abi::name::Name,
    acct::evcnt::{
        check_string,
        BadString,
        EvcntType, //
    },
    glue::clock,
    kernel_ext::{
        error::name_too_long,
        module::{
            ModuleListener, //
            Owner,
        }, //
    }, //
};
use cells::{
    Cells,
    Free,
    Growth, //
};
use kernel::{
    new_mutex,
    prelude::*,
    rbtree::{
        RBTree,
        RBTreeNodeReservation, //
    },
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// The description of an event counter.
pub(crate) struct EventDescription {
    kind: EvcntType,
    group: KVec<u8>,
    name: KVec<u8>,
    since_ns: u64,
}

impl EventDescription {
    /// Checks and copies the group and the name. May sleep. `EINVAL` or `ENAMETOOLONG` if one is invalid,
    /// `ENOMEM`.
    pub(crate) fn new(kind: EvcntType, group: &[u8], name: &[u8]) -> Result<Self> {
        Ok(EventDescription {
            kind,
            group: check_name(group)?,
            name: check_name(name)?,
            since_ns: clock::now_ns(),
        })
    }

    pub(crate) fn kind(&self) -> EvcntType {
        self.kind
    }

    /// Returns the group and the name.
    pub(crate) fn name(&self) -> (&str, &str) {
        let text = |bytes| core::str::from_utf8(bytes).unwrap_or("?");
        (text(&self.group), text(&self.name))
    }

    /// Returns the time at which it was attached, ns.
    pub(crate) fn since_ns(&self) -> u64 {
        self.since_ns
    }
}

/// Checks and copies a group or a name. May sleep. Errors as [`EventDescription::new`].
fn check_name(text: &[u8]) -> Result<KVec<u8>> {
    check_string(text).map_err(|bad| match bad {
        BadString::Unprintable => EINVAL,
        BadString::TooLong => name_too_long(),
    })?;
    let mut copy = KVec::with_capacity(text.len(), GFP_KERNEL)?;
    copy.extend_from_slice(text, GFP_KERNEL)?;
    Ok(copy)
}

/// The module that attached a counter, and the address of the counter in that module.
pub(crate) struct CounterOwner {
    pub(crate) owner: Owner,
    pub(crate) address: usize,
}

struct CounterNode {
    event: Arc<EventDescription>,
    parent: Option<CounterId>,
    children: usize,
    /// [`None`] for a counter of iostat itself.
    client: Option<CounterOwner>,
}

struct CounterTable {
    /// In the order of attachment.
    attached: RBTree<CounterId, CounterNode>,
    /// Counters of disks, by the last of each group.
    groups: RBTree<CounterId, group::GroupMember>,
    by_address: RBTree<usize, CounterId>,
    free: Free,
}

/// All event counters.
#[pin_data]
pub(crate) struct Events {
    cells: Cells,
    #[pin]
    table: Mutex<CounterTable>,
}

impl Events {
    /// Creates a table without counters. May sleep; `ENOMEM`.
    pub(crate) fn new() -> Result<Arc<Self>> {
        let cells = Cells::new()?;
        Arc::pin_init(
            pin_init!(Events {
                cells,
                table <- new_mutex!(CounterTable {
                    attached: RBTree::new(),
                    groups: RBTree::new(),
                    by_address: RBTree::new(),
                    free: Free::new(),
                }),
            }),
            GFP_KERNEL,
        )
    }

    /// Adds to a count; does nothing if the handle is invalid. Any context but NMI.
    #[inline(always)]
    pub(crate) fn add(&self, handle: CounterId, value: u64) {
        self.cells.add(handle, value);
    }

    /// Sets a count; returns `false` if the handle is invalid. Any context but NMI.
    pub(crate) fn set(&self, handle: CounterId, count: u64) -> bool {
        self.cells.set(handle, count)
    }

    /// Returns a count; [`None`] if the handle is invalid. Any context.
    pub(crate) fn get(&self, handle: CounterId) -> Option<u64> {
        self.cells.get(handle)
    }

    /// Returns the handle of the counter that a client has attached at this address. May sleep.
    pub(crate) fn find(&self, address: usize) -> Option<CounterId> {
        self.table.lock().by_address.get(&address).copied()
    }

    /// Attaches a counter whose count starts at `count`. May sleep.
    ///
    /// # Errors
    ///
    /// `EEXIST` if a counter is attached at the address of the client, `ENOENT` if the parent is not attached,
    /// `ENOSPC` if there are too many counters, `ENOMEM`.
    pub(crate) fn attach(
        &self,
        event: EventDescription,
        parent: Option<CounterId>,
        client: Option<CounterOwner>,
        count: u64,
    ) -> Result<CounterId> {
        // Allocate without the mutex: reclaim may wait for I/O on a disk, and a thread that adds or removes
        // this disk may wait for the mutex.
        let event = Arc::new(event, GFP_KERNEL)?;
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let address_node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let mut growth = None;
        let mut table = loop {
            let mut table = self.table.lock();
            if let Some(growth) = growth.take() {
                self.cells.grow(&mut table.free, growth);
            }
            if table.free.is_empty() {
                if !Cells::can_grow(&table.free) {
                    return Err(ENOSPC);
                }
                drop(table);
                growth = Some(Growth::new()?);
                continue;
            }
            break table;
        };
        let address = client.as_ref().map(|client| client.address);
        if address.is_some_and(|address| table.by_address.get(&address).is_some()) {
            return Err(EEXIST);
        }
        if let Some(parent) = parent {
            let parent = table.attached.get_mut(&parent).ok_or(ENOENT)?;
            parent.children = parent.children.saturating_add(1);
        }
        let handle = self.cells.take(&mut table.free, count).ok_or(ENOSPC)?;
        let attached = CounterNode {
            event,
            parent,
            children: 0,
            client,
        };
        table.attached.insert(node.into_node(handle, attached));
        if let Some(address) = address {
            table
                .by_address
                .insert(address_node.into_node(address, handle));
        }
        Ok(handle)
    }

    /// Detaches a counter and returns its count. May sleep. `ENOENT` if it is not attached, `EBUSY` if it is
    /// the parent of another counter.
    pub(crate) fn detach(&self, handle: CounterId) -> Result<u64> {
        let mut guard = self.table.lock();
        let table = &mut *guard;
        let attached = table.attached.get(&handle).ok_or(ENOENT)?;
        if attached.children != 0 {
            return Err(EBUSY);
        }
        let (removed, count) = table.remove(&self.cells, handle).ok_or(ENOENT)?;
        drop(guard);
        drop(removed);
        Ok(count)
    }

    /// Detaches all counters of a module and returns their number. Children that other modules have attached
    /// lose their parent. May sleep.
    fn detach_all_of(&self, owner: Owner) -> usize {
        let mut count = 0usize;
        let mut limit = None;
        loop {
            let mut guard = self.table.lock();
            let table = &mut *guard;
            // In reverse order of attachment, so children are detached before their parents of the same module.
            let Some(handle) = table.last_of(owner, limit) else {
                return count;
            };
            limit = Some(handle);
            if table
                .attached
                .get(&handle)
                .is_some_and(|event| event.children != 0)
            {
                let children = table.attached.values_mut();
                for child in children.filter(|child| child.parent == Some(handle)) {
                    child.parent = None;
                }
            }
            let removed = table.remove(&self.cells, handle);
            drop(guard);
            drop(removed);
            count = count.saturating_add(1);
        }
    }
}

impl CounterTable {
    /// Returns the last counter of a module that was attached before `limit`.
    fn last_of(&mut self, owner: Owner, limit: Option<CounterId>) -> Option<CounterId> {
        let behind = limit.and_then(|limit| self.attached.cursor_lower_bound_mut(&limit));
        let mut cursor = match behind {
            Some(behind) => behind.move_prev(),
            None => self.attached.cursor_back_mut(),
        };
        while let Some(at) = cursor {
            let (handle, attached) = at.current();
            let client = attached.client.as_ref();
            if client.is_some_and(|client| client.owner == owner) {
                return Some(*handle);
            }
            cursor = at.move_prev();
        }
        None
    }

    /// Removes a counter without children. The caller drops what is returned after it has released the mutex.
    fn remove(&mut self, cells: &Cells, handle: CounterId) -> Option<(impl Sized, u64)> {
        let node = self.attached.remove_node(&handle)?;
        let (_, attached) = node.to_key_value();
        let address = attached.client.as_ref().map(|client| client.address);
        let by_address = address.and_then(|address| self.by_address.remove_node(&address));
        if let Some(parent) = attached.parent {
            if let Some(parent) = self.attached.get_mut(&parent) {
                parent.children = parent.children.saturating_sub(1);
            }
        }
        let count = cells.release(&mut self.free, handle)?;
        Some(((attached, by_address), count))
    }
}

impl ModuleListener for Events {
    fn unloading(&self, module: Owner) {
        let left = self.detach_all_of(module);
        if left != 0 {
            let name = Name::new(module.name());
            pr_warn!("evcnt: module {name} unloaded with {left} event counters left; detached\n");
        }
    }
}
