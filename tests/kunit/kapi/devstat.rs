// SPDX-License-Identifier: GPL-2.0

use crate::{
    abi::identity::{
        support_flags,
        Identity, //
    },
    acct::{
        class::{
            Class,
            Tag, //
        },
        client::EndArgs, //
    },
    glue::{
        clock::now_ns,
        records::Absent, //
    },
    kapi::devstat::{
        DevstatEntries,
        EntryParams, //
    },
    kunit::support::*,
    recorder::{
        account::{
            id::AccountId as Number, //
            Account,
        },
        clients::ClientAccounts, //
    }, //
};
use core::sync::atomic::{
    AtomicUsize,
    Ordering::Relaxed, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// A recorder for the tests, which gives the same account to all entries.
struct Shared {
    account: Arc<Account>,
    listed: AtomicUsize,
    unlisted: AtomicUsize,
    changes: AtomicUsize,
}

impl ClientAccounts for Shared {
    fn add(&self, _identity: Identity) -> Result<Arc<Account>> {
        self.listed.fetch_add(1, Relaxed);
        Ok(self.account.clone())
    }

    fn remove(&self, _account: &Account) {
        self.listed.fetch_sub(1, Relaxed);
    }

    fn changed(&self) {
        self.changes.fetch_add(1, Relaxed);
    }

    fn add_unlisted(&self, _identity: Identity) -> Result<Arc<Account>> {
        self.unlisted.fetch_add(1, Relaxed);
        Ok(self.account.clone())
    }

    fn remove_unlisted(&self, _account: &Account) {
        self.unlisted.fetch_sub(1, Relaxed);
    }
}

impl Shared {
    /// Returns the number of listed and of unlisted entries.
    fn numbers(&self) -> (usize, usize) {
        (self.listed.load(Relaxed), self.unlisted.load(Relaxed))
    }

    /// Returns the number of transactions that were started.
    fn started(&self) -> u64 {
        self.account.snapshot().record.devstat.start_count
    }
}

fn entries() -> Result<(Arc<Shared>, Arc<DevstatEntries>)> {
    let number = Number::new(0, 77);
    let absent = Absent::new()?;
    let account = with_disk(|disk| Account::new(disk, None, None, number, absent))??;
    let shared = Shared {
        account,
        listed: AtomicUsize::new(0),
        unlisted: AtomicUsize::new(0),
        changes: AtomicUsize::new(0),
    };
    let shared = Arc::new(shared, GFP_KERNEL)?;
    Ok((shared.clone(), DevstatEntries::new(shared)?))
}

/// The description of a tape drive.
fn params(name: &[u8], unit: i32) -> EntryParams<'_> {
    EntryParams {
        name,
        unit,
        block_size: 512,
        flags: support_flags::ALL_SUPPORTED,
        device_type: 1,
        priority: 0x60,
    }
}

const READ: EndArgs = EndArgs {
    bytes: 512,
    tag: Tag::Simple,
    class: Class::Read,
    then: None,
};

#[kernel::macros::kunit_tests(iostat_entries)]
mod tests {
    use super::*;
    use crate::{
        kapi::devstat::EntryId,
        kernel_ext::{
            error::name_too_long,
            module::ModuleListener, //
        },
    };

    fn start(entries: &DevstatEntries, handle: EntryId) -> Result {
        here(|cpu| entries.start_transaction(handle, now_ns(), cpu))
    }

    fn end(entries: &DevstatEntries, handle: EntryId) -> Result {
        here(|cpu| entries.end_transaction(handle, READ, now_ns(), cpu))
    }

