// SPDX-License-Identifier: GPL-2.0
/*
 * A client that uses all functions of event counters, many of them wrongly:
 * tests/guest/parts/test-evcnt.sh writes commands to the parameter "do", and
 * reads the result of each from "result".
 *
 *	attach N PARENT TYPE GROUP NAME	PARENT is another N, or -1
 *	where N				returns its address
 *	adopt N ADDRESS			sets a counter of another module as its parent
 *	again N				attach_static(), as it was attached before
 *	nozero N NAME			attaches without setting the count to 0
 *	long N LENGTH			attaches with a name of that length
 *	detach N
 *	add N COUNT			from all CPUs at the same time
 *	irq N COUNT			with interrupts disabled, once each
 *	set N COUNT			sets the count to COUNT, while others count
 *	zero N
 *	read N, total N
 *	many COUNT			attaches, counts with and detaches COUNT counters
 *	fill, empty			attaches until it is refused; detaches all of them
 *	null				calls all functions with a null pointer
 *	garbage				attaches a structure that is not zeroed
 *	cost COUNT			ns of COUNT evcnt_inc()
 */

#include <iostat/evcnt.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#define EVENTS 8

static struct evcnt events[EVENTS];
static s64 result;

struct work {
	const struct evcnt *ev;
	u64 count;
};

static void count_here(void *data)
{
	const struct work *work = data;
	u64 n;

	for (n = 0; n < work->count; n++)
		evcnt_inc(work->ev);
}

static int attach_many(unsigned int count)
{
	struct evcnt *ev;
	unsigned int done, n;
	char name[16];
	int ret = 0;

	/* vmalloc() warns of a size of zero. */
	if (!count)
		return 0;
	ev = vcalloc(count, sizeof(*ev));
	if (!ev)
		return -ENOMEM;
	for (done = 0; done < count; done++) {
		snprintf(name, sizeof(name), "many%u", done);
		ret = evcnt_attach_dynamic(&ev[done], EVCNT_TYPE_MISC, done ? &ev[0] : NULL,
					   "evcnt_client", name);
		if (ret)
			break;
		evcnt_add(&ev[done], done);
	}
	for (n = 0; n < done && !ret; n++)
		if (evcnt_read(&ev[n]) != n)
			ret = -EIO;
	if (!ret && evcnt_read_total(&ev[0]) != (u64)count * (count - 1) / 2)
		ret = -EIO;
	while (done--)
		ret = evcnt_detach(&ev[done]) ?: ret;
	vfree(ev);
	return ret;
}

static struct evcnt *filling;
static unsigned int filled;

static int fill(void)
{
	int ret;

	filling = vcalloc(1 << 17, sizeof(*filling));
	if (!filling)
		return -ENOMEM;
	for (filled = 0; filled < 1 << 17; filled++) {
		ret = evcnt_attach_dynamic(&filling[filled], EVCNT_TYPE_MISC, NULL, "evcnt_client",
					   "fill");
		if (ret)
			return ret;
	}
	return 0;
}

static int empty(void)
{
	int ret = 0;

	for (; filled; filled--)
		ret = evcnt_detach(&filling[filled - 1]) ?: ret;
	vfree(filling);
	filling = NULL;
	return ret;
}

static int null(void)
{
	evcnt_inc(NULL);
	evcnt_set(NULL, 1);
	evcnt_zero(NULL);
	if (evcnt_read(NULL) || evcnt_read_total(NULL))
		return -EIO;
	if (evcnt_attach_static(NULL) != -EINVAL)
		return -EIO;
	return evcnt_attach_dynamic(NULL, EVCNT_TYPE_MISC, NULL, "evcnt_client", "null");
}

static int garbage(void)
{
	struct evcnt *ev = kmalloc(sizeof(*ev), GFP_KERNEL);
	int ret;

	if (!ev)
		return -ENOMEM;
	memset(ev, 0xa5, sizeof(*ev));
	evcnt_inc(ev);
	ret = evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "evcnt_client", "garbage");
	evcnt_inc(ev);
	if (!ret && evcnt_read(ev) != 1)
		ret = -EIO;
	ret = evcnt_detach(ev) ?: ret;
	kfree(ev);
	return ret;
}

