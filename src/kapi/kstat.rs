// SPDX-License-Identifier: GPL-2.0

//! The chain of all kstats: kstat(9F).
//!
//! The names, numbers and owners of the kstats are in trees that one mutex protects. The body of a kstat is
//! protected by a mutex of its own, which readers hold while they call a client. A thread that deletes a kstat
//! waits for these readers, and holds no other lock while it waits.

mod create;
mod entry;
mod key;
mod remove;
mod snapshot;

pub(crate) use entry::New;
pub(crate) use entry::{
    KstatClass,
    KstatEntry, //
};
pub(crate) use key::KstatKey;
pub(crate) use snapshot::{
    KstatSnapshot,
    NamedStatistic, //
};

use crate::{
    abi::{
        name::Name,
        sort::sort_by, //
    },
    acct::kstat::{
        flags,
        KstatType, //
    },
    glue::clock,
    kernel_ext::module::{
        Owner,
        OwnerId, //
    },
    recorder::account::Account, //
};
use entry::Body;
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
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

/// A kstat in the chain.
struct Row {
    entry: Arc<KstatEntry>,
    /// [`None`] if it belongs to iostat, or is dormant.
    owner: Option<OwnerId>,
    /// The address of the `kstat_t` of the client; 0 if there is no client.
    address: usize,
}

struct KstatTable {
    /// Changes whenever the visible part of the chain changes, under the same lock.
    chain_id: u32,
    by_kid: RBTree<u32, Row>,
    by_name: RBTree<KstatKey, u32>,
    by_address: RBTree<usize, u32>,
}

/// All kstats.
#[pin_data]
pub(crate) struct Chain {
    #[pin]
    table: Mutex<KstatTable>,
}

/// The chain at one moment.
pub(crate) struct ChainList {
    /// The id of the chain.
    pub(crate) id: u32,
    /// The visible kstats, sorted by name.
    pub(crate) entries: KVVec<Arc<KstatEntry>>,
}

/// Memory for a row, allocated without the mutex.
struct RowNodes {
    kid: RBTreeNodeReservation<u32, Row>,
    name: RBTreeNodeReservation<KstatKey, u32>,
    address: RBTreeNodeReservation<usize, u32>,
}

impl RowNodes {
    fn new() -> Result<Self> {
        Ok(RowNodes {
            kid: RBTreeNodeReservation::new(GFP_KERNEL)?,
            name: RBTreeNodeReservation::new(GFP_KERNEL)?,
            address: RBTreeNodeReservation::new(GFP_KERNEL)?,
        })
    }
}

/// `kid_t` is an `int`.
const KID_MASK: u32 = u32::MAX >> 1;

impl KstatTable {
    /// Returns an unused number. The chain id becomes the number after it.
    fn next_kid(&mut self) -> u32 {
        loop {
            let kid = self.chain_id;
            self.bump();
            if self.by_kid.get(&kid).is_none() {
                return kid;
            }
        }
    }

    fn bump(&mut self) {
        self.chain_id = self.chain_id.wrapping_add(1) & KID_MASK;
    }

    fn insert(&mut self, nodes: RowNodes, row: Row) {
        let kid = row.entry.kid();
        let key = *row.entry.key();
        if row.address != 0 {
            let node = nodes.address.into_node(row.address, kid);
            self.by_address.insert(node);
        }
        self.by_name.insert(nodes.name.into_node(key, kid));
        self.by_kid.insert(nodes.kid.into_node(kid, row));
    }

    /// Removes a kstat. The caller drops what is returned after it has released the mutex.
    fn remove(&mut self, kid: u32) -> Option<(Arc<KstatEntry>, impl Sized)> {
        let node = self.by_kid.remove_node(&kid)?;
        let (_, row) = node.to_key_value();
        let entry = row.entry.clone();
        let by_address = self.by_address.remove_node(&row.address);
        let by_name = self.by_name.remove_node(entry.key());
        self.bump();
        Some((entry, (row, by_address, by_name)))
    }
}

