/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Macros and inlines of the kernel that Rust needs as functions, and that the kernel's own rust/helpers does not have. No
 * logic and no state: all else is in Rust.
 */
#ifndef _RUST_HELPERS_H
#define _RUST_HELPERS_H

#include <linux/fprobe.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct class;
struct page;

void *rust_helper_alloc_page_of_cpu(unsigned int cpu);
int rust_helper_block_class(const struct class **class);
void rust_helper_cond_resched(void);
bool rust_helper_fatal_signal_pending(void);
unsigned long rust_helper_ftrace_regs_get_argument(struct ftrace_regs *regs, unsigned int n);
struct page *rust_helper_get_page_of_address(const void *address);
bool rust_helper_in_task(void);
void rust_helper_init_delayed_work(struct delayed_work *work, work_func_t function);
void rust_helper_local_irq_restore(unsigned long flags);
unsigned long rust_helper_local_irq_save(void);
void rust_helper_memalloc_noio_restore(unsigned int flags);
unsigned int rust_helper_memalloc_noio_save(void);
unsigned long rust_helper_my_cpu_offset(void);
unsigned int rust_helper_raw_smp_processor_id(void);
int rust_helper_register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
void rust_helper_this_cpu_add(u64 *counter, u64 value);
unsigned long rust_helper_tracepoint_srcu_read_lock(void);
void rust_helper_tracepoint_srcu_read_unlock(unsigned long section);
void rust_helper_synchronize_tracepoint_srcu(void);
int rust_helper_unregister_fprobe(struct fprobe *fp);

#endif /* _RUST_HELPERS_H */
