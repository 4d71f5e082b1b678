// SPDX-License-Identifier: GPL-2.0
/*
 * What poll() of /dev/iostat returns.
 *
 *	poll wait NAME		before and after a disk NAME comes, and after it leaves; 30 s at most
 *	poll seen DISK		prints the calls after which poll() is wrong. It waits for the next change of the list
 *				after calls that return its generation or values of all devices, and after no other
 *
 * Built three times, as abi.c.
 */
#define _GNU_SOURCE
#include "calls.h"
#include <linux/blkpg.h>
#include <poll.h>

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
	fd = open("/dev/iostat", O_RDONLY);
	must(fd, "open");
	if (argc == 3 && !strcmp(argv[1], "wait"))
		wait_for_changes(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "seen"))
		seen(argv[2]);
	else
		return 2;
	return 0;
}
