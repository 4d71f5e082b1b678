// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU: counts how often each instruction of the guest's kernel is executed
 * between two marks, see bench/marks.h. What is executed in user space is one sum.
 *
 * usage: qemu-system-x86_64 -icount shift=0 -plugin profile.so,out=FILE
 *
 * Appends to FILE, for each pair of marks, a line "= NUMBER", from 0 on, and then lines
 * "ADDRESS COUNT" in no order, of the CPUs together; address 0 is user space.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "marks.h"
#include "qemu_plugin.h"

#define KERNEL		(1ULL << 63)

/* Executed instructions of the kernel have about 300,000 addresses. */
#define PLACES		(1U << 21)

EXPORT int qemu_plugin_version = PLUGIN_API;

/* By hash of the address; 0 is free, but for the first place, that of user space. */
static uint64_t addresses[PLACES];
/* What the counters were at the first mark. */
static uint64_t before[PLACES];
static struct qemu_plugin_scoreboard *counters;
static FILE *out;
static unsigned int sections;
static bool is_counting;

static struct qemu_plugin_u64 counter(uint32_t place)
{
	return (struct qemu_plugin_u64) { counters, place * sizeof(uint64_t) };
}

static uint32_t place_of(uint64_t address)
{
	uint32_t place = address * 0x9e3779b97f4a7c15ULL >> 40;

	if (!(address & KERNEL))
		return 0;
	for (uint32_t tries = 0; tries < PLACES; tries++, place++) {
		place &= PLACES - 1;
		if (!place)
			continue;
		if (!addresses[place])
			addresses[place] = address;
		if (addresses[place] == address)
			return place;
	}
	fputs("profile: more addresses than places\n", stderr);
	abort();
}

static void start(unsigned int cpu, void *data)
{
	for (uint32_t place = 0; place < PLACES; place++)
		if (!place || addresses[place])
			before[place] = qemu_plugin_u64_sum(counter(place));
	is_counting = true;
}

static void end(unsigned int cpu, void *data)
{
	if (!is_counting)
		return;
	is_counting = false;
	fprintf(out, "= %u\n", sections++);
	for (uint32_t place = 0; place < PLACES; place++) {
		uint64_t count = 0;

		if (!place || addresses[place])
			count = qemu_plugin_u64_sum(counter(place)) - before[place];
		if (count)
			fprintf(out, "%llx %llu\n", (unsigned long long)addresses[place],
				(unsigned long long)count);
	}
	fflush(out);
}

/* See bench/marks.h. */
static bool is_mark(const struct qemu_plugin_insn *insn, uint32_t number)
{
	static const uint8_t nopl[] = { 0x0f, 0x1f, 0x84, 0x00 };
	uint8_t bytes[sizeof(nopl) + sizeof(number)];

	return qemu_plugin_insn_data(insn, bytes, sizeof(bytes)) == sizeof(bytes) &&
		!memcmp(bytes, nopl, sizeof(nopl)) &&
		!memcmp(bytes + sizeof(nopl), &number, sizeof(number));
}

/* Called when a block is translated, with a lock held. */
static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	for (size_t index = 0; index < qemu_plugin_tb_n_insns(tb); index++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, index);
		uint32_t place = place_of(qemu_plugin_insn_vaddr(insn));

		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, INLINE_ADD,
								    counter(place), 1);
		if (is_mark(insn, MARK_START))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, start, NO_REGS, NULL);
		else if (is_mark(insn, MARK_END))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, NO_REGS, NULL);
	}
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fputs("usage: -plugin profile.so,out=FILE\n", stderr);
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	counters = qemu_plugin_scoreboard_new(PLACES * sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
