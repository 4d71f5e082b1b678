// SPDX-License-Identifier: GPL-2.0

//! The events that are counted for each disk: what happens to its I/Os besides start and end.

use super::class::op;
use core::ffi::CStr;

/// `BLK_STS_*` of `include/linux/blk_types.h`. `src/glue/numbers.rs` asserts that they are the
/// kernel's.
pub mod status {
    /// No error.
    pub const OK: u8 = 0;
    /// The disk does not support the operation.
    pub const NOTSUPP: u8 = 1;
    /// It took too long.
    pub const TIMEOUT: u8 = 2;
    /// No space is left.
    pub const NOSPC: u8 = 3;
    /// The transport to the disk failed.
    pub const TRANSPORT: u8 = 4;
    /// The disk itself failed.
    pub const TARGET: u8 = 5;
    /// The disk is reserved for another host.
    pub const RESV_CONFLICT: u8 = 6;
    /// The medium failed.
    pub const MEDIUM: u8 = 7;
    /// The integrity data is wrong.
    pub const PROTECTION: u8 = 8;
    /// The system lacked a resource, such as memory.
    pub const RESOURCE: u8 = 9;
    /// Anything else.
    pub const IOERR: u8 = 10;
    /// Not an error: used by device-mapper internally.
    pub const DM_REQUEUE: u8 = 11;
    /// The request would have had to wait, but was not allowed to.
    pub const AGAIN: u8 = 12;
    /// The device lacked a resource.
    pub const DEV_RESOURCE: u8 = 13;
    /// Too many zones are open.
    pub const ZONE_OPEN_RESOURCE: u8 = 14;
    /// Too many zones are active.
    pub const ZONE_ACTIVE_RESOURCE: u8 = 15;
    /// The disk is offline.
    pub const OFFLINE: u8 = 16;
    /// The command exceeded its duration limit.
    pub const DURATION_LIMIT: u8 = 17;
    /// The size or the sector is invalid.
    pub const INVAL: u8 = 19;
}

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// An event of a disk.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum DiskEvent {
            $($(#[$doc])* $variant,)*
        }

        impl DiskEvent {
            /// All of them, each at the place of its number.
            pub const ALL: &'static [DiskEvent] = &[$(DiskEvent::$variant,)*];

            /// The name of its counter and of its file.
            pub const fn name(self) -> &'static CStr {
                match self {
                    $(DiskEvent::$variant => $name,)*
                }
            }
        }
    };
}

