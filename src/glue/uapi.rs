// SPDX-License-Identifier: GPL-2.0

//! The types of floor 0 that are copied as bytes from and to user space.
//!
//! C header: `include/uapi/linux/iostat.h`.

use super::bindings as own;
use crate::abi::binary::{
    cgroup::{
        DeviceCgroup,
        GetCgroups, //
    },
    histograms::{
        DeviceLatency,
        GetHistograms, //
    },
    kstat,
    slow::{
        DeviceSlowIo,
        GetSlow, //
    },
    Device,
    DeviceHistogram, //
    DeviceList,
    DeviceSnapshot,
    Get,
    Info,
    MessageCall,
};
use crate::{
    abi::map::{
        MapDevice, //
        MapHeader,
    },
    acct::{
        counts::{
            counts,
            Counts, //
        },
        histogram::Bases,
        record::{
            CpuRecord,
            DiskDifference,
            Rare, //
        },
        size::Sizes, //
    },
    kernel_ext::pages::{
        NoPadding,
        UserReadable, //
    },
};
use core::mem::{
    offset_of,
    size_of, //
};
use kernel::transmute::{
    AsBytes,
    FromBytes, //
};

/// Checks that a type has the size of the C structure, and each member the offset that it has there. Each
/// member ends where the next one begins or the type ends, so there is no padding.
macro_rules! same {
    ($rust:ty = $c:ty { $($ours:ident $(= $theirs:ident)?: $size:expr),* $(,)? }) => {
        // SAFETY: The type consists of integers and arrays of integers, without padding: the sizes add up, as
        // checked below.
        unsafe impl AsBytes for $rust {}
        // SAFETY: The type consists of integers and arrays of integers, for which every bit pattern is valid.
        unsafe impl FromBytes for $rust {}
        const _: () = {
            assert!(size_of::<$rust>() == size_of::<$c>());
            assert!(size_of::<$rust>() == 0 $(+ $size)*);
            $(assert!(offset_of!($rust, $ours) == same!(@ $c, $ours $(= $theirs)?));)*
        };
    };
    (@ $c:ty, $ours:ident) => { offset_of!($c, $ours) };
    (@ $c:ty, $ours:ident = $theirs:ident) => { offset_of!($c, $theirs) };
}

same!(
    Info = own::iostat_info {
        size: 4,
        flags: 4,
        version: 4,
        numdevs: 4,
        generation: 8,
        features: 8,
        now: 8,
        buckets: 4,
        message_bytes: 4,
        reserved: 16,
    }
);
same!(
    DeviceList = own::iostat_list {
        size: 4,
        flags: 4,
        entry_size: 4,
        count: 4,
        generation: 8,
        devices: 8,
    }
);
same!(Device = own::iostat_device {
    number: 4, kind: 4, diskseq: 8, crtime: 8, map_offset: 8, dev_major: 4, dev_minor: 4,
    parent: 4, device_type = type_: 4, priority: 4, block_size: 4, name: 64, driver: 64, reserved: 8,
});
same!(
    Get = own::iostat_get {
        size: 4,
        flags: 4,
        entry_size: 4,
        count: 4,
        generation: 8,
        snapshots: 8,
        number: 4,
        reserved: 4,
    }
);
same!(
    DeviceSnapshot = own::iostat_snapshot {
        number: 4,
        reserved: 4,
        snaptime: 8,
        start_count: 8,
        end_count: 8,
        counts = merged: size_of::<Counts<u64>>(),
        bytes: 32,
        operations: 32,
        duration: 32,
        service: 32,
        busy_time: 8,
        tag_types: 24,
        wtime: 8,
        wlentime: 8,
        wlastupdate: 8,
        rtime: 8,
        rlentime: 8,
        rlastupdate: 8,
        wcnt: 8,
        rcnt: 8,
        oldest_age: 8,
    }
);
same!(DeviceHistogram = own::iostat_histogram {
    size: 4, flags: 4, number: 4, class = io_class: 4, phase: 4, buckets: 4, counts: 8, min: 8, max: 8,
});
same!(DeviceLatency = own::iostat_latency {
    number: 4, class = io_class: 4, phase: 4, first_bucket: 4, buckets: 4, first_count: 4, min: 8, max: 8,
});
same!(
    GetHistograms = own::iostat_histograms {
        size: 4,
        flags: 4,
        number: 4,
        which: 4,
        snapshot_size: 4,
        snapshot_count: 4,
        latency_size: 4,
        latency_count: 4,
        count_count: 4,
        reserved: 4,
        generation: 8,
        snapshots: 8,
        latencies: 8,
        counts: 8,
    }
);
same!(
    DeviceSlowIo = own::iostat_slow {
        sequence: 8,
        end: 8,
        wait: 8,
        service: 8,
        number: 4,
        flags: 4,
        error: 4,
        wcnt: 4,
        rcnt: 4,
        op: 4,
        sector: 8,
        bytes: 8,
        pid: 4,
        reserved: 4,
        cgroup: 8,
        comm: 16,
    }
);
same!(
    DeviceCgroup = own::iostat_cgroup {
        cgroup: 8,
        number: 4,
        io_class: 4,
        ios: 8,
        bytes: 8,
        operations: 8,
        duration: 8,
        service: 8,
        counts: 880,
    }
);

