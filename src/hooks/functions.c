// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/functions.h.
 */

#include <iostat/functions.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

/*
 * Stores the address of a function. The function is identified by its name, not
 * by its place in the array: a handler that mistakes one function for another
 * would read wrong arguments. Before this call, handlers recognise no function.
 */
static void set_ip(struct iostat_function *const functions[], unsigned int count,
		   unsigned long ip)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(name, ip);
	/* "name [module]" */
	name[strcspn(name, " ")] = '\0';
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(functions[i]->symbol, name))
			WRITE_ONCE(functions[i]->ip, ip);
}

static int hook_all(struct fprobe *probe, struct iostat_function *const functions[],
		    unsigned int count)
{
	const char *symbols[IOSTAT_MAX_FUNCTIONS];
	int error;

	for (unsigned int i = 0; i < count; i++)
		symbols[i] = functions[i]->symbol;
	error = register_fprobe_syms(probe, symbols, count);
	if (error)
		return error;
	for (int i = 0; i < probe->hlist_array->size; i++)
		set_ip(functions, count, probe->hlist_array->array[i].addr);
	return 0;
}

static void no_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		    struct ftrace_regs *regs, void *data)
{
}

/*
 * Registers a probe that is refused, as it needs too much data: the kernel looks the function up
 * before.
 */
static bool exists(const char *symbol)
{
	struct fprobe probe = { .exit_handler = no_exit, .entry_data_size = PAGE_SIZE };
	int error = register_fprobe_syms(&probe, &symbol, 1);

	if (!WARN_ON_ONCE(!error))
		return error == -E2BIG;
	unregister_fprobe(&probe);
	return true;
}

int iostat_functions_hook(struct fprobe *probe, struct iostat_function *const functions[],
			  unsigned int count)
{
	struct iostat_function *found[IOSTAT_MAX_FUNCTIONS];
	unsigned int nr_found = 0;
	int error;

	if (WARN_ON_ONCE(count > IOSTAT_MAX_FUNCTIONS))
		return -EINVAL;
	/* Hooks all functions or none. */
	error = hook_all(probe, functions, count);
	if (error != -ENOENT || count == 1)
		return error;
	for (unsigned int i = 0; i < count; i++)
		if (exists(functions[i]->symbol))
			found[nr_found++] = functions[i];
	return nr_found ? hook_all(probe, found, nr_found) : -ENOENT;
}

void iostat_functions_unhook(struct fprobe *probe, struct iostat_function *const functions[],
			     unsigned int count)
{
	unregister_fprobe(probe);
	/* Kernels before 7.1 return while handlers may still run. */
	synchronize_rcu();
	for (unsigned int i = 0; i < count; i++)
		functions[i]->ip = 0;
}
