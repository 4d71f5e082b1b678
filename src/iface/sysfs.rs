// SPDX-License-Identifier: GPL-2.0

//! `/sys/block/<disk>/iostat/`, and that of each partition: one value per file, and `stat`, one line of everything.
//!
//! `stat` and `devstat/` are there from the arrival on; the other directories come when something is recorded for the first
//! time: most disks and partitions of a large machine are never used, and each file takes about 160 bytes.
//!
//! Each read takes a snapshot of its own: values that must agree with each other are read
//! from `stat`. See `Documentation/ABI/testing/sysfs-block-iostat`.

use crate::{
    abi::{
        identity::Identity,
        latency,
        out::Out,
        pager::Piece,
        size, slow_text,
        text::{
            self,
            Statistic, //
        },
    },
    acct::{
        class::Class,
        disk_event::{
            DiskEvent,
            DISK_EVENTS, //
        },
        histogram::Phase,
        size::{
            ClassSizes,
            SizeCounts, //
        },
    },
    glue::clock,
    kernel_ext::{
        capability,
        kobject::{
            Directory,
            Object,
            ObjectType, //
        },
        sysfs::{
            Attribute,
            AttributeList,
            AttributePage,
            Group,
            Groups,
            Show, //
        },
    },
    recorder::{
        account::Account,
        oldest::OldestFinder, //
    },
};
use core::{
    ffi::CStr,
    fmt::{
        self,
        Write, //
    }, //
};
use kernel::{
    prelude::*,
    sync::Arc, //
};

/// The object of the directory of a disk, a partition or an entry of another module.
pub(crate) struct DiskObject {
    account: Arc<Account>,
    oldest: OldestFinder,
}

impl DiskObject {
    pub(super) fn new(account: Arc<Account>, oldest: OldestFinder) -> Self {
        DiskObject { account, oldest }
    }
}

