// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the binary calls of /dev/iostat with invalid and valid arguments, and prints what is wrong. Nothing is wrong
 * if it prints nothing.
 *
 * Built three times, as abi.c.
 */
#define _GNU_SOURCE
#include "calls.h"
#include <stddef.h>

static void expect(const char *what, unsigned int call, void *argument, int error)
{
	int got = ioctl(fd, call, argument) ? errno : 0;

	if (got != error)
		printf("%s: %s, not %s\n", what, strerrorname_np(got), strerrorname_np(error));
}

static void arguments_of_histograms(void)
{
	struct iostat_histograms h = { .size = sizeof(h), .number = -1, .which = IOSTAT_HISTOGRAM_ALL,
		.snapshot_size = sizeof(snapshots[0]), .latency_size = sizeof(latencies[0]) };

	expect("histograms, no such device", IOSTAT_IOC_HISTOGRAMS, &h, ENXIO);
	h.flags = IOSTAT_GET_ALL;
	expect("histograms, one of all", IOSTAT_IOC_HISTOGRAMS, &h, EINVAL);
	h.number = 0;
	h.flags |= 4;
	expect("histograms, flag", IOSTAT_IOC_HISTOGRAMS, &h, EINVAL);
	h.flags = IOSTAT_GET_ALL;
	h.which = IOSTAT_HISTOGRAM_ALL + 1;
	expect("histograms, no such histogram", IOSTAT_IOC_HISTOGRAMS, &h, EINVAL);
	h.which = IOSTAT_HISTOGRAM_ALL;
	h.reserved = 1;
	expect("histograms, reserved", IOSTAT_IOC_HISTOGRAMS, &h, EINVAL);
	h.reserved = 0;
	h.latency_size = 36;
	expect("histograms, short elements", IOSTAT_IOC_HISTOGRAMS, &h, EINVAL);
	h.latency_size = sizeof(latencies[0]);
	expect("histograms, no room", IOSTAT_IOC_HISTOGRAMS, &h, 0);
	if (!h.snapshot_count || !h.latency_count || h.count_count < h.latency_count || !h.generation)
		printf("histograms, no room: %u, %u, %u\n", h.snapshot_count, h.latency_count, h.count_count);
	h.snapshots = (uintptr_t)snapshots;
	h.latencies = (uintptr_t)latencies;
	h.counts = (uintptr_t)counts;
	h.latency_count = 1;
	h.snapshot_count = h.count_count = 0;
	latencies[1].buckets = -1;
	expect("histograms, some room", IOSTAT_IOC_HISTOGRAMS, &h, 0);
	if (!latencies[0].buckets || latencies[1].buckets != -1U)
		printf("histograms, some room: %u, %u\n", latencies[0].buckets, latencies[1].buckets);
	h.which = 0;
	expect("histograms, none", IOSTAT_IOC_HISTOGRAMS, &h, 0);
	if (h.latency_count || h.count_count)
		printf("histograms, none: %u\n", h.latency_count);
	h.which = IOSTAT_HISTOGRAM(IOSTAT_CLASS_WRITE, IOSTAT_PHASE_WAIT);
	h.latency_count = 1;
	expect("histograms, one", IOSTAT_IOC_HISTOGRAMS, &h, 0);
	if (latencies[0].io_class != IOSTAT_CLASS_WRITE || latencies[0].phase != IOSTAT_PHASE_WAIT)
		printf("histograms, one: of class %u, phase %u\n", latencies[0].io_class, latencies[0].phase);
	h.latencies = 0;
	h.latency_count = 1;
	expect("histograms, nowhere", IOSTAT_IOC_HISTOGRAMS, &h, EFAULT);
	fd = open("/dev/iostat", O_WRONLY);
	expect("histograms, of a file to write", IOSTAT_IOC_HISTOGRAMS, &h, EBADF);
	fd = open("/dev/iostat", O_RDONLY);
}

/* Elements without their last member: the next one follows at once, and nothing is written behind the last. */
static void short_elements(void)
{
	enum { LEAST = offsetof(struct iostat_snapshot, oldest_age) };
	static char room[2 * LEAST + 8];
	struct iostat_get g = { .size = sizeof(g), .flags = IOSTAT_GET_ALL, .count = 2, .entry_size = LEAST,
		.snapshots = (uintptr_t)room };

	_Static_assert(LEAST == 296, "a snapshot without oldest_age");
	list();
	memset(room, 0xff, sizeof(room));
	expect("snapshot, short entries", IOSTAT_IOC_SNAPSHOT, &g, 0);
	for (int i = 0; i < 2; i++)
		if (((struct iostat_snapshot *)(room + i * LEAST))->number != devices[i].number)
			printf("snapshot, short entries: another device at %d\n", i);
	for (size_t i = 2 * LEAST; i < sizeof(room); i++)
		if (room[i] != (char)0xff)
			printf("snapshot, short entries: written behind the last, at %zu\n", i);
	g.entry_size = LEAST - 8;
	expect("snapshot, shorter entries", IOSTAT_IOC_SNAPSHOT, &g, EINVAL);
}

