/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The binary ABI of /dev/iostat. See Documentation/abi.rst.
 *
 * All times are in ns. Points in time are on a clock that runs at the rate of
 * CLOCK_MONOTONIC_RAW and does not have its value: compare them with @now of struct
 * iostat_info. All sums wrap at 2^64.
 * The layout is the same for 32-bit and 64-bit programs. New members are only added at the
 * end or in place of reserved ones. The program sets @size to the size of the structure that
 * it was built with.
 */
#ifndef _UAPI_LINUX_IOSTAT_H
#define _UAPI_LINUX_IOSTAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* iostat_info.version. Changes only if an existing member changes its meaning. */
#define IOSTAT_ABI_VERSION	1
#define IOSTAT_NAME_LEN		64	/* the longest name of a partition has 35 bytes */
#define IOSTAT_NO_DEVICE	0xffffffffU

/* Classes of devstat(9): index of bytes[], operations[] and duration[]. */
enum iostat_class {
	IOSTAT_CLASS_NONE	= 0,	/* flushes, zone management, passthrough */
	IOSTAT_CLASS_READ	= 1,
	IOSTAT_CLASS_WRITE	= 2,
	IOSTAT_CLASS_FREE	= 3,	/* discards and secure erases */
	IOSTAT_CLASSES		= 4,
};

/* Tag types of devstat(9): index of tag_types[]. */
enum iostat_tag {
	IOSTAT_TAG_SIMPLE	= 0,
	IOSTAT_TAG_HEAD		= 1,	/* never seen on Linux */
	IOSTAT_TAG_ORDERED	= 2,	/* REQ_PREFLUSH or REQ_FUA */
	IOSTAT_TAGS		= 3,
};

/* A part of a transaction's time. */
enum iostat_phase {
	IOSTAT_PHASE_WAIT	= 0,	/* accepted, not yet issued to the driver */
	IOSTAT_PHASE_SERVICE	= 1,	/* issued, not yet completed */
	IOSTAT_PHASE_TOTAL	= 2,
	IOSTAT_PHASES		= 3,	/* does not change: a further phase would have a number from 4 on */
};

#define IOSTAT_BUCKETS		110	/* buckets of a histogram of times, which has 109 bounds */

/*
 * Buckets of a histogram of sizes. Bucket 0 is for sizes below 1 KiB, bucket i for sizes from 2^(9+i) bytes to one byte below
 * the double, the last for all from 2 GiB on. Transactions of IOSTAT_CLASS_NONE have no sizes: their counts are 0.
 */
#define IOSTAT_SIZES		23
#define IOSTAT_PHASE_OF_SIZES	IOSTAT_PHASES	/* in place of a phase: the histogram of sizes */

/* The ioctls. Their numbers do not depend on the size of a structure, so they never change. */
#define IOSTAT_IOC_MAGIC	0xA8
#define IOSTAT_IOC_INFO		_IO(IOSTAT_IOC_MAGIC, 0x00)	/* struct iostat_info */
#define IOSTAT_IOC_LIST		_IO(IOSTAT_IOC_MAGIC, 0x01)	/* struct iostat_list */
#define IOSTAT_IOC_SNAPSHOT	_IO(IOSTAT_IOC_MAGIC, 0x02)	/* struct iostat_get */
#define IOSTAT_IOC_HISTOGRAM	_IO(IOSTAT_IOC_MAGIC, 0x03)	/* struct iostat_histogram */
#define IOSTAT_IOC_MESSAGE	_IO(IOSTAT_IOC_MAGIC, 0x04)	/* struct iostat_message */
#define IOSTAT_IOC_HISTOGRAMS	_IO(IOSTAT_IOC_MAGIC, 0x05)	/* struct iostat_histograms */
#define IOSTAT_IOC_SLOW		_IO(IOSTAT_IOC_MAGIC, 0x06)	/* struct iostat_get_slow */
#define IOSTAT_IOC_CGROUPS	_IO(IOSTAT_IOC_MAGIC, 0x07)	/* struct iostat_get_cgroups */
#define IOSTAT_IOC_KSTAT_LIST	_IO(IOSTAT_IOC_MAGIC, 0x10)	/* struct iostat_kstat_list */
#define IOSTAT_IOC_KSTAT_READ	_IO(IOSTAT_IOC_MAGIC, 0x11)	/* struct iostat_kstat_read */
#define IOSTAT_IOC_KSTAT_WRITE	_IO(IOSTAT_IOC_MAGIC, 0x12)	/* struct iostat_kstat_write */

