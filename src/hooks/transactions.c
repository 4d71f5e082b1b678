// SPDX-License-Identifier: GPL-2.0
/*
 * Records the transactions of other modules: these functions disable interrupts,
 * read the clock and the per-CPU memory, and call Rust. See src/hooks/probes.c, and
 * include/iostat/devstat.h for a description of each function.
 */

#define pr_fmt(fmt) "iostat: devstat: " fmt

#include <iostat/clients.h>
#include <iostat/clock.h>
#include <iostat/transactions.h>
#include <linux/bio.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/printk.h>

/* Called with interrupts enabled again, because a console may be slow. */
static noinline __cold int complain(const void *caller, const char *what, int error)
{
	const char *why;

	switch (error) {
	case -ERANGE:
		why = "no transaction in progress";
		break;
	case -EINVAL:
		why = "invalid tag type or class";
		break;
	default:
		why = "not a devstat entry";
	}
	if (iostat_may_warn())
		pr_warn("%pS: %s of a transaction not recorded: %s\n", caller, what, why);
	return error;
}

static __always_inline int start(const struct devstat *ds, const u64 *now, const void *caller)
{
	unsigned long flags;
	int ret;

	if (!ds)
		return 0;
	local_irq_save(flags);
	ret = iostat_start(ds, (struct iostat_probe_ctx) {
		.now_ns = now ? *now : iostat_clock_now(),
		.cpu_offset = __my_cpu_offset,
	});
	local_irq_restore(flags);
	return unlikely(ret) ? complain(caller, "start", ret) : 0;
}

static __always_inline int end(const struct devstat *ds, const struct iostat_end *end,
			       const u64 *now, const void *caller)
{
	unsigned long flags;
	int ret;

	if (!ds)
		return 0;
	local_irq_save(flags);
	ret = iostat_end(ds, end, (struct iostat_probe_ctx) {
		.now_ns = now ? *now : iostat_clock_now(),
		.cpu_offset = __my_cpu_offset,
	});
	local_irq_restore(flags);
	return unlikely(ret) ? complain(caller, "end", ret) : 0;
}

int notrace iostat_devstat_start_transaction(const struct devstat *ds, const u64 *now)
{
	return start(ds, now, __builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(iostat_devstat_start_transaction);

int notrace iostat_devstat_end_transaction(const struct devstat *ds, u64 bytes, u32 tag_type,
					   u32 flags, const u64 *now, const u64 *then)
{
	return end(ds, &(struct iostat_end) {
		.bytes = bytes,
		.tag_type = tag_type,
		.flags = flags,
		.then = then,
	}, now, __builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(iostat_devstat_end_transaction);

int notrace iostat_devstat_start_transaction_bio_t0(const struct devstat *ds,
						    const struct bio *bp,
						    struct devstat_bio *state)
{
	/* When the bio is completed, its length is no longer known. */
	state->bio_bcount = bp->bi_iter.bi_size;
	return start(ds, &state->bio_t0, __builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(iostat_devstat_start_transaction_bio_t0);

int notrace iostat_devstat_end_transaction_bio_bt(const struct devstat *ds, const struct bio *bp,
						  const struct devstat_bio *state,
						  const u64 *now)
{
	return end(ds, &(struct iostat_end) {
		.bytes = bp->bi_status ? 0 : state->bio_bcount,
		.tag_type = op_is_flush(bp->bi_opf) ? DEVSTAT_TAG_ORDERED : DEVSTAT_TAG_SIMPLE,
		.flags = iostat_class(bio_op(bp), state->bio_bcount),
		.then = &state->bio_t0,
	}, now, __builtin_return_address(0));
}
EXPORT_SYMBOL_GPL(iostat_devstat_end_transaction_bio_bt);

u64 iostat_devstat_now(void)
{
	return iostat_clock_now();
}
EXPORT_SYMBOL_GPL(iostat_devstat_now);
