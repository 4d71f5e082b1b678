/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts in C of the functions that other modules call: see src/hooks/clients.c.
 */
#ifndef _IOSTAT_CLIENTS_H
#define _IOSTAT_CLIENTS_H

#include <linux/types.h>

struct spinlock;

void iostat_copy_locked(struct spinlock *lock, void *to, const void *from, size_t size);
bool iostat_may_warn(void);

#endif /* _IOSTAT_CLIENTS_H */
