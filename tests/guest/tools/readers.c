// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of an I/O while other processes read statistics.
 *
 *	readers DISK READERS N [FILE]
 *
 * READERS processes read statistics in a loop, a third each by ioctl, by mmap and as text; or all of them
 * read FILE. Meanwhile the main process, with the highest priority, reads the disk N times, in groups, and
 * preempts the readers in the middle of their reads at the start of a group. Prints cycles of the CPU's
 * counter, which on x86 are instructions under QEMU's -icount, of the median read and of the 99th percentile; and the number of
 * reads by each of the three interfaces.
 */
#define _GNU_SOURCE
#include <linux/iostat.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif
#include "iostat.h"

#define MOST 256
#define GROUP 8
#define WAYS 3

/* The TSC, or the architected counter, which has a lower frequency. */
static uint64_t cycles_now(void)
{
#ifdef __x86_64__
	return __rdtsc();
#else
	uint64_t value;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r" (value) : : "memory");
	return value;
#endif
}

static struct iostat_device devices[MOST];
static struct iostat_snapshot snapshots[MOST];
static struct iostat_map map;
static int text_fd;
static __u32 count;
/* The number of reads of each process. */
static unsigned long *reads;

static void by_ioctl(void)
{
	struct iostat_get get = {
		.size = sizeof(get), .flags = IOSTAT_GET_ALL, .entry_size = sizeof(snapshots[0]),
		.count = MOST, .snapshots = (uintptr_t)snapshots,
	};

	if (ioctl(map.fd, IOSTAT_IOC_SNAPSHOT, &get))
		err(1, "ioctl");
}

static void by_mmap(void)
{
	static struct iostat_mapped mapped[MOST];

	for (__u32 i = 0; i < count; i++) {
		if (!mapped[i].owner && iostat_map_device(&map, mapped + i, devices[i].map_offset))
			err(1, "mmap");
		iostat_map_read(&map, mapped + i, snapshots + i);
	}
}

static void by_text(void)
{
	static char text[1 << 16];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(text_fd, text, sizeof(text), at)) > 0)
		at += got;
	if (got < 0 || !at)
		err(1, "read");
}

/* Reads once, waits for the start, then reads in a loop. */
static void reader(int which, int go, const char *other)
{
	static void (*const ways[WAYS])(void) = { by_ioctl, by_mmap, by_text };
	void (*way)(void) = other ? by_text : ways[which % WAYS];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = MOST,
		.devices = (uintptr_t)devices,
	};
	char c;

	if (iostat_map_open(&map, "/dev/iostat") || ioctl(map.fd, IOSTAT_IOC_LIST, &list))
		err(1, "/dev/iostat");
	count = list.count < MOST ? list.count : MOST;
	text_fd = other ? open(other, O_RDONLY) : map.fd;
	for (;;) {
		way();
		if (!reads[which]++ && read(go, &c, 1))
			errx(1, "no go");
		/* So that all readers run. */
		sched_yield();
	}
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	const struct sched_param first = { .sched_priority = 1 };
	int readers, n, disk, go[2];
	unsigned long before[WAYS] = {}, after[WAYS] = {};
	unsigned long long *cycles, from;
	pid_t *pids;
	void *buffer;

	if (argc < 4)
		return 2;
	readers = atoi(argv[2]);
	n = atoi(argv[3]);
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	cycles = calloc(n, sizeof(*cycles));
	pids = calloc(readers + 1, sizeof(*pids));
	reads = mmap(NULL, (readers + 1) * sizeof(*reads), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (disk < 0 || posix_memalign(&buffer, 4096, 4096) || pipe(go) || reads == MAP_FAILED)
		err(1, "%s", argv[1]);
	for (int i = 0; i < readers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			err(1, "fork");
		if (!pids[i]) {
			close(go[1]);
			reader(i, go[0], argc > 4 ? argv[4] : NULL);
		}
	}
	for (int i = 0; i < readers; i++)
		while (!__atomic_load_n(reads + i, __ATOMIC_RELAXED))
			usleep(1000);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "first in, first out");
	close(go[1]);
	for (int i = 0; i < n; i++) {
		if (!(i % GROUP)) {
			usleep(1000 + 37 * (i / GROUP) % 1000);
			for (int who = 0; !i && who < readers; who++)
				before[who % WAYS] += reads[who];
		}
		from = cycles_now();
		if (pread(disk, buffer, 4096, (i % 1024) * 4096) != 4096)
			err(1, "pread");
		cycles[i] = cycles_now() - from;
	}
	for (int who = 0; who < readers; who++)
		after[who % WAYS] += reads[who];
	for (int i = 0; i < readers; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	qsort(cycles, n, sizeof(*cycles), compare);
	printf("%llu %llu", cycles[n / 2], cycles[n - n / 100 - 1]);
	for (int way = 0; way < WAYS; way++)
		printf(" %lu", after[way] - before[way]);
	putchar('\n');
	return 0;
}
