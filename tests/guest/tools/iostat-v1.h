/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The binary ABI of /dev/iostat in version 1, as iostat 0.1.0 has it: for tests of programs that were built with it.
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

#ifndef _UAPI_LINUX_IOSTAT_KSTAT_H
#define _UAPI_LINUX_IOSTAT_KSTAT_H

#define IOSTAT_KSTAT_NAME_LEN	48	/* name of a statistic, such as NAME.elapsed_time */

/* The type of a kstat's data: KSTAT_TYPE_* of kstat(9S). */
enum iostat_kstat_type {
	IOSTAT_KSTAT_RAW	= 0,	/* bytes; the other types have values */
	IOSTAT_KSTAT_NAMED	= 1,
	IOSTAT_KSTAT_INTR	= 2,
	IOSTAT_KSTAT_IO		= 3,
	IOSTAT_KSTAT_TIMER	= 4,
};

/* KSTAT_FLAG_* of kstat(9S). Kstats with KSTAT_FLAG_INVALID are not listed. */
#define IOSTAT_KSTAT_VIRTUAL		(1U << 0)	/* the provider owns the memory of the data */
#define IOSTAT_KSTAT_VAR_SIZE		(1U << 1)	/* the size of the data may change */
#define IOSTAT_KSTAT_WRITABLE		(1U << 2)	/* IOSTAT_IOC_KSTAT_WRITE may change it */
#define IOSTAT_KSTAT_PERSISTENT		(1U << 3)	/* kept when its provider deletes it */
#define IOSTAT_KSTAT_DORMANT		(1U << 4)	/* its provider has deleted it */
#define IOSTAT_KSTAT_LONGSTRINGS	(1U << 6)	/* has values of IOSTAT_KSTAT_DATA_STRING */

/* KSTAT_DATA_* of kstat_named_t. LONG and ULONG are reported as the type of their size. */
enum iostat_kstat_data {
	IOSTAT_KSTAT_DATA_CHAR		= 0,	/* text of up to 16 bytes */
	IOSTAT_KSTAT_DATA_INT32		= 1,
	IOSTAT_KSTAT_DATA_UINT32	= 2,
	IOSTAT_KSTAT_DATA_INT64		= 3,
	IOSTAT_KSTAT_DATA_UINT64	= 4,
	IOSTAT_KSTAT_DATA_FLOAT		= 5,	/* its bits, as an integer */
	IOSTAT_KSTAT_DATA_DOUBLE	= 6,	/* its bits, as an integer */
	IOSTAT_KSTAT_DATA_STRING	= 9,
};

/**
 * struct iostat_kstat_header - identity of a kstat. Only @flags may change
 * @kid: number of the kstat, used again only after 2^31 changes of the chain
 * @type: enum iostat_kstat_type
 * @flags: IOSTAT_KSTAT_VIRTUAL and so on
 * @ndata: number of elements that it was created with
 * @instance: instance number within @module
 * @reserved: 0
 * @crtime: time of its creation, ns
 * @module: module name, NUL-terminated
 * @name: name of the kstat, NUL-terminated
 * @kstat_class: class of the kstat, NUL-terminated
 */
struct iostat_kstat_header {
	__u32 kid;
	__u32 type;
	__u32 flags;
	__u32 ndata;
	__s32 instance;
	__u32 reserved;
	__aligned_u64 crtime;
	char module[IOSTAT_NAME_LEN];
	char name[IOSTAT_NAME_LEN];
	char kstat_class[IOSTAT_NAME_LEN];
};

/**
 * struct iostat_kstat_list - IOSTAT_IOC_KSTAT_LIST: the chain of kstats
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @entry_size: distance between two elements of @headers, bytes: a multiple of 8
 * @count: length of @headers; out: number of kstats. The kernel writes as many as fit
 * @chain_id: changes whenever a kstat is created, installed or deleted (out)
 * @reserved: 0
 * @headers: address of an array of struct iostat_kstat_header, in the order of @kid
 */
struct iostat_kstat_list {
	__u32 size;
	__u32 flags;
	__u32 entry_size;
	__u32 count;
	__u32 chain_id;
	__u32 reserved;
	__aligned_u64 headers;
};

/**
 * struct iostat_kstat_value - one statistic
 * @name: name of the statistic, NUL-terminated
 * @type: enum iostat_kstat_data
 * @len: length of a text without its NUL, bytes; else 0
 * @value: a number, sign-extended to 64 bits; of a text, its offset in @data of struct iostat_kstat_read
 */
struct iostat_kstat_value {
	char name[IOSTAT_KSTAT_NAME_LEN];
	__u32 type;
	__u32 len;
	__aligned_u64 value;
};

