// SPDX-License-Identifier: GPL-2.0

//! Checks of the numbers that floor 0 defines by value: each is compared with the number in the kernel or in
//! the header, and numbers that are in two headers with both. Those of kstats and the layouts of structures are checked in
//! [`super::uapi`].

use super::bindings as own;
use crate::{
    abi::{
        binary::{
            self,
            call,
            histograms::PHASE_OF_SIZES, //
        },
        identity::{
            device_type,
            priority,
            support_flags,
            DeviceKind, //
        },
        map,
        name::NAME_LEN, //
    },
    acct::{
        class::{
            Class,
            Tag,
            CLASSES,
            TAGS, //
        },
        disk_event::status,
        evcnt::{
            self,
            EVCNT_STRING_MAX, //
        },
        histogram::{
            Phase,
            BUCKETS,
            PHASES, //
        },
        kstat::KSTAT_STRLEN,
        size::SIZES,
        snapshot::HistogramSet, //
    },
};

/// Compares a number with one or more numbers of C.
macro_rules! same {
    ($($ours:expr, $($theirs:ident),+;)*) => {
        $($(assert!($ours as u64 == own::$theirs as u64);)+)*
    };
}

const _: () = {
    same!(
        status::OK, iostat_blk_status_IOSTAT_STS_OK;
        status::NOTSUPP, iostat_blk_status_IOSTAT_STS_NOTSUPP;
        status::TIMEOUT, iostat_blk_status_IOSTAT_STS_TIMEOUT;
        status::NOSPC, iostat_blk_status_IOSTAT_STS_NOSPC;
        status::TRANSPORT, iostat_blk_status_IOSTAT_STS_TRANSPORT;
        status::TARGET, iostat_blk_status_IOSTAT_STS_TARGET;
        status::RESV_CONFLICT, iostat_blk_status_IOSTAT_STS_RESV_CONFLICT;
        status::MEDIUM, iostat_blk_status_IOSTAT_STS_MEDIUM;
        status::PROTECTION, iostat_blk_status_IOSTAT_STS_PROTECTION;
        status::RESOURCE, iostat_blk_status_IOSTAT_STS_RESOURCE;
        status::IOERR, iostat_blk_status_IOSTAT_STS_IOERR;
        status::DM_REQUEUE, iostat_blk_status_IOSTAT_STS_DM_REQUEUE;
        status::AGAIN, iostat_blk_status_IOSTAT_STS_AGAIN;
        status::DEV_RESOURCE, iostat_blk_status_IOSTAT_STS_DEV_RESOURCE;
        status::ZONE_OPEN_RESOURCE, iostat_blk_status_IOSTAT_STS_ZONE_OPEN_RESOURCE;
        status::ZONE_ACTIVE_RESOURCE, iostat_blk_status_IOSTAT_STS_ZONE_ACTIVE_RESOURCE;
        status::OFFLINE, iostat_blk_status_IOSTAT_STS_OFFLINE;
        status::DURATION_LIMIT, iostat_blk_status_IOSTAT_STS_DURATION_LIMIT;
        status::INVAL, iostat_blk_status_IOSTAT_STS_INVAL;
        call::INFO, iostat_call_IOSTAT_CALL_INFO;
        call::LIST, iostat_call_IOSTAT_CALL_LIST;
        call::SNAPSHOT, iostat_call_IOSTAT_CALL_SNAPSHOT;
        call::HISTOGRAM, iostat_call_IOSTAT_CALL_HISTOGRAM;
        call::MESSAGE, iostat_call_IOSTAT_CALL_MESSAGE;
        call::HISTOGRAMS, iostat_call_IOSTAT_CALL_HISTOGRAMS;
        call::SLOW, iostat_call_IOSTAT_CALL_SLOW;
        call::CGROUPS, iostat_call_IOSTAT_CALL_CGROUPS;
        call::KSTAT_LIST, iostat_call_IOSTAT_CALL_KSTAT_LIST;
        call::KSTAT_READ, iostat_call_IOSTAT_CALL_KSTAT_READ;
        call::KSTAT_WRITE, iostat_call_IOSTAT_CALL_KSTAT_WRITE;
        call::INFO >> 8, IOSTAT_IOC_MAGIC;
    );
};

