// SPDX-License-Identifier: GPL-2.0
/*
 * Maps the memory of /dev/iostat.
 *
 *	mapped get NAME		the line of /sys/block/NAME/iostat/stat
 *	mapped histograms NAME	as abi histogram NAME
 *	mapped io-sizes NAME	as abi io-sizes NAME
 *	mapped hunt NAME N	N snapshots under load of 4 KiB reads and writes: prints what is wrong
 *				with them, or with the record of a CPU, which is copied with each snapshot
 *	mapped outlive NAME	for each line of input: whether it is present, its line, a new mapping
 *	mapped gone NAME	waits until it is marked as gone: whether any count changes afterwards
 *	mapped fuzz SEED N	random and invalid mappings
 *	mapped watch NAME	snapshots by memory and by call in turn, under load of 4 KiB reads and writes, until the end
 *				of the input: prints what is wrong with them
 *	mapped partitions NAME	how often the partitions of a disk have changed, and how many are still to be absorbed
 *	mapped records NAME	the index of each record that is present, and its starts
 *	mapped hold		until the end of the input
 */
#define _GNU_SOURCE
#include <linux/iostat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "iostat.h"
#include "show.h"

#define MOST 1024

/* Sizes of version 1, which are those of 32-bit programs as well. */
#define SIZE(type, size) _Static_assert(sizeof(struct iostat_##type) == (size), #type)
#define AT(type, member, offset) \
	_Static_assert(offsetof(struct iostat_##type, member) == (offset), #type "." #member)
SIZE(map_clock, 40);
SIZE(map_header, 1056);
AT(map_header, generation, 72);
AT(map_header, clock, 80);
AT(map_header, bounds, 184);
SIZE(map_device, 4096);
AT(map_device, has_bases, 208);
AT(map_device, partitions, 3048);
AT(map_device, present, 3056);
SIZE(cpu_queue, 40);
SIZE(cpu_histogram, 456);
SIZE(cpu_record, 3584);
AT(cpu_record, completed, 152);
AT(cpu_record, waitq, 280);
AT(cpu_record, disk_waitq_busy, 480);
AT(cpu_record, disk_waited, 600);
AT(cpu_record, latency, 608);
AT(cpu_record, has_bases, 3344);
SIZE(bases, 2824);
AT(map_device, sizes, 2952);
AT(cpu_record, sizes, 3352);

static struct iostat_map map;
static struct iostat_mapped disk;
static __u64 offset;

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	printf("%s: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static void find(const char *name)
{
	static struct iostat_device devices[MOST];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = MOST,
		.devices = (uintptr_t)devices,
	};

	must(ioctl(map.fd, IOSTAT_IOC_LIST, &list), "list");
	for (__u32 i = 0; i < list.count; i++)
		if (!strcmp(devices[i].name, name))
			offset = devices[i].map_offset;
	if (!offset) {
		printf("no %s\n", name);
		exit(1);
	}
	must(iostat_map_device(&map, &disk, offset), "map");
	if (strcmp(disk.owner->device.name, name) || disk.owner->magic != IOSTAT_MAP_MAGIC)
		printf("the memory is that of %s\n", disk.owner->device.name);
}

static int wrong(const char *what, const struct iostat_snapshot *s, const struct iostat_snapshot *last)
{
	printf("%s\n", what);
	show(last);
	show(s);
	return 1;
}

/* Checks a snapshot, by itself and against the last one. */
static int check(const struct iostat_snapshot *s, const struct iostat_snapshot *last)
{
	const __u64 *now = &s->snaptime, *before = &last->snaptime;
	__u64 elapsed = s->snaptime - last->snaptime;

	/* All up to the last update of the run queue grow, but for that of the wait queue. */
	for (; now < &s->rlastupdate; now++, before++)
		if (now != &s->wlastupdate && *now < *before)
			return wrong("goes backwards", s, last);
	if (s->end_count > s->start_count)
		return wrong("ends before starts", s, last);
	if (s->wcnt >> 32 || s->rcnt >> 32 || s->wcnt + s->rcnt < s->start_count - s->end_count)
		return wrong("queues do not add up to the transactions in flight", s, last);
	for (int c = IOSTAT_CLASS_READ; c <= IOSTAT_CLASS_WRITE; c++)
		if (s->bytes[c] != 4096 * s->operations[c])
			return wrong("torn: bytes are not those of the operations", s, last);
	if (s->tag_types[0] + s->tag_types[1] + s->tag_types[2] + s->merged + s->refused +
	    s->abandoned != s->end_count)
		return wrong("torn: tag types do not add up to the ends", s, last);
	if (s->busy_time - last->busy_time > elapsed || s->wtime - last->wtime > elapsed ||
	    s->rtime - last->rtime > elapsed)
		return wrong("busy time grows faster than time", s, last);
	return 0;
}

static void show_histograms(void)
{
	struct iostat_times times;

	for (int c = 0; c < IOSTAT_CLASSES; c++)
		for (int phase = 0; phase < IOSTAT_PHASES; phase++) {
			must(iostat_map_histogram(&map, &disk, c, phase, &times), "histogram");
			show_times(c, phase, times.counts, times.shortest_inverted ? ~times.shortest_inverted : 0,
				   times.longest);
		}
}

static void show_all_sizes(void)
{
	__u64 counts[IOSTAT_SIZES];

	for (int c = 0; c < IOSTAT_CLASSES; c++) {
		must(iostat_map_sizes(&map, &disk, c, counts), "sizes");
		show_sizes(c, counts);
	}
}

static bool is_there(__u32 index)
{
	return __atomic_load_n(disk.owner->present + index / 64, __ATOMIC_ACQUIRE) >> index % 64 & 1;
}

/* A record, of one instant: as many times as operations. */
static int check_record(__u32 index)
{
	static struct iostat_cpu_record copy;
	const struct iostat_cpu_record *record = iostat_record(map.header, disk.owner, index);

	if (!is_there(index))
		return 0;
	copy.seq = iostat_copy(&copy.start_count, record, &record->start_count, sizeof(copy) / sizeof(__u64) - 1);
	for (int c = IOSTAT_CLASS_READ; c <= IOSTAT_CLASS_WRITE; c++) {
		__u64 operations = 0;

		for (int tag = 0; tag < 4; tag++)
			operations += copy.completed[IOSTAT_CLASSES * tag + c];
		__u64 sizes = 0;

		for (int i = 0; i < IOSTAT_SIZES; i++)
			sizes += copy.sizes[i][c - IOSTAT_CLASS_READ];
		if (sizes != operations) {
			printf("torn: record %u has %llu operations and %llu sizes of class %d\n", index,
			       (unsigned long long)operations, (unsigned long long)sizes, c);
			return 1;
		}

		for (int phase = 0; phase < IOSTAT_PHASES; phase++) {
			__u64 times = 0;

			for (int i = 0; i < IOSTAT_BUCKETS; i++)
				times += copy.latency[c - IOSTAT_CLASS_READ][phase].counts[i];
			if (times == operations)
				continue;
			printf("torn: record %u has %llu operations and %llu times of class %d, phase %d\n", index,
			       (unsigned long long)operations, (unsigned long long)times, c, phase);
			return 1;
		}
	}
	return 0;
}

static void hunt(long n)
{
	struct iostat_snapshot last, now;
	long errors = 0, i;

	must(iostat_map_read(&map, &disk, &last), "read");
	for (i = 0; i < n && errors < 3; i++) {
		must(iostat_map_read(&map, &disk, &now), "read");
		errors += check(&now, &last) + check_record(i % map.header->records);
		last = now;
	}
	printf("%ld snapshots, %ld wrong, %llu operations\n", i, errors,
	       (unsigned long long)(now.operations[1] + now.operations[2]));
}

/* No count is less than in an earlier snapshot, whichever way it was taken. */
static int check_counts(const struct iostat_snapshot *s, const struct iostat_snapshot *before)
{
	const __u64 *now = &s->start_count, *then = &before->start_count;

	for (; now < &s->busy_time; now++, then++)
		if (*now < *then)
			return wrong("goes backwards from one way of reading to the other", s, before);
	return 0;
}

static void watch(void)
{
	struct iostat_snapshot mapped, called, now;
	struct pollfd input = { .fd = 0, .events = POLLIN };
	long errors = 0, i;

	must(iostat_map_read(&map, &disk, &mapped), "read");
	must(iostat_by_call(&map, &disk, &called), "call");
	for (i = 0; errors < 3 && !poll(&input, 1, 0); i++) {
		must(iostat_map_read(&map, &disk, &now), "read");
		errors += check(&now, &mapped) + check_counts(&now, &called);
		mapped = now;
		must(iostat_by_call(&map, &disk, &now), "call");
		errors += check(&now, &called) + check_counts(&now, &mapped);
		called = now;
	}
	printf("%s, %ld wrong\n", i > 100 ? "many snapshots" : "few snapshots", errors);
}

static void outlive(void)
{
	struct iostat_snapshot now;
	struct iostat_mapped again;
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		printf("%s ", iostat_map_gone(&disk) ? "gone" : "there");
		if (iostat_map_device(&map, &again, offset))
			printf("%s ", strerrorname_np(errno));
		else
			iostat_unmap_device(&map, &again);
		must(iostat_map_read(&map, &disk, &now), "read");
		printf("%llu ", (unsigned long long)iostat_map_generation(&map));
		show(&now);
		fflush(stdout);
	}
}

/* All that is there of the device; returns its length. */
static size_t copy_all(char *to)
{
	const struct iostat_cpu_record *record;
	size_t len = sizeof(*disk.owner);

	memcpy(to, disk.owner, len);
	for (__u32 at = 0; (record = iostat_next_record(map.header, disk.owner, &at)); len += sizeof(*record))
		memcpy(to + len, record, sizeof(*record));
	return len;
}

static void gone(void)
{
	char *then = malloc(map.header->block_bytes), *now = malloc(map.header->block_bytes);
	__u64 from = iostat_map_generation(&map);
	size_t len;

	printf("waiting\n");
	fflush(stdout);
	while (!iostat_map_gone(&disk))
		;
	len = copy_all(then);
	usleep(500000);
	printf("%s, %s generation\n", len != copy_all(now) || memcmp(then, now, len) ? "changed" : "unchanged",
	       iostat_map_generation(&map) == from ? "same" : "new");
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

static sigjmp_buf not_there;

static void on_sigbus(int sig)
{
	siglongjmp(not_there, sig);
}

/* Whether there is something at an address. */
static bool is_readable(const __u64 *p)
{
	if (sigsetjmp(not_there, 1))
		return false;
	return __atomic_load_n(p, __ATOMIC_RELAXED) || true;
}

static void look_at(const __u64 *p, size_t len)
{
	for (size_t i = 0; i < len / sizeof(*p); i += 512)
		is_readable(p + i);
}

/* Which records are there, and whether the pages of all others are not. */
static void records(void)
{
	const char *at = (const char *)disk.owner;

	for (__u32 i = 0; i < map.header->records; i++) {
		const struct iostat_cpu_record *record = iostat_record(map.header, disk.owner, i);

		if (is_there(i) != is_readable(&record->seq))
			printf("record %u: its bit and its page do not agree\n", i);
		if (is_readable((const __u64 *)((const char *)record + map.header->bases_offset)))
			printf("record %u has bases\n", i);
		if (is_there(i))
			printf("%u %llu\n", i, (unsigned long long)record->start_count);
	}
	if (is_readable((const __u64 *)(at + map.header->bases_offset)))
		printf("the device has bases\n");
}

/* Random sizes, protections and offsets; fork, mremap, mprotect, close while mapped. */
static long fuzz(long n)
{
	__u64 block = map.header->block_bytes, page = map.header->page_bytes;
	long shown = 0;

	while (n--) {
		__u64 at = any() % 4 ? (any() % (6 * block)) & -page : any() & -page;
		size_t len = any() % 4 ? 1 + any() % (2 * block) : any();
		int prot = any() % 4 ? PROT_READ : (int)(any() % 8);
		int fd = any() % 2 ? map.fd : open("/dev/iostat", O_RDWR);
		char *p = mmap(NULL, len, prot, any() % 2 ? MAP_SHARED : MAP_PRIVATE, fd,
			       any() % 8 ? at : at + any() % page);
		size_t pages = (len + page - 1) & -page;

		if (fd != map.fd)
			close(fd);
		if (p == MAP_FAILED)
			continue;
		shown++;
		if (prot & (PROT_WRITE | PROT_EXEC))
			printf("mapped to change it\n");
		if (!mprotect(p, page, PROT_READ | PROT_WRITE) || !mprotect(p, page, PROT_EXEC))
			printf("may be changed later\n");
		if (mprotect(p, pages, PROT_READ))
			printf("may not be read\n");
		look_at((void *)p, pages);
		if (mremap(p, pages, pages + page, MREMAP_MAYMOVE) != MAP_FAILED)
			printf("grew\n");
		if (!(any() % 8)) {
			pid_t child = fork();

			if (!child) {
				look_at((void *)p, pages);
				_exit(0);
			}
			waitpid(child, NULL, 0);
		}
		if (any() % 2) {
			char *to = mremap(p, pages, any() % 2 ? pages : page, MREMAP_MAYMOVE);

			if (to != MAP_FAILED)
				p = to;
			look_at((void *)p, page);
		}
		munmap(p, pages);
	}
	return shown;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct iostat_snapshot now;
	char c;

	signal(SIGBUS, on_sigbus);
	must(iostat_map_open(&map, "/dev/iostat"), "open");
	if (!strcmp(what, "get") && argc == 3) {
		find(argv[2]);
		must(iostat_map_read(&map, &disk, &now), "read");
		show(&now);
	} else if (!strcmp(what, "histograms") && argc == 3) {
		find(argv[2]);
		show_histograms();
	} else if (!strcmp(what, "io-sizes") && argc == 3) {
		find(argv[2]);
		show_all_sizes();
	} else if (!strcmp(what, "hunt") && argc == 4) {
		find(argv[2]);
		hunt(atol(argv[3]));
	} else if (!strcmp(what, "watch") && argc == 3) {
		find(argv[2]);
		watch();
	} else if (!strcmp(what, "partitions") && argc == 3) {
		find(argv[2]);
		printf("%u %u\n", (__u32)(disk.owner->partitions >> 32), (__u32)disk.owner->partitions);
	} else if (!strcmp(what, "records") && argc == 3) {
		find(argv[2]);
		records();
	} else if (!strcmp(what, "outlive") && argc == 3) {
		find(argv[2]);
		outlive();
	} else if (!strcmp(what, "gone") && argc == 3) {
		find(argv[2]);
		gone();
	} else if (!strcmp(what, "fuzz") && argc == 4) {
		state = strtoull(argv[2], NULL, 0);
		printf("%s\n", fuzz(atol(argv[3])) > 0 ? "some" : "none");
	} else if (!strcmp(what, "clock")) {
		printf("%llu\n", (unsigned long long)map.header->clock.source);
	} else if (!strcmp(what, "hold")) {
		/* The mapping alone must keep the device open. */
		close(map.fd);
		printf("holding\n");
		fflush(stdout);
		while (read(0, &c, 1) > 0)
			;
	} else {
		return 2;
	}
	return 0;
}
