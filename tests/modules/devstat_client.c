// SPDX-License-Identifier: GPL-2.0
/*
 * A client that uses all functions of devstat entries, many of them wrongly:
 * tests/guest/parts/test-devstat.sh writes commands to the parameter "do", and
 * reads the result of each from "result".
 *
 *	new N NAME UNIT BLOCKSIZE FLAGS TYPE PRIORITY
 *	add N NAME UNIT BLOCKSIZE FLAGS TYPE PRIORITY	with memory of this module
 *	remove N
 *	stale N M			N is what M was before it was removed
 *	start N, start_at N NOW
 *	end N BYTES TAG CLASS		with four arguments
 *	end_at N BYTES TAG CLASS NOW THEN	with six; -1 is NULL
 *	now N				returns the time
 *	bio N OP FLAGS BYTES STATUS	from start to end, 1000 ns
 *	whole_bio N			the other two functions of bios
 *	spread N COUNT			COUNT pairs on each CPU at the same time
 *	irq N				a pair with interrupts disabled
 *	many COUNT			adds COUNT entries, counts in each, removes them
 *	null, garbage
 *	cost N COUNT			cycles of COUNT pairs
 *	cost_with_times N COUNT		as cost, with six arguments
 */

#include <iostat/devstat.h>
#include <linux/bio.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#define ENTRIES 16

static struct devstat own[ENTRIES];
static struct devstat *entries[ENTRIES];
static struct devstat *removed[ENTRIES];
static s64 result;

struct work {
	struct devstat *ds;
	unsigned int count;
	unsigned int errors;
};

static void pair(void *data)
{
	struct work *work = data;
	unsigned int n;

	for (n = 0; n < work->count; n++) {
		u64 then = devstat_now();

		if (devstat_start_transaction(work->ds, &then) ||
		    devstat_end_transaction(work->ds, 3, DEVSTAT_TAG_SIMPLE, DEVSTAT_WRITE, NULL,
					    &then))
			WRITE_ONCE(work->errors, 1);
	}
}

static s64 cost(struct devstat *ds, unsigned int count)
{
	u64 start = get_cycles();
	unsigned int n;

	for (n = 0; n < count; n++) {
		devstat_start_transaction(ds);
		devstat_end_transaction(ds, 3, DEVSTAT_TAG_SIMPLE, DEVSTAT_WRITE);
	}
	return get_cycles() - start;
}

static s64 cost_with_times(struct devstat *ds, unsigned int count)
{
	u64 start = get_cycles();
	struct work work = { .ds = ds, .count = count };

	pair(&work);
	return get_cycles() - start;
}

