// SPDX-License-Identifier: GPL-2.0
/*
 * Which way the time is read: see include/iostat/clock.h.
 *
 * Both ways show the same time when they are exchanged, so that no statistic
 * notices. They are exchanged when the kernel gives its trust in the TSC up or
 * takes it up, which is looked at with every snapshot; and around suspend, where
 * the TSC may stop or start over and CLOCK_MONOTONIC_RAW does not count.
 */

#include <iostat/clock.h>
#include <iostat/probes.h>
#include <linux/clocksource_ids.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/suspend.h>
#include <linux/tracepoint.h>
#include <uapi/linux/iostat.h>

struct iostat_clock iostat_clock;

static DEFINE_MUTEX(exchange_lock);
static bool suspending;
/* What is told to those who read the records in memory, and the time themselves. */
static struct iostat_map_clock *told;
/* Who counts the exchanges. */
static void (*exchanged)(const void *counter);
static const void *exchange_counter;

/* With the lock held. */
static void tell(void)
{
	u64 seq = told->seq;

	WRITE_ONCE(told->seq, seq + 1);
	/* The odd count is seen first: pairs with the acquire fence of a reader in user space. */
	smp_wmb();
	WRITE_ONCE(told->source, iostat_clock.is_tsc ? IOSTAT_CLOCK_TSC : IOSTAT_CLOCK_RAW);
	WRITE_ONCE(told->mult, iostat_clock.mult);
	WRITE_ONCE(told->tsc_offset, iostat_clock.tsc_offset);
	WRITE_ONCE(told->raw_offset, iostat_clock.raw_offset);
	/* And the even one last: pairs with its acquire load. */
	smp_store_release(&told->seq, seq + 2);
}

/**
 * iostat_clock_read - the time in ns, for those who cannot inline
 *
 * Exported for those who hand us times of their own; and because with one exported
 * symbol the module loader refuses a copy of this module under another name.
 *
 * Context: any but NMI.
 */
u64 iostat_clock_read(void)
{
	return iostat_clock_now();
}
EXPORT_SYMBOL_GPL(iostat_clock_read);

#ifdef CONFIG_X86_TSC
/*
 * Whether this machine has the instructions with which the fast path reads the
 * TSC and turns interrupts off. In a Xen PV guest the latter is a hypercall.
 */
static bool has_fast_path(void)
{
	return boot_cpu_has(X86_FEATURE_RDTSCP) && !boot_cpu_has(X86_FEATURE_XENPV);
}

static void use_tsc(const struct system_time_snapshot *now)
{
	u64 raw = ktime_to_ns(now->systime) + iostat_clock.raw_offset;

	/* Not clocksource->mult, which nobody outside gets; it is made of this. */
	iostat_clock.mult = div_u64((u64)NSEC_PER_MSEC << 32, tsc_khz);
	iostat_clock.tsc_offset = raw - iostat_cycles_to_ns(now->cycles, iostat_clock.mult);
	/* Pairs with the acquire in iostat_clock_now(): the above is seen first. */
	smp_store_release(&iostat_clock.is_tsc, true);
	if (has_fast_path())
		static_branch_dec(&iostat_general);
}

static void use_raw(void)
{
	/* No event reads the TSC from here on. */
	if (has_fast_path()) {
		static_branch_inc(&iostat_general);
		tracepoint_synchronize_unregister();
	}
	WRITE_ONCE(iostat_clock.raw_offset, iostat_clock_now() - ktime_get_raw());
	WRITE_ONCE(iostat_clock.is_tsc, false);
}

/* The best way there is now. With the lock held. */
static void choose(void)
{
	struct system_time_snapshot now;
	bool is_tsc;

	ktime_get_snapshot_id(CLOCK_MONOTONIC_RAW, &now);
	is_tsc = !suspending && now.valid && now.cs_id == CSID_X86_TSC && tsc_khz;
	if (is_tsc && !iostat_clock.is_tsc)
		use_tsc(&now);
	else if (!is_tsc && iostat_clock.is_tsc)
		use_raw();
	else
		return;
	if (told) {
		tell();
		exchanged(exchange_counter);
	}
}
#else
static void choose(void)
{
}
#endif

/**
 * iostat_clock_check - from here on the time is read by the best way there is
 *
 * Context: process.
 */
void iostat_clock_check(void)
{
	/* If not, somebody does it at this moment. */
	if (mutex_trylock(&exchange_lock)) {
		choose();
		mutex_unlock(&exchange_lock);
	}
}

static int on_suspend(struct notifier_block *block, unsigned long event, void *data)
{
	bool begins = event == PM_SUSPEND_PREPARE || event == PM_HIBERNATION_PREPARE ||
		      event == PM_RESTORE_PREPARE;

	mutex_lock(&exchange_lock);
	suspending = begins;
	choose();
	mutex_unlock(&exchange_lock);
	return NOTIFY_DONE;
}

static struct notifier_block suspend_block = { .notifier_call = on_suspend };

/**
 * iostat_clock_start - begins to look after the clock
 * @map: what is told how to read it, until iostat_clock_stop()
 * @count: called for each exchange until then, with a mutex held
 * @counter: what it is called with
 *
 * Context: process. May sleep. Return: 0 or a negative errno.
 */
int iostat_clock_start(struct iostat_map_clock *map, void (*count)(const void *counter),
		       const void *counter)
{
	mutex_lock(&exchange_lock);
	/* Until the clock is the TSC. */
	static_branch_inc(&iostat_general);
	/* The first choice is no exchange. */
	choose();
	exchanged = count;
	exchange_counter = counter;
	told = map;
	tell();
	mutex_unlock(&exchange_lock);
	return register_pm_notifier(&suspend_block);
}

/**
 * iostat_clock_stop - ends what iostat_clock_start() began
 *
 * Context: process. May sleep.
 */
void iostat_clock_stop(void)
{
	unregister_pm_notifier(&suspend_block);
	mutex_lock(&exchange_lock);
	told = NULL;
	mutex_unlock(&exchange_lock);
}
