/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between src/io/waits.c, which attaches and detaches the hooks, and
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
 * struct call - a thread that is in a function which may wait for I/O
 * @task: the thread; NULL if this structure is not in use
 * @filp: the open file or block device, or NULL
 * @mapping: its page cache
 * @pos: offset in the file, bytes
 * @bytes: length, bytes
 * @op: REQ_OP_READ or REQ_OP_WRITE
 * @is_cached: whether the I/O goes through the page cache
 * @in_folio: how many functions that are hooked for waits for folios the thread is in
 *
 * Only the thread itself reads and writes it.
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

/* In place of the index of a call: all places for this thread are in use. Waits of such a call are not traced. */
#define NO_CALL		0xff

void iostat_calls_reset(void);
struct call *iostat_call_at(u8 place);
u8 iostat_call_claim(void);
u8 iostat_call_find(void);

struct hook {
	struct iostat_function function;
	/* The function waits: describes the wait. Return: whether it is a wait for I/O. */
	bool (*describe)(struct iostat_wait *wait, struct ftrace_regs *regs, unsigned long ret_ip);
	/* Or the function may call one that waits: describes the call. */
	void (*enter)(struct call *call, struct ftrace_regs *regs);
	/* Whether it waits in folio_wait_bit_common(). */
	bool is_of_folio;
	/* The module that has the function; NULL for the kernel itself. */
	const char *module;
};

extern struct hook iostat_wait_hooks[];
extern const unsigned int iostat_nr_wait_hooks;

#endif /* _IOSTAT_WAIT_HOOKS_H */
