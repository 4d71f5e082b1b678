// SPDX-License-Identifier: GPL-2.0
/*
 * The handlers of the hooks of io:wait_start and io:wait_done. src/glue/waits.rs attaches the
 * hooks while one of the events is enabled.
 *
 * This file and wait_hooks.c are in C because inline functions read the arguments from registers,
 * and the members of folios, buffer heads and inodes, and because the tracepoints need C.
 * src/recorder/waits.rs adds the id, the direction and the device of a wait.
 *
 * Handlers run on the thread that waits, with preemption disabled.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <iostat/clock.h>
#include <iostat/tasks.h>
#include <iostat/text.h>
#include <iostat/wait_hooks.h>
#include <linux/blkdev.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <trace/events/io.h>

/*
 * Data of a hooked call, on the shadow stack of its thread from entry to exit.
 *
 * A call can be nested in another: a file system may read its metadata through the page cache to find out where the data
 * of a file is. The thread has one struct call, of the innermost; @outer is what it was before this one.
 */
struct kept {
	u64 attach_id;
	const struct hook *hook;
	struct iostat_wait *wait;
	struct call *call;
	bool is_nested;
	struct call outer;
};

/*
 * The value of @attach_id in the data of calls whose entry was handled since the hooks were last
 * registered.
 */
static u64 attach_id;
static iostat_waits_fn identify;
static const void *state;

/* Waits in progress. A wait that finds no free place is not traced. */
#define WAITS_BITS	11
#define WAITS_WINDOW	16
static struct iostat_wait *waits;

static void record_start(const struct hook *hook, struct iostat_wait *wait)
{
	struct iostat_bufinfo *buf = &wait->io.buf;

	buf->b_addr = 0;
	buf->b_iodone = 0;
	buf->b_bufsize = buf->b_bcount;
	buf->b_blkno = buf->b_lblkno;
	if (wait->bdev && buf->b_lblkno != ~0ULL)
		buf->b_blkno += wait->bdev->bd_start_sect;
	strscpy_pad(wait->wait_in, hook->function.symbol, IOSTAT_FUNCTION_LEN);
	iostat_put_task(&wait->io.task, false);
	scoped_guard(srcu_fast_notrace, &tracepoint_srcu)
		identify(state, wait);
	wait->is_traced = trace_wait_start_enabled();
	trace_wait_start(wait);
	/* Last: the time for tracing the event is not part of the wait. */
	wait->start_ns = iostat_clock_read();
}

static void record_done(struct iostat_wait *wait)
{
	wait->wait_ns = iostat_clock_read() - wait->start_ns;
	/* A done without a start is only traced if starts are not enabled. */
	if (wait->is_traced || !trace_wait_start_enabled())
		trace_wait_done(wait);
}

/* Claims a place for a wait, and traces its start. NULL if it is not a wait for I/O, or there is no place. */
static struct iostat_wait *begin(const struct hook *hook, struct ftrace_regs *regs,
				 unsigned long ret_ip)
{
	struct iostat_wait *wait = iostat_task_claim(waits, sizeof(*waits), WAITS_BITS, WAITS_WINDOW);

	if (!wait)
		return NULL;
	wait->op = REQ_OP_READ;
	wait->io.buf.b_bcount = 0;
	if (!hook->describe(wait, regs, ret_ip)) {
		iostat_task_release(&wait->task);
		return NULL;
	}
	record_start(hook, wait);
	return wait;
}

/* Other threads read @task meanwhile, which stays as it is. */
static void call_restore(struct call *call, const struct call *outer)
{
	call->filp = outer->filp;
	call->mapping = outer->mapping;
	call->pos = outer->pos;
	call->in_folio = outer->in_folio;
}

static const struct hook *hook_at(unsigned long entry_ip)
{
	for (int i = 0; i < iostat_nr_wait_hooks; i++)
		if (READ_ONCE(iostat_wait_hooks[i].function.ip) == entry_ip)
			return &iostat_wait_hooks[i];
	return NULL;
}

/* Return: 0, or 1 if the exit of this call need not be handled. */
static int on_entry(struct fprobe *probe, unsigned long entry_ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	const struct hook *hook = hook_at(entry_ip);
	struct kept *kept = data;

	if (!hook)
		return 1;
	kept->attach_id = attach_id;
	kept->hook = hook;
	kept->wait = NULL;
	if (hook->enter) {
		kept->call = iostat_call_find();
		kept->is_nested = kept->call;
		if (kept->is_nested)
			kept->outer = *kept->call;
		else
			kept->call = iostat_call_claim();
		if (!kept->call)
			return 1;
		kept->call->in_folio = 0;
		hook->enter(kept->call, regs);
		return 0;
	}
	kept->call = hook->is_of_folio ? iostat_call_find() : NULL;
	if (kept->call)
		kept->call->in_folio++;
	kept->wait = begin(hook, regs, ret_ip);
	return !kept->wait && !kept->call;
}

static void on_exit(struct fprobe *probe, unsigned long entry_ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
	const struct kept *kept = data;

	/* The entry was handled before the hooks were last registered, perhaps by another load of this module. */
	if (kept->attach_id != attach_id)
		return;
	if (kept->wait) {
		record_done(kept->wait);
		iostat_task_release(&kept->wait->task);
	}
	if (!kept->call)
		return;
	if (!kept->hook->enter)
		kept->call->in_folio--;
	else if (kept->is_nested)
		call_restore(kept->call, &kept->outer);
	else
		iostat_task_release(&kept->call->task);
}

/* Hooks in the kernel itself, and in modules. */
static struct group {
	struct fprobe probe;
	struct iostat_function *functions[IOSTAT_MAX_FUNCTIONS];
	unsigned int count;
} groups[2];

int iostat_wait_hooks_attach(bool of_modules)
{
	/* Reported once only: users may enable and disable the events often. */
	static unsigned long reported;
	struct group *group = &groups[of_modules];
	int error;

	BUILD_BUG_ON(IOSTAT_MAX_FUNCTIONS > BITS_PER_LONG);
	group->count = 0;
	for (int i = 0; i < iostat_nr_wait_hooks; i++)
		if (of_modules == !!iostat_wait_hooks[i].module)
			group->functions[group->count++] = &iostat_wait_hooks[i].function;
	group->probe = (struct fprobe) {
		.entry_handler = on_entry,
		.exit_handler = on_exit,
		.entry_data_size = sizeof(struct kept),
	};
	error = iostat_functions_hook(&group->probe, group->functions, group->count);
	/* If a function is missing, only the waits in it are not traced. */
	for (int i = 0; !of_modules && i < group->count; i++)
		if (!group->functions[i]->ip && !__test_and_set_bit(i, &reported))
			pr_warn("cannot hook %s(); waits in it will not be traced\n",
				group->functions[i]->symbol);
	return error;
}

void iostat_wait_hooks_detach(bool of_modules)
{
	struct group *group = &groups[of_modules];

	iostat_functions_unhook(&group->probe, group->functions, group->count);
}

void iostat_waits_set_identify(iostat_waits_fn new_identify, const void *new_state)
{
	identify = new_identify;
	state = new_state;
}

int iostat_waits_start(void)
{
	waits = kvcalloc(1 << WAITS_BITS, sizeof(*waits), GFP_KERNEL);
	if (!waits)
		return -ENOMEM;
	iostat_calls_reset();
	attach_id = iostat_clock_read() | 1;
	return 0;
}

void iostat_waits_stop(void)
{
	kvfree(waits);
}

const char *iostat_wait_module(unsigned int index)
{
	return index < iostat_nr_wait_hooks ? iostat_wait_hooks[index].module ?: "" : NULL;
}