/**
 * struct iostat_kstat_read - IOSTAT_IOC_KSTAT_READ: the data of a kstat at one point in time
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @kid: number of the kstat
 * @chain_id: id of the chain (out)
 * @snaptime: time of the reading, ns (out)
 * @crtime: time of the creation of the kstat, ns (out)
 * @type: enum iostat_kstat_type (out)
 * @kstat_flags: IOSTAT_KSTAT_VIRTUAL and so on (out)
 * @ndata: number of elements (out)
 * @entry_size: distance between two elements of @values, bytes: a multiple of 8
 * @count: length of @values; out: number of values
 * @bytes: length of @data; out: bytes of data
 * @values: address of an array of struct iostat_kstat_value, in the order of the kstat's data
 * @data: address of a buffer for texts, each NUL-terminated; of a raw kstat, for its bytes. If @values or
 *	@data is too short, the call fails with ENOMEM and writes neither
 */
struct iostat_kstat_read {
	__u32 size;
	__u32 flags;
	__u32 kid;
	__u32 chain_id;
	__aligned_u64 snaptime;
	__aligned_u64 crtime;
	__u32 type;
	__u32 kstat_flags;
	__u32 ndata;
	__u32 entry_size;
	__u32 count;
	__u32 bytes;
	__aligned_u64 values;
	__aligned_u64 data;
};

/*
 * Layouts of the bytes that IOSTAT_IOC_KSTAT_WRITE takes for interrupt, I/O and timer kstats. They are those of
 * kstat_intr_t, kstat_io_t and kstat_timer_t. A timer kstat has one structure for each timer.
 */

/**
 * struct iostat_kstat_intr_bytes - IOSTAT_KSTAT_INTR
 * @hard: interrupts from a device
 * @soft: interrupts from software
 * @watchdog: interrupts from a watchdog timer
 * @spurious: interrupts without a source
 * @multiple_service: interrupts that served several sources
 */
struct iostat_kstat_intr_bytes {
	__u32 hard;
	__u32 soft;
	__u32 watchdog;
	__u32 spurious;
	__u32 multiple_service;
};

/**
 * struct iostat_kstat_io_bytes - IOSTAT_KSTAT_IO
 * @nread: bytes read
 * @nwritten: bytes written
 * @reads: read operations
 * @writes: write operations
 * @wtime: time during which the wait queue was not empty, ns
 * @wlentime: integral of the length of the wait queue over time, ns
 * @wlastupdate: time of the last change of the wait queue, ns on the clock of snaptime
 * @rtime: time during which the run queue was not empty, ns
 * @rlentime: integral of the length of the run queue over time, ns
 * @rlastupdate: time of the last change of the run queue, ns on the clock of snaptime
 * @wcnt: length of the wait queue
 * @rcnt: length of the run queue
 */
struct iostat_kstat_io_bytes {
	__aligned_u64 nread;
	__aligned_u64 nwritten;
	__u32 reads;
	__u32 writes;
	__aligned_u64 wtime;
	__aligned_u64 wlentime;
	__aligned_u64 wlastupdate;
	__aligned_u64 rtime;
	__aligned_u64 rlentime;
	__aligned_u64 rlastupdate;
	__u32 wcnt;
	__u32 rcnt;
};

/**
 * struct iostat_kstat_timer_bytes - IOSTAT_KSTAT_TIMER: one timer
 * @name: name of the timer, NUL-terminated. A timer without a name is not shown
 * @resv: not used
 * @num_events: events that ended
 * @elapsed_time: sum of their times, ns
 * @min_time: shortest time, ns
 * @max_time: longest time, ns
 * @start_time: start of the last event, ns on the clock of snaptime
 * @stop_time: end of the last event, ns on the clock of snaptime
 */
struct iostat_kstat_timer_bytes {
	char name[31];
	__u8 resv;
	__aligned_u64 num_events;
	__aligned_u64 elapsed_time;
	__aligned_u64 min_time;
	__aligned_u64 max_time;
	__aligned_u64 start_time;
	__aligned_u64 stop_time;
};

/**
 * struct iostat_kstat_write - IOSTAT_IOC_KSTAT_WRITE: changes a statistic of a named kstat, or all bytes of another
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @kid: number of the kstat
 * @chain_id: id of the chain (out)
 * @type: enum iostat_kstat_data of the statistic; 0 if bytes are written
 * @len: length of the text or of the bytes; else 0. Bytes must be as many as the kstat has
 * @value: the number, or the address of the text or bytes
 * @name: name of the statistic; empty if bytes are written
 */
struct iostat_kstat_write {
	__u32 size;
	__u32 flags;
	__u32 kid;
	__u32 chain_id;
	__u32 type;
	__u32 len;
	__aligned_u64 value;
	char name[IOSTAT_KSTAT_NAME_LEN];
};

#endif /* _UAPI_LINUX_IOSTAT_KSTAT_H */

