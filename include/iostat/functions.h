/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One fprobe on several functions. To put a probe in place or away takes a walk
 * over all symbols, a patch of the code and grace periods: for all functions
 * together no longer than for one.
 */
#ifndef _IOSTAT_FUNCTIONS_H
#define _IOSTAT_FUNCTIONS_H

#include <linux/fprobe.h>
#include <linux/types.h>

#define IOSTAT_MAX_FUNCTIONS	16

/* Without a tracer of functions nothing is hooked, and no handler called. */
#ifndef ftrace_regs_get_argument
static inline unsigned long ftrace_regs_get_argument(struct ftrace_regs *regs, unsigned int n)
{
	return 0;
}
#endif

/**
 * struct iostat_function - a function to be hooked
 * @symbol: its name
 * @ip: what the handlers are given as entry_ip; 0 while it is not hooked
 */
struct iostat_function {
	const char *symbol;
	unsigned long ip;
};

/**
 * iostat_functions_hook - hooks those that there are
 * @probe: with its handlers
 * @functions: up to IOSTAT_MAX_FUNCTIONS, which stay until they are unhooked
 * @count: how many
 *
 * May sleep.
 *
 * Return: 0; -ENOENT if there is none of them, or what register_fprobe_syms() says.
 */
int iostat_functions_hook(struct fprobe *probe, struct iostat_function *const functions[],
			  unsigned int count);

/* Once the former has succeeded. No handler runs from here on. May sleep. */
void iostat_functions_unhook(struct fprobe *probe, struct iostat_function *const functions[],
			     unsigned int count);

#endif /* _IOSTAT_FUNCTIONS_H */
