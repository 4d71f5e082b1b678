// SPDX-License-Identifier: GPL-2.0
/*
 * Selects the clock source of all statistics: see include/iostat/clock.h.
 *
 * The source is the CPU's counter or CLOCK_MONOTONIC_RAW. Both give the same time when the source
 * is changed, so that no statistic is affected. The source changes when the kernel marks the TSC as
 * unstable or stable, which is checked with every snapshot; and around suspend, because the counter
 * may stop or restart then and CLOCK_MONOTONIC_RAW does not advance.
 */

#include <iostat/clock.h>
#include <iostat/compat.h>
#include <iostat/probes.h>
#include <linux/clocksource_ids.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/suspend.h>
#include <linux/tracepoint.h>
#include <uapi/linux/iostat.h>

struct iostat_clock iostat_clock;

static DEFINE_MUTEX(exchange_lock);
static bool suspending;
/* Published to programs that map the records and compute times themselves. */
static struct iostat_map_clock *map_clock;
/* Called for each change of the source, to count it. */
static void (*exchanged)(const void *counter);
static const void *exchange_counter;

#ifdef IOSTAT_HAS_CNTVCT
#define COUNTER		IOSTAT_CLOCK_CNTVCT
#define COUNTER_CSID	CSID_ARM_ARCH_COUNTER
#else
#define COUNTER		IOSTAT_CLOCK_TSC
#define COUNTER_CSID	CSID_X86_TSC
#endif

/* The caller holds exchange_lock. */
static void publish(void)
{
	u64 seq = map_clock->seq;

	WRITE_ONCE(map_clock->seq, seq + 1);
	/* Readers see the odd count first: pairs with the acquire fence of a reader in user space. */
	smp_wmb();
	WRITE_ONCE(map_clock->source, iostat_clock.is_counter ? COUNTER : IOSTAT_CLOCK_RAW);
	WRITE_ONCE(map_clock->mult, iostat_clock.mult);
	WRITE_ONCE(map_clock->tsc_offset, iostat_clock.tsc_offset);
	WRITE_ONCE(map_clock->raw_offset, iostat_clock.raw_offset);
	/* Readers see the even count last: pairs with the acquire load of a reader in user space. */
	smp_store_release(&map_clock->seq, seq + 2);
}

/**
 * iostat_clock_read - returns the time in ns, out of line
 *
 * Exported for modules that pass times to iostat. It also makes the module loader refuse a
 * second copy of this module under another name, because both would export this symbol.
 *
 * Context: Any context but NMI.
 */
u64 iostat_clock_read(void)
{
	return iostat_clock_now();
}
EXPORT_SYMBOL_GPL(iostat_clock_read);

#ifdef CONFIG_X86_TSC
/*
 * Returns whether the CPUs have the instructions with which the fast path reads the TSC and
 * disables interrupts. In a Xen PV guest disabling interrupts is a hypercall.
 */
static bool has_fast_path(void)
{
	return boot_cpu_has(X86_FEATURE_RDTSCP) && !boot_cpu_has(X86_FEATURE_XENPV);
}

/*
 * Returns the mult of the counter, or 0 if the counter is not the kernel's clock source. Not
 * clocksource->mult, which is not exported; that is computed from tsc_khz too.
 */
static u64 counter_mult(const struct system_time_snapshot *now)
{
	if (now->cs_id != COUNTER_CSID || !tsc_khz)
		return 0;
	return div_u64((u64)NSEC_PER_MSEC << 32, tsc_khz);
}
#elif defined(IOSTAT_HAS_CNTVCT)
static bool has_fast_path(void)
{
	return false;
}

/* Returns whether a CPU reads the counter by a workaround, which iostat_cycles() does not have. */
static bool has_erratum(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	const struct arch_timer_erratum_workaround *workaround;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		workaround = per_cpu(timer_unstable_counter_workaround, cpu);
		if (workaround && workaround->read_cntvct_el0)
			return true;
	}
#endif
	return false;
}

/*
 * Returns whether the device tree has another frequency than the register of the CPU. The kernel
 * then uses that of the device tree.
 */
static bool is_frequency_overruled(void)
{
	static const struct of_device_id timers[] = {
		{ .compatible = "arm,armv7-timer" },
		{ .compatible = "arm,armv8-timer" },
		{}
	};
	struct device_node *timer = of_find_matching_node(NULL, timers);
	bool is_overruled = of_property_present(timer, "clock-frequency");

	of_node_put(timer);
	return is_overruled;
}

/*
 * Returns the mult of the counter, or 0 if the kernel's clock source is not the virtual counter
 * of the register's frequency. The caller holds exchange_lock.
 */
static u64 counter_mult(const struct system_time_snapshot *now)
{
	/*
	 * Determined only once, as each snapshot calls this function. It does not change while the
	 * system runs.
	 */
	static enum { UNKNOWN, OVERRULED, REGISTER } frequency;

	if (now->cs_id != COUNTER_CSID || !arch_timer_get_cntfrq() || has_erratum())
		return 0;
	if (frequency == UNKNOWN)
		frequency = is_frequency_overruled() ? OVERRULED : REGISTER;
	/* A kernel at EL2 reads the physical counter. It has set the offset between the two to 0. */
	if (frequency == OVERRULED || iostat_cycles() < now->cycles)
		return 0;
	return div_u64((u64)NSEC_PER_SEC << 32, arch_timer_get_cntfrq());
}
#endif

