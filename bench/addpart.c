// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a partition of all but the first MiB of a disk that could not keep a
 * table. usage: addpart DISK
 */

#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct blkpg_partition partition = { .start = 1 << 20, .pno = 1 };
	struct blkpg_ioctl_arg argument = {
		.op = BLKPG_ADD_PARTITION,
		.datalen = sizeof(partition),
		.data = &partition,
	};
	unsigned long long bytes;
	int disk;

	if (argc != 2) {
		fprintf(stderr, "usage: addpart DISK\n");
		return 2;
	}
	disk = open(argv[1], O_RDONLY);
	if (disk < 0 || ioctl(disk, BLKGETSIZE64, &bytes)) {
		perror(argv[1]);
		return 1;
	}
	partition.length = bytes - partition.start;
	if (ioctl(disk, BLKPG, &argument)) {
		perror("BLKPG");
		return 1;
	}
	return 0;
}
