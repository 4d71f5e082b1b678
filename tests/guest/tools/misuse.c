// SPDX-License-Identifier: GPL-2.0
/*
 * Invalid calls of /dev/iostat: prints what is wrong with their results.
 *
 *	misuse DISK SEED N	N random arguments, after the listed ones
 */
#define _GNU_SOURCE
#include <linux/iostat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int fd;
/* One page, followed by unmapped memory. */
static char *page;
static size_t page_size;

static void expect(const char *what, unsigned int call, void *argument, int error)
{
	int got = ioctl(fd, call, argument) ? errno : 0;

	if (got != error)
		printf("%s %#x: %s, not %s\n", what, call, strerrorname_np(got), strerrorname_np(error));
}

union argument {
	__u32 size;
	struct iostat_info info;
	struct iostat_list list;
	struct iostat_get get;
	struct iostat_histogram histogram;
	struct iostat_message message;
	struct iostat_histograms histograms;
	struct iostat_get_slow slow;
	struct iostat_get_cgroups cgroups;
	struct iostat_kstat_list kstats;
	struct iostat_kstat_read kstat;
	struct iostat_kstat_write write;
};

static const struct {
	unsigned int call;
	union argument argument;
} calls[] = {
	{ IOSTAT_IOC_INFO, { .info = { .size = sizeof(struct iostat_info) } } },
	{ IOSTAT_IOC_LIST, { .list = { .size = sizeof(struct iostat_list),
		.entry_size = sizeof(struct iostat_device) } } },
	{ IOSTAT_IOC_SNAPSHOT, { .get = { .size = sizeof(struct iostat_get), .flags = IOSTAT_GET_ALL,
		.entry_size = sizeof(struct iostat_snapshot) } } },
	{ IOSTAT_IOC_HISTOGRAM, { .histogram = { .size = sizeof(struct iostat_histogram) } } },
	{ IOSTAT_IOC_MESSAGE, { .message = { .size = sizeof(struct iostat_message), .in_bytes = 1 } } },
	{ IOSTAT_IOC_HISTOGRAMS, { .histograms = { .size = sizeof(struct iostat_histograms),
		.flags = IOSTAT_GET_ALL, .which = IOSTAT_HISTOGRAM_ALL,
		.snapshot_size = sizeof(struct iostat_snapshot),
		.latency_size = sizeof(struct iostat_latency) } } },
	{ IOSTAT_IOC_SLOW, { .slow = { .size = sizeof(struct iostat_get_slow),
		.entry_size = sizeof(struct iostat_slow) } } },
	{ IOSTAT_IOC_CGROUPS, { .cgroups = { .size = sizeof(struct iostat_get_cgroups),
		.number = IOSTAT_NO_DEVICE, .entry_size = sizeof(struct iostat_cgroup) } } },
	{ IOSTAT_IOC_KSTAT_LIST, { .kstats = { .size = sizeof(struct iostat_kstat_list),
		.entry_size = sizeof(struct iostat_kstat_header) } } },
	/* unix:0:kstat_types, without room for it. */
	{ IOSTAT_IOC_KSTAT_READ, { .kstat = { .size = sizeof(struct iostat_kstat_read), .kid = 1,
		.entry_size = sizeof(struct iostat_kstat_value) } } },
	/* unix:0:kstat_types, which is read-only. */
	{ IOSTAT_IOC_KSTAT_WRITE, { .write = { .size = sizeof(struct iostat_kstat_write), .kid = 1,
		.name = "raw", .type = IOSTAT_KSTAT_DATA_UINT64 } } },
};

static bool is_call(unsigned int call)
{
	for (unsigned int i = 0; i < COUNT(calls); i++)
		if (calls[i].call == call)
			return true;
	return false;
}