/**
 * struct iostat_info - IOSTAT_IOC_INFO: the version and limits
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @version: IOSTAT_ABI_VERSION (out)
 * @numdevs: devices in the list (out)
 * @generation: number of changes of the list; starts at 1 (out)
 * @features: IOSTAT_FEATURE_* (out)
 * @now: the time, ns (out)
 * @buckets: IOSTAT_BUCKETS of the kernel (out)
 * @message_bytes: length of the longest message, bytes (out)
 * @reserved: 0
 */
struct iostat_info {
	__u32 size;
	__u32 flags;
	__u32 version;
	__u32 numdevs;
	__aligned_u64 generation;
	__aligned_u64 features;
	__aligned_u64 now;
	__u32 buckets;
	__u32 message_bytes;
	__aligned_u64 reserved[2];
};

#define IOSTAT_FEATURE_MMAP	(1ULL << 0)	/* see struct iostat_map_header */
#define IOSTAT_FEATURE_KSTAT	(1ULL << 1)	/* IOSTAT_IOC_KSTAT_* */

/* What a device is: the column "class" of /dev/iostat. Later versions may have other kinds. */
enum iostat_kind {
	IOSTAT_KIND_DISK	= 0,
	IOSTAT_KIND_PARTITION	= 1,
	IOSTAT_KIND_NFS		= 2,	/* an NFS file system */
	IOSTAT_KIND_TAPE	= 3,	/* an entry of another module, whose device type is sequential */
	IOSTAT_KIND_MISC	= 4,	/* any other entry */
};

/**
 * struct iostat_device - identity of a disk, of a partition, or of a devstat(9) entry of another module
 * @number: device number of devstat(9): counts from 0 and is never used again
 * @kind: enum iostat_kind
 * @diskseq: the kernel's disk sequence number, not used again until the next boot; 0 for an
 *	entry
 * @crtime: time at which recording began, ns: creation_time of devstat(9), ks_crtime of kstat(9S)
 * @map_offset: offset of the device's memory in the mapped file, bytes: see struct iostat_map_device
 * @dev_major: major number; for an NFS file system that of its st_dev, for another entry 0
 * @dev_minor: minor number, as @dev_major
 * @parent: of a partition, the number of its disk; else IOSTAT_NO_DEVICE
 * @type: device_type of devstat(9)
 * @priority: priority of devstat(9). The list is in descending order of priority
 * @block_size: logical block size, bytes
 * @name: name of the device, NUL-terminated, such as nvme0n1p2; of an entry, its name and unit number
 * @driver: name of the driver, NUL-terminated, such as nvme; of an entry, the name of its module
 * @reserved: 0
 */
struct iostat_device {
	__u32 number;
	__u32 kind;
	__aligned_u64 diskseq;
	__aligned_u64 crtime;
	__aligned_u64 map_offset;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 parent;
	__u32 type;
	__u32 priority;
	__u32 block_size;
	char name[IOSTAT_NAME_LEN];
	char driver[IOSTAT_NAME_LEN];
	__aligned_u64 reserved;
};

/**
 * struct iostat_list - IOSTAT_IOC_LIST: the list of devices
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @entry_size: distance between two elements of @devices, bytes: a multiple of 8
 * @count: length of @devices; out: number of devices in the list. The kernel writes as many as fit
 * @generation: generation of the list (out)
 * @devices: address of an array of struct iostat_device
 */
struct iostat_list {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 generation;
	__aligned_u64 devices;
};

/**
 * struct iostat_snapshot - the counters of one device at one point in time
 * @number: device number
 * @reserved: 0
 * @snaptime: time of the snapshot, ns
 * @start_count: transactions started
 * @end_count: transactions ended: the sum of @operations, @merged, @refused and @abandoned
 * @merged: transactions that ended because their request was merged into another
 * @refused: transactions that ended because the device was busy and the submitter withdrew the request
 * @abandoned: transactions whose request was freed without an event; noticed when its memory was used again
 * @reserved2: 0
 * @bytes: bytes transferred without error, by enum iostat_class
 * @operations: transactions completed, by enum iostat_class
 * @duration: sum of the times from start to end of these, ns, by enum iostat_class
 * @service: sum of their times in the run queue, ns, by enum iostat_class
 * @busy_time: time during which at least one transaction was in flight, ns
 * @tag_types: transactions completed, by enum iostat_tag
 * @wtime: time during which the wait queue was not empty, ns
 * @wlentime: integral of the length of the wait queue over time, ns
 * @wlastupdate: time of the last change of the wait queue, ns; @snaptime if it is not empty
 * @rtime: time during which the run queue was not empty, ns
 * @rlentime: integral of the length of the run queue over time, ns
 * @rlastupdate: time of the last change of the run queue, ns; @snaptime if it is not empty
 * @wcnt: transactions in the wait queue
 * @rcnt: transactions in the run queue
 * @oldest_age: with IOSTAT_GET_OLDEST, the age of the oldest I/O in flight at @snaptime, ns, for a disk including
 *	those of its partitions; else 0. 0 if no I/O is in flight, and for an entry of a module that uses devstat(9)
 */
