/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock all statistics are on: CLOCK_MONOTONIC_RAW in ns, read by the
 * shortest way that is right.
 *
 * Three readings an I/O were the largest single cost of recording: the kernel's
 * function takes 38 instructions and half of its time in a seqcount. While
 * the kernel's own clock source is the TSC, its counter and one multiplication
 * say the same. Raw, because a clock that is slewed would make two equal times
 * differ; and because it is linear in the counter.
 */
#ifndef _IOSTAT_CLOCK_H
#define _IOSTAT_CLOCK_H

#include <linux/compiler.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>
#endif

/**
 * struct iostat_clock - how the time is read at present
 * @is_tsc: by the TSC, else by the kernel's function
 * @mult: ns per cycle, 32 bits of them behind the point
 * @tsc_offset: ns to add to the product
 * @raw_offset: ns to add to what the kernel's function says
 */
struct iostat_clock {
	bool is_tsc;
	u64 mult;
	u64 tsc_offset;
	u64 raw_offset;
};

extern struct iostat_clock iostat_clock;

#ifdef CONFIG_X86_TSC
/* mul_u64_u64_shr() would have its caller align the stack for a 128-bit number. */
static __always_inline u64 iostat_cycles_to_ns(u64 cycles, u64 mult)
{
	u64 high;

	asm("mulq %2\n\tshrdq $32, %1, %0"
	    : "+a" (cycles), "=&d" (high) : "rm" (mult) : "cc");
	return cycles;
}
#endif

/* Context: any but NMI. */
static __always_inline u64 iostat_clock_now(void)
{
#ifdef CONFIG_X86_TSC
	/* What the TSC needs was written before @is_tsc, and stays. */
	if (likely(smp_load_acquire(&iostat_clock.is_tsc)))
		return iostat_cycles_to_ns(rdtsc_ordered(), iostat_clock.mult) +
			iostat_clock.tsc_offset;
#endif
	return ktime_get_raw() + READ_ONCE(iostat_clock.raw_offset);
}

struct iostat_map_clock;

u64 iostat_clock_read(void);
int iostat_clock_start(struct iostat_map_clock *told, void (*count)(const void *counter),
		       const void *counter);
void iostat_clock_stop(void);
void iostat_clock_check(void);

#endif /* _IOSTAT_CLOCK_H */
