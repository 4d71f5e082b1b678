// SPDX-License-Identifier: GPL-2.0

//! How probes find the account of a disk or partition: by an address when an I/O starts, by a
//! [`Handle`] from then on.
//!
//! The whole is replaced whenever a disk comes or goes, and never changed.

use super::account::Account;
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// What an I/O remembers of its account: a place here in the upper half, and in the lower the
/// device number, which unlike the place is never used twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(u64);

impl Handle {
    pub(crate) fn new(place: u32, number: u32) -> Self {
        Handle(u64::from(place) << 32 | u64::from(number))
    }

    #[inline(always)]
    pub(super) fn from_bits(bits: u64) -> Self {
        Handle(bits)
    }

    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    pub(super) fn number(self) -> u32 {
        // CAST: The lower half.
        self.0 as u32
    }

    #[inline(always)]
    pub(super) fn place(self) -> usize {
        // CAST: The upper half.
        (self.0 >> 32) as usize
    }
}

/// An account, as long as there may be those who find it here and record in it.
pub(crate) struct Found(Arc<Account>);

impl Found {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        account.hold();
        Found(account.clone())
    }
}

impl core::ops::Deref for Found {
    type Target = Account;

    #[inline(always)]
    fn deref(&self) -> &Account {
        &self.0
    }
}

impl Drop for Found {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// All accounts that probes find.
pub(super) struct Accounts {
    /// By the hash of an address: open addressing, at most a quarter full.
    by_address: KVec<Slot>,
    /// By place.
    by_place: KVec<Option<Found>>,
}

#[derive(Default)]
struct Slot {
    /// Of the disk, or of the partition's block device.
    address: u64,
    has_partitions: bool,
    account: Option<Arc<Account>>,
}

/// An account and what it is found by.
pub(super) struct Member<'a> {
    pub(super) address: u64,
    /// That of the disk: another one, if it is a partition.
    pub(super) disk: u64,
    pub(super) account: &'a Arc<Account>,
}

impl Accounts {
    /// A table of these accounts. May sleep; `ENOMEM`.
    pub(super) fn new<'a, I>(members: impl Fn() -> I) -> Result<Self>
    where
        I: Iterator<Item = Member<'a>>,
    {
        let len = members().count().saturating_mul(4);
        let len = len.next_power_of_two().max(8);
        let places = members().map(|member| member.account.handle().place());
        let places = places.max().map_or(0, |last| last.saturating_add(1));
        let mut accounts = Accounts {
            by_address: KVec::with_capacity(len, GFP_KERNEL)?,
            by_place: KVec::with_capacity(places, GFP_KERNEL)?,
        };
        for _ in 0..len {
            accounts.by_address.push(Slot::default(), GFP_KERNEL)?;
        }
        for _ in 0..places {
            accounts.by_place.push(None, GFP_KERNEL)?;
        }
        for member in members() {
            accounts.insert(&member);
        }
        for member in members().filter(|member| member.disk != member.address) {
            if let Some(index) = accounts.index_of(member.disk) {
                if let Some(disk) = accounts.by_address.get_mut(index) {
                    disk.has_partitions = true;
                }
            }
        }
        Ok(accounts)
    }

    fn insert(&mut self, member: &Member<'_>) {
        if let Some(place) = self.by_place.get_mut(member.account.handle().place()) {
            *place = Some(Found::new(member.account));
        }
        let mut index = self.home(member.address);
        while let Some(slot) = self.by_address.get_mut(index) {
            if slot.account.is_none() {
                slot.address = member.address;
                slot.account = Some(member.account.clone());
                return;
            }
            index = self.next(index);
        }
    }

    /// Where to look for an address first: a multiplicative hash.
    #[inline(always)]
    fn home(&self, address: u64) -> usize {
        // CAST: The shift leaves 32 bits.
        let hash = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & self.by_address.len().wrapping_sub(1)
    }

    fn next(&self, index: usize) -> usize {
        index.wrapping_add(1) & self.by_address.len().wrapping_sub(1)
    }

    /// Where an address is. Ends because there are empty slots.
    fn index_of(&self, address: u64) -> Option<usize> {
        let mut index = self.home(address);
        loop {
            let slot = self.by_address.get(index)?;
            slot.account.as_ref()?;
            if slot.address == address {
                return Some(index);
            }
            index = self.next(index);
        }
    }

    /// The account of the disk at an address, and whether any of its partitions has one, if that is where
    /// it is looked for first.
    #[inline(always)]
    pub(super) fn of_disk_at_home(&self, disk: u64) -> Option<(&Account, bool)> {
        let slot = self.by_address.get(self.home(disk))?;
        if slot.address != disk {
            return None;
        }
        Some((slot.account.as_deref()?, slot.has_partitions))
    }

    fn at(&self, address: u64) -> Option<&Slot> {
        self.by_address.get(self.index_of(address)?)
    }

    /// The account of what an I/O in the disk at an address is meant for: of the partition, if
    /// `block_device` is the address of one that has an account, else of the disk.
    pub(super) fn of(&self, disk: u64, block_device: u64) -> Option<&Account> {
        let slot = self.at(disk)?;
        let disk = slot.account.as_deref()?;
        if !slot.has_partitions {
            return Some(disk);
        }
        let partition = self.at(block_device);
        // One of this disk: a bio names the device it was submitted to, and who passes it on to another
        // disk's queue (dm's clones, nvme's multipath) has it name that disk as a whole.
        let partition = partition.and_then(|slot| slot.account.as_deref());
        Some(partition.unwrap_or(disk))
    }

    /// The account with this handle, unless that has left.
    #[inline(always)]
    pub(super) fn get(&self, handle: Handle) -> Option<&Account> {
        let Found(account) = self.by_place.get(handle.place())?.as_ref()?;
        (account.handle() == handle).then_some(account)
    }
}
