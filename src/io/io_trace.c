// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/io_trace.h.
 *
 * A record is used by the owner of its I/O only, as is the entry of the same
 * number. The memory for all records is allocated when an event is enabled for the
 * first time, and freed when the module is unloaded: never while I/Os use them.
 */

#include <iostat/fileinfo.h>
#include <iostat/probes.h>
#include <iostat/text.h>
#include <iostat/io_trace.h>
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wordpart.h>
#include <trace/events/io.h>

DEFINE_STATIC_KEY_FALSE(iostat_traced);

static struct part {
	struct iostat_io *records;
	size_t count;
} parts[IOSTAT_WATCH_PARTS];
static unsigned int nr_parts;
/* How many of the events are enabled. */
static unsigned int users;
/*
 * How often @users became more than 0. A record of an earlier period is not valid: its I/O may have ended meanwhile.
 */
static u64 period;
static atomic64_t last_id;
/* Protects all of these. A disk that is added may have to wait for it. */
static DEFINE_MUTEX(lock);

static int allocate(void)
{
	/* The caller may have suspended the device that reclaim would write to. */
	unsigned int noio = memalloc_noio_save();
	int error = 0;

	for (unsigned int part = 0; part < nr_parts && !error; part++) {
		struct iostat_io *records = parts[part].records;

		if (!records)
			records = vcalloc(parts[part].count, sizeof(*records));
		if (!records)
			error = -ENOMEM;
		/* Publishes the zeroes and the count; pairs with find(). */
		smp_store_release(&parts[part].records, records);
	}
	memalloc_noio_restore(noio);
	return error;
}

static int add(size_t count)
{
	int error;

	if (nr_parts == ARRAY_SIZE(parts))
		return -ENOMEM;
	parts[nr_parts++].count = count;
	/* An event may have been enabled before the module has its entries. */
	error = users ? allocate() : 0;
	/* The other parts have their records already, so it was this part that failed. */
	if (error)
		nr_parts--;
	return error;
}

int iostat_trace_open(size_t count)
{
	int error;

	guard(mutex)(&lock);
	error = add(count);
	if (!error)
		iostat_fileinfo_open();
	return error;
}

int iostat_trace_add(size_t count)
{
	guard(mutex)(&lock);
	return add(count);
}

void iostat_trace_close(void)
{
	iostat_fileinfo_close();
	guard(mutex)(&lock);
	while (nr_parts) {
		vfree(parts[--nr_parts].records);
		parts[nr_parts].records = NULL;
	}
}

static struct iostat_io *find(u64 record)
{
	const struct part *part = parts + upper_32_bits(record);
	size_t index = lower_32_bits(record);
	struct iostat_io *records;

	if (part >= parts + ARRAY_SIZE(parts))
		return NULL;
	/* Pairs with allocate(). */
	records = smp_load_acquire(&part->records);
	return records && index < part->count ? &records[index] : NULL;
}

/* The record of an I/O, if it has been written at the start of that I/O. */
static struct iostat_io *find_started(u64 record)
{
	struct iostat_io *io = find(record);

	return io && io->period == READ_ONCE(period) ? io : NULL;
}

/* One of the two events is enabled. The tracepoints' mutex is held. */
int iostat_trace_reg(void)
{
	int error;

	scoped_guard(mutex, &lock) {
		error = allocate();
		if (!error && !users++)
			WRITE_ONCE(period, period + 1);
	}
	if (error)
		return error;
	iostat_fileinfo_get();
	static_branch_inc(&iostat_traced);
	static_branch_inc(&iostat_watched);
	static_branch_inc(&iostat_general_or_traced);
	static_branch_inc(&iostat_general_or_watched);
	return 0;
}

void iostat_trace_unreg(void)
{
	static_branch_dec(&iostat_general_or_watched);
	static_branch_dec(&iostat_general_or_traced);
	static_branch_dec(&iostat_watched);
	static_branch_dec(&iostat_traced);
	iostat_fileinfo_put();
	guard(mutex)(&lock);
	users--;
}

int iostat_merge_reg(void)
{
	iostat_fileinfo_get();
	return 0;
}

void iostat_merge_unreg(void)
{
	iostat_fileinfo_put();
}