events! {
    /// A driver gave a request back to be issued again.
    Requeues = c"requeues",
    /// A request timed out, and its driver was called.
    Timeouts = c"timeouts",
    /// A task slept because all tags were in use.
    TagWaits = c"tag_waits",
    /// A bio was added at the end of an existing request.
    BioBackmerges = c"bio_backmerges",
    /// A bio was added at the start of an existing request.
    BioFrontmerges = c"bio_frontmerges",
    /// A request became part of another.
    RqMerges = c"rq_merges",
    /// A bio or request that reads became part of a request.
    ReadMerges = c"read_merges",
    /// A bio or request that writes became part of a request.
    WriteMerges = c"write_merges",
    /// A bio was too large, or crossed a limit, and was split.
    Splits = c"splits",
    /// A bio came from a partition of the disk, or from a disk on top of it.
    BioRemaps = c"bio_remaps",
    /// A request came from a disk on top of it.
    RqRemaps = c"rq_remaps",
    /// A task began to collect requests.
    Plugs = c"plugs",
    /// A task submitted the requests that it had collected, as there were enough or it was done.
    Unplugs = c"unplugs",
    /// A plug was flushed because its task went to sleep.
    UnplugsSchedule = c"unplugs_schedule",
    /// A cache flush was done by the disk.
    Flushes = c"flushes",
    /// Not a count: how long all flushes took at the disk, ns.
    FlushNs = c"flush_ns",
    /// A passthrough command has completed.
    Passthrough = c"passthrough",
    /// Zones opened.
    ZoneOpens = c"zone_opens",
    /// Zones closed.
    ZoneCloses = c"zone_closes",
    /// Zones finished.
    ZoneFinishes = c"zone_finishes",
    /// Zones reset.
    ZoneResets = c"zone_resets",
    /// All zones reset at once.
    ZoneResetAlls = c"zone_reset_alls",
    /// A zone append has completed.
    ZoneAppends = c"zone_appends",
    /// A write was made to wait for another to the same zone.
    ZonePlugs = c"zone_plugs",
    /// A write that had waited for another to the same zone was submitted.
    ZoneUnplugs = c"zone_unplugs",
    /// An I/O started that could not be tracked.
    Untracked = c"untracked",
    /// The table of I/Os in flight had no room, or that of tasks that wait for a tag.
    TableOverflows = c"table_overflows",
    /// The end of an I/O was not reported.
    Abandoned = c"abandoned",
    /// An I/O completed that was not tracked.
    UnmatchedCompletion = c"unmarked",
    /// An I/O took as long as the threshold of slow I/Os, or longer.
    SlowIos = c"slow_ios",
    /// A slow I/O took the place of an older one.
    SlowIosReplaced = c"slow_ios_replaced",
    /// There was no memory for a slow I/O.
    SlowIosDropped = c"slow_ios_dropped",
    /// `BLK_STS_NOTSUPP`: the disk does not support the operation.
    ErrorsNotsupp = c"errors_notsupp",
    /// `BLK_STS_TIMEOUT`.
    ErrorsTimeout = c"errors_timeout",
    /// `BLK_STS_NOSPC`: no space left.
    ErrorsNospc = c"errors_nospc",
    /// `BLK_STS_TRANSPORT`: the transport to the disk failed.
    ErrorsTransport = c"errors_transport",
    /// `BLK_STS_TARGET`: the disk itself failed.
    ErrorsTarget = c"errors_target",
    /// `BLK_STS_RESV_CONFLICT`: reserved for another host.
    ErrorsResvConflict = c"errors_resv_conflict",
    /// `BLK_STS_MEDIUM`.
    ErrorsMedium = c"errors_medium",
    /// `BLK_STS_PROTECTION`: the integrity data is wrong.
    ErrorsProtection = c"errors_protection",
    /// `BLK_STS_RESOURCE` and `BLK_STS_DEV_RESOURCE`.
    ErrorsResource = c"errors_resource",
    /// `BLK_STS_IOERR`, and statuses that later kernels may add.
    ErrorsIoerr = c"errors_ioerr",
    /// `BLK_STS_AGAIN`: the request would have had to wait, but was not allowed to.
    ErrorsAgain = c"errors_again",
    /// `BLK_STS_ZONE_OPEN_RESOURCE` and `BLK_STS_ZONE_ACTIVE_RESOURCE`.
    ErrorsZoneResource = c"errors_zone_resource",
    /// `BLK_STS_OFFLINE`.
    ErrorsOffline = c"errors_offline",
    /// `BLK_STS_DURATION_LIMIT`.
    ErrorsDurationLimit = c"errors_duration_limit",
    /// `BLK_STS_INVAL`: invalid size or sector.
    ErrorsInval = c"errors_inval",
}

/// Number of events.
pub const DISK_EVENTS: usize = DiskEvent::ALL.len();

impl DiskEvent {
    /// The event, if any, that counts the end of a transaction without data, whose operation is `op`
    /// (`REQ_OP_*`).
    pub fn of_op(op: u8) -> Option<DiskEvent> {
        Some(match op {
            op::FLUSH => DiskEvent::Flushes,
            op::ZONE_OPEN => DiskEvent::ZoneOpens,
            op::ZONE_CLOSE => DiskEvent::ZoneCloses,
            op::ZONE_FINISH => DiskEvent::ZoneFinishes,
            op::ZONE_RESET => DiskEvent::ZoneResets,
            op::ZONE_RESET_ALL => DiskEvent::ZoneResetAlls,
            op::DRV_IN | op::DRV_OUT => DiskEvent::Passthrough,
            _ => return None,
        })
    }