struct iostat_snapshot {
	__u32 number;
	__u32 reserved;
	__aligned_u64 snaptime;
	__aligned_u64 start_count;
	__aligned_u64 end_count;
	__aligned_u64 merged;
	__aligned_u64 refused;
	__aligned_u64 abandoned;
	__aligned_u64 reserved2[2];
	__aligned_u64 bytes[IOSTAT_CLASSES];
	__aligned_u64 operations[IOSTAT_CLASSES];
	__aligned_u64 duration[IOSTAT_CLASSES];
	__aligned_u64 service[IOSTAT_CLASSES];
	__aligned_u64 busy_time;
	__aligned_u64 tag_types[IOSTAT_TAGS];
	__aligned_u64 wtime;
	__aligned_u64 wlentime;
	__aligned_u64 wlastupdate;
	__aligned_u64 rtime;
	__aligned_u64 rlentime;
	__aligned_u64 rlastupdate;
	__aligned_u64 wcnt;
	__aligned_u64 rcnt;
	__aligned_u64 oldest_age;
};

/**
 * struct iostat_get - IOSTAT_IOC_SNAPSHOT: the counters of one device or of all devices
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: IOSTAT_GET_*
 * @entry_size: distance between two elements of @snapshots, bytes: a multiple of 8
 * @count: length of @snapshots; out: number of devices, or 1 without IOSTAT_GET_ALL
 * @generation: generation of the list (out)
 * @snapshots: address of an array of struct iostat_snapshot; with IOSTAT_GET_ALL in the order of the list
 * @number: device number; 0 with IOSTAT_GET_ALL
 * @reserved: 0
 */
struct iostat_get {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__aligned_u64 generation;
	__aligned_u64 snapshots;
	__u32 number;
	__u32 reserved;
};
#define IOSTAT_GET_ALL		(1U << 0)
#define IOSTAT_GET_OLDEST	(1U << 1)	/* fill in @oldest_age: searches the table of I/Os in flight once */

/**
 * struct iostat_histogram - IOSTAT_IOC_HISTOGRAM: a histogram of the times or the sizes of completed transactions
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @number: device number
 * @io_class: enum iostat_class
 * @phase: enum iostat_phase, or IOSTAT_PHASE_OF_SIZES
 * @buckets: length of @counts; out: number of buckets. The kernel writes as many as fit
 * @counts: address of an array of __u64: transactions by bucket; for their bounds see struct iostat_map_header, for
 *	those of sizes IOSTAT_SIZES
 * @min: shortest time, ns; 0 if there was no transaction, and for sizes (out)
 * @max: longest time, ns; 0 if there was no transaction, and for sizes (out)
 */
struct iostat_histogram {
	__u32 size;
	__u32 flags;
	__u32 number;
	__u32 io_class;
	__u32 phase;
	__u32 buckets;
	__aligned_u64 counts;
	__aligned_u64 min;
	__aligned_u64 max;
};

/**
 * struct iostat_latency - a histogram in the result of IOSTAT_IOC_HISTOGRAMS
 * @number: device number
 * @io_class: enum iostat_class
 * @phase: enum iostat_phase, or IOSTAT_PHASE_OF_SIZES
 * @first_bucket: the first bucket whose count is in the result; all buckets before it are 0
 * @buckets: number of counts in the result; all buckets after these are 0
 * @first_count: index of the first of them in @counts of struct iostat_histograms
 * @min: shortest time, ns; 0 for sizes
 * @max: longest time, ns; 0 for sizes
 */
struct iostat_latency {
	__u32 number;
	__u32 io_class;
	__u32 phase;
	__u32 first_bucket;
	__u32 buckets;
	__u32 first_count;
	__aligned_u64 min;
	__aligned_u64 max;
};

