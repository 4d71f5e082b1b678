/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The binary ABI of /dev/iostat in version 1, for tests of programs that were built with it.
 *
 * All times are in ns. Points in time are on CLOCK_MONOTONIC_RAW, with the offset that it
 * had when the module was loaded: see struct iostat_map_clock. All sums wrap at 2^64.
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
	IOSTAT_PHASES		= 3,
};

#define IOSTAT_BUCKETS		110	/* buckets of a histogram, which has 109 bounds */

/* The ioctls. Their numbers do not depend on the size of a structure. 0x10 to 0x1f are for kstats. */
#define IOSTAT_IOC_MAGIC	0xA8
#define IOSTAT_IOC_INFO		_IO(IOSTAT_IOC_MAGIC, 0x00)	/* struct iostat_info */
#define IOSTAT_IOC_LIST		_IO(IOSTAT_IOC_MAGIC, 0x01)	/* struct iostat_list */
#define IOSTAT_IOC_SNAPSHOT	_IO(IOSTAT_IOC_MAGIC, 0x02)	/* struct iostat_get */
#define IOSTAT_IOC_HISTOGRAM	_IO(IOSTAT_IOC_MAGIC, 0x03)	/* struct iostat_histogram */
#define IOSTAT_IOC_MESSAGE	_IO(IOSTAT_IOC_MAGIC, 0x04)	/* struct iostat_message */

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

/**
 * struct iostat_device - identity of a disk, of a partition, or of a devstat(9) entry of another module
 * @number: device number of devstat(9): counts from 0 and is never used again
 * @flags: IOSTAT_DEVICE_*
 * @diskseq: the kernel's disk sequence number, never used again since boot; 0 of an entry
 * @crtime: time at which recording began, ns: creation_time of devstat(9), ks_crtime of kstat(9S)
 * @map_offset: offset of the device's memory in the mapped file, bytes: see struct iostat_map_device
 * @dev_major: major number; 0 of an entry
 * @dev_minor: minor number; 0 of an entry
 * @parent: of a partition, the number of its disk; else IOSTAT_NO_DEVICE
 * @type: device_type of devstat(9)
 * @priority: priority of devstat(9). The list is in descending order of it
 * @block_size: logical block size, bytes
 * @name: name of the device, NUL-terminated, such as nvme0n1p2; of an entry, its name and unit number
 * @driver: name of the driver, NUL-terminated, such as nvme; of an entry, the name of its module
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

/**
 * struct iostat_histogram - IOSTAT_IOC_HISTOGRAM: a latency histogram of completed transactions
 * @size: size of this structure, bytes; out: bytes that the kernel filled in
 * @flags: 0
 * @number: device number
 * @io_class: enum iostat_class
 * @phase: enum iostat_phase
 * @buckets: length of @counts; out: number of buckets. The kernel writes as many as fit
 * @counts: address of an array of __u64: transactions by bucket; for their bounds see struct iostat_map_header
 * @min: shortest time, ns; 0 if there was no transaction (out)
 * @max: longest time, ns; 0 if there was no transaction (out)
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

/*
 * What mmap() of the file shows, to read only: a struct iostat_map_header, and for each device a
 * struct iostat_map_device, a struct iostat_cpu_record that its CPUs share, and one for each CPU that has done
 * I/O on it.
 */
#define IOSTAT_MAP_MAGIC	0x70616d7461747369ULL	/* "istatmap" */

/**
 * struct iostat_map_clock - how the recorder reads the time
 * @seq: odd while the others change; read as a sequence count
 * @source: IOSTAT_CLOCK_*
 * @mult: ns per cycle, 32 bits of them behind the point
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

/**
 * struct iostat_map_header - at the start of the file
 * @magic: IOSTAT_MAP_MAGIC
 * @version: IOSTAT_ABI_VERSION
 * @header_bytes: of this structure
 * @page_bytes: of a page: what offsets and lengths of mappings are multiples of
 * @records: that each device may have
 * @blocks_offset: where the memory of device number 0 would be in the file, bytes
 * @block_bytes: of each device
 * @record_offset: where in it the first record is
 * @record_stride: from one record to the next, bytes
 * @record_bytes: of struct iostat_cpu_record
 * @latency_offset: where in that the first histogram is
 * @classes: of histograms in a record, and in a struct iostat_map_device
 * @phases: of each class
 * @buckets: of each histogram
 * @histogram_bytes: from one histogram to the next
 * @generation: how often the list has changed; changes while mapped
 * @clock: changes while mapped
 * @bases_offset: from a struct iostat_map_device or iostat_cpu_record to its struct iostat_bases, bytes
 * @base_shift: of bases
 * @reserved: 0
 * @bounds: ns: bucket i holds times above bound i - 1 and up to bound i
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
 * @shortest_negated: the shortest, ns, negated modulo 2^64
 * @span: ns from the shortest to the longest, and one more; 0 if there was none
 */
