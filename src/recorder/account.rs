// SPDX-License-Identifier: GPL-2.0

//! The statistics of one disk or partition, or of an entry of another module.

pub(crate) mod histograms;
pub(crate) mod id;
mod medium;
mod mount;
pub(super) mod partition_count;
mod partitions;
mod readout;
mod remembered;
pub(super) mod slow;
mod tag_waits;
mod usage;

use super::{
    region::set::RegionSet,
    slow::SpareRings, //
};
use crate::{
    abi::{
        binary::Device,
        identity::{
            classify,
            support_flags,
            Identity, //
        },
        name::Name, //
    },
    acct::{
        busy::{
            Gauge,
            Root,
            Tree, //
        },
        class::Tag,
        client,
        disk_event::DiskEvent,
        fast,
        inflight::Share,
        record::RecordWrite,
        transition::Transition, //
    },
    glue::{
        clock,
        io_events::{
            devinfo,
            sysfs_path,
            Devinfo, //
        },
        records::{
            layout,
            Absent,
            Records, //
        },
        tag_waits::TagWaits,
        upkeep, //
    },
    kernel_ext::{
        block::device::BlockDevice,
        percpu::{
            PerCpu,
            ThisCpu, //
        },
        published::InProbe, //
    },
};
use core::sync::atomic::{
    AtomicBool,
    AtomicU32, //
};
use id::AccountId;
use kernel::{
    new_mutex,
    page::PAGE_SIZE,
    prelude::*,
    sync::{
        Arc,
        Mutex,
        Refcount, //
    }, //
};
use partition_count::PartitionCount;
use readout::Readout;
use slow::SlowIos;
use usage::Usage;

/// The statistics of one disk or partition, or of a client's entry, from its arrival on. Readers that hold a reference
/// may keep it longer than the device exists.
#[pin_data]
pub(crate) struct Account {
    identity: Identity,
    /// [`support_flags`], of which a client may change one.
    flags: AtomicU32,
    /// The identity, for the tracepoints of the io provider.
    devinfo: Devinfo,
    handle: AccountId,
    /// In the account of a partition, the account of its disk.
    disk: Option<Arc<Account>>,
    /// In the account of a disk, the number of partitions that probes find.
    pub(super) partitions: PartitionCount,
    #[pin]
    regions: RegionSet,
    /// Whether events are counted; true for disks.
    has_events: bool,
    /// Its first sector on the whole disk.
    start_sector: u64,
    /// The address of its disk; 0 of an entry.
    disk_key: u64,
    /// In the account of a disk, how many I/Os it may have in the table's reserve; 0 at first.
    share: Share,
    /// The tasks that wait for tags of disks.
    tag_waits: Option<Arc<TagWaits>>,
    slow: SlowIos,
    records: Arc<Records>,
    /// The number of holders: the list, the table of the probes, and the partitions that a disk has
    /// not absorbed yet.
    holders: Refcount,
    /// A gauge for each hardware queue; none if there is only one queue. The number is a power of
    /// two.
    leaves: KVec<GaugeLine>,
    root: Root,
    /// Whether the device is being removed.
    leaves_now: AtomicBool,
    usage: Usage,
    /// State that readers share.
    #[pin]
    readout: Mutex<Readout>,
    /// In the account of a disk, whether `readout` may have partitions. It never becomes false
    /// again.
    has_had_partitions: AtomicBool,
}

/// The members of an account that only disks and partitions have.
struct Block {
    devinfo: Devinfo,
    disk: Option<Arc<Account>>,
    has_events: bool,
    start_sector: u64,
    disk_key: u64,
    tag_waits: Option<Arc<TagWaits>>,
    spares: Option<Arc<SpareRings>>,
    leaves: KVec<GaugeLine>,
}

/// A gauge on a cache line of its own.
#[repr(align(64))]
struct GaugeLine(Gauge);

/// The index in the id of an account of a client, which is in no table of accounts.
const CLIENT_PLACE: u32 = u32::MAX;

