/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between src/waits.c, which has the hooks in place when they are wanted, and
 * src/wait_hooks.c, which knows the functions they are on.
 */
#ifndef _IOSTAT_WAIT_HOOKS_H
#define _IOSTAT_WAIT_HOOKS_H

#include <iostat/functions.h>
#include <iostat/waits.h>
#include <linux/types.h>

struct address_space;
struct file;
struct task_struct;

/**
 * struct call - a thread in a call that may come to wait
 * @task: whose it is, or NULL
 * @filp: the file or block device, or NULL
 * @mapping: its page cache
 * @pos: where in it
 * @bytes: how many
 * @op: REQ_OP_READ or REQ_OP_WRITE
 * @is_cached: through the page cache
 * @in_folio: it is within functions that are hooked for waits for folios
 *
 * Only its own thread looks into it.
 */
struct call {
	struct task_struct *task;
	const struct file *filp;
	struct address_space *mapping;
	loff_t pos;
	size_t bytes;
	u8 op;
	bool is_cached;
	u8 in_folio;
};

/* Where a thread's call is: one of some places beside each other. Those without are not told of. */
#define NO_CALL		0xff

void iostat_calls_reset(void);
struct call *iostat_call_at(u8 place);
u8 iostat_call_claim(void);
u8 iostat_call_find(void);

struct hook {
	struct iostat_function function;
	/* A wait: says what for, or that it is none for I/O. */
	bool (*describe)(struct iostat_wait *wait, struct ftrace_regs *regs, unsigned long ret_ip);
	/* Or a call that may come to wait. */
	void (*enter)(struct call *call, struct ftrace_regs *regs);
	/* It waits in folio_wait_bit_common(). */
	bool is_of_folio;
	/* Where it is, if not in the kernel itself. */
	const char *module;
};

extern struct hook iostat_wait_hooks[];
extern const unsigned int iostat_nr_wait_hooks;

#endif /* _IOSTAT_WAIT_HOOKS_H */