/**
 * struct iostat_histograms - IOSTAT_IOC_HISTOGRAMS: counters and histograms of one device or of all devices
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: IOSTAT_GET_*
 * @number: device number; 0 with IOSTAT_GET_ALL
 * @which: the histograms that are asked for: the sum of IOSTAT_HISTOGRAM() and IOSTAT_HISTOGRAM_SIZES() of each, or
 *	IOSTAT_HISTOGRAM_ALL
 * @snapshot_size: distance between two elements of @snapshots, bytes: a multiple of 8
 * @snapshot_count: length of @snapshots; out: number of devices, or 1 without IOSTAT_GET_ALL
 * @latency_size: distance between two elements of @latencies, bytes: a multiple of 8
 * @latency_count: length of @latencies; out: number of these histograms that have counts
 * @count_count: length of @counts; out: the sum of @buckets of these
 * @reserved: 0
 * @generation: generation of the list (out)
 * @snapshots: address of an array of struct iostat_snapshot; with IOSTAT_GET_ALL in the order of the list
 * @latencies: address of an array of struct iostat_latency: by device, in the order of @snapshots, then by class,
 *	then by phase; the histograms of sizes of a device, by class, are behind those of its times. Empty histograms
 *	are left out
 * @counts: address of an array of __u64: transactions by bucket; for their bounds see struct iostat_histogram
 *
 * The histograms of a device are of the same instant as its snapshot.
 */
struct iostat_histograms {
	__u32 size;
	__u32 flags;
	__u32 number;
	__u32 which;
	__u32 snapshot_size;
	__u32 snapshot_count;
	__u32 latency_size;
	__u32 latency_count;
	__u32 count_count;
	__u32 reserved;
	__aligned_u64 generation;
	__aligned_u64 snapshots;
	__aligned_u64 latencies;
	__aligned_u64 counts;
};
#define IOSTAT_HISTOGRAM(io_class, phase)	(1U << ((io_class) * IOSTAT_PHASES + (phase)))
#define IOSTAT_HISTOGRAM_SIZES(io_class)	(1U << (IOSTAT_CLASSES * IOSTAT_PHASES + (io_class)))
#define IOSTAT_HISTOGRAM_ALL			((1U << (IOSTAT_CLASSES * (IOSTAT_PHASES + 1))) - 1)

/*
 * Operations. The numbers are those of iostat: they do not change if those of the kernel, REQ_OP_*, change. Any other
 * number is that of an operation that this version does not name.
 */
enum iostat_op {
	IOSTAT_OP_READ			= 0,
	IOSTAT_OP_WRITE			= 1,
	IOSTAT_OP_FLUSH			= 2,
	IOSTAT_OP_DISCARD		= 3,
	IOSTAT_OP_SECURE_ERASE		= 5,
	IOSTAT_OP_ZONE_APPEND		= 7,
	IOSTAT_OP_WRITE_ZEROES		= 9,
	IOSTAT_OP_ZONE_OPEN		= 11,
	IOSTAT_OP_ZONE_CLOSE		= 13,
	IOSTAT_OP_ZONE_FINISH		= 15,
	IOSTAT_OP_ZONE_RESET		= 17,
	IOSTAT_OP_ZONE_RESET_ALL	= 19,
	IOSTAT_OP_DRV_IN		= 34,	/* passthrough: the driver's own command, which reads */
	IOSTAT_OP_DRV_OUT		= 35,	/* as IOSTAT_OP_DRV_IN, which writes or transfers nothing */
};

/**
 * struct iostat_slow - an I/O whose time from start to end has reached the threshold of slow I/Os
 * @sequence: its number among the slow I/Os of its disk, counted from 1
 * @end: time of its end, ns
 * @wait: its time in the wait queue, ns
 * @service: its time in the run queue, ns
 * @number: number of the device that it was submitted to: of the disk or of a partition
 * @flags: IOSTAT_SLOW_*
 * @error: errno that it ended with, or 0
 * @wcnt: I/Os in the wait queue of that device when it ended, itself not included; a
 *	partition of the device counts as one while it has I/Os there
 * @rcnt: as @wcnt, in the run queue
 * @op: enum iostat_op; this member and all that follow are 0 without IOSTAT_SLOW_TARGET
 * @sector: its first sector on the whole disk, of 512 bytes
 * @bytes: its bytes
 * @pid: thread that submitted it, in the initial PID namespace; 0 if it is not known
 * @reserved: 0
 * @cgroup: id of the cgroup that it is charged to; 0 if it is not known
 * @comm: name of that thread, padded with NULs; empty if it is not known
 */