/// The maximum number of leaves of a disk: if it has more hardware queues, they share leaves.
const MAX_LEAVES: usize = 64;

impl Account {
    /// Creates an account of `device` with all counters zero. For a partition, [`Account::join_disk`] must be called
    /// before anything is recorded in it. May sleep; `ENOMEM`.
    pub(crate) fn new(
        device: &BlockDevice<'_>,
        disk: Option<Arc<Account>>,
        shared: Option<(Arc<TagWaits>, Arc<SpareRings>)>,
        handle: AccountId,
        absent: Arc<PerCpu<Absent>>,
    ) -> Result<Arc<Self>> {
        let name = Name::new(device.name());
        let (device_type, priority) = classify(&name);
        let (device_name, unit_number) = name.unit();
        let identity = Identity {
            name,
            device_name: Name::new(device_name),
            unit_number,
            driver: Name::new(device.driver()),
            number: handle.number(),
            dev: device.dev(),
            is_partition: device.is_partition(),
            diskseq: device.diskseq(),
            crtime: clock::now_ns(),
            priority,
            device_type,
            flags: support_flags::ALL_SUPPORTED,
            block_size: device.logical_block_size(),
        };
        let disk_name = disk.as_ref().map_or(name, |disk| disk.identity.name);
        let devinfo = devinfo(&identity, &disk_name, &sysfs_path(device));
        let ways = device.nr_queues().min(MAX_LEAVES);
        let mut leaves = KVec::new();
        if ways > 1 {
            for _ in 0..ways.next_power_of_two() {
                leaves.push(GaugeLine(Gauge::default()), GFP_KERNEL)?;
            }
        }
        let (tag_waits, spares) = shared.unzip();
        let block = Block {
            devinfo,
            has_events: disk.is_none(),
            spares: spares.filter(|_| disk.is_none()),
            disk,
            start_sector: device.start_sector(),
            disk_key: device.disk_key(),
            tag_waits,
            leaves,
        };
        Self::with(identity, handle, block, absent)
    }

    /// Returns an account for an entry of another module. May sleep; `ENOMEM`.
    pub(super) fn of_client(identity: Identity, absent: Arc<PerCpu<Absent>>) -> Result<Arc<Self>> {
        let handle = AccountId::new(CLIENT_PLACE, identity.number);
        let block = Block {
            devinfo: Devinfo::unknown(),
            disk: None,
            has_events: false,
            start_sector: 0,
            disk_key: 0,
            tag_waits: None,
            spares: None,
            leaves: KVec::new(),
        };
        Self::with(identity, handle, block, absent)
    }

    fn with(
        identity: Identity,
        handle: AccountId,
        block: Block,
        absent: Arc<PerCpu<Absent>>,
    ) -> Result<Arc<Self>> {
        let parent = block.disk.as_ref().map(|disk| disk.identity.number);
        let offset = layout().offset(identity.number);
        // CAST: 64 bits, as programs map it.
        let first_page = offset as usize / PAGE_SIZE;
        let device = Device::new(&identity, parent, offset);
        let records = Records::new(absent, first_page, Some(device))?;
        let root = match &block.disk {
            Some(disk) => Root::of_partition(disk.memory().root),
            None => Root::default(),
        };
        Arc::pin_init(
            try_pin_init!(Account {
                flags: AtomicU32::new(identity.flags),
                identity,
                devinfo: block.devinfo,
                handle,
                regions <- RegionSet::new(records.clone(), block.disk.is_some()),
                disk: block.disk,
                partitions: PartitionCount::default(),
                has_events: block.has_events,
                start_sector: block.start_sector,
                disk_key: block.disk_key,
                share: Share::default(),
                tag_waits: block.tag_waits,
                slow: SlowIos::new(block.spares),
                records,
                holders: Refcount::new(1),
                leaves: block.leaves,
                root,
                leaves_now: AtomicBool::new(false),
                usage: Usage::default(),
                readout <- new_mutex!(Readout::default()),
                has_had_partitions: AtomicBool::new(false),
            }),
            GFP_KERNEL,
        )
    }

