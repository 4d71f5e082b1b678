/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The binary ABI of /dev/iostat. See Documentation/abi.rst.
 *
 * All times are ns. Times of an instant are on CLOCK_MONOTONIC_RAW, as it was
 * when the module was loaded: see struct iostat_map_clock. All sums wrap at 2^64.
 * The layout is the same for 32-bit and 64-bit programs. Members are only ever
 * added, at the end or in place of reserved ones: @size is the size of the structure
 * that the program was built with.
 */
#ifndef _UAPI_LINUX_IOSTAT_H
#define _UAPI_LINUX_IOSTAT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* What struct iostat_info says. Changes only if something known changes its meaning. */
#define IOSTAT_ABI_VERSION	1
#define IOSTAT_NAME_LEN		64	/* the longest of a partition has 35 bytes */
#define IOSTAT_NO_DEVICE	0xffffffffU

/* Of devstat(9): the index of bytes[], operations[], duration[]. */
enum iostat_class {
	IOSTAT_CLASS_NONE	= 0,	/* flushes, zone management, passthrough */
	IOSTAT_CLASS_READ	= 1,
	IOSTAT_CLASS_WRITE	= 2,
	IOSTAT_CLASS_FREE	= 3,	/* discards and secure erases */
	IOSTAT_CLASSES		= 4,
};

/* Of devstat(9): the index of tag_types[]. */
enum iostat_tag {
	IOSTAT_TAG_SIMPLE	= 0,
	IOSTAT_TAG_HEAD		= 1,	/* never seen on Linux */
	IOSTAT_TAG_ORDERED	= 2,	/* with a flush or forced unit access */
	IOSTAT_TAGS		= 3,
};

/* A part of a transaction's time. */
enum iostat_phase {
	IOSTAT_PHASE_WAIT	= 0,	/* accepted, not issued */
	IOSTAT_PHASE_SERVICE	= 1,	/* issued, not done */
	IOSTAT_PHASE_TOTAL	= 2,
	IOSTAT_PHASES		= 3,
};

#define IOSTAT_BUCKETS		110	/* of a histogram; there is a bound less */

/* The calls. Their numbers hold no size, and so stay. */
#define IOSTAT_IOC_MAGIC	0xA8
#define IOSTAT_IOC_INFO		_IO(IOSTAT_IOC_MAGIC, 0x00)	/* struct iostat_info */
#define IOSTAT_IOC_LIST		_IO(IOSTAT_IOC_MAGIC, 0x01)	/* struct iostat_list */
#define IOSTAT_IOC_SNAPSHOT	_IO(IOSTAT_IOC_MAGIC, 0x02)	/* struct iostat_get */
#define IOSTAT_IOC_HISTOGRAM	_IO(IOSTAT_IOC_MAGIC, 0x03)	/* struct iostat_histogram */
#define IOSTAT_IOC_MESSAGE	_IO(IOSTAT_IOC_MAGIC, 0x04)	/* struct iostat_message */
#define IOSTAT_IOC_KSTAT_LIST	_IO(IOSTAT_IOC_MAGIC, 0x10)	/* struct iostat_kstat_list */
#define IOSTAT_IOC_KSTAT_READ	_IO(IOSTAT_IOC_MAGIC, 0x11)	/* struct iostat_kstat_read */
#define IOSTAT_IOC_KSTAT_WRITE	_IO(IOSTAT_IOC_MAGIC, 0x12)	/* struct iostat_kstat_write */