const _: () = {
    same!(
        Class::NoData, devstat_trans_flags_DEVSTAT_NO_DATA, iostat_class_IOSTAT_CLASS_NONE;
        Class::Read, devstat_trans_flags_DEVSTAT_READ, iostat_class_IOSTAT_CLASS_READ;
        Class::Write, devstat_trans_flags_DEVSTAT_WRITE, iostat_class_IOSTAT_CLASS_WRITE;
        Class::Free, devstat_trans_flags_DEVSTAT_FREE, iostat_class_IOSTAT_CLASS_FREE;
        CLASSES, DEVSTAT_N_TRANS_FLAGS, iostat_class_IOSTAT_CLASSES;
        Tag::Simple, devstat_tag_type_DEVSTAT_TAG_SIMPLE, iostat_tag_IOSTAT_TAG_SIMPLE;
        Tag::Head, devstat_tag_type_DEVSTAT_TAG_HEAD, iostat_tag_IOSTAT_TAG_HEAD;
        Tag::Ordered, devstat_tag_type_DEVSTAT_TAG_ORDERED, iostat_tag_IOSTAT_TAG_ORDERED;
        Tag::None, devstat_tag_type_DEVSTAT_TAG_NONE;
        TAGS, iostat_tag_IOSTAT_TAGS;
        Phase::Wait, iostat_phase_IOSTAT_PHASE_WAIT;
        Phase::Service, iostat_phase_IOSTAT_PHASE_SERVICE;
        Phase::Total, iostat_phase_IOSTAT_PHASE_TOTAL;
        PHASES, iostat_phase_IOSTAT_PHASES;
        HistogramSet::bit(Class::Read, Phase::Total), iostat_which_IOSTAT_WHICH_READ_TOTAL;
        HistogramSet::sizes_bit(Class::Read), iostat_which_IOSTAT_WHICH_READ_SIZES;
        HistogramSet::ALL.bits(), iostat_which_IOSTAT_WHICH_ALL;
        PHASE_OF_SIZES, iostat_which_IOSTAT_WHICH_PHASE_OF_SIZES;
    );
};

const _: () = {
    same!(
        priority::FD, devstat_priority_DEVSTAT_PRIORITY_FD;
        priority::CD, devstat_priority_DEVSTAT_PRIORITY_CD;
        priority::DISK, devstat_priority_DEVSTAT_PRIORITY_DISK;
        priority::ARRAY, devstat_priority_DEVSTAT_PRIORITY_ARRAY;
        priority::MAX, devstat_priority_DEVSTAT_PRIORITY_MAX;
        support_flags::ALL_SUPPORTED, devstat_support_flags_DEVSTAT_ALL_SUPPORTED;
        support_flags::NO_ORDERED_TAGS, devstat_support_flags_DEVSTAT_NO_ORDERED_TAGS;
        device_type::DIRECT, devstat_type_flags_DEVSTAT_TYPE_DIRECT;
        device_type::SEQUENTIAL, devstat_type_flags_DEVSTAT_TYPE_SEQUENTIAL;
        device_type::CDROM, devstat_type_flags_DEVSTAT_TYPE_CDROM;
        device_type::STORARRAY, devstat_type_flags_DEVSTAT_TYPE_STORARRAY;
        device_type::FLOPPY, devstat_type_flags_DEVSTAT_TYPE_FLOPPY;
        device_type::MASK, devstat_type_flags_DEVSTAT_TYPE_MASK;
        device_type::IF_SCSI, devstat_type_flags_DEVSTAT_TYPE_IF_SCSI;
        device_type::IF_OTHER, devstat_type_flags_DEVSTAT_TYPE_IF_OTHER;
        device_type::IF_NVME, devstat_type_flags_DEVSTAT_TYPE_IF_NVME;
        device_type::IF_MASK, devstat_type_flags_DEVSTAT_TYPE_IF_MASK;
        device_type::PASS, devstat_type_flags_DEVSTAT_TYPE_PASS;
    );
    let known = own::devstat_support_flags_DEVSTAT_NO_BLOCKSIZE
        | own::devstat_support_flags_DEVSTAT_NO_ORDERED_TAGS
        | own::devstat_support_flags_DEVSTAT_BS_UNAVAILABLE;
    assert!(support_flags::MASK == known);
};