same!(
    GetCgroups = own::iostat_get_cgroups {
        size: 4,
        flags: 4,
        number: 4,
        entry_size: 4,
        count: 4,
        rows: 4,
        rows_used: 4,
        reserved: 4,
        cgroups: 8,
    }
);

same!(
    GetSlow = own::iostat_get_slow {
        size: 4,
        flags: 4,
        number: 4,
        entry_size: 4,
        count: 4,
        reserved: 4,
        total: 8,
        threshold: 8,
        slow: 8,
    }
);
same!(MessageCall = own::iostat_message {
    size: 4, flags: 4, from = in_: 8, to = out: 8, in_bytes: 4, out_bytes: 4,
});

same!(kstat::KstatHeader = own::iostat_kstat_header {
    kid: 4, kind = type_: 4, flags: 4, ndata: 4, instance: 4, reserved: 4, crtime: 8, module: 64,
    name: 64, class = kstat_class: 64,
});
same!(
    kstat::KstatList = own::iostat_kstat_list {
        size: 4,
        flags: 4,
        entry_size: 4,
        count: 4,
        chain_id: 4,
        reserved: 4,
        headers: 8,
    }
);
same!(kstat::Read = own::iostat_kstat_read {
    size: 4, flags: 4, kid: 4, chain_id: 4, snaptime: 8, crtime: 8, kind = type_: 4,
    kstat_flags: 4, ndata: 4, entry_size: 4, count: 4, bytes: 4, values: 8, data: 8,
});
same!(kstat::KstatWrite = own::iostat_kstat_write {
    size: 4, flags: 4, kid: 4, chain_id: 4, data_type = type_: 4, len: 4, value: 8, name: 48,
});
same!(kstat::KstatValue = own::iostat_kstat_value {
    name: 48, data_type = type_: 4, len: 4, value: 8,
});

/// Checks that the numbers of kstats are equal to those of kstat(9S), in the internal and in the uapi header.
macro_rules! same_number {
    ($($rust:expr, $internal:ident, $c:ident);* $(;)?) => {
        $(
            assert!($rust as u32 == own::$internal as u32);
            assert!($rust as u32 == own::$c as u32);
        )*
    };
}