struct iostat_cpu_histogram {
	__u32 counts[IOSTAT_BUCKETS];
	__aligned_u64 shortest_negated;
	__aligned_u64 span;
};

/**
 * struct iostat_bases - numbers near which the counts of histograms are
 * @bases: by the number of the histogram and by bucket
 *
 * With base = (__u64)bases[][][] << base_shift, a count is base + (__s32)(counts[] - (__u32)base). Without
 * a struct iostat_bases, all of them are 0.
 */
struct iostat_bases {
	__u32 bases[2][IOSTAT_PHASES][IOSTAT_BUCKETS];
};

#define IOSTAT_PRESENT_WORDS	130

/**
 * struct iostat_map_device - at the start of a device's memory
 * @magic: IOSTAT_MAP_MAGIC
 * @state: IOSTAT_MAP_*; changes while mapped
 * @device: who it is
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
 * @latency: of IOSTAT_CLASS_NONE and IOSTAT_CLASS_FREE, by enum iostat_phase: on all CPUs, under the sequence
 *	count of record 0
 * @reserved: 0
 * @partitions: of a disk: in the upper half, how often it has changed which partitions' records count for it; in the
 *	lower half, how many partitions are not in the list any more whose records still count. Changes while mapped
 * @present: a bit for each record that is there; bits are set while mapped. The page of a record or of bases that is
 *	not there cannot be read (SIGBUS)
 */
struct iostat_map_device {
	__aligned_u64 magic;
	__aligned_u64 state;
	struct iostat_device device;
	__aligned_u64 has_bases;
	struct iostat_cpu_histogram latency[2][IOSTAT_PHASES];
	__aligned_u64 reserved[12];
	__aligned_u64 partitions;
	__aligned_u64 present[IOSTAT_PRESENT_WORDS];
};
#define IOSTAT_MAP_PRESENT	0
#define IOSTAT_MAP_GONE		1	/* the device was removed: its counts do not change any more */

/**
 * struct iostat_cpu_queue - entries to and exits from a queue, or rises and falls of a line that is 0 or 1
 * @n_in: entries
 * @t_in: sum of their times, ns
 * @n_out: exits
 * @t_out: sum of their times, ns
 * @last: time of the latest change, ns; 0 if there was none. Of lines not kept
 */
struct iostat_cpu_queue {
	__aligned_u64 n_in;
	__aligned_u64 t_in;
	__aligned_u64 n_out;
	__aligned_u64 t_out;
	__aligned_u64 last;
};

/**
 * struct iostat_cpu_record - a share of one device: number 0 that of CPUs without a record of their own, number
 * 1 + n that of CPU n
 * @seq: odd while the others change; read as a sequence count
 * @start_count: transactions started
 * @merged: transactions that ended by becoming part of another request
 * @refused: transactions that ended because the device was busy
 * @abandoned: transactions whose end was not reported
 * @reserved: 0
 * @bytes: transferred without error, by enum iostat_class
 * @duration: of completed transactions, ns, by enum iostat_class
 * @service: of these, in the run queue, ns, by enum iostat_class
 * @completed: transactions, by IOSTAT_CLASSES * enum iostat_tag + enum iostat_class
 * @waitq: the wait queue
 * @runq: the run queue
 * @waitq_busy: whether the wait queue is not empty
 * @runq_busy: whether the run queue is not empty
 * @both_busy: whether both are not
 * @disk_waitq_busy: of a partition: what its disk has besides @waitq_busy; all members may be negative, modulo 2^64
 * @disk_runq_busy: the same of @runq_busy
 * @disk_both_busy: the same of @both_busy
 * @disk_waited: of a partition: its disk has so much more of t_in of @waitq, ns
 * @latency: of IOSTAT_CLASS_READ and IOSTAT_CLASS_WRITE, by enum iostat_phase
 * @has_bases: not 0 once there is a struct iostat_bases of @latency
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
	__aligned_u64 padding[29];
};

#endif /* _UAPI_LINUX_IOSTAT_MAP_H */
