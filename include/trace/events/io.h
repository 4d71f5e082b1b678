/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The io provider of DTrace as tracepoints. Each tracepoint has one argument, a
 * pointer to a structure with all that its fields are computed from.
 *
 * A tracepoint's name is its event's name in tracefs: events/io/start. None of
 * them is exported.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM io

#if !defined(_TRACE_IO_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IO_H

#include <iostat/io.h>
#include <iostat/io_trace.h>
#include <iostat/waits.h>
#include <linux/build_bug.h>
#include <linux/stddef.h>
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

#define iostat_show_outcome(outcome)					\
	__print_symbolic(outcome,					\
			 { IOSTAT_COMPLETED,	"completed" },		\
			 { IOSTAT_MERGED,	"merged" },		\
			 { IOSTAT_REFUSED,	"refused" },		\
			 { IOSTAT_ABANDONED,	"abandoned" })

/*
 * The members of struct iostat_io, in its order: an event is a copy of it, and then of its texts. All texts that are no
 * arrays are in the dynamic array of fi_mount. The other dynamic arrays have no bytes of their own: struct iostat_where
 * has their locations, and fi_name is the end of fi_pathname.
 */
#define IOSTAT_COMMON_FIELDS(io)					\
	__field(u64, id)						\
	__field(u32, b_flags)						\
	__field(u32, b_bcount)						\
	__field(u32, b_bufsize)						\
	__field(u32, b_edev)						\
	__field(u64, b_addr)						\
	__field(u64, b_blkno)						\
	__field(u64, b_lblkno)						\
	__field(u64, b_iodone)						\
	__field(u32, dev_major)						\
	__field(u32, dev_minor)						\
	__field(s32, dev_instance)					\
	__array(char, dev_statname, IOSTAT_STATNAME_LEN)		\
	__field(u64, cgroup)						\
	__field(u32, pid)						\
	__field(u32, tgid)						\
	__field(u32, uid)						\
	__array(char, comm, IOSTAT_COMM_LEN)				\
	__field(s64, fi_offset)						\
	__field(u32, fi_oflags)						\
	__dynamic_array(char, fi_name, 0)				\
	__array(char, fi_fs, IOSTAT_FS_LEN)				\
	__array(char, fi_pathname, IOSTAT_PATH_LEN)			\
	__dynamic_array(char, fi_mount, (io)->bytes)			\
	__dynamic_array(char, fi_dirname, 0)				\
	__dynamic_array(char, dev_name, 0)				\
	__dynamic_array(char, dev_pathname, 0)

/* Checks that a member of the event has the offset and the size of the member of the structure. */
#define IOSTAT_SAME_AS(of, member, name)				\
	do {								\
		BUILD_BUG_ON(offsetof(typeof(*__entry), name) -		\
			     offsetof(typeof(*__entry), id) !=		\
			     offsetof(struct iostat_io, of.member));	\
		BUILD_BUG_ON(sizeof_field(typeof(*__entry), name) !=	\
			     sizeof_field(struct iostat_io, of.member));\
	} while (0)
#define IOSTAT_SAME(of, member)		IOSTAT_SAME_AS(of, member, member)
#define IOSTAT_SAME_TEXT(member)	IOSTAT_SAME_AS(where, member, __data_loc_##member)

#define IOSTAT_ASSIGN(io, end)						\
	do {								\
		IOSTAT_SAME(buf, id);					\
		IOSTAT_SAME(buf, b_flags);				\
		IOSTAT_SAME(buf, b_bcount);				\
		IOSTAT_SAME(buf, b_bufsize);				\
		IOSTAT_SAME(buf, b_edev);				\
		IOSTAT_SAME(buf, b_addr);				\
		IOSTAT_SAME(buf, b_blkno);				\
		IOSTAT_SAME(buf, b_lblkno);				\
		IOSTAT_SAME(buf, b_iodone);				\
		IOSTAT_SAME(dev, dev_major);				\
		IOSTAT_SAME(dev, dev_minor);				\
		IOSTAT_SAME(dev, dev_instance);				\
		IOSTAT_SAME(dev, dev_statname);				\
		IOSTAT_SAME(task, cgroup);				\
		IOSTAT_SAME(task, pid);					\
		IOSTAT_SAME(task, tgid);				\
		IOSTAT_SAME(task, uid);					\
		IOSTAT_SAME(task, comm);				\
		IOSTAT_SAME(file, fi_offset);				\
		IOSTAT_SAME(file, fi_oflags);				\
		IOSTAT_SAME_AS(file, fi_name, __data_loc_fi_name);	\
		IOSTAT_SAME(file, fi_fs);				\
		IOSTAT_SAME(file, fi_pathname);				\
		IOSTAT_SAME_TEXT(fi_mount);				\
		IOSTAT_SAME_TEXT(fi_dirname);				\
		IOSTAT_SAME_TEXT(dev_name);				\
		IOSTAT_SAME_TEXT(dev_pathname);				\
		BUILD_BUG_ON(offsetof(typeof(*__entry), id) !=		\
			     IOSTAT_HEAD_BYTES);			\
		iostat_copy(&__entry->id, io, end);			\
		iostat_move_texts((u64 *)&__entry->__data_loc_fi_mount,	\
				  offsetof(typeof(*__entry), __data) -	\
				  IOSTAT_TEXTS_AT);			\
		iostat_copy_words(__entry->__data, (io)->texts,		\
				  (io)->bytes);				\
	} while (0)

