// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the binary calls of /dev/iostat and prints their results.
 *
 *	abi info | list | all | histogram NAME
 *	abi io-sizes NAME
 *	abi histograms one|all NAME	as abi histogram NAME and abi io-sizes NAME, by one call for this device or for all
 *	abi agree NAME N	N calls under load: prints where histograms differ from the counters beside them
 *	abi oldest NAME		the age of its oldest I/O in flight, by each call for it or for all devices
 *	abi get NAME		the line of /sys/block/NAME/iostat/stat
 *	abi time N		ns for all devices' snapshots, the minimum of N times
 *	abi diskstats N		ns for /proc/diskstats, the minimum of N times
 *	abi message TEXT [ROOM]
 *	abi sizes		invalid and valid arguments: prints what is wrong
 *	abi poll NAME		what poll() returns before and after NAME comes, and after it leaves; 30 s at most
 *	abi seen DISK		which calls let poll() wait for the next change of the list
 *
 * Built three times: with the current header, with it for 32 bits, and with the header of version 1.
 */
#define _GNU_SOURCE
#include HEADER
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "escape.h"
#include "show.h"

#define MOST 4096

/* Sizes of version 1, which are those of 32-bit programs as well. */
#define SIZE(type, size) _Static_assert(sizeof(struct iostat_##type) == (size), #type)
SIZE(info, 64);
SIZE(list, 32);
SIZE(device, 192);
SIZE(get, 40);
SIZE(snapshot, 304);
SIZE(histogram, 48);
SIZE(message, 32);
SIZE(latency, 40);
SIZE(histograms, 72);

static int fd;
static struct iostat_device devices[MOST];
static struct iostat_snapshot snapshots[MOST];

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	printf("%s: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static struct iostat_list list(void)
{
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = MOST,
		.devices = (uintptr_t)devices,
	};

	must(ioctl(fd, IOSTAT_IOC_LIST, &list), "list");
	return list;
}

/* Of a device by its name, or as "#NUMBER". */
static __u32 number(const char *name)
{
	__u32 count = list().count;

	if (*name == '#')
		return strtoul(name + 1, NULL, 10);
	for (__u32 i = 0; i < count && i < MOST; i++)
		if (!strcmp(devices[i].name, name))
			return devices[i].number;
	printf("no %s\n", name);
	exit(1);
}

static struct iostat_get get(__u32 flags, __u32 which)
{
	struct iostat_get get = {
		.size = sizeof(get), .flags = flags, .entry_size = sizeof(snapshots[0]),
		.count = MOST, .snapshots = (uintptr_t)snapshots, .number = which,
	};

	must(ioctl(fd, IOSTAT_IOC_SNAPSHOT, &get), "snapshot");
	return get;
}

static void show_list(void)
{
	__u32 count = list().count;

	for (__u32 i = 0; i < count; i++) {
		const struct iostat_device *d = devices + i;

		put_escaped(d->name, strlen(d->name), " ");
		printf(" %u %u:%u %llu %u %llu %s %d ", d->number, d->dev_major, d->dev_minor,
		       (unsigned long long)d->diskseq, d->priority,
		       (unsigned long long)d->crtime,
		       d->flags & IOSTAT_DEVICE_PARTITION ? "partition" : "disk",
		       (int)d->parent);
		put_escaped(d->driver, strlen(d->driver), " ");
		putchar('\n');
	}
}

static void show_histograms(const char *name)
{
	__u64 counts[IOSTAT_BUCKETS];
	struct iostat_histogram h = {
		.size = sizeof(h), .number = number(name), .buckets = IOSTAT_BUCKETS,
		.counts = (uintptr_t)counts,
	};

	for (h.io_class = 0; h.io_class < IOSTAT_CLASSES; h.io_class++) {
		for (h.phase = 0; h.phase < IOSTAT_PHASES; h.phase++) {
			h.buckets = IOSTAT_BUCKETS;
			must(ioctl(fd, IOSTAT_IOC_HISTOGRAM, &h), "histogram");
			show_times(h.io_class, h.phase, counts, h.min, h.max);
		}
	}
}

static void show_all_sizes(const char *name)
{
	__u64 counts[IOSTAT_SIZES];
	struct iostat_histogram h = {
		.size = sizeof(h), .number = number(name), .phase = IOSTAT_PHASE_OF_SIZES,
		.counts = (uintptr_t)counts,
	};

	for (h.io_class = 0; h.io_class < IOSTAT_CLASSES; h.io_class++) {
		h.buckets = IOSTAT_SIZES;
		must(ioctl(fd, IOSTAT_IOC_HISTOGRAM, &h), "sizes");
		if (h.buckets != IOSTAT_SIZES || h.min || h.max)
			printf("sizes: %u buckets, min %llu, max %llu\n", h.buckets, (unsigned long long)h.min,
			       (unsigned long long)h.max);
		show_sizes(h.io_class, counts);
	}
}