#if defined(CONFIG_X86_TSC) || defined(IOSTAT_HAS_CNTVCT)
static void use_counter(const struct system_time_snapshot *now, u64 mult)
{
	u64 raw = iostat_snapshot_raw_ns(now) + iostat_clock.raw_offset;

	iostat_clock.mult = mult;
	iostat_clock.tsc_offset = raw - iostat_cycles_to_ns(now->cycles, mult);
	/* Pairs with the acquire in iostat_clock_now(): mult and tsc_offset are seen first. */
	smp_store_release(&iostat_clock.is_counter, true);
	if (has_fast_path()) {
		static_branch_dec(&iostat_general);
		static_branch_dec(&iostat_general_or_traced);
		static_branch_dec(&iostat_general_or_watched);
	}
}

/*
 * Returns CLOCK_MONOTONIC_RAW's offset from the time of the counter, so that the time does not step when the source
 * is changed.
 */
static u64 raw_offset_of_counter(void)
{
	u64 offset = 0, least = U64_MAX;
	struct system_time_snapshot now;
	unsigned long flags;

	/* Both clocks at one instant. */
	if (iostat_snapshot(&now) && now.cs_id == COUNTER_CSID)
		return iostat_cycles_to_ns(now.cycles, iostat_clock.mult) +
			iostat_clock.tsc_offset - iostat_snapshot_raw_ns(&now);
	/*
	 * The counter is no longer the kernel's clock source. The clocks are read one after the other, so the time steps
	 * ahead, and not back, by at most the time between two reads of the counter. A hypervisor may stop the CPU between
	 * them: the shortest of several is taken.
	 */
	for (int try = 0; try < 8; try++) {
		u64 before, raw, after;

		local_irq_save(flags);
		before = iostat_clock_now();
		raw = ktime_get_raw();
		after = iostat_clock_now();
		local_irq_restore(flags);
		if (after - before < least) {
			least = after - before;
			offset = after - raw;
		}
	}
	return offset;
}

static void use_raw(void)
{
	/* Make sure that no event of the fast path reads the counter any more. */
	if (has_fast_path()) {
		static_branch_inc(&iostat_general_or_watched);
		static_branch_inc(&iostat_general_or_traced);
		static_branch_inc(&iostat_general);
		iostat_synchronize_probes();
	}
	WRITE_ONCE(iostat_clock.raw_offset, raw_offset_of_counter());
	/* Pairs with the acquire in iostat_clock_now(): raw_offset is seen first. */
	smp_store_release(&iostat_clock.is_counter, false);
}

/* Selects the best source. The caller holds exchange_lock. */
static void choose(void)
{
	struct system_time_snapshot now;
	bool is_valid = iostat_snapshot(&now);
	u64 mult = suspending || !is_valid ? 0 : counter_mult(&now);

	if (mult && !iostat_clock.is_counter)
		use_counter(&now, mult);
	else if (!mult && iostat_clock.is_counter)
		use_raw();
	else
		return;
	if (map_clock) {
		publish();
		exchanged(exchange_counter);
	}
}
#else
static void choose(void)
{
}
#endif

/**
 * iostat_clock_check - selects the best clock source again
 *
 * Context: Process context. May sleep.
 */
void iostat_clock_check(void)
{
	/* If the lock is taken, another thread selects the source right now. */
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

static void unset_map(void)
{
	mutex_lock(&exchange_lock);
	map_clock = NULL;
	mutex_unlock(&exchange_lock);
}

/**
 * iostat_clock_start - selects the clock source and starts to watch it
 * @map: how to read the clock, for programs; updated until iostat_clock_stop()
 * @count: called for each change of the source until then, with a mutex held
 * @counter: argument of @count
 *
 * Context: Process context. May sleep.
 * Return: 0, -EBUSY if it was started already, or the error of register_pm_notifier().
 */
int iostat_clock_start(struct iostat_map_clock *map, void (*count)(const void *counter),
		       const void *counter)
{
	static bool is_chosen;
	int error;

	mutex_lock(&exchange_lock);
	if (map_clock) {
		mutex_unlock(&exchange_lock);
		return -EBUSY;
	}
	/* use_counter() decrements all three, if there is a fast path. They stay as they are when the clock is stopped. */
	if (!is_chosen) {
		static_branch_inc(&iostat_general_or_watched);
		static_branch_inc(&iostat_general_or_traced);
		static_branch_inc(&iostat_general);
		is_chosen = true;
	}
	/* The first selection is not counted as a change. */
	choose();
	exchanged = count;
	exchange_counter = counter;
	map_clock = map;
	publish();
	mutex_unlock(&exchange_lock);
	error = register_pm_notifier(&suspend_block);
	if (error)
		unset_map();
	return error;
}

/**
 * iostat_clock_stop - stops what iostat_clock_start() started
 *
 * Context: Process context. May sleep.
 */
void iostat_clock_stop(void)
{
	unregister_pm_notifier(&suspend_block);
	unset_map();
}
