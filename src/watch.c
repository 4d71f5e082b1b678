// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/watch.h.
 *
 * A record belongs to whoever owns its I/O at the moment, like the entry of the
 * same number. There is memory for them from the first time an event is turned
 * on, until the module goes: none is allocated with an I/O, and none is freed
 * under one.
 */

#include <iostat/fileinfo.h>
#include <iostat/text.h>
#include <iostat/watch.h>
#include <linux/atomic.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <trace/events/io.h>

DEFINE_STATIC_KEY_FALSE(iostat_watched);

static struct iostat_io *records;
static size_t count;
static atomic64_t last_id;
static DEFINE_MUTEX(lock);

static int allocate(void)
{
	if (records || !count)
		return 0;
	records = kvcalloc(count, sizeof(*records), GFP_KERNEL);
	return records ? 0 : -ENOMEM;
}

int iostat_watch_open(size_t new_count)
{
	int error;

	guard(mutex)(&lock);
	count = new_count;
	/* The events are there before the module is ready: one may be on already. */
	error = static_key_enabled(&iostat_watched.key) ? allocate() : 0;
	if (!error)
		iostat_fileinfo_open();
	return error;
}

void iostat_watch_close(void)
{
	iostat_fileinfo_close();
	guard(mutex)(&lock);
	kvfree(records);
	records = NULL;
	count = 0;
}

/* Either event; the tracepoints' own mutex is held. */
int iostat_watch_reg(void)
{
	int error;

	scoped_guard(mutex, &lock)
		error = allocate();
	if (error)
		return error;
	iostat_fileinfo_get();
	static_branch_inc(&iostat_watched);
	return 0;
}

void iostat_watch_unreg(void)
{
	static_branch_dec(&iostat_watched);
	iostat_fileinfo_put();
}

#ifdef CONFIG_BLK_CGROUP
static u64 cgroup_of(struct bio *bio)
{
	struct cgroup_subsys_state *css;

	guard(rcu)();
	css = bio ? bio_blkcg_css(bio) : NULL;
	return css ? cgroup_id(css->cgroup) : 0;
}
#else
static u64 cgroup_of(struct bio *bio)
{
	return 0;
}
#endif

bool iostat_watch_start(size_t record, const struct iostat_bufinfo *buf,
			const struct iostat_devinfo *dev, struct bio *bio, bool is_own)
{
	struct iostat_io *io;

	if (!records)
		return false;
	io = &records[record];
	io->buf = *buf;
	io->buf.id = trace_start_enabled() ? atomic64_inc_return(&last_id) : 0;
	io->buf.b_flags |= iostat_fileinfo_of_bio(&io->file, bio, is_own);
	io->dev = *dev;
	io->task.cgroup = cgroup_of(bio);
	io->task.pid = current->pid;
	iostat_put_comm(&io->task);
	io->result.b_resid = 0;
	trace_start(io);
	return true;
}

void iostat_watch_fail(size_t record, u32 bytes)
{
	if (records)
		records[record].result.b_resid += bytes;
}

static void done(struct iostat_io *io, const struct iostat_result *result, u32 failed_before)
{
	io->result = *result;
	if (result->outcome == IOSTAT_ABANDONED) {
		/* All that is known is what it asked for. */
		io->result.b_resid = io->buf.b_bcount;
	} else {
		io->result.b_resid += failed_before;
		io->buf.b_bcount = result->b_bcount + failed_before;
		io->buf.b_bufsize = io->buf.b_bcount;
	}
	io->buf.b_flags |= IOSTAT_B_DONE | (result->b_error ? IOSTAT_B_ERROR : 0);
	trace_done(io);
}

void iostat_watch_done(size_t record, const struct iostat_result *result)
{
	if (records)
		done(&records[record], result, records[record].result.b_resid);
}

void iostat_watch_done_unseen(const struct iostat_bufinfo *buf, const struct iostat_devinfo *dev,
			      const struct iostat_result *result)
{
	struct iostat_io io = { .buf = *buf, .dev = *dev };

	iostat_fileinfo_none(&io.file, "<unknown>");
	done(&io, result, 0);
}
