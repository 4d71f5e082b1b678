// SPDX-License-Identifier: GPL-2.0
/*
 * See rust/helpers/helpers.h.
 */

#include "helpers.h"
#include <linux/blkdev.h>
#include <linux/build_bug.h>
#include <linux/device.h>
#include <linux/fprobe.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/kcsan-checks.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/srcu.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

/* rust/kernel/sysfs.rs describes struct device_attribute by its layout. */
static_assert(offsetof(struct device_attribute, attr) == 0);
static_assert(offsetof(struct device_attribute, show) == sizeof(struct attribute));
static_assert(offsetof(struct device_attribute, store) == sizeof(struct attribute) + sizeof(void *));

/*
 * block_class is not exported, but every disk points to it, even a disk that is
 * allocated and never added.
 */
int rust_helper_block_class(const struct class **class)
{
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	*class = disk_to_dev(disk)->class;
	put_disk(disk);
	return 0;
}

void *rust_helper_alloc_page_of_cpu(unsigned int cpu)
{
	struct page *page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_ZERO, 0);

	return page ? page_address(page) : NULL;
}

struct page *rust_helper_get_page_of_address(const void *address)
{
	struct page *page = virt_to_page(address);

	get_page(page);
	return page;
}

unsigned int rust_helper_raw_smp_processor_id(void)
{
	return raw_smp_processor_id();
}

unsigned long rust_helper_my_cpu_offset(void)
{
	return __my_cpu_offset;
}

void rust_helper_cond_resched(void)
{
	cond_resched();
}

bool rust_helper_fatal_signal_pending(void)
{
	return fatal_signal_pending(current);
}

bool rust_helper_in_task(void)
{
	return in_task();
}

void rust_helper_local_irq_restore(unsigned long flags)
{
	local_irq_restore(flags);
}

unsigned long rust_helper_local_irq_save(void)
{
	unsigned long flags;

	local_irq_save(flags);
	return flags;
}

/*
 * Only a task itself writes its flags. A tick that interrupts it reads other bits of them; KCSAN must not report this
 * as a race.
 */
void rust_helper_memalloc_noio_restore(unsigned int flags)
{
	kcsan_disable_current();
	memalloc_noio_restore(flags);
	kcsan_enable_current();
}

unsigned int rust_helper_memalloc_noio_save(void)
{
	/* See rust_helper_memalloc_noio_restore(). */
	return data_race(memalloc_noio_save());
}

/* Without fprobes these are inline functions, and no handler is called. */
int rust_helper_register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	return register_fprobe_syms(fp, syms, num);
}

int rust_helper_unregister_fprobe(struct fprobe *fp)
{
	int error = unregister_fprobe(fp);

	/* Kernels before 7.1 return while handlers may still run. */
	synchronize_rcu();
	return error;
}

/* The kernel's function is a macro on some architectures, and an inline function on others. */
unsigned long notrace rust_helper_ftrace_regs_get_argument(struct ftrace_regs *regs, unsigned int n)
{
#ifdef CONFIG_FPROBE
	return ftrace_regs_get_argument(regs, n);
#else
	return 0;
#endif
}

void rust_helper_init_delayed_work(struct delayed_work *work, work_func_t function)
{
	INIT_DELAYED_WORK(work, function);
}

void notrace rust_helper_this_cpu_add(u64 *counter, u64 value)
{
	this_cpu_add(*(u64 __percpu __force *)(unsigned long)counter, value);
}

/*
 * The half of tracepoint_synchronize_unregister() that waits for probes of tracepoints that cannot fault. The other half waits
 * for sleepable BPF programs, which may wait for a page of a FUSE file without a limit.
 */
void rust_helper_synchronize_tracepoint_srcu(void)
{
	synchronize_srcu(&tracepoint_srcu);
}

unsigned long notrace rust_helper_tracepoint_srcu_read_lock(void)
{
	return (__force unsigned long)srcu_read_lock_fast_notrace(&tracepoint_srcu);
}

void notrace rust_helper_tracepoint_srcu_read_unlock(unsigned long section)
{
	srcu_read_unlock_fast_notrace(&tracepoint_srcu, (struct srcu_ctr __percpu __force *)section);
}