static int many(unsigned int count)
{
	struct devstat **all;
	unsigned int done, n;
	int ret = 0;

	/* vmalloc() warns of a size of zero. */
	if (!count)
		return 0;
	all = vcalloc(count, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (done = 0; done < count; done++) {
		all[done] = devstat_new_entry("many", done, 512, DEVSTAT_ALL_SUPPORTED,
					      DEVSTAT_TYPE_DIRECT | DEVSTAT_TYPE_IF_OTHER,
					      DEVSTAT_PRIORITY_OTHER);
		if (IS_ERR(all[done])) {
			ret = PTR_ERR(all[done]);
			break;
		}
		ret = devstat_start_transaction(all[done]);
		ret = devstat_end_transaction(all[done], done, DEVSTAT_TAG_NONE,
					      DEVSTAT_READ) ?: ret;
		if (ret)
			break;
	}
	for (n = 0; n < done; n++)
		ret = devstat_remove_entry(all[n]) ?: ret;
	vfree(all);
	return ret;
}

static int null(void)
{
	return devstat_set_block_size(NULL, 512) ?: devstat_remove_entry(NULL) ?: devstat_start_transaction(NULL) ?:
		devstat_end_transaction(NULL, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ);
}

/* All calls are refused, with eight lines in the log. */
static int garbage(void)
{
	struct devstat ds;
	u32 bad = 7;

	memset(&ds, 0xa5, sizeof(ds));
	if (devstat_start_transaction(&ds) != -ENOENT ||
	    devstat_end_transaction(&ds, 1, DEVSTAT_TAG_NONE, DEVSTAT_READ) != -ENOENT ||
	    devstat_remove_entry(&ds) != -ENOENT ||
	    devstat_set_block_size(&ds, 512) != -ENOENT ||
	    devstat_start_transaction((struct devstat *)0xdeadbeefUL) != -ENOENT ||
	    devstat_start_transaction(ERR_PTR(-ENOMEM)) != -ENOENT ||
	    devstat_end_transaction(&ds, 1, (devstat_tag_type)bad, DEVSTAT_READ) != -EINVAL ||
	    devstat_add_entry(NULL, "pn", 0, 0, DEVSTAT_ALL_SUPPORTED, DEVSTAT_TYPE_DIRECT,
			      DEVSTAT_PRIORITY_MIN) != -EINVAL ||
	    !IS_ERR(devstat_new_entry(NULL, 0, 0, DEVSTAT_ALL_SUPPORTED, DEVSTAT_TYPE_DIRECT,
				      DEVSTAT_PRIORITY_MIN)))
		return -EIO;
	return 0;
}

static int a_bio(struct devstat *ds, unsigned int op, unsigned int flags, unsigned int bytes,
		 unsigned int status)
{
	struct devstat_bio state;
	struct bio bio = {};
	int ret;
	u64 now;

	bio.bi_opf = op | flags;
	bio.bi_iter.bi_size = bytes;
	ret = devstat_start_transaction_bio(ds, &bio, &state);
	/* As drivers do. */
	bio.bi_iter.bi_size = 0;
	bio.bi_status = (__force blk_status_t)status;
	now = state.bio_t0 + 1000;
	return ret ?: devstat_end_transaction_bio_bt(ds, &bio, &state, &now);
}

static int whole_bio(struct devstat *ds)
{
	struct devstat_bio state = { .bio_t0 = devstat_now() };
	struct bio bio = {};
	int ret;

	bio.bi_opf = REQ_OP_READ;
	bio.bi_iter.bi_size = 512;
	ret = devstat_start_transaction_bio_t0(ds, &bio, &state);
	return ret ?: devstat_end_transaction_bio(ds, &bio, &state);
}

static s64 with(unsigned int entry, const char *verb, const char *rest)
{
	unsigned int blocksize, flags, type, priority, tag, op, status;
	struct devstat **ds = &entries[entry];
	struct work work = { .ds = *ds };
	long long now, then;
	unsigned long irqs;
	char name[32] = "";
	u64 bytes, at[2];
	int unit, ret;

	if (sscanf(rest, "%31s %d %u %i %i %i", name, &unit, &blocksize, &flags, &type,
		   &priority) == 6) {
		if (!strcmp(verb, "new")) {
			*ds = devstat_new_entry(name, unit, blocksize, flags, type, priority);
			return PTR_ERR_OR_ZERO(*ds);
		}
		if (!strcmp(verb, "add")) {
			ret = devstat_add_entry(&own[entry], name, unit, blocksize, flags, type,
						priority);
			if (!ret)
				*ds = &own[entry];
			return ret;
		}
	}
	if (!strcmp(verb, "remove")) {
		removed[entry] = *ds;
		return devstat_remove_entry(*ds);
	}
	if (!strcmp(verb, "stale") && !kstrtouint(rest, 0, &op)) {
		*ds = removed[op % ENTRIES];
		return 0;
	}
	if (!strcmp(verb, "start"))
		return devstat_start_transaction(*ds);
	if (!strcmp(verb, "start_at") && !kstrtou64(rest, 0, &at[0]))
		return devstat_start_transaction(*ds, &at[0]);
	if (!strcmp(verb, "end") && sscanf(rest, "%llu %u %u", &bytes, &tag, &flags) == 3)
		return devstat_end_transaction(*ds, bytes, tag, flags);
	if (!strcmp(verb, "end_at") &&
	    sscanf(rest, "%llu %u %u %lld %lld", &bytes, &tag, &flags, &now, &then) == 5) {
		at[0] = now;
		at[1] = then;
		return devstat_end_transaction(*ds, bytes, tag, flags, now < 0 ? NULL : &at[0],
					       then < 0 ? NULL : &at[1]);
	}
	if (!strcmp(verb, "now"))
		return devstat_now();
	if (!strcmp(verb, "bio") &&
	    sscanf(rest, "%u %i %llu %u", &op, &flags, &bytes, &status) == 4)
		return a_bio(*ds, op, flags, bytes, status);
	if (!strcmp(verb, "whole_bio"))
		return whole_bio(*ds);
	if (!strcmp(verb, "spread") && !kstrtouint(rest, 0, &work.count)) {
		on_each_cpu(pair, &work, 1);
		return work.errors ? -EIO : 0;
	}
	if (!strcmp(verb, "irq")) {
		work.count = 1;
		local_irq_save(irqs);
		pair(&work);
		local_irq_restore(irqs);
		return work.errors ? -EIO : 0;
	}
	if (!strcmp(verb, "cost") && !kstrtouint(rest, 0, &op))
		return cost(*ds, op);
	if (!strcmp(verb, "cost_with_times") && !kstrtouint(rest, 0, &op))
		return cost_with_times(*ds, op);
	return -EOPNOTSUPP;
}

static int do_line(const char *val, const struct kernel_param *kp)
{
	char verb[16], rest[96] = "";
	unsigned int number = 0;

	if (sscanf(val, "%15s %u %95[^\n]", verb, &number, rest) < 1)
		return -EINVAL;
	if (!strcmp(verb, "many"))
		result = many(number);
	else if (!strcmp(verb, "null"))
		result = null();
	else if (!strcmp(verb, "garbage"))
		result = garbage();
	else
		result = with(number % ENTRIES, verb, rest);
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

/* The exit function does not remove the entries: iostat must remove them. */
static int __init devstat_client_init(void)
{
	return 0;
}

static struct devstat late;

/* An entry that is added while the module is being unloaded is refused. */
static void __exit devstat_client_exit(void)
{
	pr_info("devstat_client: at its exit: %d\n",
		devstat_add_entry(&late, "late", 0, 512, 0, 0, 0));
}

module_init(devstat_client_init);
module_exit(devstat_client_exit);

MODULE_DESCRIPTION("A client of iostat for its tests");
MODULE_LICENSE("GPL");