/**
 * struct iostat_info - IOSTAT_IOC_INFO: the version and limits
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @version: IOSTAT_ABI_VERSION (out)
 * @numdevs: devices in the list (out)
 * @generation: how often the list has changed; starts at 1 (out)
 * @features: IOSTAT_FEATURE_* (out)
 * @now: the time, ns (out)
 * @buckets: of a histogram (out)
 * @message_bytes: longest message, bytes (out)
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

/**
 * struct iostat_device - who a disk, a partition or an entry of another module is; never changes
 * @number: device number of devstat(9): counts from 0, never used twice
 * @flags: IOSTAT_DEVICE_*
 * @diskseq: the kernel's disk sequence number; never used twice since boot. 0 of an entry of a module
 * @crtime: when counting began, ns: creation_time of devstat(9), ks_crtime of kstat(9S)
 * @map_offset: where its memory is in the file, bytes: see struct iostat_map_device
 * @dev_major: major number; 0 of an entry of a module
 * @dev_minor: minor number; likewise
 * @parent: number of the disk, of a partition; else IOSTAT_NO_DEVICE
 * @type: device_type of devstat(9)
 * @priority: of devstat(9): the list's order, high to low
 * @block_size: logical, bytes
 * @name: the kernel's, ending in NUL: nvme0n1p2. Of an entry of a module, its name and unit number
 * @driver: the driver's, or the module's, likewise: nvme
 * @reserved: 0
 */
struct iostat_device {
	__u32 number;
	__u32 flags;
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
#define IOSTAT_DEVICE_PARTITION	(1U << 0)

/**
 * struct iostat_list - IOSTAT_IOC_LIST: who there is
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @entry_size: from one entry of @devices to the next, bytes: a multiple of 8
 * @count: entries there is room for; out: how many devices there are, of which the first are written
 * @generation: of the list (out)
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
 * struct iostat_snapshot - everything about one device at one instant
 * @number: device number
 * @reserved: 0
 * @snaptime: the instant, ns
 * @start_count: transactions started
 * @end_count: transactions ended, one way or the other
 * @merged: of these: by becoming part of another request
 * @refused: of these: the device was busy, and whoever sent them took them back
 * @abandoned: of these: of whose end nobody told
 * @bytes: transferred without error, by enum iostat_class
 * @operations: transactions completed, by enum iostat_class
 * @duration: of them, from start to end, ns, by enum iostat_class
 * @busy_time: time anything was in flight, ns
 * @tag_types: transactions completed, by enum iostat_tag
 * @wtime: time the wait queue was not empty, ns
 * @wlentime: its length integrated over time, ns
 * @wlastupdate: when it changed last, ns; @snaptime, if it is not empty
 * @rtime: time the run queue was not empty, ns
 * @rlentime: its length integrated over time, ns
 * @rlastupdate: when it changed last, ns; @snaptime, if it is not empty
 * @wcnt: transactions in the wait queue
 * @rcnt: transactions in the run queue
 * @reserved2: 0
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
	__aligned_u64 bytes[IOSTAT_CLASSES];
	__aligned_u64 operations[IOSTAT_CLASSES];
	__aligned_u64 duration[IOSTAT_CLASSES];
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
	__aligned_u64 reserved2;
};

/**
 * struct iostat_get - IOSTAT_IOC_SNAPSHOT: one device's counters, or those of all
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: IOSTAT_GET_*
 * @entry_size: from one entry of @snapshots to the next, bytes: a multiple of 8
 * @count: entries there is room for; out: how many devices there are, or 1
 * @generation: of the list (out)
 * @snapshots: address of an array of struct iostat_snapshot: of all devices, in the list's order
 * @number: the device's, without IOSTAT_GET_ALL; else 0
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

/**
 * struct iostat_histogram - IOSTAT_IOC_HISTOGRAM: how the times of completed transactions are distributed
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @number: the device's
 * @io_class: enum iostat_class
 * @phase: enum iostat_phase
 * @buckets: words there is room for; out: how many buckets there are, of which the first are written
 * @counts: address of an array of __u64: transactions by bucket; see bounds of struct iostat_map_header
 * @min: the shortest, ns; 0 if there was none (out)
 * @max: the longest, ns; 0 if there was none (out)
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
 * struct iostat_message - IOSTAT_IOC_MESSAGE: a message, to a device's regions or to nobody's, and its reply
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @in: address of the message: what would be written to the file
 * @out: address of where the reply is to go: what would then be read from it
 * @in_bytes: length of the message
 * @out_bytes: room for the reply; out: how many bytes were written. ENOSPC if there are more: the file reads as the
 *	reply, at the offset @out_bytes as the rest of it
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