#ifdef CONFIG_BLK_CGROUP
/* A bio holds its group. */
static u64 cgroup_of(struct bio *bio)
{
	struct cgroup_subsys_state *css = bio ? bio_blkcg_css(bio) : NULL;

	return css ? cgroup_id(css->cgroup) : 0;
}
#else
static u64 cgroup_of(struct bio *bio)
{
	return 0;
}
#endif

void iostat_put_device(struct iostat_io *io, const struct iostat_traced_device *dev)
{
	u32 at = IOSTAT_TEXTS_AT + io->bytes;

	io->dev = dev->info;
	io->where.dev_name = dev->dev_name + at;
	io->where.dev_pathname = dev->dev_pathname + at;
	iostat_copy_words(io->texts + io->bytes, dev->texts, dev->bytes);
	io->bytes += dev->bytes;
}

/*
 * Sets all members but the file and the device. The caller sets the file first: the texts of the device follow those of
 * the file.
 */
static __always_inline struct iostat_io *begin(u64 record, const struct iostat_bufinfo *buf, struct bio *bio)
{
	struct iostat_io *io = find(record);

	if (!io)
		return NULL;
	io->buf = *buf;
	io->buf.id = trace_start_enabled() ? atomic64_inc_return(&last_id) : 0;
	io->task.cgroup = cgroup_of(bio);
	io->is_plain = iostat_put_task(&io->task, io->is_plain);
	io->result.b_resid = 0;
	io->period = READ_ONCE(period);
	return io;
}

void iostat_trace_start(u64 record, const struct iostat_bufinfo *buf,
			const struct iostat_traced_device *dev, struct bio *bio, bool is_own)
{
	struct iostat_io *io = begin(record, buf, bio);

	if (!io)
		return;
	io->buf.b_flags |= iostat_fileinfo_of_bio(io, bio, is_own, true);
	iostat_put_device(io, dev);
	trace_start(io);
}

void iostat_trace_start_file(u64 record, const struct iostat_bufinfo *buf,
			     const struct iostat_traced_device *dev, struct inode *inode, loff_t pos,
			     bool is_direct)
{
	struct iostat_io *io = begin(record, buf, NULL);

	if (!io)
		return;
	io->buf.b_flags |= is_direct ? IOSTAT_B_PHYS : IOSTAT_B_PAGEIO;
	iostat_fileinfo_of_cache(io, inode->i_mapping, pos);
	iostat_put_device(io, dev);
	trace_start(io);
}

void iostat_trace_merge(const struct iostat_bufinfo *buf, const struct iostat_traced_device *dev,
			struct bio *bio)
{
	struct iostat_io io __uninitialized;	/* The members that are traced are set below. */

	io.buf = *buf;
	io.buf.b_flags |= iostat_fileinfo_of_bio(&io, bio, true, true);
	iostat_put_device(&io, dev);
	io.task.cgroup = cgroup_of(bio);
	iostat_put_task(&io.task, false);
	trace_merge(&io);
}

void iostat_trace_fail(u64 record, u32 bytes)
{
	struct iostat_io *io = find_started(record);

	if (io)
		io->result.b_resid += bytes;
}

static __always_inline void done(struct iostat_io *io, const struct iostat_result *result, u32 failed_before)
{
	io->result = *result;
	if (result->outcome == IOSTAT_ABANDONED) {
		/* It is not known what was transferred: no byte counts as transferred. */
		io->result.b_resid = io->buf.b_bcount;
	} else {
		io->result.b_resid += failed_before;
		io->buf.b_bcount = result->b_bcount + failed_before;
		io->buf.b_bufsize = io->buf.b_bcount;
	}
	io->buf.b_flags |= IOSTAT_B_DONE | (result->b_error ? IOSTAT_B_ERROR : 0);
	trace_done(io);
}

bool iostat_trace_done(u64 record, const struct iostat_result *result)
{
	struct iostat_io *io = find_started(record);

	if (!io)
		return false;
	done(io, result, io->result.b_resid);
	io->period = 0;
	return true;
}

void iostat_trace_done_unseen(const struct iostat_bufinfo *buf, const struct iostat_traced_device *dev,
			      const struct iostat_result *result)
{
	/* The user is not known, and 0 would be root. */
	struct iostat_io io = { .buf = *buf, .task.uid = -1 };

	iostat_fileinfo_none(&io, "<unknown>");
	iostat_put_device(&io, dev);
	done(&io, result, 0);
}
