/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file that a bio belongs to.
 */
#ifndef _IOSTAT_FILEINFO_H
#define _IOSTAT_FILEINFO_H

#include <iostat/io.h>

struct address_space;
struct bio;
struct file;

/*
 * File names are looked up while there were more calls of iostat_fileinfo_get() than of
 * iostat_fileinfo_put(). Called when an event is enabled and disabled, with the tracepoints' mutex
 * held. Neither sleeps.
 */
void iostat_fileinfo_get(void);
void iostat_fileinfo_put(void);

/*
 * Waits until hooks and mount table agree with these calls; for the mount table at
 * most a second. Must not be called with the tracepoints' mutex held. May sleep.
 */
void iostat_fileinfo_settle(void);

/* Hooks and mount table only exist between these calls. The second may sleep. */
void iostat_fileinfo_open(void);
void iostat_fileinfo_close(void);

/**
 * iostat_fileinfo_of_bio - finds the file that a bio belongs to
 * @io: the I/O, whose file is set, with the texts of it
 * @bio: the bio, or NULL
 * @is_own: whether the current task has made the bio; if not, the direct I/O that the task does is not considered
 * @is_start: whether the bio starts now; if not, the function may be called for it again
 *
 * Takes no reference. If the file cannot be looked up in this context, it is <unknown>.
 *
 * Context: The task that submits the bio or waits for it. Does not sleep.
 *
 * Return: IOSTAT_B_PAGEIO, IOSTAT_B_PHYS, or 0 for a bio without data.
 */
u32 iostat_fileinfo_of_bio(struct iostat_io *io, struct bio *bio, bool is_own,
			   bool is_start);

/*
 * Describes a place in the page cache, or in an open file, that the current thread
 * waits for. The caller holds references to them. @mapping may be NULL. Does not sleep.
 */
void iostat_fileinfo_of_cache(struct iostat_io *io, struct address_space *mapping,
			      loff_t pos);
void iostat_fileinfo_of_file(struct iostat_io *io, const struct file *filp, loff_t pos);

/* For an I/O without a file: sets each text to @text. Context: Any context. In src/glue/file_texts.rs. */
void iostat_fileinfo_none(struct iostat_io *io, const char *text);

#endif /* _IOSTAT_FILEINFO_H */
