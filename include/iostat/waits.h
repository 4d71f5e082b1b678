/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that wait for I/O: the events io:wait_start and io:wait_done. While
 * one of them is on, src/waits.c hooks the functions in which the kernel waits,
 * and tells Rust of each wait.
 */
#ifndef _IOSTAT_WAITS_H
#define _IOSTAT_WAITS_H

#include <iostat/io.h>
#include <linux/types.h>

struct block_device;
struct task_struct;

/**
 * struct iostat_wait - a wait
 * @io: what it is for, as far as its function tells; without its result
 * @wait_in: the function
 * @wait_ns: how long the thread waited (wait_done only)
 * @bdev: the disk or partition, or NULL
 * @task: whose it is; NULL if it is none
 * @start_ns: when it began
 * @op: REQ_OP_*
 * @is_told: its start was
 */
struct iostat_wait {
	struct iostat_io io;
	char wait_in[IOSTAT_FUNCTION_LEN];
	u64 wait_ns;
	struct block_device *bdev;
	struct task_struct *task;
	u64 start_ns;
	u8 op;
	bool is_told;
};

/*
 * What is said of a wait that the kernel does not tell by itself: id, direction
 * and device. With preemption off, in a reader of the tracepoints' SRCU.
 */
typedef void (*iostat_waits_fn)(const void *state, struct iostat_wait *wait);

/* From here on hooks are in place while an event is on. May sleep. */
int iostat_waits_open(iostat_waits_fn identify, const void *state);
/* No hooks, and no call of what was given then, from here on. May sleep. */
void iostat_waits_close(void);

/* The tracepoints' own calls: somebody listens to one more, or one less. */
int iostat_waits_reg(void);
void iostat_waits_unreg(void);
/* Waits until the hooks are as the events want them. May sleep. */
void iostat_waits_settle(void);

#endif /* _IOSTAT_WAITS_H */