    #[test]
    fn a_block_size_is_set_and_announced() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let handle = entries.add(&params(b"tape", 0), owner, None)?;
        entries.set_block_size(handle, 10240)?;
        assert_eq!(shared.account.device().block_size, 10240);
        assert_eq!(shared.account.identity_now().flags, 0);
        entries.set_block_size(handle, 0)?;
        let now = shared.account.identity_now();
        assert_eq!(
            (now.block_size, now.flags),
            (0, support_flags::BS_UNAVAILABLE)
        );
        assert_eq!(shared.changes.load(Relaxed), 2);
        entries.remove(handle)?;
        assert_eq!(entries.set_block_size(handle, 512), Err(ENOENT));
        assert_eq!(shared.changes.load(Relaxed), 2);
        Ok(())
    }

    #[test]
    fn an_entry_counts_until_it_is_removed() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let handle = entries.add(&params(b"t", 0), owner, None)?;
        assert_eq!(shared.numbers(), (1, 0));
        assert_eq!(end(&entries, handle), Err(ERANGE));
        assert_eq!(start(&entries, handle), Ok(()));
        assert_eq!(end(&entries, handle), Ok(()));
        assert_eq!(end(&entries, handle), Err(ERANGE));
        let record = shared.account.snapshot().record;
        assert_eq!(record.devstat.operations(Class::Read), 1);
        assert_eq!(record.devstat.bytes, [0, 512, 0, 0]);
        assert_eq!(entries.remove(handle), Ok(()));
        assert_eq!(shared.numbers(), (0, 0));
        assert_eq!(start(&entries, handle), Err(ENOENT));
        assert_eq!(end(&entries, handle), Err(ENOENT));
        assert_eq!(entries.remove(handle), Err(ENOENT));
        Ok(())
    }

    #[test]
    fn stale_handles_count_nothing() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let stale = entries.add(&params(b"t", 0), owner, None)?;
        entries.remove(stale)?;
        let now = entries.add(&params(b"t", 0), owner, None)?;
        assert!(now != stale);
        // It has the same slot, but another number.
        assert_eq!(now.bits() & 0x1ffff, stale.bits() & 0x1ffff);
        assert_eq!(start(&entries, stale), Err(ENOENT));
        assert_eq!(start(&entries, EntryId::NONE), Err(ENOENT));
        assert_eq!(
            start(&entries, EntryId::from_bits(now.bits() ^ 1)),
            Err(ENOENT)
        );
        assert_eq!(start(&entries, EntryId::from_bits(u64::MAX)), Err(ENOENT));
        assert_eq!(shared.started(), 0);
        assert_eq!(start(&entries, now), Ok(()));
        assert_eq!(shared.started(), 1);
        Ok(())
    }

    #[test]
    fn entries_fill_more_than_one_bank() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let mut all = KVec::new();
        for unit in 0..300 {
            all.push(entries.add(&params(b"t", unit), owner, None)?, GFP_KERNEL)?;
        }
        for handle in &all {
            assert_eq!(start(&entries, *handle), Ok(()));
        }
        assert_eq!(shared.started(), 300);
        for handle in &all {
            assert_eq!(entries.remove(*handle), Ok(()));
        }
        for handle in &all {
            assert_eq!(start(&entries, *handle), Err(ENOENT));
        }
        assert_eq!(shared.numbers(), (0, 0));
        assert_eq!(shared.started(), 300);
        Ok(())
    }

    #[test]
    fn an_address_has_one_entry() -> Result {
        let (shared, entries) = entries()?;
        let (owner, other) = owners();
        let handle = entries.add(&params(b"t", 0), owner, Some(0x1000))?;
        let again = entries.add(&params(b"t", 1), other, Some(0x1000));
        assert_eq!(again.err(), Some(EEXIST));
        assert_eq!(shared.numbers(), (1, 0));
        entries.remove(handle)?;
        entries.add(&params(b"t", 1), other, Some(0x1000))?;
        Ok(())
    }

    #[test]
    fn an_entry_without_a_unit_is_not_listed() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let handle = entries.add(&params(b"", -1), owner, None)?;
        assert_eq!(shared.numbers(), (0, 1));
        assert_eq!(start(&entries, handle), Ok(()));
        entries.remove(handle)?;
        assert_eq!(shared.numbers(), (0, 0));
        Ok(())
    }

    #[test]
    fn arguments_are_checked() -> Result {
        let (shared, entries) = entries()?;
        let (owner, _) = owners();
        let error = |params: &EntryParams<'_>| entries.add(params, owner, None).err();
        assert_eq!(error(&params(b"", 0)), Some(EINVAL));
        assert_eq!(error(&params(b"a b", 0)), Some(EINVAL));
        assert_eq!(error(&params(b"a/b", 0)), Some(EINVAL));
        assert_eq!(error(&params(b"t", -2)), Some(EINVAL));
        assert_eq!(
            error(&params(b"sixteen_letters_", 0)),
            Some(name_too_long())
        );
        let mut odd = params(b"t", 0);
        odd.priority = 0x1000;
        assert_eq!(error(&odd), Some(EINVAL));
        odd = params(b"t", 0);
        odd.flags = 8;
        assert_eq!(error(&odd), Some(EINVAL));
        assert_eq!(shared.numbers(), (0, 0));
        assert_eq!(error(&params(b"fifteen_letters", i32::MAX)), None);
        Ok(())
    }

    #[test]
    fn forgotten_entries_are_removed_with_the_module() -> Result {
        let (shared, entries) = entries()?;
        let (owner, other) = owners();
        let listed = entries.add(&params(b"t", 0), owner, None)?;
        let unlisted = entries.add(&params(b"", -1), owner, None)?;
        let others = entries.add(&params(b"t", 1), other, None)?;
        entries.unloading(owner);
        assert_eq!(shared.numbers(), (1, 0));
        assert_eq!(start(&entries, listed), Err(ENOENT));
        assert_eq!(start(&entries, unlisted), Err(ENOENT));
        assert_eq!(start(&entries, others), Ok(()));
        entries.unloading(other);
        assert_eq!(shared.numbers(), (0, 0));
        assert_eq!(start(&entries, others), Err(ENOENT));
        Ok(())
    }
}
