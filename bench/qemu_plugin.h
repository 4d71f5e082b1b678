/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's plugin interface that bench/profile.c, in version 4, and scripts/vm-yield.c,
 * in version 4 or 7, use. QEMU 11.1 refuses versions below 7, QEMU 10 those above 5. Distributions
 * install no header of it.
 */
#ifndef _BENCH_QEMU_PLUGIN_H
#define _BENCH_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifndef PLUGIN_API
#define PLUGIN_API	4
#endif

#define EXPORT	__attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

#if PLUGIN_API >= 7
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(struct qemu_plugin_tb *tb, void *data),
					   void *data);
#else
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
#endif
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *data, size_t size);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu, void *data),
					    int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
							 int op, struct qemu_plugin_u64 counter,
							 uint64_t operand);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
uint64_t qemu_plugin_u64_sum(struct qemu_plugin_u64 counter);

#define NO_REGS		0
#define INLINE_ADD	0

#endif /* _BENCH_QEMU_PLUGIN_H */