#define IOSTAT_SAME_RESULT()						\
	do {								\
		IOSTAT_SAME(result, b_resid);				\
		IOSTAT_SAME(result, b_error);				\
		IOSTAT_SAME(result, wait_ns);				\
		IOSTAT_SAME(result, service_ns);			\
		IOSTAT_SAME(result, outcome);				\
	} while (0)

#define IOSTAT_COMMON_FORMAT						\
	"id=%llu dev=%s %u:%u flags=%s blkno=%llu bcount=%u"
/* A sector that is not known is -1. */
#define IOSTAT_WAIT_FORMAT						\
	"id=%llu dev=%s %u:%u flags=%s blkno=%lld bcount=%u in=%s"
#define IOSTAT_FILE_FORMAT						\
	" pid=%u tgid=%u uid=%u comm=%s offset=%lld fs=%s mount=%s path=%s"

TRACE_EVENT_FN(start,

	TP_PROTO(const struct iostat_io *io),

	TP_ARGS(io),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS(io)
	),

	TP_fast_assign(
		IOSTAT_ASSIGN(io, offsetof(struct iostat_io, result));
	),

	TP_printk(IOSTAT_COMMON_FORMAT IOSTAT_FILE_FORMAT,
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  __entry->b_blkno, __entry->b_bcount, __entry->pid,
		  __entry->tgid, __entry->uid, __entry->comm, __entry->fi_offset, __entry->fi_fs,
		  __get_str(fi_mount), __entry->fi_pathname),

	iostat_trace_reg, iostat_trace_unreg
);

/* A bio becomes part of an I/O that has started: the request of the bio, and its file. */
TRACE_EVENT_FN(merge,

	TP_PROTO(const struct iostat_io *io),

	TP_ARGS(io),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS(io)
	),

	TP_fast_assign(
		IOSTAT_ASSIGN(io, offsetof(struct iostat_io, result));
	),

	TP_printk(IOSTAT_COMMON_FORMAT IOSTAT_FILE_FORMAT,
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  __entry->b_blkno, __entry->b_bcount, __entry->pid,
		  __entry->tgid, __entry->uid, __entry->comm, __entry->fi_offset, __entry->fi_fs,
		  __get_str(fi_mount), __entry->fi_pathname),

	iostat_merge_reg, iostat_merge_unreg
);

TRACE_EVENT_FN(done,

	TP_PROTO(const struct iostat_io *io),

	TP_ARGS(io),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS(io)
		__field(u32, b_resid)
		__field(s32, b_error)
		__field(u64, wait_ns)
		__field(u64, service_ns)
		__field(u32, outcome)
	),

	TP_fast_assign(
		IOSTAT_SAME_RESULT();
		IOSTAT_ASSIGN(io, offsetof(struct iostat_io, result.b_bcount));
	),

	TP_printk(IOSTAT_COMMON_FORMAT " resid=%u error=%d outcome=%s wait_ns=%llu service_ns=%llu"
		  IOSTAT_FILE_FORMAT,
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  __entry->b_blkno, __entry->b_bcount, __entry->b_resid,
		  __entry->b_error, iostat_show_outcome(__entry->outcome),
		  __entry->wait_ns, __entry->service_ns, __entry->pid,
		  __entry->tgid, __entry->uid, __entry->comm, __entry->fi_offset, __entry->fi_fs,
		  __get_str(fi_mount), __entry->fi_pathname),

	iostat_trace_reg, iostat_trace_unreg
);

TRACE_EVENT_FN(wait_start,

	TP_PROTO(const struct iostat_wait *wait),

	TP_ARGS(wait),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS(&wait->io)
		__array(char, wait_in, IOSTAT_FUNCTION_LEN)
	),

	TP_fast_assign(
		IOSTAT_ASSIGN(&wait->io, offsetof(struct iostat_io, result));
		memcpy(__entry->wait_in, wait->wait_in, IOSTAT_FUNCTION_LEN);
	),

	TP_printk(IOSTAT_WAIT_FORMAT IOSTAT_FILE_FORMAT,
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  (s64)__entry->b_blkno, __entry->b_bcount, __entry->wait_in,
		  __entry->pid,
		  __entry->tgid, __entry->uid, __entry->comm, __entry->fi_offset,
		  __entry->fi_fs, __get_str(fi_mount), __entry->fi_pathname),

	iostat_waits_reg, iostat_waits_unreg
);

TRACE_EVENT_FN(wait_done,

	TP_PROTO(const struct iostat_wait *wait),

	TP_ARGS(wait),

	TP_STRUCT__entry(
		IOSTAT_COMMON_FIELDS(&wait->io)
		__array(char, wait_in, IOSTAT_FUNCTION_LEN)
		__field(u64, wait_ns)
	),

	TP_fast_assign(
		IOSTAT_ASSIGN(&wait->io, offsetof(struct iostat_io, result));
		memcpy(__entry->wait_in, wait->wait_in, IOSTAT_FUNCTION_LEN);
		__entry->wait_ns = wait->wait_ns;
	),

	TP_printk(IOSTAT_WAIT_FORMAT " wait_ns=%llu" IOSTAT_FILE_FORMAT,
		  __entry->id, __entry->dev_statname, __entry->dev_major,
		  __entry->dev_minor, iostat_show_flags(__entry->b_flags),
		  (s64)__entry->b_blkno, __entry->b_bcount, __entry->wait_in,
		  __entry->wait_ns, __entry->pid,
		  __entry->tgid, __entry->uid, __entry->comm,
		  __entry->fi_offset, __entry->fi_fs, __get_str(fi_mount),
		  __entry->fi_pathname),

	iostat_waits_reg, iostat_waits_unreg
);

#endif /* _TRACE_IO_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE io
#include <trace/define_trace.h>
