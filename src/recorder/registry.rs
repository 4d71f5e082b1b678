// SPDX-License-Identifier: GPL-2.0

//! The list of disks, partitions, NFS file systems, and entries of other modules.
//!
//! Readers take a list under a mutex. Probes find the accounts of disks and partitions in [`Accounts`].
//!
//! The time of an arrival or departure grows with the logarithm of the length of the list. The departure of a
//! device, and the arrival of the first partition of a disk, also visit each entry of the table of I/Os in
//! flight. All memory that a departure needs is allocated at the arrival.

mod members;
mod mounts;

use super::{
    account::{
        id::AccountId, //
        Account,
    },
    accounts::{
        Accounts,
        FoundAccount, //
    },
    events::Common,
    listener::Listener,
    oldest::OldestFinder,
    position::Position, //
    promise::Promise,
    tracker::Tracker,
};
use crate::{
    abi::{
        identity::Identity,
        map::MapHeader,
        message::{
            error::{
                Error as Wrong,
                Reason, //
            },
            word::Word, //
        },
        name::Name, //
    },
    glue::records::Absent, //
    kernel_ext::{
        block::device::BlockDevice,
        memory::NoIo,
        pages::PageOf,
        percpu::PerCpu, //
    },
};
use kernel::{
    alloc::{
        flags::GFP_KERNEL_ACCOUNT,
        KVVec, //
    },
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
use members::{
    Member,
    MemberNodes, //
    Members,
};

/// The number of I/Os for which room is promised to a disk whose driver takes bios as they are, and
/// to an NFS file system.
const BIOS: usize = 1024;

/// All disks and partitions at one moment.
pub(crate) struct DiskList {
    /// Changes when the list does.
    pub(crate) generation: u64,
    /// In list order.
    pub(crate) accounts: KVVec<Arc<Account>>,
}

#[pin_data]
pub(super) struct Registry<L: Listener> {
    listener: Arc<L>,
    /// Has the table in which probes find the accounts.
    tracker: Arc<Tracker>,
    /// The header of mapped memory, where programs see the generation.
    header: Arc<PageOf<MapHeader>>,
    #[pin]
    members: Mutex<Members<L>>,
    /// Accounts of clients that are in no list.
    #[pin]
    unlisted: Mutex<KVec<Arc<Account>>>,
    /// Notified when the generation changes.
    #[pin]
    changed: PollCondVar,
    /// Dropped after the members.
    common: Common,
}

impl<L: Listener> Registry<L> {
    pub(super) fn new(
        listener: Arc<L>,
        tracker: Arc<Tracker>,
        common: Common,
        header: Arc<PageOf<MapHeader>>,
    ) -> impl PinInit<Self> {
        pin_init!(Registry {
            listener,
            tracker,
            header,
            members <- new_mutex!(Members::new()),
            unlisted <- new_mutex!(KVec::new()),
            changed <- new_poll_condvar!(),
            common,
        })
    }

    /// Lets probes find present and future accounts. May sleep.
    pub(super) fn open(&self) {
        self.accounts().open();
    }

    /// Probes find no account after this. May sleep.
    pub(super) fn close(&self) {
        self.accounts().close();
    }

    /// The table in which probes find the accounts.
    fn accounts(&self) -> &Accounts {
        self.tracker.accounts()
    }

    fn oldest(&self) -> OldestFinder {
        OldestFinder::new(self.tracker.clone())
    }

    /// See [`InFlightEntries::absent`](super::entries::InFlightEntries::absent).
    fn absent(&self) -> Arc<PerCpu<Absent>> {
        self.tracker.entries().absent()
    }

    /// Begins a new generation of the list, and notifies readers that wait for it.
    fn change(&self, mut members: Guard<'_, Members<L>, MutexBackend>) {
        members.generation = members.generation.wrapping_add(1);
        self.header.set_generation(members.generation);
        drop(members);
        self.changed.notify_all();
    }

    /// Opens an account for a disk or partition. May sleep. `ENODEV` for a partition of a disk that has
    /// none, `ENOMEM`.
    pub(super) fn add(&self, device: &BlockDevice<'_>) -> Result {
        let mut members = self.members.lock();
        let nodes = MemberNodes::new()?;
        let place = self.accounts().reserve()?;
        let handle = AccountId::new(place.place(), members.next_number);
        let disk = if device.is_partition() {
            let number = self.accounts().number_at(device.disk_key()).ok_or(ENODEV)?;
            Some(members.by_number.get(&number).ok_or(ENODEV)?)
        } else {
            None
        };
        let disk = disk.map(|disk| disk.account.clone());
        let ios = match disk {
            Some(_) => None,
            None => Some(device.max_requests().unwrap_or(BIOS)),
        };
        let shared = Some((
            self.tracker.tag_waits().clone(),
            self.tracker.spare_rings().clone(),
        ));
        let absent = self.absent();
        let account = Account::new(device, disk, shared, handle, absent)?;
        let events = match account.has_events() {
            true => Some(self.common.of_disk(&account)?),
            false => None,
        };
        let member = Member {
            presence: self.listener.arrived(device, &account, self.oldest())?,
            account: account.clone(),
            device: Some(device.hold()),
            ios,
            promise: None,
            _events: events,
        };
        if let Err(error) = account.join_disk() {
            // The drop of `member` waits for readers of its files: not with the mutex locked.
            drop(members);
            return Err(error);
        }
        // From here on nothing can fail.
        members.insert(nodes, member);
        place.insert(device.key(), FoundAccount::new(&account));
        if let Some(disk) = account.disk() {
            if disk.partitions.arrived() {
                self.tracker.entries().forget(disk);
            }
        }
        self.change(members);
        Ok(())
    }

    /// Opens an account for a client, and assigns its number. May sleep. `EEXIST` if the name is in use;
    /// `ENOMEM`.
    pub(super) fn add_client(&self, mut identity: Identity) -> Result<Arc<Account>> {
        // Threads that add and remove disks wait for the mutex with queues frozen: see [`NoIo`].
        let _noio = NoIo::new();
        let mut members = self.members.lock();
        if members.has_name(identity.name) {
            return Err(EEXIST);
        }
        let nodes = MemberNodes::new()?;
        identity.number = members.next_number;
        let account = Account::of_client(identity, self.absent())?;
        let member = Member {
            presence: self.listener.attached(&account, self.oldest())?,
            account: account.clone(),
            device: None,
            ios: None,
            promise: None,
            _events: None,
        };
        members.insert(nodes, member);
        self.change(members);
        Ok(account)
    }

    /// Opens an account for a client that is in no list. May sleep; `ENOMEM`.
    pub(super) fn unlisted_client(&self, identity: Identity) -> Result<Arc<Account>> {
        // As in `add_client`.
        let _noio = NoIo::new();
        let mut unlisted = self.unlisted.lock();
        unlisted.reserve(1, GFP_KERNEL)?;
        let account = Account::of_client(identity, self.absent())?;
        unlisted.push(account.clone(), GFP_KERNEL)?;
        Ok(account)
    }

    /// Closes an account of a client that is in no list. May sleep.
    pub(super) fn remove_unlisted(&self, account: &Account) {
        let mut unlisted = self.unlisted.lock();
        unlisted.retain(|unlisted| !core::ptr::eq(&**unlisted, account));
    }

    /// Calls [`Account::upkeep`] of all accounts that are in no list. May sleep.
    pub(super) fn upkeep_unlisted(&self) {
        // The mutex is held meanwhile: see `add_client`.
        let _noio = NoIo::new();
        self.unlisted
            .lock()
            .iter()
            .for_each(|account| account.upkeep());
    }

    /// Creates the parts of an account that exist only from its first use on, if it has been used and is in the list.
    /// May sleep. Without memory, it is tried again the next time.
    pub(super) fn follow_use(&self, account: &Account) {
        if !account.is_new_in_use() {
            return;
        }
        // The mutex is held meanwhile: see `add_client`.
        let _noio = NoIo::new();
        let mut members = self.members.lock();
        // A device that has left meanwhile has no member.
        let Some(member) = members.by_number.get_mut(&account.handle().number()) else {
            return;
        };
        if let (Some(ios), None) = (member.ios, &member.promise) {
            member.promise = Promise::new(&self.tracker, ios);
            if let Some(promise) = &member.promise {
                promise.give_to(account.share());
            }
        }
        if account.must_notify_use() {
            let notified = match member.device {
                Some(_) => self.listener.used(&member.presence, account),
                None => Ok(()),
            };
            if notified.is_err() {
                return;
            }
            account.set_use_notified();
        }
        if member.promise.is_some() == member.ios.is_some() {
            account.set_use_followed();
        }
    }

    /// Notifies the listener if an account has new slow I/Os. May sleep.
    pub(super) fn notify_slow(&self, account: &Account) {
        if !account.take_new_slow() {
            return;
        }
        let members = self.members.lock();
        if let Some(member) = members.by_number.get(&account.handle().number()) {
            self.listener.slow(&member.presence);
        }
    }

    /// Closes an account of a client. May sleep.
    pub(super) fn remove_client(&self, account: &Account) {
        let mut members = self.members.lock();
        let Some(member) = members.remove(account.handle().number()) else {
            return;
        };
        account.leave();
        self.change(members);
        // Waits for readers of its files, so the mutex must not be held.
        drop(member);
    }

    /// Begins a new generation after a change of something that is not in the list. May sleep.
    pub(super) fn change_unlisted(&self) {
        self.change(self.members.lock());
    }

    /// Closes the account of a disk or partition, and returns its device number. Needs no memory, and cannot fail; may sleep.
    pub(super) fn remove(&self, device: &BlockDevice<'_>) -> Option<u32> {
        let mut members = self.members.lock();
        let number = self.accounts().number_at(device.key());
        let member = number.and_then(|number| members.remove(number))?;
        let account = &member.account;
        account.leave_disk();
        // Before the removal, as the account is freed as soon as the probes that run then have
        // ended.
        self.tracker.entries().give_up(account);
        self.accounts().remove(account.handle());
        if let Some(disk) = account.disk() {
            disk.partitions.left();
        }
        account.leave();
        self.change(members);
        let regions = account.regions().len();
        if regions != 0 {
            self.common.regions_gone.add(regions as u64);
            self.listener.regions_gone();
            let name = Name::new(device.name());
            pr_notice!("{name}: removed, {regions} statistics regions deleted with it\n");
        }
        // Waits for readers of the disk's files, so the mutex must not be held.
        drop(member);
        number
    }

    /// Disks absorb their partitions that are gone. One call at a time, in the upkeep; may sleep. Without memory, it is
    /// tried again the next time.
    pub(super) fn absorb_partitions(&self) {
        // A mutex is held meanwhile, for which threads that add partitions wait: see `add_client`.
        let _noio = NoIo::new();
        let next = || self.members.lock().to_be_absorbed();
        while let Some(account) = next() {
            if account.absorb_into_disk().is_err() {
                return;
            }
            self.members.lock().set_absorbed(&account);
        }
    }

    /// All accounts.
    pub(super) fn list(&self) -> Result<DiskList> {
        loop {
            // Allocated without the mutex, for which threads that add and remove disks wait:
            // reclaim may wait for I/O on a disk whose queue they have frozen.
            let room = self.numdevs();
            // Charged to the caller, who can keep it allocated by a slow page fault.
            let mut accounts = KVVec::with_capacity(room, GFP_KERNEL_ACCOUNT)?;
            let members = self.members.lock();
            if members.len > room {
                continue;
            }
            for account in members.accounts() {
                let _ = accounts.push_within_capacity(account.clone());
            }
            return Ok(DiskList {
                generation: members.generation,
                accounts,
            });
        }
    }

    /// The generation, and the number of accounts.
    pub(super) fn heading(&self) -> (u64, usize) {
        let members = self.members.lock();
        (members.generation, members.len)
    }

    /// The first accounts from a position on, as many as there is room for. May sleep.
    pub(super) fn batch(&self, from: Position, batch: &mut [Option<Arc<Account>>]) {
        self.members.lock().batch(from, batch);
    }

    /// The account at a position. May sleep.
    pub(super) fn at(&self, position: Position) -> Option<Arc<Account>> {
        let mut batch = [None];
        self.batch(position, &mut batch);
        let [account] = batch;
        account.filter(|account| Position::of(account.identity()) == position)
    }

    /// The account of the disk or partition that a word names, and its present number of sectors. May sleep; `ENXIO`
    /// if there is no such disk or partition.
    pub(super) fn find<'a>(&self, name: Word<'a>) -> Result<(Arc<Account>, u64), Wrong<'a>> {
        let guard = self.members.lock();
        let is = |member: &Member<L>| name.is_disk(member.account.identity().name.bytes());
        let mut members = guard.by_number.values();
        let found = members.find_map(|member| {
            let device = member.device.as_ref().filter(|_| is(member))?;
            Some((member.account.clone(), device.sectors()))
        });
        found.ok_or(Wrong::wrong(Reason::NoSuchDisk, name))
    }

    /// The account of this device number. May sleep.
    pub(super) fn numbered(&self, number: u32) -> Option<Arc<Account>> {
        let members = self.members.lock();
        Some(members.by_number.get(&number)?.account.clone())
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

    pub(super) fn disks_and_partitions(&self) -> (usize, usize) {
        let members = self.members.lock();
        let devices = members.by_number.values();
        let devices = devices.filter(|member| member.device.is_some());
        let (mut disks, mut partitions) = (0usize, 0usize);
        for member in devices {
            match member.account.disk() {
                None => disks = disks.saturating_add(1),
                Some(_) => partitions = partitions.saturating_add(1),
            }
        }
        (disks, partitions)
    }

    pub(super) fn numdevs(&self) -> usize {
        self.members.lock().len
    }
}
