/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records of I/Os for the events io:start and io:done: the file and the task of an
 * I/O are only known to its submitter, so they are kept from its start to its end.
 */
#ifndef _IOSTAT_IO_TRACE_H
#define _IOSTAT_IO_TRACE_H

#include <iostat/io.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

struct bio;
struct inode;

/* Whether io:start or io:done is enabled. */
DECLARE_STATIC_KEY_FALSE(iostat_traced);

/*
 * There is a record for each entry of the table of I/Os in flight. Its number has
 * the part of the table in the upper half, and the index in that part in the lower.
 */
#define IOSTAT_WATCH_PARTS	17

/* Sets the size of the first part. May sleep. Return: 0 or -ENOMEM. */
int iostat_trace_open(size_t records);
/*
 * Adds a part. May sleep. Return: 0, or -ENOMEM, also if there are IOSTAT_WATCH_PARTS
 * parts already.
 */
int iostat_trace_add(size_t records);
/* Frees all records. No I/O may be traced any more. May sleep. */
void iostat_trace_close(void);

/**
 * iostat_trace_start - records and traces the start of an I/O
 * @record: number of its record; if there is no such record, nothing is traced
 * @buf: the request; the id and the flags for the kind of memory are set here
 * @dev: the disk or partition
 * @bio: its first bio, or NULL
 * @is_own: whether the current task has made the I/O; false if it dispatches I/Os that other tasks have queued
 *
 * Context: The task that submits the I/O. Does not sleep.
 */
void iostat_trace_start(u64 record, const struct iostat_bufinfo *buf,
			const struct iostat_traced_device *dev, struct bio *bio, bool is_own);

/**
 * iostat_trace_merge - traces that a bio becomes part of an I/O that has started
 * @buf: the request; the flags for the kind of memory are set here
 * @dev: the disk or partition
 * @bio: the bio
 *
 * Context: The task that submits the bio; a lock of the I/O scheduler may be held. Nothing is recorded.
 */
void iostat_trace_merge(const struct iostat_bufinfo *buf, const struct iostat_traced_device *dev,
			struct bio *bio);

/**
 * iostat_trace_start_file - records and traces the start of an I/O that has no bio
 * @record: as for iostat_trace_start()
 * @buf: as for iostat_trace_start()
 * @dev: as for iostat_trace_start()
 * @inode: the file, to which the caller holds a reference
 * @pos: offset in the file, bytes
 * @is_direct: whether the I/O bypasses the page cache
 *
 * The cgroup of such an I/O is not known.
 *
 * Context: The task that submits the I/O. Does not sleep.
 */
void iostat_trace_start_file(u64 record, const struct iostat_bufinfo *buf,
			     const struct iostat_traced_device *dev, struct inode *inode, loff_t pos,
			     bool is_direct);

/* Some bytes of an I/O have failed; the rest is still in flight. Context: Any context. */
void iostat_trace_fail(u64 record, u32 bytes);

/*
 * An I/O has ended; bytes that failed before are added. Returns false, and traces nothing, if its start was not
 * recorded. Context: Any context.
 */
bool iostat_trace_done(u64 record, const struct iostat_result *result);

/* Traces the end of an I/O whose start was not recorded. Context: Any context. */
void iostat_trace_done_unseen(const struct iostat_bufinfo *buf, const struct iostat_traced_device *dev,
			      const struct iostat_result *result);

/*
 * Copies adjacent members of a structure that are long enough for a string instruction. @to is the first of them.
 * @bytes is a constant, and a multiple of 4.
 */
static __always_inline void iostat_copy(void *to, const void *from, size_t bytes)
{
#ifdef CONFIG_X86_64
	size_t words = bytes / sizeof(u64);

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
	if (bytes % sizeof(u64))
		*(u32 *)to = *(const u32 *)from;
#else
	unsafe_memcpy(to, from, bytes, /* FORTIFY_SOURCE warns of what is longer than the member at @to. */);
#endif
}

/* Copies texts, which are whole words: @bytes is a multiple of 8. */
static __always_inline void iostat_copy_words(void *to, const void *from, size_t bytes)
{
#ifdef CONFIG_X86_64
	size_t words = bytes / sizeof(u64);

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
#else
	memcpy(to, from, bytes);
#endif
}

/*
 * The offset of the texts of an I/O in io:start, which has the head of any event, followed by the members before the
 * result.
 */
#define IOSTAT_HEAD_BYTES	8
#define IOSTAT_TEXTS_AT		(IOSTAT_HEAD_BYTES + offsetof(struct iostat_io, result))

/*
 * Adapts locations to an event whose texts are @bytes bytes behind IOSTAT_TEXTS_AT. @where is a
 * struct iostat_where.
 */
static __always_inline void iostat_move_texts(u64 *where, size_t bytes)
{
	BUILD_BUG_ON(sizeof(struct iostat_where) != 2 * sizeof(u64));
	if (!bytes)
		return;
	/* Each half of a word has an offset in its lower half, which does not overflow. */
	for (int i = 0; i < 2; i++)
		put_unaligned(get_unaligned(where + i) + bytes * 0x100000001ULL, where + i);
}

/**
 * iostat_put_device - sets the disk or partition of an I/O
 * @io: the I/O, with its file
 * @dev: the disk or partition
 *
 * Context: Any context.
 */
void iostat_put_device(struct iostat_io *io, const struct iostat_traced_device *dev);

/* Called when an event is enabled and disabled, with the tracepoints' mutex held. Return: 0 or -ENOMEM. */
int iostat_trace_reg(void);
void iostat_trace_unreg(void);
int iostat_merge_reg(void);
void iostat_merge_unreg(void);

#endif /* _IOSTAT_IO_TRACE_H */
