/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The io provider of DTrace as tracepoints. Every event passes one pointer, so
 * that a probe costs its arguments only while it is on.
 *
 * A tracepoint's name is its event's name in tracefs: events/io/start. None of
 * them is exported.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM io

#if !defined(_TRACE_IO_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IO_H

#include <iostat/io.h>
#include <linux/tracepoint.h>

#define iostat_show_flags(flags)					\
	__print_flags(flags, "|",					\
		      { IOSTAT_B_DONE,		"B_DONE" },		\
		      { IOSTAT_B_ERROR,		"B_ERROR" },		\
		      { IOSTAT_B_PAGEIO,	"B_PAGEIO" },		\
		      { IOSTAT_B_PHYS,		"B_PHYS" },		\
		      { IOSTAT_B_READ,		"B_READ" },		\
		      { IOSTAT_B_WRITE,		"B_WRITE" },		\
		      { IOSTAT_B_ASYNC,		"B_ASYNC" })

/* __array and not __string: bpftrace reads a dynamic string as a number. */
#define IOSTAT_COMMON_FIELDS						\
	__field(u64, id)						\
	__field(u32, b_flags)						\
	__field(u32, b_bcount)						\
	__field(u32, b_bufsize)						\
	__field(u64, b_addr)						\
	__field(u64, b_blkno)						\
	__field(u64, b_lblkno)						\
	__field(u64, b_iodone)						\
	__field(u32, b_edev)						\
	__field(u32, dev_major)						\
	__field(u32, dev_minor)						\
	__field(s32, dev_instance)					\
	__array(char, dev_name, IOSTAT_NAME_LEN)			\
	__array(char, dev_statname, IOSTAT_NAME_LEN)

#define IOSTAT_COMMON_ASSIGN						\
	do {								\
		__entry->id = io->id;					\
		__entry->b_flags = io->b_flags;				\
		__entry->b_bcount = io->b_bcount;			\
		__entry->b_bufsize = io->b_bufsize;			\
		__entry->b_addr = io->b_addr;				\
		__entry->b_blkno = io->b_blkno;				\
		__entry->b_lblkno = io->b_lblkno;			\
		__entry->b_iodone = io->b_iodone;			\
		__entry->b_edev = io->b_edev;				\
		__entry->dev_major = io->dev_major;			\
		__entry->dev_minor = io->dev_minor;			\
		__entry->dev_instance = io->dev_instance;		\
		memcpy(__entry->dev_name, io->dev_name, IOSTAT_NAME_LEN); \
		memcpy(__entry->dev_statname, io->dev_statname,		\
		       IOSTAT_NAME_LEN);				\
	} while (0)

TRACE_EVENT(start,

	TP_PROTO(const struct iostat_io *io),

	TP_ARGS(io),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS
	),

	TP_fast_assign(
		IOSTAT_COMMON_ASSIGN;
	),

	TP_printk("id=%llu dev=%s %u:%u flags=%s blkno=%llu bcount=%u",
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  __entry->b_blkno, __entry->b_bcount)
);

TRACE_EVENT(done,

	TP_PROTO(const struct iostat_io *io),

	TP_ARGS(io),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS
		__field(u32, b_resid)
		__field(s32, b_error)
		__field(u64, wait_ns)
		__field(u64, service_ns)
	),

	TP_fast_assign(
		IOSTAT_COMMON_ASSIGN;
		__entry->b_resid = io->b_resid;
		__entry->b_error = io->b_error;
		__entry->wait_ns = io->wait_ns;
		__entry->service_ns = io->service_ns;
	),

	TP_printk("id=%llu dev=%s %u:%u flags=%s blkno=%llu bcount=%u resid=%u error=%d wait_ns=%llu service_ns=%llu",
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  __entry->b_blkno, __entry->b_bcount, __entry->b_resid,
		  __entry->b_error, __entry->wait_ns, __entry->service_ns)
);

#endif /* _TRACE_IO_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE io
#include <trace/define_trace.h>
