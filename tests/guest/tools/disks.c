// SPDX-License-Identifier: GPL-2.0
/*
 * Works on many disks in one process: one process per disk would take too long.
 *
 *	disks create NAME N	null_blk gets the disks NAME0 to NAME(N - 1), with its own
 *				parameters
 *	disks remove NAME N	removes them
 *	disks partition NAME N	they get a partition each: all but the first 512 KiB
 *	disks read NAME N	reads a block of each disk
 *	disks use NAME N	of each partition i, reads i % 3 + 1 blocks of 4 KiB, and
 *				writes one; of each disk, writes one
 *
 * A number behind N is that of the first of the N disks, in place of 0.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 4096
#define START (512 << 10)
#define LENGTH (1 << 20)

static void *block;

static int open_disk(const char *name, long number, const char *rest)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s%ld%s", name, number, rest);
	fd = open(path, O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

/* item - writes the path of a disk in configfs, or of one of its files */
static void item(char path[64], const char *name, long number, const char *rest)
{
	snprintf(path, 64, "/sys/kernel/config/nullb/%s%ld%s", name, number, rest);
}

static void create(const char *name, long number)
{
	char path[64];
	int fd;

	item(path, name, number, "");
	if (mkdir(path, 0755))
		err(1, "%s", path);
	item(path, name, number, "/power");
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		err(1, "%s", path);
	close(fd);
}

static void destroy(const char *name, long number)
{
	char path[64];

	item(path, name, number, "");
	if (rmdir(path))
		err(1, "%s", path);
}

static void add_partition(const char *name, long number)
{
	struct blkpg_partition part = { .start = START, .length = LENGTH, .pno = 1 };
	struct blkpg_ioctl_arg arg = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(part), .data = &part
	};
	int fd = open_disk(name, number, "");

	if (ioctl(fd, BLKPG, &arg))
		err(1, "partition of %s%ld", name, number);
	close(fd);
}

static void read_one(const char *name, long number)
{
	int fd = open_disk(name, number, "");

	if (pread(fd, block, BLOCK, 0) != BLOCK)
		err(1, "read of %s%ld", name, number);
	close(fd);
}

static void use(const char *name, long number)
{
	int disk = open_disk(name, number, ""), part = open_disk(name, number, "p1");

	for (long i = 0; i <= number % 3; i++) {
		if (pread(part, block, BLOCK, i * BLOCK) != BLOCK)
			err(1, "read of %s%ldp1", name, number);
	}
	if (pwrite(part, block, BLOCK, 0) != BLOCK || pwrite(disk, block, BLOCK, 0) != BLOCK)
		err(1, "write of %s%ld", name, number);
	close(part);
	close(disk);
}

static const struct {
	const char *name;
	void (*act)(const char *name, long number);
} actions[] = {
	{ "create", create },
	{ "remove", destroy },
	{ "partition", add_partition },
	{ "read", read_one },
	{ "use", use },
};

int main(int argc, char **argv)
{
	long first = argc > 4 ? atol(argv[4]) : 0;

	if (posix_memalign(&block, BLOCK, BLOCK))
		errx(1, "no memory");
	memset(block, 0, BLOCK);
	for (size_t i = 0; argc > 3 && i < sizeof(actions) / sizeof(*actions); i++) {
		if (strcmp(argv[1], actions[i].name))
			continue;
		for (long number = first; number < first + atol(argv[3]); number++)
			actions[i].act(argv[2], number);
		return 0;
	}
	errx(2, "usage: disks create|remove|partition|read|use NAME N [FIRST]");
}