#define HISTOGRAMS (IOSTAT_CLASSES * (IOSTAT_PHASES + 1))
#define TIMES (IOSTAT_CLASSES * IOSTAT_PHASES)

static struct iostat_latency latencies[MOST * HISTOGRAMS];
static __u64 counts[MOST * IOSTAT_BUCKETS];

static struct iostat_histograms histograms(__u32 flags, __u32 which)
{
	struct iostat_histograms h = {
		.size = sizeof(h), .flags = flags, .number = which, .which = IOSTAT_HISTOGRAM_ALL,
		.snapshot_size = sizeof(snapshots[0]), .snapshot_count = MOST, .snapshots = (uintptr_t)snapshots,
		.latency_size = sizeof(latencies[0]), .latency_count = MOST * HISTOGRAMS,
		.latencies = (uintptr_t)latencies,
		.count_count = MOST * IOSTAT_BUCKETS, .counts = (uintptr_t)counts,
	};

	must(ioctl(fd, IOSTAT_IOC_HISTOGRAMS, &h), "histograms");
	return h;
}

/* Prints the histograms of a device that a call has returned. */
static void show_latencies(const struct iostat_histograms *h, __u32 which)
{
	static const __u64 none[IOSTAT_BUCKETS];
	__u32 next = 0, at;

	while (next < h->latency_count && latencies[next].number != which)
		next++;
	for (at = 0; at < TIMES; at++) {
		const struct iostat_latency *l = latencies + next;
		__u64 all[IOSTAT_BUCKETS] = { 0 };

		if (next == h->latency_count || l->number != which || l->phase == IOSTAT_PHASE_OF_SIZES ||
		    l->io_class * IOSTAT_PHASES + l->phase != at) {
			show_times(at / IOSTAT_PHASES, at % IOSTAT_PHASES, none, 0, 0);
			continue;
		}
		memcpy(all + l->first_bucket, counts + l->first_count, l->buckets * sizeof(all[0]));
		show_times(l->io_class, l->phase, all, l->min, l->max);
		next++;
	}
	for (int c = 0; c < IOSTAT_CLASSES; c++) {
		const struct iostat_latency *l = latencies + next;
		__u64 all[IOSTAT_SIZES] = { 0 };

		if (next < h->latency_count && l->number == which && l->phase == IOSTAT_PHASE_OF_SIZES &&
		    l->io_class == (__u32)c) {
			memcpy(all + l->first_bucket, counts + l->first_count, l->buckets * sizeof(all[0]));
			next++;
		}
		show_sizes(c, all);
	}
}

/* Prints the age that a call returned, of this device. */
static void show_age(__u32 which, __u32 count)
{
	for (__u32 i = 0; i < count && i < MOST; i++)
		if (snapshots[i].number == which)
			printf(" %llu", (unsigned long long)snapshots[i].oldest_age);
}

static void show_oldest(const char *name)
{
	__u32 which = number(name);

	get(IOSTAT_GET_OLDEST, which);
	printf("%llu", (unsigned long long)snapshots[0].oldest_age);
	show_age(which, get(IOSTAT_GET_OLDEST | IOSTAT_GET_ALL, 0).count);
	show_age(which, histograms(IOSTAT_GET_OLDEST, which).snapshot_count);
	show_age(which, histograms(IOSTAT_GET_OLDEST | IOSTAT_GET_ALL, 0).snapshot_count);
	putchar('\n');
}

static __u32 index_of(const struct iostat_latency *l)
{
	if (l->phase == IOSTAT_PHASE_OF_SIZES)
		return TIMES + l->io_class;
	return l->io_class * IOSTAT_PHASES + l->phase;
}

static void agree(const char *name, long n)
{
	__u32 which = number(name);
	__u64 last = 0;

	while (n--) {
		struct iostat_histograms h = histograms(n % 2 ? IOSTAT_GET_ALL : 0, n % 2 ? 0 : which);
		__u64 sums[HISTOGRAMS] = { 0 };
		__u32 i = 0;

		for (__u32 at = 0; at < h.latency_count; at++)
			if (latencies[at].number == which)
				for (__u32 c = 0; c < latencies[at].buckets; c++)
					sums[index_of(latencies + at)] += counts[latencies[at].first_count + c];
		while (i < h.snapshot_count && snapshots[i].number != which)
			i++;
		for (int at = 0; at < HISTOGRAMS; at++) {
			int io_class = at < TIMES ? at / IOSTAT_PHASES : at - TIMES;
			__u64 operations = snapshots[i].operations[io_class];

			/* What transfers no data has no size. */
			if (at == TIMES + IOSTAT_CLASS_NONE)
				operations = 0;
			if (sums[at] != operations)
				printf("histogram %d of %llu, counter %llu\n", at, (unsigned long long)sums[at],
				       (unsigned long long)operations);
		}
		if (snapshots[i].end_count < last)
			printf("goes back\n");
		last = snapshots[i].end_count;
	}
	printf("%d\n", last != 0);
}