impl Chain {
    /// Creates the chain with `unix:0:kstat_headers` and `unix:0:kstat_types`, the first two kstats of every
    /// chain. May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Arc<Self>> {
        let chain = Arc::pin_init(
            pin_init!(Chain {
                table <- new_mutex!(KstatTable {
                    chain_id: 0,
                    by_kid: RBTree::new(),
                    by_name: RBTree::new(),
                    by_address: RBTree::new(),
                }),
            }),
            GFP_KERNEL,
        )?;
        let now_ns = clock::now_ns();
        for (name, kind, ndata, body) in [
            ("kstat_headers", KstatType::Raw, 0, Body::Headers),
            (
                "kstat_types",
                KstatType::Named,
                KstatType::ALL.len(),
                Body::Types,
            ),
        ] {
            let key = KstatKey::new(Name::new(b"unix"), 0, Name::new(name.as_bytes()));
            // CAST: A small number.
            let new = New {
                key,
                class: KstatClass::Own("kstat"),
                kind,
                ndata: ndata as u32,
                flags: 0,
                crtime_ns: now_ns,
            };
            chain.add(&new, body, None)?;
        }
        Ok(chain)
    }

    /// Adds a new kstat to the chain. May sleep. `EEXIST` if there is one of this name, `ENOMEM`.
    fn add(&self, new: &New, body: Body, owner: Option<OwnerId>) -> Result<Arc<KstatEntry>> {
        let nodes = RowNodes::new()?;
        let address = body.address();
        let mut entry = KstatEntry::new(new, body)?;
        let mut table = self.table.lock();
        if table.by_name.get(&new.key).is_some() {
            return Err(EEXIST);
        }
        entry.as_mut().set_kid(table.next_kid());
        let entry = Arc::from(entry);
        let row = Row {
            entry: entry.clone(),
            owner,
            address,
        };
        table.insert(nodes, row);
        Ok(entry)
    }

    /// Returns the chain id. May sleep.
    pub(crate) fn id(&self) -> u32 {
        self.table.lock().chain_id
    }

    /// Returns all visible kstats. The caller selects from them without the mutex, because that may take long
    /// and threads that add and remove disks wait for the mutex. May sleep; `ENOMEM`.
    pub(crate) fn list(&self) -> Result<ChainList> {
        let mut room = 0usize;
        loop {
            // Allocate without the mutex: reclaim may wait for I/O on a disk, and a thread that adds or removes
            // this disk may wait for the mutex.
            let mut entries = KVVec::with_capacity(room, GFP_KERNEL_ACCOUNT)?;
            let table = self.table.lock();
            let kids = table.by_name.values();
            let rows = kids.filter_map(|kid| table.by_kid.get(kid));
            let mut len = 0usize;
            for row in rows.filter(|row| row.entry.is_visible()) {
                len = len.saturating_add(1);
                let _ = entries.push_within_capacity(row.entry.clone());
            }
            if len <= room {
                let id = table.chain_id;
                return Ok(ChainList { id, entries });
            }
            // More kstats may be added until the mutex is locked again.
            room = len.saturating_add(len / 8);
        }
    }

    /// Fills `batch` with the visible kstats after a name, or from the first name on. May sleep.
    pub(crate) fn batch(&self, behind: Option<&KstatKey>, batch: &mut [Option<Arc<KstatEntry>>]) {
        let mut guard = self.table.lock();
        let table = &mut *guard;
        let mut cursor = match behind {
            Some(key) => table.by_name.cursor_lower_bound_mut(key),
            None => table.by_name.cursor_front_mut(),
        };
        let mut places = batch.iter_mut();
        while let Some(at) = cursor {
            let (key, kid) = at.current();
            let row = table.by_kid.get(kid);
            let is_asked = |row: &&Row| row.entry.is_visible() && behind != Some(key);
            if let Some(row) = row.filter(is_asked) {
                let Some(place) = places.next() else {
                    return;
                };
                *place = Some(row.entry.clone());
            }
            cursor = at.move_next();
        }
    }

    /// Returns the kstat of this name, if it is visible. May sleep.
    pub(crate) fn named(&self, key: &KstatKey) -> Option<Arc<KstatEntry>> {
        let table = self.table.lock();
        let row = table.by_kid.get(table.by_name.get(key)?)?;
        row.entry.is_visible().then(|| row.entry.clone())
    }

    /// Returns all visible kstats, sorted by number. May sleep; `ENOMEM`.
    pub(crate) fn by_number(&self) -> Result<ChainList> {
        let mut list = self.list()?;
        sort_by(&mut list.entries, |one, other| one.kid().cmp(&other.kid()));
        Ok(list)
    }

    /// Returns the kstat of this number. May sleep. `ENXIO` if no kstat has it, `EAGAIN` if it is not installed
    /// yet.
    pub(crate) fn numbered(&self, kid: u32) -> Result<Arc<KstatEntry>> {
        let table = self.table.lock();
        let entry = &table.by_kid.get(&kid).ok_or(ENXIO)?.entry;
        match entry.is_visible() {
            true => Ok(entry.clone()),
            false => Err(EAGAIN),
        }
    }

    /// Returns the address of the first kstat of a client that `is_asked` selects and that is not dormant. May
    /// sleep. `is_asked` is called with the mutex held.
    pub(super) fn lookup(
        &self,
        owner: Owner,
        is_asked: impl Fn(&KstatKey) -> bool,
    ) -> Option<usize> {
        let table = self.table.lock();
        let mut rows = table.by_kid.values();
        rows.find(|row| row.owner == Some(owner.id()) && is_asked(row.entry.key()))
            .map(|row| row.address)
    }

    /// Adds a disk, a partition or an entry of devstat(9) to the chain, until the returned value is dropped.
    /// May sleep. `EEXIST` if there is a kstat of this name, `ENOMEM`.
    pub(crate) fn add_disk(self: &Arc<Self>, account: &Arc<Account>) -> Result<Disk> {
        let identity = account.identity();
        let unit = i32::try_from(identity.unit_number).unwrap_or(0);
        let key = KstatKey::new(identity.driver, unit, identity.name);
        let new = New {
            key,
            class: KstatClass::Own(identity.class()),
            kind: KstatType::Io,
            ndata: 1,
            flags: flags::VIRTUAL,
            crtime_ns: identity.crtime,
        };
        let entry = self.add(&new, Body::Disk(account.clone()), None)?;
        Ok(Disk {
            chain: self.clone(),
            kid: entry.kid(),
        })
    }
}

/// A disk, partition or entry of devstat(9) in the chain. Dropping it removes it from the chain. May sleep.
pub(crate) struct Disk {
    chain: Arc<Chain>,
    kid: u32,
}

impl Drop for Disk {
    fn drop(&mut self) {
        let mut table = self.chain.table.lock();
        let removed = table.remove(self.kid);
        drop(table);
        if let Some((entry, _)) = removed {
            entry.end();
        }
    }
}
