// SPDX-License-Identifier: GPL-2.0

//! Finds the account, in a list, in which an I/O in flight is recorded.

use super::account::Account;
use crate::{
    abi::sort::sort_by,
    acct::inflight::{
        ObservedIn,
        ObservedIo, //
    },
    kernel_ext::zeroed::zeroed_vec_charged,
};
use kernel::{
    alloc::KVVec,
    prelude::*,
    sync::Arc, //
};

/// The accounts of a list, by the addresses of their roots and by their ids.
pub(super) struct Found<'a> {
    accounts: &'a [Arc<Account>],
    /// Sorted, each with an index.
    roots: KVVec<(u64, usize)>,
    ids: KVVec<(u64, usize)>,
}

impl<'a> Found<'a> {
    /// May sleep; `ENOMEM`.
    pub(super) fn new(accounts: &'a [Arc<Account>]) -> Result<Self> {
        let (mut roots, mut ids) = (
            zeroed_vec_charged(accounts.len())?,
            zeroed_vec_charged(accounts.len())?,
        );
        let places = roots.iter_mut().zip(ids.iter_mut());
        for ((index, account), (root, id)) in accounts.iter().enumerate().zip(places) {
            *root = (account.memory().root, index);
            *id = (account.handle().bits(), index);
        }
        sort_by(&mut roots, |one, other| one.cmp(other));
        sort_by(&mut ids, |one, other| one.cmp(other));
        Ok(Found {
            accounts,
            roots,
            ids,
        })
    }

    /// The account in which an I/O is recorded; [`None`] if it is not in the list.
    pub(super) fn of(&self, io: &ObservedIo) -> Option<&'a Account> {
        self.at(self.index_of(io)?)
    }

    /// The index in the list of the account in which an I/O is recorded, and, if that is a partition, the index
    /// of its disk.
    pub(super) fn indices_of(&self, io: &ObservedIo) -> [Option<usize>; 2] {
        let index = self.index_of(io);
        let disk = index.and_then(|index| self.at(index)?.disk());
        let disk = disk.and_then(|disk| index_in(&self.ids, disk.handle().bits()));
        [index, disk]
    }

    fn at(&self, index: usize) -> Option<&'a Account> {
        self.accounts.get(index).map(|account| &**account)
    }

    fn index_of(&self, io: &ObservedIo) -> Option<usize> {
        match io.account {
            ObservedIn::Account(bits) => index_in(&self.ids, bits),
            ObservedIn::Memory(memory) => index_in(&self.roots, memory.root),
        }
    }
}

fn index_in(list: &[(u64, usize)], key: u64) -> Option<usize> {
    let place = list.binary_search_by_key(&key, |(key, _)| *key).ok()?;
    list.get(place).map(|(_, index)| *index)
}
