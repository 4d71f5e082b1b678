// SPDX-License-Identifier: GPL-2.0
/*
 * IOSTAT_IOC_CGROUPS.
 *
 *	cgroups list NUMBER	prints the accounts of a disk as @cgroups_list does, without the name of the disk, and then
 *				how many rows there may be and how many are in use
 *	cgroups refused NUMBER	prints which invalid calls did not fail as they should
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/iostat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define MOST	4096

static struct iostat_cgroup cgroups[MOST];
static int fd;

static struct iostat_get_cgroups get_of(__u32 number, __u32 count)
{
	return (struct iostat_get_cgroups){
		.size = sizeof(struct iostat_get_cgroups), .number = number, .entry_size = sizeof(cgroups[0]),
		.count = count, .cgroups = (unsigned long)cgroups,
	};
}

static int list(__u32 number)
{
	static const char *const classes[] = { "none", "read", "write", "free" };
	struct iostat_get_cgroups get = get_of(number, MOST);

	if (ioctl(fd, IOSTAT_IOC_CGROUPS, &get)) {
		printf("%s\n", strerrorname_np(errno));
		return 1;
	}
	for (__u32 i = 0; i < get.count && i < MOST; i++) {
		const struct iostat_cgroup *c = &cgroups[i];
		char separator = ' ';

		if (c->number == IOSTAT_NO_DEVICE)
			printf("- other");
		else
			printf("%u %llu", c->number, c->cgroup);
		printf(" %s %llu %llu %llu %llu %llu", classes[c->io_class & 3], c->ios, c->bytes, c->operations,
		       c->duration, c->service);
		for (int bucket = 0; bucket < IOSTAT_BUCKETS; bucket++)
			if (c->counts[bucket]) {
				printf("%c%d:%llu", separator, bucket, c->counts[bucket]);
				separator = ',';
			}
		puts(separator == ' ' ? " -" : "");
	}
	printf("%u %u\n", get.rows, get.rows_used);
	return 0;
}

static void expect(const char *what, struct iostat_get_cgroups get, int error)
{
	int got = ioctl(fd, IOSTAT_IOC_CGROUPS, &get) ? errno : 0;

	if (got != error)
		printf("%s: %s, not %s\n", what, strerrorname_np(got), strerrorname_np(error));
}

static int refused(__u32 number)
{
	const struct iostat_get_cgroups valid = get_of(number, 1);
	struct iostat_get_cgroups get = valid;

	expect("valid", get, 0);
	get.count = 0;
	expect("no room", get, 0);
	get = valid;
	get.flags = 1;
	expect("flags", get, EINVAL);
	get = valid;
	get.reserved = 1;
	expect("reserved", get, EINVAL);
	get = valid;
	get.number = IOSTAT_NO_DEVICE - 1;
	expect("no such disk", get, ENXIO);
	get = valid;
	get.entry_size = sizeof(cgroups[0]) - 8;
	expect("short element", get, EINVAL);
	get = valid;
	get.entry_size++;
	expect("odd element", get, EINVAL);
	get = valid;
	get.size = 8;
	expect("short structure", get, EINVAL);
	get = valid;
	get.cgroups = 8;
	expect("bad address", get, EFAULT);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	fd = open("/dev/iostat", O_RDONLY);
	if (fd < 0)
		return 2;
	if (!strcmp(argv[1], "list"))
		return list(strtoul(argv[2], NULL, 10));
	return !strcmp(argv[1], "refused") ? refused(strtoul(argv[2], NULL, 10)) : 2;
}
