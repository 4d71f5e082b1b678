// SPDX-License-Identifier: GPL-2.0

//! Which disks and partitions there are, and which entries of other modules.
//!
//! Readers take a list under a mutex. For probes, the registry publishes [`Accounts`].

use super::{
    account::Account,
    accounts::{
        self,
        Accounts,
        Handle, //
    },
    events::{
        Attached,
        Common, //
    },
    listener::Listener,
    places::Places,
    tracker::Tracker, //
};
use crate::{
    abi::{
        identity::Identity,
        map::Header,
        message::word::Word, //
    },
    kernel_ext::{
        block::device::{
            BlockDevice,
            Held, //
        },
        class::NoIo,
        pages::PagesOf,
        published::Node, //
    },
};
use kernel::{
    new_mutex,
    new_poll_condvar,
    prelude::*,
    sync::{
        lock::{
            mutex::MutexBackend,
            Guard, //
        },
        poll::PollCondVar,
        Arc,
        Mutex, //
    }, //
};

/// One disk or partition of the list, or one entry of a client's.
struct Member<L: Listener> {
    account: Arc<Account>,
    /// Of a disk or partition.
    block: Option<Block>,
    _presence: L::Presence,
    /// Of a disk, if there could be any. After its files.
    _events: Option<Attached>,
}

struct Block {
    /// See [`accounts::Member`].
    address: u64,
    disk: u64,
    device: Held,
}

impl<L: Listener> Member<L> {
    fn found_by(&self) -> Option<accounts::Member<'_>> {
        self.block.as_ref().map(|block| accounts::Member {
            address: block.address,
            disk: block.disk,
            account: &self.account,
        })
    }

    fn is_at(&self, address: u64) -> bool {
        let block = self.block.as_ref();
        block.is_some_and(|block| block.address == address)
    }
}

struct Members<L: Listener> {
    /// By priority, high to low, and then in order of arrival.
    members: KVec<Member<L>>,
    /// Of disks and partitions.
    places: Places,
    generation: u64,
    next_number: u32,
    /// Whether probes find them.
    is_open: bool,
}

impl<L: Listener> Members<L> {
    /// What probes are to find. May sleep; `ENOMEM`.
    fn accounts(&self) -> Result<KBox<Node<Accounts>>> {
        let found = || self.members.iter().filter_map(Member::found_by);
        Node::new(Accounts::new(found)?)
    }

    /// Where something of this priority belongs: behind all that has it as well.
    fn position(&self, priority: u32) -> usize {
        let is_lower = |other: &Member<L>| other.account.identity().priority < priority;
        let position = self.members.iter().position(is_lower);
        position.unwrap_or(self.members.len())
    }
}

/// All disks and partitions at one moment.
pub(crate) struct List {
    /// Changes when the list does.
    pub(crate) generation: u64,
    /// In list order.
    pub(crate) accounts: KVec<Arc<Account>>,
}

#[pin_data]
pub(super) struct Registry<L: Listener> {
    listener: Arc<L>,
    /// To whom the accounts are published.
    tracker: Arc<Tracker>,
    /// Where programs see the generation.
    header: Arc<PagesOf<Header>>,
    #[pin]
    members: Mutex<Members<L>>,
    /// Notified when the generation changes.
    #[pin]
    changed: PollCondVar,
    /// After the members.
    common: Common,
}

impl<L: Listener> Registry<L> {
    pub(super) fn new(
        listener: Arc<L>,
        tracker: Arc<Tracker>,
        common: Common,
        header: Arc<PagesOf<Header>>,
    ) -> impl PinInit<Self> {
        pin_init!(Registry {
            listener,
            tracker,
            header,
            members <- new_mutex!(Members {
                members: KVec::new(),
                places: Places::new(),
                generation: 1,
                next_number: 0,
                is_open: false,
            }),
            changed <- new_poll_condvar!(),
            common,
        })
    }

    /// From here on probes find the accounts there are and those to come. May sleep; `ENOMEM`.
    pub(super) fn open(&self) -> Result {
        let mut members = self.members.lock();
        members.is_open = true;
        self.publish(&members)
    }

    /// From here on probes find none.
    pub(super) fn close(&self) {
        let mut members = self.members.lock();
        members.is_open = false;
        self.tracker.publish(None);
    }

    /// The list is another from here on, and everybody is told.
    fn change(&self, mut members: Guard<'_, Members<L>, MutexBackend>) {
        members.generation = members.generation.wrapping_add(1);
        self.header.set_generation(members.generation);
        drop(members);
        self.changed.notify_all();
    }

    fn publish(&self, members: &Members<L>) -> Result {
        if members.is_open {
            self.tracker.publish(Some(members.accounts()?));
        }
        Ok(())
    }