#ifndef _UAPI_LINUX_IOSTAT_MAP_H
#define _UAPI_LINUX_IOSTAT_MAP_H

#define IOSTAT_MAP_MAGIC	0x70616d7461747369ULL	/* "istatmap" */

/**
 * struct iostat_map_clock - how the recorder reads the time
 * @seq: odd while the others change; read as a sequence count
 * @source: IOSTAT_CLOCK_*
 * @mult: ns per cycle, as a fixed-point number with 32 fractional bits
 * @tsc_offset: ns to add to the product
 * @raw_offset: ns to add to CLOCK_MONOTONIC_RAW
 */
struct iostat_map_clock {
	__aligned_u64 seq;
	__aligned_u64 source;
	__aligned_u64 mult;
	__aligned_u64 tsc_offset;
	__aligned_u64 raw_offset;
};
#define IOSTAT_CLOCK_RAW	0	/* CLOCK_MONOTONIC_RAW + raw_offset */
#define IOSTAT_CLOCK_TSC	1	/* (rdtsc * mult, in 128 bits, >> 32) + tsc_offset */
#define IOSTAT_CLOCK_CNTVCT	2	/* as IOSTAT_CLOCK_TSC, with arm64's cntvct_el0 */

/**
 * struct iostat_map_header - at the start of the file
 * @magic: IOSTAT_MAP_MAGIC
 * @version: IOSTAT_ABI_VERSION
 * @header_bytes: size of this structure, bytes
 * @page_bytes: size of a page, bytes: offsets and lengths of mappings are multiples of it
 * @records: maximum number of records of a device
 * @blocks_offset: offset of the memory of device number 0 in the file, bytes
 * @block_bytes: size of the memory of each device, bytes
 * @record_offset: offset of the first record in the memory of a device, bytes
 * @record_stride: distance between two records, bytes
 * @record_bytes: size of struct iostat_cpu_record, bytes
 * @latency_offset: offset of the first histogram in that structure, bytes
 * @classes: number of classes with histograms in a record, and in a struct iostat_map_device
 * @phases: number of histograms of each class
 * @buckets: number of buckets of each histogram
 * @histogram_bytes: distance between two histograms, bytes
 * @generation: generation of the list of devices; changes while mapped
 * @clock: how to read the clock; changes while mapped
 * @bases_offset: distance of a struct iostat_bases from its struct iostat_map_device or
 *	iostat_cpu_record, bytes
 * @base_shift: see struct iostat_bases
 * @reserved: 0
 * @bounds: bounds of the buckets, ns: bucket i holds times above bound i - 1 and up to bound i
 */
struct iostat_map_header {
	__aligned_u64 magic;
	__u32 version;
	__u32 header_bytes;
	__u32 page_bytes;
	__u32 records;
	__aligned_u64 blocks_offset;
	__aligned_u64 block_bytes;
	__u32 record_offset;
	__u32 record_stride;
	__u32 record_bytes;
	__u32 latency_offset;
	__u32 classes;
	__u32 phases;
	__u32 buckets;
	__u32 histogram_bytes;
	__aligned_u64 generation;
	struct iostat_map_clock clock;
	__u32 bases_offset;
	__u32 base_shift;
	__aligned_u64 reserved[7];
	__aligned_u64 bounds[IOSTAT_BUCKETS - 1];
};

/**
 * struct iostat_cpu_histogram - times of transactions
 * @counts: the low 32 bits of the number of transactions, by bucket: see struct iostat_bases
 * @shortest_negated: the shortest time, ns, negated modulo 2^64
 * @span: the longest time less the shortest, plus 1, ns; 0 if there was no time
 */
struct iostat_cpu_histogram {
	__u32 counts[IOSTAT_BUCKETS];
	__aligned_u64 shortest_negated;
	__aligned_u64 span;
};

/**
 * struct iostat_bases - numbers near which the counts of histograms are
 * @bases: by the number of the histogram and by bucket
 * @sizes: the bases of the histograms of sizes, by bucket, of the same two classes
 *
 * With base = (__u64)bases[][][] << base_shift, a count is base + (__s32)(counts[] - (__u32)base). Without a
 * struct iostat_bases, all bases are 0.
 */
struct iostat_bases {
	__u32 bases[2][IOSTAT_PHASES][IOSTAT_BUCKETS];
	__u32 sizes[IOSTAT_SIZES][2];
};

#define IOSTAT_PRESENT_WORDS	130

