// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the statistics of all disks and says how many TSC cycles it took; under
 * QEMU's -icount a cycle is an instruction.
 *
 * usage: readall REPEATS FILE...	opens, reads from begin to end, closes
 *	  readall REPEATS ioctl		opens /dev/iostat, takes one snapshot of all, closes
 *	  readall REPEATS oldest	the same with the age of the oldest I/O in flight of each
 *	  readall REPEATS histograms	the same with all their histograms, by one call
 *	  readall REPEATS histogram	the same with all their histograms, by a call for each
 *	  readall REPEATS mmap		reads the memory of all; it was mapped before
 *	  readall REPEATS pages		reads nothing
 *
 * Prints a line per repeat, after a warm-up: cycles, bytes read. Of "pages" but how many devices there are, and
 * the bytes of the pages of all of them that are there.
 */
#include <linux/iostat.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <x86intrin.h>
#include "iostat.h"
#include "marks.h"

#define MOST 1024

static char buffer[1 << 20];
static struct iostat_snapshot snapshots[MOST];
static struct iostat_map map;
static struct iostat_mapped mapped[MOST];
static __u32 count;

static unsigned long read_file(const char *name)
{
	int fd = open(name, O_RDONLY);
	unsigned long bytes = 0;
	ssize_t got;

	if (fd < 0)
		err(1, "%s", name);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		bytes += got;
	if (got < 0)
		err(1, "%s", name);
	close(fd);
	return bytes;
}

static unsigned long by_ioctl(__u32 flags)
{
	int fd = open("/dev/iostat", O_RDONLY);
	struct iostat_get get = {
		.size = sizeof(get), .flags = IOSTAT_GET_ALL | flags, .entry_size = sizeof(snapshots[0]),
		.count = MOST, .snapshots = (uintptr_t)snapshots,
	};

	if (fd < 0 || ioctl(fd, IOSTAT_IOC_SNAPSHOT, &get))
		err(1, "/dev/iostat");
	close(fd);
	return get.count * sizeof(snapshots[0]);
}

static unsigned long histograms(void)
{
	static struct iostat_latency latencies[MOST * IOSTAT_CLASSES * IOSTAT_PHASES];
	int fd = open("/dev/iostat", O_RDONLY);
	struct iostat_histograms get = {
		.size = sizeof(get), .flags = IOSTAT_GET_ALL, .which = IOSTAT_HISTOGRAM_ALL,
		.snapshot_size = sizeof(snapshots[0]), .snapshot_count = MOST, .snapshots = (uintptr_t)snapshots,
		.latency_size = sizeof(latencies[0]), .latencies = (uintptr_t)latencies,
		.latency_count = MOST * IOSTAT_CLASSES * IOSTAT_PHASES,
		.count_count = sizeof(buffer) / sizeof(__u64), .counts = (uintptr_t)buffer,
	};

	if (fd < 0 || ioctl(fd, IOSTAT_IOC_HISTOGRAMS, &get))
		err(1, "/dev/iostat");
	close(fd);
	return get.snapshot_count * sizeof(snapshots[0]) + get.latency_count * sizeof(latencies[0]) +
	       get.count_count * sizeof(__u64);
}

/* As before there was a call for all of them: those of classes that have transactions. */
static unsigned long histogram(void)
{
	unsigned long bytes = by_ioctl(0);
	int fd = open("/dev/iostat", O_RDONLY);

	for (unsigned long i = 0; i < bytes / sizeof(snapshots[0]); i++)
		for (int h = 0; h < IOSTAT_CLASSES * IOSTAT_PHASES; h++) {
			struct iostat_histogram get = {
				.size = sizeof(get), .number = snapshots[i].number, .io_class = h / IOSTAT_PHASES,
				.phase = h % IOSTAT_PHASES, .buckets = IOSTAT_BUCKETS, .counts = (uintptr_t)buffer,
			};

			if (!snapshots[i].operations[get.io_class])
				continue;
			if (ioctl(fd, IOSTAT_IOC_HISTOGRAM, &get))
				err(1, "/dev/iostat");
			bytes += IOSTAT_BUCKETS * sizeof(__u64);
		}
	close(fd);
	return bytes;
}

static void map_all(void)
{
	static struct iostat_device devices[MOST];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = MOST,
		.devices = (uintptr_t)devices,
	};

	if (iostat_map_open(&map, "/dev/iostat") || ioctl(map.fd, IOSTAT_IOC_LIST, &list))
		err(1, "/dev/iostat");
	for (count = 0; count < list.count && count < MOST; count++)
		if (iostat_map_device(&map, mapped + count, devices[count].map_offset))
			err(1, "%s", devices[count].name);
}

/* Of all devices: that which describes the device, and one for each record. */
static unsigned long pages(void)
{
	const struct iostat_cpu_record *record;
	unsigned long sum = count;

	for (__u32 i = 0; i < count; i++)
		for (__u32 at = 0; (record = iostat_next_record(map.header, mapped[i].owner, &at)); )
			sum += 1 + !!record->has_bases;
	return sum;
}

static unsigned long by_mmap(void)
{
	for (__u32 i = 0; i < count; i++)
		iostat_map_read(&map, mapped + i, snapshots + i);
	return count * sizeof(snapshots[0]);
}

static unsigned long read_all(int argc, char **argv)
{
	unsigned long bytes = 0;

	if (!strcmp(argv[2], "ioctl"))
		return by_ioctl(0);
	if (!strcmp(argv[2], "oldest"))
		return by_ioctl(IOSTAT_GET_OLDEST);
	if (!strcmp(argv[2], "histograms"))
		return histograms();
	if (!strcmp(argv[2], "histogram"))
		return histogram();
	if (!strcmp(argv[2], "mmap"))
		return by_mmap();
	for (int file = 2; file < argc; file++)
		bytes += read_file(argv[file]);
	return bytes;
}

int main(int argc, char **argv)
{
	unsigned long long start;
	unsigned long bytes;
	int repeats, i;

	if (argc < 3)
		errx(2, "usage: readall REPEATS FILE... | ioctl | oldest | histograms | histogram | mmap | pages");
	if (!strcmp(argv[2], "pages")) {
		map_all();
		printf("%u %lu\n", count, pages() * map.header->page_bytes);
		return 0;
	}
	repeats = atoi(argv[1]);
	if (!strcmp(argv[2], "mmap"))
		map_all();
	for (i = 0; i <= repeats; i++) {
		if (i == repeats)
			mark_start();
		start = __rdtsc();
		bytes = read_all(argc, argv);
		start = __rdtsc() - start;
		if (i == repeats)
			mark_end();
		if (i)
			printf("%llu %lu\n", start, bytes);
	}
	return 0;
}