    /// Opens an account for a disk or partition. May sleep. `ENODEV` for a partition of a disk that has
    /// none, `ENOMEM`.
    pub(super) fn add(&self, device: &BlockDevice<'_>) -> Result {
        let mut members = self.members.lock();
        members.members.reserve(1, GFP_KERNEL)?;
        let handle = Handle::new(members.places.find()?, members.next_number);
        let disk = if device.is_partition() {
            let of_disk = |member: &&Member<L>| member.is_at(device.disk_key());
            let disk = members.members.iter().find(of_disk).ok_or(ENODEV)?;
            Some(disk.account.clone())
        } else {
            None
        };
        let events = match disk {
            Some(_) => None,
            None => self.common.of_disk(&device.name()),
        };
        let counters = events.as_ref().map(|events| self.common.handles(events));
        let account = Account::new(device, disk, counters, handle)?;
        let presence = self.listener.arrived(device, &account)?;
        let position = members.position(account.identity().priority);
        let member = Member {
            account,
            block: Some(Block {
                address: device.key(),
                disk: device.disk_key(),
                device: device.hold(),
            }),
            _presence: presence,
            _events: events,
        };
        members
            .members
            .insert_within_capacity(position, member)
            .map_err(|_| ENOMEM)?;
        if let Err(error) = self.publish(&members) {
            // Not in the table, not in the list. The member goes after the mutex.
            let member = members.members.remove(position);
            drop(members);
            drop(member);
            return Err(error);
        }
        members.places.take();
        members.next_number = members.next_number.wrapping_add(1);
        self.change(members);
        Ok(())
    }

    /// Opens an account for a client: its number is given here. May sleep. `EEXIST`, if there is something of
    /// that name; `ENOMEM`.
    pub(super) fn add_client(&self, mut identity: Identity) -> Result<Arc<Account>> {
        // Those who add and remove disks wait for the mutex with queues frozen: see there.
        let _noio = NoIo::new();
        let mut members = self.members.lock();
        let has_name = |member: &Member<L>| member.account.identity().name == identity.name;
        if members.members.iter().any(has_name) {
            return Err(EEXIST);
        }
        members.members.reserve(1, GFP_KERNEL)?;
        identity.number = members.next_number;
        let account = Account::of_client(identity)?;
        let presence = self.listener.attached(&account)?;
        let position = members.position(identity.priority);
        let member = Member {
            account: account.clone(),
            block: None,
            _presence: presence,
            _events: None,
        };
        members
            .members
            .insert_within_capacity(position, member)
            .map_err(|_| ENOMEM)?;
        members.next_number = members.next_number.wrapping_add(1);
        self.change(members);
        Ok(account)
    }

    /// Closes an account of a client's. May sleep.
    pub(super) fn remove_client(&self, account: &Account) {
        let mut members = self.members.lock();
        let is = |member: &Member<L>| member.account.handle() == account.handle();
        let Some(position) = members.members.iter().position(is) else {
            return;
        };
        let member = members.members.remove(position);
        account.leave();
        self.change(members);
        // Waits for readers of its files: not with the mutex.
        drop(member);
    }

    /// Something came or went that is not listed. May sleep.
    pub(super) fn change_unlisted(&self) {
        self.change(self.members.lock());
    }

    /// Closes the account of a disk or partition. May sleep.
    ///
    /// Should there be no memory for a table without it, probes find the account a while longer:
    /// what they record there, nobody reads.
    pub(super) fn remove(&self, device: &BlockDevice<'_>) {
        let mut members = self.members.lock();
        let address = device.key();
        let Some(position) = members.members.iter().position(|m| m.is_at(address)) else {
            return;
        };
        let member = members.members.remove(position);
        let _ = self.publish(&members);
        if let Ok(member) = &member {
            members.places.give_back(member.account.handle().place());
            member.account.leave();
        }
        self.change(members);
        let regions = member
            .as_ref()
            .map_or(0, |member| member.account.regions().len());
        if regions != 0 {
            self.common.regions_gone.add(regions as u64);
            self.listener.regions_gone();
            let name = device.name();
            pr_notice!("{name}: {regions} regions went with it\n");
        }
        // Waits for readers of the disk's files: not with the mutex.
        drop(member);
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

    /// The account of the disk or partition that a word names, and how many sectors its disk or partition has now. May sleep.
    pub(super) fn find(&self, name: Word<'_>) -> Option<(Arc<Account>, u64)> {
        let members = self.members.lock();
        let is = |member: &Member<L>| name.is_disk(member.account.identity().name.bytes());
        members.members.iter().find_map(|member| {
            let block = member.block.as_ref().filter(|_| is(member))?;
            Some((member.account.clone(), block.device.sectors()))
        })
    }

    /// The account of this device number. May sleep.
    pub(super) fn numbered(&self, number: u32) -> Option<Arc<Account>> {
        let members = self.members.lock();
        let is = |member: &&Member<L>| member.account.handle().number() == number;
        Some(members.members.iter().find(is)?.account.clone())
    }

    /// Notified when the generation changes.
    pub(super) fn changed(&self) -> &PollCondVar {
        &self.changed
    }

    pub(super) fn generation(&self) -> u64 {
        self.members.lock().generation
    }

    pub(super) fn regions_gone(&self) -> u64 {
        self.common.regions_gone.get()
    }

    pub(super) fn numdevs(&self) -> usize {
        self.members.lock().members.len()
    }
}
