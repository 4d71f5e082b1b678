// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that do direct I/O are called with the file, and submit their
 * bios before they return. So while they run, their task has an entry here.
 */

#include <iostat/chain.h>
#include <iostat/dio.h>
#include <iostat/functions.h>
#include <iostat/probes.h>
#include <iostat/tasks.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/bvec.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uio.h>

#define BITS	10
#define WINDOW	4

/* If a task finds no place, its call is not recorded, and its files are <unknown>. */
static struct place {
	struct task_struct *task;
	struct iostat_dio *dio;
} places[1 << BITS];

static struct place *find(void)
{
	return iostat_task_find(places, sizeof(*places), BITS, WINDOW);
}

/* Returns the place of the current task, which it has already if this call is nested in another. */
static struct place *claim(void)
{
	struct place *place = find();

	if (!place) {
		place = iostat_task_claim(places, sizeof(*places), BITS, WINDOW);
		if (place)
			place->dio = NULL;
	}
	return place;
}

/* Whether all functions are hooked. No place is read while this is false. */
static bool is_complete;

struct iostat_dio *iostat_dio_current(void)
{
	struct place *place;

	/* Pairs with iostat_dio_start(). */
	if (!smp_load_acquire(&is_complete))
		return NULL;
	place = find();
	return place ? place->dio : NULL;
}

/* @iter may be NULL: see @iter of struct iostat_dio. @whole is what the call is to do. */
static int enter(struct iostat_dio *dio, struct kiocb *iocb, struct iov_iter *iter,
		 const struct iov_iter *whole)
{
	struct place *place = claim();

	if (!place)
		return 1;	/* the exit handler is not called */
	dio->outer = place->dio;
	dio->iocb = iocb;
	dio->iter = iter;
	dio->pos = iocb->ki_pos;
	dio->bytes = iov_iter_count(whole);
	/* Only aio and io_uring set IOCB_WRITE. */
	dio->is_write = iov_iter_rw(whole) == WRITE;
	dio->is_user = user_backed_iter(whole);
	dio->vec = NULL;
	dio->vec_offset = 0;
	dio->end = 0;
	dio->bio_vec = NULL;
	if (iter) {
		dio->vec = iter_is_ubuf(iter) ? NULL : iter->bvec;
		dio->vec_offset = iter->iov_offset;
	}
	place->dio = dio;
	return 0;
}

/*
 * A synchronous call of blkdev_direct_IO() with little memory of the user. Its one bio is on the stack of the task,
 * below the return address of the call, and refers to pages of the user. No other function has such bios; so a bio
 * shows that a call of this function goes on, and its exit need not be hooked, which would cost as much again. It is
 * the call that is recorded, as each call replaces or removes what the task has recorded before: the file of an earlier
 * call may be closed.
 */
struct sync_call {
	struct task_struct *task;
	const struct file *filp;
	const struct block_device *bdev;
	/* The address of the return address on the stack. */
	unsigned long sp;
	/* The range of the device that the call reads or writes, bytes. */
	loff_t pos;
	loff_t end;
};

#define SYNC_BITS	8

/* By task. A call that finds its place in use is handled like the others. */
static struct sync_call sync_calls[1 << SYNC_BITS];

/* More than the frame of blkdev_direct_IO(), and of the function that it calls. */
#define MAX_FRAME	1024

static struct sync_call *sync_call_of_task(void)
{
	return iostat_task_find(sync_calls, sizeof(*sync_calls), SYNC_BITS, 1);
}

static void leave_sync(void)
{
	struct sync_call *call = sync_call_of_task();

	if (call)
		iostat_task_release(&call->task);
}

