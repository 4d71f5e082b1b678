// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU: a CPU of the guest that waits for another one in a loop lets other threads
 * of the host run.
 *
 * Guests that run at the same time have more CPUs than the host. At the instruction with which a
 * guest says that it waits, QEMU leaves the translated code and comes back at once, so a CPU of
 * the guest may wait in a loop until the host runs the other one. Two guests whose load was to
 * start programs took up to twice the processor time for that.
 *
 * usage: qemu-system-ARCH -plugin yield.so
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "qemu_plugin.h"

EXPORT int qemu_plugin_version = PLUGIN_API;

static void yield(unsigned int cpu, void *data)
{
	sched_yield();
}

/* The size is compared too: pause has two bytes, and each instruction of arm64 has four. */
static bool is_wait(const struct qemu_plugin_insn *insn)
{
	static const struct wait {
		size_t size;
		uint8_t bytes[4];
	} waits[] = {
		{ 2, { 0xf3, 0x90 } },			/* x86: pause */
		{ 4, { 0x3f, 0x20, 0x03, 0xd5 } },	/* arm64: yield */
		{ 4, { 0x5f, 0x20, 0x03, 0xd5 } },	/* arm64: wfe */
		{ }
	};
	uint8_t bytes[16];
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	for (const struct wait *wait = waits; wait->size; wait++)
		if (size == wait->size && !memcmp(bytes, wait->bytes, size))
			return true;
	return false;
}

/* Called when a block is translated. */
static void instrument(struct qemu_plugin_tb *tb)
{
	for (size_t index = 0; index < qemu_plugin_tb_n_insns(tb); index++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);

		if (is_wait(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, yield, NO_REGS, NULL);
	}
}

#if PLUGIN_API >= 7
static void translate(struct qemu_plugin_tb *tb, void *data)
{
	instrument(tb);
}
#else
static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	instrument(tb);
}
#endif

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
#if PLUGIN_API >= 7
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
#else
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
#endif
	return 0;
}
