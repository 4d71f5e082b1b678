/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is inside direct I/O, and with which file: the memory of such I/O says
 * nothing of it.
 */
#ifndef _IOSTAT_DIO_H
#define _IOSTAT_DIO_H

#include <linux/types.h>

struct bio;
struct bio_vec;
struct iov_iter;
struct kiocb;

/**
 * struct iostat_dio - a call of one of the functions that do direct I/O
 * @outer: that around it, of the same task
 * @iocb: what it was called with
 * @iter: likewise
 * @pos: where in the file it begins
 * @vec: where @iter was when it began
 * @vec_offset: and how far in there
 * @end: how much of @iter had been made bios of when a bio was last looked at
 * @bio_vec: the vector of that bio, or NULL
 * @bio_pos: where in the file the memory of that vector begins
 */
struct iostat_dio {
	struct iostat_dio *outer;
	struct kiocb *iocb;
	struct iov_iter *iter;
	loff_t pos;
	const void *vec;
	size_t vec_offset;
	ssize_t end;
	const struct bio_vec *bio_vec;
	loff_t bio_pos;
};

/* May sleep. A function that cannot be hooked has its files <unknown>. */
void iostat_dio_start(void);
void iostat_dio_stop(void);

/* The innermost of this task, or NULL. By a probe, for which it is valid. */
struct iostat_dio *iostat_dio_current(void);

/*
 * Where in the file a bio is that the call submits, or a driver below does meanwhile; -1 if that is not
 * known. Each bio is to be looked at as it is submitted, the first of them before its parts.
 */
loff_t iostat_dio_offset(struct iostat_dio *dio, const struct bio *bio);

#endif /* _IOSTAT_DIO_H */