/* Every number of iostat's calls with every direction and some sizes. */
static void numbers(void)
{
	static const unsigned int sizes[] = { 0, 1, 8, 64, 4096, 16383 };

	for (unsigned int nr = 0; nr < 256; nr++) {
		for (unsigned int i = 0; i < 4 * COUNT(sizes); i++) {
			unsigned int call = _IOC(i % 4, IOSTAT_IOC_MAGIC, nr, sizes[i / 4]);

			if (i)
				expect("with a size", call, NULL, ENOTTY);
			else if (call == IOSTAT_IOC_KSTAT_WRITE && geteuid())
				expect("not allowed", call, NULL, EPERM);
			else if (is_call(call))
				expect("nowhere", call, NULL, EFAULT);
			else
				expect("no call", call, NULL, ENOTTY);
		}
	}
}

/* Returns the result of a call with this argument. */
static int answer(unsigned int call)
{
	int error = 0;

	if (call == IOSTAT_IOC_MESSAGE)
		error = EINVAL;
	else if (call == IOSTAT_IOC_KSTAT_READ)
		error = ENOMEM;
	else if (call == IOSTAT_IOC_KSTAT_WRITE)
		error = geteuid() ? EPERM : EACCES;
	return error;
}

/* Arguments at odd addresses, across the end of the page, and in read-only memory. */
static void places(__u32 number)
{
	for (unsigned int i = 0; i < COUNT(calls); i++) {
		union argument a = calls[i].argument;
		unsigned int size = a.size;
		char *end = page + page_size - size;
		bool is_denied = answer(calls[i].call) == EPERM;

		if (calls[i].call == IOSTAT_IOC_HISTOGRAM)
			a.histogram.number = number;
		if (calls[i].call == IOSTAT_IOC_SLOW)
			a.slow.number = number;
		/* An empty line is an invalid message; its result is written to the argument nevertheless. */
		if (calls[i].call == IOSTAT_IOC_MESSAGE)
			a.message.in_bytes = 0;
		for (int by = 0; by < 8; by++) {
			int result, error;

			memset(page, 0x5a, page_size);
			memcpy(end - by, &a, size);
			result = ioctl(fd, calls[i].call, end - by);
			error = errno;
			if ((result ? error : 0) != answer(calls[i].call))
				printf("%#x, %d from the end: %s\n", calls[i].call, by, strerrorname_np(error));
			for (char *p = page; p < page + page_size; p++)
				if ((p < end - by || p >= end - by + size) && *p != 0x5a) {
					printf("%#x: wrote elsewhere\n", calls[i].call);
					break;
				}
		}
		for (unsigned int by = 1; by <= size; by++) {
			memcpy(end + by, &a, size - by);
			expect("across the end", calls[i].call, end + by, is_denied ? EPERM : EFAULT);
		}
		memcpy(page, &a, size);
		mprotect(page, page_size, PROT_READ);
		/* Without the privilege the call fails before it writes the argument. */
		expect("read-only", calls[i].call, page, is_denied ? EPERM :
		       calls[i].call == IOSTAT_IOC_KSTAT_WRITE ? EACCES : EFAULT);
		mprotect(page, page_size, PROT_READ | PROT_WRITE);
	}
}