    /// The identity of the disk or partition. Block size and flags are those at its arrival: see
    /// [`Account::identity_now`].
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The identity, for the tracepoints of the io provider.
    pub(super) fn devinfo(&self) -> &Devinfo {
        &self.devinfo
    }

    /// The identity, in binary.
    pub(crate) fn device(&self) -> Device {
        self.records.head().device()
    }

    /// The records, which programs may map.
    pub(super) fn records(&self) -> Arc<Records> {
        self.records.clone()
    }

    /// See [`Records::upkeep`].
    pub(super) fn upkeep(&self) {
        self.records.upkeep(&self.root);
    }

    /// Adds a holder.
    pub(super) fn hold(&self) {
        self.holders.inc();
    }

    /// Drops one holder. After the last has been dropped no I/O is recorded in the account, and its memory does not
    /// change any more. Any context but NMI.
    pub(super) fn leave(&self) {
        if self.holders.dec_and_test() {
            self.records.head().set_gone();
            if self.disk.is_some() {
                // For `absorb_into_disk`.
                upkeep::wake();
            }
        }
    }

    /// The account of its disk, if this is the account of a partition.
    #[inline(always)]
    pub(super) fn disk(&self) -> Option<&Account> {
        self.disk.as_deref()
    }

    /// Whether I/Os may have to be recorded in regions, for a partition also in the regions of its
    /// disk.
    #[inline(always)]
    pub(super) fn needs_slow_record(&self) -> bool {
        self.regions.needs_slow_record()
    }

    /// Its regions.
    #[inline(always)]
    pub(super) fn regions(&self) -> &RegionSet {
        &self.regions
    }

    /// Whether it or its disk has regions.
    #[inline(always)]
    pub(super) fn is_in_regions(&self, probe: InProbe<'_>) -> bool {
        let has_any = |account: &Account| account.regions.list(probe).is_some();
        has_any(self) || self.disk().is_some_and(has_any)
    }

    /// Its first sector on the whole disk.
    #[inline(always)]
    pub(super) fn start_sector(&self) -> u64 {
        self.start_sector
    }

    /// The address of its disk, by which probes find that.
    pub(super) fn disk_key(&self) -> u64 {
        self.disk_key
    }

    /// The share of the table's reserve that a disk may use.
    pub(super) fn share(&self) -> &Share {
        &self.share
    }

    #[inline(always)]
    pub(super) fn handle(&self) -> AccountId {
        self.handle
    }

    /// Whether its I/Os are in the table of I/Os in flight. Those of an entry of another module are not.
    pub(crate) fn has_tracked_ios(&self) -> bool {
        // CAST: 32 bits.
        self.handle.place() != CLIENT_PLACE as usize
    }

    /// Counts an event of the disk. Any context but NMI.
    #[cold]
    pub(super) fn count_event(&self, event: DiskEvent) {
        self.add_event(event, 1);
    }

    /// Counts `added` events of the disk. Any context but NMI.
    pub(super) fn add_event(&self, event: DiskEvent, added: u64) {
        let disk = self.disk().unwrap_or(self);
        if disk.has_events {
            disk.usage.note();
            disk.records.add_event(event, added, &disk.root);
        }
    }

    /// Whether it has event counters.
    pub(crate) fn has_events(&self) -> bool {
        self.has_events
    }

    /// The number of these events; 0 for an account without event counters. In any context.
    pub(crate) fn event(&self, event: DiskEvent) -> u64 {
        self.records.events(event)
    }

    /// Whether it matters which hardware queue an I/O goes through.
    #[inline(always)]
    pub(super) fn has_leaves(&self) -> bool {
        !self.leaves.is_empty()
    }

