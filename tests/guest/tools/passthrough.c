// SPDX-License-Identifier: GPL-2.0
/*
 * Sends passthrough commands to a SCSI disk.
 *
 *	passthrough DEVICE ready|inquiry|read|write|unmapped COUNT
 *
 * The last is a read to where no memory is mapped: its request is allocated and freed, and never sent.
 */
#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCKS 8

static const struct {
	const char *name;
	unsigned char cdb[10];
	unsigned char cdb_len;
	int direction;
	unsigned int bytes;
} commands[] = {
	{ "ready", { 0x00 }, 6, SG_DXFER_NONE, 0 },
	{ "inquiry", { 0x12, [4] = 96 }, 6, SG_DXFER_FROM_DEV, 96 },
	{ "read", { 0x28, [8] = BLOCKS }, 10, SG_DXFER_FROM_DEV, BLOCKS * 512 },
	{ "write", { 0x2a, [8] = BLOCKS }, 10, SG_DXFER_TO_DEV, BLOCKS * 512 },
	{ "unmapped", { 0x28, [8] = BLOCKS }, 10, SG_DXFER_FROM_DEV, BLOCKS * 512 },
	{ NULL },
};

int main(int argc, char **argv)
{
	unsigned char data[BLOCKS * 512] = { 0 };
	unsigned char cdb[10];
	int fd, count, i = 0;

	if (argc != 4)
		return 2;
	fd = open(argv[1], O_RDWR);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	while (strcmp(commands[i].name, argv[2]))
		if (!commands[++i].name)
			return 2;
	memcpy(cdb, commands[i].cdb, sizeof(cdb));
	for (count = atoi(argv[3]); count > 0; count--) {
		struct sg_io_hdr io = {
			.interface_id = 'S',
			.dxfer_direction = commands[i].direction,
			.cmd_len = commands[i].cdb_len,
			.dxfer_len = commands[i].bytes,
			.dxferp = data,
			.cmdp = cdb,
			.timeout = 10000,
		};

		if (!strcmp(argv[2], "unmapped")) {
			io.dxferp = (void *)8;
			if (ioctl(fd, SG_IO, &io) == 0 || errno != EFAULT)
				return 1;
			continue;
		}
		if (ioctl(fd, SG_IO, &io) < 0 || io.status || io.host_status) {
			perror(argv[2]);
			return 1;
		}
	}
	return 0;
}
