// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that timed out. The kernel has no tracepoint for them.
 *
 * When a queue's timer fires, blk_mq_timeout_work() reads the time. If any request
 * has timed out by then, it calls blk_mq_handle_expired() for each request in flight,
 * which passes those that have timed out to the driver. Both functions are hooked at
 * their entry only: hooks at exits would give every task a shadow stack for as long
 * as the module is loaded.
 */

#include <iostat/functions.h>
#include <iostat/timeouts.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#define BITS	6

/*
 * The time that a worker has read, by the hash of its task. If two workers that handle
 * timeouts at the same time have the same place, those of one are not counted.
 */
static struct look {
	const struct task_struct *worker;
	unsigned long start;
} looks[1 << BITS];

static const void *state;

static void take_time(struct look *look)
{
	WRITE_ONCE(look->worker, NULL);
	/* A reader that sees this time also sees that it has no worker yet: pairs with is_late(). */
	smp_store_release(&look->start, jiffies);
	/* A worker that sees itself here also sees its own time: pairs with is_late(). */
	smp_store_release(&look->worker, current);
}

/* As blk_mq_req_expired(). */
static bool is_late(const struct look *look, struct request *rq)
{
	/* Read before the worker: pairs with take_time(). */
	unsigned long start = smp_load_acquire(&look->start);

	return READ_ONCE(look->worker) == current &&
		blk_mq_rq_state(rq) == MQ_RQ_IN_FLIGHT && !(rq->rq_flags & RQF_TIMED_OUT) &&
		time_after_eq(start, READ_ONCE(rq->deadline));
}

static int on_work(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		   struct ftrace_regs *regs, void *data)
{
	take_time(&looks[hash_ptr(current, BITS)]);
	return 0;
}

static int on_handle(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		     struct ftrace_regs *regs, void *data)
{
	/* The caller of blk_mq_handle_expired() has a reference to the request. */
	struct request *rq = (struct request *)iostat_function_argument(regs, 0);

	if (is_late(&looks[hash_ptr(current, BITS)], rq)) {
		guard(srcu_fast_notrace)(&tracepoint_srcu);
		iostat_timeout(state, rq);
	}
	return 0;
}

static struct fprobe work, handle;
static bool is_hooked;

/*
 * Two fprobes, although one could be on both functions: a single symbol is found by a binary search, for
 * several the kernel walks over all its symbols.
 */
static int hook(struct fprobe *probe, const char *symbol, fprobe_entry_cb on_entry)
{
	*probe = (struct fprobe) { .entry_handler = on_entry };
	return register_fprobe_syms(probe, &symbol, 1);
}

static void hook_both(struct work_struct *unused)
{
	if (hook(&work, "blk_mq_timeout_work", on_work))
		return;
	is_hooked = !hook(&handle, "blk_mq_handle_expired", on_handle);
	if (!is_hooked)
		unregister_fprobe(&work);
}

static DECLARE_DELAYED_WORK(hook_work, hook_both);

/*
 * To hook a function the kernel walks over all functions that it can trace, several times. insmod does not
 * wait for that: no recorded I/O can time out before a second has passed.
 */
void iostat_timeouts_hook(const void *new_state)
{
	state = new_state;
	queue_delayed_work(system_dfl_wq, &hook_work, HZ / 10);
}

void iostat_timeouts_unhook(void)
{
	cancel_delayed_work_sync(&hook_work);
	if (!is_hooked)
		return;
	unregister_fprobe(&handle);
	unregister_fprobe(&work);
	is_hooked = false;
}