const _: () = {
    use crate::acct::kstat::{
        flags,
        KstatType, //
    };
    use kstat::data;
    same_number!(
        KstatType::Raw, KSTAT_TYPE_RAW, iostat_kstat_type_IOSTAT_KSTAT_RAW;
        KstatType::Named, KSTAT_TYPE_NAMED, iostat_kstat_type_IOSTAT_KSTAT_NAMED;
        KstatType::Intr, KSTAT_TYPE_INTR, iostat_kstat_type_IOSTAT_KSTAT_INTR;
        KstatType::Io, KSTAT_TYPE_IO, iostat_kstat_type_IOSTAT_KSTAT_IO;
        KstatType::Timer, KSTAT_TYPE_TIMER, iostat_kstat_type_IOSTAT_KSTAT_TIMER;
        flags::VIRTUAL, KSTAT_FLAG_VIRTUAL, IOSTAT_KSTAT_VIRTUAL;
        flags::VAR_SIZE, KSTAT_FLAG_VAR_SIZE, IOSTAT_KSTAT_VAR_SIZE;
        flags::WRITABLE, KSTAT_FLAG_WRITABLE, IOSTAT_KSTAT_WRITABLE;
        flags::PERSISTENT, KSTAT_FLAG_PERSISTENT, IOSTAT_KSTAT_PERSISTENT;
        flags::DORMANT, KSTAT_FLAG_DORMANT, IOSTAT_KSTAT_DORMANT;
        flags::LONGSTRINGS, KSTAT_FLAG_LONGSTRINGS, IOSTAT_KSTAT_LONGSTRINGS;
        data::CHAR, KSTAT_DATA_CHAR, iostat_kstat_data_IOSTAT_KSTAT_DATA_CHAR;
        data::INT32, KSTAT_DATA_INT32, iostat_kstat_data_IOSTAT_KSTAT_DATA_INT32;
        data::UINT32, KSTAT_DATA_UINT32, iostat_kstat_data_IOSTAT_KSTAT_DATA_UINT32;
        data::INT64, KSTAT_DATA_INT64, iostat_kstat_data_IOSTAT_KSTAT_DATA_INT64;
        data::UINT64, KSTAT_DATA_UINT64, iostat_kstat_data_IOSTAT_KSTAT_DATA_UINT64;
        data::FLOAT, KSTAT_DATA_FLOAT, iostat_kstat_data_IOSTAT_KSTAT_DATA_FLOAT;
        data::DOUBLE, KSTAT_DATA_DOUBLE, iostat_kstat_data_IOSTAT_KSTAT_DATA_DOUBLE;
        data::STRING, KSTAT_DATA_STRING, iostat_kstat_data_IOSTAT_KSTAT_DATA_STRING;
    );
    assert!(kstat::STATISTIC_LEN == own::IOSTAT_KSTAT_NAME_LEN as usize);
};

/// The size of what a function returns a reference to, bytes.
#[allow(dead_code, reason = "used by the checks that `same_memory` writes")]
const fn size_behind<T, M>(_: fn(&T) -> &M) -> usize {
    size_of::<M>()
}

/// As `same`, for types that user space maps.
macro_rules! same_memory {
    ($rust:ty = $c:ty { $($ours:ident $(= $theirs:ident)?),* $(,)? }) => {
        // SAFETY: Numbers and names of a device and of the layout, and counts and times of I/Os, all of which programs may
        // know.
        unsafe impl UserReadable for $rust {}
        const _: () = {
            assert!(size_of::<$rust>() == size_of::<$c>());
            assert!(
                size_of::<$rust>() == 0 $(+ size_behind(|value: &$rust| &value.$ours))*
            );
            $(assert!(offset_of!($rust, $ours) == same!(@ $c, $ours $(= $theirs)?));)*
        };
    };
}

same_memory!(
    MapHeader = own::iostat_map_header {
        magic,
        version,
        header_bytes,
        page_bytes,
        records,
        blocks_offset,
        block_bytes,
        record_offset,
        record_stride,
        record_bytes,
        latency_offset,
        classes,
        phases,
        buckets,
        histogram_bytes,
        generation,
        clock,
        bases_offset,
        base_shift,
        reserved,
        bounds,
    }
);
same_memory!(
    MapDevice = own::iostat_map_device {
        magic,
        state,
        device,
        rare = has_bases,
        partitions,
        present,
    }
);
// SAFETY: Counts.
unsafe impl UserReadable for Bases {}
// SAFETY: Integers and arrays of integers, whose sizes add up, as checked above.
unsafe impl NoPadding for MapHeader {}