static bool enter_sync(struct kiocb *iocb, const struct iov_iter *iter, unsigned long sp)
{
	struct sync_call *call;
	const struct block_device *bdev = I_BDEV(iocb->ki_filp->f_mapping->host);

	/*
	 * With more memory there are several bios, and a bio-based driver makes other bios of them.
	 */
	if (!is_sync_kiocb(iocb) || !iter_is_ubuf(iter) ||
	    iov_iter_count(iter) > (BIO_MAX_VECS - 2) * PAGE_SIZE ||
	    bdev_test_flag(bdev, BD_HAS_SUBMIT_BIO))
		return false;
	call = sync_call_of_task();
	if (!call)
		call = iostat_task_claim(sync_calls, sizeof(*sync_calls), SYNC_BITS, 1);
	if (!call)
		return false;
	call->filp = iocb->ki_filp;
	call->bdev = bdev;
	call->sp = sp;
	call->pos = iocb->ki_pos;
	call->end = iocb->ki_pos + iov_iter_count(iter);
	return true;
}

/* All of the functions but one have an iocb and an iter as their first two arguments. */
static struct iostat_function of_bdev = { "blkdev_direct_IO" };
/* Its iter, the fourth argument, is ahead of the bios: the function reads all of the iter before it makes bios. */
static struct iostat_function without_iter = { "__blockdev_direct_IO" };

/* Not all kernels have all of these. */
static struct iostat_function *const functions[] = {
	&of_bdev,
	&(struct iostat_function) { "iomap_dio_rw" },
	&(struct iostat_function) { "__iomap_dio_rw" },
	/* Since 7.3. */
	&(struct iostat_function) { "__iomap_dio_read_simple" },
	&without_iter,
};

static int on_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	struct kiocb *iocb = (struct kiocb *)iostat_function_argument(regs, 0);
	struct iov_iter *iter = (struct iov_iter *)iostat_function_argument(regs, 1);

	if (ip == READ_ONCE(without_iter.ip))
		return enter(data, iocb, NULL, (struct iov_iter *)iostat_function_argument(regs, 3));
	if (ip == READ_ONCE(of_bdev.ip)) {
		if (enter_sync(iocb, iter, iostat_function_stack(regs)))
			return 1;	/* the exit is not hooked */
		leave_sync();
	}
	return enter(data, iocb, iter, iter);
}

static void leave(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		  struct ftrace_regs *regs, void *data)
{
	struct place *place = find();
	struct iostat_dio *dio = data;

	if (!place)
		return;
	place->dio = dio->outer;
	if (!dio->outer)
		iostat_task_release(&place->task);
}

static struct fprobe probe;
static bool is_hooked;

void iostat_dio_start(void)
{
	probe = (struct fprobe) {
		.entry_handler = on_entry,
		.exit_handler = leave,
		.entry_data_size = sizeof(struct iostat_dio),
	};
	is_hooked = !iostat_functions_hook(&probe, functions, ARRAY_SIZE(functions));
	/* Publishes that all functions are hooked: pairs with iostat_dio_current(). */
	smp_store_release(&is_complete, is_hooked);
}

void iostat_dio_stop(void)
{
	if (!is_hooked)
		return;
	/* Exits will not be handled any more, so probes must not read places any more. */
	WRITE_ONCE(is_complete, false);
	synchronize_rcu();
	iostat_synchronize_probes();
	iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
	memset(places, 0, sizeof(places));
	memset(sync_calls, 0, sizeof(sync_calls));
}

/*
 * Returns how many bytes of the user's memory have become bios; -1 if that is not known.
 */
static ssize_t consumed(const struct iostat_dio *dio)
{
	const struct iov_iter *iter = dio->iter;
	ssize_t bytes = iter->iov_offset - dio->vec_offset;

	if (iter_is_ubuf(iter))
		return bytes;
	if (!iter_is_iovec(iter))
		return -1;
	for (const struct iovec *vec = dio->vec; vec < iter->__iov; vec++)
		bytes += vec->iov_len;
	return bytes;
}

/*
 * Returns the offset of a bio in its vector, bytes. Clones, and the parts of a bio that was split, share the
 * vector of the original bio; only their iterators differ.
 */