struct iostat_slow {
	__aligned_u64 sequence;
	__aligned_u64 end;
	__aligned_u64 wait;
	__aligned_u64 service;
	__u32 number;
	__u32 flags;
	__u32 error;
	__u32 wcnt;
	__u32 rcnt;
	__u32 op;
	__aligned_u64 sector;
	__aligned_u64 bytes;
	__u32 pid;
	__u32 reserved;
	__aligned_u64 cgroup;
	char comm[16];
};
#define IOSTAT_SLOW_TARGET	(1U << 0)	/* all members are filled: with CAP_SYS_ADMIN */
#define IOSTAT_SLOW_IOS		64		/* number of slow I/Os that are kept for a disk */

/**
 * struct iostat_get_slow - IOSTAT_IOC_SLOW: the latest slow I/Os of a disk and its partitions
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @number: device number of the disk
 * @entry_size: distance between two elements of @slow, bytes: a multiple of 8
 * @count: length of @slow; out: number of elements written, the newest first
 * @reserved: 0
 * @total: number of slow I/Os so far, those included that were replaced by later ones (out)
 * @threshold: time from which on an I/O is slow, ns (out)
 * @slow: address of an array of struct iostat_slow
 */
struct iostat_get_slow {
	__u32 size;
	__u32 flags;
	__u32 number;
	__u32 entry_size;
	__u32 count;
	__u32 reserved;
	__aligned_u64 total;
	__aligned_u64 threshold;
	__aligned_u64 slow;
};

/**
 * struct iostat_cgroup - the account of a cgroup, disk and class
 * @cgroup: id of the cgroup, which is the inode number of its directory; 0 in the accounts of I/Os that
 *	had no room in the table
 * @number: device number of the disk; IOSTAT_NO_DEVICE in those accounts
 * @io_class: enum iostat_class
 * @ios: bios, as the kernel's io.stat counts them, that have ended
 * @bytes: their bytes
 * @operations: transactions that have ended: the sum of @counts
 * @duration: their time from start to end, ns
 * @service: their time in the run queue, ns
 * @counts: transactions by bucket of their time from start to end; for the bounds see struct iostat_map_header
 */
struct iostat_cgroup {
	__aligned_u64 cgroup;
	__u32 number;
	__u32 io_class;
	__aligned_u64 ios;
	__aligned_u64 bytes;
	__aligned_u64 operations;
	__aligned_u64 duration;
	__aligned_u64 service;
	__aligned_u64 counts[IOSTAT_BUCKETS];
};

/**
 * struct iostat_get_cgroups - IOSTAT_IOC_CGROUPS: accounts by cgroup
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @number: device number of a disk, or IOSTAT_NO_DEVICE for all disks
 * @entry_size: distance between two elements of @cgroups, bytes: a multiple of 8
 * @count: length of @cgroups; out: number of accounts. The kernel writes as many as fit, by disk, then by cgroup,
 *	then by class. Empty accounts are left out
 * @rows: maximum number of rows, all of which are allocated; 0 while counting by cgroup is off
 *	(out)
 * @rows_used: rows in use (out)
 * @reserved: 0
 * @cgroups: address of an array of struct iostat_cgroup
 */
struct iostat_get_cgroups {
	__u32 size;
	__u32 flags;
	__u32 number;
	__u32 entry_size;
	__u32 count;
	__u32 rows;
	__u32 rows_used;
	__u32 reserved;
	__aligned_u64 cgroups;
};

/**
 * struct iostat_message - IOSTAT_IOC_MESSAGE: a message and its reply
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @in: address of the message, as it would be written to the file
 * @out: address of a buffer for the reply, as it would then be read from the file
 * @in_bytes: length of the message
 * @out_bytes: length of the buffer; out: bytes written to it. If the reply is longer, the call fails with ENOSPC,
 *	and the rest of the reply can be read from the file at the offset @out_bytes
 */
struct iostat_message {
	__u32 size;
	__u32 flags;
	__aligned_u64 in;
	__aligned_u64 out;
	__u32 in_bytes;
	__u32 out_bytes;
};

#include "iostat_kstat.h"
#include "iostat_map.h"

#endif /* _UAPI_LINUX_IOSTAT_H */
