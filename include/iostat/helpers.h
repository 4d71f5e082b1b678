/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Macros and inlines of the kernel that Rust needs as functions. No logic, and
 * no state but that of a rate limit: what can be said in Rust is said there.
 */
#ifndef _IOSTAT_HELPERS_H
#define _IOSTAT_HELPERS_H

#include <linux/types.h>

struct class;
struct module;
struct page;
struct spinlock;

void *iostat_alloc_page(unsigned int cpu);
int iostat_block_class(const struct class **class);
void iostat_cond_resched(void);
void iostat_copy_locked(struct spinlock *lock, void *to, const void *from, size_t size);
bool iostat_fatal_signal_pending(void);
bool iostat_in_task(void);
void iostat_local_irq_restore(unsigned long flags);
unsigned long iostat_local_irq_save(void);
bool iostat_may_warn(void);
struct page *iostat_get_page(const void *address);
void iostat_memalloc_noio_restore(unsigned int flags);
unsigned int iostat_memalloc_noio_save(void);
unsigned int iostat_this_cpu(void);
unsigned long iostat_this_cpu_offset(void);
void iostat_this_cpu_add(u64 *counter, u64 value);
struct module *iostat_this_module(void);
void iostat_tracepoint_synchronize_unregister(void);

#endif /* _IOSTAT_HELPERS_H */
