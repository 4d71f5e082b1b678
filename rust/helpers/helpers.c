// SPDX-License-Identifier: GPL-2.0
/*
 * See include/iostat/helpers.h.
 */

#include <iostat/helpers.h>
#include <linux/blkdev.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/kcsan-checks.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>

/*
 * block_class is not exported, but every disk points to it: one that is
 * allocated and never added will do.
 */
int iostat_block_class(const struct class **class)
{
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	*class = disk_to_dev(disk)->class;
	put_disk(disk);
	return 0;
}

void *iostat_alloc_page(unsigned int cpu)
{
	struct page *page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

struct page *iostat_get_page(const void *address)
{
	struct page *page = virt_to_page(address);

	get_page(page);
	return page;
}

unsigned int iostat_this_cpu(void)
{
	return raw_smp_processor_id();
}

unsigned long iostat_this_cpu_offset(void)
{
	return __my_cpu_offset;
}

void iostat_cond_resched(void)
{
	cond_resched();
}

void iostat_copy_locked(struct spinlock *lock, void *to, const void *from, size_t size)
{
	unsigned long flags;

	spin_lock_irqsave(lock, flags);
	memcpy(to, from, size);
	spin_unlock_irqrestore(lock, flags);
}

bool iostat_fatal_signal_pending(void)
{
	return fatal_signal_pending(current);
}

bool iostat_in_task(void)
{
	return in_task();
}

void iostat_local_irq_restore(unsigned long flags)
{
	local_irq_restore(flags);
}

unsigned long iostat_local_irq_save(void)
{
	unsigned long flags;

	local_irq_save(flags);
	return flags;
}

bool iostat_may_warn(void)
{
	static DEFINE_RATELIMIT_STATE(state, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);

	return __ratelimit(&state);
}

/*
 * Only a task itself writes its flags. A tick that interrupts it reads other bits of them, which is no race for KCSAN
 * to report.
 */
void iostat_memalloc_noio_restore(unsigned int flags)
{
	kcsan_disable_current();
	memalloc_noio_restore(flags);
	kcsan_enable_current();
}

unsigned int iostat_memalloc_noio_save(void)
{
	/* See above. */
	return data_race(memalloc_noio_save());
}

void notrace iostat_this_cpu_add(u64 *counter, u64 value)
{
	this_cpu_add(*(u64 __percpu __force *)(unsigned long)counter, value);
}

struct module *iostat_this_module(void)
{
	return THIS_MODULE;
}

void iostat_tracepoint_synchronize_unregister(void)
{
	tracepoint_synchronize_unregister();
}
