// SPDX-License-Identifier: GPL-2.0

//! The devstat(9) entries of other modules.

mod slots;

pub(super) use slots::EntryId;

use crate::{
    abi::{
        identity::{
            device_type,
            priority,
            support_flags,
            Identity, //
        },
        name::Name, //
    },
    acct::client,
    glue::clock,
    kernel_ext::{
        error::name_too_long,
        index_pool::IndexPool,
        memory::NoIo,
        module::{
            ModuleListener, //
            Owner,
        },
        percpu::ThisCpu,
        published::{
            self,
            Node, //
        }, //
    },
    recorder::{
        account::Account,
        accounts::FoundAccount,
        clients::ClientAccounts, //
    }, //
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
use slots::{
    SlotEntry,
    Slots, //
};

/// `DEVSTAT_NAME_LEN`, which includes the NUL.
pub(super) const NAME_LEN: usize = 16;

/// The `unit_number` of an entry that is not listed.
const UNLISTED: i32 = -1;

/// The arguments of `devstat_new_entry()`.
pub(super) struct EntryParams<'a> {
    /// Empty if the entry is not listed.
    pub(super) name: &'a [u8],
    pub(super) unit: i32,
    pub(super) block_size: u32,
    pub(super) flags: u32,
    pub(super) device_type: u32,
    pub(super) priority: u32,
}

impl EntryParams<'_> {
    fn is_listed(&self) -> bool {
        self.unit != UNLISTED
    }

    /// Checks the arguments and makes the identity of the entry. `EINVAL`, `ENAMETOOLONG`.
    fn identity(&self, owner: Owner) -> Result<Identity> {
        let is_known = self.flags & !support_flags::MASK == 0
            && device_type::is_any(self.device_type)
            && self.priority <= priority::MAX;
        let mut device_name = Name::new(b"");
        let mut unit_number = 0;
        if self.is_listed() {
            unit_number = u32::try_from(self.unit).map_err(|_| EINVAL)?;
            if self.name.len() >= NAME_LEN {
                return Err(name_too_long());
            }
            // The name is printed in a column of text and is the name of a directory.
            let fits = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
            if self.name.is_empty() || !self.name.iter().all(fits) {
                return Err(EINVAL);
            }
            device_name = Name::new(self.name);
        }
        is_known.then_some(()).ok_or(EINVAL)?;
        Ok(Identity {
            name: device_name.with_unit(unit_number),
            device_name,
            unit_number,
            driver: Name::new(owner.name()),
            number: u32::MAX,
            dev: 0,
            is_partition: false,
            diskseq: 0,
            crtime: clock::now_ns(),
            priority: self.priority,
            device_type: self.device_type,
            flags: self.flags,
            block_size: self.block_size,
        })
    }
}

struct AttachedEntry {
    account: Arc<Account>,
    is_listed: bool,
    owner: Owner,
    /// The address of the `struct devstat`, if that is memory of the client.
    address: Option<usize>,
}

/// All entries of other modules.
#[pin_data(PinnedDrop)]
pub(crate) struct DevstatEntries {
    slots: Slots,
    clients: Arc<dyn ClientAccounts>,
    #[pin]
    table: Mutex<EntryTable>,
}

struct EntryTable {
    attached: RBTree<EntryId, AttachedEntry>,
    by_address: RBTree<usize, EntryId>,
    /// The allocator of slot numbers.
    slots: IndexPool,
    next_number: u64,
}

impl DevstatEntries {
    /// Creates a table without entries. May sleep; `ENOMEM`.
    pub(crate) fn new(clients: Arc<dyn ClientAccounts>) -> Result<Arc<Self>> {
        let slots = Slots::new()?;
        Arc::pin_init(
            pin_init!(DevstatEntries {
                slots,
                clients,
                table <- new_mutex!(EntryTable {
                    attached: RBTree::new(),
                    by_address: RBTree::new(),
                    slots: IndexPool::new(),
                    next_number: 1,
                }),
            }),
            GFP_KERNEL,
        )
    }

