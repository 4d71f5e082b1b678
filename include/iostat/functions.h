/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One fprobe on several functions. Registering an fprobe walks over all symbols,
 * patches the code and waits for grace periods. That takes as long for several
 * functions as for one.
 */
#ifndef _IOSTAT_FUNCTIONS_H
#define _IOSTAT_FUNCTIONS_H

#include <linux/fprobe.h>
#include <linux/types.h>

#define IOSTAT_MAX_FUNCTIONS	16

/*
 * Argument @n of a hooked function. Without fprobes no function is hooked, and no handler is
 * called. The kernel's function is a macro on some architectures, and an inline function on others.
 */
static inline unsigned long iostat_function_argument(struct ftrace_regs *regs, unsigned int n)
{
#ifdef CONFIG_FPROBE
	return ftrace_regs_get_argument(regs, n);
#else
	return 0;
#endif
}

/* The stack pointer at the entry of a hooked function. */
static inline unsigned long iostat_function_stack(struct ftrace_regs *regs)
{
#ifdef CONFIG_FPROBE
	return ftrace_regs_get_stack_pointer(regs);
#else
	return 0;
#endif
}

/**
 * struct iostat_function - a function to be hooked
 * @symbol: its name
 * @ip: the entry_ip that is passed to the handlers; 0 while the function is not hooked
 */
struct iostat_function {
	const char *symbol;
	unsigned long ip;
};

/**
 * iostat_functions_hook - hooks those functions that exist in this kernel
 * @probe: the fprobe, with its handlers
 * @functions: up to IOSTAT_MAX_FUNCTIONS functions, which must stay valid until they are unhooked
 * @count: number of functions
 *
 * May sleep.
 *
 * Return: 0; -ENOENT if none of them exists, or the error of register_fprobe_syms().
 */
int iostat_functions_hook(struct fprobe *probe, struct iostat_function *const functions[],
			  unsigned int count);

/* Undoes a successful iostat_functions_hook(). After it returns no handler runs. May sleep. */
void iostat_functions_unhook(struct fprobe *probe, struct iostat_function *const functions[],
			     unsigned int count);

#endif /* _IOSTAT_FUNCTIONS_H */
