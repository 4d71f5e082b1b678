/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks for bench/profile.c: where the profiled part of a program starts and ends. Each is an
 * instruction that does nothing, nopl NUMBER(%rax,%rax,1), with a number that compilers do not use.
 */
#ifndef _BENCH_MARKS_H
#define _BENCH_MARKS_H

#define MARK_START	0x73736f69
#define MARK_END	0x65736f69

static inline void mark_start(void)
{
	asm volatile("nopl %c0(%%rax,%%rax,1)" : : "i" (MARK_START) : "memory");
}

static inline void mark_end(void)
{
	asm volatile("nopl %c0(%%rax,%%rax,1)" : : "i" (MARK_END) : "memory");
}

#endif /* _BENCH_MARKS_H */