static void expect(const char *what, unsigned int call, void *argument, int error);

static void sizes_of_histograms(void)
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

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int all(void)
{
	return get(IOSTAT_GET_ALL, 0).count;
}

/* In as few reads as the kernel allows: see fs/seq_file.c. */
static int read_diskstats(void)
{
	static char text[1 << 20];
	int file = open("/proc/diskstats", O_RDONLY), lines = 0;
	ssize_t len;

	while ((len = read(file, text, sizeof(text))) > 0)
		lines++;
	close(file);
	return lines;
}

static void measure(int (*what)(void), int rounds)
{
	long long best = -1;
	int count = 0;

	while (rounds--) {
		long long from = now(), ns;

		count = what();
		ns = now() - from;
		if (best < 0 || ns < best)
			best = ns;
	}
	if (what == all)
		printf("%d ", count);
	printf("%lld\n", best);
}

static void message(const char *text, int room)
{
	static char reply[1 << 20];
	struct iostat_message m = {
		.size = sizeof(m), .in = (uintptr_t)text, .in_bytes = strlen(text),
		.out = (uintptr_t)reply, .out_bytes = room,
	};
	int result = ioctl(fd, IOSTAT_IOC_MESSAGE, &m);

	printf("%s %u %.*s", result ? strerrorname_np(errno) : "0", m.out_bytes,
	       (int)m.out_bytes < room ? (int)m.out_bytes : room, reply);
	if (result && errno == ENOSPC) {
		ssize_t len = pread(fd, reply, sizeof(reply), 0);

		printf("and %zd", len);
	}
	putchar('\n');
}

static void expect(const char *what, unsigned int call, void *argument, int error)
{
	int got = ioctl(fd, call, argument) ? errno : 0;

	if (got != error)
		printf("%s: %s, not %s\n", what, strerrorname_np(got), strerrorname_np(error));
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

static void sizes(void)
{
	struct { struct iostat_info info; char more[8192]; } big = { 0 };
	struct iostat_list l = { .size = sizeof(l), .entry_size = sizeof(devices[0]) };
	struct iostat_get g = { .size = sizeof(g), .entry_size = sizeof(snapshots[0]), .number = -1 };
	struct iostat_histogram h = { .size = sizeof(h), .number = -1 };
	struct iostat_message m = { .size = sizeof(m), .in_bytes = 1 << 20 };
	struct { __u64 s[40]; } wide[2];
	__u32 numdevs;

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
	sizes_of_histograms();
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
}

/* What poll() returns at once, or when it has waited. */
static int poll_now(short events, int timeout)
{
	struct pollfd p = { .fd = fd, .events = events };

	must(poll(&p, 1, timeout), "poll");
	return p.revents;
}

static int is_listed(const char *name)
{
	__u32 count = list().count;

	for (__u32 i = 0; i < count; i++)
		if (!strcmp(devices[i].name, name))
			return 1;
	return 0;
}

/* Without a wake-up, poll() does not return, and the alarm ends the program. */
static void wait_for_changes(const char *name)
{
	alarm(30);
	list();
	printf("%x\n", poll_now(POLLIN | POLLPRI | POLLOUT, 0));
	for (int comes = 1; comes >= 0; comes--) {
		fflush(stdout);
		/* A disk that comes or leaves may change the list more than once. */
		do {
			printf("%x ", poll_now(POLLIN | POLLPRI, -1));
			printf("%x ", poll_now(POLLPRI, 0));
		} while (is_listed(name) != comes || poll_now(POLLIN, 0));
		printf("%x\n", poll_now(POLLIN | POLLPRI, 0));
	}
}

static void info(void)
{
	struct iostat_info info = { .size = sizeof(info) };

	must(ioctl(fd, IOSTAT_IOC_INFO, &info), "info");
}

static void see_list(void)
{
	list();
}

static void see_none_of_list(void)
{
	struct iostat_list l = { .size = sizeof(l), .entry_size = sizeof(devices[0]) };

	must(ioctl(fd, IOSTAT_IOC_LIST, &l), "list");
}

static void see_all_snapshots(void)
{
	get(IOSTAT_GET_ALL, 0);
}

static void see_all_histograms(void)
{
	histograms(IOSTAT_GET_ALL, 0);
}

static void see_text(void)
{
	char byte;

	must(pread(fd, &byte, 1, 0), "read");
}

/* The number of the disk that seen() changes. */
static __u32 disk_number;

static void see_snapshot(void)
{
	get(0, disk_number);
}

static void see_histograms(void)
{
	histograms(0, disk_number);
}

static void see_rest_of_text(void)
{
	char byte;

	must(pread(fd, &byte, 1, 1), "read");
}

/* Adds a partition to a disk, or deletes it: the list changes. */
static void change(const char *disk, int op)
{
	struct blkpg_partition part = { .start = 8 << 20, .length = 1 << 20, .pno = 7 };
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(part), .data = &part };
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/dev/%s", disk);
	file = open(path, O_RDWR);
	must(file, path);
	must(ioctl(file, BLKPG, &arg), "partition");
	close(file);
}

