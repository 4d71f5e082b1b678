/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hash tables of tasks, in which a task keeps what it is doing.
 *
 * A table is an array of 1 << @bits places of @size bytes. The first member of a place is a pointer to its task, which is
 * NULL while the place is free. A task uses the @window places that follow its hash. If these are all in use, it has to do
 * without one. Only the task itself reads and writes the other members of its place.
 *
 * Context: any in which current is the task; not reentrant from interrupts.
 */
#ifndef _IOSTAT_TASKS_H
#define _IOSTAT_TASKS_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/sched.h>

static __always_inline void *iostat_task_place(void *places, size_t size, unsigned int bits,
					       unsigned int index)
{
	return places + ((hash_ptr(current, bits) + index) & ((1U << bits) - 1)) * size;
}

/* Returns the first place that the current task has, or NULL. */
static __always_inline void *iostat_task_find(void *places, size_t size, unsigned int bits,
					      unsigned int window)
{
	for (unsigned int index = 0; index < window; index++) {
		struct task_struct **task = iostat_task_place(places, size, bits, index);

		/* Only the task itself sets and clears this. */
		if (READ_ONCE(*task) == current)
			return task;
	}
	return NULL;
}

/* Claims a free place for the current task, beside those that it has. Returns NULL if there is no free one. */
static __always_inline void *iostat_task_claim(void *places, size_t size, unsigned int bits,
					       unsigned int window)
{
	for (unsigned int index = 0; index < window; index++) {
		struct task_struct **task = iostat_task_place(places, size, bits, index);

		if (!READ_ONCE(*task) && !cmpxchg(task, NULL, current))
			return task;
	}
	return NULL;
}

/* Makes a place of the current task free. */
static inline void iostat_task_release(struct task_struct **task)
{
	/* The next owner's stores come after those of this one, also on weakly ordered CPUs. */
	smp_store_release(task, NULL);
}

#endif /* _IOSTAT_TASKS_H */
