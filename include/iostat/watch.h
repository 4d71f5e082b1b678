/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is remembered of an I/O from its start to its end, for those who watch
 * each: only its submitter knows the file.
 */
#ifndef _IOSTAT_WATCH_H
#define _IOSTAT_WATCH_H

#include <iostat/io.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/string.h>
#include <linux/types.h>

struct bio;
struct inode;

/* Whether io:start or io:done is on. */
DECLARE_STATIC_KEY_FALSE(iostat_watched);

/*
 * Records have the places that the entries of the table in flight have: they are
 * numbered by part (the upper half) and in it (the lower).
 */
#define IOSTAT_WATCH_PARTS	17

/* The first part has so many records. May sleep; -ENOMEM. */
int iostat_watch_open(size_t records);
/*
 * There is a further part. May sleep; -ENOMEM, also if there are too many. One
 * caller at a time.
 */
int iostat_watch_add(size_t records);
/* No I/O is told of any more. */
void iostat_watch_close(void);

/**
 * iostat_watch_start - an I/O starts
 * @record: its number; of one that is not there nothing is remembered
 * @buf: what it asks for; id and what memory it is of are filled in here
 * @dev: of what
 * @bio: its first, or NULL
 * @is_own: whether who submits it has made it, and not dispatched what is queued by anybody
 *
 * By its submitter.
 */
void iostat_watch_start(u64 record, const struct iostat_bufinfo *buf,
			const struct iostat_devinfo *dev, struct bio *bio, bool is_own);

/**
 * iostat_watch_merge - a bio becomes part of an I/O that has started
 * @buf: what it asks for; what memory it is of is filled in here
 * @dev: of what
 * @bio: it
 *
 * Called by its submitter, with a lock of the I/O scheduler or without. Nothing is remembered.
 */
void iostat_watch_merge(const struct iostat_bufinfo *buf, const struct iostat_devinfo *dev,
			struct bio *bio);

/**
 * iostat_watch_start_file - the same of an I/O that has no bio
 * @record: as above
 * @buf: as above
 * @dev: as above
 * @inode: the file it is for, which is held
 * @pos: where in there
 * @is_direct: whether it passes by the page cache
 *
 * By its submitter. It is charged to no cgroup.
 */
void iostat_watch_start_file(u64 record, const struct iostat_bufinfo *buf,
			     const struct iostat_devinfo *dev, struct inode *inode, loff_t pos,
			     bool is_direct);

/* Some of an I/O has failed, and it goes on. From any context. */
void iostat_watch_fail(u64 record, u32 bytes);

/*
 * An I/O has ended; bytes that failed before are added. Returns false, and traces nothing, if its start was not
 * recorded. Context: Any context.
 */
bool iostat_watch_done(u64 record, const struct iostat_result *result);

/* An I/O has ended whose start was not recorded. From any context. */
void iostat_watch_done_unseen(const struct iostat_bufinfo *buf, const struct iostat_devinfo *dev,
			      const struct iostat_result *result);

/* A copy of what is long enough for a string instruction. @bytes is a multiple of 4 and known when compiled. */
static __always_inline void iostat_copy(void *to, const void *from, size_t bytes)
{
#ifdef CONFIG_X86_64
	size_t words = bytes / sizeof(u64);

	asm volatile("rep movsq" : "+D" (to), "+S" (from), "+c" (words) : : "memory");
	if (bytes % sizeof(u64))
		*(u32 *)to = *(const u32 *)from;
#else
	memcpy(to, from, bytes);
#endif
}

/* For the tracepoints. */
int iostat_watch_reg(void);
void iostat_watch_unreg(void);
int iostat_merge_reg(void);
void iostat_merge_unreg(void);

#endif /* _IOSTAT_WATCH_H */
