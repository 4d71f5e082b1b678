/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that wait for I/O: the events io:wait_start and io:wait_done. While
 * one of them is enabled, src/io/waits.c hooks the functions in which the kernel
 * waits, and passes each wait to src/recorder/waits.rs.
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

/* Allows hooks: they are in place while an event is enabled. May sleep. */
int iostat_waits_open(iostat_waits_fn identify, const void *state);
/* Removes all hooks. @identify is not called any more. May sleep. */
void iostat_waits_close(void);

/* Called when an event is enabled and disabled, with the tracepoints' mutex held. */
int iostat_waits_reg(void);
void iostat_waits_unreg(void);
/* Waits until the hooks agree with the events that are enabled. May sleep. */
void iostat_waits_settle(void);

#endif /* _IOSTAT_WAITS_H */
