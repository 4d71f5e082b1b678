/* SPDX-License-Identifier: GPL-2.0 */
/* The binary calls of /dev/iostat, for the programs that test them. HEADER is the header of the calls. */
#include HEADER
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

static inline void must(int result, const char *what)
{
	if (result >= 0)
		return;
	printf("%s: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static inline struct iostat_list list(void)
{
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = MOST,
		.devices = (uintptr_t)devices,
	};

	must(ioctl(fd, IOSTAT_IOC_LIST, &list), "list");
	return list;
}

/* Of a device by its name, or as "#NUMBER". */
static inline __u32 number(const char *name)
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

static inline struct iostat_get get(__u32 flags, __u32 which)
{
	struct iostat_get get = {
		.size = sizeof(get), .flags = flags, .entry_size = sizeof(snapshots[0]),
		.count = MOST, .snapshots = (uintptr_t)snapshots, .number = which,
	};

	must(ioctl(fd, IOSTAT_IOC_SNAPSHOT, &get), "snapshot");
	return get;
}

#define HISTOGRAMS (IOSTAT_CLASSES * (IOSTAT_PHASES + 1))
#define TIMES (IOSTAT_CLASSES * IOSTAT_PHASES)

static struct iostat_latency latencies[MOST * HISTOGRAMS];
static __u64 counts[MOST * IOSTAT_BUCKETS];

static inline struct iostat_histograms histograms(__u32 flags, __u32 which)
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
