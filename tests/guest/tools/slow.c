// SPDX-License-Identifier: GPL-2.0
/*
 * IOSTAT_IOC_SLOW.
 *
 *	slow list NAME [COUNT]	prints the slow I/Os of a disk, or up to COUNT of them, and then their number and the threshold
 *	slow refused NAME	prints which invalid calls did not fail as they should
 *	slow turning NAME N	reads them N times under load, also as text: prints what is not of one I/O
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/iostat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "device.h"

static struct iostat_slow slow[IOSTAT_SLOW_IOS];
static int fd;

/* Of a device by its name, or as "#NUMBER". */
static __u32 number_of(const char *name)
{
	static struct iostat_device devices[256];
	struct iostat_list list = {
		.size = sizeof(list), .entry_size = sizeof(devices[0]), .count = 256, .devices = (unsigned long)devices,
	};

	if (*name == '#')
		return strtoul(name + 1, NULL, 10);
	if (ioctl(fd, IOSTAT_IOC_LIST, &list))
		exit(2);
	for (__u32 i = 0; i < list.count && i < 256; i++)
		if (!strcmp(devices[i].name, name))
			return devices[i].number;
	exit(2);
}

static struct iostat_get_slow get_of(const char *name, __u32 count)
{
	return (struct iostat_get_slow){
		.size = sizeof(struct iostat_get_slow), .number = number_of(name), .entry_size = sizeof(slow[0]),
		.count = count, .slow = (unsigned long)slow,
	};
}

static int list(const char *name, __u32 count)
{
	struct iostat_get_slow get = get_of(name, count);

	if (ioctl(fd, IOSTAT_IOC_SLOW, &get)) {
		printf("%s\n", strerrorname_np(errno));
		return 1;
	}
	for (__u32 i = 0; i < get.count; i++) {
		const struct iostat_slow *s = &slow[i];

		printf("%llu %u %u %u %llu %llu %u %.16s\n", s->sequence, s->flags, s->error, s->op, s->sector, s->bytes,
		       s->pid, s->comm);
	}
	printf("%llu %llu\n", get.total, get.threshold);
	return 0;
}

static void expect(const char *what, struct iostat_get_slow get, int error)
{
	int got = ioctl(fd, IOSTAT_IOC_SLOW, &get) ? errno : 0;

	if (got != error)
		printf("%s: %s, not %s\n", what, strerrorname_np(got), strerrorname_np(error));
}

static int refused(const char *name)
{
	const struct iostat_get_slow valid = get_of(name, 1);
	struct iostat_get_slow get = valid;

	expect("valid", get, 0);
	get.count = -1;
	expect("more than there are", get, 0);
	get = valid;
	get.size = sizeof(get) - 8;
	expect("a short structure", get, EINVAL);
	get = valid;
	get.flags = 1;
	expect("a flag", get, EINVAL);
	get = valid;
	get.reserved = 1;
	expect("a reserved member", get, EINVAL);
	get = valid;
	get.entry_size = sizeof(slow[0]) - 8;
	expect("short elements", get, EINVAL);
	get = valid;
	get.number = -1;
	expect("no such device", get, ENXIO);
	get = valid;
	get.slow = 8;
	expect("an address of nothing", get, EFAULT);
	return 0;
}

/* Reads of 4 KiB in the first 64 MiB of the disk and writes of 8 KiB behind them, all by fio. */
static bool is_of_load(const char *op, unsigned long long sector, unsigned long long bytes, const char *comm)
{
	if (strcmp(comm, "fio"))
		return false;
	if (!strcmp(op, "read"))
		return sector < 131072 && sector % 8 == 0 && bytes == 4096;
	return !strcmp(op, "write") && sector >= 131072 && sector % 16 == 0 && bytes == 8192;
}

static int turning(const char *name, long calls)
{
	static char text[1 << 16];
	struct iostat_get_slow get = get_of(name, IOSTAT_SLOW_IOS);
	long wrong = 0, lines = 0, entries = 0;
	__u64 seen = 0;

	for (long n = 0; n < calls; n++) {
		size_t len = 0;
		ssize_t got;

		get.count = IOSTAT_SLOW_IOS;
		if (ioctl(fd, IOSTAT_IOC_SLOW, &get))
			return 1;
		for (__u32 i = 0; i < get.count; i++, entries++) {
			const struct iostat_slow *s = &slow[i];
			bool is_next = i ? s->sequence < s[-1].sequence : s->sequence >= seen;

			if (!is_next || s->sequence > get.total || s->sequence + IOSTAT_SLOW_IOS * 1000 < get.total ||
			    !is_of_load(s->op ? "write" : "read", s->sector, s->bytes, s->comm))
				wrong++;
		}
		if (get.count)
			seen = slow[0].sequence;
		if (dprintf(fd, "@slow %s", name) < 0)
			return 1;
		while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
			len += got;
		text[len] = 0;
		for (char *line = strchr(text, '\n') + 1, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
			char op[16], comm[65], more;
			unsigned long long sector, bytes;

			*end = 0;
			if (sscanf(line, "%*s %*u %*u %*u %*u %*u %*u %*u %15s %llu %llu %*u %64s %*s%c", op, &sector,
				   &bytes, comm, &more) != 4 ||
			    !is_of_load(op, sector, bytes, comm)) {
				if (!wrong++)
					printf("wrong: %s\n", line);
			}
		}
	}
	printf("%ld calls, %ld wrong, %d, %d\n", calls, wrong, entries > calls, lines > calls);
	return 0;
}

int main(int argc, char **argv)
{
	fd = open_device(O_RDWR);
	if (fd < 0 || argc < 3)
		return 2;
	if (!strcmp(argv[1], "list"))
		return list(argv[2], argc > 3 ? atoi(argv[3]) : IOSTAT_SLOW_IOS);
	if (!strcmp(argv[1], "refused"))
		return refused(argv[2]);
	return argc > 3 ? turning(argv[2], atol(argv[3])) : 2;
}
