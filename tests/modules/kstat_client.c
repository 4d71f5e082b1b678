// SPDX-License-Identifier: GPL-2.0
/*
 * A client that uses all functions of kstats, many of them wrongly:
 * tests/guest/parts/test-kstat.sh writes commands to the parameter "do", and
 * reads the result of each from "result".
 *
 *	create N TYPE NDATA FLAGS MODULE INSTANCE NAME CLASS	0, or -1 for NULL; - is a NULL pointer
 *	install N, delete N
 *	lookup MODULE INSTANCE NAME	returns N, or -1
 *	byname MODULE INSTANCE NAME	kstat_delete_byname()
 *	long N LENGTH			creates one with a name of that length
 *	callbacks N MASK		1 ks_update, 2 ks_snapshot, 4 ks_lock, 8 ks_spinlock
 *	data N SIZE			sets the data of a virtual one
 *	named N INDEX TYPE NAME		kstat_named_init()
 *	set N INDEX NUMBER		value.ui64
 *	chars N INDEX TEXT, string N INDEX TEXT
 *	value N INDEX			value.i64
 *	queue N CALLS			w, W wait queue in, out; r, R run queue; t to run, b back
 *	model N				compares the queues with this module's own: 0 if equal
 *	timer N INDEX NAME, start N INDEX, stop N INDEX
 *	intr N INDEX COUNT
 *	error N				sets what callbacks return
 *	calls, writes			number of calls of ks_update() to read, to write
 *	inside N			1: ks_update() deletes its kstat, 2: sleeps 2 s, 3: grows,
 *					4: refuses what is written, 5: and stores 42 instead
 *	flags N, kid N
 *	storm COUNT			creates, installs and deletes COUNT kstats, some at a time
 *	hold COUNT			as storm, without deleting them
 *	null				calls all functions with a null pointer
 */

#include "kstat_client.h"
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

static s64 result;

static const char *or_null(const char *text)
{
	return strcmp(text, "-") ? text : NULL;
}

static s64 create(struct one *one, const char *rest)
{
	char module[40], name[40], class[40];
	unsigned int type, ndata, flags;
	int instance;

	if (sscanf(rest, "%u %u %i %39s %d %39s %39s", &type, &ndata, &flags, module, &instance,
		   name, class) != 7)
		return -EOPNOTSUPP;
	one->ksp = kstat_create(or_null(module), instance, or_null(name), or_null(class), type,
				ndata, flags);
	return one->ksp ? 0 : -1;
}

static s64 find(const char *rest, bool deletes)
{
	char module[40], name[40];
	int instance, n;
	kstat_t *ksp;

	if (sscanf(rest, "%39s %d %39s", module, &instance, name) != 3)
		return -EOPNOTSUPP;
	if (deletes)
		return kstat_delete_byname(or_null(module), instance, or_null(name));
	ksp = kstat_lookup(or_null(module), instance, or_null(name));
	for (n = 0; n < ONES; n++)
		if (ksp && ones[n].ksp == ksp)
			return n;
	return ksp ? -2 : -1;
}

static s64 long_name(struct one *one, unsigned int len)
{
	char *name = kzalloc(len + 1, GFP_KERNEL);

	if (!name)
		return -ENOMEM;
	memset(name, 'n', len);
	one->ksp = kstat_create("kstat_client", 0, name, "misc", KSTAT_TYPE_NAMED, 1, 0);
	kfree(name);
	return one->ksp ? 0 : -1;
}

