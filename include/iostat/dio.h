/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is inside direct I/O, and with which file: the memory of such I/O says
 * nothing of it.
 */
#ifndef _IOSTAT_DIO_H
#define _IOSTAT_DIO_H

#include <linux/types.h>

struct bio;
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
 */
struct iostat_dio {
	struct iostat_dio *outer;
	struct kiocb *iocb;
	struct iov_iter *iter;
	loff_t pos;
	const void *vec;
	size_t vec_offset;
};

/* May sleep. A function that cannot be hooked has its files <unknown>. */
void iostat_dio_start(void);
void iostat_dio_stop(void);

/* The innermost of this task, or NULL. By a probe, for which it is valid. */
const struct iostat_dio *iostat_dio_current(void);

/* Where in the file a bio is that it submits; -1 if that cannot be known. */
loff_t iostat_dio_offset(const struct iostat_dio *dio, const struct bio *bio);

#endif /* _IOSTAT_DIO_H */
