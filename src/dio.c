// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that do direct I/O are called with the file, and submit their
 * bios before they return. So while they run, their task has an entry here.
 */

#include <iostat/dio.h>
#include <iostat/functions.h>
#include <linux/bio.h>
#include <linux/bvec.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>
#include <linux/uio.h>

#define BITS	10
#define WINDOW	4

/*
 * By hash of the task. Without a place in its window a task goes unnoticed,
 * and its files are <unknown>.
 */
static struct place {
	struct task_struct *task;
	struct iostat_dio *dio;
} places[1 << BITS];

static struct place *place_at(unsigned int index)
{
	return &places[(hash_ptr(current, BITS) ^ index) & ((1 << BITS) - 1)];
}

static struct place *find(void)
{
	for (unsigned int index = 0; index < WINDOW; index++) {
		struct place *place = place_at(index);

		/* Nobody but the task itself puts it there, or takes it away. */
		if (READ_ONCE(place->task) == current)
			return place;
	}
	return NULL;
}

/* The one it has, or one that it has from here on. */
static struct place *claim(void)
{
	struct place *free = NULL;

	for (unsigned int index = 0; index < WINDOW; index++) {
		struct place *place = place_at(index);
		const struct task_struct *task = READ_ONCE(place->task);

		if (task == current)
			return place;
		if (!task && !free)
			free = place;
	}
	/* Another may have been faster; then this call goes unnoticed. */
	if (!free || cmpxchg(&free->task, NULL, current))
		return NULL;
	free->dio = NULL;
	return free;
}

/* Nobody looks while it is false. */
static bool is_complete;

const struct iostat_dio *iostat_dio_current(void)
{
	struct place *place;

	/* Who sees it sees the functions hooked. */
	if (!smp_load_acquire(&is_complete))
		return NULL;
	place = find();
	return place ? place->dio : NULL;
}

/* The first two arguments of all of them are an iocb and an iter, but for one. */
static int enter(struct iostat_dio *dio, struct kiocb *iocb, struct iov_iter *iter)
{
	struct place *place = claim();

	if (!place)
		return 1;	/* and nothing at its exit */
	dio->outer = place->dio;
	dio->iocb = iocb;
	dio->iter = iter;
	dio->pos = iocb->ki_pos;
	dio->vec = NULL;
	dio->vec_offset = 0;
	if (iter) {
		dio->vec = iter_is_ubuf(iter) ? NULL : iter->bvec;
		dio->vec_offset = iter->iov_offset;
	}
	place->dio = dio;
	return 0;
}

/* This one reads ahead of the bios it makes of what it read. */
static struct iostat_function without_iter = { "__blockdev_direct_IO" };

/* Not every kernel has all of them. */
static struct iostat_function *const functions[] = {
	&(struct iostat_function) { "blkdev_direct_IO" },
	&(struct iostat_function) { "iomap_dio_rw" },
	&(struct iostat_function) { "__iomap_dio_rw" },
	/* Since 7.3. */
	&(struct iostat_function) { "__iomap_dio_read_simple" },
	&without_iter,
};

static int on_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	return enter(data, (struct kiocb *)ftrace_regs_get_argument(regs, 0),
		     ip == READ_ONCE(without_iter.ip) ? NULL :
		     (struct iov_iter *)ftrace_regs_get_argument(regs, 1));
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
		WRITE_ONCE(place->task, NULL);
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
	/* Behind all of the hooking. */
	smp_store_release(&is_complete, is_hooked);
}

void iostat_dio_stop(void)
{
	if (!is_hooked)
		return;
	/* From here on calls return without being seen: nobody must look any more. */
	WRITE_ONCE(is_complete, false);
	synchronize_rcu();
	/*
	 * Of tracepoint_synchronize_unregister() the half that concerns probes of
	 * the block layer's. The other waits for sleepable BPF programs, which may
	 * wait for a page of somebody's FUSE file.
	 */
	synchronize_srcu(&tracepoint_srcu);
	iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
	memset(places, 0, sizeof(places));
}

/* How much of the iter has been made bios of; -1 if that cannot be known. */
static ssize_t consumed(const struct iostat_dio *dio)
{
	const struct iov_iter *iter = dio->iter;
	ssize_t bytes;

	if (!iter)
		return -1;
	bytes = iter->iov_offset - dio->vec_offset;
	if (iter_is_ubuf(iter))
		return bytes;
	if (iov_iter_is_bvec(iter)) {
		for (const struct bio_vec *vec = dio->vec; vec < iter->bvec; vec++)
			bytes += vec->bv_len;
		return bytes;
	}
	if (iter_is_iovec(iter)) {
		for (const struct iovec *vec = dio->vec; vec < iter->__iov; vec++)
			bytes += vec->iov_len;
		return bytes;
	}
	return -1;
}

/*
 * What a chained bio calls at its end, which shows that it is one: a function
 * that is not exported, but bio_chain() tells.
 */
static bio_end_io_t *chain_end_io(void)
{
	static bio_end_io_t *function;

	if (!function) {
		struct bio bio = {}, parent = {};

		bio_chain(&bio, &parent);
		function = bio.bi_end_io;
	}
	return function;
}

loff_t iostat_dio_offset(const struct iostat_dio *dio, const struct bio *bio)
{
	ssize_t end = consumed(dio);

	if (end < 0)
		return -1;
	/* The front of a bio that was too long for the device: the rest comes next. */
	if (bio->bi_end_io == chain_end_io())
		end -= ((struct bio *)bio->bi_private)->bi_iter.bi_size;
	end -= bio->bi_iter.bi_size;
	return end < 0 ? -1 : dio->pos + end;
}
