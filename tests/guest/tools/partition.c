// SPDX-License-Identifier: GPL-2.0
/*
 * Adds a partition without a table:
 *
 *	partition DEVICE NUMBER START SECTORS
 */
#include <err.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdlib.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct blkpg_partition partition = { 0 };
	struct blkpg_ioctl_arg arg = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(partition), .data = &partition,
	};
	int fd;

	if (argc != 5)
		errx(1, "usage: partition DEVICE NUMBER START SECTORS");
	partition.pno = atoi(argv[2]);
	partition.start = 512 * atoll(argv[3]);
	partition.length = 512 * atoll(argv[4]);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || ioctl(fd, BLKPG, &arg))
		err(1, "%s", argv[1]);
	return 0;
}
