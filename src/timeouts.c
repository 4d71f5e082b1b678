// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that took too long, of which the kernel has no tracepoint.
 *
 * When a queue's timer fires, blk_mq_timeout_work() takes the time, and if any
 * request is late by then, blk_mq_handle_expired() is called for each that is under
 * way and gives to its driver what is late. Both are hooked at their entry, and only
 * there: for exits every task would get a shadow stack, for as long as we are loaded.
 */

#include <iostat/event_probes.h>
#include <iostat/functions.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#define BITS	6

/*
 * By hash of the worker: which time it has taken. Of two workers with one place,
 * which takes as many queues with late requests at a time, one counts nothing.
 */
static struct look {
	const struct task_struct *worker;
	unsigned long start;
} looks[1 << BITS];

static const void *state;

static struct iostat_function work = { .symbol = "blk_mq_timeout_work" };
static struct iostat_function handle = { .symbol = "blk_mq_handle_expired" };
static struct iostat_function *const functions[] = { &work, &handle };

static void take_time(struct look *look)
{
	WRITE_ONCE(look->worker, NULL);
	/* Who sees this time sees that it is nobody's yet: pairs with is_late(). */
	smp_store_release(&look->start, jiffies);
	/* Who sees itself there sees its own time: likewise. */
	smp_store_release(&look->worker, current);
}

/* As blk_mq_req_expired(). */
static bool is_late(const struct look *look, struct request *rq)
{
	/* Before the worker: pairs with take_time(). */
	unsigned long start = smp_load_acquire(&look->start);

	return READ_ONCE(look->worker) == current &&
		blk_mq_rq_state(rq) == MQ_RQ_IN_FLIGHT && !(rq->rq_flags & RQF_TIMED_OUT) &&
		time_after_eq(start, READ_ONCE(rq->deadline));
}

static int on_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	struct look *look = &looks[hash_ptr(current, BITS)];
	struct request *rq;

	if (ip == READ_ONCE(work.ip)) {
		take_time(look);
	} else if (ip == READ_ONCE(handle.ip)) {
		/* Its caller has a reference to it. */
		rq = (struct request *)ftrace_regs_get_argument(regs, 0);
		if (is_late(look, rq)) {
			guard(srcu_fast_notrace)(&tracepoint_srcu);
			iostat_event(state, rq->q->disk, IOSTAT_EVENT_TIMEOUT);
		}
	}
	return 0;
}

static struct fprobe probe;

int iostat_timeouts_hook(const void *new_state)
{
	int error;

	state = new_state;
	probe = (struct fprobe) { .entry_handler = on_entry };
	error = iostat_functions_hook(&probe, functions, ARRAY_SIZE(functions));
	if (error || (work.ip && handle.ip))
		return error;
	iostat_timeouts_unhook();
	return -ENOENT;
}

void iostat_timeouts_unhook(void)
{
	iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
}
