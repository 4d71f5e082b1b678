// SPDX-License-Identifier: GPL-2.0

//! The chain of all kstats: kstat(9F).
//!
//! The chain has names, numbers and owners of its own, in trees under one mutex. What a kstat is made
//! of is behind the kstat's own mutex, which readers hold while they call a client: who deletes it
//! waits for them, and holds nothing else meanwhile.

mod create;
mod entry;
mod key;
mod remove;
mod snapshot;

pub(crate) use create::New;
pub(crate) use entry::Entry;
pub(crate) use key::Key;
pub(crate) use snapshot::{
    Snapshot,
    Statistic, //
};

use crate::{
    abi::{
        name::Name,
        sort::sort_by, //
    },
    acct::kstat::{
        flags,
        Type, //
    },
    kernel_ext::{
        clock,
        module::Owner, //
    },
    recorder::account::Account,
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

/// One of the chain.
struct Row {
    entry: Arc<Entry>,
    /// [`None`] if it is iostat's own, or dormant and nobody's.
    owner: Option<Owner>,
    /// Where its client has it; 0 if it has none.
    address: usize,
}

struct Table {
    /// Another one whenever what is seen of the chain is another, from the same moment on.
    chain_id: u32,
    by_kid: RBTree<u32, Row>,
    by_name: RBTree<Key, u32>,
    by_address: RBTree<usize, u32>,
}

/// All kstats.
#[pin_data]
pub(crate) struct Chain {
    #[pin]
    table: Mutex<Table>,
}

/// The chain at one moment.
pub(crate) struct List {
    /// Another one if there are others.
    pub(crate) id: u32,
    /// Those that are seen, by name.
    pub(crate) entries: KVVec<Arc<Entry>>,
}

/// Memory for a row, found without the mutex.
struct Nodes {
    kid: RBTreeNodeReservation<u32, Row>,
    name: RBTreeNodeReservation<Key, u32>,
    address: RBTreeNodeReservation<usize, u32>,
}

impl Nodes {
    fn new() -> Result<Self> {
        Ok(Nodes {
            kid: RBTreeNodeReservation::new(GFP_KERNEL)?,
            name: RBTreeNodeReservation::new(GFP_KERNEL)?,
            address: RBTreeNodeReservation::new(GFP_KERNEL)?,
        })
    }
}

/// `kid_t` is an `int`.
const KID_MASK: u32 = u32::MAX >> 1;

impl Table {
    /// A number that no kstat has. The chain's id is the next.
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

    fn insert(&mut self, nodes: Nodes, row: Row) {
        let kid = row.entry.kid();
        let key = *row.entry.key();
        if row.address != 0 {
            let node = nodes.address.into_node(row.address, kid);
            self.by_address.insert(node);
        }
        self.by_name.insert(nodes.name.into_node(key, kid));
        self.by_kid.insert(nodes.kid.into_node(kid, row));
    }

    /// Takes one out. What is returned is freed without the mutex.
    fn remove(&mut self, kid: u32) -> Option<(Arc<Entry>, impl Sized)> {
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
    /// With `unix:0:kstat_headers` and `unix:0:kstat_types`, the first two of every chain. May sleep; `ENOMEM`.
    pub(super) fn new() -> Result<Arc<Self>> {
        let chain = Arc::pin_init(
            pin_init!(Chain {
                table <- new_mutex!(Table {
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
            ("kstat_headers", Type::Raw, 0, Body::Headers),
            ("kstat_types", Type::Named, Type::ALL.len(), Body::Types),
        ] {
            let key = Key::new(Name::new(b"unix"), 0, Name::new(name.as_bytes()));
            // CAST: A small number.
            let new = New {
                key,
                class: Name::new(b"kstat"),
                kind,
                ndata: ndata as u32,
                flags: 0,
                crtime_ns: now_ns,
            };
            chain.add(&new, body, None)?;
        }
        Ok(chain)
    }

    /// Puts one into the chain that there was not. May sleep; `EEXIST`, `ENOMEM`.
    fn add(&self, new: &New, body: Body, owner: Option<Owner>) -> Result<Arc<Entry>> {
        let nodes = Nodes::new()?;
        let address = body.address();
        let mut entry = Entry::new(new, body)?;
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

    /// The number that changes with the chain. May sleep.
    pub(crate) fn id(&self) -> u32 {
        self.table.lock().chain_id
    }

    /// All that are seen. Which of them are asked for is the caller's to find out, who may take long over it:
    /// those who add and remove disks want the mutex. May sleep; `ENOMEM`.
    pub(crate) fn list(&self) -> Result<List> {
        let mut room = 0usize;
        loop {
            // Memory not under the mutex: reclaim may wait for I/O on a disk that waits for it.
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
                return Ok(List { id, entries });
            }
            // Others come meanwhile.
            room = len.saturating_add(len / 8);
        }
    }

    /// The first that are seen behind a name, or from the first name on, as many as there is room for. May
    /// sleep.
    pub(crate) fn batch(&self, behind: Option<&Key>, batch: &mut [Option<Arc<Entry>>]) {
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

    /// The one of this name, if it is seen. May sleep.
    pub(crate) fn named(&self, key: &Key) -> Option<Arc<Entry>> {
        let table = self.table.lock();
        let row = table.by_kid.get(table.by_name.get(key)?)?;
        row.entry.is_visible().then(|| row.entry.clone())
    }

    /// All that are seen by their numbers.
    pub(crate) fn by_number(&self) -> Result<List> {
        let mut list = self.list()?;
        sort_by(&mut list.entries, |one, other| one.kid().cmp(&other.kid()));
        Ok(list)
    }

    /// The one of this number. May sleep. `ENXIO` if there is none, `EAGAIN` if it is not installed yet.
    pub(crate) fn numbered(&self, kid: u32) -> Result<Arc<Entry>> {
        let table = self.table.lock();
        let entry = &table.by_kid.get(&kid).ok_or(ENXIO)?.entry;
        match entry.is_visible() {
            true => Ok(entry.clone()),
            false => Err(EAGAIN),
        }
    }

    /// The address of the first one of a client's that is asked for and not dormant. May sleep. `is_asked` is
    /// quick: the mutex is held.
    pub(super) fn lookup(&self, owner: Owner, is_asked: impl Fn(&Key) -> bool) -> Option<usize> {
        let table = self.table.lock();
        let mut rows = table.by_kid.values();
        rows.find(|row| row.owner == Some(owner) && is_asked(row.entry.key()))
            .map(|row| row.address)
    }

    /// Puts a disk, a partition or an entry of devstat(9) into the chain, as long as the value is there. May sleep;
    /// `EEXIST`, `ENOMEM`.
    pub(crate) fn add_disk(self: &Arc<Self>, account: &Arc<Account>) -> Result<Disk> {
        let identity = account.identity();
        let unit = i32::try_from(identity.unit_number).unwrap_or(0);
        let key = Key::new(identity.driver, unit, identity.name);
        let new = New {
            key,
            class: Name::new(identity.class().as_bytes()),
            kind: Type::Io,
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

/// A disk, partition or entry that is in the chain; dropping it takes it out, and may sleep.
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
