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
 *
 * Built three times: with the current header, with it for 32 bits, and with the header of version 1.
 */
#define _GNU_SOURCE
#include "calls.h"
#include <time.h>
#include "escape.h"
#include "show.h"

static void show_list(void)
{
	static const char *const kinds[] = {
		[IOSTAT_KIND_DISK] = "disk", [IOSTAT_KIND_PARTITION] = "partition", [IOSTAT_KIND_NFS] = "nfs",
		[IOSTAT_KIND_TAPE] = "tape", [IOSTAT_KIND_MISC] = "misc",
	};
	__u32 count = list().count;

	for (__u32 i = 0; i < count; i++) {
		const struct iostat_device *d = devices + i;

		put_escaped(d->name, strlen(d->name), " ");
		printf(" %u %u:%u %llu %u %llu %s %d ", d->number, d->dev_major, d->dev_minor,
		       (unsigned long long)d->diskseq, d->priority,
		       (unsigned long long)d->crtime,
		       d->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[d->kind] : "?",
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
	} else {
		return 2;
	}
	return 0;
}