    /// The event that counts a status (`BLK_STS_*`); [`None`] for success and for
    /// `BLK_STS_DM_REQUEUE`, which is internal to device-mapper.
    pub fn of_status(status: u8) -> Option<DiskEvent> {
        Some(match status {
            status::OK | status::DM_REQUEUE => return None,
            status::NOTSUPP => DiskEvent::ErrorsNotsupp,
            status::TIMEOUT => DiskEvent::ErrorsTimeout,
            status::NOSPC => DiskEvent::ErrorsNospc,
            status::TRANSPORT => DiskEvent::ErrorsTransport,
            status::TARGET => DiskEvent::ErrorsTarget,
            status::RESV_CONFLICT => DiskEvent::ErrorsResvConflict,
            status::MEDIUM => DiskEvent::ErrorsMedium,
            status::PROTECTION => DiskEvent::ErrorsProtection,
            status::RESOURCE | status::DEV_RESOURCE => DiskEvent::ErrorsResource,
            status::AGAIN => DiskEvent::ErrorsAgain,
            status::ZONE_OPEN_RESOURCE | status::ZONE_ACTIVE_RESOURCE => {
                DiskEvent::ErrorsZoneResource
            }
            status::OFFLINE => DiskEvent::ErrorsOffline,
            status::DURATION_LIMIT => DiskEvent::ErrorsDurationLimit,
            status::INVAL => DiskEvent::ErrorsInval,
            // status::IOERR, and statuses that later kernels may add.
            _ => DiskEvent::ErrorsIoerr,
        })
    }
}

#[cfg(any(all(test, not(loom)), CONFIG_KUNIT = "y"))]
#[cfg_attr(CONFIG_KUNIT = "y", kernel::macros::kunit_tests(iostat_disk_event))]
mod tests {
    use super::*;

    #[test]
    fn each_is_at_its_number_and_has_a_name_of_its_own() {
        for (number, event) in DiskEvent::ALL.iter().enumerate() {
            assert_eq!(*event as usize, number);
            let same = |other: &&DiskEvent| other.name() == event.name();
            assert_eq!(DiskEvent::ALL.iter().filter(same).count(), 1);
        }
    }

    #[test]
    fn every_failure_is_an_error() {
        for status in 1..=u8::MAX {
            let event = DiskEvent::of_status(status);
            assert_eq!(event.is_some(), status != 11);
        }
        assert_eq!(DiskEvent::of_status(0), None);
        assert_eq!(DiskEvent::of_status(7), Some(DiskEvent::ErrorsMedium));
        assert_eq!(DiskEvent::of_status(10), Some(DiskEvent::ErrorsIoerr));
    }

    #[test]
    fn what_moves_data_is_no_event() {
        for op in [op::READ, op::WRITE, op::DISCARD, op::WRITE_ZEROES] {
            assert_eq!(DiskEvent::of_op(op), None);
        }
    }

    #[test]
    fn operations_without_data_and_failures_have_their_events() {
        let operations = [
            (op::FLUSH, c"flushes"),
            (op::ZONE_OPEN, c"zone_opens"),
            (op::ZONE_CLOSE, c"zone_closes"),
            (op::ZONE_FINISH, c"zone_finishes"),
            (op::ZONE_RESET, c"zone_resets"),
            (op::ZONE_RESET_ALL, c"zone_reset_alls"),
            (op::DRV_IN, c"passthrough"),
            (op::DRV_OUT, c"passthrough"),
        ];
        for (op, name) in operations {
            assert!(DiskEvent::of_op(op).is_some_and(|event| event.name() == name));
        }
        let failures = [
            (status::NOTSUPP, c"errors_notsupp"),
            (status::TIMEOUT, c"errors_timeout"),
            (status::NOSPC, c"errors_nospc"),
            (status::TRANSPORT, c"errors_transport"),
            (status::TARGET, c"errors_target"),
            (status::RESV_CONFLICT, c"errors_resv_conflict"),
            (status::MEDIUM, c"errors_medium"),
            (status::PROTECTION, c"errors_protection"),
            (status::RESOURCE, c"errors_resource"),
            (status::DEV_RESOURCE, c"errors_resource"),
            (status::AGAIN, c"errors_again"),
            (status::ZONE_OPEN_RESOURCE, c"errors_zone_resource"),
            (status::ZONE_ACTIVE_RESOURCE, c"errors_zone_resource"),
            (status::OFFLINE, c"errors_offline"),
            (status::DURATION_LIMIT, c"errors_duration_limit"),
            (status::INVAL, c"errors_inval"),
            (u8::MAX, c"errors_ioerr"),
        ];
        for (status, name) in failures {
            assert!(DiskEvent::of_status(status).is_some_and(|event| event.name() == name));
        }
    }
}
