/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks that are in a function that does direct I/O, and their files: the file of
 * direct I/O cannot be found from its memory.
 */
#ifndef _IOSTAT_DIO_H
#define _IOSTAT_DIO_H

#include <linux/types.h>

struct bio;
struct bio_vec;
struct file;
struct iov_iter;
struct kiocb;

/**
 * struct iostat_dio - a call of one of the functions that do direct I/O
 * @outer: the call of the same task that this call is nested in, or NULL
 * @iocb: its first argument
 * @iter: its second argument; NULL for a function that reads all of the iter before it makes the bios
 * @pos: offset in the file at which the I/O begins, bytes
 * @bytes: length of the I/O, bytes
 * @is_write: whether it writes to the file
 * @is_user: whether its memory is that of a process, so that the kernel may have to read pages of it during the call
 * @vec: the vector of @iter at the beginning of the call
 * @vec_offset: the offset in that vector, bytes
 * @end: how many bytes of @iter had become bios when the last bio was submitted
 * @bio_vec: the vector of that bio, or NULL
 * @bio_pos: offset in the file of the memory that @bio_vec begins with, bytes
 */
struct iostat_dio {
	struct iostat_dio *outer;
	struct kiocb *iocb;
	struct iov_iter *iter;
	loff_t pos;
	size_t bytes;
	bool is_write;
	bool is_user;
	const void *vec;
	size_t vec_offset;
	ssize_t end;
	const struct bio_vec *bio_vec;
	loff_t bio_pos;
};

/* Hooks and unhooks the functions. May sleep. The files of a function that cannot be hooked are <unknown>. */
void iostat_dio_start(void);
void iostat_dio_stop(void);

/*
 * Returns the open block device that the current task reads or writes by a synchronous call of blkdev_direct_IO(), if
 * the bio is of that call and refers to memory of the user; NULL if not. Sets the offset of the bio in the device. If
 * @is_start, and the bio is the last one of the call, the call is forgotten.
 */
const struct file *iostat_dio_sync_file(const struct bio *bio, bool is_start, loff_t *offset);

/*
 * Returns the innermost call of the current task, except those of iostat_dio_sync_file(), or NULL. Called by probes,
 * which may use the result until they return.
 */
struct iostat_dio *iostat_dio_current(void);

/*
 * Returns the offset in the file, bytes, of a bio that the call submits, or a driver that handles such a bio;
 * -1 if it is not known. To be called for each bio when it is submitted, for a bio before its parts and clones.
 */
loff_t iostat_dio_offset(struct iostat_dio *dio, const struct bio *bio);

#endif /* _IOSTAT_DIO_H */