static int long_name(struct evcnt *ev, unsigned int len)
{
	char *name = kzalloc(len + 1, GFP_KERNEL);
	int ret;

	if (!name)
		return -ENOMEM;
	memset(name, 'n', len);
	ret = evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, NULL, "evcnt_client", name);
	/* iostat has copied it. */
	kfree(name);
	return ret;
}

static s64 with(struct evcnt *ev, const char *verb, const char *rest)
{
	struct work work = { .ev = ev };
	char group[32] = "", name[32] = "";
	unsigned long flags;
	int parent, type;
	unsigned int len;
	s64 address;
	u64 n;

	if (!strcmp(verb, "attach") &&
	    sscanf(rest, "%d %d %31s %31s", &parent, &type, group, name) >= 2)
		return evcnt_attach_dynamic(ev, type, parent < 0 ? NULL : &events[parent % EVENTS],
					    group, name);
	if (!strcmp(verb, "where"))
		return (unsigned long)ev;
	if (!strcmp(verb, "adopt") && !kstrtos64(rest, 0, &address))
		return evcnt_attach_dynamic(ev, EVCNT_TYPE_MISC, (void *)(unsigned long)address,
					    "evcnt_other", "adopted");
	if (!strcmp(verb, "again")) {
		ev->ev_parent = NULL;
		ev->ev_group = "evcnt_client";
		ev->ev_name = "again";
		return evcnt_attach_static(ev);
	}
	if (!strcmp(verb, "nozero"))
		return evcnt_attach_dynamic_nozero(ev, EVCNT_TYPE_TRAP, NULL, "evcnt_client", rest);
	if (!strcmp(verb, "long") && !kstrtouint(rest, 0, &len) && len < 1024)
		return long_name(ev, len);
	if (!strcmp(verb, "detach"))
		return evcnt_detach(ev);
	if (!strcmp(verb, "copy") && !kstrtouint(rest, 0, &len)) {
		*ev = events[len % EVENTS];
		return 0;
	}
	if (!strcmp(verb, "add") && !kstrtou64(rest, 0, &work.count)) {
		on_each_cpu(count_here, &work, 1);
		return 0;
	}
	if (!strcmp(verb, "irq") && !kstrtou64(rest, 0, &n)) {
		local_irq_save(flags);
		evcnt_add(ev, n);
		local_irq_restore(flags);
		return 0;
	}
	if (!strcmp(verb, "set") && !kstrtou64(rest, 0, &n)) {
		evcnt_set(ev, n);
		return 0;
	}
	if (!strcmp(verb, "zero")) {
		evcnt_zero(ev);
		return 0;
	}
	if (!strcmp(verb, "read"))
		return evcnt_read(ev);
	if (!strcmp(verb, "total"))
		return evcnt_read_total(ev);
	if (!strcmp(verb, "cost") && !kstrtou64(rest, 0, &work.count)) {
		u64 start = ktime_get_ns();

		count_here(&work);
		return ktime_get_ns() - start;
	}
	return -EOPNOTSUPP;
}

static int do_line(const char *val, const struct kernel_param *kp)
{
	char verb[16], rest[96] = "";
	unsigned int number = 0;

	if (sscanf(val, "%15s %u %95[^\n]", verb, &number, rest) < 1)
		return -EINVAL;
	if (!strcmp(verb, "many"))
		result = attach_many(number);
	else if (!strcmp(verb, "fill"))
		result = fill();
	else if (!strcmp(verb, "empty"))
		result = empty();
	else if (!strcmp(verb, "null"))
		result = null();
	else if (!strcmp(verb, "garbage"))
		result = garbage();
	else
		result = with(&events[number % EVENTS], verb, rest);
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

/* The exit function does not detach the counters: iostat must detach them. */
static int __init evcnt_client_init(void)
{
	return 0;
}

static struct evcnt late;

/* A counter that is attached while the module is being unloaded is refused. */
static void __exit evcnt_client_exit(void)
{
	pr_info("evcnt_client: at its exit: %d\n",
		evcnt_attach_dynamic(&late, EVCNT_TYPE_MISC, NULL, "evcnt_client", "late"));
}

module_init(evcnt_client_init);
module_exit(evcnt_client_exit);

MODULE_DESCRIPTION("A client of iostat for its tests");
MODULE_LICENSE("GPL");
