/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The ioctls of /dev/iostat for kstats, see Documentation/kstat.rst. Include linux/iostat.h, which
 * includes this file.
 */
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
