// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that took too long, of which the kernel has no tracepoint. Once one
 * of a queue has, blk_mq_handle_expired() looks at all that are under way, and
 * gives to the driver what is late; never else.
 */

#include <iostat/event_probes.h>
#include <iostat/functions.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/jiffies.h>
#include <linux/tracepoint.h>

/* A request that is late, before the driver is asked. Its caller has a reference to it. */
struct late {
	struct request *rq;
	unsigned long deadline;
};

static const void *state;

static int on_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	struct request *rq = (struct request *)ftrace_regs_get_argument(regs, 0);
	unsigned long deadline = READ_ONCE(rq->deadline);
	struct late *late = data;

	if (blk_mq_rq_state(rq) != MQ_RQ_IN_FLIGHT || rq->rq_flags & RQF_TIMED_OUT ||
	    time_before(jiffies, deadline))
		return 1;
	*late = (struct late){ .rq = rq, .deadline = deadline };
	return 0;
}

/*
 * That it was given to the driver is seen: the driver has it still, gave it more time or
 * has ended it. If not, time had passed the deadline since the queue was first looked at.
 */
static void on_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	const struct late *late = data;
	struct request *rq = late->rq;

	if (!(rq->rq_flags & RQF_TIMED_OUT) && READ_ONCE(rq->deadline) == late->deadline &&
	    blk_mq_rq_state(rq) == MQ_RQ_IN_FLIGHT)
		return;
	guard(srcu_fast_notrace)(&tracepoint_srcu);
	iostat_event(state, rq->q->disk, IOSTAT_EVENT_TIMEOUT);
}

static struct iostat_function function = { .symbol = "blk_mq_handle_expired" };
static struct iostat_function *const functions[] = { &function };
static struct fprobe probe;

int iostat_timeouts_hook(const void *new_state)
{
	state = new_state;
	probe = (struct fprobe) {
		.entry_handler = on_entry,
		.exit_handler = on_exit,
		.entry_data_size = sizeof(struct late),
	};
	return iostat_functions_hook(&probe, functions, ARRAY_SIZE(functions));
}

void iostat_timeouts_unhook(void)
{
	iostat_functions_unhook(&probe, functions, ARRAY_SIZE(functions));
}
