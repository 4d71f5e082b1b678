/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which file a bio is for.
 */
#ifndef _IOSTAT_FILEINFO_H
#define _IOSTAT_FILEINFO_H

#include <iostat/io.h>

struct address_space;
struct bio;
struct file;

/*
 * From the first of these to the last of those, files have names. Called as a
 * tracepoint is turned on and off, with the tracepoints' mutex held. Neither
 * sleeps.
 */
void iostat_fileinfo_get(void);
void iostat_fileinfo_put(void);

/*
 * Waits until all is in place, or away, for which one of them was called; for the
 * mount table a second at most. Without the mutex.
 */
void iostat_fileinfo_settle(void);

/* Only between these is anything put in place. The second may sleep. */
void iostat_fileinfo_open(void);
void iostat_fileinfo_close(void);

/**
 * iostat_fileinfo_of_bio - which file a bio is for
 * @file: filled in, all of it
 * @bio: by the task that submits it, or waits for it; may be NULL
 * @is_own: whether that task has made it; else whatever the task does meanwhile tells nothing of it
 *
 * Takes no reference and sleeps never. Where the context does not allow to
 * look, the file is <unknown>.
 *
 * Return: IOSTAT_B_PAGEIO, IOSTAT_B_PHYS, or 0 for what has no data.
 */
u32 iostat_fileinfo_of_bio(struct iostat_fileinfo *file, struct bio *bio, bool is_own);

/*
 * The same of what a thread waits for: a place in the page cache, or in an open
 * file. It holds them. @mapping may be NULL.
 */
void iostat_fileinfo_of_cache(struct iostat_fileinfo *file, struct address_space *mapping,
			      loff_t pos);
void iostat_fileinfo_of_file(struct iostat_fileinfo *file, const struct file *filp, loff_t pos);

/* Of no file: each text is @text. From any context. */
void iostat_fileinfo_none(struct iostat_fileinfo *file, const char *text);

#endif /* _IOSTAT_FILEINFO_H */
