/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of all statistics: CLOCK_MONOTONIC_RAW in ns.
 *
 * Recording an I/O reads the clock three times, which was the largest single cost of
 * recording: the kernel's function takes 38 instructions, and spends half of its time in a seqcount.
 * While the kernel's own clock source is the CPU's counter (the TSC of x86, the virtual counter
 * of arm64), that counter and one multiplication give the same time. The clock is RAW because a
 * slewed clock would make equal intervals differ, and because it is linear in the counter.
 */
#ifndef _IOSTAT_CLOCK_H
#define _IOSTAT_CLOCK_H

#include <linux/compiler.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>
#elif defined(CONFIG_ARM64) && defined(CONFIG_ARM_ARCH_TIMER)
#include <asm/arch_timer.h>
#include <linux/math64.h>
#define IOSTAT_HAS_CNTVCT
#endif

/**
 * struct iostat_clock - the present clock source
 * @is_counter: the source is the CPU's counter, else the kernel's function
 * @mult: ns per cycle, as a fixed-point number with 32 fractional bits
 * @tsc_offset: ns to add to the product
 * @raw_offset: ns to add to the time of the kernel's function
 */
struct iostat_clock {
	bool is_counter;
	u64 mult;
	u64 tsc_offset;
	u64 raw_offset;
};

extern struct iostat_clock iostat_clock;

#ifdef CONFIG_X86_TSC
/* mul_u64_u64_shr() would make its caller align the stack for a 128-bit number. */
static __always_inline u64 iostat_cycles_to_ns(u64 cycles, u64 mult)
{
	u64 high;

	asm("mulq %2\n\tshrdq $32, %1, %0"
	    : "+a" (cycles), "=&d" (high) : "rm" (mult) : "cc");
	return cycles;
}

static __always_inline u64 iostat_cycles(void)
{
	return rdtsc_ordered();
}
#elif defined(IOSTAT_HAS_CNTVCT)
static __always_inline u64 iostat_cycles_to_ns(u64 cycles, u64 mult)
{
	return mul_u64_u64_shr(cycles, mult, 32);
}

static __always_inline u64 iostat_cycles(void)
{
	return __arch_counter_get_cntvct();
}
#endif

/* Context: Any context but NMI. */
static __always_inline u64 iostat_clock_now(void)
{
#if defined(CONFIG_X86_TSC) || defined(IOSTAT_HAS_CNTVCT)
	/* The other members were written before @is_counter and do not change while it is set. */
	if (likely(smp_load_acquire(&iostat_clock.is_counter)))
		return iostat_cycles_to_ns(iostat_cycles(), iostat_clock.mult) +
			iostat_clock.tsc_offset;
#endif
	return ktime_get_raw() + READ_ONCE(iostat_clock.raw_offset);
}

struct iostat_map_clock;

/* iostat_clock_now() as a function. Any context but NMI. The others may sleep; see src/hooks/clock.c. */
u64 iostat_clock_read(void);
int iostat_clock_start(struct iostat_map_clock *map, void (*count)(const void *counter),
		       const void *counter);
void iostat_clock_stop(void);
void iostat_clock_check(void);

#endif /* _IOSTAT_CLOCK_H */