/* Commands with an index. */
static s64 with_data(struct one *one, const char *verb, const char *rest)
{
	kstat_named_t *named = one->ksp->ks_data;
	kstat_timer_t *timer = one->ksp->ks_data;
	unsigned int index = 0, type;
	char text[64] = "";
	s64 number = 0;

	if (sscanf(rest, "%u %63[^\n]", &index, text) < 1)
		index = 0;
	if (kstrtos64(text, 0, &number))
		number = 0;
	if (!strcmp(verb, "named") && sscanf(rest, "%u %u %63[^\n]", &index, &type, text) >= 2)
		return kstat_named_init(&named[index], text, type);
	if (!strcmp(verb, "set"))
		return named[index].value.ui64 = number, 0;
	if (!strcmp(verb, "chars"))
		return memcpy(named[index].value.c, text, 16), 0;
	if (!strcmp(verb, "string")) {
		mutex_lock(&one->lock);
		strscpy(one->string, text, sizeof(one->string));
		number = kstat_named_setstr(&named[index], text[0] ? one->string : NULL);
		mutex_unlock(&one->lock);
		return number;
	}
	if (!strcmp(verb, "value"))
		return named[index].value.i64;
	if (!strcmp(verb, "timer"))
		return kstat_timer_init(&timer[index], text);
	if (!strcmp(verb, "start"))
		return kstat_timer_start(&timer[index]), 0;
	if (!strcmp(verb, "stop"))
		return kstat_timer_stop(&timer[index]), 0;
	if (!strcmp(verb, "intr"))
		return KSTAT_INTR_PTR(one->ksp)->intrs[index % KSTAT_NUM_INTRS] += number, 0;
	if (!strcmp(verb, "queue"))
		return queue(one, rest);
	if (!strcmp(verb, "model"))
		return model_differs(one);
	return -EOPNOTSUPP;
}

static s64 with(struct one *one, const char *verb, const char *rest)
{
	unsigned int number = 0;
	s64 error = 0;

	if (kstrtos64(rest, 0, &error))
		error = 0;
	number = error;
	if (!strcmp(verb, "create"))
		return create(one, rest);
	if (!strcmp(verb, "install"))
		return kstat_install(one->ksp);
	if (!strcmp(verb, "delete"))
		return kstat_delete(one->ksp);
	if (!strcmp(verb, "long"))
		return long_name(one, number);
	if (!one->ksp)
		return -ENXIO;
	if (!strcmp(verb, "callbacks"))
		return callbacks(one, number), 0;
	if (!strcmp(verb, "data"))
		return set_data(one, number);
	if (!strcmp(verb, "error"))
		return one->error = error, 0;
	if (!strcmp(verb, "calls"))
		return one->reads;
	if (!strcmp(verb, "writes"))
		return one->writes;
	if (!strcmp(verb, "inside"))
		return one->inside = number, 0;
	if (!strcmp(verb, "flags"))
		return one->ksp->ks_flags;
	if (!strcmp(verb, "kid"))
		return one->ksp->ks_kid;
	return with_data(one, verb, rest);
}

static int do_line(const char *val, const struct kernel_param *kp)
{
	char verb[16], rest[128] = "";
	unsigned int number = 0;

	if (sscanf(val, "%15s %127[^\n]", verb, rest) < 1)
		return -EINVAL;
	if (!strcmp(verb, "lookup") || !strcmp(verb, "byname")) {
		result = find(rest, verb[0] == 'b');
		return 0;
	}
	rest[0] = 0;
	if (sscanf(val, "%*s %u %127[^\n]", &number, rest) < 1)
		number = 0;
	if (!strcmp(verb, "storm") || !strcmp(verb, "hold"))
		result = storm(number, verb[0] == 'h');
	else if (!strcmp(verb, "null"))
		result = null();
	else
		result = with(&ones[number % ONES], verb, rest);
	return 0;
}

static const struct kernel_param_ops do_ops = { .set = do_line };

module_param_cb(do, &do_ops, NULL, 0200);
MODULE_PARM_DESC(do, "What to do");

static int show_result(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lld\n", result);
}

static const struct kernel_param_ops result_ops = { .get = show_result };

module_param_cb(result, &result_ops, NULL, 0444);
MODULE_PARM_DESC(result, "Result of the last command");

/* The exit function does not delete the kstats: iostat must delete them. */
static int __init kstat_client_init(void)
{
	int n;

	for (n = 0; n < ONES; n++) {
		mutex_init(&ones[n].lock);
		spin_lock_init(&ones[n].spinlock);
	}
	return 0;
}

/* A kstat that is created while the module is being unloaded is refused. */
static void __exit kstat_client_exit(void)
{
	pr_info("kstat_client: at its exit: %d\n",
		kstat_create("kstat_client", 0, "late", "misc", KSTAT_TYPE_RAW, 8, 0) ? 0 : -ENODEV);
}

module_init(kstat_client_init);
module_exit(kstat_client_exit);

MODULE_DESCRIPTION("A client of iostat for its tests");
MODULE_LICENSE("GPL");
