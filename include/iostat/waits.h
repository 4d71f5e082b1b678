/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that wait for I/O: the events io:wait_start and io:wait_done. While
 * one of them is enabled, src/glue/waits.rs hooks the functions in which the kernel
 * waits, and src/io/waits.c passes each wait to src/recorder/waits.rs.
 */
#ifndef _IOSTAT_WAITS_H
#define _IOSTAT_WAITS_H

#include <iostat/io.h>
#include <linux/types.h>

struct block_device;
struct task_struct;

/**
 * struct iostat_wait - a wait
 * @task: the thread; NULL if this structure is not in use. See iostat/tasks.h
 * @io: the I/O, as far as it is known from the arguments of the function; @io.result is not used
 * @wait_in: the function that waits
 * @wait_ns: how long the thread waited (wait_done only)
 * @bdev: the disk or partition, or NULL
 * @start_ns: when the wait began
 * @op: REQ_OP_*
 * @is_traced: whether wait_start was traced
 */
struct iostat_wait {
	struct task_struct *task;
	struct iostat_io io;
	char wait_in[IOSTAT_FUNCTION_LEN];
	u64 wait_ns;
	struct block_device *bdev;
	u64 start_ns;
	u8 op;
	bool is_traced;
};

/*
 * Fills in what is not known from the function's arguments: id, direction and device.
 * Context: Preemption is disabled, in a read-side critical section of the tracepoints' SRCU.
 */
typedef void (*iostat_waits_fn)(const void *state, struct iostat_wait *wait);

/* While no hook is attached: sets the function that the handlers call. */
void iostat_waits_set_identify(iostat_waits_fn identify, const void *state);

/* Before the first hook is attached: allocates memory for waits in progress. May sleep. Return: 0 or -ENOMEM. */
int iostat_waits_start(void);
/* After the last hook is detached: frees that memory. */
void iostat_waits_stop(void);

/*
 * Attaches the hooks in the kernel itself, or those in modules. May sleep. Return: 0, -ENOENT if the functions do not
 * exist, or another error.
 */
int iostat_wait_hooks_attach(bool of_modules);
/* Detaches hooks that are attached. When it returns, none of them is called any more. May sleep. */
void iostat_wait_hooks_detach(bool of_modules);

/* Returns the name of the module that a hook is in, "" for the kernel itself, NULL if there is no hook of this index. */
const char *iostat_wait_module(unsigned int index);

/* In src/glue/waits.rs. Called when an event is enabled and disabled, with the tracepoints' mutex held. */
int iostat_waits_reg(void);
void iostat_waits_unreg(void);
/* Waits until the hooks agree with the events that are enabled. May sleep. */
void iostat_waits_settle(void);

#endif /* _IOSTAT_WAITS_H */