    /// Adds an entry; `address` is the address of its `struct devstat`, if that is memory of the client. May
    /// sleep.
    ///
    /// # Errors
    ///
    /// `EEXIST` if there is an entry at this address or of this name, `EINVAL` or `ENAMETOOLONG` if an argument
    /// is invalid, `ENOSPC` if there are too many entries, `ENOMEM`.
    pub(super) fn add(
        &self,
        params: &EntryParams<'_>,
        owner: Owner,
        address: Option<usize>,
    ) -> Result<EntryId> {
        let identity = params.identity(owner)?;
        let is_listed = params.is_listed();
        // A client may wait for the mutex while it removes a disk, so an allocation must not wait for I/O.
        let _noio = NoIo::new();
        let mut guard = self.table.lock();
        let table = &mut *guard;
        if address.is_some_and(|address| table.by_address.get(&address).is_some()) {
            return Err(EEXIST);
        }
        // CAST: 32 bits.
        let slot = table.slots.find()? as usize;
        self.slots.prepare(slot)?;
        let handle = EntryId::new(table.next_number, slot);
        let node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let address_node = RBTreeNodeReservation::new(GFP_KERNEL)?;
        let account = match is_listed {
            true => self.clients.add(identity)?,
            false => self.clients.add_unlisted(identity)?,
        };
        let entry = SlotEntry {
            handle,
            account: FoundAccount::new(&account),
        };
        let attached = AttachedEntry {
            account,
            is_listed,
            owner,
            address,
        };
        match Node::new(entry) {
            Ok(entry) => self.slots.put(handle, Some(entry)),
            Err(error) => {
                self.retract(&attached);
                return Err(error);
            }
        }
        table.slots.take();
        table.next_number = table.next_number.wrapping_add(1);
        table.attached.insert(node.into_node(handle, attached));
        if let Some(address) = address {
            table
                .by_address
                .insert(address_node.into_node(address, handle));
        }
        Ok(handle)
    }

    fn retract(&self, attached: &AttachedEntry) {
        match attached.is_listed {
            true => self.clients.remove(&attached.account),
            false => self.clients.remove_unlisted(&attached.account),
        }
    }

    /// Removes an entry and discards its transactions in progress. May sleep. `ENOENT` if the handle is
    /// invalid.
    pub(super) fn remove(&self, handle: EntryId) -> Result {
        let mut table = self.table.lock();
        let node = table.attached.remove_node(&handle).ok_or(ENOENT)?;
        let (_, attached) = node.to_key_value();
        if let Some(address) = attached.address {
            table.by_address.remove_node(&address);
        }
        self.slots.put(handle, None);
        // CAST: 16 bits.
        table.slots.release(handle.slot() as u32);
        drop(table);
        self.retract(&attached);
        Ok(())
    }

    /// Sets the block size of an entry; 0 if it is not known at the moment. May sleep. `ENOENT` if the handle
    /// is invalid, `EINVAL` if the entry was added with the flag that it has no block size.
    pub(super) fn set_block_size(&self, handle: EntryId, block_size: u32) -> Result {
        let table = self.table.lock();
        let attached = table.attached.get(&handle).ok_or(ENOENT)?;
        attached.account.set_block_size(block_size)?;
        drop(table);
        self.clients.changed();
        Ok(())
    }

    /// Records the start of a transaction. `ENOENT` if the handle is invalid.
    #[inline(always)]
    pub(super) fn start_transaction(&self, handle: EntryId, now: u64, cpu: ThisCpu<'_>) -> Result {
        let account = self.slots.get(handle, cpu).ok_or(ENOENT)?;
        account.start_transaction(now, cpu);
        Ok(())
    }

    /// Records the end of a transaction. `ENOENT` if the handle is invalid, `ERANGE` if no transaction is in
    /// progress.
    #[inline(always)]
    pub(super) fn end_transaction(
        &self,
        handle: EntryId,
        end: client::EndArgs,
        now: u64,
        cpu: ThisCpu<'_>,
    ) -> Result {
        let account = self.slots.get(handle, cpu).ok_or(ENOENT)?;
        match account.end_transaction(end, now, cpu) {
            true => Ok(()),
            false => Err(ERANGE),
        }
    }

    /// Returns one of the entries of a module.
    fn any_of(&self, owner: Owner) -> Option<EntryId> {
        let table = self.table.lock();
        let own = table.attached.iter();
        let mut own = own.filter(|(_, attached)| attached.owner == owner);
        own.next().map(|(handle, _)| *handle)
    }
}

impl ModuleListener for DevstatEntries {
    fn unloading(&self, module: Owner) {
        let mut left = 0usize;
        while let Some(handle) = self.any_of(module) {
            if self.remove(handle).is_ok() {
                left = left.saturating_add(1);
            }
        }
        if left != 0 {
            let name = Name::new(module.name());
            pr_warn!("devstat: module {name} unloaded with {left} entries left; removed\n");
        }
    }
}

#[pinned_drop]
impl PinnedDrop for DevstatEntries {
    fn drop(self: Pin<&mut Self>) {
        // The accounts of removed entries are dropped by RCU callbacks, which are code of this module.
        published::wait_for_drops_by_rcu();
    }
}
