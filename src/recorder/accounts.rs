// SPDX-License-Identifier: GPL-2.0

//! How probes find the account of a disk: by the address of the disk when an I/O starts, by a
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

/// All accounts that probes find.
pub(super) struct Accounts {
    /// By the hash of the disk's address: open addressing, at most a quarter full.
    by_disk: KVec<Address>,
    /// By place.
    by_place: KVec<Option<Arc<Account>>>,
}

struct Address {
    disk: u64,
    account: Option<Arc<Account>>,
}

impl Accounts {
    /// A table of these accounts with the addresses of their disks. May sleep; `ENOMEM`.
    pub(super) fn new<'a, I>(members: impl Fn() -> I) -> Result<Self>
    where
        I: Iterator<Item = (u64, &'a Arc<Account>)>,
    {
        let len = members().count().saturating_mul(4);
        let len = len.next_power_of_two().max(8);
        let places = members().map(|(_, account)| account.handle().place());
        let places = places.max().map_or(0, |last| last.saturating_add(1));
        let mut accounts = Accounts {
            by_disk: KVec::with_capacity(len, GFP_KERNEL)?,
            by_place: KVec::with_capacity(places, GFP_KERNEL)?,
        };
        for _ in 0..len {
            let empty = Address {
                disk: 0,
                account: None,
            };
            accounts.by_disk.push(empty, GFP_KERNEL)?;
        }
        for _ in 0..places {
            accounts.by_place.push(None, GFP_KERNEL)?;
        }
        for (disk, account) in members() {
            accounts.insert(disk, account);
        }
        Ok(accounts)
    }

    fn insert(&mut self, disk: u64, account: &Arc<Account>) {
        if let Some(place) = self.by_place.get_mut(account.handle().place()) {
            *place = Some(account.clone());
        }
        let mut index = self.home(disk);
        while let Some(slot) = self.by_disk.get_mut(index) {
            if slot.account.is_none() {
                slot.disk = disk;
                slot.account = Some(account.clone());
                return;
            }
            index = self.next(index);
        }
    }

    /// Where to look for an address first: a multiplicative hash.
    #[inline(always)]
    fn home(&self, disk: u64) -> usize {
        // CAST: The shift leaves 32 bits.
        let hash = (disk.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        hash & self.by_disk.len().wrapping_sub(1)
    }

    #[inline(always)]
    fn next(&self, index: usize) -> usize {
        index.wrapping_add(1) & self.by_disk.len().wrapping_sub(1)
    }

    /// The account of the disk at an address. Ends because there are empty slots.
    #[inline(always)]
    pub(super) fn of_disk(&self, disk: u64) -> Option<&Account> {
        let mut index = self.home(disk);
        loop {
            let slot = self.by_disk.get(index)?;
            let account = slot.account.as_deref()?;
            if slot.disk == disk {
                return Some(account);
            }
            index = self.next(index);
        }
    }

    /// The account with this handle, unless its disk has left.
    #[inline(always)]
    pub(super) fn get(&self, handle: Handle) -> Option<&Account> {
        let account = self.by_place.get(handle.place())?.as_deref()?;
        (account.handle() == handle).then_some(account)
    }
}
