/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The calls of /dev/iostat for kstats. See Documentation/kstat.rst for what they are. Part of
 * linux/iostat.h: include that.
 */
#ifndef _UAPI_LINUX_IOSTAT_KSTAT_H
#define _UAPI_LINUX_IOSTAT_KSTAT_H

#define IOSTAT_KSTAT_NAME_LEN	48	/* of a statistic: NAME.elapsed_time */

/* What a kstat's data is: KSTAT_TYPE_* of kstat(9S). */
enum iostat_kstat_type {
	IOSTAT_KSTAT_RAW	= 0,	/* bytes; the others have values */
	IOSTAT_KSTAT_NAMED	= 1,
	IOSTAT_KSTAT_INTR	= 2,
	IOSTAT_KSTAT_IO		= 3,
	IOSTAT_KSTAT_TIMER	= 4,
};

/* KSTAT_FLAG_* of kstat(9S). One that is INVALID is not seen. */
#define IOSTAT_KSTAT_VIRTUAL		(1U << 0)	/* the data is its provider's memory */
#define IOSTAT_KSTAT_VAR_SIZE		(1U << 1)	/* there may be more or less of it each time */
#define IOSTAT_KSTAT_WRITABLE		(1U << 2)	/* IOSTAT_IOC_KSTAT_WRITE may change it */
#define IOSTAT_KSTAT_PERSISTENT		(1U << 3)	/* stays when its provider goes */
#define IOSTAT_KSTAT_DORMANT		(1U << 4)	/* its provider has gone */
#define IOSTAT_KSTAT_LONGSTRINGS	(1U << 6)	/* some are IOSTAT_KSTAT_DATA_STRING */

/* KSTAT_DATA_* of kstat_named_t. A long is the one of its size. */
enum iostat_kstat_data {
	IOSTAT_KSTAT_DATA_CHAR		= 0,	/* text of up to 16 bytes */
	IOSTAT_KSTAT_DATA_INT32		= 1,
	IOSTAT_KSTAT_DATA_UINT32	= 2,
	IOSTAT_KSTAT_DATA_INT64		= 3,
	IOSTAT_KSTAT_DATA_UINT64	= 4,
	IOSTAT_KSTAT_DATA_FLOAT		= 5,	/* its bits */
	IOSTAT_KSTAT_DATA_DOUBLE	= 6,	/* its bits */
	IOSTAT_KSTAT_DATA_STRING	= 9,
};

/**
 * struct iostat_kstat_header - what a kstat is; only @flags ever change
 * @kid: its number; not used again before 2^31 others
 * @type: enum iostat_kstat_type
 * @flags: IOSTAT_KSTAT_VIRTUAL and so on
 * @ndata: how many data it was made for
 * @instance: of @module
 * @reserved: 0
 * @crtime: when it was made, ns
 * @module: of its provider, ending in NUL
 * @name: its own, likewise
 * @kstat_class: what it is listed with, likewise
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
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @entry_size: from one entry of @headers to the next, bytes: a multiple of 8
 * @count: entries there is room for; out: how many kstats there are, of which the first are written
 * @chain_id: changes whenever a kstat comes or goes (out)
 * @reserved: 0
 * @headers: address of an array of struct iostat_kstat_header, by @kid
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
 * @name: its name, ending in NUL
 * @type: enum iostat_kstat_data
 * @len: of text, bytes without its NUL; else 0
 * @value: a number, with its sign in all 64 bits; of text, where in @data of struct iostat_kstat_read it is
 */
struct iostat_kstat_value {
	char name[IOSTAT_KSTAT_NAME_LEN];
	__u32 type;
	__u32 len;
	__aligned_u64 value;
};

/**
 * struct iostat_kstat_read - IOSTAT_IOC_KSTAT_READ: what a kstat has at one instant
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @kid: the kstat's
 * @chain_id: of the chain (out)
 * @snaptime: the instant, ns (out)
 * @crtime: when the kstat was made, ns (out)
 * @type: enum iostat_kstat_type (out)
 * @kstat_flags: IOSTAT_KSTAT_VIRTUAL and so on (out)
 * @ndata: how many data there are (out)
 * @entry_size: from one entry of @values to the next, bytes: a multiple of 8
 * @count: entries there is room for; out: how many there are
 * @bytes: at @data there is room for; out: how many there are
 * @values: address of an array of struct iostat_kstat_value, in the order of the kstat's data
 * @data: address of where text goes, each with a NUL; of one that is raw, its bytes. If there is more than
 *	room for one or the other: ENOMEM, and neither is written
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
 * The bytes of kstats whose statistics have no types, as IOSTAT_IOC_KSTAT_WRITE takes them: those of
 * kstat_intr_t, kstat_io_t and kstat_timer_t, of which a kstat has one, one, and as many as there are timers.
 */

/**
 * struct iostat_kstat_intr_bytes - IOSTAT_KSTAT_INTR
 * @hard: interrupts, by kind
 * @soft: likewise
 * @watchdog: likewise
 * @spurious: likewise
 * @multiple_service: likewise
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
 * @nread: bytes
 * @nwritten: bytes
 * @reads: operations
 * @writes: operations
 * @wtime: with something in the wait queue, ns
 * @wlentime: sum of the wait queue's length times time, ns
 * @wlastupdate: when the wait queue changed, ns on the clock of snaptime
 * @rtime: with something in the run queue, ns
 * @rlentime: sum of the run queue's length times time, ns
 * @rlastupdate: when the run queue changed, ns on the clock of snaptime
 * @wcnt: in the wait queue
 * @rcnt: in the run queue
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
 * @name: its name, ending in NUL; one without a name is not shown
 * @resv: not used
 * @num_events: events that ended
 * @elapsed_time: all their times together, ns
 * @min_time: the shortest, ns
 * @max_time: the longest, ns
 * @start_time: when the last began, ns on the clock of snaptime
 * @stop_time: when the last ended, ns on the clock of snaptime
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
 * struct iostat_kstat_write - IOSTAT_IOC_KSTAT_WRITE: changes a statistic, or all bytes of a kstat that is not named
 * @size: of this structure, bytes; out: how many of them are filled
 * @flags: 0
 * @kid: the kstat's
 * @chain_id: of the chain (out)
 * @type: enum iostat_kstat_data: the statistic's; of bytes 0
 * @len: of text or bytes, which must be as many as the kstat has; else 0
 * @value: the number; of text or bytes, their address
 * @name: the statistic's; of bytes, empty
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