/* Arrays at odd addresses, and longer than the memory. */
static void arrays(__u32 number)
{
	struct iostat_snapshot snapshot;
	struct iostat_device device;
	struct iostat_list l = { .size = sizeof(l), .entry_size = sizeof(device), .count = 1 };
	struct iostat_get g = { .size = sizeof(g), .flags = IOSTAT_GET_ALL, .count = 1,
		.entry_size = sizeof(snapshot) };
	struct iostat_histogram h = { .size = sizeof(h), .number = number, .buckets = 8 };
	struct iostat_histograms all = { .size = sizeof(all), .number = number, .which = IOSTAT_HISTOGRAM_ALL,
		.snapshot_size = sizeof(snapshot), .latency_size = sizeof(struct iostat_latency) };

	l.devices = (uintptr_t)page + page_size - sizeof(device) - 1;
	expect("odd devices", IOSTAT_IOC_LIST, &l, 0);
	memcpy(&device, (void *)(uintptr_t)l.devices, sizeof(device));
	if (!memchr(device.name, 0, sizeof(device.name)) || !device.name[0])
		printf("odd devices: no name\n");
	g.snapshots = (uintptr_t)page + page_size - sizeof(snapshot) - 3;
	expect("odd snapshots", IOSTAT_IOC_SNAPSHOT, &g, 0);
	memcpy(&snapshot, (void *)(uintptr_t)g.snapshots, sizeof(snapshot));
	if (snapshot.number != device.number)
		printf("odd snapshots: of %u, not %u\n", snapshot.number, device.number);
	h.counts = (uintptr_t)page + 5;
	expect("odd counts", IOSTAT_IOC_HISTOGRAM, &h, 0);
	all.snapshots = g.snapshots;
	all.latencies = (uintptr_t)page + 7;
	all.counts = (uintptr_t)page + page_size - 2 * sizeof(snapshot) - 1;
	all.snapshot_count = all.latency_count = all.count_count = 1;
	expect("odd addresses of histograms", IOSTAT_IOC_HISTOGRAMS, &all, 0);
	l.count = g.count = UINT32_MAX;
	h.buckets = UINT32_MAX;
	l.devices = g.snapshots = h.counts = (uintptr_t)page + page_size - 8;
	expect("too many devices", IOSTAT_IOC_LIST, &l, EFAULT);
	expect("too many snapshots", IOSTAT_IOC_SNAPSHOT, &g, EFAULT);
	expect("too many counts", IOSTAT_IOC_HISTOGRAM, &h, EFAULT);
	all.snapshots = all.latencies = all.counts = l.devices;
	for (unsigned int i = 0; i < 3; i++) {
		all.snapshot_count = i == 0 ? UINT32_MAX : 0;
		all.latency_count = i == 1 ? UINT32_MAX : 0;
		all.count_count = i == 2 ? UINT32_MAX : 0;
		expect("too many histograms", IOSTAT_IOC_HISTOGRAMS, &all, EFAULT);
	}
	/* The end would be below the start. */
	l.devices = g.snapshots = h.counts = -8ULL;
	expect("devices around the end", IOSTAT_IOC_LIST, &l, EFAULT);
	expect("snapshots around the end", IOSTAT_IOC_SNAPSHOT, &g, EFAULT);
	expect("counts around the end", IOSTAT_IOC_HISTOGRAM, &h, EFAULT);
}

static __u64 state;

/* splitmix64 */
static __u64 any(void)
{
	__u64 z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Each argument with some of its words changed. */
static void fuzz(long n)
{
	const __u64 odd[] = {
		0, 1, 7, 8, 4095, 4096, 4097, INT32_MAX, UINT32_MAX, INT64_MAX, -1ULL, -8ULL,
		(uintptr_t)page, (uintptr_t)page + 1, (uintptr_t)page + page_size - 64, 0xffff888000000000,
	};

	while (n--) {
		unsigned int which = any() % COUNT(calls);
		char *at = page + any() % 8;
		union argument a = calls[which].argument;

		for (int changes = any() % 4; changes >= 0; changes--) {
			__u64 value = any() % 2 ? odd[any() % COUNT(odd)] : any();
			size_t width = any() % 2 ? 4 : 8, place = any() % (sizeof(a) / width);

			memcpy((char *)&a + place * width, &value, width);
		}
		memcpy(at, &a, sizeof(a));
		ioctl(fd, calls[which].call, at);
	}
}

static __u32 number(const char *name)
{
	static struct iostat_device devices[1024];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = COUNT(devices),
		.devices = (uintptr_t)devices,
	};

	if (!ioctl(fd, IOSTAT_IOC_LIST, &list))
		for (__u32 i = 0; i < list.count && i < COUNT(devices); i++)
			if (!strcmp(devices[i].name, name))
				return devices[i].number;
	printf("no %s\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	__u32 disk;

	if (argc != 4)
		return 2;
	fd = open("/dev/iostat", O_RDWR);
	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || page == MAP_FAILED || munmap(page + page_size, page_size))
		return 2;
	disk = number(argv[1]);
	numbers();
	places(disk);
	arrays(disk);
	state = strtoull(argv[2], NULL, 0);
	fuzz(atol(argv[3]));
	return 0;
}