static size_t done_of_vec(const struct bio *bio)
{
	const struct bio_vec *vec = bio->bi_io_vec;
	size_t bytes = mp_bvec_iter_offset(vec, bio->bi_iter) - vec[bio->bi_iter.bi_idx].bv_offset;

	for (unsigned int index = 0; index < bio->bi_iter.bi_idx; index++)
		bytes += vec[index].bv_len;
	return bytes;
}

/* Called for an iter whose vector the bios use. */
static loff_t offset_in_bvec(const struct iostat_dio *dio, const struct bio *bio)
{
	ssize_t before = 0;

	if (bio->bi_io_vec < (const struct bio_vec *)dio->vec || bio->bi_io_vec > dio->iter->bvec)
		return -1;
	for (const struct bio_vec *vec = dio->vec; vec < bio->bi_io_vec; vec++)
		before += vec->bv_len;
	return dio->pos + before + done_of_vec(bio) - dio->vec_offset;
}

/*
 * For the first bio that is submitted after the iter advanced by @made bytes: returns the number of bytes from the
 * beginning of the bio to the position of the iter; -1 if it is not known.
 */
static ssize_t bytes_to_end(const struct bio *bio, ssize_t made)
{
	const struct bio *last = bio, *rest;
	ssize_t bytes = bio->bi_iter.bi_size;

	/* The first part of a bio that was too long for the device: the rest is submitted later. */
	while ((rest = iostat_bio_parent(last))) {
		if (rest->bi_io_vec != bio->bi_io_vec)
			break;
		bytes += rest->bi_iter.bi_size;
		last = rest;
	}
	/* A clone may cover a part only. A bio that pads with zeros has memory of the kernel. */
	return bio_flagged(last, BIO_PAGE_PINNED) || bytes == made ? bytes : -1;
}

loff_t iostat_dio_offset(struct iostat_dio *dio, const struct bio *bio)
{
	ssize_t end, bytes;

	if (!dio->iter)
		return -1;
	if (iov_iter_is_bvec(dio->iter))
		return offset_in_bvec(dio, bio);
	end = consumed(dio);
	if (end < 0)
		return -1;
	/*
	 * The iter advances before each bio that is made from it, and not while that bio is submitted: to this
	 * device, and in parts and clones to lower devices.
	 */
	if (end != dio->end) {
		bytes = bytes_to_end(bio, end - dio->end);
		dio->end = end;
		dio->bio_vec = bytes < 0 ? NULL : bio->bi_io_vec;
		dio->bio_pos = dio->pos + end - bytes - done_of_vec(bio);
	}
	return bio->bi_io_vec == dio->bio_vec ? dio->bio_pos + (loff_t)done_of_vec(bio) : -1;
}

const struct file *iostat_dio_sync_file(const struct bio *bio, bool is_start, loff_t *offset)
{
	struct sync_call *call = sync_call_of_task();
	const struct bio *whole = bio, *parent;
	sector_t sector = bio->bi_iter.bi_sector;
	const struct file *filp;
	loff_t pos;

	/* Pairs with iostat_dio_start(). */
	if (!call || !smp_load_acquire(&is_complete))
		return NULL;
	/* The bio may be a part of one that was too long for the device. */
	while ((parent = iostat_bio_parent(whole)))
		whole = parent;
	if (call->sp - (unsigned long)whole > MAX_FRAME || whole->bi_bdev != call->bdev ||
	    !bio_flagged(whole, BIO_PAGE_PINNED))
		return NULL;
	if (bio_flagged(bio, BIO_REMAPPED))
		sector -= call->bdev->bd_start_sect;
	pos = (loff_t)sector << SECTOR_SHIFT;
	if (pos < call->pos || pos + bio->bi_iter.bi_size > call->end)
		return NULL;
	*offset = pos;
	filp = call->filp;
	if (is_start && pos + bio->bi_iter.bi_size == call->end)
		leave_sync();
	return filp;
}