/// A file of that directory.
#[derive(Clone, Copy)]
pub(crate) enum DiskFile {
    /// A statistic of a snapshot.
    Statistic(&'static Statistic),
    /// A part of the identity.
    Identity(fn(&Identity, &mut AttributePage<'_>) -> fmt::Result),
    /// A histogram of times.
    Latency(Class, Phase),
    /// The histogram of the sizes of a class.
    Size(fn(&ClassSizes) -> &SizeCounts),
    /// The count of an event.
    Event(DiskEvent),
    /// The age of the oldest I/O in flight.
    Oldest,
    /// The latest slow I/Os.
    Slow,
    /// All statistics of a snapshot, in one line.
    Stat,
    /// The names of the columns of that line.
    Columns,
}

impl Show for DiskFile {
    type Of = DiskObject;

    fn show(&self, of: &DiskObject, page: &mut AttributePage<'_>) -> fmt::Result {
        match self {
            DiskFile::Slow => return slow(&of.account, page),
            DiskFile::Statistic(statistic) => {
                page.write_number((statistic.value)(&of.account.snapshot()))
            }
            DiskFile::Identity(write) => write(&of.account.identity_now(), page),
            DiskFile::Latency(class, phase) => {
                latency::histogram(page, &of.account.histogram(*class, *phase))
            }
            DiskFile::Size(which) => size::histogram(page, which(&of.account.sizes())),
            DiskFile::Event(event) => page.write_number(of.account.event(*event)),
            DiskFile::Oldest => {
                let oldest = of.oldest.of(&of.account).map_err(|_| fmt::Error)?;
                page.write_number(oldest.age_ns(clock::now_ns()))
            }
            DiskFile::Stat => text::stat(page, &of.account.snapshot()),
            DiskFile::Columns => text::stat_header(page),
        }?;
        page.write_char('\n')
    }
}

/// The latest slow I/Os, as many as there is room for. The mode of the file admits root, who need not have
/// CAP_SYS_ADMIN in a container.
fn slow(account: &Account, page: &mut AttributePage<'_>) -> fmt::Result {
    let has_target = capability::is_sys_admin();
    let mut piece = Piece::new(page.unused(), 0);
    piece.record(slow_text::header);
    let mut most = u64::MAX;
    while let Some((number, io)) = account.newest_slow(most) {
        let device = Some(account.identity()).filter(|disk| disk.number == io.device);
        if !piece.record(|out| slow_text::line(out, device, &io, has_target)) {
            break;
        }
        most = number.wrapping_sub(1);
    }
    let len = piece.len();
    page.advance(len);
    Ok(())
}

const fn identity(
    name: &'static CStr,
    write: fn(&Identity, &mut AttributePage<'_>) -> fmt::Result,
) -> Attribute<DiskFile> {
    Attribute::new(name, DiskFile::Identity(write))
}

/// The files `first`, then one for each statistic of a table: `N` is the sum of both.
const fn files<const FIRST: usize, const TABLE: usize, const N: usize>(
    first: [Attribute<DiskFile>; FIRST],
    table: &'static [Statistic; TABLE],
) -> [Attribute<DiskFile>; N] {
    assert!(FIRST + TABLE == N);
    let mut files = [const { Attribute::new(c"", DiskFile::Stat) }; N];
    let mut index = 0;
    while index < FIRST {
        files[index] = first[index];
        index += 1;
    }
    while index < N {
        let statistic = &table[index - FIRST];
        files[index] = Attribute::new(statistic.name, DiskFile::Statistic(statistic));
        index += 1;
    }
    files
}

static TOP_FILES: [Attribute<DiskFile>; 2] = [
    Attribute::new(c"stat", DiskFile::Stat),
    Attribute::new(c"stat_columns", DiskFile::Columns),
];
static TOP_LIST: AttributeList<DiskFile, 2> = AttributeList::new(&TOP_FILES);
static TOP: Group<DiskFile> = Group::new(None, &TOP_LIST);

const DEVSTAT: usize = 10 + text::DEVSTAT.len();
static DEVSTAT_FILES: [Attribute<DiskFile>; DEVSTAT] = files(
    [
        identity(c"device_name", |d, page| d.device_name.write(page)),
        identity(c"unit_number", |d, page| {
            page.write_number(d.unit_number.into())
        }),
        identity(c"device_number", |d, page| {
            page.write_number(d.number.into())
        }),
        identity(c"device_type", |d, page| {
            write!(page, "{:#x}", d.device_type)
        }),
        identity(c"flags", |d, page| write!(page, "{:#x}", d.flags)),
        identity(c"priority", |d, page| write!(page, "{:#x}", d.priority)),
        identity(c"block_size", |d, page| {
            page.write_number(d.block_size.into())
        }),
        identity(c"creation_time_ns", |d, page| page.write_number(d.crtime)),
        identity(c"diskseq", |d, page| page.write_number(d.diskseq)),
        identity(c"driver", |d, page| d.driver.write(page)),
    ],
    &text::DEVSTAT,
);
static DEVSTAT_LIST: AttributeList<DiskFile, DEVSTAT> = AttributeList::new(&DEVSTAT_FILES);
static DEVSTAT_GROUP: Group<DiskFile> = Group::new(Some(c"devstat"), &DEVSTAT_LIST);

const KSTAT: usize = 6 + text::KSTAT.len();
static KSTAT_FILES: [Attribute<DiskFile>; KSTAT] = files(
    [
        identity(c"module", |d, page| d.driver.write(page)),
        identity(c"instance", |d, page| {
            page.write_number(d.unit_number.into())
        }),
        identity(c"name", |d, page| d.name.write(page)),
        identity(c"class", |d, page| page.write_str(d.class())),
        identity(c"crtime", |d, page| page.write_number(d.crtime)),
        Attribute::new(c"snaptime", DiskFile::Statistic(&text::SNAPTIME)),
    ],
    &text::KSTAT,
);
static KSTAT_LIST: AttributeList<DiskFile, KSTAT> = AttributeList::new(&KSTAT_FILES);
static KSTAT_GROUP: Group<DiskFile> = Group::new(Some(c"kstat"), &KSTAT_LIST);

const fn times(name: &'static CStr, class: Class, phase: Phase) -> Attribute<DiskFile> {
    Attribute::new(name, DiskFile::Latency(class, phase))
}

// A file takes memory for each disk. So the files of the sums of service times are in this group, which is added when the
// disk is used for the first time.
static LATENCY_FILES: [Attribute<DiskFile>; 16] = files(
    [
        times(c"none_wait", Class::NoData, Phase::Wait),
        times(c"none_service", Class::NoData, Phase::Service),
        times(c"none_total", Class::NoData, Phase::Total),
        times(c"read_wait", Class::Read, Phase::Wait),
        times(c"read_service", Class::Read, Phase::Service),
        times(c"read_total", Class::Read, Phase::Total),
        times(c"write_wait", Class::Write, Phase::Wait),
        times(c"write_service", Class::Write, Phase::Service),
        times(c"write_total", Class::Write, Phase::Total),
        times(c"free_wait", Class::Free, Phase::Wait),
        times(c"free_service", Class::Free, Phase::Service),
        times(c"free_total", Class::Free, Phase::Total),
    ],
    &text::SERVICE,
);
static LATENCY_LIST: AttributeList<DiskFile, 16> = AttributeList::new(&LATENCY_FILES);
static LATENCY_GROUP: Group<DiskFile> = Group::new(Some(c"latency"), &LATENCY_LIST);

static SIZE_FILES: [Attribute<DiskFile>; 3] = [
    Attribute::new(c"read", DiskFile::Size(|[_, read, _, _]| read)),
    Attribute::new(c"write", DiskFile::Size(|[_, _, write, _]| write)),
    Attribute::new(c"free", DiskFile::Size(|[_, _, _, free]| free)),
];
static SIZE_LIST: AttributeList<DiskFile, 3> = AttributeList::new(&SIZE_FILES);
static SIZE_GROUP: Group<DiskFile> = Group::new(Some(c"size"), &SIZE_LIST);

const fn event(event: DiskEvent) -> Attribute<DiskFile> {
    Attribute::new(event.name(), DiskFile::Event(event))
}

static EVENT_FILES: [Attribute<DiskFile>; DISK_EVENTS] = {
    let mut files = [const { event(DiskEvent::Requeues) }; DISK_EVENTS];
    let mut index = 0;
    while index < DISK_EVENTS {
        files[index] = event(DiskEvent::ALL[index]);
        index += 1;
    }
    files
};
static EVENT_LIST: AttributeList<DiskFile, DISK_EVENTS> = AttributeList::new(&EVENT_FILES);
static EVENT_GROUP: Group<DiskFile> = Group::new(Some(c"events"), &EVENT_LIST);

static OLDEST_FILES: [Attribute<DiskFile>; 1] =
    [Attribute::new(c"oldest_in_flight_ns", DiskFile::Oldest)];
static OLDEST_LIST: AttributeList<DiskFile, 1> = AttributeList::new(&OLDEST_FILES);
static OLDEST_GROUP: Group<DiskFile> = Group::new(None, &OLDEST_LIST);

/// The file that changes with each slow I/O.
pub(super) const SLOW_NAME: &CStr = c"slow";
static SLOW_FILES: [Attribute<DiskFile>; 1] = [Attribute::private(SLOW_NAME, DiskFile::Slow)];
static SLOW_LIST: AttributeList<DiskFile, 1> = AttributeList::new(&SLOW_FILES);
static SLOW_GROUP: Group<DiskFile> = Group::new(None, &SLOW_LIST);

/// The files of a disk that was never used: those whose numbers scripts add up over all disks.
static GROUPS: Groups<DiskFile, 2> = Groups::new([&TOP, &DEVSTAT_GROUP]);
/// The files that come when it is used for the first time.
static MORE_OF_CLIENT: Groups<DiskFile, 3> =
    Groups::new([&KSTAT_GROUP, &LATENCY_GROUP, &SIZE_GROUP]);
static MORE: Groups<DiskFile, 4> =
    Groups::new([&OLDEST_GROUP, &KSTAT_GROUP, &LATENCY_GROUP, &SIZE_GROUP]);
static MORE_WITH_EVENTS: Groups<DiskFile, 6> = Groups::new([
    &OLDEST_GROUP,
    &KSTAT_GROUP,
    &LATENCY_GROUP,
    &SIZE_GROUP,
    &EVENT_GROUP,
    &SLOW_GROUP,
]);

/// Adds the other files of an account to its directory. May sleep; `ENOMEM`.
pub(super) fn add_files(directory: &Directory<DiskObject>, account: &Account) -> Result {
    match (account.has_events(), account.has_tracked_ios()) {
        (true, _) => directory.add(&MORE_WITH_EVENTS),
        (false, true) => directory.add(&MORE),
        (false, false) => directory.add(&MORE_OF_CLIENT),
    }
}

impl Object for DiskObject {
    type Attribute = DiskFile;

    const TYPE: ObjectType<Self> = ObjectType::new(&GROUPS);
}
