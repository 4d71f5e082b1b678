// SPDX-License-Identifier: GPL-2.0

use crate::{
    abi::name::Name,
    acct::kstat::{
        flags,
        KstatType, //
    },
    glue::{
        clock,
        kstat::{
            Change,
            ClientKstat,
            NewValue, //
        }, //
    },
    kapi::kstat::{
        Chain,
        KstatClass,
        KstatEntry,
        KstatKey,
        New, //
    },
    kernel_ext::module::Owner, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

fn key(module: &str, instance: i32, name: &str) -> KstatKey {
    let name_of = |text: &str| Name::new(text.as_bytes());
    KstatKey::new(name_of(module), instance, name_of(name))
}

/// A raw kstat of eight bytes.
fn raw(key: KstatKey, flags: u8) -> New {
    New {
        key,
        class: KstatClass::Own("misc"),
        kind: KstatType::Raw,
        ndata: 8,
        flags,
        crtime_ns: clock::now_ns(),
    }
}

/// Creates a kstat; returns its address.
fn create(chain: &Chain, owner: Owner, mut new: New) -> Result<usize> {
    // SAFETY: The tests set no pointers in it.
    chain.create(&mut new, owner, |header| unsafe {
        ClientKstat::new(header)
    })
}

/// Returns the visible kstat of this key.
fn find(chain: &Chain, key: KstatKey) -> Result<Arc<KstatEntry>> {
    let list = chain.list()?;
    let found = list.entries.iter().find(|entry| *entry.key() == key);
    Ok(found.ok_or(ENOENT)?.clone())
}

/// Returns the number of visible kstats of this key: 0 or 1.
fn seen(chain: &Chain, key: KstatKey) -> Result<usize> {
    let list = chain.list()?;
    Ok(list
        .entries
        .iter()
        .filter(|entry| *entry.key() == key)
        .count())
}

/// Returns the number of visible kstats.
fn len(chain: &Chain) -> Result<usize> {
    Ok(chain.list()?.entries.len())
}

#[kernel::macros::kunit_tests(iostat_chain)]
mod tests {
    use super::*;
    use crate::{
        kernel_ext::module::ModuleListener,
        kunit::support::owners, //
    };

    #[test]
    fn a_new_chain_lists_itself() -> Result {
        let chain = Chain::new()?;
        let list = chain.list()?;
        let found = list
            .entries
            .iter()
            .map(|entry| (entry.kid(), entry.key().parts()));
        assert!(found.eq([
            (0, (&b"unix"[..], 0, &b"kstat_headers"[..])),
            (1, (b"unix", 0, b"kstat_types"))
        ]));
        assert_eq!(chain.id(), 2);
        assert_eq!(list.id, 2);
        assert_eq!(len(&chain)?, 2);
        Ok(())
    }

    #[test]
    fn a_kstat_is_visible_from_install_to_delete() -> Result {
        let chain = Chain::new()?;
        let (owner, _) = owners();
        let key = key("m", 0, "n");
        let kid = chain.id();
        let address = create(&chain, owner, raw(key, 0))?;
        let created = chain.id();
        assert!(created != kid);
        assert_eq!(seen(&chain, key)?, 0);
        assert_eq!(len(&chain)?, 2);
        assert_eq!(chain.numbered(kid).err(), Some(EAGAIN));
        assert_eq!(chain.install(address), Ok(()));
        assert!(chain.id() != created);
        assert_eq!(chain.numbered(kid)?.kid(), kid);
        let entry = find(&chain, key)?;
        assert_eq!(entry.kid(), kid);
        assert_eq!(entry.kind(), KstatType::Raw);
        assert_eq!(entry.flags(), 0);
        assert!(entry.statistics(&chain).is_ok());
        assert_eq!(len(&chain)?, 3);
        let installed = chain.id();
        assert_eq!(chain.delete(address), Ok(()));
        assert!(chain.id() != installed);
        assert_eq!(seen(&chain, key)?, 0);
        assert_eq!(chain.numbered(kid).err(), Some(ENXIO));
        // A reference that was taken before finds no data any more.
        assert_eq!(entry.statistics(&chain).err(), Some(ENXIO));
        let change = Change::Statistic(b"n", NewValue::Text(b"1\0"));
        assert_eq!(entry.write(&change).err(), Some(ENXIO));
        Ok(())
    }

    #[test]
    fn calls_in_the_wrong_order_are_refused() -> Result {
        let chain = Chain::new()?;
        let (owner, other) = owners();
        let name = key("m", 0, "n");
        let address = create(&chain, owner, raw(name, 0))?;
        // Whether it is installed or not, and for any owner.
        assert_eq!(create(&chain, owner, raw(name, 0)), Err(EEXIST));
        assert_eq!(chain.install(address), Ok(()));
        assert_eq!(create(&chain, other, raw(name, 0)), Err(EEXIST));
        assert_eq!(chain.install(address), Err(EEXIST));
        let own = key("unix", 0, "kstat_types");
        assert_eq!(create(&chain, owner, raw(own, 0)), Err(EEXIST));
        assert_eq!(chain.delete(address), Ok(()));
        assert_eq!(chain.delete(address), Err(ENOENT));
        assert_eq!(chain.install(address), Err(ENOENT));
        // The kstats of iostat itself have no address.
        assert_eq!(chain.delete(0), Err(ENOENT));
        assert_eq!(chain.install(0), Err(ENOENT));
        assert_eq!(len(&chain)?, 2);
        Ok(())
    }

    #[test]
    fn numbers_are_never_reused() -> Result {
        let chain = Chain::new()?;
        let (owner, _) = owners();
        let mut last = 1;
        for _ in 0..100 {
            let name = key("m", 0, "n");
            let address = create(&chain, owner, raw(name, 0))?;
            chain.install(address)?;
            let kid = find(&chain, name)?.kid();
            chain.delete(address)?;
            assert!(kid > last);
            last = kid;
        }
        assert!(chain.id() > last);
        Ok(())
    }

    #[test]
    fn kstats_are_sorted_by_name() -> Result {
        let chain = Chain::new()?;
        let (owner, _) = owners();
        // In the order of the list.
        let keys = [
            ("A", 0, "b"),
            ("a", -1, "b"),
            ("a", 2, "B"),
            ("a", 2, "b"),
            ("a", 2, "C"),
            ("a", 10, "a"),
            ("B", 0, "a"),
            ("b1", 0, "a"),
        ];
        for index in [3, 0, 7, 5, 1, 6, 2, 4] {
            let (module, instance, name) = *keys.get(index).ok_or(EINVAL)?;
            chain.install(create(&chain, owner, raw(key(module, instance, name), 0))?)?;
        }
        let list = chain.list()?;
        let names = list.entries.iter().map(|entry| entry.key().parts());
        let keys =
            keys.map(|(module, instance, name)| (module.as_bytes(), instance, name.as_bytes()));
        assert!(names.filter(|parts| parts.0 != b"unix").eq(keys));
        Ok(())
    }

    #[test]
    fn lookup_finds_only_own_kstats() -> Result {
        let chain = Chain::new()?;
        let (owner, other) = owners();
        let name = key("m", 3, "n");
        let address = create(&chain, owner, raw(name, 0))?;
        // Whether it is installed or not.
        assert_eq!(chain.lookup(owner, |key| *key == name), Some(address));
        assert_eq!(chain.lookup(owner, |key| key.parts().1 == 3), Some(address));
        assert_eq!(chain.lookup(owner, |key| key.parts().0 == b"unix"), None);
        assert_eq!(chain.lookup(other, |_| true), None);
        chain.delete(address)?;
        assert_eq!(chain.lookup(owner, |_| true), None);
        Ok(())
    }

    #[test]
    fn persistent_kstats_become_dormant_and_are_reused() -> Result {
        let chain = Chain::new()?;
        let (owner, other) = owners();
        let name = key("m", 0, "n");
        let asleep = create(&chain, owner, raw(name, flags::PERSISTENT))?;
        chain.install(asleep)?;
        let entry = find(&chain, name)?;
        assert_eq!(chain.delete(asleep), Ok(()));
        assert_eq!(entry.flags(), flags::PERSISTENT | flags::DORMANT);
        assert_eq!(seen(&chain, name)?, 1);
        assert!(entry.statistics(&chain).is_ok());
        assert_eq!(chain.lookup(owner, |_| true), None);
        assert_eq!(chain.delete(asleep), Err(ENOENT));
        assert_eq!(chain.install(asleep), Err(ENOENT));

        // A kstat that was never installed is not kept.
        let unseen = key("m", 0, "unseen");
        let address = create(&chain, owner, raw(unseen, flags::PERSISTENT))?;
        assert_eq!(chain.delete(address), Ok(()));
        let mut other_size = raw(unseen, flags::PERSISTENT);
        other_size.ndata = 16;
        assert!(create(&chain, owner, other_size).is_ok());

        // A kstat with other properties does not reuse it.
        let mut larger = raw(name, flags::PERSISTENT);
        larger.ndata = 16;
        assert_eq!(create(&chain, other, larger), Err(EEXIST));
        let mut of_type = raw(name, flags::PERSISTENT);
        of_type.kind = KstatType::Named;
        assert_eq!(create(&chain, other, of_type), Err(EEXIST));
        let again = create(&chain, other, raw(name, flags::PERSISTENT))?;
        assert_eq!(again, asleep);
        assert_eq!(seen(&chain, name)?, 1);
        assert_eq!(chain.lookup(other, |_| true), Some(asleep));
        assert_eq!(chain.install(asleep), Ok(()));
        assert_eq!(entry.flags(), flags::PERSISTENT);
        let woken = find(&chain, name)?;
        assert_eq!(woken.kid(), entry.kid());
        Ok(())
    }

    #[test]
    fn forgotten_kstats_are_deleted_with_the_module() -> Result {
        let chain = Chain::new()?;
        let (owner, other) = owners();
        let installed = create(&chain, owner, raw(key("m", 0, "installed"), 0))?;
        chain.install(installed)?;
        let created = create(&chain, owner, raw(key("m", 0, "created"), 0))?;
        let kept = key("m", 0, "kept");
        chain.install(create(&chain, owner, raw(kept, flags::PERSISTENT))?)?;
        let others = key("m", 0, "others");
        chain.install(create(&chain, other, raw(others, 0))?)?;
        chain.unloading(owner);
        assert_eq!(chain.lookup(owner, |_| true), None);
        assert_eq!(chain.delete(installed), Err(ENOENT));
        assert_eq!(chain.delete(created), Err(ENOENT));
        assert_eq!(seen(&chain, kept)?, 1);
        assert_eq!(seen(&chain, others)?, 1);
        assert_eq!(len(&chain)?, 4);
        chain.unloading(owner);
        assert_eq!(len(&chain)?, 4);
        Ok(())
    }
}
