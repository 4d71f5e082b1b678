// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts by cgroup: see include/iostat/cgroups.h and Documentation/cgroups.rst.
 *
 * In C, since cgroups and their hierarchies are accessed by inline functions and macros.
 */

#include <iostat/cgroups.h>
#include <iostat/io_trace.h>
#include <iostat/probes.h>
#include <linux/bio.h>
#include <linux/blk-cgroup.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/cgroup.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <trace/events/block.h>

DEFINE_STATIC_KEY_FALSE(iostat_cgroups);

#ifdef CONFIG_BLK_CGROUP

/* This header does not compile without cgroups. */
#include <trace/events/cgroup.h>

int iostat_cgroups_switch(bool on)
{
	if (on) {
		static_branch_inc(&iostat_cgroups);
		static_branch_inc(&iostat_watched);
		static_branch_inc(&iostat_general_or_watched);
	} else {
		static_branch_dec(&iostat_general_or_watched);
		static_branch_dec(&iostat_watched);
		static_branch_dec(&iostat_cgroups);
	}
	return 0;
}

u64 notrace iostat_bio_cgroup_owner(struct bio *bio)
{
	struct cgroup_subsys_state *css = bio_blkcg_css(bio) ?: blkcg_root_css;
	struct cgroup *cgrp = css->cgroup, *parent;

	/* The bio holds its cgroup, and a cgroup its parent. */
	while (!(READ_ONCE(cgrp->self.flags) & CSS_ONLINE) && (parent = cgroup_parent(cgrp)))
		cgrp = parent;
	return cgroup_id(cgrp);
}

/* Ids are unique in one hierarchy only. */
static bool is_for_io(const struct cgroup *cgrp)
{
	return cgrp->root == blkcg_root_css->cgroup->root;
}

/* These two are called with the mutex of cgroups, and, except on PREEMPT_RT, with interrupts disabled. */
void notrace iostat_probe_cgroup_rmdir(void *state, struct cgroup *cgrp, const char *path)
{
	struct cgroup *parent = cgroup_parent(cgrp);
	unsigned long flags;

	if (!parent || !is_for_io(cgrp))
		return;
	local_irq_save(flags);
	iostat_cgroup_removed(state, cgroup_id(cgrp), cgroup_id(parent));
	local_irq_restore(flags);
}

void notrace iostat_probe_cgroup_release(void *state, struct cgroup *cgrp, const char *path)
{
	unsigned long flags;

	if (!is_for_io(cgrp))
		return;
	local_irq_save(flags);
	iostat_cgroup_released(state, cgroup_id(cgrp), 0);
	local_irq_restore(flags);
}

static void count(const void *state, struct bio *bio, u64 ios, u64 bytes)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_cgroup_count(state, bio, ios, bytes, __my_cpu_offset);
	local_irq_restore(flags);
}

/* The rest of a split bio is submitted again: one more I/O. If the driver takes requests, each part is counted with its request. */
void notrace iostat_probe_cgroup_split(void *state, struct bio *bio, unsigned int new_sector)
{
	if (bdev_test_flag(bio->bi_bdev, BD_HAS_SUBMIT_BIO))
		count(state, bio, 1, 0);
}

/*
 * A bio ends that is not, or no longer, part of a request: it is not counted with one. nvme multipath calls this
 * for a bio that still is, with the queue of the multipath disk.
 */
void notrace iostat_probe_cgroup_refused(void *state, struct request_queue *q, struct bio *bio)
{
	if (q == bdev_get_queue(bio->bi_bdev) && !bdev_test_flag(bio->bi_bdev, BD_HAS_SUBMIT_BIO))
		count(state, bio, 1, bio->bi_iter.bi_size);
}

void notrace iostat_cgroups_count_bio(const void *state, struct bio *bio)
{
	count(state, bio, 1, bio->bi_iter.bi_size);
}

/*
 * The flag is set where the kernel counts a bio for io.stat, and is cleared where the bio ends, by the code that
 * follows this event in blk_update_request(). So this walk visits the same bios.
 */
void notrace iostat_cgroups_count_rq(const void *state, struct request *rq, unsigned int nr_bytes)
{
	for (struct bio *bio = rq->bio; bio; bio = bio->bi_next) {
		unsigned int bytes = bio->bi_iter.bi_size;

		if (bio_flagged(bio, BIO_TRACE_COMPLETION))
			count(state, bio, 1, bytes);
		if (bytes >= nr_bytes)
			break;
		nr_bytes -= bytes;
	}
}

/* Does not compile if a TP_PROTO changes. Generates no code. */
static void __maybe_unused check(void)
{
	check_trace_callback_type_cgroup_rmdir(iostat_probe_cgroup_rmdir);
	check_trace_callback_type_cgroup_release(iostat_probe_cgroup_release);
	check_trace_callback_type_block_split(iostat_probe_cgroup_split);
	check_trace_callback_type_block_bio_complete(iostat_probe_cgroup_refused);
}

#else /* !CONFIG_BLK_CGROUP */

int iostat_cgroups_switch(bool on)
{
	return -EOPNOTSUPP;
}

u64 notrace iostat_bio_cgroup_owner(struct bio *bio)
{
	return 0;
}

void notrace iostat_probe_cgroup_rmdir(void *state, struct cgroup *cgrp, const char *path)
{
}

void notrace iostat_probe_cgroup_release(void *state, struct cgroup *cgrp, const char *path)
{
}

void notrace iostat_probe_cgroup_split(void *state, struct bio *bio, unsigned int new_sector)
{
}

void notrace iostat_probe_cgroup_refused(void *state, struct request_queue *q, struct bio *bio)
{
}

void notrace iostat_cgroups_count_rq(const void *state, struct request *rq, unsigned int nr_bytes)
{
}

void notrace iostat_cgroups_count_bio(const void *state, struct bio *bio)
{
}

#endif