int main(void)
{
	struct { struct iostat_info info; char more[8192]; } big = { 0 };
	struct iostat_list l = { .size = sizeof(l), .entry_size = sizeof(devices[0]) };
	struct iostat_get g = { .size = sizeof(g), .entry_size = sizeof(snapshots[0]), .number = -1 };
	struct iostat_histogram h = { .size = sizeof(h), .number = -1 };
	struct iostat_message m = { .size = sizeof(m), .in_bytes = 1 << 20 };
	struct { __u64 s[40]; } wide[2];
	__u32 numdevs;

	fd = open("/dev/iostat", O_RDONLY);
	must(fd, "open");
	big.info.size = sizeof(big.info) - 8;
	expect("info, shorter than in version 1", IOSTAT_IOC_INFO, &big, EINVAL);
	big.info.size = sizeof(big.info) + 100;
	expect("info, long", IOSTAT_IOC_INFO, &big, 0);
	if (big.info.size != sizeof(big.info) || big.info.version != IOSTAT_ABI_VERSION)
		printf("info, long: %u filled\n", big.info.size);
	memset(&big.info, 0, sizeof(big.info));
	big.info.size = sizeof(big.info) + 100;
	big.more[99] = 1;
	expect("info, of another version", IOSTAT_IOC_INFO, &big, E2BIG);
	big.more[99] = 0;
	big.more[100] = 1;
	expect("info, and what is behind it", IOSTAT_IOC_INFO, &big, 0);
	memset(&big.info, 0, sizeof(big.info));
	big.info.size = 4097;
	expect("info, longer than a page, of zeros", IOSTAT_IOC_INFO, &big, E2BIG);
	big.info.size = sizeof(big.info);
	big.info.flags = 1;
	expect("info, flag", IOSTAT_IOC_INFO, &big, EINVAL);
	big.info.flags = 0;
	big.info.reserved[1] = 1;
	expect("info, reserved", IOSTAT_IOC_INFO, &big, EINVAL);
	expect("info, nowhere", IOSTAT_IOC_INFO, NULL, EFAULT);
	expect("info, in the kernel", IOSTAT_IOC_INFO, (void *)0xffff888000000000, EFAULT);
	expect("no call", _IO(IOSTAT_IOC_MAGIC, 0x0f), &big, ENOTTY);
	expect("another's call", _IO('b', 0), &big, ENOTTY);
	expect("a call with a size", _IOWR(IOSTAT_IOC_MAGIC, 0, __u64), &big, ENOTTY);
	expect("list, no room", IOSTAT_IOC_LIST, &l, 0);
	if (!l.count || !l.generation)
		printf("list, no room: %u devices\n", l.count);
	numdevs = l.count;
	expect("list, nowhere", IOSTAT_IOC_LIST, &l, EFAULT);
	l.flags = 1;
	expect("list, flag", IOSTAT_IOC_LIST, &l, EINVAL);
	l.flags = 0;
	l.entry_size = 4;
	expect("list, short entries", IOSTAT_IOC_LIST, &l, EINVAL);
	l.entry_size = sizeof(devices[0]) + 4;
	expect("list, odd entries", IOSTAT_IOC_LIST, &l, EINVAL);
	l.entry_size = sysconf(_SC_PAGESIZE) + 8;
	expect("list, entries longer than a page", IOSTAT_IOC_LIST, &l, EINVAL);
	expect("snapshot, no such device", IOSTAT_IOC_SNAPSHOT, &g, ENXIO);
	g.flags = IOSTAT_GET_ALL;
	expect("snapshot, one of all", IOSTAT_IOC_SNAPSHOT, &g, EINVAL);
	g.number = 0;
	g.flags = 4;
	expect("snapshot, flag", IOSTAT_IOC_SNAPSHOT, &g, EINVAL);
	g.flags = 0;
	g.reserved = 1;
	expect("snapshot, reserved", IOSTAT_IOC_SNAPSHOT, &g, EINVAL);
	memset(wide, 0xff, sizeof(wide));
	g = (struct iostat_get) { .size = sizeof(g), .flags = IOSTAT_GET_ALL, .count = 1,
		.entry_size = sizeof(wide[0]), .snapshots = (uintptr_t)wide };
	expect("snapshot, long entries", IOSTAT_IOC_SNAPSHOT, &g, 0);
	if (wide[0].s[sizeof(snapshots[0]) / 8] || wide[0].s[39] || ~wide[1].s[0])
		printf("snapshot, long entries: not cleared\n");
	if (numdevs < 2 || g.count != numdevs)
		printf("snapshot, room for one: %u devices, the list has %u\n", g.count, numdevs);
	short_elements();
	expect("histogram, no such device", IOSTAT_IOC_HISTOGRAM, &h, ENXIO);
	h.flags = 1;
	expect("histogram, flag", IOSTAT_IOC_HISTOGRAM, &h, EINVAL);
	h.flags = 0;
	h.io_class = IOSTAT_CLASSES;
	expect("histogram, no such class", IOSTAT_IOC_HISTOGRAM, &h, EINVAL);
	h.io_class = 0;
	h.phase = IOSTAT_PHASES + 1;
	expect("histogram, no such phase", IOSTAT_IOC_HISTOGRAM, &h, EINVAL);
	arguments_of_histograms();
	fd = open("/dev/iostat", O_RDWR);
	expect("message, too long", IOSTAT_IOC_MESSAGE, &m, E2BIG);
	m.flags = 1;
	expect("message, flag", IOSTAT_IOC_MESSAGE, &m, EINVAL);
	m.flags = 0;
	m.in_bytes = 1;
	expect("message, nowhere", IOSTAT_IOC_MESSAGE, &m, EFAULT);
	fd = open("/dev/iostat", O_WRONLY);
	expect("info, of a file to write", IOSTAT_IOC_INFO, &big, EBADF);
	expect("message, of a file to write", IOSTAT_IOC_MESSAGE, &m, EBADF);
	fd = open("/dev/iostat", O_RDONLY);
	expect("message, of a file to read", IOSTAT_IOC_MESSAGE, &m, EBADF);
	return 0;
}
