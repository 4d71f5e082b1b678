/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between src/io/waits.c, which has the handlers of the hooks, and
 * src/io/wait_hooks.c, which has the list of hooked functions.
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
 * struct call - a thread that is in a function which reads the page cache and may wait for I/O: the innermost one
 * @task: the thread; NULL if this structure is not in use. See iostat/tasks.h
 * @filp: the open file or block device, or NULL
 * @mapping: its page cache
 * @pos: offset in the file, bytes
 * @in_folio: number of hooked functions with @is_of_folio that the thread has entered since
 */
struct call {
	struct task_struct *task;
	const struct file *filp;
	struct address_space *mapping;
	loff_t pos;
	u8 in_folio;
};

void iostat_calls_reset(void);
/* Return NULL if the thread has no place. Waits of such a call are not traced. */
struct call *iostat_call_claim(void);
struct call *iostat_call_find(void);

struct hook {
	struct iostat_function function;
	/* The function waits: describes the wait. Return: whether it is a wait for I/O. */
	bool (*describe)(struct iostat_wait *wait, struct ftrace_regs *regs, unsigned long ret_ip);
	/* Or the function may call one that waits: describes the call. */
	void (*enter)(struct call *call, struct ftrace_regs *regs);
	/* Whether the function waits in folio_wait_bit_common(). */
	bool is_of_folio;
	/* The module that has the function; NULL for the kernel itself. */
	const char *module;
};

extern struct hook iostat_wait_hooks[];
extern const unsigned int iostat_nr_wait_hooks;

#endif /* _IOSTAT_WAIT_HOOKS_H */
