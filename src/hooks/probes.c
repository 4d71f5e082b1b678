// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of transactions. Each disables interrupts, reads the time and this CPU's offset, and
 * calls the Rust function for its event.
 *
 * These steps are inlines and macros of the kernel that Rust could only call as functions, four for
 * each event of each I/O; in C they are a dozen instructions. Besides, these functions decide which disks an event is
 * recorded for, whether it takes the fast path, and whether it is counted by cgroup or traced. The start of an I/O is
 * traced after interrupts are enabled again, because finding the file and the task may take locks.
 */

#include <iostat/cgroups.h>
#include <iostat/clock.h>
#include <iostat/compat.h>
#include <iostat/probes.h>
#include <iostat/io_trace.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <trace/events/block.h>

DEFINE_STATIC_KEY_FALSE(iostat_general);
DEFINE_STATIC_KEY_FALSE(iostat_general_or_traced);
DEFINE_STATIC_KEY_FALSE(iostat_watched);
DEFINE_STATIC_KEY_FALSE(iostat_general_or_watched);

/* Whether watched events of requests may take the fast path. */
static __always_inline bool may_take_fast_path(void)
{
	return IS_ENABLED(CONFIG_X86_64) && !static_branch_unlikely(&iostat_general);
}

void notrace iostat_general_io_start(void *state, struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_io_start(state, rq, iostat_here());
	local_irq_restore(flags);
}

static noinline void io_start_trace(void *state, struct request *rq)
{
	if (may_take_fast_path())
		iostat_traced_io_start(state, rq);
	else
		iostat_general_io_start(state, rq);
	iostat_io_start_trace(state, rq);
}

void notrace iostat_probe_io_start(void *state, struct request *rq)
{
	/* First, so that state and rq need not be saved across a call. */
	if (static_branch_unlikely(&iostat_traced))
		return io_start_trace(state, rq);
	iostat_general_io_start(state, rq);
}

void notrace iostat_probe_rq_issue(void *state, struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_rq_issue(state, rq, iostat_here());
	local_irq_restore(flags);
}

void notrace iostat_probe_rq_requeue(void *state, struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_rq_requeue(state, rq, iostat_here());
	local_irq_restore(flags);
}

void notrace iostat_probe_rq_merge(void *state, struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_rq_merge(state, rq, iostat_here());
	local_irq_restore(flags);
}

void notrace iostat_probe_io_done(void *state, struct request *rq)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_io_done(state, rq, iostat_here());
	local_irq_restore(flags);
}

static __always_inline void general_rq_complete(void *state, struct request *rq,
						blk_status_t error, unsigned int nr_bytes)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_rq_complete(state, rq, iostat_here(), error, nr_bytes);
	local_irq_restore(flags);
}

void notrace iostat_general_rq_complete_watched(void *state, struct request *rq,
						blk_status_t error, unsigned int nr_bytes)
{
	if (static_branch_unlikely(&iostat_cgroups))
		iostat_cgroups_count_rq(state, rq, nr_bytes);
	general_rq_complete(state, rq, error, nr_bytes);
}

void notrace iostat_probe_rq_complete(void *state, struct request *rq, blk_status_t error,
			      unsigned int nr_bytes)
{
	if (static_branch_unlikely(&iostat_watched)) {
		if (may_take_fast_path())
			return iostat_watched_rq_complete(state, rq, error, nr_bytes);
		return iostat_general_rq_complete_watched(state, rq, error, nr_bytes);
	}
	general_rq_complete(state, rq, error, nr_bytes);
}

/* Called by the task that will sleep, before each sleep until it has a tag. */
void notrace iostat_probe_tag_wait(void *state, struct request_queue *q,
				   struct blk_mq_hw_ctx *hctx, bool is_sched_tag,
				   unsigned int alloc_flags)
{
	unsigned long flags;

	local_irq_save(flags);
	iostat_tag_wait(state, READ_ONCE(q->disk), iostat_here());
	local_irq_restore(flags);
}

static noinline void bio_queue_watched(void *state, struct bio *bio)
{
	if (static_branch_unlikely(&iostat_cgroups))
		iostat_cgroups_count_bio(state, bio);
	if (static_branch_unlikely(&iostat_traced))
		iostat_bio_queue_trace(state, bio);
}

void notrace iostat_probe_bio_queue(void *state, struct bio *bio)
{
	unsigned long flags;

	/* The bios of other disks become requests. */
	if (!bdev_test_flag(bio->bi_bdev, BD_HAS_SUBMIT_BIO))
		return;
	local_irq_save(flags);
	iostat_bio_queue(state, bio, iostat_here(), smp_processor_id());
	local_irq_restore(flags);
	if (static_branch_unlikely(&iostat_watched))
		bio_queue_watched(state, bio);
}

void notrace iostat_probe_bio_complete(void *state, struct request_queue *q, struct bio *bio)
{
	unsigned long flags;

	/* The call of nvme multipath comes too early: see src/recorder/transactions/nvme_multipath.rs. */
	if (q != bdev_get_queue(bio->bi_bdev))
		return;
	local_irq_save(flags);
	iostat_bio_complete(state, bio, iostat_here());
	local_irq_restore(flags);
}

/* Does not compile if a TP_PROTO changes. Generates no code. */
static void __maybe_unused check(void)
{
	check_trace_callback_type_block_io_start(iostat_probe_io_start);
	check_trace_callback_type_block_rq_issue(iostat_probe_rq_issue);
	check_trace_callback_type_block_rq_requeue(iostat_probe_rq_requeue);
	check_trace_callback_type_block_rq_merge(iostat_probe_rq_merge);
	check_trace_callback_type_block_io_done(iostat_probe_io_done);
	check_trace_callback_type_block_rq_complete(iostat_probe_rq_complete);
	check_trace_callback_type_block_io_start(iostat_fast_io_start);
	check_trace_callback_type_block_rq_issue(iostat_fast_rq_issue);
	check_trace_callback_type_block_rq_complete(iostat_fast_rq_complete);
	check_trace_callback_type_block_io_start(iostat_traced_io_start);
	check_trace_callback_type_block_rq_complete(iostat_watched_rq_complete);
#ifdef IOSTAT_HAS_TAG_WAIT
	check_trace_callback_type_block_rq_tag_wait(iostat_probe_tag_wait);
#endif
	check_trace_callback_type_block_bio_queue(iostat_probe_bio_queue);
	check_trace_callback_type_block_bio_complete(iostat_probe_bio_complete);
	check_trace_callback_type_block_bio_backmerge(iostat_probe_bio_backmerge);
	check_trace_callback_type_block_bio_frontmerge(iostat_probe_bio_frontmerge);
	check_trace_callback_type_block_split(iostat_probe_split);
	check_trace_callback_type_block_bio_remap(iostat_probe_bio_remap);
	check_trace_callback_type_block_rq_remap(iostat_probe_rq_remap);
	check_trace_callback_type_block_plug(iostat_probe_plug);
	check_trace_callback_type_block_unplug(iostat_probe_unplug);
	check_trace_callback_type_blk_zone_append_update_request_bio(iostat_probe_zone_append);
	check_trace_callback_type_disk_zone_wplug_add_bio(iostat_probe_zone_plug);
	check_trace_callback_type_blk_zone_wplug_bio(iostat_probe_zone_unplug);
}