static void seen(const char *disk)
{
	static const struct call {
		const char *name;
		void (*make)(void);
		int is_seen;
	} calls[] = {
		{ "info", info, 1 },
		{ "list", see_list, 1 },
		{ "list, no room", see_none_of_list, 1 },
		{ "snapshots of all", see_all_snapshots, 1 },
		{ "histograms of all", see_all_histograms, 1 },
		{ "text", see_text, 1 },
		{ "snapshot of one", see_snapshot, 0 },
		{ "histograms of one", see_histograms, 0 },
		{ "text, not from its start", see_rest_of_text, 0 },
		{ NULL, NULL, 0 },
	};

	alarm(60);
	/* The text has a start, at which this file has been read. */
	see_text();
	for (const struct call *call = calls; call->name; call++) {
		for (int twice = 0; twice < 2; twice++) {
			disk_number = number(disk);
			change(disk, twice ? BLKPG_DEL_PARTITION : BLKPG_ADD_PARTITION);
			if (poll_now(POLLIN | POLLPRI, -1) != (POLLIN | POLLPRI))
				printf("%s: poll() before\n", call->name);
			call->make();
			if (poll_now(POLLIN | POLLPRI, 0) != (call->is_seen ? 0 : POLLIN | POLLPRI))
				printf("%s: poll() after\n", call->name);
		}
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	fd = open("/dev/iostat", !strcmp(what, "message") ? O_RDWR : O_RDONLY);
	must(fd, "open");
	if (!strcmp(what, "info")) {
		struct iostat_info info = { .size = sizeof(info) };

		must(ioctl(fd, IOSTAT_IOC_INFO, &info), "info");
		printf("%u %llu %u %u %u\n", info.version, (unsigned long long)info.generation,
		       info.numdevs, info.buckets, info.message_bytes);
	} else if (!strcmp(what, "list")) {
		show_list();
	} else if (!strcmp(what, "all")) {
		__u32 count = get(IOSTAT_GET_ALL, 0).count;

		for (__u32 i = 0; i < count; i++) {
			printf("%u ", snapshots[i].number);
			show(snapshots + i);
		}
	} else if (!strcmp(what, "get") && argc == 3) {
		get(0, number(argv[2]));
		show(snapshots);
	} else if (!strcmp(what, "histogram") && argc == 3) {
		show_histograms(argv[2]);
	} else if (!strcmp(what, "histograms") && argc == 4) {
		int is_all = !strcmp(argv[2], "all");
		__u32 which = number(argv[3]);
		struct iostat_histograms h = histograms(is_all ? IOSTAT_GET_ALL : 0, is_all ? 0 : which);

		show_latencies(&h, which);
	} else if (!strcmp(what, "oldest") && argc == 3) {
		show_oldest(argv[2]);
	} else if (!strcmp(what, "agree") && argc == 4) {
		agree(argv[2], atol(argv[3]));
	} else if (!strcmp(what, "io-sizes") && argc == 3) {
		show_all_sizes(argv[2]);
	} else if (!strcmp(what, "time") && argc == 3) {
		measure(all, atoi(argv[2]));
	} else if (!strcmp(what, "diskstats") && argc == 3) {
		measure(read_diskstats, atoi(argv[2]));
	} else if (!strcmp(what, "message") && argc >= 3) {
		message(argv[2], argc > 3 ? atoi(argv[3]) : 65536);
	} else if (!strcmp(what, "sizes")) {
		sizes();
	} else if (!strcmp(what, "poll") && argc == 3) {
		wait_for_changes(argv[2]);
	} else if (!strcmp(what, "seen") && argc == 3) {
		seen(argv[2]);
	} else {
		return 2;
	}
	return 0;
}
