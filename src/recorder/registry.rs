// SPDX-License-Identifier: GPL-2.0

//! Which disks there are, for probes and for readers.
//!
//! Readers take a list under a mutex. Probes look an account up by the disk's address in
//! a hash table that is replaced whole whenever a disk comes or goes, without a lock.

use super::{
    account::Account,
    listener::Listener, //
};
use crate::kernel_ext::{
    block::disk::Disk,
    published::{
        InProbe,
        Node,
        Published, //
    }, //
};
use kernel::{
    new_mutex,
    prelude::*,
    sync::{
        Arc,
        Mutex, //
    }, //
};

/// One disk of the list.
struct Member<L: Listener> {
    account: Arc<Account>,
    disk: u64,
    _presence: L::Presence,
}

struct Members<L: Listener> {
    /// By priority, high to low, and then in order of arrival.
    members: KVec<Member<L>>,
    generation: u64,
    next_number: u32,
}

/// All disks at one moment.
pub(crate) struct List {
    /// Changes when the list does.
    pub(crate) generation: u64,
    /// In list order.
    pub(crate) accounts: KVec<Arc<Account>>,
}

#[pin_data]
pub(super) struct Registry<L: Listener> {
    listener: Arc<L>,
    table: Published<Addresses>,
    #[pin]
    members: Mutex<Members<L>>,
}

/// Accounts by the address of their disk: open addressing, at most a quarter full.
struct Addresses {
    slots: KVec<Address>,
}

struct Address {
    disk: u64,
    account: Option<Arc<Account>>,
}

impl Addresses {
    fn new<L: Listener>(members: &[Member<L>]) -> Result<Self> {
        let len = members.len().saturating_mul(4).next_power_of_two().max(8);
        let mut slots = KVec::with_capacity(len, GFP_KERNEL)?;
        for _ in 0..len {
            let empty = Address {
                disk: 0,
                account: None,
            };
            slots.push(empty, GFP_KERNEL)?;
        }
        let mut table = Addresses { slots };
        for member in members {
            let mut index = table.home(member.disk);
            while let Some(slot) = table.slots.get_mut(index) {
                if slot.account.is_none() {
                    slot.disk = member.disk;
                    slot.account = Some(member.account.clone());
                    break;
                }
                index = table.next(index);
            }
        }
        Ok(table)
    }

    /// Where to look for an address first: a multiplicative hash.
    #[inline(always)]
    fn home(&self, disk: u64) -> usize {
        // CAST: The shift leaves 32 bits.
        let hash = (disk.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & self.slots.len().wrapping_sub(1)
    }

    #[inline(always)]
    fn next(&self, index: usize) -> usize {
        index.wrapping_add(1) & self.slots.len().wrapping_sub(1)
    }

    /// The account of the disk at an address. Ends because there are empty slots.
    #[inline(always)]
    fn find(&self, disk: u64) -> Option<&Account> {
        let mut index = self.home(disk);
        loop {
            let slot = self.slots.get(index)?;
            let account = slot.account.as_deref()?;
            if slot.disk == disk {
                return Some(account);
            }
            index = self.next(index);
        }
    }
}

impl<L: Listener> Registry<L> {
    pub(super) fn new(listener: Arc<L>) -> impl PinInit<Self> {
        pin_init!(Registry {
            listener,
            table: Published::new(),
            members <- new_mutex!(Members {
                members: KVec::new(),
                generation: 1,
                next_number: 0,
            }),
        })
    }

    /// The account of the disk at this address.
    #[inline(always)]
    pub(super) fn find<'a>(&'a self, probe: &'a InProbe<'_>, disk: u64) -> Option<&'a Account> {
        self.table.get(probe)?.find(disk)
    }

    /// Opens an account for a disk. May sleep.
    pub(super) fn add(&self, disk: &Disk<'_>) -> Result {
        let mut members = self.members.lock();
        members.members.reserve(1, GFP_KERNEL)?;
        let account = Account::new(disk, members.next_number)?;
        let presence = self.listener.arrived(disk, &account)?;
        let priority = account.identity().priority;
        let position = members
            .members
            .iter()
            .position(|other| other.account.identity().priority < priority)
            .unwrap_or(members.members.len());
        let member = Member {
            account,
            disk: disk.key(),
            _presence: presence,
        };
        members
            .members
            .insert_within_capacity(position, member)
            .map_err(|_| ENOMEM)?;
        match Addresses::new(&members.members).and_then(Node::new) {
            Ok(table) => self.table.replace(Some(table)),
            Err(error) => {
                // Not in the table, not in the list. The member goes after the mutex.
                let member = members.members.remove(position);
                drop(members);
                drop(member);
                return Err(error);
            }
        }
        members.next_number = members.next_number.wrapping_add(1);
        members.generation = members.generation.wrapping_add(1);
        Ok(())
    }

    /// Closes the account of a disk. May sleep.
    ///
    /// Should there be no memory for a table without it, probes find the account a while longer:
    /// what they record there, nobody reads.
    pub(super) fn remove(&self, disk: &Disk<'_>) {
        let mut members = self.members.lock();
        let key = disk.key();
        let Some(position) = members.members.iter().position(|m| m.disk == key) else {
            return;
        };
        let member = members.members.remove(position);
        members.generation = members.generation.wrapping_add(1);
        if let Ok(table) = Addresses::new(&members.members).and_then(Node::new) {
            self.table.replace(Some(table));
        }
        drop(members);
        // Waits for readers of the disk's files: not with the mutex.
        drop(member);
    }

    /// Unpublishes the table.
    pub(super) fn clear(&self) {
        self.table.replace(None);
    }

    /// All accounts.
    pub(super) fn list(&self) -> Result<List> {
        loop {
            // Not under the mutex, which those who add and remove disks want: reclaim may wait for
            // I/O on a disk that waits for them.
            let room = self.numdevs();
            let mut accounts = KVec::with_capacity(room, GFP_KERNEL)?;
            let members = self.members.lock();
            if members.members.len() > room {
                continue;
            }
            for member in &members.members {
                let _ = accounts.push_within_capacity(member.account.clone());
            }
            return Ok(List {
                generation: members.generation,
                accounts,
            });
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.members.lock().generation
    }

    pub(super) fn numdevs(&self) -> usize {
        self.members.lock().members.len()
    }
}