const _: () = {
    same!(
        binary::VERSION, IOSTAT_ABI_VERSION;
        binary::NO_DEVICE, IOSTAT_NO_DEVICE;
        DeviceKind::Disk, iostat_kind_IOSTAT_KIND_DISK;
        DeviceKind::Partition, iostat_kind_IOSTAT_KIND_PARTITION;
        DeviceKind::Nfs, iostat_kind_IOSTAT_KIND_NFS;
        DeviceKind::Tape, iostat_kind_IOSTAT_KIND_TAPE;
        DeviceKind::Misc, iostat_kind_IOSTAT_KIND_MISC;
        binary::GET_ALL, IOSTAT_GET_ALL;
        binary::GET_OLDEST, IOSTAT_GET_OLDEST;
        binary::FEATURE_MMAP, IOSTAT_FEATURE_MMAP;
        binary::FEATURE_KSTAT, IOSTAT_FEATURE_KSTAT;
        map::GONE, IOSTAT_MAP_GONE;
        map::MAGIC, IOSTAT_MAP_MAGIC;
        BUCKETS, IOSTAT_BUCKETS;
        SIZES, IOSTAT_SIZES;
        NAME_LEN, IOSTAT_NAME_LEN;
        evcnt::EvcntType::Misc, EVCNT_TYPE_MISC;
        evcnt::EvcntType::Intr, EVCNT_TYPE_INTR;
        evcnt::EvcntType::Trap, EVCNT_TYPE_TRAP;
        EVCNT_STRING_MAX, EVCNT_STRING_MAX;
        KSTAT_STRLEN, KSTAT_STRLEN;
    );
    // The longest name of a partition must fit: the name of the disk (`DISK_NAME_LEN` includes its NUL), a `p`
    // and three digits.
    let longest = kernel::bindings::DISK_NAME_LEN as usize + "p255".len();
    assert!(NAME_LEN >= longest && own::IOSTAT_STATNAME_LEN as usize >= longest);
};

const _: () = {
    use crate::acct::class::op;
    // The operations of the binary interface, in `struct iostat_slow`. Their numbers never change: if the kernel changes
    // one of its own, which the next assertions find, `op` is converted there.
    same!(
        op::READ, iostat_op_IOSTAT_OP_READ;
        op::WRITE, iostat_op_IOSTAT_OP_WRITE;
        op::FLUSH, iostat_op_IOSTAT_OP_FLUSH;
        op::DISCARD, iostat_op_IOSTAT_OP_DISCARD;
        op::SECURE_ERASE, iostat_op_IOSTAT_OP_SECURE_ERASE;
        op::ZONE_APPEND, iostat_op_IOSTAT_OP_ZONE_APPEND;
        op::WRITE_ZEROES, iostat_op_IOSTAT_OP_WRITE_ZEROES;
        op::ZONE_OPEN, iostat_op_IOSTAT_OP_ZONE_OPEN;
        op::ZONE_CLOSE, iostat_op_IOSTAT_OP_ZONE_CLOSE;
        op::ZONE_FINISH, iostat_op_IOSTAT_OP_ZONE_FINISH;
        op::ZONE_RESET, iostat_op_IOSTAT_OP_ZONE_RESET;
        op::ZONE_RESET_ALL, iostat_op_IOSTAT_OP_ZONE_RESET_ALL;
        op::DRV_IN, iostat_op_IOSTAT_OP_DRV_IN;
        op::DRV_OUT, iostat_op_IOSTAT_OP_DRV_OUT;
    );
    use kernel::bindings;
    assert!(op::READ as u32 == bindings::req_op_REQ_OP_READ);
    assert!(op::WRITE as u32 == bindings::req_op_REQ_OP_WRITE);
    assert!(op::FLUSH as u32 == bindings::req_op_REQ_OP_FLUSH);
    assert!(op::DISCARD as u32 == bindings::req_op_REQ_OP_DISCARD);
    assert!(op::SECURE_ERASE as u32 == bindings::req_op_REQ_OP_SECURE_ERASE);
    assert!(op::ZONE_APPEND as u32 == bindings::req_op_REQ_OP_ZONE_APPEND);
    assert!(op::WRITE_ZEROES as u32 == bindings::req_op_REQ_OP_WRITE_ZEROES);
    assert!(op::ZONE_OPEN as u32 == bindings::req_op_REQ_OP_ZONE_OPEN);
    assert!(op::ZONE_CLOSE as u32 == bindings::req_op_REQ_OP_ZONE_CLOSE);
    assert!(op::ZONE_FINISH as u32 == bindings::req_op_REQ_OP_ZONE_FINISH);
    assert!(op::ZONE_RESET as u32 == bindings::req_op_REQ_OP_ZONE_RESET);
    assert!(op::ZONE_RESET_ALL as u32 == bindings::req_op_REQ_OP_ZONE_RESET_ALL);
    assert!(op::DRV_IN as u32 == bindings::req_op_REQ_OP_DRV_IN);
    assert!(op::DRV_OUT as u32 == bindings::req_op_REQ_OP_DRV_OUT);
};