/// As `same`, for a record, whose member types are defined in floor 0.
macro_rules! same_record {
    ($($path:ident . $member:ident = $($theirs:ident).+),* $(,)?) => {
        $(assert!(
            CpuRecord::RECORD_OFFSET + offset_of!(crate::acct::record::Record, $path.$member)
                == offset_of!(own::iostat_cpu_record, $($theirs).+)
        );)*
    };
}

const _: () = {
    assert!(size_of::<CpuRecord>() == size_of::<own::iostat_cpu_record>());
    assert!(CpuRecord::LATENCY_OFFSET == offset_of!(own::iostat_cpu_record, latency));
    assert!(CpuRecord::DIFFERENCE_OFFSET == offset_of!(own::iostat_cpu_record, disk_waitq_busy));
    assert!(
        CpuRecord::DIFFERENCE_OFFSET + size_of::<DiskDifference>()
            == offset_of!(own::iostat_cpu_record, latency)
    );
    assert!(CpuRecord::HAS_BASES_OFFSET == offset_of!(own::iostat_cpu_record, has_bases));
    assert!(CpuRecord::SIZES_OFFSET == offset_of!(own::iostat_cpu_record, sizes));
    assert!(
        CpuRecord::SIZES_OFFSET + size_of::<Sizes<2>>()
            == offset_of!(own::iostat_cpu_record, padding)
    );
    let rare = offset_of!(MapDevice, rare);
    assert!(
        rare + Rare::HAS_BASES_OFFSET == offset_of!(own::iostat_map_device, has_bases)
            && rare + Rare::LATENCY_OFFSET == offset_of!(own::iostat_map_device, latency)
            && rare + Rare::SIZES_OFFSET == offset_of!(own::iostat_map_device, sizes)
    );
    assert!(size_of::<Bases>() == size_of::<own::iostat_bases>());
    assert!(offset_of!(own::iostat_cpu_record, seq) == 0);
    same_record!(
        devstat.start_count = start_count,
        devstat.counts = merged,
        devstat.bytes = bytes,
        devstat.duration = duration,
        devstat.service = service,
        devstat.completed = completed,
        waitq.n_in = waitq.n_in,
        waitq.t_in = waitq.t_in,
        waitq.n_out = waitq.n_out,
        waitq.t_out = waitq.t_out,
        waitq.last = waitq.last,
        runq.n_in = runq.n_in,
        waitq_busy.n_in = waitq_busy.n_in,
        runq_busy.n_in = runq_busy.n_in,
        both_busy.n_in = both_busy.n_in,
        both_busy.last = both_busy.last,
    );
};

/// Checks that each counter of the table is where the header has it, in a snapshot and in a record.
macro_rules! same_counts {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        const _: () = {
            const SNAPSHOT: usize = offset_of!(DeviceSnapshot, counts);
            const RECORD: usize = offset_of!(own::iostat_cpu_record, merged);
            $(
                let offset = offset_of!(Counts<u64>, $name);
                assert!(SNAPSHOT + offset == offset_of!(own::iostat_snapshot, $name));
                assert!(RECORD + offset == offset_of!(own::iostat_cpu_record, $name));
            )*
        };
    };
}

counts!(same_counts!);

/// Checks that the data of a kstat has the same layout for users and for clients: it is copied as bytes.
macro_rules! same_data {
    ($ours:ty = $theirs:ty { $($member:ident),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$ours>() == size_of::<$theirs>());
            $(assert!(offset_of!($ours, $member) == offset_of!($theirs, $member));)*
        };
    };
}

same_data!(own::iostat_kstat_intr = own::iostat_kstat_intr_bytes {});
same_data!(
    own::iostat_kstat_io = own::iostat_kstat_io_bytes {
        nread,
        nwritten,
        reads,
        writes,
        wtime,
        wlentime,
        wlastupdate,
        rtime,
        rlentime,
        rlastupdate,
        wcnt,
        rcnt,
    }
);
same_data!(
    own::iostat_kstat_timer = own::iostat_kstat_timer_bytes {
        name,
        resv,
        num_events,
        elapsed_time,
        min_time,
        max_time,
        start_time,
        stop_time,
    }
);
