// SPDX-License-Identifier: GPL-2.0

//! The list, and how a device number or a name is found in it.

use crate::{
    abi::{
        identity::Identity,
        name::Name, //
    },
    evcnt::AttachedGroup,
    kernel_ext::block::device::HeldDevice,
    recorder::{
        account::Account,
        listener::Listener,
        position::Position, //
        promise::Promise,
    }, //
};
use core::cmp::Ordering;
use kernel::{
    prelude::*,
    rbtree::{
        RBTree,
        RBTreeNodeReservation, //
    },
    sync::Arc, //
};

/// One disk or partition of the list, or one entry of a client.
pub(super) struct Member<L: Listener> {
    pub(super) account: Arc<Account>,
    /// The disk or partition.
    pub(super) device: Option<HeldDevice>,
    /// For a disk, the number of I/Os that it usually has in flight at most, including those of its
    /// partitions.
    pub(super) ios: Option<usize>,
    /// Room for `ios` I/Os in the table of I/Os in flight, from its first use on.
    pub(super) promise: Option<Promise>,
    pub(super) presence: L::Presence,
    /// Event counters of a disk. Dropped after its files.
    pub(super) _events: Option<AttachedGroup>,
}

/// Finds a member by its name. A disk may have the name of an older entry of a client.
#[derive(PartialEq, Eq)]
struct Called {
    name: Name,
    number: u32,
}

impl Called {
    fn of(identity: &Identity) -> Self {
        Called {
            name: identity.name,
            number: identity.number,
        }
    }
}

impl Ord for Called {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_name = self.name.bytes().cmp(other.name.bytes());
        by_name.then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Called {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Memory for a member.
pub(super) struct MemberNodes<L: Listener> {
    by_number: RBTreeNodeReservation<u32, Member<L>>,
    in_order: RBTreeNodeReservation<Position, Arc<Account>>,
    by_name: RBTreeNodeReservation<Called, ()>,
}

impl<L: Listener> MemberNodes<L> {
    /// May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Self> {
        Ok(MemberNodes {
            by_number: RBTreeNodeReservation::new(GFP_KERNEL)?,
            in_order: RBTreeNodeReservation::new(GFP_KERNEL)?,
            by_name: RBTreeNodeReservation::new(GFP_KERNEL)?,
        })
    }
}

pub(super) struct Members<L: Listener> {
    /// By device number.
    pub(super) by_number: RBTree<u32, Member<L>>,
    /// The list.
    in_order: RBTree<Position, Arc<Account>>,
    by_name: RBTree<Called, ()>,
    /// Partitions that are not in the list any more, and are not absorbed yet.
    leaving: RBTree<Position, Arc<Account>>,
    pub(super) len: usize,
    pub(super) generation: u64,
    pub(super) next_number: u32,
    /// The unit number of the next NFS file system.
    pub(super) next_unit: u32,
}

impl<L: Listener> Members<L> {
    /// Creates an empty list.
    pub(super) fn new() -> Self {
        Members {
            by_number: RBTree::new(),
            in_order: RBTree::new(),
            by_name: RBTree::new(),
            leaving: RBTree::new(),
            len: 0,
            generation: 1,
            next_number: 0,
            next_unit: 0,
        }
    }

    /// All accounts, in the order of the list.
    pub(super) fn accounts(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.in_order.values()
    }

    /// The first accounts from a position on, as many as there is room for.
    pub(super) fn batch(&mut self, from: Position, batch: &mut [Option<Arc<Account>>]) {
        let mut cursor = self.in_order.cursor_lower_bound_mut(&from);
        for place in batch {
            *place = cursor.as_ref().map(|at| at.current().1.clone());
            cursor = cursor.and_then(|at| at.move_next());
        }
    }

    /// Inserts a member. Needs no more memory, and cannot fail.
    pub(super) fn insert(&mut self, nodes: MemberNodes<L>, member: Member<L>) {
        let account = member.account.clone();
        let identity = account.identity();
        let number = identity.number;
        self.by_number
            .insert(nodes.by_number.into_node(number, member));
        self.by_name
            .insert(nodes.by_name.into_node(Called::of(identity), ()));
        self.in_order
            .insert(nodes.in_order.into_node(Position::of(identity), account));
        self.len = self.len.saturating_add(1);
        self.next_number = self.next_number.wrapping_add(1);
    }

    /// Removes the member with this device number. Needs no memory, and cannot fail.
    pub(super) fn remove(&mut self, number: u32) -> Option<Member<L>> {
        let (_, member) = self.by_number.remove_node(&number)?.to_key_value();
        let identity = member.account.identity();
        let node = self.in_order.remove_node(&Position::of(identity));
        if let Some(node) = node.filter(|_| member.account.disk().is_some()) {
            self.leaving.insert(node);
        }
        self.by_name.remove_node(&Called::of(identity));
        self.len = self.len.saturating_sub(1);
        Some(member)
    }

    /// A partition for its disk to absorb: it has left the list, and nothing is recorded in it any
    /// more.
    pub(super) fn to_be_absorbed(&self) -> Option<Arc<Account>> {
        let mut leaving = self.leaving.values();
        leaving.find(|account| account.is_gone()).cloned()
    }

    /// Removes a partition that its disk has absorbed.
    pub(super) fn set_absorbed(&mut self, account: &Account) {
        self.leaving.remove_node(&Position::of(account.identity()));
    }

    /// Whether there is a member with this name.
    pub(super) fn has_name(&self, name: Name) -> bool {
        let first = self.by_name.cursor_lower_bound(&Called { name, number: 0 });
        first.is_some_and(|cursor| cursor.current().0.name == name)
    }
}
