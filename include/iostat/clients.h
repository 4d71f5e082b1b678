/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts in C of the functions that other modules call: see src/hooks/clients.c.
 */
#ifndef _IOSTAT_CLIENTS_H
#define _IOSTAT_CLIENTS_H

#include <linux/types.h>

struct spinlock;

/* Copies @size bytes with @lock held. Any context in which @lock may be taken; with PREEMPT_RT it may sleep. */
void iostat_copy_locked(struct spinlock *lock, void *to, const void *from, size_t size);
/* Whether a warning may be logged now: its rate is limited. Any context. */
bool iostat_may_warn(void);

#endif /* _IOSTAT_CLIENTS_H */