/**
 * struct iostat_map_device - at the start of a device's memory
 * @magic: IOSTAT_MAP_MAGIC
 * @state: IOSTAT_MAP_*; changes while mapped
 * @device: identity of the device. Members that a later version adds to struct iostat_device are not here
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
 * @latency: times of IOSTAT_CLASS_NONE and IOSTAT_CLASS_FREE, by enum iostat_phase: on all CPUs, under
 *	the sequence count of record 0
 * @sizes: the low 32 bits of the number of transactions of IOSTAT_CLASS_FREE, by bucket of their sizes, under the
 *	same sequence count
 * @padding: 0
 * @partitions: of a disk: in the upper half, the number of changes of the set of partitions whose records count
 *	for it; in the lower half, the number of partitions that have left the list, but whose records still count.
 *	Changes while mapped
 * @present: a bit for each record that exists; bits are set while mapped. The page of a record or of bases that
 *	does not exist cannot be read (SIGBUS)
 */
struct iostat_map_device {
	__aligned_u64 magic;
	__aligned_u64 state;
	struct iostat_device device;
	__aligned_u64 has_bases;
	struct iostat_cpu_histogram latency[2][IOSTAT_PHASES];
	__u32 sizes[IOSTAT_SIZES];
	__u32 padding;
	__aligned_u64 partitions;
	__aligned_u64 present[IOSTAT_PRESENT_WORDS];
};
#define IOSTAT_MAP_PRESENT	0
#define IOSTAT_MAP_GONE		1	/* removed: its counts no longer change */

/**
 * struct iostat_cpu_queue - entries to and exits from a queue, or rises and falls of a line that is 0 or 1
 * @n_in: entries
 * @t_in: sum of their times, ns
 * @n_out: exits
 * @t_out: sum of their times, ns
 * @last: time of the latest change, ns; 0 if there was none. Not kept for lines
 */
struct iostat_cpu_queue {
	__aligned_u64 n_in;
	__aligned_u64 t_in;
	__aligned_u64 n_out;
	__aligned_u64 t_out;
	__aligned_u64 last;
};

/**
 * struct iostat_cpu_record - a part of the counts of one device: record 0 is that of CPUs without a record of
 * their own, record 1 + n that of CPU n
 * @seq: odd while the others change; read as a sequence count
 * @start_count: transactions started
 * @merged: transactions that ended by becoming part of another request
 * @refused: transactions that ended because the device was busy
 * @abandoned: transactions whose end was not reported
 * @reserved: 0
 * @bytes: bytes transferred without error, by enum iostat_class
 * @duration: sum of the times of completed transactions, ns, by enum iostat_class
 * @service: sum of their times in the run queue, ns, by enum iostat_class
 * @completed: transactions completed, by IOSTAT_CLASSES * enum iostat_tag + enum iostat_class; those without a tag have
 *	IOSTAT_TAGS in place of the tag
 * @waitq: the wait queue
 * @runq: the run queue
 * @waitq_busy: whether the wait queue is not empty
 * @runq_busy: whether the run queue is not empty
 * @both_busy: whether both queues are not empty
 * @disk_waitq_busy: of a partition: to be added to @waitq_busy for its disk; all members may be negative,
 *	modulo 2^64
 * @disk_runq_busy: as @disk_waitq_busy, for @runq_busy
 * @disk_both_busy: as @disk_waitq_busy, for @both_busy
 * @disk_waited: of a partition: to be added to t_in of @waitq for its disk, ns
 * @latency: times of IOSTAT_CLASS_READ and IOSTAT_CLASS_WRITE, by enum iostat_phase
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
 * @sizes: the low 32 bits of the numbers of reads and of writes, by bucket of their sizes: see IOSTAT_SIZES
 * @padding: 0
 */
struct iostat_cpu_record {
	__aligned_u64 seq;
	__aligned_u64 start_count;
	__aligned_u64 merged;
	__aligned_u64 refused;
	__aligned_u64 abandoned;
	__aligned_u64 reserved[2];
	__aligned_u64 bytes[IOSTAT_CLASSES];
	__aligned_u64 duration[IOSTAT_CLASSES];
	__aligned_u64 service[IOSTAT_CLASSES];
	__aligned_u64 completed[4 * IOSTAT_CLASSES];
	struct iostat_cpu_queue waitq;
	struct iostat_cpu_queue runq;
	struct iostat_cpu_queue waitq_busy;
	struct iostat_cpu_queue runq_busy;
	struct iostat_cpu_queue both_busy;
	struct iostat_cpu_queue disk_waitq_busy;
	struct iostat_cpu_queue disk_runq_busy;
	struct iostat_cpu_queue disk_both_busy;
	__aligned_u64 disk_waited;
	struct iostat_cpu_histogram latency[2][IOSTAT_PHASES];
	__aligned_u64 has_bases;
	__u32 sizes[IOSTAT_SIZES][2];
	__aligned_u64 padding[6];
};

#endif /* _UAPI_LINUX_IOSTAT_MAP_H */

#endif /* _UAPI_LINUX_IOSTAT_H */