    /// Records one step at `now` of an I/O that goes through the hardware queue `hctx`. This also records a step of a
    /// partition in its disk: see [`DiskDifference`](crate::acct::record::DiskDifference).
    #[inline(always)]
    pub(crate) fn record(&self, transition: Transition, hctx: u16, now: u64, cpu: ThisCpu<'_>) {
        let record = self.records.this_cpu(cpu, &self.root);
        match record.filter(|_| !transition.is_rare()) {
            Some(record) => self.apply(transition, &record.write(), hctx, now),
            None => self.record_shared(transition, hctx, now),
        }
    }

    /// Records a transition in the record that the account's CPUs share.
    #[cold]
    #[inline(never)]
    fn record_shared(&self, transition: Transition, hctx: u16, now: u64) {
        self.usage.note();
        if let Some(disk) = self.disk() {
            disk.usage.note();
        }
        if !transition.is_rare() {
            self.records.want_this_cpu();
        }
        self.records
            .write_shared(|record| self.apply(transition, record, hctx, now));
    }

    #[inline(always)]
    fn apply(&self, transition: Transition, record: &impl RecordWrite, hctx: u16, now: u64) {
        if let Some(disk) = self.disk() {
            return self.apply_in_partition(disk, transition, record, hctx, now);
        }
        // Two calls instead of one, so that the kind of tree is tested once, not after every step.
        match self.leaf(hctx) {
            None => transition.apply(record, &self.tree(None), now),
            leaf => transition.apply(record, &self.tree(leaf), now),
        }
    }

    #[inline(never)]
    fn apply_in_partition(
        &self,
        disk: &Account,
        transition: Transition,
        record: &impl RecordWrite,
        hctx: u16,
        now: u64,
    ) {
        let gauges = self.tree(self.leaf(hctx));
        transition.apply_in_partition(record, &gauges, &disk.root.gauge, now);
    }

    /// The gauge of a hardware queue; [`None`] if its I/Os enter the root directly.
    #[inline(always)]
    fn leaf(&self, hctx: u16) -> Option<&Gauge> {
        if !self.has_leaves() || hctx == fast::DIRECT {
            return None;
        }
        let last = self.leaves.len().wrapping_sub(1);
        Some(&self.leaves.get(usize::from(hctx) & last)?.0)
    }

    /// The gauges that an I/O changes.
    #[inline(always)]
    fn tree<'a>(&'a self, leaf: Option<&'a Gauge>) -> Tree<'a> {
        let root = &self.root.gauge;
        Tree {
            leaf: leaf.unwrap_or(root),
            root: leaf.map(|_| root),
        }
    }

    /// A client's transaction starts. For accounts of clients only.
    #[inline(always)]
    pub(crate) fn start_transaction(&self, now: u64, cpu: ThisCpu<'_>) {
        self.record(Transition::StartRunqEnter, 0, now, cpu);
    }

    /// A client's transaction ends; false if no transaction is in progress. For accounts of clients
    /// only.
    #[inline(always)]
    pub(crate) fn end_transaction(
        &self,
        mut end: client::EndArgs,
        now: u64,
        cpu: ThisCpu<'_>,
    ) -> bool {
        if self.identity.flags & support_flags::NO_ORDERED_TAGS != 0 {
            end.tag = Tag::None;
        }
        let gauge = &self.root.gauge;
        let record = self.records.this_cpu(cpu, &self.root);
        match record.filter(|_| !end.is_rare()) {
            Some(record) => end.apply(&record.write(), gauge, now),
            None => self.end_shared(&end, now),
        }
    }

    /// Ends a transaction in the record that the account's CPUs share.
    #[cold]
    #[inline(never)]
    fn end_shared(&self, end: &client::EndArgs, now: u64) -> bool {
        if !end.is_rare() {
            self.records.want_this_cpu();
        }
        let gauge = &self.root.gauge;
        self.records
            .write_shared(|record| end.apply(record, gauge, now))
    }
}
