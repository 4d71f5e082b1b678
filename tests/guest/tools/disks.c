// SPDX-License-Identifier: GPL-2.0
/*
 * Works on many disks in one process: one process per disk would take too long.
 *
 *	disks partition NAME N	NAME0 to NAME(N - 1) get a partition each: all but
 *				the first 512 KiB
 *	disks use NAME N	of each partition i, reads i % 3 + 1 blocks of 4 KiB, and
 *				writes one; of each disk, writes one
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

int main(int argc, char **argv)
{
	void (*act)(const char *name, long number);

	if (argc != 4)
		errx(2, "usage: disks partition|use NAME N");
	act = strcmp(argv[1], "use") ? add_partition : use;
	if (posix_memalign(&block, BLOCK, BLOCK))
		errx(1, "no memory");
	memset(block, 0, BLOCK);
	for (long i = 0; i < atol(argv[3]); i++)
		act(argv[2], i);
	return 0;
}
